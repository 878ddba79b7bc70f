# arrows.sh CMAKE TREE: an include against the arrows is refused by name; with the arrow it is accepted.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/src/core" "$scratch/src/machines"
printf '#include <vector>\n  #include "machines/spring_mass.hpp"\n' >"$scratch/src/core/wrong.hpp"
check() { "$1" -DFOLDER="$scratch/src/core" -DREACHABLE="$3" -P "$2/cmake/check_arrows.cmake" 2>&1; }

if said=$(check "$1" "$2" core); then
  echo "core may include machines, it seems"
  exit 1
fi
said=$(tr -s ' \n' ' ' <<<"$said")
[[ $said == *"src/core/wrong.hpp: includes machines/, but core may include only core"* ]] || { echo "said: $said"; exit 1; }
check "$1" "$2" core,machines
