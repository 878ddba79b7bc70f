"""DataFrames as recordings, and results as DataFrames. Skipped where pandas is not installed."""
import os
import tempfile
import unittest
import warnings

import numpy as np

import stickslip

try:
    import pandas
except ImportError:
    pandas = None


@unittest.skipIf(pandas is None, "pandas is not installed")
class Pandas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.folder.name, "axis.csv")
        stickslip.generate("servo-axis", seed=3).save(cls.file)
        cls.recording = stickslip.read(cls.file)
        cls.frame = pandas.read_csv(cls.file, comment="#", float_precision="round_trip")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def expect_same(self, frame, **reading):
        """The recording of the file, with its times to the nanosecond."""
        found = stickslip.read(frame, **reading)
        np.testing.assert_array_equal(found.force, self.recording.force)
        np.testing.assert_array_equal(found.position, self.recording.position)
        np.testing.assert_allclose(found.time, self.recording.time, rtol=0, atol=1e-9)
        return found

    def test_units_come_from_the_headings(self):
        found = self.expect_same(self.frame)
        np.testing.assert_array_equal(found.time, self.recording.time)
        self.assertEqual(found.units, {"time": "s", "position": "m", "force": "N"})
        scaled = self.frame.rename(columns={"position_m": "x [mm]", "force_N": "F [kN]"})
        scaled["x [mm]"] *= 1e3
        scaled["F [kN]"] *= 1e-3
        read = stickslip.read(scaled)
        np.testing.assert_allclose(read.position, self.recording.position, rtol=1e-14)
        np.testing.assert_allclose(read.force, self.recording.force, rtol=1e-14)
        levels = self.frame.copy()
        levels.columns = pandas.MultiIndex.from_tuples([("time", "s"), ("position", "m"), ("force", "N")])
        self.expect_same(levels)

    def test_the_index_is_a_column_where_it_says_something(self):
        self.expect_same(self.frame.set_index("time_s"))
        self.expect_same(self.frame.set_axis(self.frame.index + 5))  # row numbers that begin elsewhere say nothing

    def test_instants_and_durations_are_seconds(self):
        since = pandas.to_timedelta(self.frame["time_s"], unit="s")
        instants = pandas.Timestamp("2024-02-29 12:00") + since
        bare = self.frame.drop(columns="time_s")
        for times in (since, instants):
            self.expect_same(bare.assign(time=times))
            self.expect_same(bare.set_axis(pandas.Index(times, name=None).rename(None)))
            for heading in ("time_s", "time [ms]", "time_us"):
                self.expect_same(bare.assign(**{heading: times}))
            self.expect_same({"time": times.to_numpy(), "position_m": bare["position_m"], "force_N": bare["force_N"]})
        with self.assertRaisesRegex(stickslip.Error, "'time' holds instants, which have no unit; 'ms' was stated"):
            stickslip.read(bare.assign(time=instants), units={"time": "ms"})

    def test_missing_values(self):
        for frame in (self.frame.copy(), self.frame.convert_dtypes()):
            frame.iloc[5, 2] = pandas.NA
            with self.assertRaisesRegex(stickslip.Error, "recording:6:3: force is nan"):
                stickslip.read(frame)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", stickslip.DataWarning)
                self.assertEqual(len(stickslip.read(frame, missing="drop")), len(self.recording) - 1)

    def test_instants_of_a_time_zone_over_the_change_of_its_clocks(self):
        since = pandas.to_timedelta(self.frame["time_s"] - self.frame["time_s"].iloc[0], unit="s")
        instants = pandas.Timestamp("2026-10-25 00:59:55", tz="UTC").tz_convert("Europe/Berlin") + since
        for frame in (self.frame.assign(time=instants).drop(columns="time_s"), self.frame.drop(columns="time_s").set_index(pandas.DatetimeIndex(instants))):
            read = stickslip.read(frame)
            np.testing.assert_allclose(read.time, self.recording.time, atol=1e-8)

    def test_no_rows(self):
        for empty in (self.frame.iloc[:0], self.frame.set_index(pandas.to_datetime(self.frame["time_s"], unit="s")).drop(columns="time_s").iloc[:0]):
            with self.assertRaisesRegex(stickslip.Error, "no sample in the arrays"):
                stickslip.read(empty)
        nothing = self.frame.assign(time_s=pandas.NaT)
        with self.assertRaisesRegex(stickslip.Error, "nan|no number"):
            stickslip.read(nothing)

    def test_columns_of_words_are_left_out_and_told(self):
        for words in ("a", pandas.Categorical(["up"] * len(self.frame))):
            with self.assertWarnsRegex(stickslip.DataWarning, "column 'note' holds '(a|up)' in row 1, which is no number; it was left out"):
                self.expect_same(self.frame.assign(note=words))
        one = self.frame.astype({"force_N": object})
        one.loc[4, "force_N"] = "oops"
        with self.assertWarnsRegex(stickslip.DataWarning, "column 'force_N' holds 'oops' in row 5, which is no number; it was left out"):
            with self.assertRaisesRegex(stickslip.Error, "no column 'force'"):
                stickslip.read(one)
        twice = pandas.concat([self.frame, self.frame[["force_N"]]], axis=1)
        with self.assertRaisesRegex(stickslip.Error, "two columns are called 'force_N'"):
            stickslip.read(twice)

    def test_identified_alike_and_back(self):
        options = {"mass": 20, "models": "coulomb-viscous"}
        found = stickslip.identify(self.frame, **options)
        self.assertEqual(found.best["coulomb_force"].value,
                         stickslip.identify(self.file, **options).best["coulomb_force"].value)
        table = stickslip.to_pandas(found)
        self.assertEqual(table.loc["coulomb_force", "value"], found.best["coulomb_force"].value)
        self.assertEqual(list(stickslip.to_pandas(self.recording).columns), ["time", "position", "force"])
        self.expect_same(stickslip.to_pandas(self.recording), units={"time": "s", "position": "m", "force": "N"})


if __name__ == "__main__":
    unittest.main()
