# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---
# %% [markdown]
# # A controller of one's own against a machine in hand
# The machine is held: every millisecond the controller reads position and velocity and sets the force. Each stick and release in
# between is located, however long a step is. A PD controller stops short of its goal, where friction holds; an integrator hunts
# around it.

# %%
import stickslip

axis = stickslip.machine({
    "title": "an axis to be positioned",
    "machine": {"kind": "applied-force", "mass": "20 kg"},
    "input": {"kind": "constant", "value": "0 N"},
    "friction": stickslip.models.stribeck(coulomb_force=20, stiction_force=30, stribeck_velocity=8e-3, viscosity=120),
    "run": {"duration": "10 s", "sample_interval": "10 ms"},
})


# %%
class PID:
    def __init__(self, stiffness, damping, integral):
        self.gains, self.sum = (stiffness, damping, integral), 0.0

    def __call__(self, error, velocity, period):
        stiffness, damping, integral = self.gains
        self.sum += integral * error * period
        return stiffness * error - damping * velocity + self.sum


def position(controller, goal=0.01, seconds=10.0, period=1e-3):
    motion = axis.motion()
    while motion.time < seconds - 1e-9:
        motion.set("input", controller(goal - motion["position"], motion["velocity"], period))
        if not motion.step(period):
            raise RuntimeError(motion.stop)
    return motion


# %%
for name, controller in {"PD": PID(2e4, 800, 0), "PID": PID(2e4, 800, 4e5)}.items():
    motion = position(controller)
    events = motion.take_events()
    sticks = sum(event.what == "stick" for event in events)
    print(f"{name}: {1e6 * (0.01 - motion['position']):.1f} um short of the goal, {sticks} sticks, {motion.mode}")

# %% [markdown]
# A motion can be saved, put back and copied: here two futures from one instant, bit for bit the same until their inputs differ.

# %%
motion = position(PID(2e4, 800, 0), seconds=1.0)
twin = motion.clone()
motion.set("input", 40.0), twin.set("input", -40.0)
motion.step(0.1), twin.step(0.1)
print(f"pushed {1e3 * motion['position']:.3f} mm, pulled {1e3 * twin['position']:.3f} mm")
