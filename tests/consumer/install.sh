# install.sh CMAKE BUILD PREFIX: a fresh installation of BUILD into PREFIX; it must not name the build or source tree.
set -eu
rm -rf "$3"
"$1" --install "$2" --prefix "$3"
source_tree=$(sed -n 's/^stickslip_SOURCE_DIR:STATIC=//p' "$2/CMakeCache.txt")
if grep -rIlF -e "$2" -e "$source_tree/" "$3" --include='*.cmake' --include='*.pc' --include='*.hpp'; then
  echo "the files above name the tree they were built in"
  exit 1
fi
# The program's own part, which is a Debian package, has what the program needs: FMUs can be made with it.
if [[ -x $2/stickslip ]]; then
  rm -rf "$3.program"
  "$1" --install "$2" --prefix "$3.program" --component program >/dev/null
  "$3.program/bin/stickslip" export "$source_tree/examples/stick_slip.toml" --fmu "$3.program/stick_slip.fmu" >/dev/null
  rm -rf "$3.program"
fi
