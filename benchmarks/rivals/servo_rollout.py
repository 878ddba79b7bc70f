"""64 roll-outs of 1200 steps of the servo with a pendulum, vectorised over the logs with NumPy: the rival of
benchmarks/servo_rollout.cpp, same equations, same step, same logs. Prints the time and the sum of the last angles."""

import time

import numpy as np

MASS, LENGTH, ARMATURE, TORQUE_CONSTANT, RESISTANCE = 0.49, 0.1, 1.751e-3, 0.3783, 2.597
SUPPLY_RESISTANCE, COULOMB, LOAD, RISE, STRIBECK_SPEED, VISCOSITY = 2.314, 8.694e-3, 0.272, 0.4332, 0.5053, 5.068e-3
H, VOLTAGE, STEPS = 0.005, 7.4, 1200

k = np.arange(64.0)
gain = (100 + 10 * k) * 4096 / (2 * np.pi * 256 * 885)
goal = 1.5 * np.sin(H * np.arange(STEPS + 1)[:, None] * (1 + 0.1 * k))


def roll_out():
    load = MASS * LENGTH**2
    inertia, weight = load + ARMATURE, H * MASS * LENGTH * 9.80665
    drive = H * TORQUE_CONSTANT / RESISTANCE
    braking, ratio = 0.5 * drive * TORQUE_CONSTANT, SUPPLY_RESISTANCE / RESISTANCE
    before, after = inertia - 0.5 * H * VISCOSITY, inertia + 0.5 * H * VISCOSITY
    angle, speed = np.zeros(64), np.zeros(64)
    for i in range(STEPS):
        middle = angle + 0.5 * H * speed
        duty = np.clip(gain * (0.5 * (goal[i] + goal[i + 1]) - middle), -1, 1)
        scale = 1 + ratio * np.abs(duty)
        driving = drive * VOLTAGE * duty
        falling = -weight * np.sin(middle) * scale
        carried = load / inertia * (driving - 2 * braking * speed) - ARMATURE / inertia * falling
        most = (H * COULOMB * scale + LOAD * np.abs(carried)) * (1 + RISE * np.exp(-((speed / STRIBECK_SPEED) ** 2)))
        free = (before * scale - braking) * speed + driving + falling
        speed = (free - np.clip(free, -most, most)) / (after * scale + braking)
        angle = middle + 0.5 * H * speed
    return angle


def main():
    best = np.inf
    for _ in range(20):
        start = time.perf_counter()
        last = roll_out()
        best = min(best, time.perf_counter() - start)
    print(f"NumPy {best * 1e3:.3f} ms, sum of last angles {last.sum():.9g}")


if __name__ == "__main__":
    main()
