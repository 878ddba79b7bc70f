"""SciPy on the hydraulic cylinder of benchmarks/hydraulic_cylinder.cpp: LSODA in one call for the whole run, with the analytic
Jacobian or without. All equations in one function of plain floats, parameters by the sign of v, scaled tolerances.
The reference is where Radau at 1e-10, LSODA at 1e-11 and stickslip at 1e-12 agree, to 1e-11 m."""
import math

import contest

try:
    import numpy as np
    from scipy.integrate import odeint, solve_ivp
except ImportError:
    contest.absent("python3-scipy")

LOOK_AT = (2.0, 4.0, 6.0, 8.0, 10.0)
REFERENCE = (0.084440943873, 0.069235929085, 0.054030926552, 0.038824283184, 0.023615051055)
SUPPLY, MASS, BORE, ROD, STROKE, GRAVITY = 5e6, 118.0, 0.032, 0.018, 0.2, 9.81
GAIN, FREQUENCY, DAMPING, UNDERLAP, LAMINAR, BULK = 0.0227, 440.0, 0.75, 4e-5, 100.0, 1e8
PORT = 0.32 * math.sqrt(2 / 862) * 0.03
DEAD_1, DEAD_2, AREA_1 = 5e-6, 1e-6, math.pi / 4 * BORE**2
AREA_2 = AREA_1 - math.pi / 4 * ROD**2
S0, S1, GROWING, THINNING, FILM = 5e6, 0.1, 0.25, 1.5, 0.05
# stiction, Coulomb, Stribeck velocity, exponent, viscosity, moving mass
FORWARD = (830.0, 210.0, 0.0125, 0.7, 330.0, MASS + 330 * 0.33)
BACKWARD = (500.0, 80.0, 0.01, 0.9, 350.0, MASS + 350 * 0.07)
START = (0, 0, 2.5e6, 2.5e6, 0.1, 0, -1e-4, 0)  # spool, its rate, P1, P2, x, v, z, h
SCALE = np.array((4e-5, 4e-5 * 440, 5e6, 5e6, 1, 1, 830 / S0, 1))


def root(drop):
    return drop / math.sqrt(math.sqrt(drop * drop + LAMINAR * LAMINAR))


def root_slope(drop):
    square = drop * drop + LAMINAR * LAMINAR
    return (1 - 0.5 * drop * drop / square) / math.sqrt(math.sqrt(square))


def rates(t, y):
    spool, spool_rate, p1, p2, x, v, z, h = y.tolist()
    current = 2e-3 * math.sin(math.pi * t)
    a, b = PORT * max(UNDERLAP + spool, 0.0), PORT * max(UNDERLAP - spool, 0.0)
    q1 = a * root(SUPPLY - p1) - b * root(p1)
    q2 = a * root(p2) - b * root(SUPPLY - p2)
    stiction, coulomb, stribeck, n, viscosity, moving = FORWARD if v >= 0 else BACKWARD
    speed = abs(v)
    level = coulomb + ((1 - h) * stiction - coulomb) * math.exp(-((speed / stribeck) ** n))
    z_rate = v - S0 * speed * z / level
    steady = (1 - coulomb / stiction) * min(speed / FILM, 1.0) ** (2 / 3)
    resisting = S0 * z + S1 * z_rate + viscosity * v
    return (spool_rate, FREQUENCY**2 * (GAIN * current - spool) - 2 * DAMPING * FREQUENCY * spool_rate,
            (q1 - AREA_1 * v) * BULK / (DEAD_1 + AREA_1 * x), (AREA_2 * v - q2) * BULK / (DEAD_2 + AREA_2 * (STROKE - x)),
            v, (p1 * AREA_1 - p2 * AREA_2 - MASS * GRAVITY - resisting) / moving, z_rate,
            (steady - h) / (GROWING if h <= steady else THINNING))


