# install.sh CMAKE BUILD PREFIX: a fresh installation of BUILD into PREFIX; it must not name the build or source tree.
set -eu
rm -rf "$3"
"$1" --install "$2" --prefix "$3"
source_tree=$(sed -n 's/^stickslip_SOURCE_DIR:STATIC=//p' "$2/CMakeCache.txt")
if grep -rIlF -e "$2" -e "$source_tree/" "$3" --include='*.cmake' --include='*.pc' --include='*.hpp'; then
  echo "the files above name the tree they were built in"
  exit 1
fi
