"""What a hostile or hurried user gives to Python: one line that names it, no number taken in silence, no crash, no poisoned object."""
import os
import tempfile
import threading
import unittest

import numpy as np

import stickslip
from in_folder import Quiet

PULLED = {
    "machine": {"kind": "pulled-spring", "mass": 1.0, "stiffness": "2 N/m"},
    "input": {"kind": "ramp", "rate": 0.1},
    "friction": {"model": "stribeck", "coulomb_force": 1, "stiction_force": 1.5, "stribeck_velocity": 1e-3, "viscosity": 0.4},
    "run": {"duration": 30, "sample_interval": 0.01},
}
STRIBECK = dict(coulomb_force=1, stiction_force=1.5, stribeck_velocity=0.01, stiffness=2)


def log(samples=2000):
    t = np.arange(samples) * 1e-3
    return {"time_s": t, "position_m": np.sin(20 * t), "force_N": np.sign(np.cos(20 * t)) + 0.01 * np.sin(1e4 * t**2)}


class Refuses(Quiet):
    def refused(self, words, act, *arguments, **options):
        with self.assertRaisesRegex(stickslip.Error, words) as caught:
            act(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))


class Numbers(Refuses):
    def test_an_empty_text_is_no_mass_of_zero(self):
        self.refused("mass: ''", stickslip.prepare, log(), mass="")
        self.refused("mass: ''", stickslip.prepare, log(), mass="  ")

    def test_true_is_no_kilogram(self):
        self.refused("mass is of type bool", stickslip.prepare, log(), mass=True)

    def test_too_many_digits(self):
        self.refused("mass is not a finite number", stickslip.prepare, log(), mass=10**400)

    def test_a_mass_to_be_found_is_for_identify(self):
        """It was prepared without any inertia, in silence."""
        self.refused("mass: 'find' is for identify", stickslip.prepare, log(), mass="find")
        self.refused("mass: 'find' is for identify", stickslip.prepare, log(), mass=" find ")

    def test_texts_for_dicts(self):
        self.refused("gains is of type str; a dict is needed", stickslip.read, log(), gains="35 N/V")
        self.refused("where is of type list; a dict is needed", stickslip.read, log(), where=["run=3"])
        self.refused("fix is of type list; a dict is needed", stickslip.identify, log(), models="coulomb", fix=["coulomb_force=3"])


class Files(Refuses):
    def test_names_that_are_not_utf8(self):
        """Linux takes any bytes; Python shows them as surrogates."""
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, b"\xff\xfe.csv".decode("utf-8", "surrogateescape"))
            with open(name, "w") as file:
                file.write("time_s,position_m,force_N\n" + "".join(f"{a:.6g},{b:.6g},{c:.6g}\n" for a, b, c in zip(*log().values())))
            recording = stickslip.read(name)
            self.assertEqual(len(recording), 2000)
            self.assertIn(r"\xff\xfe.csv", recording.file)
            found = stickslip.identify(name, models="coulomb")
            self.assertTrue(found.text() and found.report() and found.json())
            self.refused("No such file", stickslip.read, name + "x")

    def test_the_job_of_a_machine_is_no_recording(self):
        """It was read as a table: no column 'time'; there is title, =."""
        self.refused("identify_machine\\(\\) takes the job file of a machine", stickslip.identify, "job.toml")

    def test_names_in_many_alphabets(self):
        with tempfile.TemporaryDirectory() as folder:
            made = stickslip.generate("servo-axis", seed=7)
            name = os.path.join(folder, "Größe 位置 é.csv")
            made.save(name)
            found = stickslip.identify(name, mass=20, models="coulomb-viscous", output=os.path.join(folder, "模型.toml"))
            self.assertEqual(stickslip.read_model(found.written[0]).file, found.written[0])


