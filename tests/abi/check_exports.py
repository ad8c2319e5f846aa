"""check_exports.py LIBRARY: it exports what the headers declare and lib/symbols.txt records, and nothing else.
check_exports.py --print LIBRARY: the list as lib/symbols.txt has it."""
import subprocess
import sys
from pathlib import Path

import public_functions

RECORDED = Path(__file__).resolve().parents[2] / "lib" / "symbols.txt"


def exports(library):
    """Every dynamic symbol that the library defines, as name@@version."""
    lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    symbols = [line.split()[-2:] for line in lines]
    nodes = {name for kind, name in symbols if kind == "A"}
    return sorted(name for kind, name in symbols if not (kind == "A" and name in nodes and name.startswith("BSBLAS_")))


def differences(library):
    found = exports(library)
    recorded = RECORDED.read_text().split()
    declared = public_functions.names()
    plain = [name.split("@")[0] for name in found]
    rows = [(set(recorded) - set(found), "recorded in lib/symbols.txt, but not exported"),
            (set(found) - set(recorded), "exported, but not recorded in lib/symbols.txt"),
            (set(declared) - set(plain), "declared in a header, but not exported"),
            (set(plain) - set(declared), "exported, but not declared in a header")]
    return [f"{name}: {why}" for names, why in rows for name in sorted(names)]


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        print("\n".join(exports(sys.argv[2])))
        sys.exit()
    wrong = differences(sys.argv[1])
    print("\n".join(wrong) or f"{len(public_functions.names())} symbols, as declared and recorded")
    sys.exit(bool(wrong))
