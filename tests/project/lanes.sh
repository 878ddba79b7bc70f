#!/bin/bash
# lanes.sh <nm> <object>...: objects compiled for wide instructions define no function that other objects may share.
# A shared (weak) one could be picked by the linker for everybody, and then stop a processor without those instructions.
nm=$1
shift
bad=0
for object in "$@"; do
  set_name=${object##*_}
  set_name=${set_name%%.*}
  while read -r _ kind name; do
    [[ $name == *"::$set_name::"* || $name == "$set_name::"* ]] && continue
    echo "${object##*/}: shares $kind $name"
    bad=1
  done < <("$nm" --demangle --defined-only "$object" | grep -E ' [WuT] ')
done
exit $bad
