#!/bin/bash
#SBATCH --job-name=fleet
#SBATCH --ntasks=32
#SBATCH --time=02:00:00
#SBATCH --output=fleet-%j.log
# Each recording of a folder by itself: models, reports and identified.csv in OUTPUT. --resume leaves out what is done.
exec ${MPIRUN:-mpirun -q} "${STICKSLIP_MPI:-stickslip-mpi}" identify --each "${RECORDINGS:-logs}"/*.csv --mass "${MASS:-20 kg}" \
  --output "${OUTPUT:-fleet/}" --resume
