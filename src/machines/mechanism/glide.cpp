/// See glide.hpp.
#include "machines/mechanism/glide.hpp"

#include "core/has_avx512.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::inline machines {

const GlideKernels& glide_kernels() {
  static const GlideKernels chosen = [] {
    switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
      case InstructionSet::avx512:
        return avx512::glide_kernels;
#endif
#if defined(__x86_64__)
      case InstructionSet::avx2:
        return avx2::glide_kernels;
#endif
      default:
        return baseline::glide_kernels;
    }
  }();
  return chosen;
}

}  // namespace stickslip::inline machines
