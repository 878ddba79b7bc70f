# Sourced by ./stickslip, ./test and scripts/*: installs packages, builds a preset. Set `root` to the
# project's folder first. All messages go to stderr; the program's output stays alone on stdout.

say() { printf 'stickslip: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

# packages_for PURPOSE...: the names in packages.txt that serve one of the purposes.
packages_for() {
  local name purpose wanted
  while read -r name purpose; do
    [[ -z $name || $name == \#* ]] && continue
    for wanted in "$@"; do [[ $purpose == "$wanted" ]] && echo "$name"; done
  done <"$root/packages.txt"
}

# packages_are_known_installed PURPOSES: true if nothing was installed, removed or listed since the last
# look. Costs three file times, no process.
packages_are_known_installed() {
  local seen="$root/build/packages-${1// /-}"
  [[ -e $seen && ! $root/packages.txt -nt $seen && ! /var/lib/dpkg/status -nt $seen ]]
}

# install_packages PURPOSE...: installs what is missing, says what, asks nothing.
install_packages() {
  packages_are_known_installed "$*" && return
  local seen="$root/build/packages-${*// /-}" log="$root/build/packages.log"
  local wanted missing name
  mapfile -t wanted < <(packages_for "$@")
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here; needed are the equivalents of: ${wanted[*]}"
    return
  fi
  (
    flock 8
    missing=()
    for name in "${wanted[@]}"; do
      [[ " $(dpkg-query -W -f '${db:Status-Status} ' "$name" 2>/dev/null)" == *" installed "* ]] || missing+=("$name")
    done
    if ((${#missing[@]})); then
      local as_root=()
      if ((EUID != 0)); then
        # Without a terminal sudo may not ask for a password.
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
          as_root=(sudo)
        else
          fail "needs root to install missing packages: apt-get install ${missing[*]}"
        fi
      fi
      say "installing ${missing[*]}"
      apt_get() {
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -y "$@" \
          </dev/null >>"$log" 2>&1
      }
      : >"$log"
      # The package lists may be absent or old: fetch them only if the first try fails.
      apt_get install --no-install-recommends "${missing[@]}" ||
        { apt_get update && apt_get install --no-install-recommends "${missing[@]}"; } ||
        fail "could not install ${missing[*]}; $(grep -m1 '^E:' "$log" || echo 'apt-get failed'); see $log"
    fi
    touch "$seen"
  ) 8>"$root/build/packages.lock" || exit
}

# make_build_folder: build/ exists and is ours to write.
make_build_folder() {
  mkdir -p "$root/build" 2>/dev/null && [[ -w $root/build ]] || fail "cannot write to $root/build, where the build goes"
}

# jobs_for_this_machine: how many compilers at once; each may take 1.5 GB.
jobs_for_this_machine() {
  local cores free_kb limit by_memory
  cores=$(nproc)
  free_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null)
  [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1024 < free_kb)) && free_kb=$((limit / 1024))
  by_memory=$((${free_kb:-0} / 1572864))
  ((by_memory < 1)) && by_memory=1
  echo $((by_memory < cores ? by_memory : cores))
}

# show_progress TEXT: reads ninja's lines; on a terminal one line counts the steps.
show_progress() {
  local line shown=
  while IFS= read -r line; do
    if [[ -t 2 && $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '\rstickslip: %s %s of %s ' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      shown=yes
    fi
  done
  [[ $shown ]] && printf '\r\033[K' >&2
  return 0
}

# build_preset PRESET [TARGET...]: configures and builds build/PRESET. Compiler output is shown only on failure.
build_preset() {
  local preset=$1 folder="$root/build/$1" log="$root/build/$1.log" fresh=() targets=()
  shift
  (($#)) && targets=(--target "$@")
  # A tree that was moved or copied with its build folder must start again.
  if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "stickslip_SOURCE_DIR:STATIC=$root" "$folder/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  [[ -t 2 ]] || say "building ($preset)"
  if ! (cd "$root" && cmake --preset "$preset" "${fresh[@]}") >"$log" 2>&1; then
    cat "$log" >&2
    fail "configuring failed; the log is $log"
  fi
  local configured
  configured=$(wc -l <"$log")
  set -o pipefail
  if ! cmake --build "$folder" --parallel "$(jobs_for_this_machine)" "${targets[@]}" 2>&1 |
    tee -a "$log" | show_progress building; then
    tail -n +$((configured + 1)) "$log" | grep -vE '^\[[0-9]+/[0-9]+\]' | head -n 60 >&2
    fail "building failed; the log is $log"
  fi
}
