#!/bin/bash
#$ -N sweep
#$ -t 1-7
#$ -cwd
#$ -j y
# A sweep in seven shards; missing ones again: qsub -t 3 sge_array.sh. Grid Engine takes one range at a time.
exec "${STICKSLIP:-stickslip}" sweep "${SWEEP:-map.toml}" --output "${OUTPUT:-results/}" --shard "auto/${SHARDS:-7}" \
  --threads "${NSLOTS:-1}"
