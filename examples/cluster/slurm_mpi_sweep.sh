#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --ntasks=64
#SBATCH --time=01:00:00
#SBATCH --output=sweep-%j.log
# A sweep on 64 ranks. Submitted again it resumes from results/map.journal, on any number of ranks.
exec ${MPIRUN:-mpirun -q} "${STICKSLIP_MPI:-stickslip-mpi}" sweep "${SWEEP:-map.toml}" --output "${OUTPUT:-results/}"
