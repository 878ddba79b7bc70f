/// libFuzzer's way into the targets; scripts/fuzz runs it. STICKSLIP_FUZZ_TARGET names the target. With STICKSLIP_FUZZ_SEEDS=FOLDER
/// the target's valid inputs are written there and nothing else happens.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "fuzz/targets.hpp"

namespace {

const std::vector<stickslip::fuzz::Target> targets = stickslip::fuzz::all_targets();
const stickslip::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* wanted = std::getenv("STICKSLIP_FUZZ_TARGET");
  for (const auto& t : targets)
    if (wanted && t.name == wanted) chosen = &t;
  if (!chosen) {
    std::fprintf(stderr, "STICKSLIP_FUZZ_TARGET is none of:");
    for (const auto& t : targets) std::fprintf(stderr, " %s", t.name.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  if (const char* folder = std::getenv("STICKSLIP_FUZZ_SEEDS")) {
    int number = 0;
    for (const std::string& seed : chosen->seeds())
      std::ofstream(std::string(folder) + "/seed" + std::to_string(number++), std::ios::binary) << seed;
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen->take({reinterpret_cast<const char*>(bytes), size});  // what it throws ends the program: a finding
  return 0;
}
