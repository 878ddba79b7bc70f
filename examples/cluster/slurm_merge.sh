#!/bin/bash
#SBATCH --job-name=merge
#SBATCH --time=00:10:00
#SBATCH --output=merge-%j.log
# The shards of slurm_array.sh put together:
#   sbatch --dependency=afterany:ARRAY_JOB slurm_merge.sh
# Exit code 1 if runs are missing; the last line is then the array to submit again:
#   sbatch --array=3,5-7 slurm_array.sh
exec "${STICKSLIP:-stickslip}" merge "${SWEEP:-map.toml}" --output "${OUTPUT:-results/}" --shards "${SHARDS:-7}"
