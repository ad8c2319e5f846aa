"""check_baseline.py LIBRARY: its ABI is the recorded one. The library needs debug information.

Harmless changes count too: an added function or enumerator has to enter the baseline, or nothing would protect it later."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASELINE = ROOT / "lib" / "abi" / "bsblas-0.abi.xml"

# Bits of abidiff's exit status; the other two say that it could not do its work.
CHANGED, INCOMPATIBLE = 4, 8


def dump(library, include, output):
    subprocess.run(["sh", ROOT / "lib" / "abi" / "dump.sh", library, include, output], check=True)


def compare(old, new):
    """Whether they differ, and abidiff's report."""
    run = subprocess.run(["abidiff", "--harmless", "--no-show-locs", old, new], capture_output=True, text=True)
    if run.returncode & ~(CHANGED | INCOMPATIBLE):
        raise RuntimeError(f"abidiff: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return run.returncode != 0, run.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        present = Path(scratch) / "present.xml"
        dump(sys.argv[1], ROOT / "include", present)
        if "type-id" not in present.read_text():
            sys.exit(f"{sys.argv[1]} has no debug information")
        changed, report = compare(BASELINE, present)
    print(report or "the ABI is the recorded one")
    if changed:
        sys.exit("The ABI differs from lib/abi/bsblas-0.abi.xml. If that is meant: sh lib/abi/update.sh")
