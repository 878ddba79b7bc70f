#!/bin/bash
# wheel.sh PYTHON SOURCE BUILD FOLDER: a wheel is made without network, installs into a new environment, and passes the tests there.
set -e
python=$1 source=$2 build=$3 folder=$4
"$python" -c 'import ensurepip, pip' 2>/dev/null || { echo "no pip or venv here"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
unset PYTHONPATH PIP_FIND_LINKS
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
(cd "$folder" && STICKSLIP_BUILD=$build "$python" -m pip wheel --quiet --no-deps "$source")
"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/pip" install --quiet "$folder"/stickslip-*.whl
# Nothing of the build folder is needed, and no library beyond those of every Linux.
cd "$folder"
module=$(venv/bin/python -c 'import stickslip; print(stickslip._core.__file__)')
[[ $module == "$folder"/venv/* ]] || { echo "imported from $module"; exit 1; }
others=$(ldd "$module" | awk '{print $1}' | grep -vE '^(linux-vdso|libstdc\+\+|libm|libgcc_s|libc|libpthread|/lib)' || true)
[[ -z $others ]] || { echo "needs $others"; exit 1; }
# What FMUs carry is inside, too.
venv/bin/python - "$source/examples/stick_slip.toml" <<'END'
import sys, zipfile
import stickslip
stickslip.export(sys.argv[1], "stick_slip.fmu")
assert any(name.startswith("binaries/") and name.endswith(".so") for name in zipfile.ZipFile("stick_slip.fmu").namelist())
END
# All of them ran on the module in the build folder; here those that ask most of an installed one, or all with WHEEL_TESTS="".
# shellcheck disable=SC2086
venv/bin/python -B "$source/tests/python/stickslip_test.py" ${WHEEL_TESTS-Recordings ThePackage}
venv/bin/python -B "$source/tests/python/machines_test.py"
