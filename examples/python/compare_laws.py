# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Compare laws
# One motion, several friction laws: what each makes of a slow reversal, and which properties of real friction each has.

# %%
import numpy as np

import stickslip
from stickslip import models

laws = {
    "Coulomb": models.coulomb_viscous(coulomb_force=20, viscosity=120),
    "Dahl": models.dahl(bristle_stiffness=1.5e6, coulomb_force=20, viscosity=120),
    "LuGre": models.lugre(bristle_stiffness=1.5e6, bristle_damping=1200, coulomb_force=20, stiction_force=30,
                          stribeck_velocity=8e-3, viscosity=120),
}
time = np.arange(0, 4, 1e-4)
position = 100e-6 * np.sin(2 * np.pi * time)
forces = {name: law.respond(time, position) for name, law in laws.items()}

# %%
for name, force in forces.items():
    loss = np.sum(force[1:] * np.diff(position)) / 4
    print(f"{name:8}  largest force {np.max(np.abs(force)):6.2f} N, loss per cycle {1e3 * loss:.3f} mJ")

# %%
card = stickslip.check(["coulomb-viscous", "dahl"])
card

# %% [markdown]
# Drawn where matplotlib is installed.

# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
if plt:
    for name, force in forces.items():
        plt.plot(1e6 * position[10000:], force[10000:], label=name)
    plt.xlabel("position [um]"), plt.ylabel("friction [N]"), plt.legend()
    plt.savefig("laws.png")
