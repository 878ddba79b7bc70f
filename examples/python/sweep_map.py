# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # A sweep as a heat map
# Where does a mass that is pulled through a spring stick and slip? 1 600 runs over stiffness and speed, side by side in SIMD lanes.

# %%
import numpy as np

import stickslip

stiffness, speed = np.meshgrid(np.geomspace(1, 100, 40), np.geomspace(0.01, 1, 40), indexing="ij")
found = stickslip.batch(
    "stribeck", end=60, observe_from=40, stiffness=stiffness.ravel(), pull_speed=speed.ravel(), mass=1.0,
    coulomb_force=1.0, stiction_force=1.5, stribeck_velocity=0.1, viscosity=0.4)
sticks = (found["least_velocity"] == 0).reshape(stiffness.shape)
amplitude = found["amplitude"].reshape(stiffness.shape)
print(f"{np.count_nonzero(sticks)} of {sticks.size} stick; largest amplitude {np.max(amplitude):.3g} m")

# %% [markdown]
# Any machine can be swept with arrays of its numbers, one by one on all cores.

# %%
machine = stickslip.machine({
    "machine": {"kind": "pulled-spring", "mass": 1.0, "stiffness": 2.0},
    "input": {"kind": "ramp", "rate": 0.1},
    "friction": stickslip.models.stribeck(coulomb_force=1, stiction_force=1.5, stribeck_velocity=1e-3, viscosity=0.4),
    "run": {"duration": 40.0, "sample_interval": 0.01},
})
few = stickslip.sweep(machine, {"machine.mass": [0.5, 1.0, 2.0, 4.0]}, ["period", "max velocity"])
for mass, period in zip([0.5, 1.0, 2.0, 4.0], few["period"]):
    print(f"{mass} kg: a slip every {period:.3f} s")

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
if plt:
    plt.pcolormesh(stiffness, speed, np.where(sticks, amplitude, np.nan))
    plt.xscale("log"), plt.yscale("log")
    plt.xlabel("stiffness [N/m]"), plt.ylabel("speed [m/s]"), plt.colorbar(label="amplitude [m]")
    plt.savefig("map.png")
