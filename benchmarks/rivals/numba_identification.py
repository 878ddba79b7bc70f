"""Rivals of benchmarks/identification.cpp, of which it takes the recording: numba_identification.py nlr-cost | nlr-search | lg-cost.
The functions are those of identification.py: compiled by Numba, one cost at a time; the search is SciPy's."""
import os
import subprocess
import sys
import tempfile

import contest

try:
    import numpy as np

    import identification
except ImportError:
    contest.absent("python3-scipy and python3-numba")

# First candidates of benchmarks/identification.cpp, where all factors are positive: keeping their signs changes nothing.
POINTS = {4: np.array([0.3, 0.4, 0.5, 0.6]), 5: np.array([0.2, 0.3, 0.4, 0.5, 0.6])}


def problems():
    with tempfile.NamedTemporaryFile() as sample:
        subprocess.run([contest.program("bench_identification")], check=True, env={**os.environ, "STICKSLIP_SAMPLE": sample.name})
        return identification.problems(sample.name)


def cost_of(cost, dimensions, _):
    at = POINTS[dimensions]
    cost(at)  # compiles
    return lambda: {"J": float(cost(at))}


def searches_of(cost, dimensions, evaluations):
    cost(POINTS[dimensions])
    cost(POINTS[dimensions][:, None])  # both compile

    def run(whole_populations):
        _, least = identification.search(cost, dimensions, evaluations, whole_populations)
        return {"J": float(least)}

    return {"SciPy differential evolution with Numba/whole populations": lambda: run(True),
            "SciPy differential evolution with Numba/one by one": lambda: run(False)}


def main():
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which not in ("nlr-cost", "nlr-search", "lg-cost"):
        sys.exit("numba_identification.py: name one of nlr-cost, nlr-search, lg-cost")
    problem = problems()["LG" if which == "lg-cost" else "NLR(4)"]
    if which == "nlr-search":
        contest.serve(searches_of(*problem))
    else:
        contest.serve({"Numba": cost_of(*problem)})


main()
