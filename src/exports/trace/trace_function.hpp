/// The inputs of a recording of a model's step, and its lookup by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exports/step_program.hpp"

namespace stickslip::inline exports {

struct TraceRequest {
  const Friction& friction;
  bool fixed_numbers = false;  // parameters as they are now, as constants

  bool directional() const { return !friction.settings().backward.empty(); }
  /// Of a number or a list, preset included; of one set.
  std::vector<double> values(std::string_view key, bool backward) const;
  std::size_t choice(std::string_view key, bool backward) const;
};

using TraceFunction = void (*)(const TraceRequest& request, StepProgram& program);
/// nullptr if there is none of this name.
TraceFunction trace_function(std::string_view model);

}  // namespace stickslip::inline exports
