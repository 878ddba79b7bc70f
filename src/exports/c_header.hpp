/// A friction model as one C99 header: parameters in a struct, a step of bounded length, a self-test.
/// It is the fixed step of the library (FixedStepper::follow): the velocity is held over the step and the law's own exact step
/// taken, so that no step is too long. As an observer it is driven by the measured velocity, as a feed-forward by that of the
/// reference. Laws that truly stick have no force at rest of their own; their level() falls to zero over `zero_speed`.
#pragma once

#include "exports/export.hpp"
#include "exports/step_program.hpp"

namespace stickslip::inline exports {

struct CHeaderOptions {
  double step = 1e-3;  // at which it is checked [s]
  double mass = 1;     // for laws that depend on it [kg]
};
/// Throws Error for a law whose step has no bound, with the reason and a suggested fix.
Export export_c(const ExportSource& source, const CHeaderOptions& options = {});

/// The largest difference of program and library over so many random steps, over the largest force; sets the passes of its loops to
/// the fewest that do.
struct StepCheck {
  double off = 0;         // in double
  double off_single = 0;  // in float
};
StepCheck check_step(StepProgram& program, const Friction& friction, const CHeaderOptions& options, std::size_t steps);

}  // namespace stickslip::inline exports
