"""Siconos on the dual clutch: time stepping with one relay per clutch, whose bounds follow the pressure of the step's end and the
slip of the step before."""
import math

import contest
from siconos_rig import Rig, np
from clutch_rig import (B, BV, ENGINE, J1, J2, J3, JV, K, PRESSURE_1, PRESSURE_3, R1, R3, SLIDING, STICTION, figures)

SHAFTS = np.array([[1, 0, 0, -R1], [0, 0, 1, -R3]], float)  # twists of the angles of three bodies and the vehicle
SLIPS = [[[1, -1, 0, 0]], [[0, 1, -1, 0]]]


def run(h, theta):
    damping = B * SHAFTS.T @ SHAFTS
    damping[3, 3] += BV
    rig = Rig(h, 10 + h, np.diag([J1, J2, J3, JV]), K * SHAFTS.T @ SHAFTS, damping, [0, 100, 0, 0], SLIPS, theta)
    rig.force[:] = [0, ENGINE, 0, 0]
    steps = round(10 / h)
    moments = h * np.arange(1, steps + 1)
    pressures = np.column_stack([np.interp(moments, *table) for table in (PRESSURE_1, PRESSURE_3)]).tolist()
    slip, events, speeds = [-100.0, 100.0], [], [(0.0, 100.0, 0.0, 0.0)]
    output = round(1e-3 / h)
    for k, pressure in enumerate(pressures):
        for i in (0, 1):
            rig.set_level(i, max(pressure[i], 1e-9) * (SLIDING + (STICTION - SLIDING) * math.exp(-slip[i] * slip[i])))
        rig.step()
        w1, w2, w3, wv = rig.body.velocity().tolist()
        before, slip = slip, [0.0 if abs(z) < 1e-9 else z for z in (w1 - w2, w2 - w3)]
        for i in (0, 1):
            if (before[i] == 0) != (slip[i] == 0) or before[i] * slip[i] < 0:
                events.append((k + 1) * h)
        if (k + 1) % output == 0:
            speeds.append((w1, w2, w3, wv))
    return figures(events, speeds)


contest.serve({f"Siconos Moreau-Jean, relays/h {h:g} s": lambda h=h: run(h, 1.0) for h in (1e-3, 5e-4, 1e-4)})
