"""Machines, sweeps, batches and frictions of `import stickslip`."""
import gc
import math
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

import numpy as np

import stickslip
from in_folder import EXAMPLES, InFolder


class Machines(InFolder):
    def scenario(self):
        return stickslip.machine(EXAMPLES / "stick_slip.toml")

    def test_numbers_by_path(self):
        machine = self.scenario()
        machine["machine.mass"] = 2
        self.assertEqual(machine["machine.mass"], 2)
        machine.set({"machine.mass": "1500 g"})
        self.assertEqual(machine.numbers["machine.mass"], 1.5)
        self.assertEqual(machine.units["machine.mass"], "kg")
        with self.assertRaisesRegex(stickslip.Error, "did you mean 'mass'"):
            machine["machine.mas"] = 1
        with self.assertRaises(stickslip.Error):
            machine["machine.mass"] = -1
        self.assertEqual(machine["machine.mass"], 1.5)

    def test_the_first_release_is_where_it_must_be(self):
        """Pulled at v through k from rest: the spring reaches F_S at t = F_S / (k v)."""
        friction = stickslip.models.stribeck(coulomb_force=1, stiction_force="1.5 N", stribeck_velocity=1e-3, viscosity=0.4)
        declared = {
            "machine": {"kind": "pulled-spring", "mass": 1.0, "stiffness": "2 N/m"},
            "input": {"kind": "ramp", "rate": 0.1},
            "friction": friction, "run": {"duration": 30.0, "sample_interval": 0.01},
        }
        try:
            machine = stickslip.machine(declared)
        except stickslip.Error as problem:
            self.fail(problem)
        run = machine.run()
        self.assertAlmostEqual(run.events[0]["time_s"], 7.5, places=9)
        self.assertIn("<!doctype html>", run.report().lower()[:100])
        text = pathlib.Path(EXAMPLES / "stick_slip.toml").read_text()
        self.assertEqual(stickslip.simulate(text).csv(), self.scenario().run().csv())

    def test_samples_as_files(self):
        """Written, and read by NumPy and by this library's own reader of .mat."""
        run = self.scenario().run()
        run.save("run.npz"), run.save("run.mat"), run.save("run.csv")
        np.testing.assert_array_equal(np.load("run.npz")["velocity_m_s"], run["velocity"])
        back = stickslip.read("run.mat", need=[])
        np.testing.assert_array_equal(back.velocity, run["velocity"])
        with self.assertRaisesRegex(stickslip.Error, "[.]csv, [.]npz or [.]mat"):
            run.save("run.xls")

    def test_columns_are_views(self):
        run = self.scenario().run()
        self.assertTrue(run.finished)
        self.assertEqual(run.units["velocity"], "m/s")
        self.assertFalse(run["velocity"].flags.owndata)
        self.assertEqual(run["velocity"].__array_interface__["data"], run.columns["velocity"].__array_interface__["data"])
        with self.assertRaisesRegex(KeyError, "velocity"):
            run["velocit"]
        ledger = run.ledger
        self.assertLess(abs(ledger["residual"]), 1e-6 * max(abs(v) for v in ledger.values()))
        self.assertIn("<svg", run._repr_html_())
        self.assertIn("stick", {event["event"] for event in run.events})
        velocity = run["velocity"]
        del run
        gc.collect()
        self.assertTrue(np.isfinite(velocity).all())

    def test_a_motion_in_steps_is_the_run(self):
        run = self.scenario().run(until=20)
        motion = self.scenario().motion()
        while motion.time < 20 - 1e-9:
            self.assertTrue(motion.step(0.01))
        self.assertAlmostEqual(motion["position"], run["position"][-1], places=9)
        self.assertEqual([e.what for e in motion.take_events()][:2], ["release", "stick"])
        self.assertIn("position", motion.outputs)
        self.assertEqual(len(motion.read()), len(motion.outputs))

    def test_save_load_and_clone_are_bit_for_bit(self):
        motion = self.scenario().motion()
        motion.advance(9.123)
        saved, twin = motion.save(), motion.clone()
        motion.advance(15)
        twin.advance(15)
        np.testing.assert_array_equal(motion.read(), twin.read())
        back = self.scenario().motion()
        back.load(saved)
        back.advance(15)
        np.testing.assert_array_equal(motion.read(), back.read())
        with self.assertRaises(stickslip.Error):
            back.load(b"no motion")

    def test_a_saved_motion_of_another_law_is_refused(self):
        """The bytes of a law with as many numbers were taken as those of this one."""
        text = (EXAMPLES / "stick_slip.toml").read_text()
        saved = stickslip.machine(text, name="stribeck.toml").motion().save()
        laws = text.replace('stribeck_velocity = "1 mm/s"\n', "").replace('stiction_force = "1.5 N"\n', "")
        coulomb = stickslip.machine(laws.replace('"stribeck"', '"coulomb-viscous"'), name="coulomb.toml").motion()
        with self.assertRaisesRegex(stickslip.Error, "the saved motion belongs to another machine"):
            coulomb.load(saved)
        damaged = bytearray(saved)
        damaged[-1] ^= 1
        same = stickslip.machine(text, name="stribeck.toml")
        with self.assertRaisesRegex(stickslip.Error, "the saved motion is damaged"):
            same.motion().load(bytes(damaged))
        same["friction.coulomb_force"] = 1.1  # its numbers may change
        same.motion().load(saved)

    def test_live_inputs(self):
        motion = self.scenario().motion()
        name = next(iter(motion.inputs))
        motion.set(name, 0.5)
        self.assertEqual(motion.input(name), 0.5)
        with self.assertRaises(KeyError):
            motion.set("nothing", 1)
        with self.assertRaises(stickslip.Error):
            motion.set(name, math.nan)

    def test_steps_from_python_are_cheap(self):
        """Many calls inside one solver step show what a call costs beyond the machine itself: below 2 us of the processor."""
        motion = self.scenario().motion()
        motion.advance(1.0)
        count = 20000
        best = math.inf
        for _ in range(5):
            now = motion.time
            begin = time.process_time()
            for i in range(1, count + 1):
                motion.advance(now + i * 1e-9)
            best = min(best, (time.process_time() - begin) / count)
        print(f"\nMotion.advance from Python: {1e6 * best:.2f} us a call", file=sys.stderr)
        self.assertLess(best, 2e-6)

    def test_runs_end_on_control_c(self):
        machine = self.scenario()
        machine.set({"run.duration": 3e6, "run.sample_interval": 1.0})
        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            machine.run(long=True)


