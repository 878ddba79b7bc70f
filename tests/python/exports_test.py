"""stickslip.export and stickslip.compensate: the same bytes and numbers as the command line, and its refusals."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STICKSLIP_PROGRAM", "")
AXIS = str(ROOT / "examples/models/axis.model.toml")
MODEL = """[friction]
model = "stribeck"
coulomb_force = "20 N"
stiction_force = "30 N"
stribeck_velocity = "8 mm/s"
viscosity = "120 N s/m"
"""


class Exports(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        pathlib.Path("axis.model.toml").write_text(MODEL)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def run_program(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_every_format_has_the_bytes_of_the_command(self):
        files = {"c": "axis.h", "table": "axis.csv", "drive": "axis.txt", "modelica": "axis.mo", "mjcf": "axis.xml",
                 "urdf": "axis.urdf", "sdf": "axis.sdf", "simulink": "axis.m"}
        options = [word for name, file in files.items() for word in (f"--{name}", f"theirs_{file}")]
        said = json.loads(self.run_program("export", "axis.model.toml", *options, "--mass", "20 kg", "--knots", "8", "--json"))
        for one in said["exports"]:
            made = stickslip.export("axis.model.toml", files[one["format"]], mass="20 kg", knots=8)
            self.assertEqual(pathlib.Path(files[one["format"]]).read_bytes(), pathlib.Path(one["file"]).read_bytes(), one["format"])
            self.assertEqual((made.format, made.what, made.lost), (one["format"], one["what"], one["lost"]))
            self.assertIn(made.what, repr(made))
            self.assertIn("<", made._repr_html_())

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_fmus_of_a_body_and_of_a_machine(self):
        winch = str(ROOT / "examples/machines/winch.toml")
        for source, options in ((AXIS, {"mass": "20 kg"}), (winch, {}), (winch, {"inputs": "outside"})):
            words = [word for key, value in options.items() for word in (f"--{key}", value)]
            self.run_program("export", source, "--fmu", "theirs.fmu", "--fmi", "3", *words)
            stickslip.export(source, "ours.fmu", fmi=3, **options)
            self.assertEqual(pathlib.Path("ours.fmu").read_bytes(), pathlib.Path("theirs.fmu").read_bytes())

    def test_a_model_in_hand(self):
        made = stickslip.export(stickslip.read_model("axis.model.toml"), format="c", sampling_time="0.5 ms")
        self.assertIn(b"axis_step", made.content)
        self.assertFalse(pathlib.Path("axis.h").exists())

    def test_refusals_in_one_line(self):
        for message, call in {
            "which format": lambda: stickslip.export("axis.model.toml", "axis.unknown"),
            "no format 'cc'": lambda: stickslip.export("axis.model.toml", format="cc"),
            "a machine leaves as an FMU only": lambda: stickslip.export(ROOT / "examples/stick_slip.toml", format="c"),
            "no_such.toml": lambda: stickslip.export("no_such.toml", format="c"),
            "mass": lambda: stickslip.export("axis.model.toml", format="mjcf", mass=-1),
            "no axis is given": lambda: stickslip.compensate("axis.model.toml"),
            "a model file says nothing of the axis": lambda: stickslip.compensate("axis.model.toml", "axis.model.toml"),
        }.items():
            with self.assertRaisesRegex(stickslip.Error, message) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_compensate(self):
        said = json.loads(self.run_program("compensate", "axis.model.toml", "--mass", "20 kg", "--sampling-time", "10 ms",
                                           "--frequency", "1 Hz", "--cells", "2", "--json"))
        found = stickslip.compensate("axis.model.toml", mass=20, sampling_time="10 ms", frequency=1, cells=2)
        self.assertEqual(found.data, {key: value for key, value in said.items() if key != "written"})
        self.assertEqual(found.header, pathlib.Path("axis_control.h").read_text())
        self.assertEqual(found.scenario, pathlib.Path("axis_control.toml").read_text())
        self.assertIn(f"Recommended: {found.recommended}", found.text())
        again = stickslip.simulate(found.scenario, until="0.5 s")
        self.assertIn("tracking_error", again.columns)


if __name__ == "__main__":
    unittest.main()
