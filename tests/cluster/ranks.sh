#!/bin/bash
# tests/cluster/ranks.sh PROGRAM MPI_PROGRAM SOURCE [RANKS...]: stickslip-mpi against stickslip, byte by byte: every plan of a sweep, in lanes
# and one by one; identifications with candidates, bootstrap and profiles; lists of recordings; refusals. 1 to 4 ranks if none are given.
program=$1 mpi=$2 source=$3
shift 3
counts=("$@")
((${#counts[@]})) || counts=(1 2 3 4)
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit
failed=0 compared=0
wrong() { echo "FAILED: $*"; failed=1; }
ranks() { local n=$1; shift; timeout 300 mpirun -q --allow-run-as-root --oversubscribe -n "$n" "$@"; }
same() { ((++compared)); cmp "$1" "$2" || wrong "$3: $2"; }

source "$here/plans.sh"
for plan in "${plans[@]}"; do
  for way in "" --no-lanes; do
    "$program" sweep "$plan.toml" $way -o whole >/dev/null || wrong "$plan alone"
    for n in "${counts[@]}"; do
      rm -f out.*
      ranks "$n" "$mpi" sweep "$plan.toml" $way -o out >log 2>&1 || wrong "$plan on $n ranks: $(<log)"
      for ending in csv npz svg; do same "whole.$ending" "out.$ending" "$plan $way on $n ranks"; done
      [[ -e out.journal ]] && wrong "a journal is left"
    done
  done
done

# A journal of a shard that was begun alone goes on with ranks, and the other way round.
n=${counts[-1]}
"$program" sweep sobol.toml --no-lanes -o whole >/dev/null
"$program" sweep sobol.toml --no-lanes --shard 1/2 -o begun >/dev/null && mv begun.shard-1-of-2.journal out.journal
rm -f out.csv
ranks "$n" "$mpi" sweep sobol.toml --no-lanes -o out >log 2>&1 || wrong "going on: $(<log)"
grep -q 'of them taken from the journal' log || wrong "the journal was not used: $(<log)"
same whole.csv out.csv "begun alone, ended on $n ranks"
ranks "$n" "$mpi" sweep sobol.toml --no-lanes --shard 1/2 -o begun >log 2>&1 || wrong "a shard on ranks: $(<log)"
mv begun.shard-1-of-2.journal out.journal && rm out.csv
"$program" sweep sobol.toml --no-lanes -o out >log 2>&1
grep -q 'of them taken from the journal' log || wrong "the journal of ranks was not used: $(<log)"
same whole.csv out.csv "begun on $n ranks, ended alone"

# Identification: candidates; few candidates with bootstrap and profiles; a list of recordings.
"$program" generate servo-axis --duration '6 s' --seed 7 -o axis.csv >/dev/null
"$program" generate servo-axis --duration '6 s' --seed 8 -o other.csv >/dev/null
many=(identify axis.csv --mass '20 kg' --model coulomb-viscous --model stribeck --model dahl --model 'NLR(2)' -o m.toml)
few=(identify axis.csv --mass '20 kg' --model coulomb-viscous --bootstrap 24 --profile viscosity --profile coulomb_force -o m.toml)
each=(identify --each axis.csv other.csv --mass '20 kg' --model coulomb-viscous -o fleet)
for what in many few each; do
  declare -n command=$what
  rm -rf m.toml fleet
  "$program" "${command[@]}" >alone.txt 2>&1
  code=$?  # 1 where a recording is not explained
  rm -rf whole.toml whole_fleet
  [[ -e m.toml ]] && mv m.toml whole.toml
  [[ -e fleet ]] && mv fleet whole_fleet
  for n in "${counts[@]}"; do
    rm -rf m.toml fleet
    ranks "$n" "$mpi" "${command[@]}" >log 2>&1
    (($? == code)) || wrong "$what on $n ranks: another exit code: $(<log)"
    diff alone.txt log >/dev/null || wrong "$what on $n ranks says something else: $(diff alone.txt log | head -n 5)"
    if [[ $what == each ]]; then
      ((compared += $(ls fleet | wc -l)))
      diff -r whole_fleet fleet || wrong "$what on $n ranks: other files"
    else
      same whole.toml m.toml "$what on $n ranks"
    fi
  done
done

# Files are those of rank 0: another rank made an empty folder of its own, also where the job was refused.
mkdir one two
cp grid.toml s.toml one && cp grid.toml s.toml two && cp axis.csv one/axis.csv && cp other.csv two/axis.csv
apart() { timeout 100 mpirun -q --allow-run-as-root --oversubscribe -n 1 -wdir one "$mpi" "$@" : -n 1 -wdir two "$mpi" "$@"; }
apart sweep grid.toml -o out/ >log 2>&1 || wrong "two folders: $(<log)"
"$program" sweep grid.toml -o whole >/dev/null
same whole.csv one/out/grid.csv "two folders"
[[ -e two/out ]] && wrong "rank 1 made a folder"

# Refusals: one line, exit code 2, no hang.
refused() { # PATTERN RANKS ARGUMENTS...
  local pattern=$1 code
  shift
  "$@" >log 2>&1
  code=$?
  [[ $code == 2 && $(wc -l <log) == 1 ]] && grep -q "$pattern" log || wrong "refusal ($code): $(<log)"
  ((++compared))
}
refused 'no such file\|No such file\|cannot' ranks 2 "$mpi" sweep none.toml
refused 'not .simulate.' ranks 2 "$mpi" simulate s.toml
refused "no option '--sharx'" ranks 3 "$mpi" sweep grid.toml --sharx
# Ranks with different commands waited for each other without end; an unknown set of instructions ended in a stack trace.
rank=(mpirun -q --allow-run-as-root --oversubscribe -n 1)
refused 'command line: .*in rank 0.*in rank 1' timeout -s KILL 60 "${rank[@]}" "$mpi" sweep grid.toml : -n 1 "$mpi" sweep grid.toml \
  --common-instructions
refused 'command line: ' timeout -s KILL 60 "${rank[@]}" "$mpi" sweep grid.toml : -n 1 "$mpi" --help
STICKSLIP_INSTRUCTIONS=none refused "no instruction set 'none'" ranks 2 "$mpi" sweep grid.toml --common-instructions
# Recordings of one name and another content were shared out, and the results depended on which rank took them.
refused "recording 'axis.csv': crc32 .* in rank [01].*, crc32 .* in rank [01]" apart identify --each axis.csv --model coulomb -o fleet
sed -i 's/count = 8/count = 4/' two/grid.toml
refused 'sweep: .* in rank 0.*in rank 1\|sweep: .* in rank 1.*in rank 0' apart sweep grid.toml -o refused/
for folder in one/fleet two/fleet one/refused two/refused; do [[ -e $folder ]] && wrong "a refused job made $folder"; done
printf 'my notes\n' >taken.journal
refused 'taken.journal' ranks 2 "$mpi" sweep grid.toml -o taken
mixed=(timeout 100 mpirun -q --allow-run-as-root --oversubscribe -n 1 -x STICKSLIP_INSTRUCTIONS=baseline "$mpi" sweep grid.toml -o mixed : -n 1)
if [[ $("$program" sweep grid.toml --no-files --json | grep -o '"instructions": "[a-z0-9]*"') != *baseline* ]]; then
  refused 'vector instructions: .*in rank 1.*baseline in rank 0' "${mixed[@]}" "$mpi" sweep grid.toml -o mixed
  timeout 100 mpirun -q --allow-run-as-root --oversubscribe -n 1 -x STICKSLIP_INSTRUCTIONS=baseline "$mpi" sweep grid.toml \
    -o mixed --common-instructions : -n 1 "$mpi" sweep grid.toml -o mixed --common-instructions >log 2>&1 ||
    wrong "common instructions: $(<log)"
  STICKSLIP_INSTRUCTIONS=baseline "$program" sweep grid.toml -o narrow >/dev/null
  same narrow.csv mixed.csv "the narrowest set"
fi
((failed)) || echo "$compared comparisons on ${counts[*]} ranks: the same bytes"
exit $failed
