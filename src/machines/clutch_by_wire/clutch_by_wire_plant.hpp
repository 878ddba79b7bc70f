/// The clutch-by-wire as a hybrid system for solver/simulate.hpp, for any resistance with
///   breakaway(φ, d), sliding(φ, |ω|, d), next_bend(φ, d), jump_speed(), jump_slope(), speed_scale(), spring_torque(φ).
/// States θ, ω, ∫e. The rack's place φ follows from θ while a flank pushes it and is remembered in the gap.
/// Equations: clutch_by_wire.hpp. Every guard is complementary to the one of the mode it leads to, so that a switch at
/// rounding distance is never undone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/switching.hpp"
#include "machines/clutch_by_wire/clutch_by_wire.hpp"

namespace stickslip::inline machines {

template <class Resistance>
class ClutchPlant {
 public:
  static constexpr bool stiff = false;
  static constexpr std::size_t totals = 3;  // motor work, work against the resistance, work into springs
  static constexpr std::size_t capacity = 3;
  enum : std::size_t { angle, speed, error_integral };

  enum class Band { below, held, above };  // of the speed at which the literal viscous form jumps
  enum class Limit { inside, high, low };  // of the torque

  struct Mode {
    Slip motion = Slip::stuck;
    Mesh mesh = Mesh::rigid;
    Band band = Band::below;
    Limit limit = Limit::inside;
    int end = 0;                              // −1, 1: the rack is at an end of its travel
    double rack = 0;                          // φ in the gap [rad]
    double bend = 0;                          // the next breakpoint of the resistance in the direction of motion
    std::size_t target = 0, feedforward = 0;  // segments
    // of a sampled controller:
    double held = 0;        // torque of this period [Nm]
    double sum = 0;         // ∫ e [rad s]
    double last = 0;        // reading or error one period ago
    double difference = 0;  // filtered [rad/s]
    double samples = 0;     // taken
  };

  ClutchPlant(const ClutchByWire& machine, const Resistance& resistance, const ClutchControl& control,
              const SimulationOptions& run)
      : machine_(machine),
        resistance_(resistance),
        control_(control),
        begin_(run.start),
        floor_(run.absolute_tolerance),
        is_limited_(control.sampling_time == 0 && std::isfinite(control.limit)) {}

  std::size_t size() const { return capacity; }
  double error_floor(std::size_t) const { return floor_; }
  bool is_sampled() const { return control_.sampling_time > 0; }

  Mode start(double t, const double* y, double gap_position) const {
    Mode m;
    m.target = control_.target.segment_at(t);
    m.feedforward = control_.feedforward.segment_at(t);
    const double half = 0.5 * machine_.play;
    if (machine_.play > 0)
      m.mesh = gap_position >= half ? Mesh::forward_flank : gap_position <= -half ? Mesh::backward_flank : Mesh::gap;
    m.rack = y[angle] - gap_position;
    if (rack(m, y) >= machine_.travel.high) m.end = 1;
    if (rack(m, y) <= machine_.travel.low) m.end = -1;
    const double wanted = demand(m, t, y);
    if (is_limited_)
      m.limit = wanted > control_.limit ? Limit::high : wanted < -control_.limit ? Limit::low : Limit::inside;
    if (y[speed] != 0) begin_motion(m, y, direction_of(y[speed]));
    return m;
  }

  /// φ [rad].
  double rack(const Mode& m, const double* y) const {
    switch (m.mesh) {
      case Mesh::rigid:
        return y[angle];
      case Mesh::forward_flank:
        return y[angle] - 0.5 * machine_.play;
      case Mesh::backward_flank:
        return y[angle] + 0.5 * machine_.play;
      default:
        return m.rack;
    }
  }
  double target(const Mode& m, double t) const {
    return is_sampled() ? control_.target(t) : control_.target.value(m.target, t);
  }
  /// u [Nm].
  double torque(const Mode& m, double t, const double* y) const {
    if (is_sampled()) return m.held;
    switch (m.limit) {
      case Limit::high:
        return control_.limit;
      case Limit::low:
        return -control_.limit;
      default:
        return demand(m, t, y);
    }
  }
  /// What acts against forward motion [Nm]; at rest it balances the motor.
  double resisting(const Mode& m, double t, const double* y) const {
    if (m.motion == Slip::stuck || m.band == Band::held) return torque(m, t, y);
    const Direction d = direction(m);
    return number(d) * level(m, y, d);
  }

