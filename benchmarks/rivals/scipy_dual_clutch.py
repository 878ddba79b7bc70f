"""SciPy on the dual clutch: solve_ivp from event to event, each mode with its own right-hand side and events, a restart at every
breakpoint of the pressures and with short steps where a Stribeck peak begins; outputs every millisecond."""
import math

import contest

try:
    import numpy as np
    from scipy.integrate import solve_ivp
except ImportError:
    contest.absent("python3-scipy")

from clutch_rig import (B, BREAKS, BV, ENGINE, J1, J2, J3, JV, K, PEAK, PRESSURE_1, PRESSURE_3, R1, R3, SLIDING, STEPS,
                        STICTION, figures, piece)

OUTPUTS = np.arange(STEPS + 1) / 1000
SPEED_ROWS = [0, 1, 2, 5]


class Mode:
    """0: locked, otherwise the sign of the slip; `near`: inside the Stribeck peak."""

    def __init__(self):
        self.slip, self.near = [-1, 1], [False, False]

    def start(self, t):
        self.since = t
        self.pieces = piece(PRESSURE_1, t), piece(PRESSURE_3, t)

    def pressure(self, which, t):
        at, slope = self.pieces[which]
        return at + slope * (t - self.since)

    def torques(self, t, y):
        """Shafts, clutches, accelerations of the three bodies."""
        w1, w2, w3, phi1, phi3, wv = y
        t1, t3 = K * phi1 + B * (w1 - R1 * wv), K * phi3 + B * (w3 - R3 * wv)
        s1, s3 = self.slip
        c1 = s1 * self.pressure(0, t) * (SLIDING + (STICTION - SLIDING) * math.exp(-((w1 - w2) ** 2))) if s1 else 0.0
        c3 = s3 * self.pressure(1, t) * (SLIDING + (STICTION - SLIDING) * math.exp(-((w2 - w3) ** 2))) if s3 else 0.0
        if s1 and s3:
            return t1, t3, c1, c3, (-t1 - c1) / J1, (ENGINE + c1 - c3) / J2, (c3 - t3) / J3
        if s3:
            a = (ENGINE - t1 - c3) / (J1 + J2)
            return t1, t3, -t1 - J1 * a, c3, a, a, (c3 - t3) / J3
        if s1:
            a = (ENGINE + c1 - t3) / (J2 + J3)
            return t1, t3, c1, t3 + J3 * a, (-t1 - c1) / J1, a, a
        a = (ENGINE - t1 - t3) / (J1 + J2 + J3)
        return t1, t3, -t1 - J1 * a, t3 + J3 * a, a, a, a

    def rates(self, t, y):
        y = y.tolist()
        t1, t3, _, _, a1, a2, a3 = self.torques(t, y)
        return a1, a2, a3, y[0] - R1 * y[5], y[2] - R3 * y[5], (R1 * t1 + R3 * t3 - BV * y[5]) / JV

    def guards(self):
        """Per clutch when it leaves its mode, and when it enters or leaves its peak; what each belongs to."""
        found = []

        def add(guard, direction, which, peak):
            guard.terminal, guard.direction = True, direction
            found.append((guard, which, peak))

        for which in (0, 1):
            if self.slip[which]:
                add(lambda t, y, w=which: self.slip[w] * (y[w] - y[w + 1]), -1, which, False)
                add(lambda t, y, w=which: abs(y[w] - y[w + 1]) - PEAK, 1 if self.near[which] else -1, which, True)
            else:
                add(lambda t, y, w=which: STICTION * self.pressure(w, t) - abs(self.torques(t, y)[2 + w]), -1, which, False)
        return found

    def switch(self, which, t, y):
        """Clutch `which` is at rest or at its level: what becomes of it."""
        if not self.slip[which]:
            self.slip[which], self.near[which] = (1 if self.torques(t, y)[2 + which] > 0 else -1), True
            return
        came, self.slip[which] = self.slip[which], 0
        if abs(self.torques(t, y)[2 + which]) > STICTION * self.pressure(which, t):
            self.slip[which] = -came
            return
        left, right = (J1, J2) if which == 0 else (J2, J3)
        y[which] = y[which + 1] = (left * y[which] + right * y[which + 1]) / (left + right)


def run(method, tolerance):
    mode, y, t, events = Mode(), [0.0, 100.0, 0.0, 0.0, 0.0, 0.0], 0.0, []
    speeds, kept = np.empty((STEPS + 1, 4)), 1
    speeds[0] = 0.0, 100.0, 0.0, 0.0
    for until in BREAKS:
        mode.start(t)
        while t < until and len(events) < 100:
            guards = mode.guards()
            near = any(s and n for s, n in zip(mode.slip, mode.near))
            found = solve_ivp(mode.rates, (t, until), y, method, OUTPUTS[kept:round(1000 * until) + 1],
                              events=[g[0] for g in guards], rtol=tolerance, atol=1e-3 * tolerance,
                              max_step=2e-3 if near else math.inf)
            count = len(found.t)
            if count:
                speeds[kept:kept + count] = found.y[SPEED_ROWS].T
            kept += count
            t, y = until, found.y[:, -1].tolist() if count else y
            for moments, states in zip(found.t_events, found.y_events):
                if moments.size:
                    t, y = moments[0], states[0].tolist()
            for (_, which, peak), moments in zip(guards, found.t_events):
                if moments.size and peak:
                    mode.near[which] = not mode.near[which]
                elif moments.size:
                    mode.switch(which, t, y)
                    events.append(t)
        t = until
    return figures(events, speeds)


contest.serve({f"SciPy solve_ivp {method}, events/rtol {t:.0e}": lambda m=method, t=t: run(m, t)
               for method in ("RK45", "DOP853", "LSODA") for t in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)})
