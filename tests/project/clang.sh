# clang.sh TREE: the library and the program build with clang, where a warning is an error.
root=$1
source "$root/scripts/setup.sh"
(
  flock 9
  build_preset clang
) 9>"$root/build/clang.lock"
