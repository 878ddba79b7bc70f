#include "identification/lanes/lane_errors.hpp"

#include "core/has_avx512.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::inline identification {

void sum_errors(const RoundedErrors& task) {
  switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
    case InstructionSet::avx512:
      return avx512::sum_errors(task);
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2::sum_errors(task);
#endif
    default:
      return baseline::sum_errors(task);
  }
}

}  // namespace stickslip::inline identification
