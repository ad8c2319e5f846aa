"""test_installed.py CMAKE BUILD CC CXX VERSION: installs the build, moves the installed tree, and uses it as others do: by CMake
and by pkg-config, from C99 and from C++, with the example that is installed and with the program that README.md prints."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE, BUILD, CC, CXX, VERSION = sys.argv[1:6]
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Werror"]


def run(*command, **environment):
    """Standard output; a failure shows all of it."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{shlex.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def readme(language):
    """The first block of that language."""
    return re.search(rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE).group(1)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.first = cls.scratch / "first"
        run(CMAKE, "--install", BUILD, "--prefix", str(cls.first))
        cls.prefix = cls.scratch / "moved to"  # a space in the path, too
        cls.first.rename(cls.prefix)
        cls.library = cls.one("libbsblas.so").parent

    @classmethod
    def one(cls, pattern):
        found = list(cls.prefix.rglob(pattern))
        if len(found) != 1:
            raise AssertionError(f"{pattern}: {found}")
        return found[0]

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "bsblas", PKG_CONFIG_PATH=str(self.library / "pkgconfig")).strip()

    def compile(self, compiler, program, *flags):
        output = self.scratch / "program"
        run(compiler, *flags, program, *shlex.split(self.pkg_config("--cflags", "--libs")), "-lm", "-o", output)
        return run(output, LD_LIBRARY_PATH=str(self.library), BSBLAS_BACKEND="host")

    def configure(self, name, wanted):
        return run(CMAKE, "-G", "Ninja", "-S", ROOT / "tests/consumer/project", "-B", self.scratch / name,
                   f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}", f"-DWANTED_VERSION={wanted}",
                   f"-DPROGRAM={self.one('sparse_layer.c')}")

    def test_files(self):
        headers = {header.name for header in self.prefix.glob("include/bsblas/*")}
        self.assertEqual(headers, {header.name for header in (ROOT / "include" / "bsblas").iterdir()})
        self.assertTrue((self.library / f"libbsblas.so.{VERSION.split('.')[0]}").is_file())
        for name in ["bsblasConfig.cmake", "bsblas.pc", "LICENSE", "README.md", "sparse_layer.c", "sparse_layer_cuda.c"]:
            self.one(name)
        self.assertEqual(list(self.prefix.rglob("*.a")), [])

    def test_nothing_names_where_it_was_built_or_installed(self):
        for file in self.prefix.rglob("*"):
            if file.is_file() and ".so" not in file.name:
                for path in [self.first, ROOT, Path(BUILD)]:
                    self.assertNotIn(str(path), file.read_text(), file)

    def test_cmake(self):
        self.configure("build", VERSION)
        run(CMAKE, "--build", self.scratch / "build")
        self.assertIn("as expected", run(self.scratch / "build" / "consumer"))

    def test_cmake_refuses_another_major_version(self):
        with self.assertRaisesRegex(AssertionError, r"compatible\s+with requested version"):
            self.configure("refused", int(VERSION.split(".")[0]) + 1)

    def test_pkg_config(self):
        self.assertEqual(self.pkg_config("--modversion"), VERSION)
        self.assertIn("as expected", self.compile(CC, self.one("sparse_layer.c"), "-std=c99", *STRICT))

    def test_readme(self):
        for compiler, standard, name in [(CC, "c99", "a.c"), (CXX, "c++11", "a.cpp"), (CXX, "c++20", "a.cpp")]:
            program = self.scratch / name
            program.write_text(readme("c"))
            self.assertEqual(self.compile(compiler, program, f"-std={standard}", *STRICT), readme("text"))

    def test_each_header_alone(self):
        cflags = shlex.split(self.pkg_config("--cflags"))
        for header in sorted(self.prefix.glob("include/bsblas/*.h")):
            program = self.scratch / "header.c"
            program.write_text(f"#include <bsblas/{header.name}>\n#include <bsblas/{header.name}>\nint main(void) {{ return 0; }}\n")
            run(CC, "-std=c99", *STRICT, *cflags, "-fsyntax-only", program)
            run(CXX, "-x", "c++", "-std=c++11", *STRICT, *cflags, "-fsyntax-only", program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
