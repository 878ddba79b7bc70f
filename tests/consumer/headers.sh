# headers.sh COMPILER PREFIX: what is installed is a small public face, at most ten headers, and below detail/ what they need;
# every public header compiles alone, without a library that its user would have to install, and in the time of a sip: the whole
# library as one include costs less than two seconds.
set -eu
compiler=$1 include=$(dirname "$(dirname "$(find "$2" -path '*/stickslip/stickslip.hpp')")")
public=("$include"/stickslip/*.hpp)
if ((${#public[@]} > 10)); then
  echo "${#public[@]} public headers, at most 10: ${public[*]##*/}"
  exit 1
fi
bad=0
for entry in "$include"/stickslip/*; do
  [[ $entry == *.hpp || $entry == */c_interface.h || $entry == */detail ]] || { echo "$entry is neither a public header, the C interface nor detail/"; bad=1; }
done
alone() {
  echo "#include <${1#"$include/"}>" |
    "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -I "$include" -x c++ -fsyntax-only -
}
export -f alone
export include compiler
printf '%s\n' "${public[@]}" | xargs -P "$(nproc)" -I {} bash -c 'alone {}' || bad=1
if echo '#include <stickslip/stickslip.hpp>' | "$compiler" -std=c++20 -I "$include" -x c++ -M - | grep -E '/(Eigen|eigen3|toml\+\+|CLI)/|/zlib.h'; then
  echo "the files above belong to other libraries; a user would have to install them"
  bad=1
fi
TIMEFORMAT=%U
seconds=$({ time echo '#include <stickslip/stickslip.hpp>' | "$compiler" -std=c++20 -I "$include" -x c++ -fsyntax-only -; } 2>&1)
echo "#include <stickslip/stickslip.hpp>: $seconds s"
awk -v s="$seconds" 'BEGIN { exit !(s < 4) }' || { echo "more than 2 s, even on a machine that is twice as slow"; bad=1; }
exit $bad
