"""The dual clutch of benchmarks/dual_clutch.cpp for rivals in Python: numbers, pressures, its outputs and its events."""
import contest

try:
    import numpy as np
except ImportError:
    contest.absent("python3-numpy")

ENGINE, J1, J2, J3, K, B, R1, R3, JV, BV = 400.0, 0.03, 0.25, 0.03, 150.0, 3.0, 8.0, 5.0, 150.0, 25.0
SLIDING, STICTION, PEAK = 500.0, 600.0, 5.0
BREAKS = (0.4, 4.0, 4.1, 4.3, 4.5, 7.0, 7.1, 7.3, 7.5, 10.0)
PRESSURE_1 = ((0, 0.4, 4, 4.3, 7.1, 7.5, 10), (0, 1, 1, 0, 0, 1, 1))
PRESSURE_3 = ((0, 4.1, 4.5, 7, 7.3, 10), (0, 0, 1, 1, 0, 0))
EVENTS = (0.900573469, 4.111406346, 4.708647209, 5.134981462, 7.101064845, 7.257116376, 7.312309469, 7.613951540)
STEPS = 10000  # outputs every millisecond
SPEEDS = np.column_stack([contest.reference("clutch")[name]
                          for name in ("shaft_1_speed", "engine_speed", "shaft_3_speed", "vehicle_speed")])


def piece(table, t):
    """Value at t and slope of the piece that begins at or contains t."""
    times, values = table
    i = max(k for k in range(len(times) - 1) if times[k] <= t + 1e-12)
    slope = (values[i + 1] - values[i]) / (times[i + 1] - times[i])
    return values[i] + slope * (t - times[i]), slope


def figures(events, speeds):
    """The errors of a run: of the four speeds at its outputs [rad/s], and of its events [s], where others than these eight are
    wrong by a second at least."""
    late = [abs(a - b) for a, b in zip(events, EVENTS)]
    return {"error": float(np.abs(np.asarray(speeds) - SPEEDS).max()), "events": len(events),
            "error_s": max(late + [1.0 if len(events) != len(EVENTS) else 0.0])}
