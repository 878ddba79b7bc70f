"""Tests on recordings from Python: the results of the commands; columns of a drive and calculated ones; what a model's recording was read with."""
import json
import os
import pathlib
import subprocess
import unittest

import numpy as np

import stickslip
from in_folder import InEmptyFolder

PROGRAM = os.environ.get("STICKSLIP_PROGRAM", "")


def servo_arrays(seed=7):
    """Time, position and force of a servo axis of 20 kg."""
    made = stickslip.generate("servo-axis", seed=seed)
    return {name: np.array(values) for name, values in made.columns.items()}


class InFolder(InEmptyFolder):
    def run_program(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout


def steady_csv(path):
    """Two levels and a viscosity at six constant speeds, both ways."""
    rng, rows, t, x = np.random.default_rng(1), [], 0.0, 0.0
    for speed in (-0.1, -0.05, -0.02, 0.02, 0.05, 0.1):
        for _ in range(400):
            rows.append((t, x, 20 * np.sign(speed) + 100 * speed + 0.1 * rng.standard_normal(), speed))
            t, x = t + 1e-3, x + speed * 1e-3
    np.savetxt(path, rows, delimiter=",", header="time [s],position [m],force [N],wanted", comments="")


@unittest.skipUnless(PROGRAM, "needs the program")
class TheResultsOfTheCommands(InFolder):
    """Each by files and, where the command divides no file, by arrays."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([PROGRAM, "virtual-bench", "bench", "--mass", "1 kg", "--resolution", "1 mm", "--coulomb", "1 N", "--stiction",
                        "1.5 N"], check=True, capture_output=True)
        steady_csv("steady.csv")

    def test_breakaway(self):
        said = self.run_program("breakaway-test", "bench/breakaway.csv", "--mass", "1 kg", "--coulomb", "1 N", "--json")
        found = stickslip.breakaway_test("bench/breakaway.csv", mass="1 kg", coulomb=1)
        self.assertEqual(found.data, json.loads(said))
        self.assertTrue(found)
        in_hand = stickslip.breakaway_test(stickslip.read("bench/breakaway.csv"), mass="1 kg", coulomb=1)
        self.assertEqual(in_hand.data, found.data)
        self.assertEqual(len(set(map(len, found.columns.values()))), 1)
        self.assertFalse(next(iter(found.columns.values())).flags.writeable)

    def test_sine(self):
        said = self.run_program("sine-test", "bench/sine.csv", "--each", "speed_wanted", "--mass", "1 kg", "--stiction", "1.5 N", "--json",
                                "-o", "theirs.toml")
        found = stickslip.sine_test("bench/sine.csv", each="speed_wanted", mass="1 kg", stiction="1.5 N")
        self.assertEqual(found.data, json.loads(said))
        found.save("ours.toml")
        theirs = pathlib.Path("theirs.toml").read_text().split("\n")
        ours = pathlib.Path("ours.toml").read_text().split("\n")
        differ = [pair for pair in zip(theirs, ours) if pair[0] != pair[1]]
        self.assertEqual(len(theirs), len(ours))
        self.assertTrue(all(a.startswith("command = ") for a, _ in differ), differ)
        self.assertEqual(found.model.model, stickslip.read_model("theirs.toml").model)

    def test_curve_has_report_figure_and_model(self):
        said = self.run_program("curve", "steady.csv", "--each", "wanted", "--whole", "--json", "--from", "0.1 s")
        found = stickslip.curve("steady.csv", each="wanted", whole=True, start="0.1 s")
        self.assertEqual(found.data, json.loads(said))
        found.save("curve.html"), found.save("curve.svg"), found.save("curve.csv"), found.save("curve.json")
        self.assertEqual(pathlib.Path("curve.json").read_text(), said)
        self.assertIn("<svg", found.figure())
        self.assertIn("stickslip.curve(", pathlib.Path("curve.html").read_text())
        self.assertEqual(found.model.model, "stribeck")
        with self.assertRaisesRegex(stickslip.Error, "its extension selects what is written"):
            found.save("curve.png")

    def test_a_plan_has_a_report_and_no_model(self):
        plan = stickslip.plan(mass=1, resolution="1 um", sampling_time="1 ms", force_limit=20)
        self.assertIsNone(plan.model)
        self.assertIn("<html", plan.report())
        with self.assertRaisesRegex(stickslip.Error, "a plan measures nothing"):
            plan.save("plan.toml")

    def test_slider(self):
        t = np.arange(0, 20, 1e-2)
        pulled = {"time": t, "force": 1 + 0.5 * (t % 1.0), "other": t}  # slow rise, sudden fall, every second
        found = stickslip.slider(pulled, speed=0.05, mass=0.03, stiffness=10, units={"time": "s", "force": "N"})
        self.assertTrue(found)
        self.assertAlmostEqual(found.data["period_s"] if "period_s" in found.data else found.data["period"], 1.0, places=2)
        none = stickslip.slider({"time": t, "force": 1 + 0 * t + 1e-3 * np.sin(t)}, speed=0.05, mass=0.03, stiffness=10)
        self.assertFalse(none)
        with self.assertRaisesRegex(stickslip.Error, "no number 'sped'"):
            stickslip.slider(pulled, speed=0.05, mass=0.03, stiffness=10, compare=[(pulled, {"sped": 1})])

    def test_contact(self):
        made = stickslip.generate("presliding", seed=3)
        made.save("contact.csv")
        said = self.run_program("contact", "contact.csv", "--elements", "2", "--json", code=None)
        self.assertEqual(stickslip.contact("contact.csv", elements=2).data, json.loads(said))
        self.assertEqual(stickslip.contact(made.recording, elements=2).data.keys(), json.loads(said).keys())


class DrivesAndCalculations(InFolder):
    def test_a_current_behind_a_screw(self):
        """F = 2 pi N k_t i / p by hand, and by the reader."""
        servo = servo_arrays()
        constant, gear, pitch = 0.05, 3.0, 0.01
        current = servo["force"] * pitch / (2 * np.pi * gear * constant)
        log = {"t [s]": servo["time"], "x [m]": servo["position"], "i [A]": current}
        by_reader = stickslip.read(log, force="i [A]", torque_constant="0.05 N m/A", gear=3, pitch="10 mm", encoder="load")
        np.testing.assert_allclose(by_reader.force, servo["force"], rtol=1e-12)
        with self.assertRaisesRegex(stickslip.Error, "--torque-constant"):
            stickslip.read(log, force="i [A]")

    def test_a_calculated_force(self):
        t = np.arange(100) * 1e-3
        log = {"t [s]": t, "x [m]": t, "p1 [bar]": 10 + t, "p2 [bar]": 5 - t}
        read = stickslip.read(log, force="p1*A1 - p2*A2", let={"A1": "12 cm^2", "A2": "8 cm^2"})
        np.testing.assert_allclose(read.force, (10 + t) * 1e5 * 12e-4 - (5 - t) * 1e5 * 8e-4, rtol=1e-12)
        with self.assertRaisesRegex(stickslip.Error, "let is of type str; a dict is needed"):
            stickslip.read(log, force="p1*A1 - p2*A2", let="A1=12 cm^2")

    def test_a_model_reads_another_recording_as_its_own(self):
        """Rows, constants and the drive, too, not the columns alone: without them this validation refuses or judges other rows."""
        servo = servo_arrays()
        log = {"t [s]": servo["time"], "x [m]": servo["position"], "i [A]": servo["force"] / 40}
        rows = np.column_stack([*log.values(), np.ones_like(servo["time"])])
        other = rows.copy()
        other[:, 2] *= -3
        other[:, 3] = 2
        np.savetxt("two.csv", np.vstack([rows, other]), delimiter=",", header="t [s],x [m],i [A],run", comments="", fmt="%.12g")
        found = stickslip.identify("two.csv", where={"run": 1}, force="i [A]", torque_constant="40 N/A", mass=20, models="lugre",
                                   output="two.model.toml")
        judged = stickslip.validate("two.model.toml", "two.csv")
        self.assertTrue(judged, judged.verdict)
        self.assertEqual(len(found.model_file().text()) > 0, True)
        if PROGRAM:
            said = json.loads(self.run_program("validate", "two.model.toml", "two.csv", "--json"))
            self.assertEqual(judged.data, said)

    def test_a_recording_in_hand_takes_no_reading(self):
        recording = stickslip.read(servo_arrays(), units={"time": "s", "position": "m", "force": "N"})
        with self.assertRaisesRegex(stickslip.Error, "has been read already"):
            stickslip.identify(recording, models="coulomb", force="other")

    def test_a_recording_has_a_report(self):
        recording = stickslip.inspect(servo_arrays(), units={"time": "s", "position": "m", "force": "N"})
        self.assertIn("<svg", recording.figure())
        recording.report("signals.html")
        self.assertIn("<html", pathlib.Path("signals.html").read_text())

    def test_the_former_word_of_invert_force(self):
        servo = servo_arrays()
        named = {"time_s": servo["time"], "position_m": servo["position"], "force_N": servo["force"]}
        one = stickslip.prepare(named, mass=20, invert_force=True)
        np.testing.assert_array_equal(one.force, stickslip.prepare(named, mass=20, turn_force=True).force)
        self.assertFalse(np.array_equal(one.force, stickslip.prepare(named, mass=20).force))


if __name__ == "__main__":
    unittest.main()
