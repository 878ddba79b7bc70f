# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # Bayesian use of the likelihood
# `likelihood` gives the log-likelihood of a recording and its gradient as functions of the parameters, so that any sampler works.
# Here: Hamiltonian Monte Carlo in a few lines of NumPy, flat priors, steps scaled by the standard errors of the fit.

# %%
import numpy as np

import stickslip

axis = stickslip.generate("servo-axis", seed=7)
found = stickslip.identify(axis.recording, mass=axis.mass, models="lugre")
likelihood = found.best.likelihood()
scale = np.sqrt(np.diag(found.best.covariance))
free = np.isfinite(scale) & (scale > 0)  # what lies at a bound stays there
print("free:", [key for key, is_free in zip(likelihood.keys, free) if is_free])


# %%
def sample(count, steps=8, length=0.25, seed=1):
    random = np.random.default_rng(seed)
    at, (value, slope) = likelihood.fitted.copy(), likelihood.value_and_gradient(likelihood.fitted)
    chain, accepted = [], 0
    for _ in range(count):
        momentum = random.normal(size=at.size) * free
        new, new_value, new_slope, energy = at.copy(), value, slope, value - 0.5 * momentum @ momentum
        for _ in range(steps):
            momentum = momentum + 0.5 * length * scale * new_slope * free
            new = new + length * scale * momentum * free
            new_value, new_slope = likelihood.value_and_gradient(new)
            if not np.isfinite(new_value):
                break
            momentum = momentum + 0.5 * length * scale * new_slope * free
        if np.log(random.uniform()) < new_value - 0.5 * momentum @ momentum - energy:
            at, value, slope, accepted = new, new_value, new_slope, accepted + 1
        chain.append(at)
    return np.array(chain), accepted / count


chain, accepted = sample(200)
print(f"{100 * accepted:.0f} % accepted")

# %% [markdown]
# The middle 95 % of the chain beside the interval of the fit.

# %%
for i, key in enumerate(likelihood.keys):
    if free[i]:
        low, high = np.percentile(chain[50:, i], [2.5, 97.5])
        fit = found.best[key]
        print(f"{key:20} chain {low:.5g} to {high:.5g}, fit {fit.low:.5g} to {fit.high:.5g} {fit.unit}")
