"""The programs that race: Google Benchmark programs, and rivals in other languages that answer line by line."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RIVALS = Path(__file__).resolve().parent.parent / "rivals"
INTERPRETERS = {".py": ["/usr/bin/python3"], ".m": ["octave-cli", "--quiet", "--no-init-file"]}
PACKAGES = {".py": "python3", ".m": "octave"}
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}


def environment(**more):
    return {**os.environ, **ONE_THREAD, **more}


def exactly(names):
    """A filter of Google Benchmark that matches these names alone; characters with a meaning match any."""
    return "^(" + "|".join(re.sub(r"[^A-Za-z0-9_/ ,:-]", ".", name) for name in names) + ")$"


class Compiled:
    """benchmarks/<name>.cpp. Every turn is one process."""

    def __init__(self, folder, name):
        self.path, self.missing = Path(folder) / f"bench_{name}", ""
        if not self.path.exists():
            raise RuntimeError(f"no {self.path}; ./bench builds it")

    def turn(self, names=None, wanted=None, shortest=0.05):
        """One measurement of each benchmark: of these names, or whose name matches `wanted`."""
        filters = exactly(names) if names else wanted or "."
        done = subprocess.run([self.path, f"--benchmark_filter={filters}", f"--benchmark_min_time={shortest}",
                               "--benchmark_format=json"], env=environment(), capture_output=True, text=True)
        if done.returncode or not done.stdout.lstrip().startswith("{"):
            if "Failed to match any benchmarks" in done.stderr + done.stdout or not done.stdout and not done.returncode:
                return []
            raise RuntimeError(f"{self.path.name} ended with {done.returncode}: {last_line(done.stderr)}")
        return [plain(entry) for entry in json.loads(done.stdout)["benchmarks"]]

    def names(self):
        done = subprocess.run([self.path, "--benchmark_list_tests"], env=environment(), capture_output=True, text=True)
        return done.stdout.splitlines()

    def close(self):
        pass


class Rival:
    """A rival in another language: started once, then one line asks for one run (rivals/contest.py)."""

    def __init__(self, folder, script, *arguments):
        file = RIVALS / script
        self.name, self.missing, self.settings = file.name, "", []
        self.process = None
        self.complaints = tempfile.TemporaryFile("w+")
        try:
            self.process = subprocess.Popen([*INTERPRETERS[file.suffix], str(file), *arguments], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=self.complaints, text=True,
                                            env=environment(PYTHONWARNINGS="ignore", STICKSLIP_PROGRAMS=str(folder)))
        except FileNotFoundError:
            self.missing = PACKAGES[file.suffix]
            return
        hello = self.line()
        self.missing, self.settings = hello.get("missing", ""), hello.get("settings", [])

    def line(self):
        """The next line of JSON; a library that prints on its own is skipped."""
        for text in self.process.stdout:
            if text.startswith("{"):
                return json.loads(text)
        self.process.wait()
        self.complaints.seek(0)
        complaint = last_line(self.complaints.read())
        self.close()
        raise RuntimeError(f"{self.name} ended with {self.process.returncode}: {complaint}")

    def turn(self, names=None, **_):
        answers = []
        for name in self.settings if names is None else names:
            self.process.stdin.write(name + "\n\n")
            self.process.stdin.flush()
            answers.append(self.line())
        return answers

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
        self.complaints.close()


def plain(entry):
    """run_name and name differ by decorations of repetitions only."""
    entry["name"] = entry.get("run_name", entry["name"])
    return entry


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


def keep_to_one_core():
    """This process and all it starts run on one core, so that nobody gains by threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def instructions(folder, program, name, counted=""):
    """Instructions of one more run of a benchmark by callgrind, or of what it spends in the function `counted`: two counts, of
    three repetitions and of one, differ by two."""
    path = Path(folder) / f"bench_{program}"
    counts = []
    for repetitions in (1, 3):
        only = [f"--toggle-collect={counted}"] if counted else []
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *only, path,
                               f"--benchmark_filter={exactly([name])}", "--benchmark_min_time=1e-9",
                               f"--benchmark_repetitions={repetitions}"],
                              env=environment(STICKSLIP_INSTRUCTIONS="avx2"), capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            raise RuntimeError(f"valgrind on {path.name}: {last_line(done.stderr)}")
        counts.append(int(found.group(1)))
    return (counts[1] - counts[0]) / 2


def progress(text):
    """One line on a terminal that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
