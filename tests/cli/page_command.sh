#!/bin/bash
# page_command.sh PROGRAM FOLDER: `stickslip page` writes the page that lies where an installed or a built program looks for it, and says in one
# line what to do where there is none. A stand-in takes the place of the page.
set -u
program=$1 folder=$2
rm -rf "$folder" && mkdir -p "$folder/installed/bin" "$folder/build/release" && cd "$folder" || exit 1
cp "$program" installed/bin/stickslip && cp "$program" build/release/stickslip || exit 1
fail() { echo "page_command.sh: $*"; exit 1; }

for home in installed/bin build/release; do
  said=$("$home/stickslip" page out.html 2>&1)
  [[ $? == 2 ]] || fail "$home: no page is exit code 2, not $?: $said"
  [[ $said == "the page has not been built"*"./stickslip page OUT.html"* && $(wc -l <<<"$said") == 1 ]] || fail "$home: one line with what to do, not: $said"
  [[ ! -e out.html ]] || fail "$home: nothing is written"
done
mkdir -p installed/share/stickslip build/page
echo '<!doctype html>installed' >installed/share/stickslip/stickslip.html
echo '<!doctype html>built' >build/page/stickslip.html
for home in installed/bin build/release; do
  "$home/stickslip" page out.html >/dev/null || fail "$home: the page is not written"
  cmp -s out.html "$([[ $home == installed/bin ]] && echo installed/share/stickslip/stickslip.html || echo build/page/stickslip.html)" ||
    fail "$home: another page is written"
done
said=$(installed/bin/stickslip page nowhere/out.html 2>&1)
[[ $? == 2 && $said == *"nowhere"* ]] || fail "a folder that is not there is refused: $said"
echo "written where it is, refused in one line where not"
