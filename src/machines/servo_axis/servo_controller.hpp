/// The digital position controller of a servo axis, and its friction compensation. At t_k = t_0 + k T it reads the encoder, x_k, and commands
///   e_k = y(t_k) − x_k,   q_k = q_{k−1} + T d(e_k)                                                  (1)
///   u_k = P e_k + D (w_k − (x_k − x_{k−n})/(n T)) + I q_k + c_k,   |u_k| ≤ limit                     (2)
///   c_k = M a_k + F̂_k + Ô_k + A sin(2π f t_k)                                                        (3)
/// d(e) is 0 inside the dead zone and e minus the dead zone outside. w_k is the same difference of the reference y, or 0 without velocity
/// feed-forward. a_k and the velocity of F̂_k are those of the reference while u_k will act: ahead by `lead`. F̂ is friction along the
/// reference, Ô friction along the measured velocity, corrected by the error (friction_estimate.hpp):
///   v̂_k = (x_k − x_{k−n})/(n T) + g e_k                                                              (4)
/// While u_k is at its limit and the error would push it further, the integral is held.
/// Not modelled: noise of the encoder beyond its resolution; jitter of the sampling.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/signal.hpp"
#include "machines/servo_axis/friction_estimate.hpp"

namespace stickslip::inline machines {

struct ServoGains {
  static constexpr std::size_t longest_difference = 8;

  double proportional = 0;                                 // P [N/m]
  double derivative = 0;                                   // D [N s/m]
  double integral = 0;                                     // I [N/(m s)]
  double dead_zone = 0;                                    // of the integral [m]
  double sampling_time = 1e-3;                             // T [s]
  std::size_t difference = 1;                              // n
  double limit = std::numeric_limits<double>::infinity();  // of |u_k| [N]
  double resolution = 0;                                   // of the encoder [m]; 0: exact
  bool follows_velocity = false;                           // w_k is the reference's, not 0
  double carried_mass = 0;                                 // M [kg]
  double lead = 0;                                         // of the feed-forward [s]
  double dither_amplitude = 0, dither_frequency = 0;       // A [N], f [Hz]
  double correction = 0;                                   // g of the observer [1/s]
  double start_integral = 0;                               // q at the start [m s]
};

/// The friction compensation of the controller.
struct FrictionKnowledge {
  std::shared_ptr<const Friction> friction;
  double share = 1;     // of the force that is added
  double reversal = 0;  // see friction_estimate.hpp [m]
};

class ServoController {
 public:
  ServoController(const ServoGains& gains, const std::optional<FrictionKnowledge>& feedforward,
                  const std::optional<FrictionKnowledge>& observer, double mass);

  /// Before the first sample the body is taken to have moved at its starting speed.
  void start(double time, const Signal& reference, double position, double velocity);
  /// Eq. (1) to (4); returns u_k [N].
  double sample(double time, const Signal& reference, double position);
  double compensation() const { return memory_.compensation; }  // c_k [N]
  double integral() const { return memory_.integral; }          // q_k [m s]

  template <class Archive>
  void keep(Archive& archive) {
    archive(memory_);
    for (auto* estimate : {&feedforward_, &observer_})
      if (*estimate) (*estimate)->keep(archive);
  }

 private:
  double read(double position) const;

  ServoGains gains_;
  std::optional<FrictionEstimate> feedforward_, observer_;
  struct Memory {
    double integral = 0, compensation = 0;
    std::array<double, ServoGains::longest_difference> position{}, reference{};  // at past samples, the latest first
  } memory_;
};

}  // namespace stickslip::inline machines
