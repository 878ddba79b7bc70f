"""Every example runs as a plain script; what it prints is looked at where it has something to say."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SAYS = {
    "identify_axis": "true Coulomb force 20 N",
    "compare_laws": "loss per cycle",
    "own_controller": "short of the goal",
    "sweep_map": r"1\.0 kg: a slip every 6\.512 s",  # the closed form of examples/stick_slip.toml
    # Exact slopes keep the energy; steps are as long as the fit's intervals, which also know of a lag that the likelihood does not.
    "bayes": "([89]\\d|100) % accepted",
}


class Examples(unittest.TestCase):
    def test_every_example_has_something_to_say(self):
        self.assertEqual({path.stem for path in EXAMPLES.glob("*.py")}, set(SAYS))

    def test_they_run(self):
        for name, words in SAYS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-B", str(EXAMPLES / f"{name}.py")], cwd=folder, capture_output=True,
                                      text=True, env={**os.environ, "MPLBACKEND": "Agg"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, words)


if __name__ == "__main__":
    unittest.main()
