#include "identification/lane_products.hpp"

#include "core/instruction_set.hpp"

namespace stickslip {

namespace {
template <class Task>
void with_chosen_instructions(const Task& task) {
  switch (chosen_instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512:
      return avx512::sum_products(task);
    case InstructionSet::avx2:
      return avx2::sum_products(task);
#endif
    default:
      return baseline::sum_products(task);
  }
}
}  // namespace

void sum_products(const MaxwellProducts& task) { with_chosen_instructions(task); }
void sum_products(const BristleProducts& task) { with_chosen_instructions(task); }

}  // namespace stickslip
