"""How a rival written in Python takes part in ./bench.

The program is started once, says in one line of JSON which settings it offers, and then answers each name of a setting in its
input with one line: processor seconds of one run and the error it had. Empty lines mean nothing. So ./bench can let all
contestants take turns."""
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

SHORTEST = 0.03  # seconds; a quicker run is repeated until so much has passed


def timed(run):
    """Seconds of one run, and what it returned: its error, or a dictionary of figures ("times": how often the work counts)."""
    begin = time.process_time()
    found = run()
    seconds = time.process_time() - begin
    if seconds < SHORTEST:
        count = math.ceil(SHORTEST / max(seconds, 1e-7))
        begin = time.process_time()
        for _ in range(count):
            run()
        seconds = (time.process_time() - begin) / count
    figures = dict(found) if isinstance(found, dict) else {"error": found}
    return {**figures, "seconds": seconds * figures.pop("times", 1), "spent": max(seconds, SHORTEST)}


def say(figures):
    print(json.dumps(figures), flush=True)


def serve(settings):
    """settings: name -> function. A name is "Library how it is used/setting"."""
    say({"settings": list(settings)})
    for line in sys.stdin:
        name = line.rstrip("\n")
        if not name:
            continue
        try:
            say({"name": name, **timed(settings[name])})
        except Exception as problem:  # a rival that gives up is a result, not an accident
            say({"name": name, "failed": f"{type(problem).__name__}: {problem}".splitlines()[0]})


def program(name):
    """Where ./bench keeps the programs it built."""
    return Path(os.environ.get("STICKSLIP_PROGRAMS", "build/benchmark")) / name


def reference(which):
    """What rivals/write_reference.cpp writes."""
    return json.loads(subprocess.run([program("write_reference"), which], capture_output=True, check=True).stdout)


def absent(package):
    """For a program whose library is not there."""
    say({"missing": package})
    sys.exit()
