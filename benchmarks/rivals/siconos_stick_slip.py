"""Siconos on the pulled mass of benchmarks/stick_slip_rig.hpp with ideal stiction: a relay of the stiction level, implicit; the
fall of the level with speed is smooth and zero at rest, so it is a force taken from the step before."""
import math

import contest
from siconos_rig import Rig

LOOK_AT = (10.0, 20.0, 30.0)
REFERENCE = (0.635669821, 1.302464463, 2.604928926)


def run(h, theta):
    coulomb, stiction, stribeck, viscosity, spring, pull = 1.0, 1.5, 1e-3, 0.4, 2.0, 0.1
    rig = Rig(h, LOOK_AT[-1] + h, [[1]], [[spring]], [[viscosity]], [0], [[[1]]], theta)
    rig.set_level(0, stiction)
    force, body, exp = rig.force, rig.body, math.exp
    done, worst = 0, 0.0
    for moment, reference in zip(LOOK_AT, REFERENCE):
        steps = round(moment / h)
        for k in range(done, steps):
            v = float(body.velocity()[0])
            r = v / stribeck
            fallen = (stiction - coulomb) * (1 - exp(-r * r))
            force[0] = spring * pull * (k + theta) * h + (fallen if v > 0 else -fallen)
            rig.step()
        done = steps
        worst = max(worst, abs(float(body.q()[0]) - reference))
    return worst


contest.serve({f"Siconos Moreau-Jean, relay/h {h:g} s": lambda h=h: run(h, 1.0) for h in (1e-2, 2.5e-3, 1e-3, 2.5e-4)})