class Studies(InFolder):
    def test_arrays_of_a_machines_numbers(self):
        machine = stickslip.machine(EXAMPLES / "stick_slip.toml")
        masses = np.array([[0.5, 1.0], [2.0, -1.0]])
        found = stickslip.sweep(machine, {"machine.mass": masses}, ["max velocity", "period"])
        self.assertEqual(found["max_velocity"].shape, (2, 2))
        alone = stickslip.simulate(machine, {"machine.mass": 2.0})
        self.assertEqual(found["max_velocity"][1, 0], np.max(alone["velocity"]))
        self.assertTrue(np.isnan(found["max_velocity"][1, 1]))
        self.assertIn("mass", found["failures"][1, 1])
        with self.assertRaisesRegex(stickslip.Error, "did you mean 'velocity'"):
            stickslip.sweep(machine, {"machine.mass": masses}, ["max velocit"])

    def test_batches_are_single_runs(self):
        speeds = np.linspace(0.05, 0.5, 100)
        found = stickslip.batch("stribeck", end=60, observe_from=40, stiffness=2.0, pull_speed=speeds, coulomb_force=1.0,
                                stiction_force=1.5, stribeck_velocity=1e-3, viscosity=0.4)
        self.assertEqual(len(found["period"]), 100)
        self.assertEqual(set(found["stop"]), {"finished"})
        # F_S/(k V) until the first release
        self.assertAlmostEqual(stickslip.batch("stribeck", end=20, stiffness=2.0, pull_speed=0.1, coulomb_force=1.0,
                                               stiction_force=1.5, stribeck_velocity=1e-3)["first_slip"][0], 7.5, delta=0.2)
        with self.assertRaisesRegex(stickslip.Error, "same number"):
            stickslip.batch("stribeck", pull_speed=speeds, mass=[1.0, 2.0], coulomb_force=1.0, stiction_force=1.5,
                            stribeck_velocity=1e-3)

    def test_check(self):
        card = stickslip.check("coulomb")
        self.assertEqual(set(card.models), {"coulomb"})
        self.assertIn("yes", card.models["coulomb"].values())

    def test_frictions(self):
        friction = stickslip.models.coulomb_viscous(coulomb_force=5, viscosity="40 N s/m")
        t = np.arange(0, 1, 1e-3)
        force = friction.respond(t, 0.1 * t)
        np.testing.assert_allclose(force[1:], 9.0)
        stepper = friction.stepper(mass=2)
        self.assertEqual(stepper.step(1.0, 1e-3), 1.0)
        self.assertEqual(stepper.velocity, 0.0)
        with self.assertRaisesRegex(stickslip.Error, "^lugre: bristle_stiffness is -1 N/m; it must be positive"):
            stickslip.Friction("lugre", bristle_stiffness=-1)
        with self.assertRaisesRegex(AttributeError, "lugre"):
            stickslip.models.lugr
        self.assertIn("coulomb_force", stickslip.models.lugre.__doc__)
        self.assertEqual(set(stickslip.models.names()), {m.name for m in stickslip._core.model_infos()})


if __name__ == "__main__":
    unittest.main()
