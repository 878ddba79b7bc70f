"""import stickslip: the same answers as the command line, arrays without a copy, errors in one line, Ctrl-C, stepping."""
import ctypes
import gc
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import stickslip
from in_folder import EXAMPLES, PROGRAM, QUICK, ROOT, InFolder


def resident():
    """Memory of this process [bytes]."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def give_back():
    """What was freed goes back to the system."""
    ctypes.CDLL(None).malloc_trim(0)


def arrays_of(path):
    """The columns of a generated CSV as NumPy reads them."""
    with open(path) as file:
        lines = [line for line in file if not line.startswith("#")]
    names = lines[0].strip().split(",")
    return dict(zip(names, np.loadtxt(lines[1:], delimiter=",", unpack=True)))


@unittest.skipUnless(PROGRAM, "needs the program")
class SameAsTheCommandLine(InFolder):
    def run_program(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        if code is not None:  # None: a verdict, whatever it is
            self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_identify_a_file(self):
        said = self.run_program("identify", "axis.csv", "--mass", "20 kg", "--model", QUICK[0], "--model", QUICK[1], "--json",
                                "-o", "axis.model.toml")
        theirs = pathlib.Path("axis.model.toml").read_bytes()
        command = json.loads(said)["command"]
        found = stickslip.identify("axis.csv", mass="20 kg", models=QUICK, output="axis.model.toml", command=command)
        self.assertEqual(found.json(), said)
        self.assertEqual(pathlib.Path("axis.model.toml").read_bytes(), theirs)
        self.assertEqual(found.model_file().text().encode(), theirs)

    def test_the_error_of_a_model_is_that_of_the_test_samples(self):
        found = stickslip.identify("axis.csv", mass="20 kg", models=QUICK)
        self.assertEqual(found.data["judged_on"], "test")
        self.assertEqual(found.unexplained, found.best.test.noe)
        self.assertEqual(found.unexplained, found.best.unexplained)
        self.assertEqual(found.unexplained, found.data["unexplained_percent"])
        self.assertEqual(found.unexplained_in_motion, found.data["unexplained_in_motion_percent"])
        self.assertNotEqual(found.unexplained, found.unexplained_in_motion)

    def test_identify_without_a_stated_mass(self):
        """It is looked for in the recording, as the program does; here it is not plain enough to be taken."""
        said = self.run_program("identify", "axis.csv", "--model", "coulomb-viscous", "--json", "--no-files", code=None)
        command = json.loads(said)["command"]
        self.assertEqual(stickslip.identify("axis.csv", models="coulomb-viscous", command=command).json(), said)
        asked = json.loads(stickslip.identify("axis.csv", models="lugre", mass="find").json())
        mass = [e for e in asked["models"][0]["estimates"] if e["key"] == "mass"]
        self.assertTrue(mass and mass[0]["low"] < 20 < mass[0]["high"])

    def test_identify_with_a_mass_that_is_known_roughly(self):
        said = self.run_program("identify", "axis.csv", "--mass", "21 +- 1 kg", "--model", "coulomb-viscous", "--json", "--no-files",
                                code=None)
        command = json.loads(said)["command"]
        found = stickslip.identify("axis.csv", models="coulomb-viscous", mass="21 +- 1 kg", command=command)
        self.assertEqual(found.json(), said)
        self.assertIn("mass", [e["key"] for e in json.loads(said)["models"][0]["estimates"]])

    def test_identify_together(self):
        stickslip.generate("servo-axis", seed=8).save("other.csv")
        said = self.run_program("identify", "axis.csv", "other.csv", "--mass", "20 kg", "--model", "coulomb-viscous", "--together",
                                "--json", "--no-files", code=None)
        found = stickslip.identify(["axis.csv", "other.csv"], mass=20, models="coulomb-viscous", together=True,
                                   command=json.loads(said)["command"])
        self.assertEqual(found.json(), said)
        self.assertEqual(found.together, json.loads(said)["together"])
        with self.assertRaisesRegex(stickslip.Error, "together compares recordings"):
            stickslip.identify("axis.csv", together=True)
        with self.assertRaisesRegex(stickslip.Error, "quick and models"):
            stickslip.identify("axis.csv", quick=True, models="lugre")

    def test_identify_with_a_mass_known_roughly(self):
        said = self.run_program("identify", "axis.csv", "--mass", "19 +- 1 kg", "--model", "coulomb-viscous", "--json", "--no-files",
                                code=None)
        for mass in ("19 +- 1 kg", "19 kg +/- 1 kg", "19 \u00b1 1 kg"):
            found = stickslip.identify("axis.csv", mass=mass, models="coulomb-viscous", command=json.loads(said)["command"])
            self.assertEqual(found.json(), said)
        exact = stickslip.identify("axis.csv", mass="19 kg", models="coulomb-viscous", command=json.loads(said)["command"])
        self.assertNotEqual(exact.json(), said)
        for wrong in ("19 +- 1 s", "19 +- kg", "-3 +- 1 kg"):
            with self.assertRaisesRegex(stickslip.Error, "^mass"):
                stickslip.identify("axis.csv", mass=wrong)

    def test_identify_with_an_offset_for_each_recording(self):
        stickslip.generate("servo-axis", seed=8, offset="5 N").save("other.csv")
        said = self.run_program("identify", "axis.csv", "other.csv", "--mass", "20 kg", "--model", "lugre", "--private", "coulomb_force,offset",
                                "--json", "--no-files", code=None)
        found = stickslip.identify(["axis.csv", "other.csv"], mass=20, models="lugre", private=["coulomb_force", "offset"],
                                   command=json.loads(said)["command"])
        self.assertEqual(found.json(), said)
        first, second = json.loads(said)["private"]["recordings"]
        levels, offsets = ([{p["key"]: p["value"] for p in one["parameters"]}[key] for one in (first, second)]
                           for key in ("coulomb_force", "offset"))
        self.assertAlmostEqual(offsets[1] - offsets[0], 5, delta=0.3)
        for level in levels:
            self.assertAlmostEqual(level, 20, delta=1)
        with self.assertRaisesRegex(stickslip.Error, "private is for several recordings"):
            stickslip.identify("axis.csv", private="offset")
        with self.assertRaisesRegex(stickslip.Error, "private: no parameter 'vicosity'; did you mean 'viscosity'"):
            stickslip.identify(["axis.csv", "other.csv"], private="vicosity")

    def test_identify_again_after_its_model_was_read(self):
        """A cell of a notebook is run twice; a recording is never replaced."""
        for _ in range(2):
            stickslip.identify("axis.csv", mass="20 kg", models=QUICK, output="again.toml")
            stickslip.read_model("again.toml")
        with self.assertRaisesRegex(stickslip.Error, "would replace 'axis.csv'"):
            stickslip.identify("axis.csv", mass="20 kg", models=QUICK, output="axis.csv")

    def test_identify_arrays(self):
        """All bytes but the fingerprint, which is that of the arrays: they never were that file."""
        self.run_program("identify", "axis.csv", "--mass", "20 kg", "--model", QUICK[0], "--model", QUICK[1], "-o", "theirs.toml")
        theirs = pathlib.Path("theirs.toml").read_text()
        command = stickslip.read_model("theirs.toml").command
        recording = stickslip.read(arrays_of("axis.csv"), name="axis.csv")
        found = stickslip.identify(recording, mass=20, models=QUICK, command=command)
        fingerprint = re.compile(r"crc32 \w{8}, \d+ bytes")
        self.assertEqual(fingerprint.sub("", found.model_file().text()), fingerprint.sub("", theirs))
        self.assertNotEqual(found.model_file().text(), theirs)

    def test_inspect_plan_simulate_validate(self):
        self.assertEqual(stickslip.inspect("axis.csv").text(), self.run_program("inspect", "axis.csv"))
        scenario = str(EXAMPLES / "stick_slip.toml")
        self.run_program("simulate", scenario, "-o", "theirs")
        run = stickslip.simulate(scenario)
        self.assertEqual(run.csv(), pathlib.Path("theirs.csv").read_text())
        self.assertEqual(run.figure(), pathlib.Path("theirs.svg").read_text())
        self.assertEqual(run.data, json.loads(pathlib.Path("theirs.ledger.json").read_text()))
        arguments = ["--mass", "1 kg", "--resolution", "1 mm", "--sampling-time", "1 ms", "--force-limit", "20 N"]
        plan = stickslip.plan(mass=1, resolution="1 mm", sampling_time=1e-3, force_limit="20 N")
        self.assertEqual(plan.text(), self.run_program("plan", *arguments))
        self.assertEqual(plan.data, json.loads(self.run_program("plan", *arguments, "--json")))
        stickslip.identify("axis.csv", mass=20, models="lugre", output="v.toml")
        said = json.loads(self.run_program("validate", "v.toml", "axis.csv", "--json"))
        validated = stickslip.validate("v.toml", "axis.csv")
        self.assertEqual(validated.data, said)
        self.assertIn("<svg", validated._repr_html_())
        self.assertIn("<td style=\"text-align:left\">coulomb_force</td>", stickslip.read_model("v.toml")._repr_html_())

    def test_curve(self):
        t = np.arange(0, 12, 1e-3)
        v = np.select([t < 3, t < 6, t < 9], [0.01, 0.02, 0.05], 0.1)
        np.savez("steady.npz", time=t, position=np.cumsum(v) * 1e-3, velocity=v, force=5 + 30 * v + 0.01 * np.sin(1e3 * t))
        said = json.loads(self.run_program("curve", "steady.npz", "--json"))
        self.assertEqual(stickslip.curve("steady.npz").data, said)
        self.assertEqual(stickslip.curve(stickslip.read("steady.npz")).data["forward"], said["forward"])

    def test_sweep_file(self):
        sweep = str(EXAMPLES / "sweeps" / "uncertain_levels.toml")
        text = pathlib.Path(sweep).read_text()
        pathlib.Path("small.toml").write_text(
            re.sub(r"runs = \d+", "runs = 40", text).replace('"../', f'"{EXAMPLES}/'))
        self.run_program("sweep", "small.toml", "-o", "theirs")
        self.assertEqual(stickslip.sweep("small.toml").csv(), pathlib.Path("theirs.csv").read_text())

    def test_the_same_one_line(self):
        for arguments, call in [
            (["simulate", "nowhere.toml"], lambda: stickslip.simulate("nowhere.toml")),
            (["inspect", "nowhere.csv"], lambda: stickslip.inspect("nowhere.csv")),
            (["identify", "axis.csv", "--model", "lugr"], lambda: stickslip.identify("axis.csv", models="lugr")),
            (["check", "lugr"], lambda: stickslip.check("lugr")),
        ]:
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
            with self.assertRaises(stickslip.Error) as raised:
                call()
            self.assertEqual(done.returncode, 2)
            self.assertIn(str(raised.exception), done.stderr)
            self.assertNotIn("\n", str(raised.exception))


class Recordings(InFolder):
    def test_a_million_samples_cross_without_a_copy(self):
        count = 1_000_000
        t = np.arange(count) * 1e-4
        x = np.sin(t)
        f = np.sign(np.cos(t)) + 0.1 * np.cos(t)
        recording = stickslip.read({"time": t, "position": x, "force": f}, name="million")
        before = resident()
        views = [(recording.time, recording.position, recording.force) for _ in range(20)]
        self.assertLess(resident() - before, 4e6)  # 20 times three columns would be 480 MB
        self.assertFalse(views[0][0].flags.owndata)
        self.assertFalse(views[0][0].flags.writeable)
        self.assertEqual(views[0][1].__array_interface__["data"], views[7][1].__array_interface__["data"])
        np.testing.assert_array_equal(views[0][2], f)

    def test_reading_takes_one_copy_which_is_the_recording(self):
        count = 1_000_000
        columns = {name: np.linspace(0, 1 + i, count) for i, name in enumerate(["time", "position", "force"])}
        stickslip.read({name: values[:1000] for name, values in columns.items()})
        gc.collect()
        before = resident()
        recording = stickslip.read(columns)
        give_back()
        taken = resident() - before
        print(f"\n3 columns of 1e6 samples: {taken / 1e6:.1f} MB for 24 MB of numbers", file=sys.stderr)
        self.assertLess(taken, 1.25 * 3 * 8 * count)
        self.assertEqual(len(recording), count)

    def test_arrays_outlive_their_recording(self):
        position = stickslip.read("axis.csv").position
        gc.collect()
        again = stickslip.read("axis.csv").position
        np.testing.assert_array_equal(position, again)

    def test_bytes_arrays_and_units(self):
        from_file = stickslip.read("axis.csv")
        from_bytes = stickslip.read(pathlib.Path("axis.csv").read_bytes(), name="axis.csv")
        np.testing.assert_array_equal(from_file.force, from_bytes.force)
        self.assertEqual(from_file.fingerprint, from_bytes.fingerprint)
        recording = stickslip.read({"t [ms]": [0, 1, 2, 3.0], "x": [0, 1, 2, 3.0], "F": [1, 2, 3, 4.0]},
                                   time="t", position="x", force="F", units={"x": "mm", "F": "kN"})
        np.testing.assert_allclose(recording.time, [0, 1e-3, 2e-3, 3e-3])
        np.testing.assert_allclose(recording.position, [0, 1e-3, 2e-3, 3e-3])
        np.testing.assert_allclose(recording.force, [1e3, 2e3, 3e3, 4e3])
        self.assertEqual(recording.units["force"], "N")

    def test_wrong_arrays(self):
        for wrong, words in [
            ({"time": [0, 1.0], "force": [1.0]}, "all need the same number"),
            ({"time": [0, 1.0, 2], "force": [1.0, math.nan, 1]}, "nan"),
            ({"time": [[0, 1.0]], "force": [[1.0, 2]]}, "one is needed"),
            ({"time": [0, 1.0], "force": ["a", "b"]}, "'force' holds something that is no number"),
            ({"time": [0, 1.0], "force": [[1, 2], [3]]}, "'force' holds something that is no number"),
            ({"time": [0, 1.0], "force": [1 + 2j, 3]}, "'force' holds complex numbers; real ones are needed"),
            ({"time": [0, 1.0, 2], "force": np.ma.masked_array([1.0, 5, 2], [False, True, False])}, "^recording:2:2: force is nan"),
            ({"time": [], "force": []}, "^recording: no sample in the arrays; a recording needs more$"),
            ({"time": [0], "force": [1]}, "^recording: one sample in the arrays; a recording needs more$"),
        ]:
            with self.assertRaisesRegex(stickslip.Error, words) as caught:
                stickslip.read(wrong)
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(TypeError):
            stickslip.read(7)
        with self.assertRaisesRegex(stickslip.Error, "^recording: units: no column 'F'; there is time, force$"):
            stickslip.read({"time": [0, 1.0], "force": [1, 2]}, units={"F": "kN"})  # it was ignored
        for file in ("axis.csv", b"time_s,force_N\n0,1\n1,2\n"):
            with self.assertRaisesRegex(stickslip.Error, "a file's are stated with the heading: force='F \\[kN\\]'$"):
                stickslip.read(file, units={"force_N": "kN"})

    def test_wrong_options_are_named(self):
        # A list as a mass ended the interpreter: the request was freed twice.
        for option in ("mass", "lag", "cutoff_hz", "start"):
            for wrong, kind in (([1, 2], "list"), ({}, "dict"), (np.ones(2), "ndarray"), (1j, "complex")):
                with self.assertRaisesRegex(stickslip.Error, f"^{option} is of type {kind}; a number, or a text with its unit, is needed$"):
                    stickslip.identify("axis.csv", **{option: wrong})
        with self.assertRaisesRegex(stickslip.Error, "^models is of type int; a text or a list of texts is needed$"):
            stickslip.identify("axis.csv", mass=20, models=3)
        with self.assertRaisesRegex(stickslip.Error, "^viscosity is of type list"):
            stickslip.identify("axis.csv", mass=20, models="lugre", fix={"viscosity": [1]})

    def test_priors_and_robust_loss(self):
        prior = {"viscosity": "150 +- 1 N s/m", "offset": (0, 0.1)}
        found = stickslip.identify("axis.csv", mass=20, models="stribeck", prior=prior, loss="robust")
        known = {e["key"]: e.get("prior") for e in found.data["models"][0]["estimates"]}
        self.assertEqual(known["viscosity"], {"value": 150, "standard_deviation": 1})
        self.assertEqual(known["offset"], {"value": 0, "standard_deviation": 0.1})
        self.assertIsNone(known["coulomb_force"])
        self.assertAlmostEqual(found["stribeck"]["viscosity"].value, 150, delta=3)
        self.assertEqual(found.data["loss"], "robust")
        for wrong, words in [
            ({"viscosity": 3}, "^prior: viscosity needs value and standard deviation"),
            ({"viscosity": ("3 N s/m", 1)}, "^prior: viscosity with units is one text"),
            ({"viscosity": (3, 0)}, "a standard deviation above zero is needed"),
            ({"viscosty": (3, 1)}, "did you mean 'viscosity'"),
        ]:
            with self.assertRaisesRegex(stickslip.Error, words):
                stickslip.identify("axis.csv", mass=20, models="stribeck", prior=wrong)
        with self.assertRaisesRegex(stickslip.Error, "^loss: no loss 'huber'"):
            stickslip.identify("axis.csv", mass=20, models="stribeck", loss="huber")

    def test_what_is_noticed_is_a_warning(self):
        t = np.arange(0, 1, 1e-3)
        with self.assertWarns(stickslip.DataWarning):
            stickslip.read({"time": t, "position": np.sin(t), "force": np.ones_like(t)})

    def test_prepare(self):
        made = stickslip.prepare("axis.csv", mass="20 kg")
        self.assertEqual(len(made.velocity), len(made))
        self.assertTrue(any("20 kg" in step for step in made.steps), made.steps)
        with self.assertRaisesRegex(stickslip.Error, "^mass is -1 kg"):
            stickslip.prepare("axis.csv", mass=-1)
        with self.assertRaisesRegex(stickslip.Error, "^mass: "):
            stickslip.prepare("axis.csv", mass="20 s")


class Identifying(InFolder):
    def test_parameters_have_value_interval_verdict_and_unit(self):
        found = stickslip.identify("axis.csv", mass=20, models=["lugre", "coulomb-viscous"])
        coulomb = found["lugre"]["coulomb_force"]
        self.assertEqual(coulomb.unit, "N")
        self.assertLess(coulomb.interval[0], coulomb.value)
        self.assertGreater(coulomb.interval[1], coulomb.value)
        self.assertEqual(coulomb.verdict, "well determined")
        self.assertEqual(float(coulomb), coulomb.value)
        self.assertIn("Recommended", repr(found))
        self.assertIn("<svg", found._repr_html_())
        self.assertIn("<!doctype html>", found.report()[:100].lower())
        self.assertEqual(found.best.friction.values["coulomb_force"], found.best["coulomb_force"].value)
        self.assertEqual(found.best.covariance.shape, (len(found.best.estimated),) * 2)
        with self.assertRaisesRegex(KeyError, "coulomb_force"):
            found.best["coulomb_forc"]
        residuals = found.residuals()
        np.testing.assert_allclose(residuals["measured"] - residuals["predicted"], residuals["residual"], atol=1e-9)

    def test_several_recordings_together(self):
        stickslip.generate("servo-axis", seed=8, duration="5 s").save("second.csv")
        found = stickslip.identify(["axis.csv", stickslip.read(arrays_of("second.csv"), name="second")], mass=20,
                                   models="coulomb-viscous")
        self.assertEqual(len(found.pieces), 2)
        self.assertEqual(len(found.pieces[1]), len(stickslip.read("second.csv")))

    def test_progress_is_told_and_its_exception_arrives(self):
        heard = []
        stickslip.identify("axis.csv", mass=20, models=["lugre", "dahl"], progress=lambda what, share: heard.append((what, share)))
        self.assertTrue(heard)
        self.assertTrue(all(0 <= share <= 1 for _, share in heard))

        def refuse(what, share):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            stickslip.identify("axis.csv", mass=20, models=["lugre", "elastoplastic", "dahl"], progress=refuse)

    def test_an_interrupted_identification_goes_on(self):
        models = ["coulomb-viscous", "lugre", "elastoplastic", "dahl"]
        whole = stickslip.identify("axis.csv", mass=20, models=models, command="c").model_file().text()

        def interrupt(what, share):
            if os.path.exists("again.toml.state"):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            stickslip.identify("axis.csv", mass=20, models=models, output="again.toml", command="c", threads=1, progress=interrupt)
        self.assertTrue(os.path.exists("again.toml.state"))
        self.assertFalse(os.path.exists("again.toml"))
        again = stickslip.identify("axis.csv", mass=20, models=models, output="again.toml", resume=True, command="c")
        self.assertEqual(again.model_file().text(), whole)
        self.assertFalse(os.path.exists("again.toml.state"))

    def test_control_c_ends_it(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            stickslip.identify("axis.csv", mass=20)  # all models: many seconds
        self.assertLess(time.monotonic() - begin, 15)

    def test_other_threads_run_on(self):
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.005):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.monotonic()
        stickslip.identify("axis.csv", mass=20, models=["lugre", "elastoplastic"], threads=1)
        seconds = time.monotonic() - begin
        stop.set()
        thread.join()
        self.assertGreater(len(ticks), 10 * seconds)  # 200 a second if nobody else runs

    def test_model_files_there_and_back(self):
        found = stickslip.identify("axis.csv", mass=20, models="lugre", output="s.toml")
        model = stickslip.read_model("s.toml")
        self.assertEqual(model.text(), found.model_file().text())
        self.assertEqual(model.parameters["coulomb_force"].interval, found.best["coulomb_force"].interval)
        self.assertEqual(stickslip.parse_model(model.text()).text(), model.text())
        self.assertTrue(stickslip.validate(model, "axis.csv"))

    def test_likelihood_and_its_gradient(self):
        """The gradient against differences; at the least-squares solution that is inside its bounds it vanishes."""
        found = stickslip.identify("axis.csv", mass=20, models=["lugre", "coulomb-viscous", "stribeck"])
        for label in ("lugre", "coulomb-viscous", "stribeck"):
            likelihood = found[label].likelihood()
            self.assertIn("coulomb_force", likelihood.keys)
            at = np.clip(likelihood.fitted * 1.003, likelihood.low, likelihood.high)
            at = np.where(at >= likelihood.high, 0.999 * at, at)  # so that differences stay inside
            fitted = dict(zip(likelihood.keys, likelihood.fitted))
            if fitted.get("stiction_force", np.inf) <= fitted["coulomb_force"]:  # the edge F_S = F_C has no slopes: look inside
                at[likelihood.keys.index("stiction_force")] = 1.3 * fitted["coulomb_force"]
                at[likelihood.keys.index("stribeck_velocity")] = 8e-3
            value, gradient = likelihood.value_and_gradient(at)
            self.assertEqual(value, likelihood.log_likelihood(at))
            self.assertEqual(value, likelihood(at))
            self.assertLess(value, likelihood(likelihood.fitted))
            for i, key in enumerate(likelihood.keys):
                if at[i] == likelihood.low[i]:
                    continue  # a difference would leave the bounds
                step = np.zeros_like(at)
                step[i] = 1e-5 * abs(at[i])
                difference = (likelihood(at + step) - likelihood(at - step)) / (2 * step[i])
                self.assertAlmostEqual(gradient[i] * at[i], difference * at[i], delta=2e-3 * max(1, abs(difference * at[i])),
                                       msg=f"{label} {key}")
            errors = np.sqrt(np.diag(found[label].covariance))
            self.assertEqual(found[label].estimated, likelihood.keys)
            if label == "coulomb-viscous":  # linear: the slope at the optimum is nothing
                self.assertLess(np.max(np.abs(likelihood.gradient(likelihood.fitted) * errors)), 0.05)
        low = likelihood.fitted.copy()
        low[0] = likelihood.low[0] - 1
        self.assertEqual(likelihood(low), -math.inf)
        self.assertTrue(np.isnan(likelihood.gradient(low)).all())
        with self.assertRaisesRegex(stickslip.Error, "parameters was given 1"):
            likelihood([1.0])


class ThePackage(unittest.TestCase):
    def run_python(self, code, **environment):
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, env={**os.environ, **environment})

    def test_import_is_quick(self):
        code = ("import time; w, t = time.perf_counter(), time.process_time(); import stickslip; "
                "print(time.process_time() - t, time.perf_counter() - w)")
        spent, waited = zip(*(map(float, self.run_python(code).stdout.split()) for _ in range(5)))
        print(f"\nimport stickslip: {1e3 * min(spent):.1f} ms of the processor, {1e3 * min(waited):.1f} ms in all", file=sys.stderr)
        self.assertLess(min(spent), 0.05)  # the processor's time: others may run beside the test

    def test_signatures_are_those_of_the_tables(self):
        import inspect
        for info in stickslip._core.model_infos():
            made = inspect.signature(getattr(stickslip.models, info.name.replace("-", "_")))
            self.assertEqual(list(made.parameters), [p.key for p in info.parameters] + ["backward"])
            self.assertEqual([k for k, p in made.parameters.items() if p.default is inspect.Parameter.empty],
                             [p.key for p in info.parameters if p.required])

    def test_another_interpreter_is_told_so(self):
        """A compiled part that this Python cannot load: its message names the file, this interpreter and the fix."""
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "stickslip")
            package.mkdir()
            for name in ("__init__.py", "models.py"):
                (package / name).write_text(pathlib.Path(stickslip.__file__).with_name(name).read_text())
            done = self.run_python("import stickslip", PYTHONPATH=folder)
            self.assertIn("./stickslip python", done.stderr)
            (package / "_core.cpython-27-x86_64-linux-gnu.so").touch()
            done = self.run_python("import stickslip", PYTHONPATH=folder)
            self.assertIn("was built as _core.cpython-27", done.stderr)
            self.assertIn("/usr/bin/python3", done.stderr)

    def test_an_interpreter_without_numpy_is_told_so(self):
        """The compiled part loads in any Python of the same version; without NumPy it would end in the middle of a call."""
        done = self.run_python("import sys; sys.modules['numpy'] = None; import stickslip")
        self.assertIn("needs NumPy", done.stderr)
        self.assertIn("/usr/bin/python3", done.stderr)

    def test_stubs_are_what_the_module_says(self):
        script = ROOT / "scripts" / "python-stubs"
        if not script.exists():
            self.skipTest("not in the source tree")
        done = subprocess.run([sys.executable, "-B", str(script), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_types_are_sound(self):
        mypy = pathlib.Path("/usr/bin/mypy")
        if not mypy.exists() or not (ROOT / "python" / "stickslip").exists():
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([mypy, "--cache-dir", cache, "--ignore-missing-imports", "--follow-imports=silent", "stickslip"],
                                  cwd=ROOT / "python", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
