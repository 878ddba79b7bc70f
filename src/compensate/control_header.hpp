/// The C99 header of a model (exports/c_header.hpp) with the chosen controller inside: gains, state and one function per sampling time,
///   force = axis_control(&c, reference, velocity, acceleration, position);
/// and a self-test whose numbers come from ServoController, the controller of the simulation.
#pragma once

#include "compensate/rivals.hpp"
#include "exports/export.hpp"

namespace stickslip::inline compensation {

/// `source` is the model that the controller knows. Throws Error for a law that has no C.
Export control_header(const ExportSource& source, const AxisPlan& plan, const Rival& rival);

}  // namespace stickslip::inline compensation
