# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Identify an axis
# From a recording of position and force to a friction model with what is known of it, a report and a model file. The recording
# here is generated, so that its truth is known; a file of one's own does as well: `stickslip.identify("axis.csv", mass="20 kg")`.

# %%
import stickslip

axis = stickslip.generate("servo-axis", seed=7)
axis.save("axis.csv")
stickslip.inspect("axis.csv")

# %% [markdown]
# Three candidates, to be done in seconds; without `models` all that the columns allow are tried.

# %%
found = stickslip.identify("axis.csv", mass=axis.mass, models=["coulomb-viscous", "stribeck", "lugre"], seed=1)
found

# %% [markdown]
# Every parameter has a value, an interval and a verdict.

# %%
for parameter in found.best.parameters.values():
    print(parameter)
true = axis.truth.parameters["coulomb_force"].value
low, high = found.best["coulomb_force"].interval
print(f"true Coulomb force {true:.4g} N, found between {low:.4g} N and {high:.4g} N")

# %% [markdown]
# The report opens in any browser; the model file goes into machines, on the command line and here.

# %%
found.report("axis.html")
found.save("axis.model.toml")
second = stickslip.generate("servo-axis", seed=8)
print(stickslip.validate("axis.model.toml", second.recording).verdict)
