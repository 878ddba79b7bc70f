#!/bin/bash
# launcher.sh SOURCE PLACE: what ./stickslip builds and runs, in a small tree whose cmake only notes what it was asked to build and
# makes programs that say their name.
set -u
source=$1 place=$2
rm -rf "$place"
mkdir -p "$place/tree/src/cli" "$place/tree/include" "$place/tree/cmake" "$place/tree/scripts" "$place/bin"
place=$(cd "$place" && pwd -P)
tree=$place/tree
cp "$source/stickslip" "$source/packages.txt" "$tree/"
cp "$source/scripts/setup.sh" "$tree/scripts/"
cp "$source/src/cli/first_commands.txt" "$tree/src/cli/"
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json"

cat >"$place/bin/cmake" <<'CMAKE'
#!/bin/bash
# Configures: writes the cache. Builds: notes the target, takes a while, makes the program.
if [[ $1 == --preset ]]; then
  mkdir -p build/release
  echo "stickslip_SOURCE_DIR:STATIC=$PWD" >build/release/CMakeCache.txt
  exit
fi
folder=$2 target=all
[[ " $* " == *" --target "* ]] && target=${!#}
echo "$target" >>"$BUILDS"
sleep 0.2
for name in stickslip stickslip_first; do
  [[ $target == all && $name == stickslip || $target == "$name" ]] || continue
  printf '#!/bin/bash\necho "%s: $*"\n' $name >"$folder/$name.new"
  chmod +x "$folder/$name.new" && mv "$folder/$name.new" "$folder/$name"
done
CMAKE
printf '#!/bin/bash\nwhile (($#)); do shift; done; echo "installed "\n' >"$place/bin/dpkg-query"  # everything is there
chmod +x "$place/bin/"*
export PATH="$place/bin:$PATH" BUILDS="$place/builds"

failures=0
# expect WHAT WANTED FOUND
expect() {
  [[ $2 == "$3" ]] && return
  printf '%s:\n  expected %q\n  found    %q\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
# built: what was built since the last time it was asked.
built() { [[ -e $BUILDS ]] && tr '\n' ' ' <"$BUILDS"; rm -f "$BUILDS"; }
run() { "$tree/stickslip" "$@" 2>"$place/said"; }

first=$(head -n 1 "$tree/src/cli/first_commands.txt")
expect "a first command runs on the first program" "stickslip_first: $first -o x" "$(run "$first" -o x)"
expect "and only that is built" "stickslip_first " "$(built)"
expect "it is said" 1 "$(grep -c "building what '$first' needs" "$place/said")"
expect "a second time nothing is built" "stickslip_first: $first" "$(run "$first")"
expect "nothing" "" "$(built)"
expect "nothing is said" "" "$(cat "$place/said")"
for command in models --help help "" "${first}s"; do
  rm -rf "$tree/build"
  expect "'$command' runs on the whole program" "stickslip: $command" "$(run ${command:+"$command"})"
  expect "'$command' builds all" "all " "$(built)"
  expect "'$command' says so" 1 "$(grep -c "building all commands" "$place/said")"
done
rm -rf "$tree/build"
run "$first" >/dev/null
expect "a further command builds the whole program" "stickslip: models" "$(run models)"
expect "once" "stickslip_first all " "$(built)"
expect "then it runs the first commands, too" "stickslip: $first" "$(run "$first")"
expect "without building" "" "$(built)"

sleep 0.1
touch "$tree/src/cli/changed.cpp"
expect "a source is changed: a first command builds the first program" "stickslip_first: $first" "$(run "$first")"
expect "alone" "stickslip_first " "$(built)"
expect "another one builds all" "stickslip: models" "$(run models)"
expect "of it" "all " "$(built)"

rm -rf "$tree/build"
run "$first" >"$place/one" & run "$first" >"$place/other" & run "$first" >"$place/third" & wait
expect "three first calls at once" "stickslip_first: $first" "$(sort -u "$place/one" "$place/other" "$place/third")"
expect "build once" "stickslip_first " "$(built)"
rm -rf "$tree/build"
run models >"$place/one" & sleep 0.1; run "$first" >"$place/other" & wait
expect "who waits for the whole program" "stickslip: $first" "$(cat "$place/other")"
expect "runs it" "all " "$(built)"

mv "$tree" "$place/moved"
tree=$place/moved
expect "a moved tree builds again" "stickslip: models" "$(run models)"
expect "all" "all " "$(built)"
ln -sf "$tree/stickslip" "$place/bin/linked"
expect "a link runs it" "stickslip: models" "$(cd / && "$place/bin/linked" models)"

# Somebody else, who may not write here.
rm -rf "$tree/build"
run "$first" >/dev/null
built >/dev/null
if ((EUID == 0)); then
  other=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
else
  other=()
  chmod -R a-w "$tree"
fi
if "${other[@]}" test -r "$tree/stickslip"; then
  run_as_other() { "${other[@]}" "$tree/stickslip" "$@" 2>"$place/said"; }
  expect "a tree that may not be written runs what is built" "stickslip_first: $first" "$(run_as_other "$first")"
  expect "and refuses the rest" "" "$(run_as_other models)"
  expect "in one line" "stickslip: cannot write to $tree/build, where the build goes" "$(cat "$place/said")"
fi
chmod -R u+w "$tree"
exit $((failures > 0))
