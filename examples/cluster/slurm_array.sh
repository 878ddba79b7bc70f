#!/bin/bash
#SBATCH --job-name=sweep
#SBATCH --array=1-7
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --output=sweep-%A_%a.log
# A sweep in seven shards. What ended early is submitted again with the same line, on the shards that slurm_merge.sh names:
#   sbatch --array=3,5-7 slurm_array.sh
# SHARDS is written out, since an array that is run again in part does not tell how many there were.
SHARDS=${SHARDS:-7}
exec "${STICKSLIP:-stickslip}" sweep "${SWEEP:-map.toml}" --output "${OUTPUT:-results/}" --shard "auto/$SHARDS" \
  --threads "${SLURM_CPUS_PER_TASK:-1}"
