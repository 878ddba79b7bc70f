#include "identification/lanes/lane_products.hpp"

#include "core/has_avx512.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::inline identification {

namespace {
template <class Task>
void with_chosen_instructions(const Task& task) {
  switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
    case InstructionSet::avx512:
      return avx512::sum_products(task);
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2::sum_products(task);
#endif
    default:
      return baseline::sum_products(task);
  }
}
}  // namespace

void solve_products(const ProductCosts& task) {
  switch (chosen_instruction_set()) {
#if STICKSLIP_HAS_AVX512
    case InstructionSet::avx512:
      return avx512::solve_products(task);
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2::solve_products(task);
#endif
    default:
      return baseline::solve_products(task);
  }
}
void sum_products(const MaxwellProducts& task) { with_chosen_instructions(task); }
void sum_products(const LaggedProducts& task) { with_chosen_instructions(task); }
void sum_products(const BristleProducts& task) { with_chosen_instructions(task); }
void sum_products(const DictionaryProducts& task) { with_chosen_instructions(task); }

std::size_t dictionary_workspace(const DictionaryProducts& task) {
  // Columns rounded up to whole tiles for every lag, a block of rows of them, and their products.
  const std::size_t wide = dictionary_stride(task.columns() + task.lags * dictionary_tile);
  return wide * (dictionary_rows + wide + 2 * most_dictionary_lags);
}

}  // namespace stickslip::inline identification
