# find_package.sh CMAKE COMPILER PREFIX BUILD VERSION: the consumer, configured with find_package, built and run.
set -eu
rm -rf "$4"
"$1" -S "$(dirname "$0")" -B "$4" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$2" -DCMAKE_PREFIX_PATH="$3"
"$1" --build "$4"
said=$("$4/consumer")
[[ $said == "$5" ]] || { echo "the consumer says '$said', the project's version is '$5'"; exit 1; }