  void derivative(const Mode& m, double t, const double* y, double* dy, double* power) const {
    const double u = torque(m, t, y);
    const bool is_stuck = m.motion == Slip::stuck;
    const double against = resisting(m, t, y);
    dy[angle] = is_stuck ? 0 : y[speed];
    dy[speed] = is_stuck ? 0 : (u - against) / machine_.inertia;
    dy[error_integral] = is_sampled() ? 0 : y[angle] - target(m, t);
    power[0] = u * dy[angle];
    power[1] = against * dy[angle];
    power[2] = is_stuck || m.mesh == Mesh::gap ? 0 : resistance_.spring_torque(rack(m, y)) * y[speed];
  }

  enum : std::size_t { first_guard, second_guard, bend_guard, band_guard, held_guard, limit_guard, low_limit_guard };

  void guards(const Mode& m, double t, const double* y, Guards& out) const {
    if (m.motion == Slip::stuck) {
      const double u = torque(m, t, y);
      out.add(breakaway(m, y, Direction::forward) - u);
      out.add(breakaway(m, y, Direction::backward) + u);
      out.add(1), out.add(1), out.add(1);
    } else {
      const Direction d = direction(m);
      const double s = number(d);
      out.add(s * y[speed]);
      if (m.mesh == Mesh::gap) {
        out.add(0.5 * machine_.play - s * (y[angle] - m.rack));
        out.add(1), out.add(1), out.add(1);
      } else {
        const double place = rack(m, y);
        const double end = d == Direction::forward ? machine_.travel.high : machine_.travel.low;
        out.add(std::isfinite(end) ? s * (end - place) : 1);
        out.add(std::isfinite(m.bend) ? s * (m.bend - place) : 1);
        const double jump = resistance_.jump_speed();
        if (!std::isfinite(jump)) {
          out.add(1), out.add(1);
        } else if (m.band == Band::held) {
          const double surplus = s * torque(m, t, y) - resistance_.sliding(place, jump, d);
          out.add(surplus);
          out.add(resistance_.jump_slope() * jump - surplus);
        } else {
          out.add(m.band == Band::below ? jump - s * y[speed] : s * y[speed] - jump);
          out.add(1);
        }
      }
    }
    if (!is_limited_) return;
    const double wanted = demand(m, t, y);
    out.add(m.limit == Limit::high ? wanted - control_.limit : m.limit == Limit::low ? 1 : control_.limit - wanted);
    out.add(m.limit == Limit::low ? -control_.limit - wanted : m.limit == Limit::high ? 1 : wanted + control_.limit);
  }

