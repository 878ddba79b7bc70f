"""Jobs of machines, lists of recordings, axes of one file, the virtual bench: the same answers as the command line."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import unittest
import warnings

import numpy as np

import stickslip

PROGRAM = os.environ.get("STICKSLIP_PROGRAM", "")

AXIS = """[machine]
kind = "position-loop"
mass = "5 kg"
position_gain = "40 1/s"
velocity_gain = "300 N s/m"
sampling_time = "2 ms"
[input]
kind = "sine"
amplitude = "20 mm"
frequency = "1.3 Hz"
[friction]
model = "coulomb-viscous"
coulomb_force = "8 N"
viscosity = "25 N s/m"
[run]
duration = "2 s"
sample_interval = "2 ms"
"""
LOG = """[recording]
file = "truth.csv"
time = "time_s"
position = "position_m"
force = "command_force_N"
"""
JOB = LOG + """[machine]
file = "axis.toml"
[[output]]
simulated = "command_force"
measured = "force"
[[free]]
path = "machine.mass"
start = "4 kg"
[[free]]
path = "friction.coulomb_force"
start = "5 N"
"""


def program(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert code is None or done.returncode == code, done.stderr
    return done


class InFolder(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        self.quiet = warnings.catch_warnings()
        self.quiet.__enter__()
        warnings.simplefilter("ignore", stickslip.DataWarning)

    def tearDown(self):
        self.quiet.__exit__(None, None, None)
        os.chdir(self.before)
        self.folder.cleanup()


class MachineJobs(InFolder):
    def setUp(self):
        super().setUp()
        pathlib.Path("axis.toml").write_text(AXIS)
        pathlib.Path("truth.csv").write_text(stickslip.simulate("axis.toml").csv())
        pathlib.Path("job.toml").write_text(JOB)

    def test_a_machine_is_found_in_its_log(self):
        told = []
        found = stickslip.identify_machine("job.toml", progress=lambda what, share: told.append((what, share)))
        self.assertAlmostEqual(found["machine.mass"].value, 5, places=3)
        self.assertAlmostEqual(found.parameters["friction.coulomb_force"].value, 8, places=3)
        self.assertEqual(found["machine.mass"].unit, "kg")
        self.assertLess(found["machine.mass"].low, found["machine.mass"].high)
        self.assertTrue(found.complete and found.recommended == "axis" and found.why)
        columns = found.columns
        self.assertEqual(len(columns["time"]), 1001)
        self.assertFalse(columns["time"].flags.owndata)
        self.assertIn("well determined", repr(found))
        self.assertIn("<svg", found._repr_html_())
        self.assertAlmostEqual(found.machine["machine.mass"], 5, places=3)
        self.assertGreater(len(found.machine.run()), 100)
        with self.assertRaisesRegex(KeyError, "did you mean 'machine.mass'"):
            found["machine.mas"]
        if told:
            self.assertTrue(all(0 <= share <= 1 for _, share in told))

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_it_says_what_the_command_says(self):
        said = program("identify", "job.toml", "--json", "--csv", "theirs.csv", "-o", "theirs.toml").stdout
        found = stickslip.identify_machine("job.toml", output="ours.toml", csv="ours.csv", report="ours.html")
        self.assertEqual(found.json(), said[:len(found.json())])
        self.assertEqual(found.data, json.loads(said))
        for ours, theirs in (("ours.toml", "theirs.toml"), ("ours.csv", "theirs.csv")):
            self.assertEqual(pathlib.Path(ours).read_bytes(), pathlib.Path(theirs).read_bytes())
        self.assertIn("<!doctype html>", pathlib.Path("ours.html").read_text()[:100].lower())
        shown = program("identify", "job.toml", "--no-files").stdout
        self.assertEqual(found.text(), shown)

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_inverse_dynamics_and_another_log(self):
        pathlib.Path("inverse.toml").write_text('method = "inverse-dynamics"\n' + LOG + "[inverse_dynamics]\nborder = 5\n")
        found = stickslip.identify_machine("inverse.toml")
        self.assertEqual(found.data, json.loads(program("identify", "inverse.toml", "--json").stdout))
        self.assertEqual(found.text(), program("identify", "inverse.toml").stdout)
        self.assertAlmostEqual(found["mass"].value, 5, delta=0.4)
        with self.assertRaisesRegex(stickslip.Error, "for fits by simulation"):
            found.report()
        with self.assertRaisesRegex(stickslip.Error, "fits no machine file"):
            found.machine_file()
        os.rename("truth.csv", "moved.csv")
        self.assertAlmostEqual(stickslip.identify_machine("job.toml", recordings="moved.csv")["machine.mass"].value, 5, places=3)

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_wrong_jobs_have_the_commands_line(self):
        pathlib.Path("bad.toml").write_text(JOB.replace("machine.mass", "machine.mas"))
        for job in ("nowhere.toml", "bad.toml", "axis.toml"):
            done = program("identify", job, "--no-files", code=2)
            with self.assertRaises(stickslip.Error) as raised:
                stickslip.identify_machine(job)
            self.assertIn(str(raised.exception), done.stderr)
            self.assertNotIn("\n", str(raised.exception))
        with self.assertRaisesRegex(stickslip.Error, "identify_machine\\(\\) takes the job file"):
            stickslip.identify("job.toml")


class Lists(InFolder):
    def setUp(self):
        super().setUp()
        for seed in (1, 2):
            stickslip.generate("servo-axis", seed=seed).save(f"axis{seed}.csv")
        pathlib.Path("bad.csv").write_text("time [s],force [N]\n0,x\n")

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_each_recording_by_itself(self):
        names = ["axis1.csv", "axis2.csv", "bad.csv"]
        said = program("identify", *names, "--each", "--mass", "20 kg", "--model", "lugre", "-o", "theirs", "--json", code=None)
        ours = stickslip.identify_each(names, "ours", mass="20 kg", models="lugre")
        theirs = json.loads(said.stdout.replace('"theirs/', '"ours/'))
        self.assertEqual(ours.data, theirs)
        self.assertEqual(len(ours), 3)
        self.assertEqual(ours.csv(), pathlib.Path("theirs/identified.csv").read_text())
        self.assertEqual(sorted(os.listdir("ours")), sorted(os.listdir("theirs")))
        self.assertIn("lugre", repr(ours))
        self.assertIn("<table", ours._repr_html_())
        command = stickslip.read_model("ours/axis1.model.toml").command
        self.assertTrue(command.startswith("stickslip.identify_each([") and "mass='20 kg'" in command, command)

    def test_wrong_lists(self):
        with self.assertRaisesRegex(stickslip.Error, "two recordings are called 'axis1'"):
            stickslip.identify_each(["axis1.csv", "./axis1.csv"], "ours")
        with self.assertRaisesRegex(stickslip.Error, "no option 'modles'; did you mean 'models'"):
            stickslip.identify_each(["axis1.csv"], "ours", modles="lugre")
        # were told once per recording, after the results of a run before were replaced
        with self.assertRaisesRegex(stickslip.Error, "did you mean 'lugre'"):
            stickslip.identify_each(["axis1.csv", "axis2.csv"], "ours", models="lugr")
        with self.assertRaisesRegex(stickslip.Error, "inertia|kg m"):
            stickslip.identify_each(["axis1.csv", "axis2.csv"], "ours", mass="20 kg m^2")
        with self.assertRaisesRegex(stickslip.Error, "no recording can be read; the first: .*bad.csv"):
            stickslip.identify_each(["bad.csv", "none.csv"], "ours")
        self.assertFalse(os.path.exists("ours"))

    def test_resuming_without_a_state_is_told(self):
        with self.assertWarnsRegex(stickslip.DataWarning, "nothing to resume: there is no 'ours/identified.state'; starting anew"):
            stickslip.identify_each(["axis1.csv"], "ours", mass="20 kg", models="coulomb-viscous", resume=True)

    def test_a_list_that_was_interrupted_goes_on(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            stickslip.identify_each(["axis1.csv", "axis2.csv"], "ours", mass="20 kg")
        timer.join()
        self.assertNotIn("identified.csv", os.listdir("ours"))
        done = stickslip.identify_each(["axis1.csv", "axis2.csv"], "ours", mass="20 kg", models="coulomb-viscous")
        self.assertEqual(len(done), 2)
        self.assertIn("identified.csv", os.listdir("ours"))

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_axes_of_one_file(self):
        one, two = stickslip.read("axis1.csv"), stickslip.read("axis2.csv")
        count = min(len(one), len(two))
        table = np.column_stack([one.time[:count], one.position[:count], one.force[:count], two.position[:count], two.force[:count]])
        np.savetxt("arm.csv", table, delimiter=",", header="time_s,q1,f1,q2,f2", comments="", fmt="%.17g")
        reading = ["--time", "time_s", "--position", "q# [m]", "--force", "f# [N]"]
        said = program("identify", "arm.csv", "--axis", "*", "--mass", "20 kg; 21 kg", "--model", "lugre", *reading, "--json",
                       "-o", "theirs.toml", code=None)
        theirs = json.loads(said.stdout)
        found = stickslip.identify_axes("arm.csv", time="time_s", position="q# [m]", force="f# [N]", mass="20 kg; 21 kg", models="lugre",
                                        output="ours.toml", command=theirs[0]["command"])
        self.assertEqual(list(found), ["1", "2"])
        for axis, other in zip(found, theirs):
            self.assertEqual(other["axis"], axis)
            self.assertEqual(found[axis].data["models"], other["models"])
            self.assertEqual(pathlib.Path(f"ours-{axis}.toml").read_bytes(), pathlib.Path(f"theirs-{axis}.toml").read_bytes())
        table[:, 3] = 0
        np.savetxt("still.csv", table, delimiter=",", header="time_s,q1,f1,q2,f2", comments="", fmt="%.17g")
        with self.assertRaisesRegex(stickslip.Error, "axis 2: .*never changes.*; files asked for of the axes before it are written"):
            stickslip.identify_axes("still.csv", time="time_s", position="q# [m]", force="f# [N]", mass=20, models="coulomb", output="s.toml")
        self.assertTrue(os.path.exists("s-1.toml"))
        only = stickslip.identify_axes("arm.csv", [2], time="time_s", position="q# [m]", force="f# [N]", mass=21, models="lugre")
        self.assertEqual(only["2"].best["coulomb_force"].value, found["2"].best["coulomb_force"].value)
        with self.assertRaisesRegex(stickslip.Error, "no axis '3'"):
            stickslip.identify_axes("arm.csv", [3], position="q#", force="f#")
        with self.assertRaisesRegex(stickslip.Error, "needs a #"):
            stickslip.identify_axes("arm.csv", position="q1", force="f1")
        with self.assertRaisesRegex(stickslip.Error, "mass has 3 parts where there are 2 axes"):
            stickslip.identify_axes("arm.csv", time="time_s", position="q# [m]", force="f# [N]", mass="1 kg; 2 kg; 3 kg")


class Bench(InFolder):
    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_the_bench_is_that_of_the_command(self):
        program("virtual-bench", "theirs", "--stiction", "1.6 N", "--rate", "500 Hz", "--speeds", "[1, 2] m/s", "--truth", "theirs.toml")
        bench = stickslip.virtual_bench(stiction="1.6 N", rate=500, speeds=[1, "2 m/s"])
        bench.save("ours")
        for name in ("breakaway.csv", "sine.csv"):
            self.assertEqual(pathlib.Path("ours", name).read_bytes(), pathlib.Path("theirs", name).read_bytes())
        self.assertEqual(bench.truth.friction.values, stickslip.read_model("theirs.toml").friction.values)
        self.assertIn("<svg", bench._repr_html_())
        self.assertIn("samples of force ramps", repr(bench))
        ramps = stickslip.breakaway_test(bench.breakaway, resolution="1 mm", mass="1 kg")
        self.assertTrue(ramps)

    def test_wrong_numbers(self):
        for options, words in [({"mass": -1}, "^mass is -1 kg"), ({"speeds": []}, "^speeds is empty"), ({"speeds": ["1 N"]}, "^speeds: "),
                               ({"rate": 1e9}, "^rate is "), ({"ramp": 1e-9}, "samples or more"), ({"frequency": 300}, "four or more")]:
            with self.assertRaisesRegex(stickslip.Error, words):
                stickslip.virtual_bench(**options)


class Options(InFolder):
    """An option that is misspelt was dropped in silence where a file was named; invert_force of curve() and contact() always was."""

    def setUp(self):
        super().setUp()
        t = np.arange(0, 12, 1e-3)
        v = np.select([t < 3, t < 6, t < 9], [0.01, 0.02, -0.05], -0.1)
        np.savez("steady.npz", time=t, position=np.cumsum(v) * 1e-3, velocity=v, force=np.sign(v) * (5 + 30 * abs(v)))
        with np.load("steady.npz") as file:
            np.savez("turned.npz", **{key: -file[key] if key == "force" else file[key] for key in file})

    def test_no_option_is_dropped(self):
        for call in (stickslip.curve, stickslip.contact, stickslip.breakaway_test, stickslip.sine_test, stickslip.film_test):
            with self.assertRaisesRegex(stickslip.Error, "^no option 'delimeter'; did you mean 'delimiter'"):
                call("steady.npz", delimeter=";")
        with self.assertRaisesRegex(stickslip.Error, "^no option 'delimeter'"):
            stickslip.slider("steady.npz", speed=1, mass=1, stiffness=1, delimeter=";")

    def test_a_force_that_drives_is_inverted(self):
        right = stickslip.curve("steady.npz")
        for source in ("turned.npz", stickslip.read("turned.npz")):
            np.testing.assert_allclose(stickslip.curve(source, invert_force=True).force, right.force)
            np.testing.assert_allclose(stickslip.curve(source, turn_force=True).force, right.force)
        self.assertTrue(np.all(right.force[right.speed > 0] > 0))

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_a_lag_that_is_fitted(self):
        """The preparation is told of it, as by the command."""
        stickslip.generate("servo-axis", seed=3).save("axis.csv")
        said = program("identify", "axis.csv", "--model", "coulomb-viscous", "--fit-lag", "--mass", "20 kg", "--json", "--no-files", code=None).stdout
        found = stickslip.identify("axis.csv", models="coulomb-viscous", fit_lag=True, mass="20 kg", command=json.loads(said)["command"])
        self.assertEqual(found.json(), said)

    def test_too_many_samples_are_refused_before_they_are_prepared(self):
        t = np.arange(6_000_000) * 1e-4
        recording = stickslip.read({"time": t, "position": np.sin(t), "force": np.sign(np.cos(t))}, name="long.csv")
        import resource
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with self.assertRaisesRegex(stickslip.Error, "^long.csv: 6000000 samples; at most 5000000 are fitted without --long: take a lower"):
            stickslip.identify(recording, models="coulomb-viscous", mass=0)
        taken = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        self.assertLess(taken, 1.5 * 3 * 8 * len(t))  # one copy of its columns, no more


if __name__ == "__main__":
    unittest.main()
