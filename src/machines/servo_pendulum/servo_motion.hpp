/// The servo with a pendulum in motion, held (machines/motion.hpp): its own midpoint steps, cut where a call ends.
#pragma once

#include <cstddef>
#include <memory>

#include "machines/motion.hpp"
#include "machines/servo_pendulum/servo_pendulum.hpp"

namespace stickslip::inline machines {

/// Follows goal, voltage and torque switch of the log until they are set. In steps of its interval over `substeps`.
/// Without its events, if nobody takes them: their list would grow for ever.
std::unique_ptr<Motion> servo_motion(const ServoPendulum<double>& servo, const ServoLog& log, std::size_t substeps,
                                     bool lists_events = true);

}  // namespace stickslip::inline machines
