#!/bin/bash
#PBS -N sweep
#PBS -J 1-7
#PBS -j oe
# A sweep in seven shards; missing ones again: qsub -J 3-5 pbs_array.sh. Torque: -t instead of -J.
cd "${PBS_O_WORKDIR:-.}" || exit
exec "${STICKSLIP:-stickslip}" sweep "${SWEEP:-map.toml}" --output "${OUTPUT:-results/}" --shard "auto/${SHARDS:-7}" \
  --threads "${NCPUS:-1}"
