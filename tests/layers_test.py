"""layers.py finds what it is for: small trees, each with one include that the table forbids or allows."""
import tempfile
import unittest
from pathlib import Path

import layers


class Includes(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as scratch:
            for path, text in files.items():
                (Path(scratch) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(scratch) / path).write_text(text)
            return layers.violations(Path(scratch))

    def allowed(self, includer, line, target):
        self.assertEqual(self.violations({includer: line + "\n", target: ""}), [])

    def forbidden(self, includer, line, target):
        found = self.violations({includer: "// first\n" + line + "\n", target: ""})
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{includer}:2: ", found[0])
        self.assertIn(target, found[0])

    def test_allowed(self):
        self.allowed("include/bsblas/bsblas.h", "#include <bsblas/types.h>", "include/bsblas/types.h")
        self.allowed("kernels/host/spmm.cpp", '#include "core/problem.h"', "src/core/problem.h")
        self.allowed("kernels/cuda/sm90a/spmm.cu", '#include "kernels/cuda/common/tma.cuh"', "kernels/cuda/common/tma.cuh")
        self.allowed("src/api/multiply.cpp", '#include "dispatch/choose.h"', "src/dispatch/choose.h")
        self.allowed("src/backend/host/backend.cpp", '#include "kernels/host/table.inc"', "kernels/host/table.inc")
        self.allowed("src/dispatch/choose.cpp", '#include "kernels/host/table.inc"', "kernels/host/table.inc")
        self.allowed("tests/unit/dispatch.cpp", '#include "dispatch/choose.h"', "src/dispatch/choose.h")
        self.allowed("perf/peers.cpp", "#include <cublas_v2.h>", "perf/other.h")

    def test_kernels(self):
        self.forbidden("kernels/host/a.cpp", '#include "core/log.h"', "src/core/log.h")
        self.forbidden("kernels/host/a.cpp", '#include "kernels/cuda/a.cuh"', "kernels/cuda/a.cuh")
        self.forbidden("kernels/cuda/a.cu", '#include "kernels/host/a.h"', "kernels/host/a.h")
        self.forbidden("kernels/cuda/a.cu", '#include "backend/backend.h"', "src/backend/backend.h")

    def test_library(self):
        self.forbidden("include/bsblas/a.h", '#include "core/problem.h"', "src/core/problem.h")
        self.forbidden("src/core/a.cpp", '#include "dispatch/choose.h"', "src/dispatch/choose.h")
        self.forbidden("src/core/a.cpp", '#include "kernels/host/a.h"', "kernels/host/a.h")
        self.forbidden("src/dispatch/a.cpp", '#include "kernels/host/a.h"', "kernels/host/a.h")
        self.forbidden("src/dispatch/a.cpp", '#include "backend/host/pool.h"', "src/backend/host/pool.h")
        self.forbidden("src/backend/host/a.cpp", '#include "kernels/cuda/a.cuh"', "kernels/cuda/a.cuh")
        self.forbidden("src/backend/cuda/a.cpp", '#include "backend/host/pool.h"', "src/backend/host/pool.h")
        self.forbidden("src/backend/host/a.cpp", '#include "api/guard.h"', "src/api/guard.h")
        self.forbidden("src/api/a.cpp", '#include "kernels/host/a.h"', "kernels/host/a.h")

    def test_users(self):
        self.forbidden("tests/support/a.cpp", '#include "core/problem.h"', "src/core/problem.h")
        self.forbidden("tests/conformance/a.cpp", '#include "core/problem.h"', "src/core/problem.h")
        self.forbidden("perf/a.cpp", '#include "../src/core/problem.h"', "src/core/problem.h")
        self.forbidden("bindings/c/a.c", '#  include "core/problem.h"', "src/core/problem.h")

    def test_cuda_headers(self):
        for header in ["cuda_runtime.h", "cub/cub.cuh", "cublas_v2.h", "cusparse.h", "cuda/std/complex"]:
            self.forbidden("src/api/a.cpp", f"#include <{header}>", header)
            self.forbidden("kernels/host/a.cpp", f"#include <{header}>", header)

    def test_unknown(self):
        self.forbidden("src/core/a.cpp", '#include "core/missing.h"', "core/missing.h")
        found = self.violations({"src/extra/a.cpp": '#include "core/problem.h"', "src/core/problem.h": ""})
        self.assertEqual(found, ["src/extra/a.cpp:1: this folder is not in the table of layers.py"])


if __name__ == "__main__":
    unittest.main()