  Happening leave(Mode& m, std::size_t which, double t, double* y, double*) const {
    if (which == limit_guard || which == low_limit_guard) {
      m.limit = m.limit != Limit::inside ? Limit::inside : which == limit_guard ? Limit::high : Limit::low;
      return happened(ClutchEventKind::limit);
    }
    if (m.motion == Slip::stuck) {
      const Direction d = which == first_guard ? Direction::forward : Direction::backward;
      const Mesh before = m.mesh;
      begin_motion(m, y, d);
      return happened(m.mesh != before ? ClutchEventKind::disengage : ClutchEventKind::release);
    }
    const Direction d = direction(m);
    const double s = number(d);
    switch (which) {
      case first_guard:
        return come_to_rest(m, t, y);
      case second_guard:
        if (m.mesh != Mesh::gap || m.end == static_cast<int>(d)) return meet_end(m, y, d);
        m.mesh = d == Direction::forward ? Mesh::forward_flank : Mesh::backward_flank;
        enter_resistance(m, y, d);
        return happened(ClutchEventKind::engage);
      case bend_guard:
        m.bend = resistance_.next_bend(m.bend, d);
        return happened(ClutchEventKind::bend);
      case band_guard: {
        const double jump = resistance_.jump_speed();
        const double surplus = s * torque(m, t, y) - resistance_.sliding(rack(m, y), jump, d);
        const double kinetic = 0.5 * machine_.inertia * y[speed] * y[speed];
        y[speed] = s * jump;
        m.band = m.band == Band::held || surplus < 0         ? Band::below
                 : surplus > resistance_.jump_slope() * jump ? Band::above
                                                             : Band::held;
        return happened(ClutchEventKind::threshold, kinetic - 0.5 * machine_.inertia * jump * jump);
      }
      default:
        m.band = Band::above;
        return happened(ClutchEventKind::threshold);
    }
  }

  double next_break(const Mode& m) const {
    if (is_sampled()) return begin_ + m.samples * control_.sampling_time;
    return std::min(control_.target.end_of(m.target), control_.feedforward.end_of(m.feedforward));
  }
  Happening pass_break(Mode& m, double t, const double* y, double*) const {
    if (is_sampled()) {
      take_sample(m, t, y);
      return happened(ClutchEventKind::sample);
    }
    if (control_.target.end_of(m.target) <= t) ++m.target;
    if (control_.feedforward.end_of(m.feedforward) <= t) ++m.feedforward;
    return happened(ClutchEventKind::input_breakpoint);
  }

  /// No step may miss an oscillation of the inputs, nor skip a Stribeck peak while approaching rest.
  double longest_step(const Mode& m, double t, const double* y, const double* dy) const {
    double step = std::numeric_limits<double>::infinity();
    if (!is_sampled())
      step = std::min(control_.target.longest_step(m.target, t), control_.feedforward.longest_step(m.feedforward, t));
    const double scale = resistance_.speed_scale();
    if (scale > 0 && dy && dy[speed] * y[speed] < 0) {
      const double fast = std::fabs(y[speed]), peak = 5 * scale;
      step = std::min(step, (fast > peak ? fast - 0.8 * peak : scale) / std::fabs(dy[speed]));
    }
    return step;
  }

  static constexpr std::size_t mode_indices = 12;
  static std::size_t mode_index(const Mode& m) {
    return 4 * static_cast<std::size_t>(static_cast<int>(m.motion) + 1) + static_cast<std::size_t>(m.mesh);
  }
  static bool at_rest(const Mode& m) { return m.motion == Slip::stuck; }
  static bool is_calm(const Mode&, const double*, const double*, const double*, const double*, double) { return false; }
  static double watched(const Mode&, const double*) { return 1; }

  /// The level that holds the motor at rest against direction `d` [Nm]; infinite against an end of the travel.
  double breakaway(const Mode& m, const double* y, Direction d) const {
    const Mesh other = d == Direction::forward ? Mesh::backward_flank : Mesh::forward_flank;
    if (m.mesh == Mesh::gap || m.mesh == other) return machine_.motor_breakaway;
    if (m.end == static_cast<int>(d)) return std::numeric_limits<double>::infinity();
    return resistance_.breakaway(rack(m, y), d);
  }

 private:
  static Happening happened(ClutchEventKind kind, double heat = 0) {
    return {clutch_event_terms[static_cast<std::size_t>(kind)], static_cast<int>(kind), heat};
  }
  static Direction direction(const Mode& m) { return direction_of(static_cast<double>(static_cast<int>(m.motion))); }

