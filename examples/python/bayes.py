# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Bayesian use of the likelihood
# `likelihood` gives the log-likelihood of a recording and its gradient as functions of the parameters, so that any sampler works.
# Here: Hamiltonian Monte Carlo in a few lines of NumPy, with flat priors. Steps are taken in coordinates in which the covariance
# of the fit is a ball, since two parameters that are hard to tell apart make a narrow valley.

# %%
import numpy as np

import stickslip

axis = stickslip.generate("servo-axis", seed=7)
found = stickslip.identify(axis.recording, mass=axis.mass, models="lugre")
likelihood = found.best.likelihood()
valley = np.linalg.cholesky(found.best.covariance)
print(", ".join(f"{key} [{unit}]" for key, unit in zip(likelihood.keys, likelihood.units)))


# %%
def at(z):
    """Log-likelihood and gradient in the coordinates of the ball."""
    value, gradient = likelihood.value_and_gradient(likelihood.fitted + valley @ z)
    return value, valley.T @ gradient


def sample(count, steps=9, length=0.2, seed=1):
    random = np.random.default_rng(seed)
    z = np.zeros(len(likelihood.keys))
    value, slope = at(z)
    chain, accepted = [], 0
    for _ in range(count):
        momentum = random.normal(size=z.size)
        energy = value - 0.5 * momentum @ momentum
        new, new_value, new_slope = z, value, slope
        for _ in range(steps):
            momentum = momentum + 0.5 * length * new_slope
            new = new + length * momentum
            new_value, new_slope = at(new)
            if not np.isfinite(new_value):  # outside the bounds: refused
                break
            momentum = momentum + 0.5 * length * new_slope
        if np.isfinite(new_value) and np.log(random.uniform()) < new_value - 0.5 * momentum @ momentum - energy:
            z, value, slope, accepted = new, new_value, new_slope, accepted + 1
        chain.append(likelihood.fitted + valley @ z)
    return np.array(chain), accepted / count


chain, accepted = sample(200)
print(f"{100 * accepted:.0f} % accepted")

# %% [markdown]
# The middle 95 % of the chain beside the interval of the fit.

# %%
for i, key in enumerate(likelihood.keys):
    low, high = np.percentile(chain[20:, i], [2.5, 97.5])
    fit = found.best[key]
    print(f"{key:20} chain {low:.5g} to {high:.5g}, fit {fit.low:.5g} to {fit.high:.5g} {fit.unit}")
