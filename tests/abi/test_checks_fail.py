"""test_checks_fail.py CXX: the checks of exports and of the baseline pass on a library that keeps to the headers, and fail on
ones that do not. The libraries are made from changed copies of the headers, with empty functions."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_baseline
import check_exports
import public_functions

ROOT = check_baseline.ROOT
CXX = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"


class Changed(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)
        self.include = self.scratch / "include"
        shutil.copytree(ROOT / "include", self.include)

    def edit(self, header, old, new):
        path = self.include / "bsblas" / header
        text = path.read_text()
        self.assertEqual(text.count(old), 1, f"{header} should have {old!r} once")
        path.write_text(text.replace(old, new))

    def build(self, added=""):
        source, library = self.scratch / "library.cpp", self.scratch / "libbsblas.so"
        source.write_text(public_functions.definitions(self.include) + added)
        subprocess.run([CXX, "-g", "-O2", "-std=c++20", "-shared", "-fPIC", f"-I{self.include}",
                        f"-Wl,--version-script={ROOT}/lib/bsblas.map", "-Wl,-soname,libbsblas.so.0", source, "-o", library],
                       check=True)
        return library

    def abi_report(self, library):
        dumped = self.scratch / "abi.xml"
        check_baseline.dump(library, self.include, dumped)
        changed, report = check_baseline.compare(check_baseline.BASELINE, dumped)
        self.assertEqual(changed, bool(report.strip()))
        return report

    def test_no_change_passes(self):
        library = self.build()
        self.assertEqual(check_exports.differences(library), [])
        self.assertEqual(self.abi_report(library), "")

    def test_enumerator_with_another_value(self):
        self.edit("types.h", "BSBLAS_R_16BF = 14,", "BSBLAS_R_16BF = 15,")
        self.assertIn("BSBLAS_R_16BF", self.abi_report(self.build()))

    def test_added_enumerator(self):
        self.edit("types.h", "BSBLAS_OP_H = 2,", "BSBLAS_OP_H = 2, BSBLAS_OP_C = 3,")
        self.assertIn("BSBLAS_OP_C", self.abi_report(self.build()))

    def test_status_with_another_value(self):
        self.edit("status.h", "X(ALLOC_FAILED, 22,", "X(ALLOC_FAILED, 23,")
        self.assertIn("BSBLAS_STATUS_ALLOC_FAILED", self.abi_report(self.build()))

    def test_added_parameter(self):
        self.edit("handle.h", "bsblasGetVersion(int* version)", "bsblasGetVersion(int* version, int detail)")
        self.assertIn("bsblasGetVersion", self.abi_report(self.build()))

    def test_parameter_of_another_type(self):
        self.edit("handle.h", "bsblasSetNumThreads(bsblasHandle_t handle, int numThreads)",
                  "bsblasSetNumThreads(bsblasHandle_t handle, int64_t numThreads)")
        self.assertIn("bsblasSetNumThreads", self.abi_report(self.build()))

    def test_removed_function(self):
        self.edit("handle.h", "BSBLAS_API bsblasStatus_t bsblasGetBuildInfo(const char** info);", "")
        library = self.build()
        self.assertIn("bsblasGetBuildInfo", self.abi_report(library))
        self.assertIn("bsblasGetBuildInfo@@BSBLAS_0: recorded in lib/symbols.txt, but not exported",
                      check_exports.differences(library))

    def test_added_function(self):
        library = self.build('extern "C" BSBLAS_API int bsblasExtra() { return 0; }\n')
        self.assertIn("bsblasExtra", self.abi_report(library))
        self.assertEqual(check_exports.differences(library),
                         ["bsblasExtra@@BSBLAS_0: exported, but not recorded in lib/symbols.txt",
                          "bsblasExtra: exported, but not declared in a header"])


if __name__ == "__main__":
    unittest.main()
