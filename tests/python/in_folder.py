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


class Quiet(unittest.TestCase):
    """Warnings about data are not shown."""

    def setUp(self):
        self.quiet = warnings.catch_warnings()
        self.quiet.__enter__()
        warnings.simplefilter("ignore", stickslip.DataWarning)

    def tearDown(self):
        self.quiet.__exit__(None, None, None)


class InEmptyFolder(Quiet):
    @classmethod
    def setUpClass(cls):
        cls.before = os.getcwd()
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.folder.cleanup()


class InFolder(InEmptyFolder):
    """With a recording, axis.csv."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stickslip.generate("servo-axis", seed=7).save("axis.csv")
