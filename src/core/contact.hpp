/// What a friction law sees of the machine at one instant.
#pragma once

namespace stickslip {

/// The direction of sliding as a number, so that `direction * velocity` reads like the formula.
enum class Direction : int { backward = -1, forward = 1 };

constexpr double number(Direction d) { return static_cast<double>(static_cast<int>(d)); }
constexpr Direction opposite(Direction d) { return d == Direction::forward ? Direction::backward : Direction::forward; }
/// The direction of a quantity that is not zero; zero counts as forward.
constexpr Direction direction_of(double x) { return x < 0 ? Direction::backward : Direction::forward; }

/// Whether a body under ideal friction rests or slides, and which way.
enum class Slip : int { stuck = 0, forward = 1, backward = -1 };

constexpr Slip sliding(Direction d) { return d == Direction::forward ? Slip::forward : Slip::backward; }

/// The temperature of a contact where nothing says another [K]: 20 degC.
inline constexpr double room_temperature = 293.15;

template <class T>
struct Contact {
  T position{};                         // [m] or [rad]
  T velocity{};                         // [m/s]
  T applied{};                          // all other forces on the body, u [N]
  T load{};                             // normal force or transmitted load [N]
  T pressure{};                         // [Pa]
  T temperature = T(room_temperature);  // [K]
  double mass = 1;                      // the body's mass [kg]
  double time = 0;                      // [s]
  double dwell = 0;                     // how long the body has been at rest [s]
  long segment = 0;                     // which stretch of a force that is piecewise smooth over position
};

}  // namespace stickslip