  /// Eq. (5) before the limit [Nm].
  double demand(const Mode& m, double t, const double* y) const {
    if (is_sampled()) return m.held;
    double rate = y[speed];
    if (control_.derivative_of_error) rate -= control_.target.slope(m.target, t);
    return control_.feedforward.value(m.feedforward, t) - control_.proportional * (y[angle] - target(m, t)) -
           control_.derivative * rate - control_.integral * y[error_integral];
  }

  /// What resists sliding in direction `d` [Nm].
  double level(const Mode& m, const double* y, Direction d) const {
    if (m.mesh == Mesh::gap) return machine_.motor_resistance;
    const double fast = std::fabs(y[speed]);
    return resistance_.sliding(rack(m, y), fast, d) + (m.band == Band::above ? resistance_.jump_slope() * fast : 0);
  }

  /// From rest, or at the start of a run: the flank that does not push leaves the rack.
  void begin_motion(Mode& m, const double* y, Direction d) const {
    const Mesh other = d == Direction::forward ? Mesh::backward_flank : Mesh::forward_flank;
    m.motion = sliding(d);
    m.band = Band::below;
    if (m.mesh == other) {
      m.rack = rack(m, y);
      m.mesh = Mesh::gap;
    }
    if (m.mesh != Mesh::gap) enter_resistance(m, y, d);
  }
  void enter_resistance(Mode& m, const double* y, Direction d) const {
    m.bend = resistance_.next_bend(rack(m, y), d);
    m.band = std::fabs(y[speed]) > resistance_.jump_speed() ? Band::above : Band::below;
    if (m.end != static_cast<int>(d)) m.end = 0;
  }

  /// Speed zero: rest, unless the torque drives the motor on at once.
  Happening come_to_rest(Mode& m, double t, double* y) const {
    const double heat = 0.5 * machine_.inertia * y[speed] * y[speed];  // rounding
    const Direction back = opposite(direction(m));
    y[speed] = 0;
    m.motion = Slip::stuck;
    m.band = Band::below;
    if (number(back) * torque(m, t, y) <= breakaway(m, y, back)) return happened(ClutchEventKind::stick, heat);
    const Mesh before = m.mesh;
    begin_motion(m, y, back);
    return happened(m.mesh != before ? ClutchEventKind::disengage : ClutchEventKind::direction_change, heat);
  }
  Happening meet_end(Mode& m, double* y, Direction d) const {
    const double heat = 0.5 * machine_.inertia * y[speed] * y[speed];
    y[speed] = 0;
    m.motion = Slip::stuck;
    m.band = Band::below;
    if (m.mesh == Mesh::gap) m.mesh = d == Direction::forward ? Mesh::forward_flank : Mesh::backward_flank;
    m.end = static_cast<int>(d);
    return happened(ClutchEventKind::end_stop, heat);
  }

  /// Eq. (5) with the encoder's reading; the sum takes this period's error after it was used.
  void take_sample(Mode& m, double t, const double* y) const {
    const double reading = machine_.reading(y[angle]);
    const double error = reading - control_.target(t);
    const double followed = control_.derivative_of_error ? error : reading;
    const double ts = control_.sampling_time;
    if (m.samples > 0) {
      const double raw = (followed - m.last) / ts;
      const double part = control_.derivative_cutoff_hz > 0
                              ? 1 - std::exp(-2 * 3.14159265358979323846 * control_.derivative_cutoff_hz * ts)
                              : 1;
      m.difference += part * (raw - m.difference);
    }
    const double wanted = control_.feedforward(t) - control_.proportional * error - control_.derivative * m.difference -
                          control_.integral * m.sum;
    m.held = std::clamp(wanted, -control_.limit, control_.limit);
    const Limit now = wanted > control_.limit ? Limit::high : wanted < -control_.limit ? Limit::low : Limit::inside;
    m.limit = now;
    m.sum += ts * error;
    m.last = followed;
    m.samples += 1;
  }

  const ClutchByWire& machine_;
  const Resistance& resistance_;
  const ClutchControl& control_;
  double begin_, floor_;
  bool is_limited_;
};

}  // namespace stickslip::inline machines
