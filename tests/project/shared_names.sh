# shared_names.sh COMPILER ROOT FOLDER: cmake/stickslip.map shows what a program shares with a shared library. An inline variable of a
# header is one object, constructed and destroyed once (both did it: every program with the library aborted at its end); an error thrown
# in the library has one type; names of others are hidden.
set -eu
compiler=$1 root=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
cat >both.hpp <<'CODE'
#include <stdexcept>
#include <string>
#include <vector>
namespace stickslip {
inline const std::vector<std::string> names{"a name that is too long for the short form of strings", "another"};
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
  virtual ~Failure() = default;
};
void refuse();
const void* place_of_names();
}
CODE
cat >library.cpp <<'CODE'
#include "both.hpp"
namespace other { void hidden(); void hidden() {} }
namespace stickslip {
void refuse() { other::hidden(); throw Failure(names[1]); }
const void* place_of_names() { return &names; }
}
CODE
cat >program.cpp <<'CODE'
#include "both.hpp"
int main() {
  if (stickslip::place_of_names() != &stickslip::names) return 1;
  try {
    stickslip::refuse();
  } catch (const stickslip::Failure&) {
    return 0;
  }
}
CODE
"$compiler" -std=c++20 -fPIC -shared -Wl,--version-script="$root/cmake/stickslip.map" library.cpp -o libstickslip_names.so
"$compiler" -std=c++20 program.cpp -L. -lstickslip_names -Wl,-rpath,"$folder" -o program
./program
shown=$(nm -DC --defined-only libstickslip_names.so)
for name in 'typeinfo for stickslip::Failure' 'vtable for stickslip::Failure' 'guard variable for stickslip::names'; do
  [[ $shown == *"$name"* ]] || { echo "the library does not show '$name'"; exit 1; }
done
[[ $shown != *other::hidden* ]] || { echo "the library shows other::hidden"; exit 1; }
