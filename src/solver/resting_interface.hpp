/// Inputs and outputs of the resting-interface problem, shared by chains and networks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stickslip::inline solver {

/// A friction interface at one instant: at rest it can carry any torque in [low, high] [N m]; slipping, exactly the torque
/// of its friction law. Usually low < 0 < high; 0 = low = high for an open clutch, one side infinite for a
/// freewheel, both for a rigid lock.
struct Interface {
  double low = 0, high = 0;
  bool is_resting = true;
};

constexpr Interface resting(double level) { return {-level, level, true}; }
constexpr Interface resting(double low, double high) { return {low, high, true}; }
constexpr Interface slipping(double torque) { return {torque, torque, false}; }

/// The state of an interface just after this instant. `slips`: it was slipping already.
enum class RestingOutcome : std::uint8_t { held, breaks_forward, breaks_backward, slips };

/// `exact`: the box problem of all resting interfaces together. `paper`: each saturated on its own (Biagiotti eq 22).
enum class RestingRule : std::uint8_t { exact, paper };

/// The result: one entry per body for `acceleration` [rad/s²], one per interface for the others.
struct RestingMotion {
  std::span<double> torque;                 // carried by the interface [N m]
  std::span<double> acceleration;           // of the body [rad/s²]
  std::span<double> relative_acceleration;  // dz/dt [rad/s²], exactly 0 where held
  std::span<RestingOutcome> outcome;
};

/// Storage for a RestingMotion.
struct RestingResult {
  std::vector<double> torque, acceleration, relative_acceleration;
  std::vector<RestingOutcome> outcome;

  RestingResult(std::size_t bodies, std::size_t interfaces)
      : torque(interfaces), acceleration(bodies), relative_acceleration(interfaces), outcome(interfaces) {}
  explicit RestingResult(std::size_t bodies) : RestingResult(bodies, bodies - 1) {}
  operator RestingMotion() { return {torque, acceleration, relative_acceleration, outcome}; }
};

/// Direction in which an interface at the end of its range leaves, from its relative acceleration.
constexpr RestingOutcome breakaway_outcome(double relative_acceleration) {
  if (relative_acceleration > 0) return RestingOutcome::breaks_forward;
  return relative_acceleration < 0 ? RestingOutcome::breaks_backward : RestingOutcome::held;
}

/// The first invalid number, which the caller reports with its own names.
struct RestingFault {
  const char* reason = nullptr;  // null: nothing is wrong
  std::size_t index = 0;         // of the body or the interface
  explicit operator bool() const { return reason != nullptr; }
};

inline RestingFault fault_in_bodies(std::span<const double> inertia, std::span<const double> external_torque) {
  constexpr double largest = 1e290;  // beyond it the exact products overflow
  for (std::size_t i = 0; i < inertia.size(); ++i) {
    if (!(inertia[i] > 0 && inertia[i] < largest)) return {"inertia must be positive and finite", i};
    if (!(external_torque[i] > -largest && external_torque[i] < largest)) return {"external torque must be finite", i};
  }
  return {};
}

inline RestingFault fault_in_interfaces(std::span<const Interface> interfaces) {
  constexpr double largest = 1e290;
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    const auto& [low, high, is_resting] = interfaces[i];
    if (is_resting && !(low <= 0 && high >= 0)) return {"a resting interface needs low <= 0 <= high", i};
    if (!is_resting && !(low == high && low > -largest && low < largest))
      return {"a slipping interface needs one finite torque", i};
  }
  return {};
}

}  // namespace stickslip::inline solver
