"""The public functions, as the headers declare them. As a program, writes C that needs every one of them:

    public_functions.py references   a program that takes the address of each
    public_functions.py definitions  a library that defines each and does nothing
"""
import re
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"

DECLARATION = re.compile(r"^BSBLAS_API\s+(?P<type>[\w\s*]+?)\s*\b(?P<name>bsblas\w+)\((?P<arguments>[^)]*)\);",
                         re.MULTILINE)


def blank_comments(text):
    """Keeps every line where it was."""
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)


def declarations(include=INCLUDE):
    """Matches of DECLARATION, of all headers; .string is the header without comments."""
    found = []
    for header in sorted(include.glob("bsblas/*.h")):
        text = blank_comments(header.read_text())
        matches = list(DECLARATION.finditer(text))
        uses = len(re.findall(r"^BSBLAS_API\b", text, flags=re.MULTILINE))
        if uses != len(matches):
            raise SystemExit(f"{header}: {uses} uses of BSBLAS_API, but {len(matches)} understood")
        found += matches
    return found


def names(include=INCLUDE):
    return sorted(d["name"] for d in declarations(include))


def references():
    rows = "".join(f"    (function){name},\n" for name in names())
    return f"""#include <bsblas/bsblas.h>

typedef void (*function)(void);
static const function all[] = {{
{rows}}};

int main(void) {{
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; ++i)
        if (!all[i]) return 1;
    return 0;
}}
"""


def definitions(include=INCLUDE):
    text = "#include <bsblas/bsblas.h>\n"
    for d in declarations(include):
        result = '""' if "char" in d["type"] else "BSBLAS_STATUS_SUCCESS"
        text += f"\nBSBLAS_API {d['type']} {d['name']}({d['arguments']}) {{ return {result}; }}\n"
    return text


if __name__ == "__main__":
    print({"references": references, "definitions": definitions}[sys.argv[1]](), end="")
