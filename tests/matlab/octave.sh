#!/bin/bash
# octave.sh PROGRAM SOURCE BUILD FOLDER: the mex is built against the library and tested in Octave.
set -e
program=$1 source=$2 build=$3 folder=$4
command -v mkoctfile >/dev/null && command -v octave-cli >/dev/null || { echo "no Octave with mkoctfile here"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
mkoctfile --mex -Wall -Wextra -I"$source/include" -o stickslip.mex "$source/matlab/stickslip_mex.c" -L"$build" -lstickslip -lpthread
"$program" simulate "$source/examples/stick_slip.toml" --mat -o run >/dev/null
"$program" generate servo-axis --seed 7 -o axis.csv >/dev/null
"$program" identify axis.csv --mass '20 kg' --model coulomb-viscous --model lugre --no-files --mat found.mat >/dev/null
/usr/bin/python3 - <<'END'
# Octave reads numbers only
lines = [line for line in open("axis.csv") if not line.startswith("#")]
names = lines[0].strip().split(",")
open("axis.txt", "w").writelines(lines[1:])
open("names.txt", "w").write("\n".join(names))
END
octave-cli --norc --no-history --eval "
  table = dlmread('axis.txt', ',');
  names = strsplit(strtrim(fileread('names.txt')), \"\n\");
  for i = 1:numel(names), data.(names{i}) = table(:, i); end
  save('-v7', 'axis.mat', '-struct', 'data');
  addpath('$source/tests/matlab');
  stickslip_test('$source');"
