#!/usr/bin/python3
"""What a careful user of SciPy and Numba gets on the recording of benchmarks/identification.cpp.

identification.py sample.csv: NLR(4), DNLRX(4,3,2) and LG with everything compiled by Numba (fastmath, normal equations
summed up in the loop, the bristle step exact, beside it Runge-Kutta with its error), one cost at a time, and a whole search
by differential evolution with Nelder-Mead after it. Linear factors are free here: that is less work than keeping their signs.
The first line of the file holds the bounds of thresholds and the direction; then x [m], F [N], v [m/s] per sample."""
import math
import sys
import time

import numpy as np
from numba import njit
from scipy.optimize import differential_evolution, minimize


@njit(fastmath=True)
def solved(gram, count):
    """The cost from [Phi F]'[Phi F] by Cholesky; columns that depend on others explain nothing."""
    lower = np.zeros((count, count))
    right = np.zeros(count)
    cost = gram[count, count]
    for j in range(count):
        rest = gram[j, j]
        explained = gram[count, j]
        for k in range(j):
            entry = gram[j, k]
            for l in range(k):
                entry -= lower[j, l] * lower[k, l]
            entry *= lower[k, k]
            lower[j, k] = entry
            rest -= entry * entry
            explained -= entry * right[k]
        lower[j, j] = 1 / math.sqrt(rest) if rest > 1e-13 * gram[j, j] else 0.0
        right[j] = explained * lower[j, j]
        cost -= right[j] * right[j]
    return cost


@njit(fastmath=True)
def cost_nlr(x, force, side, thresholds):
    d0, d1, d2, d3 = thresholds
    a, b, c, d = side * d0, side * d1, side * d2, side * d3
    aa = ab = ac = ad = bb = bc = bd = cc = cd = dd = 0.0
    a1 = b1 = c1 = d1_ = af = bf = cf = df = f1 = ff = 0.0
    last = x[0]
    for t in range(x.size):
        step = x[t] - last
        last = x[t]
        a = min(max(a + step, -d0), d0)
        b = min(max(b + step, -d1), d1)
        c = min(max(c + step, -d2), d2)
        d = min(max(d + step, -d3), d3)
        f = force[t]
        aa += a * a; ab += a * b; ac += a * c; ad += a * d; bb += b * b; bc += b * c; bd += b * d
        cc += c * c; cd += c * d; dd += d * d; a1 += a; b1 += b; c1 += c; d1_ += d
        af += a * f; bf += b * f; cf += c * f; df += d * f; f1 += f; ff += f * f
    g = np.zeros((6, 6))
    g[0, 0] = aa; g[1, 0] = ab; g[2, 0] = ac; g[3, 0] = ad; g[1, 1] = bb; g[2, 1] = bc; g[3, 1] = bd
    g[2, 2] = cc; g[3, 2] = cd; g[3, 3] = dd; g[4, 0] = a1; g[4, 1] = b1; g[4, 2] = c1; g[4, 3] = d1_
    g[4, 4] = x.size; g[5, 0] = af; g[5, 1] = bf; g[5, 2] = cf; g[5, 3] = df; g[5, 4] = f1; g[5, 5] = ff
    return solved(g, 5)


@njit(fastmath=True)
def costs_nlr(x, force, side, thresholds):
    """One cost per row of thresholds."""
    costs = np.empty(len(thresholds))
    for i in range(len(thresholds)):
        costs[i] = cost_nlr(x, force, side, thresholds[i])
    return costs


@njit(fastmath=True)
def cost_dnlrx(steps, side, thresholds, rows):
    """DNLRX(4,3,2) in differences: 16 rows of deflections, filled in here; then 3 of positions, 1 and the force, which `rows`
    has already. The products are left to BLAS: with Debian's libopenblas0 that is faster than any loop of Numba's."""
    past = 3
    for i in range(4):
        limit = thresholds[i]
        a, b, c = side * limit, 0.0, 0.0
        for t in range(steps.size):
            newest = min(max(a + steps[t], -limit), limit)
            first = newest - a
            second = first - b
            rows[4 * i, t] = newest
            rows[4 * i + 1, t] = first
            rows[4 * i + 2, t] = second
            rows[4 * i + 3, t] = second - c
            a, b, c = newest, first, second
    rows[:, :past] = 0
    return solved(np.dot(rows, rows.T), 20)


@njit(fastmath=True)
def cost_lg(velocity, log_speed, force, dt, z, a1, a2, log_stribeck, mu):
    zz = zr = zv = z1 = zf = rr = rv = r1 = rf = vv = v1 = vf = f1 = ff = 0.0
    for t in range(velocity.size):
        v = velocity[t]
        speed = abs(v)
        level = a1 + a2 / (1 + math.exp(mu * (log_speed[t] - log_stribeck)))
        if t > 0:
            steady = level if v > 0 else (-level if v < 0 else 0.0)
            z = steady + (z - steady) * math.exp(-speed * dt / level)
        r = v - speed * z / level
        f = force[t]
        zz += z * z; zr += z * r; zv += z * v; z1 += z; zf += z * f; rr += r * r; rv += r * v; r1 += r; rf += r * f
        vv += v * v; v1 += v; vf += v * f; f1 += f; ff += f * f
    g = np.zeros((5, 5))
    g[0, 0] = zz; g[1, 0] = zr; g[1, 1] = rr; g[2, 0] = zv; g[2, 1] = rv; g[2, 2] = vv
    g[3, 0] = z1; g[3, 1] = r1; g[3, 2] = v1; g[3, 3] = velocity.size
    g[4, 0] = zf; g[4, 1] = rf; g[4, 2] = vf; g[4, 3] = f1; g[4, 4] = ff
    return solved(g, 4)