def jacobian(t, y):
    spool, _, p1, p2, x, v, z, h = y.tolist()
    a, b = PORT * max(UNDERLAP + spool, 0.0), PORT * max(UNDERLAP - spool, 0.0)
    a_slope, b_slope = (PORT if UNDERLAP + spool > 0 else 0.0), (-PORT if UNDERLAP - spool > 0 else 0.0)
    in_1, out_1, out_2, in_2 = root(SUPPLY - p1), root(p1), root(p2), root(SUPPLY - p2)
    stiffness_1, stiffness_2 = BULK / (DEAD_1 + AREA_1 * x), BULK / (DEAD_2 + AREA_2 * (STROKE - x))
    q1, q2 = a * in_1 - b * out_1, a * out_2 - b * in_2
    stiction, coulomb, stribeck, n, viscosity, moving = FORWARD if v >= 0 else BACKWARD
    speed, sign = max(abs(v), 1e-12), (1.0 if v >= 0 else -1.0)
    power = (speed / stribeck) ** n
    fading = math.exp(-power)
    height = (1 - h) * stiction - coulomb
    level, level_slope = coulomb + height * fading, -height * fading * n * power / speed
    by_v = 1 - S0 * z * sign * (1 / level - speed * level_slope / level**2)
    by_z = -S0 * speed / level
    by_h = -S0 * speed * z / level**2 * stiction * fading
    share = min(speed / FILM, 1.0) ** (2 / 3)
    steady = (1 - coulomb / stiction) * share
    steady_slope = sign * (2 / 3) * steady / speed if speed < FILM else 0.0
    tau = GROWING if h <= steady else THINNING
    j = np.zeros((8, 8))
    j[0, 1] = j[4, 5] = 1
    j[1, 0], j[1, 1] = -FREQUENCY**2, -2 * DAMPING * FREQUENCY
    j[2, 0] = (a_slope * in_1 - b_slope * out_1) * stiffness_1
    j[2, 2] = (-a * root_slope(SUPPLY - p1) - b * root_slope(p1)) * stiffness_1
    j[2, 4] = -(q1 - AREA_1 * v) * stiffness_1**2 / BULK * AREA_1
    j[2, 5] = -AREA_1 * stiffness_1
    j[3, 0] = -(a_slope * out_2 - b_slope * in_2) * stiffness_2
    j[3, 3] = -(a * root_slope(p2) + b * root_slope(SUPPLY - p2)) * stiffness_2
    j[3, 4] = (AREA_2 * v - q2) * stiffness_2**2 / BULK * AREA_2
    j[3, 5] = AREA_2 * stiffness_2
    j[5, 2], j[5, 3] = AREA_1 / moving, -AREA_2 / moving
    j[5, 5], j[5, 6], j[5, 7] = -(S1 * by_v + viscosity) / moving, -(S0 + S1 * by_z) / moving, -S1 * by_h / moving
    j[6, 5], j[6, 6], j[6, 7] = by_v, by_z, by_h
    j[7, 5], j[7, 7] = steady_slope / tau, -1 / tau
    return j


def positions(method, tolerance):
    floors = 1e-3 * tolerance * SCALE
    if method.startswith("LSODA"):
        found, report = odeint(rates, START, (0.0, *LOOK_AT), Dfun=jacobian if method.endswith("Jacobian") else None,
                               tfirst=True, rtol=tolerance, atol=floors, mxstep=100000, full_output=True)
        if report["message"] != "Integration successful.":
            raise ArithmeticError(report["message"])
        return found[1:, 4]
    run = solve_ivp(rates, (0, LOOK_AT[-1]), START, "Radau", t_eval=LOOK_AT, rtol=tolerance, atol=floors, jac=jacobian)
    if not run.success:
        raise ArithmeticError(run.message)
    return run.y[4]


def error(method, tolerance):
    return float(np.abs(positions(method, tolerance) - REFERENCE).max())


if __name__ == "__main__":
    contest.serve({f"SciPy {method}/rtol {t:.0e}": lambda m=method, t=t: error(m, t)
                   for method in ("LSODA", "LSODA, analytic Jacobian") for t in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)})
