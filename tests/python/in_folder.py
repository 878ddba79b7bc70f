"""What the tests of `import stickslip` share: places, and a folder of its own with a recording for each class."""
import os
import pathlib
import tempfile
import unittest
import warnings

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STICKSLIP_PROGRAM", "")
EXAMPLES = ROOT / "examples"
QUICK = ["coulomb-viscous", "lugre"]


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before = os.getcwd()
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stickslip.generate("servo-axis", seed=7).save("axis.csv")

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()

    def setUp(self):
        self.quiet = warnings.catch_warnings()
        self.quiet.__enter__()
        warnings.simplefilter("ignore", stickslip.DataWarning)

    def tearDown(self):
        self.quiet.__exit__(None, None, None)
