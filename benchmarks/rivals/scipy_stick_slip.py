"""SciPy on the pulled mass of benchmarks/stick_slip_rig.hpp: scipy_stick_slip.py hybrid | lugre | batch.

hybrid: solve_ivp from release to rest, the rest a terminal event; sticking needs no integration, the release is computed.
lugre: solve_ivp by LSODA and Radau with the analytic Jacobian and scaled tolerances.
batch: LSODA on every 20th of the 10 000 rigs of benchmarks/batch_lugre.cpp, counted for all; its error is measured
against its own run at 1e-12.
Right-hand sides work on plain floats, which is faster than arrays of three."""
import math
import sys

import contest

try:
    import numpy as np
    from scipy.integrate import odeint, solve_ivp
except ImportError:
    contest.absent("python3-scipy")

LOOK_AT = (10.0, 20.0, 30.0)
IDEAL = (0.635669821, 1.302464463, 2.604928926)
LUGRE = (0.627583129, 1.272596412, 2.545101904)


def worst(found, reference):
    return max(abs(a - b) for a, b in zip(found, reference))


def hybrid(method, tolerance):
    coulomb, stiction, stribeck, viscosity, spring, pull = 1.0, 1.5, 1e-3, 0.4, 2.0, 0.1

    def slide(t, y):
        x, v = y.tolist()
        r = v / stribeck
        return v, spring * (pull * t - x) - coulomb - (stiction - coulomb) * math.exp(-r * r) - viscosity * v

    def rest(t, y):
        return y[1]

    rest.terminal, rest.direction = True, -1
    x, found = 0.0, []
    while len(found) < 3:
        release = (stiction / spring + x) / pull
        while len(found) < 3 and LOOK_AT[len(found)] <= release:
            found.append(x)
        if len(found) == 3:
            break
        run = solve_ivp(slide, (release, 30.0), (x, 0.0), method, t_eval=LOOK_AT[len(found):], events=rest,
                        rtol=tolerance, atol=1e-3 * tolerance)
        found.extend(run.y[0] if len(run.y) else ())
        if run.status == 1:
            x = float(run.y_events[0][0][0])
    return worst(found, IDEAL)


class Lugre:
    """d(x, v, z)/dt and its Jacobian, mass 1."""

    def __init__(self, coulomb=1.0, stiction=1.5, stribeck=1e-3, viscosity=0.4, spring=2.0, pull=0.1, stiffness=1e5):
        self.coulomb, self.hump, self.stribeck, self.viscosity = coulomb, stiction - coulomb, stribeck, viscosity
        self.spring, self.pull, self.stiffness, self.damping = spring, pull, stiffness, math.sqrt(stiffness)
        self.largest = stiction / stiffness

    def rates(self, t, y):
        x, v, z = y.tolist()
        r = v / self.stribeck
        level = self.coulomb + self.hump * math.exp(-r * r)
        rate = v - self.stiffness * abs(v) * z / level
        return v, self.spring * (self.pull * t - x) - self.stiffness * z - self.damping * rate - self.viscosity * v, rate

    def jacobian(self, t, y):
        _, v, z = y.tolist()
        r = v / self.stribeck
        hump = self.hump * math.exp(-r * r)
        level, slope = self.coulomb + hump, -2 * r / self.stribeck * hump
        by_v = 1 - self.stiffness * z * ((-1 if v < 0 else 1) / level - abs(v) * slope / (level * level))
        by_z = -self.stiffness * abs(v) / level
        return ((0, 1, 0),
                (-self.spring, -self.damping * by_v - self.viscosity, -self.stiffness - self.damping * by_z),
                (0, by_v, by_z))

    def floors(self, tolerance):
        return 1e-3 * tolerance, 1e-3 * tolerance, 1e-3 * tolerance * self.largest

    def jacobian_array(self, t, y):
        return np.array(self.jacobian(t, y))

    def positions(self, moments, method, tolerance):
        """`odeint` is LSODA in one call of Fortran for the whole run: less Python per step than solve_ivp."""
        if method == "odeint":
            found, report = odeint(self.rates, (0.0, 0.0, 0.0), (0.0, *moments), Dfun=self.jacobian, tfirst=True,
                                   rtol=tolerance, atol=self.floors(tolerance), mxstep=1000000, full_output=True)
            if report["message"] != "Integration successful.":
                raise ArithmeticError(report["message"])
            return found[1:, 0]
        run = solve_ivp(self.rates, (0.0, moments[-1]), (0.0, 0.0, 0.0), method, t_eval=moments, rtol=tolerance,
                        atol=self.floors(tolerance), jac=self.jacobian_array)
        if not run.success:
            raise ArithmeticError(run.message)
        return run.y[0]


def spread(run, step):
    x = (run + 1) * math.sqrt(step)
    return x - math.floor(x)


def rigs(every):
    for i in range(0, 10000, every):
        coulomb = 0.8 + 0.4 * spread(i, 2)
        yield Lugre(coulomb=coulomb, stiction=coulomb * (1.2 + 0.6 * spread(i, 3)),
                    stribeck=1e-3 * (0.5 + 1.5 * spread(i, 5)), stiffness=1e5 * (0.5 + 1.5 * spread(i, 7)),
                    viscosity=0.2 + 0.4 * spread(i, 11), spring=1 + 2 * spread(i, 13), pull=0.05 + 0.1 * spread(i, 17))


def batch_settings(every=20):
    sample = list(rigs(every))
    exact = [rig.positions((10.0,), "odeint", 1e-12)[0] for rig in sample]

    def run(tolerance):
        found = [rig.positions((10.0,), "odeint", tolerance)[0] for rig in sample]
        return {"error": worst(found, exact), "times": every}

    return {f"SciPy LSODA, analytic Jacobian/rtol {t:.0e}": lambda t=t: run(t) for t in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9)}


def main():
    which = sys.argv[1] if len(sys.argv) == 2 else ""
    if which == "hybrid":
        contest.serve({f"SciPy solve_ivp {method}, events/rtol {t:.0e}": lambda m=method, t=t: hybrid(m, t)
                       for method in ("RK45", "DOP853", "LSODA") for t in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)})
    elif which == "lugre":
        rig = Lugre()
        contest.serve({f"SciPy {method}, analytic Jacobian/rtol {t:.0e}":
                       lambda m=method, t=t: worst(rig.positions(LOOK_AT, m.replace("LSODA", "odeint"), t), LUGRE)
                       for method in ("LSODA", "Radau") for t in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)})
    elif which == "batch":
        contest.serve(batch_settings())
    else:
        sys.exit("scipy_stick_slip.py: name one of hybrid, lugre, batch")


if __name__ == "__main__":
    main()
