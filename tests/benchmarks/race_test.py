"""The tool behind ./bench: reads what programs measured, chooses settings, fits exponents, writes the documentation's tables.

  race_test.py PROJECT    PROJECT: the folder of the sources"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "benchmarks/race"), str(PROJECT / "benchmarks/rivals")]
import programs  # noqa: E402
import results  # noqa: E402
import rows  # noqa: E402
import tables  # noqa: E402


def entry(name, cpu_time, **more):
    """As Google Benchmark writes it."""
    return {"name": name, "run_name": name, "run_type": "iteration", "iterations": 10, "real_time": 2 * cpu_time,
            "cpu_time": cpu_time, "time_unit": "us", **more}


def contestant(name, seconds, error, setting="", source=0):
    return results.Contestant(name, setting, name, source, error, seconds=[seconds] * 2, rounds=[0, 1])


HYBRID = rows.rows_named(["hybrid"])[0]


class Reading(unittest.TestCase):
    def collected(self, row, *entries):
        known = {}
        results.collect(row, entries, 0, 1, known)
        return {(c.name, c.setting): c for c in known.values()}

    def test_times_errors_and_tolerances_of_google_benchmark(self):
        found = self.collected(HYBRID, entry("stickslip/5", 58.0, error_m=6.4e-6))[("stickslip", "rtol 1e-05")]
        self.assertAlmostEqual(found.seconds[0], 58e-6)
        self.assertEqual(found.error, 6.4e-6)
        self.assertTrue(found.is_ours)

    def test_time_measured_by_the_benchmark_itself(self):
        batch = rows.rows_named(["batch"])[0]
        found = self.collected(batch, entry("CVODE BDF, analytic Jacobian/24/manual_time", 1e3, worst_m=1e-5))
        self.assertAlmostEqual(found["CVODE BDF, analytic Jacobian", "rtol 1e-06"].seconds[0], 2e-3)

    def test_instruction_sets_are_contestants_of_their_own(self):
        batch = rows.rows_named(["batch"])[0]
        found = self.collected(batch, entry("in_lanes/avx2/10", 1, worst_m=1e-5), entry("in_lanes/avx512/10", 1, worst_m=1e-5))
        self.assertEqual({c.library for c in found.values()}, {"stickslip AVX2", "stickslip AVX-512"})

    def test_other_sizes_aggregates_and_failures_take_no_part(self):
        chain = rows.rows_named(["chain"])[0]
        found = self.collected(chain, entry("stickslip exact/10", 1.0, error=0.0), entry("stickslip exact/100", 9.0, error=0.0),
                               {**entry("stickslip exact/100", 1.0), "run_type": "aggregate"})
        self.assertEqual([c.seconds for c in found.values()], [[9e-6]])
        failed = self.collected(HYBRID, entry("stickslip/5", 1.0, error_occurred=True, error_message="lacks it"))
        self.assertEqual([(c.failed, c.seconds) for c in failed.values()], [("lacks it", [])])

    def test_rates(self):
        found = self.collected(rows.rows_named(["nlr-cost"])[0], entry("costs_nlr_4", 500.0, costs_per_s=2e5))
        self.assertAlmostEqual(found["stickslip", ""].seconds[0], 5e-6)

    def test_a_filter_matches_its_names_alone(self):
        pattern = programs.exactly(["Boost.odeint dopri5, bisection/7", "NLR(4) costs/1000"])
        self.assertTrue(re.match(pattern, "NLR(4) costs/1000"))
        self.assertFalse(re.match(pattern, "NLR(4) costs/10000"))

    def test_a_wrong_word_is_one_line_and_nothing_is_built(self):
        for word, complaint in (("clutch", "no row 'clutch'; there is hybrid, .*servo"),
                                ("--fast", "./bench: unrecognized arguments: --fast; ./bench --help tells more")):
            done = subprocess.run([sys.executable, "-B", PROJECT / "benchmarks/race", "--check", "hybrid", word],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, f"^stickslip: {complaint}\n$")


class Rivals(unittest.TestCase):
    def rival(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = Path(folder.name) / "rival.py"
        script.write_text(f"import sys\nsys.path.insert(0, {str(PROJECT / 'benchmarks/rivals')!r})\nimport contest\n{text}\n")
        rival = programs.Rival(folder.name, script)
        self.addCleanup(rival.close)
        return rival

    def test_answers_with_seconds_and_error(self):
        rival = self.rival('contest.serve({"Fake/a": lambda: 0.5, "Fake/b": lambda: {"J": 2.0, "times": 1000}})')
        a, b = rival.turn()
        self.assertEqual((a["name"], a["error"], b["J"]), ("Fake/a", 0.5, 2.0))
        self.assertLess(a["seconds"], 1e-3)
        known = {}
        results.collect(HYBRID, [a], 1, 0, known)
        self.assertEqual([(c.name, c.setting, c.error, c.is_ours) for c in known.values()], [("Fake", "a", 0.5, False)])

    def test_one_that_gives_up_goes_on(self):
        rival = self.rival('contest.serve({"Fake/a": lambda: 1 / 0, "Fake/b": lambda: 1.0})')
        a, b = rival.turn(["Fake/a", "Fake/b"])
        self.assertEqual(a["failed"], "ZeroDivisionError: division by zero")
        self.assertEqual(b["error"], 1.0)

    def test_one_that_is_not_installed_says_so(self):
        rival = self.rival('contest.absent("python3-fake")')
        self.assertEqual((rival.missing, rival.settings), ("python3-fake", []))

    def test_every_row_names_files_that_are_there(self):
        for row in rows.ROWS:
            self.assertTrue((PROJECT / f"benchmarks/{row.program}.cpp").is_file(), row.program)
            for script, *_ in row.scripts:
                self.assertTrue((programs.RIVALS / script).is_file(), script)
        for growth in rows.GROWTH:
            self.assertTrue((PROJECT / f"benchmarks/{growth.program}.cpp").is_file(), growth.program)
        for script in programs.RIVALS.glob("*.py"):
            compile(script.read_text(), script, "exec")

    def test_one_that_dies_is_named(self):
        with self.assertRaisesRegex(RuntimeError, "rival.py ended with 1: NameError: name 'nonsense' is not defined"):
            self.rival("nonsense")


class Choosing(unittest.TestCase):
    def test_the_fastest_setting_that_is_accurate_enough(self):
        field = [contestant("CVODE BDF", 1e-3, 1e-3), contestant("CVODE BDF", 2e-3, 1e-6), contestant("CVODE Adams", 3e-3, 1e-9)]
        self.assertEqual([c.seconds[0] for c in results.choose(field, 1e-5)], [2e-3])
        self.assertEqual([c.seconds[0] for c in results.choose(field, None)], [1e-3])

    def test_the_most_accurate_one_if_none_is(self):
        standing = results.standings([contestant("stickslip", 1e-3, 1e-6), contestant("Siconos", 1.0, 1e-2),
                                      contestant("Siconos", 5.0, 1e-3)], 1e-5)
        ours, theirs = standing["lines"]
        self.assertEqual((theirs["error"], theirs["accurate"], theirs["ratio"]), (1e-3, False, 5000))
        self.assertTrue(ours["accurate"])

    def test_ratios_are_taken_round_by_round(self):
        ours, theirs = contestant("stickslip", 1.0, 0.0), contestant("CVODE", 1.0, 0.0)
        ours.seconds, ours.rounds = [9.0, 1.0, 2.0, 4.0], [0, 1, 2, 3]
        theirs.seconds, theirs.rounds = [7.0, 10.0, 20.0, 44.0], [0, 1, 2, 3]
        self.assertEqual(results.ratio(theirs, ours), 10)
        self.assertEqual((ours.median(), ours.quartiles()), (2.0, (1.5, 3.0)))

    def test_errors_from_the_least_and_from_the_rival(self):
        ours, theirs = contestant("stickslip", 1, None), contestant("SciPy", 1, None, source=1)
        ours.figures["J"], theirs.figures["J"] = 2.0, 2.2
        results.judge(rows.rows_named(["nlr-search"])[0], [ours, theirs])
        self.assertAlmostEqual(theirs.error, 0.1)
        self.assertEqual(ours.error, 0)
        results.judge(rows.rows_named(["nlr-cost"])[0], [ours, theirs])
        self.assertAlmostEqual(ours.error, 1 - 2 / 2.2)


class Growing(unittest.TestCase):
    def test_a_power_law_is_found(self):
        p, error = results.slope([(n, 3 * n**1.5) for n in (10, 100, 1000, 10000)])
        self.assertAlmostEqual(p, 1.5)
        self.assertAlmostEqual(error, 0)

    def test_scatter_is_told(self):
        p, error = results.slope([(1, 1.0), (10, 20.0), (100, 100.0)])  # the middle lies a factor 2 too high
        self.assertAlmostEqual(p, 1.0)
        self.assertAlmostEqual(error, 0.1738, places=4)

    def test_one_size_is_refused(self):
        with self.assertRaises(ValueError):
            results.slope([(10, 1.0), (10, 2.0)])


class Writing(unittest.TestCase):
    def report(self):
        standing = results.standings([contestant("stickslip", 58e-6, 6.4e-6, "rtol 1e-05"), contestant("CVODE Adams", 6.8e-4, 5e-6),
                                      contestant("Siconos relay", 0.7, 9e-5)], 1e-5)
        row = {"key": "hybrid", "title": "stick-slip", "unit": "m", "rate": False, "notes": [], "standings": [standing]}
        growth = [{"title": "chain", "variable": "bodies", "notes": [],
                   "lines": [{"contestant": "stickslip", "exponent": 1.0, "standard_error": None, "points": [(10, 1e-3), (100, 1e-2)]}]}]
        return {"rows": [row], "growth": growth, "processor": "P", "compiler": "C", "date": "D", "rounds": 1}

    def test_figures(self):
        self.assertEqual([tables.time_text(t) for t in (5.81e-5, 1.2345e-3, 0.9996, 3e-10)],
                         ["58.1 µs", "1.23 ms", "1.00 s", "0.300 ns"])
        self.assertEqual(tables.rate_text(1 / 146123), "146 000 /s")

    def test_the_tables(self):
        text = tables.markdown(self.report())
        self.assertIn("| stick-slip | 1e-05 m | 58.0 µs, 6.4e-06 | 680 µs, 5.0e-06: **11.7** | – | – | "
                      "Siconos 700 ms, 9.0e-05 (!): **12069** |", text)
        self.assertIn("| bodies: chain | 10 | 100 | stickslip | 1.00 | 1.00 ms | 10.0 ms |", text)
        self.assertIn("misses the error", tables.row_text(self.report()["rows"][0]))
        self.assertIn("| stick-slip | 1e-05 m | 58.0 µs | CVODE 680 µs | 11.7 |", tables.summary(self.report()))

    def test_a_run_of_some_rows_is_no_table_for_the_documentation(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.json"
            path.write_text(json.dumps(self.report()))
            done = subprocess.run([sys.executable, "-B", PROJECT / "benchmarks/race", "--markdown", "--json", path],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^stickslip: the last run left out lugre, .*; run ./bench without names\n$")

    def test_the_page_has_a_line_for_every_row(self):
        block = re.search(r"<!-- generated: speed -->\n(.*?)<!-- end -->", (PROJECT / "docs/speed.md").read_text(), re.S).group(1)
        for row in rows.ROWS:
            self.assertRegex(block, rf"(?m)^\| {re.escape(row.title)} \|.* (µs|ms|s|/s)\b")
        self.assertRegex(block, r"one core, g\+\+ .*\d{4}-\d\d-\d\d")


if __name__ == "__main__":
    unittest.main()
