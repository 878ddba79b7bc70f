"""Siconos on the random chain of 100 bodies: time stepping, one relay of 99 rows solved together in every step. Rows are scaled
by their levels, so that one pair of bounds serves all; torques change every 50 ms, a multiple of every step."""
import json
import os
import subprocess
from pathlib import Path

import contest
from siconos_rig import Rig, np, numerics

BODIES = 100
writer = Path(os.environ.get("STICKSLIP_PROGRAMS", "build/benchmark")) / "write_chain"
chain = {key: np.array(value) for key, value in
         json.loads(subprocess.run([writer, str(BODIES)], capture_output=True, check=True).stdout).items()}
torque = chain["torque"].reshape(-1, BODIES)
slips = chain["level"][:, None] * (np.eye(BODIES)[:-1] - np.eye(BODIES)[1:])


def run(h, solver):
    rig = Rig(h, float(chain["end"]) + h, np.diag(chain["inertia"]), np.zeros((BODIES, BODIES)),
              np.zeros((BODIES, BODIES)), chain["speed"], [slips], 1.0, solver)
    for held in torque:
        rig.force[:] = held
        for _ in range(round(float(chain["hold"]) / h)):
            rig.step()
    return float(np.abs(rig.body.velocity() - chain["final"]).max())


solvers = {"Lemke": numerics.SICONOS_RELAY_LEMKE, "PGS": numerics.SICONOS_RELAY_PGS,
           "Cao-Ferris": numerics.SICONOS_RELAY_AVI_CAOFERRIS}
contest.serve({f"Siconos Moreau-Jean, relay, {name}/{h:g}": lambda h=h, s=s: run(h, s)
               for h in (1e-2, 2.5e-3, 1e-3) for name, s in solvers.items()})
