"""layers.py [ROOT]: the folders are the architecture, and each includes only from the folders that this table allows."""
import fnmatch
import os
import re
import sys
from pathlib import Path

# What kernels may know of the library: plain structs.
PROBLEM = ["src/core/problem.h", "src/core/kernel.h", "src/core/pattern_problem.h", "src/core/transposed_index.h"]

# A file belongs to the longest folder here that holds it, and may include what lies under, or is, an entry of its row.
# * stands for one name.
ALLOWED = {
    "include":          ["include"],
    "kernels/host":     ["include", "kernels/host"] + PROBLEM,
    "kernels/cuda":     ["include", "kernels/cuda"] + PROBLEM,
    "src/core":         ["include", "src/core"],
    "src/dispatch":     ["include", "src/core", "src/dispatch", "src/backend/backend.h", "kernels/*/table.*"],
    "src/backend":      ["include", "src/core", "src/backend/*.h"],
    "src/backend/host": ["include", "src/core", "src/backend/*.h", "src/backend/host", "kernels/host"],
    "src/backend/cuda": ["include", "src/core", "src/backend/*.h", "src/backend/cuda", "kernels/cuda"],
    "src/backend/none": ["include", "src/core", "src/backend/*.h", "src/backend/none"],
    "src/api":          ["include", "src"],
    "lib":              [],
    "bindings":         ["include", "bindings"],
    "perf":             ["include", "perf", "tests/support"],
    "tests":            ["include", "tests"],
    "tests/support":    ["include", "tests/support"],
    "tests/unit":       ["include", "src", "kernels", "tests"],
}

# Who may include CUDA's headers.
CUDA_FOLDERS = ["kernels/cuda", "src/backend/cuda", "bindings/c", "perf", "tests"]
CUDA_HEADER = re.compile(r"(cuda|cub/|cublas|cusparse|cooperative_groups|thrust/|mma\.h|nv/|nvrtc|nvtx)")

# Made by the build, so not in the tree.
GENERATED = ["commit.h"]

# Where an include's path starts, besides the folder of the file that has it.
ROOTS = ["src", ".", "include", "tests", "perf"]

SOURCE = re.compile(r"\.(c|h|cpp|hpp|cu|cuh|inc|inl)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def sources(root):
    for top in sorted({folder.split("/")[0] for folder in ALLOWED}):
        for folder, _, names in os.walk(root / top):
            for name in sorted(names):
                if SOURCE.search(name):
                    yield (Path(folder) / name).relative_to(root).as_posix()


def within(path, entries):
    return any(path == e or path.startswith(e + "/") or fnmatch.fnmatchcase(path, e) and path.count("/") == e.count("/")
               for e in entries)


def resolve(root, includer, path):
    """The file of this project that the include means, if any."""
    for start in [os.path.dirname(includer)] + ROOTS:
        candidate = os.path.normpath(os.path.join(start, path))
        if (root / candidate).is_file():
            return candidate
    return None


def violations(root):
    found = []
    for source in sources(root):
        layers = [folder for folder in ALLOWED if source.startswith(folder + "/")]
        text = (root / source).read_text()
        for match in INCLUDE.finditer(text):
            quote, path = match.groups()
            where = f"{source}:{text.count(chr(10), 0, match.start(2)) + 1}"
            target = resolve(root, source, path)
            if path in GENERATED:
                continue
            if target is None:
                if quote == '"':
                    found.append(f'{where}: "{path}" is no file of this project; others are included with <>')
                elif CUDA_HEADER.match(path) and not within(source, CUDA_FOLDERS):
                    found.append(f"{where}: <{path}> is CUDA's, which is for {', '.join(CUDA_FOLDERS)}")
            elif not layers:
                found.append(f"{where}: this folder is not in the table of {Path(__file__).name}")
            elif not within(target, ALLOWED[max(layers, key=len)]):
                found.append(f"{where}: {max(layers, key=len)} may not include {target}")
    return found


if __name__ == "__main__":
    wrong = violations(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve())
    print("\n".join(wrong) or "every include keeps to the layers")
    sys.exit(bool(wrong))
