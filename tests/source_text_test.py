"""source_text.py finds what it is for."""
import tempfile
import unittest
from pathlib import Path

import source_text


class Text(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def test_machine_names(self):
        for word in ["/wor" + "k/bsblas", "/roo" + "t/.cache", "/home/" + "someone/x", "10.0.0" + ".7", "pypi.o" + "rg"]:
            self.write("perf/results/a.json", f"{{}}\n{word}\n")
            found = list(source_text.machine_names(self.root))
            self.assertEqual(len(found), 1, word)
            self.assertTrue(found[0].startswith("perf/results/a.json:2: names "), found)
        self.write("perf/results/a.json", "network/a, 1.2.3, framework/ and /usr/lib\n")
        self.write("build/log", "/wor" + "k/\n")
        self.assertEqual(list(source_text.machine_names(self.root)), [])

    def test_comments(self):
        header = "include/bsblas/a.h"
        self.write(header, "/* It is. */\nBSBLAS_API int bsblasGetA(void);\nBSBLAS_API int bsblasSetA(int a);\n")
        self.assertEqual(list(source_text.uncommented_functions(self.root / "include")), [])
        self.write(header, "/* It is. */\nBSBLAS_API int bsblasA(void);\nBSBLAS_API int bsblasB(int a);\n")
        self.assertEqual(list(source_text.uncommented_functions(self.root / "include")),
                         ["a.h: bsblasB has no comment above it"])

    def test_waits(self):
        kernel = "template <int N>\n__global__ void __launch_bounds__(32 * N)\n    twice(float* x) {\n%s    *x *= 2;\n}\n"
        launch = "int go() { return launch%s(twice<1>, 1, 32, 0, stream, x); }\n"
        wait = "    wait_for_predecessor();\n"
        for body, early, found in [(wait, "_early", 0), (wait, "", 0), ("", "", 0), ("", "_early", 1),
                                   ("    *x += 1;\n" + wait, "_early", 1)]:
            self.write("kernels/cuda/a.cuh", kernel % body + launch % early)
            self.assertEqual(len(list(source_text.kernels_that_do_not_wait(self.root / "kernels"))), found)


if __name__ == "__main__":
    unittest.main()
