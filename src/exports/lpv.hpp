/// The clutch-by-wire as a linear parameter-varying system for controller design: a MATLAB and Octave function with A(ρ) = A₀ + ρ A₁, B, C, the
/// bounds of ρ in each direction and its table over angle and speed (machines/clutch_by_wire/clutch_by_wire_lpv.hpp has the equations).
/// The form is simulated beside the machine while it coasts down, and the difference is reported.
#pragma once

#include <string>

#include "exports/export.hpp"

namespace stickslip::inline exports {

struct LpvOptions {
  double slowest = 0;  // [rad/s]; 0: a hundredth of the fastest
  double fastest = 0;  // [rad/s]
};

/// `file` is a machine file of the kind clutch-by-wire; `name` that of the function. Throws Error.
Export export_lpv(const std::string& file, const std::string& name, const LpvOptions& options);

}  // namespace stickslip::inline exports
