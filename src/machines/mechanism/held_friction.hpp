/// Shared by friction chains and trees (and, but for (1), by driven_tree.hpp): bodies and clutches with constant levels under held inputs,
/// so that every acceleration is constant between events and a slip z reaches zero at
///   t + z/|dz/dt|                                                                                                       (1)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "machines/mechanism/mechanism.hpp"
#include "solver/resting_interface.hpp"

namespace stickslip::inline machines {

/// Nothing but bodies, clutches, brakes and torques: the precondition of friction_chain(), friction_tree() and driven_tree().
bool is_held_friction(const Mechanism& mechanism);

/// The levels of all joints [N m]; empty if one is not constant, or if a capacity changes between breakpoints.
std::vector<double> joint_levels(const Mechanism& mechanism);
/// The same; empty also if a torque changes between breakpoints.
std::vector<double> held_levels(const Mechanism& mechanism);

/// Which joints meet at a body; the ground is the body after the last one.
struct JointTree {
  std::vector<std::size_t> joints_of, first_of;
};
/// Nothing if the joints form a loop.
std::optional<JointTree> joint_tree(const Mechanism& mechanism);

/// Expected number of events, for reserving memory: every joint changes about once per held torque. A list that grows by
/// doubling is written twice, each time to memory that the system has to clear first; unused reserve costs nothing.
std::size_t likely_events(const Mechanism& mechanism);

/// The direction of the slip; 0: none.
constexpr double number_of(Slip m) { return static_cast<double>(static_cast<int>(m)); }

/// (1), or never, without a branch, which would be mispredicted. At once if rounding has taken z beyond zero and it does not return.
inline double arrival(double now, Slip m, double z, double rate) {
  constexpr double smallest = 1e-300, hardly = 1e-200;  // avoid 0/0 and x/0
  const double closing = -number_of(m) * rate, gap = number_of(m) * z;
  return now + std::max(smallest, gap) / std::max(0.0, closing + hardly * std::max(0.0, -gap));
}

/// A sum of loads whose magnitudes add up to `size`: of loads that cancel, rounding leaves no load.
inline double load_of(double sum, double size) {
  constexpr double rounding = 3e-14;
  return std::fabs(sum) <= rounding * size ? 0 : sum;
}

/// A signal between two of its breakpoints.
struct HeldInput {
  const Signal* signal = nullptr;
  std::size_t at = 0;  // the body or the interface
  std::size_t segment = 0;
  double until = -std::numeric_limits<double>::infinity(), value = 0;
  const void* next = nullptr;  // where the next segment is kept

  /// True if its value has changed.
  bool bring_up_to(double time) {
    if (until > time) return false;
    while (signal->end_of(segment) <= time) ++segment;
    value = signal->value(segment, time), until = signal->end_of(segment);
    next = segment + 2 < signal->segments() ? signal->address_of(segment + 1) : nullptr;
    return true;
  }
  /// What bring_up_to() reads next: the signal, its next segment and where that ends.
  void fetch() const {
    if (!next) return;
    constexpr std::size_t line = 64;
    __builtin_prefetch(signal);
    __builtin_prefetch(next);
    __builtin_prefetch(static_cast<const char*>(next) + line);
  }
};

/// Calls `take(input)` for all, in order. Each input has its own table: later ones are prefetched, otherwise every one
/// would wait for memory.
template <class Take>
void for_all_inputs(std::vector<HeldInput>& inputs, const Take& take) {
  constexpr std::size_t ahead = 40;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i + ahead < inputs.size()) inputs[i + ahead].fetch();
    take(inputs[i]);
  }
}

/// A change of an interface; several at one instant are merged by the sink (mechanism_sink.hpp).
struct HeldChange {
  std::size_t interface;
  EventKind kind;
};
/// The next event and which interface it concerns, or `ground`: none.
struct HeldNext {
  double time;
  std::size_t interface;
};

}  // namespace stickslip::inline machines
