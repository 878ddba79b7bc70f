/// Inputs of a machine as functions of time: constants, ramps, sines, chirps, steps, tables, and sums of them.
///
/// Between two breakpoints a signal is   r(t) = c + b (t − t₀) + Σ A sin(φ + 2π ∫ f)   and smooth.   (1)
/// The solver never steps over a breakpoint: it asks for the next one and evaluates inside a named segment, so that a
/// jump has a value on either side. Outside its breakpoints a signal continues with its first or last segment.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/scalar.hpp"

namespace stickslip {

/// A sin(phase + 2π f τ + π sweep τ²), τ = t − start; with growth: 2π f (exp(growth τ) − 1)/growth instead.
struct Oscillation {
  double amplitude = 0;
  double frequency = 0;  // at the start [Hz]
  double phase = 0;      // [rad]
  double start = 0;      // [s]
  double sweep = 0;      // [Hz/s], linear chirp
  double growth = 0;     // [1/s], logarithmic chirp

  template <class T>
  T value(const T& time) const {
    return amplitude * sin(angle(time));
  }
  template <class T>
  T slope(const T& time) const {
    const T tau = time - start;
    return amplitude * (two_pi * instantaneous(tau)) * cos(angle(time));
  }
  template <class T>
  T angle(const T& time) const {
    const T tau = time - start;
    if (growth != 0) return phase + (two_pi * frequency / growth) * (exp(growth * tau) - 1.0);
    return phase + two_pi * (frequency * tau + (0.5 * sweep) * tau * tau);
  }
  /// Frequency at τ [Hz].
  template <class T>
  T instantaneous(const T& tau) const {
    if (growth != 0) return frequency * exp(growth * tau);
    return frequency + sweep * tau;
  }
  static constexpr double two_pi = 6.283185307179586476925286766559;
};

class Signal {
 public:
  Signal() : Signal(0.0) {}
  explicit Signal(double constant);

  /// The same value at all times.
  static Signal constant(double value) { return Signal(value); }
  /// 0 before `from`, then rising at `rate`, held from `until` on.
  static Signal ramp(double rate, double from = 0, double until = std::numeric_limits<double>::infinity());
  /// `before` until `at`, then `after`.
  static Signal step(double before, double after, double at);
  /// Zero before `from`, then the oscillation.
  static Signal oscillation(const Oscillation& o, double from, double until = std::numeric_limits<double>::infinity());
  static Signal sine(double amplitude, double frequency_hz, double phase = 0, double from = 0);
  /// Piecewise linear through the points; equal neighbouring times make a jump; held constant outside.
  static Signal table(std::span<const double> times, std::span<const double> values);

  Signal operator+(const Signal& other) const;
  /// From now on level + slope (t − origin), for ever; allocates nothing.
  void set_line(double origin, double level, double slope = 0);

  /// Pieces between breakpoints.
  std::size_t segments() const { return pieces_.size(); }
  /// The segment that holds at `time`, at a breakpoint the later one.
  std::size_t segment_at(double time) const;
  /// Where the segment ends [s]; infinity for the last.
  double end_of(std::size_t segment) const {
    return segment + 1 < pieces_.size() ? pieces_[segment + 1].from : std::numeric_limits<double>::infinity();
  }
  /// Where the segment is kept, for reading it ahead of time.
  const void* address_of(std::size_t segment) const { return pieces_.data() + segment; }
  /// The longest step that cannot miss an oscillation in this segment [s].
  double longest_step(std::size_t segment, double time) const;
  /// True if the signal is one constant for ever.
  bool is_constant() const;
  bool is_zero() const { return is_constant() && pieces_[0].level == 0; }

  /// Eq. (1) in a segment.
  template <class T>
  T value(std::size_t segment, const T& time) const {
    const Piece& p = pieces_[segment];
    T r = p.level + p.slope * (time - p.origin);
    for (std::size_t i = p.first; i < p.last; ++i) r = r + oscillations_[i].value(time);
    return r;
  }
  /// dr/dt in a segment.
  template <class T>
  T slope(std::size_t segment, const T& time) const {
    const Piece& p = pieces_[segment];
    T r = p.slope;
    for (std::size_t i = p.first; i < p.last; ++i) r = r + oscillations_[i].slope(time);
    return r;
  }
  /// Value at a time; at a jump the later one.
  double operator()(double time) const { return value(segment_at(time), time); }

  template <class Archive>
  /// Saves or restores it with a motion.
  void keep(Archive& archive) {
    archive(pieces_, oscillations_);
  }

 private:
  struct Piece {
    double from, origin, level, slope;  // starts at `from`; the line is level + slope (t − origin)
    std::size_t first = 0, last = 0;    // its oscillations
  };
  std::vector<Piece> pieces_;
  std::vector<Oscillation> oscillations_;
};

}  // namespace stickslip
