#!/bin/bash
# tests/cluster/shards.sh PROGRAM [SHARDS...]: every plan of a sweep in shards that are merged, against one run, byte by byte; the last shard is
# killed on its way and begun again. 1 to 7 shards if none are given.
program=$1
shift
counts=("$@")
((${#counts[@]})) || counts=(1 2 3 4 5 6 7)
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit
failed=0 compared=0
wrong() { echo "FAILED: $*"; failed=1; }

source "$here/plans.sh"
for plan in "${plans[@]}"; do
  for way in "" --no-lanes; do
    "$program" sweep "$plan.toml" $way -o whole >/dev/null || wrong "$plan alone"
    for n in "${counts[@]}"; do
      rm -f out.*
      for ((i = 1; i < n; ++i)); do
        "$program" sweep "$plan.toml" $way --shard "$i/$n" -o out >log 2>&1 || wrong "$plan, shard $i of $n: $(<log)"
      done
      "$program" sweep "$plan.toml" $way --shard "$n/$n" -o out >/dev/null 2>&1 &
      sleep 0.0$((RANDOM % 9 + 1))
      kill -9 $! 2>/dev/null
      wait $! 2>/dev/null
      "$program" sweep "$plan.toml" $way --shard "$n/$n" -o out >log 2>&1 || wrong "$plan, shard $n of $n again: $(<log)"
      "$program" merge "$plan.toml" $way out.shard-*-of-"$n".journal -o out >log 2>&1 || wrong "$plan, merge of $n: $(<log)"
      for ending in csv npz svg; do
        ((++compared))
        cmp "whole.$ending" "out.$ending" || wrong "$plan $way in $n shards: $ending"
      done
    done
  done
done
((failed)) || echo "$compared files of ${counts[*]} shards: the bytes of one run"
exit $failed
