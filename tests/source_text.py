"""source_text.py [ROOT]: what the text of the project must and must not say.

No file names a path, an address or a package host of the machine it was written on: others do not have it. Each public function
has a comment above it; its twins (Const, Get and Set, _bufferSize, _count) directly below may share it. Kernels that are launched
early begin by waiting for what is before them in the stream: without it the wrong results are too rare for a test to see."""
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "abi"))
import public_functions

# The brackets keep this file from matching itself.
MACHINE = re.compile(r"/wor[k]/|/roo[t]/|/home/\w+[/]|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"
                     r"|\b(?:pypi\.or[g]|pythonhosted\.or[g]|(?:deb|snapshot|security)\.debian\.or[g]"
                     r"|(?:archive|security)\.ubuntu\.co[m]|registry\.npmj[s])")
NOT_OURS = re.compile(r"^(\.git|build[^/]*)$|__pycache__")


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not NOT_OURS.search(f))
        yield from (Path(folder) / name for name in sorted(names) if name != ".git")


def machine_names(root):
    for path in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for match in MACHINE.finditer(text):
            yield f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: names {match.group()}"


def family(name):
    return re.sub(r"Const|Get|Set|_bufferSize|_count", "", name)


def uncommented_functions(include):
    for header in sorted(include.glob("bsblas/*.h")):
        text = header.read_text()
        end, explained = 0, None
        for declaration in public_functions.DECLARATION.finditer(public_functions.blank_comments(text)):
            if text[end:declaration.start()].rstrip().endswith("*/"):
                explained = family(declaration["name"])
            if family(declaration["name"]) != explained:
                yield f"{header.name}: {declaration['name']} has no comment above it"
            end = declaration.end()


KERNEL = re.compile(r"__global__\s[^;{]*\{\s*([^;]*;)")


def kernels_that_do_not_wait(kernels):
    for path in sorted(kernels.rglob("*.cu*")):
        text = path.read_text()
        for kernel in KERNEL.finditer(text) if re.search(r"\blaunch_early\(\w", text) else ():
            if kernel[1] != "wait_for_predecessor();":
                line = text.count("\n", 0, kernel.start()) + 1
                yield f"{path.relative_to(kernels)}:{line}: is launched early and does not begin with wait_for_predecessor()"


if __name__ == "__main__":
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    wrong = list(machine_names(top)) + list(uncommented_functions(top / "include")) + \
        list(kernels_that_do_not_wait(top / "kernels"))
    print("\n".join(wrong) or "nothing to say about the text")
    sys.exit(bool(wrong))
