#!/bin/bash
# tests/cluster/jobs.sh PROGRAM SOURCE: the job scripts of examples/cluster, with the variables that the schedulers set, against one run.
program=$1 source=$2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit
fail() { echo "FAILED: $*"; exit 1; }
export STICKSLIP=$program SHARDS=3 OUTPUT=results/ SWEEP=$source/examples/sweeps/pulled_pair.toml
"$program" sweep "$SWEEP" -o whole/ >/dev/null || fail "the whole sweep"
jobs=$source/examples/cluster
SLURM_ARRAY_TASK_ID=1 SLURM_CPUS_PER_TASK=2 bash "$jobs/slurm_array.sh" >log 2>&1 || fail "slurm: $(<log)"
grep -qx 'shard 1 of 3, from SLURM_ARRAY_TASK_ID=1' log || fail "what was taken from where: $(<log)"
PBS_ARRAY_INDEX=3 bash "$jobs/pbs_array.sh" >log 2>&1 || fail "pbs: $(<log)"
again=$(bash "$jobs/slurm_merge.sh" 2>log)
[[ $? == 1 && $again == 2 ]] || fail "merge of two of three: '$again' $(<log)"
[[ ! -e results/pulled_pair.csv ]] || fail "merge wrote a part"
SGE_TASK_ID=$again bash "$jobs/sge_array.sh" >log 2>&1 || fail "sge: $(<log)"
bash "$jobs/slurm_merge.sh" >log 2>&1 || fail "merge: $(<log)"
for ending in csv npz svg; do
  cmp "whole/pulled_pair.$ending" "results/pulled_pair.$ending" || fail "other bytes"
done
echo "three shards of three schedulers are the bytes of one run"
