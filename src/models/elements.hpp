/// Shared by the Maxwell-slip family: which elements slip, the direction of motion, and the switches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/contact.hpp"
#include "core/parameter.hpp"
#include "core/switching.hpp"

namespace stickslip {

inline constexpr std::array<std::string_view, max_elements> element_state_names{
    "element_1_m",  "element_2_m",  "element_3_m",  "element_4_m",  "element_5_m",  "element_6_m",
    "element_7_m",  "element_8_m",  "element_9_m",  "element_10_m", "element_11_m", "element_12_m",
    "element_13_m", "element_14_m", "element_15_m", "element_16_m"};
inline constexpr std::array<std::string_view, 2> element_mode_names{"forward", "backward"};

struct ElementMemory {
  Direction direction = Direction::forward;
  std::uint32_t slipping = 0;  // bit i: element i slips

  bool slips(std::size_t i) const { return (slipping >> i & 1u) != 0; }
  void set_slipping(std::size_t i) { slipping |= 1u << i; }
};

inline int mode_of(const ElementMemory& memory) { return memory.direction == Direction::forward ? 0 : 1; }
inline Direction direction_in(const ElementMemory& memory) { return memory.direction; }

inline ElementMemory start_elements(const Contact<double>& c) {
  return {direction_of(c.velocity != 0 ? c.velocity : c.applied), 0};
}
/// The velocity changed its sign: every element sticks again.
inline Happening reverse_elements(ElementMemory& memory, Contact<double>& c) {
  memory = {opposite(memory.direction), 0};
  c.velocity = 0;
  return {EventKind::direction_change};
}
inline Happening slip_element(ElementMemory& memory, std::size_t which) {
  memory.set_slipping(which);
  return {EventKind::element_slip, static_cast<int>(which) + 1};
}

/// Error text if the lists do not have one entry per element each.
inline std::string refuse_unequal(std::string_view a, std::size_t count_a, std::string_view b, std::size_t count_b) {
  if (count_a == count_b) return {};
  return std::string(a) + " has " + std::to_string(count_a) + " entries and " + std::string(b) + " " +
         std::to_string(count_b) + "; each element needs one of both";
}

}  // namespace stickslip
