/// An exported FMU beside its source: its content is read back as the binary reads it, moved in steps of Co-Simulation, and every output
/// is compared with what `simulate` gives.
///   machine   along its own run, at odd instants: where an output jumps, a step that ends there may show its other side
///   body      pushed to and fro by a force that is held over each step
///   element   moved to and fro at a speed that is held over each step, beside FixedStepper::follow
#pragma once

#include <string>
#include <string_view>

#include "fmu/export_fmu.hpp"

namespace stickslip::inline fmu {

struct FmuRerun {
  std::size_t steps = 0, outputs = 0;
  double duration = 0;  // of the motion compared [s]
  double apart = 0;     // the largest difference, relative to the range of its output
  std::string output;   // which
  double time = 0;      // and when [s]
};

/// `text` is the file that was exported. Throws Error where the run itself does.
FmuRerun rerun_fmu(const FmuFile& fmu, std::string_view text, const std::string& file);

/// "run here in 200 steps of Co-Simulation over 30 s: all 12 outputs within 2.1e-11 of their ranges of `simulate`".
std::string words_for(const FmuRerun& rerun);
/// Beyond this an FMU is not the machine of its file; forces of two runs with other steps differ by up to a tenth of it.
inline constexpr double same_motion = 1e-6;

}  // namespace stickslip::inline fmu
