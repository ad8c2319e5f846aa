#!/usr/bin/env python3
"""Tests bsblas_bench and table.py on small problems: bench_test.py BSBLAS_BENCH"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = sys.argv.pop(1)
TABLE = pathlib.Path(__file__).with_name("table.py")
KEYS = (
    "op type layout_b layout_c ld_b ld_c pattern kernel m k n block density density_asked stored_bytes time_us tflops"
    " share_of_dense share_of_best_peer best_peer"
).split()
PROBLEMS = ["spmm m=64 n=32 k=48 block=8,16x8 opa=n,t type=f32,bf16 orderb=col", "sddmm m=48 n=32 k=40 block=8 opy=t"]


def bench(*arguments: str) -> subprocess.CompletedProcess:
    command = [BENCH, "--backend", "host", "--rounds", "3", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "results.json"

    def measure(self, *arguments: str) -> dict:
        problems = [word for problem in PROBLEMS for word in ("--problem", problem)]
        run = bench(*problems, "--threads", "1", f"--benchmark_out={self.file}", *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(self.file.read_text())

    def test_every_entry_has_every_key(self):
        results = self.measure()
        self.assertEqual(len(results["benchmarks"]), 9)
        for entry in results["benchmarks"]:
            for key in KEYS:
                self.assertIn(key, entry)
            self.assertTrue(entry["kernel"])
            self.assertGreater(entry["time_us"], 0)
            self.assertLessEqual(entry["error"], entry["error_bound"])
        for key in "device", "commit", "bsblas", "backend":
            self.assertIn(key, results["context"])
        self.assertEqual(results["context"]["executable"], "bsblas_bench")

    def test_more_threads_run_against_one(self):
        run = bench("--problem", PROBLEMS[1], "--threads", "1,2", f"--benchmark_out={self.file}")
        self.assertEqual(run.returncode, 0, run.stderr)
        one, two = json.loads(self.file.read_text())["benchmarks"]
        self.assertNotIn("speedup", one)
        self.assertGreater(two["speedup"], 0)

    def test_without_peers(self):
        for entry in self.measure("--peers=off")["benchmarks"]:
            self.assertIsNone(entry["share_of_dense"])
            self.assertIsNone(entry["best_peer"])

    def test_a_peer_that_is_not_there(self):
        run = subprocess.run(
            [BENCH, "--backend", "host", "--rounds", "1", "--problem", PROBLEMS[1]],
            env={"BSBLAS_PERF_OPENBLAS": "/nowhere/libopenblas.so"}, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("peer not found: openblas", run.stderr)

    def test_a_problem_that_fails(self):
        run = bench("--problem", "spmm batch=2", f"--benchmark_out={self.file}")
        self.assertEqual(run.returncode, 1)
        self.assertTrue(json.loads(self.file.read_text())["benchmarks"][0]["error_occurred"])

    def test_the_lists_that_results_are_kept_of(self):
        for path in pathlib.Path(__file__).parent.glob("problems/*.txt"):
            run = bench("--list", str(path), "--benchmark_list_tests")
            self.assertEqual(run.returncode, 0, run.stderr)
            names = run.stdout.splitlines()
            self.assertTrue(names, path)
            self.assertEqual(len(set(names)), len(names), path)

    def test_bad_arguments(self):
        for arguments in [[], ["--list", "/nowhere"], ["--problem", "nonsense"], ["--problem", "spmm", "--unknown"]]:
            self.assertEqual(bench(*arguments).returncode, 2, arguments)

    def test_table(self):
        self.measure()
        command = [sys.executable, str(TABLE), str(self.file), "--rows", "op,opa,type", "--value", "time_us"]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(table[0], "| op | opa | type | block=8 | block=16x8 |")
        self.assertEqual(len(table[2:-2]), 5)

        document = pathlib.Path(self.folder.name) / "README.md"
        document.write_text("before\n<!-- table:host -->\nold\n<!-- /table -->\nafter\n")
        subprocess.run([*command, "--into", str(document), "--name", "host"], check=True)
        text = document.read_text()
        self.assertTrue(text.startswith("before\n<!-- table:host -->\n| op |"))
        self.assertTrue(text.endswith("<!-- /table -->\nafter\n"))
        self.assertNotIn("old", text)
        missing = subprocess.run([*command, "--into", str(document), "--name", "gpu"], capture_output=True, check=False)
        self.assertNotEqual(missing.returncode, 0)

    def test_table_of_shares_by_block_layout_and_op(self):
        self.measure()
        command = [
            sys.executable, str(TABLE), str(self.file), "--where", "op=spmm", "--where", "density_asked=0.25",
            "--rows", "type,layout_b,layout_c,opa", "--columns", "block", "--value", "time_us"]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(table[0], "| type | layout_b | layout_c | opa | block=8 | block=16x8 |")
        self.assertEqual(len(table[2:-2]), 4)

    def test_table_of_times_over_reading(self):
        self.measure()
        entry = json.loads(self.file.read_text())["benchmarks"][0]
        self.assertEqual(entry["stored_bytes"], entry["density"] * 64 * 48 * 4 + entry["density"] * 8 * 6 * 4 + 9 * 4)
        command = [sys.executable, str(TABLE), str(self.file), "--rows", "n", "--value", "over_read:0.001,3"]
        for key in "op", "block", "type", "opa":
            command += ["--where", f"{key}={entry[key]}"]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn(f"| 32 | {entry['time_us'] / (entry['stored_bytes'] * 1e-3 + 3):.3g} |", table)
        self.assertIn("time over that of reading A at 0.001 TB/s and 3 us more", table)

    def test_table_of_several_files(self):
        results = self.measure()
        entry = results["benchmarks"][0]
        entry["peers"] = {"slow": {"time_us": 3 * entry["time_us"]}}
        other = pathlib.Path(self.folder.name) / "other.json"
        other.write_text(json.dumps({"context": results["context"], "benchmarks": [entry]}))
        results["benchmarks"] = results["benchmarks"][1:]
        self.file.write_text(json.dumps(results))
        command = [sys.executable, str(TABLE), str(self.file), str(other), "--rows", "op", "--value", "over:slow"]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn("| 3 |", run.stdout)
        self.assertIn("slow's time over ours", run.stdout)
        results["context"]["commit"] = "another"
        self.file.write_text(json.dumps(results))
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("another", run.stderr)


if __name__ == "__main__":
    unittest.main()
