# pkg_config.sh CMAKE COMPILER PREFIX BUILD VERSION: the consumer, compiled with what pkg-config says, and run.
set -eu
rm -rf "$4"
mkdir -p "$4"
folder=$(dirname "$(find "$3" -name stickslip.pc)")
flags=$(PKG_CONFIG_PATH="$folder" pkg-config --cflags --libs stickslip)
"$2" -std=c++20 "$(dirname "$0")/main.cpp" -o "$4/consumer" $flags
said=$("$4/consumer")
[[ $said == "$5" ]] || { echo "the consumer says '$said', the project's version is '$5'"; exit 1; }
