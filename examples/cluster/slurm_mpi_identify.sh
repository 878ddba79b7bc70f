#!/bin/bash
#SBATCH --job-name=identify
#SBATCH --ntasks=32
#SBATCH --time=02:00:00
#SBATCH --output=identify-%j.log
# One recording, LuGre with a thousand repetitions of the bootstrap on 32 ranks. --resume continues an earlier job that was ended.
exec ${MPIRUN:-mpirun -q} "${STICKSLIP_MPI:-stickslip-mpi}" identify "${RECORDING:-axis.csv}" --mass "${MASS:-20 kg}" \
  --model lugre --bootstrap "${REPETITIONS:-1000}" --output "${OUTPUT:-axis.model.toml}" --resume
