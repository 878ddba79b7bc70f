"""Siconos' time stepping (Moreau-Jean) on a linear mechanism with friction as relays.

  M q'' + C q' + K q = f + H' p,   p_i from a relay of the slip (H q')_i within +-level_i
Levels and forces may change from step to step. An impulse, not a force, is what a relay bounds here, hence the factor h.
Siconos makes a relation take part only where its gap y is closed, so y gets an offset that keeps it closed for ever.
Its event-driven scheme knows impacts but no relays, so it cannot run these rigs."""
import contest

try:
    import numpy as np
    import siconos.kernel as kernel
    import siconos.numerics as numerics
except ImportError:
    contest.absent("python3-siconos")

CLOSED = -1e3


class Rig:
    """relays: per interaction the rows of H; each interaction has one level."""

    def __init__(self, h, end, mass, stiffness, damping, start_velocity, relays, theta):
        self.h = h
        size = len(mass)
        self.body = kernel.LagrangianLinearTIDS(np.zeros(size), np.array(start_velocity, float), np.array(mass, float),
                                                np.array(stiffness, float), np.array(damping, float))
        self.body.setFExtPtr(np.zeros(size))
        self.force = self.body.fExt()  # the vector that Siconos itself reads
        system = kernel.NonSmoothDynamicalSystem(0.0, end)
        system.insertDynamicalSystem(self.body)
        self.laws, self.interactions = [], []
        for rows in relays:
            rows = np.array(rows, float)
            self.laws.append(kernel.RelayNSL(len(rows), -h, h))
            relation = kernel.LagrangianLinearTIR(rows, np.full(len(rows), CLOSED))
            self.interactions.append(kernel.Interaction(self.laws[-1], relation))
            system.link(self.interactions[-1], self.body)
        self.stepping = kernel.TimeStepping(system, kernel.TimeDiscretisation(0.0, h), kernel.MoreauJeanOSI(theta),
                                            kernel.Relay(numerics.SICONOS_RELAY_LEMKE))

    def set_level(self, which, level):
        self.laws[which].setLb(-level * self.h)
        self.laws[which].setUb(level * self.h)

    def step(self):
        self.stepping.computeOneStep()
        self.stepping.nextStep()
