#include "core/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/has_avx512.hpp"

namespace stickslip {

bool is_available(InstructionSet s) {
  switch (s) {
    case InstructionSet::baseline:
      return true;
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::avx512:
      return STICKSLIP_HAS_AVX512 && is_available(InstructionSet::avx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512bw");
#else
    default:
      return false;
#endif
  }
  return false;
}

InstructionSet widest_instruction_set() {
  for (const auto s : {InstructionSet::avx512, InstructionSet::avx2})
    if (is_available(s)) return s;
  return InstructionSet::baseline;
}

InstructionSet instruction_set_named(std::string_view wanted) {
  if (wanted.empty()) return widest_instruction_set();
  std::string known;
  for (std::size_t i = 0; i < instruction_set_names.size(); ++i) {
    const auto s = static_cast<InstructionSet>(i);
    if (!is_available(s)) continue;
    if (wanted == name_of(s)) return s;
    known += (known.empty() ? "" : ", ") + std::string(name_of(s));
  }
  throw Error("STICKSLIP_INSTRUCTIONS: no instruction set '" + std::string(wanted) + "' here; this processor has " +
              known);
}

InstructionSet chosen_instruction_set() {
  static const InstructionSet chosen = [] {
    const char* wanted = std::getenv("STICKSLIP_INSTRUCTIONS");
    return instruction_set_named(wanted ? wanted : "");
  }();
  return chosen;
}

}  // namespace stickslip
