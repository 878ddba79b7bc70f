/// Included by every model file: the table of parameters, the contact, and the texts that describe a model.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/contact.hpp"
#include "core/parameter.hpp"
#include "core/scalar.hpp"
#include "core/stribeck.hpp"
#include "core/switching.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "models/law.hpp"

namespace stickslip {

/// The texts of a model, shown by `stickslip models`, the documentation and the scorecard.
struct ModelText {
  std::string_view name, title, equations, source, captures, lacks;
};

/// What is known about machine and sensor when a model checks whether it is used as intended; NaN: not known.
struct Use {
  double mass = required;           // [kg]
  double sampling_time = required;  // Ts [s]
  double resolution = required;     // dx [m]
  double largest_input = required;  // umax [N]
  double longest_step = required;   // Te_max [s]
  bool is_rotary = false;           // moves about an axis: rad, N m, kg m^2

  /// A unit of linear motion as this machine has it: "N s/m" is "N m s/rad" about an axis.
  std::string unit(std::string_view linear) const { return is_rotary ? rotary(linear) : std::string(linear); }
};

}  // namespace stickslip
