#!/bin/bash
# tests/cluster/slurm.sh PROGRAM MPI_PROGRAM SOURCE: the job scripts of examples/cluster on a real SLURM of one machine, which this script
# starts and ends (as root, with the package slurm-wlm). Exit code 77 if that cannot be. Not a part of ./test.
program=$1 mpi=$2 source=$3
for needed in slurmctld slurmd munged sbatch; do
  command -v $needed >/dev/null || { echo "no $needed: install slurm-wlm"; exit 77; }
done
((EUID == 0)) || { echo "must be root to start SLURM"; exit 77; }
work=$(mktemp -d) && chmod 755 "$work" && cd "$work" && mkdir state spool log || exit
host=$(hostname -s)
export SLURM_CONF=$work/slurm.conf
cat >slurm.conf <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
dd if=/dev/urandom of=munge.key bs=128 count=1 2>/dev/null && chmod 400 munge.key
stop() {
  for name in slurmd slurmctld munged; do [[ -s $work/$name.pid ]] && kill "$(<"$work/$name.pid")" 2>/dev/null; done
  sleep 1
  rm -rf "$work"
}
trap stop EXIT
munged --force --key-file "$work/munge.key" --socket "$work/munge.socket" --pid-file "$work/munged.pid" \
  --log-file "$work/log/munged" --seed-file "$work/munge.seed" || exit 77
slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || { cat log/*; exit 77; }
for _ in {1..60}; do timeout 5 sinfo -h -o %t 2>/dev/null | grep -qx idle && break; sleep 1; done
timeout 5 sinfo -h -o %t | grep -qx idle || { echo "SLURM does not start"; cat log/*; exit 77; }

fail() { echo "FAILED: $*"; cat "$work"/*.log 2>/dev/null; exit 1; }
export STICKSLIP=$program STICKSLIP_MPI=$mpi SHARDS=3 OUTPUT=$work/results/ SWEEP=$source/examples/sweeps/pulled_pair.toml
export MPIRUN="mpirun -q --allow-run-as-root --oversubscribe"
jobs=$source/examples/cluster
"$program" sweep "$SWEEP" -o whole/ >/dev/null || fail "the whole sweep"
# Two of three shards; merge says which one is missing; that one again; merge.
timeout 300 sbatch --wait --array=1,3 --cpus-per-task=1 "$jobs/slurm_array.sh" >/dev/null || fail "array"
timeout 300 sbatch --wait --cpus-per-task=1 "$jobs/slurm_merge.sh" >/dev/null && fail "merge of two of three"
again=$(tail -qn 1 merge-*.log)
[[ $again == 2 ]] || fail "to run again: $again"
timeout 300 sbatch --wait --array="$again" --cpus-per-task=1 "$jobs/slurm_array.sh" >/dev/null || fail "array again"
timeout 300 sbatch --wait --cpus-per-task=1 "$jobs/slurm_merge.sh" >/dev/null || fail "merge"
for ending in csv npz svg; do cmp "whole/pulled_pair.$ending" "results/pulled_pair.$ending" || fail "other bytes"; done
# Ranks of one job.
OUTPUT=$work/ranks/ timeout 300 sbatch --wait --ntasks=2 "$jobs/slurm_mpi_sweep.sh" >/dev/null || fail "ranks"
for ending in csv npz svg; do cmp "whole/pulled_pair.$ending" "ranks/pulled_pair.$ending" || fail "other bytes of ranks"; done
# An identification with bootstrap and a folder of recordings, each as a job of ranks. Models and reports quote the command, which differs.
mkdir logs
"$program" generate servo-axis --duration '6 s' --seed 7 -o logs/axis.csv >/dev/null || fail "a recording"
"$program" generate servo-axis --duration '6 s' --seed 8 -o logs/other.csv >/dev/null || fail "a recording"
"$program" identify logs/axis.csv --mass '20 kg' --model lugre --bootstrap 8 -o whole.toml >/dev/null || fail "identify"
RECORDING=logs/axis.csv REPETITIONS=8 OUTPUT=ranks.toml timeout 600 sbatch --wait --ntasks=2 "$jobs/slurm_mpi_identify.sh" >/dev/null || fail "identify on ranks"
diff --ignore-matching-lines="stickslip identify .*logs" whole.toml ranks.toml || fail "other bytes of identify"
"$program" identify --each logs/*.csv --mass '20 kg' -o whole_fleet/ >/dev/null || fail "identify --each"
RECORDINGS=logs OUTPUT=fleet/ timeout 600 sbatch --wait --ntasks=2 "$jobs/slurm_mpi_recordings.sh" >/dev/null || fail "recordings on ranks"
diff -r --ignore-matching-lines="stickslip identify .*logs" whole_fleet fleet || fail "other bytes of recordings"
echo "SLURM $(sinfo --version): an array of shards, a part of it again, merge, and ranks for a sweep, a bootstrap and a folder of recordings: the bytes of one run"