class Recordings(Refuses):
    def test_ideal_coulomb_friction_is_no_saturated_sensor(self):
        """A force that reads two values and nothing else was left out as clipped, whole: 0 samples to estimate from."""
        t = np.arange(2000) * 1e-3
        ideal = {"time_s": t, "position_m": np.sin(20 * t), "force_N": 3 * np.sign(np.cos(20 * t))}
        found = stickslip.identify(ideal, models="coulomb")
        self.assertAlmostEqual(found.best["coulomb_force"].value, 3, delta=0.03)

    def test_a_saturated_sensor_is_left_out(self):
        """The same with viscosity, clipped: what lies below the limit gives the level."""
        t = np.arange(4000) * 1e-3
        speed = 20 * np.cos(20 * t)
        force = np.clip(3 * np.sign(speed) + 0.2 * speed, -6, 6)
        found = stickslip.identify({"time_s": t, "position_m": np.sin(20 * t), "force_N": force}, models="coulomb-viscous")
        self.assertTrue(any("left out" in text for text in found.warnings))
        self.assertAlmostEqual(found.best["viscosity"].value, 0.2, delta=0.01)


class Motions(Refuses):
    def test_an_endless_step_leaves_the_motion_as_it_was(self):
        """It stopped the motion for good, at time zero."""
        motion = stickslip.machine(PULLED).motion()
        self.refused("cannot be advanced to inf", motion.advance, float("inf"))
        self.refused("cannot be advanced to inf", motion.step, float("inf"))
        self.assertTrue(motion.advance(12))
        self.assertEqual([event.what for event in motion.take_events()], ["release", "stick"])

    def test_one_motion_in_several_threads(self):
        """Each step counts, or is refused; nothing in between."""
        motion, done, refused = stickslip.machine(PULLED).motion(), [], []

        def work():
            for _ in range(3000):
                try:
                    done.append(motion.step(1e-4))
                except stickslip.Error as problem:
                    refused.append(str(problem))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(done) + len(refused), 12000)
        self.assertAlmostEqual(motion.time, 1e-4 * len(done), places=9)
        self.assertTrue(all("another thread advances this motion" in text for text in refused))

    def test_what_is_no_value_of_a_machine(self):
        self.refused("of type function", stickslip.machine, {**PULLED, "input": {"kind": "ramp", "rate": lambda t: 1}})


class Arrays(Refuses):
    def test_sweeps(self):
        machine = stickslip.machine(PULLED)
        self.refused("no values", stickslip.sweep, machine, {}, ["period"])
        self.refused(r"machine.mass \(2,\), machine.stiffness \(3,\)", stickslip.sweep, machine,
                     {"machine.mass": [1, 2], "machine.stiffness": [1, 2, 3]}, ["period"])
        self.refused("machine.mass holds something that is no number", stickslip.sweep, machine, {"machine.mass": ["1 kg"]}, ["period"])
        self.refused("machine.mass: .* is a length", stickslip.sweep, machine, {"machine.mass": "1 m"}, ["period"])
        found = stickslip.sweep(machine, {"machine.mass": "1000 g", "machine.stiffness": [2, 2]}, ["period"])
        alone = stickslip.sweep(machine, {"machine.mass": [1.0]}, ["period"])
        np.testing.assert_array_equal(found["period"], np.repeat(alone["period"], 2))

    def test_batches(self):
        plain = stickslip.batch("stribeck", pull_speed=[0.2, 0.3], mass=1, **STRIBECK)["period"]
        np.testing.assert_array_equal(plain, stickslip.batch("stribeck", pull_speed=(0.2, 0.3), mass="1 kg", **STRIBECK)["period"])
        one = stickslip.batch("stribeck", pull_speed="200 mm/s", **STRIBECK)["period"]
        np.testing.assert_allclose(one, plain[:1])
        self.refused("mass: .* is a length", stickslip.batch, "stribeck", mass="1 m", **STRIBECK)
        self.refused("pull_speed has 2 dimensions", stickslip.batch, "stribeck", pull_speed=np.ones((2, 2)), **STRIBECK)
        self.refused("pull_speed holds something that is no number", stickslip.batch, "stribeck", pull_speed=["fast"], **STRIBECK)

    def test_responses(self):
        law = stickslip.models.coulomb(coulomb_force=1)
        self.refused("time, value 2, is nan", law.respond, [0, float("nan")], [0, 1])
        self.refused("position, value 1, is inf", law.respond, [0, 1], [float("inf"), 1])
        self.refused("it must not go back", law.respond, [1, 0], [0, 1])

    def test_a_piece_that_is_not_there(self):
        found = stickslip.identify(log(), models="coulomb")
        for number in (1, -1):
            with self.assertRaisesRegex(IndexError, f"piece {number}; there are 1"):
                found.best.predicted(number)


if __name__ == "__main__":
    unittest.main()
