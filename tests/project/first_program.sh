#!/bin/bash
# first_program.sh WHOLE FIRST COMMANDS PLACE: the first program says and writes what the whole one does, byte for byte, and has the
# commands of the file COMMANDS.
set -u
whole=$1 first=$2 commands=$3 place=$4
rm -rf "$place"
mkdir -p "$place/whole" "$place/first"
failures=0
# same ARGUMENTS...: both programs, each in its folder, say the same and end alike.
same() {
  local name
  for name in whole first; do
    (cd "$place/$name" && "${!name}" "$@" >"../$name.out" 2>"../$name.err"; echo $? >"../$name.rc")
  done
  for kind in out err rc; do
    cmp -s "$place/whole.$kind" "$place/first.$kind" && continue
    echo "stickslip $*: the first program differs ($kind):"
    diff "$place/whole.$kind" "$place/first.$kind" | head -n 5
    failures=$((failures + 1))
  done
}
while read -r command; do same "$command" --help; done <"$commands"
same demo
[[ $(cat "$place/first.rc") == 0 ]] || { echo "demo failed"; failures=$((failures + 1)); }
same inspect stickslip_demo/first.csv
same inspect stickslip_demo/first.csv --json --report inspect.html
same inspect nothing.csv
same demo --jsn
diff -r "$place/whole" "$place/first" || failures=$((failures + 1))
[[ -s $place/first/stickslip_demo/validation.html && -s $place/first/inspect.html ]] || { echo "no report"; failures=$((failures + 1)); }
exit $((failures > 0))