@njit(fastmath=True)
def cost_lg_rk4(velocity, log_speed, force, dt, z, a1, a2, log_stribeck, mu, steps):
    """The same with the classical Runge-Kutta method, `steps` of them per sample: what people do who do not know the exact step."""
    zz = zr = zv = z1 = zf = rr = rv = r1 = rf = vv = v1 = vf = f1 = ff = 0.0
    h = dt / steps
    for t in range(velocity.size):
        v = velocity[t]
        per_length = abs(v) / (a1 + a2 / (1 + math.exp(mu * (log_speed[t] - log_stribeck))))
        if t > 0:
            for _ in range(steps):
                k1 = v - per_length * z
                k2 = v - per_length * (z + 0.5 * h * k1)
                k3 = v - per_length * (z + 0.5 * h * k2)
                k4 = v - per_length * (z + h * k3)
                z += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        r = v - per_length * z
        f = force[t]
        zz += z * z; zr += z * r; zv += z * v; z1 += z; zf += z * f; rr += r * r; rv += r * v; r1 += r; rf += r * f
        vv += v * v; v1 += v; vf += v * f; f1 += f; ff += f * f
    g = np.zeros((5, 5))
    g[0, 0] = zz; g[1, 0] = zr; g[1, 1] = rr; g[2, 0] = zv; g[2, 1] = rv; g[2, 2] = vv
    g[3, 0] = z1; g[3, 1] = r1; g[3, 2] = v1; g[3, 3] = velocity.size
    g[4, 0] = zf; g[4, 1] = rf; g[4, 2] = vf; g[4, 3] = f1; g[4, 4] = ff
    return solved(g, 4)


def rate(cost, at):
    """Costs per second: the best of several short bursts of processor time."""
    cost(at)
    best = math.inf
    for _ in range(7):
        begin = time.process_time()
        count = 0
        while time.process_time() - begin < 0.1:
            cost(at)
            count += 1
        best = min(best, (time.process_time() - begin) / count)
    return 1 / best


def search(cost, dimensions, evaluations, whole_populations=False):
    """Differential evolution, then Nelder-Mead; seconds of processor time and the cost reached. A cost that takes a whole
    population, one candidate per column, saves SciPy's work between two candidates."""
    population = 16
    begin = time.process_time()
    found = differential_evolution(cost, [(0, 1)] * dimensions, popsize=population, seed=1, polish=False, tol=0,
                                   maxiter=evaluations // (population * dimensions) - 1, vectorized=whole_populations,
                                   updating="deferred" if whole_populations else "immediate")
    fine = minimize(cost, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10, "maxfev": 2000})
    return time.process_time() - begin, min(found.fun, fine.fun)


def point(dimensions):
    """The first candidate of benchmarks/identification.cpp: all factors are positive there, so that keeping signs changes nothing."""
    return (0.2 if dimensions == 5 else 0.3) + 0.1 * np.arange(dimensions)


def problems(path):
    """Per model of the recording: its cost of u (each from 0 to 1), how many u there are, evaluations of a whole search."""
    with open(path) as file:
        low, high, side = (float(word) for word in file.readline().split(","))
        x, force, velocity = np.loadtxt(file, delimiter=",", unpack=True)
    x, force, velocity = (np.ascontiguousarray(column) for column in (x, force, velocity))
    log_speed = np.log(np.maximum(np.abs(velocity), 1e-290))
    reach, fastest = (x.max() - x.min()) / 2, np.abs(velocity).max()

    def thresholds(u):
        return low * np.exp(np.clip(u, 0, 1) * math.log(high / low))

    def nlr(u):
        if u.ndim == 2:
            return costs_nlr(x, force, side, np.ascontiguousarray(thresholds(u).T))
        return cost_nlr(x, force, side, thresholds(u))

    def lg(u, function=cost_lg, *steps):
        u = np.clip(u, 0, 1)
        return function(velocity, log_speed, force, 1 / 2500, side * u[0] * reach, 1e-4 * reach * 1e4 ** u[1],
                        u[2] * reach, math.log(1e-4 * fastest * 1e4 ** u[3]), 0.1 + 4.9 * u[4], *steps)

    rows = np.zeros((21, x.size))
    rows[16] = x - x[0]
    rows[17, 1:] = np.diff(rows[16])
    rows[18, 1:] = np.diff(rows[17])
    rows[19], rows[20] = 1, force
    steps = rows[17].copy()
    return {"NLR(4)": (nlr, 4, 20000),
            "DNLRX(4,3,2)": (lambda u: cost_dnlrx(steps, side, thresholds(u), rows), 4, 20000),
            "LG": (lg, 5, 10000)}


def main():
    all_problems = problems(sys.argv[1])
    for name, (cost, dimensions, evaluations) in all_problems.items():
        per_second = rate(cost, point(dimensions))
        seconds, least = search(cost, dimensions, evaluations)
        print(f"SciPy with Numba, {name}: {per_second:.0f} costs/s, search {seconds:.3g} s, J {least:.8g}")
    lg, at = all_problems["LG"][0], point(5)
    for steps in (4, 8):
        error = abs(lg(at, cost_lg_rk4, steps) / lg(at) - 1)
        per_second = rate(lambda u: lg(u, cost_lg_rk4, steps), at)
        print(f"Numba, LG by Runge-Kutta, {steps} per sample: {per_second:.0f} costs/s, error {error:.1e} of J")


if __name__ == "__main__":
    main()
