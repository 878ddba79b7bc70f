/// Which vector instructions the kernels of core/lanes.hpp use, picked once at run time.
///
/// The widest set this processor and its operating system offer, or the one that the environment variable
/// STICKSLIP_INSTRUCTIONS names. Results of two sets differ by rounding; those of one set are the same everywhere.
#pragma once

#include <array>
#include <string_view>

namespace stickslip {

enum class InstructionSet { baseline, avx2, avx512 };
inline constexpr std::array<std::string_view, 3> instruction_set_names{"baseline", "avx2", "avx512"};
constexpr std::string_view name_of(InstructionSet s) { return instruction_set_names[static_cast<std::size_t>(s)]; }

/// Whether this processor can run it.
bool is_available(InstructionSet s);
/// The widest one available.
InstructionSet widest_instruction_set();
/// What `wanted` (empty: the widest) names; throws Error for a word that is none or a set this processor lacks.
InstructionSet instruction_set_named(std::string_view wanted);
/// instruction_set_named() of the environment variable, read at the first call.
InstructionSet chosen_instruction_set();

}  // namespace stickslip
