/// A single body with friction and a drive, for any friction law.
///   dx/dt = v,   (m + m_a) dv/dt = u − F,   dq/dt = x − y(t)                                        (1)
/// u: machines/one_body/drive.hpp; F and its states: models/law.hpp; m_a: a friction term in the acceleration, exact.
/// Integrals kept beside the motion: work of the input, work against friction, heat of dampers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/contact.hpp"
#include "core/signal.hpp"
#include "core/switching.hpp"
#include "core/variation.hpp"
#include "machines/one_body/drive.hpp"
#include "machines/one_body/mobility.hpp"

namespace stickslip::inline machines {

/// The body and what drives it; everything but its friction.
struct Body {
  double mass = 1;  // [kg]
  Drive drive;
  Signal load, pressure, temperature{room_temperature};  // for levels that depend on them
  double position = 0, velocity = 0, controller = 0;     // at the start
  std::vector<double> state;                             // friction states at the start; empty: all zero
  bool is_rotary = false;  // [kg m²], [rad], [N m] instead of [kg], [m], [N]; the numbers are the same
};

/// Upper bound of the viscous resistance [N s/m]: the drive's damper and the law's viscosity, or the steepest line of its table.
template <class Friction>
double damping_of(const Body& body, const Friction& friction) {
  double damping = body.drive.damping;
  if constexpr (requires { friction.forward.viscosity; })
    damping += std::max(friction.forward.viscosity, friction.backward.viscosity);
  if constexpr (requires { steepest_line(friction.forward); })
    damping += std::max(steepest_line(friction.forward), steepest_line(friction.backward));
  return damping;
}

struct BodyOptions {
  bool accounts = true;    // keep the energy integrals
  bool controller = true;  // room for the controller's integral
  bool implicit = false;   // integrate implicitly even where the law itself is not stiff
};

template <class Law, BodyOptions options = BodyOptions{}>
class DrivenBody {
 public:
  static constexpr bool stiff = Law::stiff || options.implicit;
  static constexpr bool is_overdamped = options.implicit && !Law::stiff;  // damping alone makes it stiff
  static constexpr std::size_t totals = options.accounts ? 3 : 0;
  static constexpr std::size_t controllers = options.controller ? 1 : 0;
  static constexpr std::size_t capacity = 2 + controllers + Law::states;
  static constexpr std::size_t first_state = 2 + controllers;  // position, velocity, (controller,) friction states
  static constexpr std::size_t most_tables = most_variations;
  using Friction = typename Law::Friction;
  static constexpr bool truly_sticks =
      requires(const Friction& f, const typename Law::Memory& m, const Contact<double>& c) {
    Law::breakaway(f, m, c, Direction::forward);
  };
  template <class T>
  using State = typename Law::template State<T>;

  struct Mode {
    typename Law::Memory law{};
    std::size_t input = 0, load = 0, pressure = 0, temperature = 0;  // segments of the signals
    std::array<std::size_t, most_tables> interval{};                 // between which knots each tabulated parameter is
    HeldForce held{};                                                // of a drive that is sampled
  };

  DrivenBody(const Body& body, const Friction& friction, const SimulationOptions& run)
      : body_(body), friction_(friction), used_(first_state + Law::states_in_use(friction)) {
    State<double> scale{};
    Law::state_scale(friction, scale);
    double length = 1e-3;
    for (std::size_t i = 0; i < Law::states; ++i) {
      floor_[first_state + i] = 1e-3 * run.relative_tolerance * scale[i];
      length = std::min(length, scale[i]);
    }
    floor_[0] = floor_[1] = run.absolute_tolerance;
    if constexpr (options.controller) floor_[2] = run.absolute_tolerance;
    velocity_scale_ = Law::velocity_scale(friction);
    inverse_mass_ = 1 / body.mass;
    tolerance_ = run.relative_tolerance;
    if constexpr (is_overdamped || Law::states == 0) level_ = least_level();
    if constexpr (is_overdamped) set_floors(run);
    if constexpr (Law::states == 0) set_scales(run);
    for (std::size_t i = 0; i < friction.variations.size(); ++i)
      if (friction.variations[i].is_table()) table_[tables_++] = i;
  }

  std::size_t size() const { return Law::states == 0 ? first_state : used_; }
  /// The error that a step from here may make in each state beside its relative tolerance: the given one, or, if that would hide the
  /// motion that the level of friction makes, a small share of the motion that the forces acting now can make.
  std::array<double, capacity> error_floors(const Mode& mode, double t, const double* y) const {
    if (!is_minute_) return floor_;
    constexpr double tiny = std::numeric_limits<double>::min(), rounding = 16 * std::numeric_limits<double>::epsilon();
    const double force = level_ + force_size(mode, t, y) + damping_ * std::fabs(y[1]);
    const double speed = force * mobility_.speed, share = Mobility::share(tolerance_);
    auto floors = floor_;
    const auto lower = [&](std::size_t i, double error) { floors[i] = std::min(floors[i], std::max(error, tiny)); };
    lower(0, share * force * mobility_.length);
    lower(1, std::max(rounding * speed, share * std::min(speed, small_speed_)));
    if constexpr (options.controller)
      if (body_.drive.integral > 0) lower(2, share * force / body_.drive.integral);
    return floors;
  }

  /// The mode and consistent state at the start; y has the initial values.
  Mode start(double t, double* y) const {
    Mode mode;
    mode.input = body_.drive.input.segment_at(t);
    mode.load = body_.load.segment_at(t);
    mode.pressure = body_.pressure.segment_at(t);
    mode.temperature = body_.temperature.segment_at(t);
    if (body_.drive.is_sampled()) mode.held.start(body_.drive.loop, t, body_.drive.input(t), y[0], y[1]);
    const auto c = contact(mode, t, y);
    State<double> z = states(y);
    mode.law = Law::start(friction_, z, c);
    put(z, y);
    for (std::size_t i = 0; i < tables_; ++i) {
      const auto& knots = friction_.variations[table_[i]].knots;
      while (mode.interval[i] < knots.size() && quantity(table_[i], c) > knots[mode.interval[i]]) ++mode.interval[i];
    }
    return mode;
  }

  template <class T>
  Contact<T> contact(const Mode& mode, const T& t, const T* y) const {
    Contact<T> c;
    c.position = y[0];
    c.velocity = y[1];
    c.applied = applied(mode, body_.drive.at(mode.input, t), t, y);
    c.load = body_.load.value(mode.load, t);
    c.pressure = body_.pressure.value(mode.pressure, t);
    c.temperature = body_.temperature.value(mode.temperature, t);
    c.mass = body_.mass;
    c.time = value_of(t);
    return c;
  }

  /// All external actions on the body at one instant.
  template <class T>
  struct Inputs {
    Drive::At<T> drive;
    T load{}, pressure{}, temperature{};
  };
  template <class T>
  Inputs<T> inputs(const Mode& mode, const T& t) const {
    Inputs<T> in{body_.drive.at(mode.input, t), T(0.0), T(0.0), T(room_temperature)};
    if (!friction_.is_constant()) {
      in.load = body_.load.value(mode.load, t);
      in.pressure = body_.pressure.value(mode.pressure, t);
      in.temperature = body_.temperature.value(mode.temperature, t);
    }
    return in;
  }

  /// Eq. (1), and the powers whose integrals the ledger keeps.
  template <class T>
  void derivative(const Mode& mode, const T& t, const T* y, T* dy, T* power) const {
    derivative(mode, inputs(mode, t), t, y, dy, power);
  }
  template <class T>
  void derivative(const Mode& mode, const Inputs<T>& all, const T& t, const T* y, T* dy, T* power) const {
    const auto& in = all.drive;
    Contact<T> c;
    c.position = y[0];
    c.velocity = y[1];
    c.applied = applied(mode, in, t, y);
    c.load = all.load;
    c.pressure = all.pressure;
    c.temperature = all.temperature;
    c.mass = body_.mass;
    c.time = value_of(t);
    State<T> rates{};
    const T friction = Law::evaluate(friction_, mode.law, states(y), c, rates);
    dy[0] = y[1];
    if constexpr (Law::has_added_mass)
      dy[1] = (c.applied - friction) / (body_.mass + Law::added_mass(friction_, mode.law));
    else
      dy[1] = (c.applied - friction) * inverse_mass_;
    if constexpr (options.controller) dy[2] = body_.drive.is_sampled() ? T(0.0) : T(y[0] - in.target);
    for (std::size_t i = first_state; i < size(); ++i) dy[i] = rates[i - first_state];
    if constexpr (options.accounts) {
      power[0] = body_.drive.power_in(in, c.applied, y[0], y[1]);
      // The work of friction counts its acceleration term too: F + m_a dv/dt is what resists.
      power[1] = (friction + Law::added_mass(friction_, mode.law) * dy[1]) * y[1];
      power[2] = body_.drive.damper_power(in, y[1]);
    }
  }

  void guards(const Mode& mode, double t, const double* y, Guards& out) const {
    const auto c = contact(mode, t, y);
    for (std::size_t i = 0; i < tables_; ++i) {
      const auto& knots = friction_.variations[table_[i]].knots;
      const double q = quantity(table_[i], c);
      const std::size_t k = mode.interval[i];
      out.add(k == 0 ? 1.0 : q - knots[k - 1]);
      out.add(k == knots.size() ? 1.0 : knots[k] - q);
    }
    const std::size_t first = out.count;
    Law::guards(friction_, mode.law, states(y), c, out);
    if constexpr (is_overdamped) {
      // The speed is the force in excess of the level over the damping, known to the integrator's tolerance: a force that exceeds
      // the level by less than a few such errors causes a motion that cannot be distinguished from rest.
      if (Law::at_rest(mode.law)) {
        const double unseen = error_floors(mode, t, y)[1];
        const double slack = 4 * (tolerance_ * std::fabs(c.applied) + decay_ * body_.mass * unseen);
        for (std::size_t i = first; i < out.count; ++i) out.value[i] += slack;
      }
    }
  }

  /// A step of an L-stable method may skip a transient that decays within it: its end is accurate, its interpolant is
  /// not, and neither are guards located on it. The longest step with an accurate interpolant; infinity if this one is.
  template <class Step>
  double longest_shown(const Mode& mode, const Step& step) const requires(is_overdamped) {
    const double h = step.length;
    if (decay_ * h <= 2) return std::numeric_limits<double>::infinity();
    constexpr std::size_t v = totals + 1;
    const double allowed = error_floors(mode, step.start, step.from.data() + totals)[1] +
                           1e2 * tolerance_ * std::max(std::fabs(step.from[v]), std::fabs(step.end[v])) +
                           force_rounding(mode, step.start, step.from.data() + totals) / (decay_ * body_.mass);
    for (const double share : {0.25, 0.75}) {  // where its error is largest
      const double t = step.start + share * h;
      const auto y = step.at(t);
      std::array<double, capacity> rate{};
      std::array<double, totals == 0 ? 1 : totals> power{};
      derivative(mode, t, y.data() + totals, rate.data(), power.data());
      if (!(std::fabs(rate[1] - step.rate(v, t)) <= allowed * (decay_ + 4 / h))) return std::max(0.1 * h, 2 / decay_);
    }
    return std::numeric_limits<double>::infinity();
  }

  Happening leave(Mode& mode, std::size_t which, double t, double* y, double*) const {
    if (which < 2 * tables_) {
      auto& interval = mode.interval[which / 2];
      interval += which % 2 == 0 ? std::size_t(-1) : 1;
      return {EventKind::table_knot, static_cast<int>(interval)};
    }
    auto c = contact(mode, t, y);
    State<double> z = states(y);
    const double before = y[1];
    Happening h = Law::leave(friction_, mode.law, which - 2 * tables_, z, c);
    y[0] = c.position;
    y[1] = c.velocity;
    put(z, y);
    end_transient(mode, t, y);
    const double mass = body_.mass + Law::added_mass(friction_, mode.law);
    h.reset_heat = 0.5 * mass * (before * before - y[1] * y[1]);
    return h;
  }

  bool is_sampled() const { return body_.drive.is_sampled(); }
  double next_break(const Mode& mode) const {
    const double input = body_.drive.is_sampled() ? mode.held.next() : body_.drive.input.end_of(mode.input);
    return std::min({input, body_.load.end_of(mode.load), body_.pressure.end_of(mode.pressure),
                     body_.temperature.end_of(mode.temperature)});
  }
  /// Advances every signal that has a breakpoint here. A far end that jumps does work on its spring at once. A sampled drive reads
  /// its target only when it samples.
  Happening pass_break(Mode& mode, double t, double* y, double* total) const {
    if (body_.load.end_of(mode.load) <= t) ++mode.load;
    if (body_.pressure.end_of(mode.pressure) <= t) ++mode.pressure;
    if (body_.temperature.end_of(mode.temperature) <= t) ++mode.temperature;
    if (body_.drive.is_sampled()) {
      if (mode.held.next() <= t) mode.held.sample(body_.drive.loop, t, body_.drive.input(t), y[0]);
      return after_break(mode, t, y);
    }
    const double before = body_.drive.stored(body_.drive.at(mode.input, t), y[0]);
    if (body_.drive.input.end_of(mode.input) <= t) ++mode.input;
    if constexpr (options.accounts) total[0] += body_.drive.stored(body_.drive.at(mode.input, t), y[0]) - before;
    return after_break(mode, t, y);
  }

  /// No step may miss an oscillation of the inputs, nor skip the Stribeck peak while approaching rest; `dy` are the
  /// rates at y where the integrator has them.
  double longest_step(const Mode& mode, double t, const double* y, const double* dy) const {
    double step =
        std::min({body_.drive.input.longest_step(mode.input, t), body_.load.longest_step(mode.load, t),
                  body_.pressure.longest_step(mode.pressure, t), body_.temperature.longest_step(mode.temperature, t)});
    if (dy && velocity_scale_ > 0 && dy[1] * y[1] < 0) {
      // End a step where the peak begins, then cross it in steps that resolve it.
      const double speed = std::fabs(y[1]), peak = 5 * velocity_scale_;
      step = std::min(step, (speed > peak ? speed - 0.8 * peak : velocity_scale_) / std::fabs(dy[1]));
    }
    return step;
  }

  static constexpr std::size_t mode_indices = 8;
  static constexpr bool begins_inside = Law::states == 0;
  static std::size_t mode_index(const Mode& mode) { return static_cast<std::size_t>(Law::mode(mode.law)); }
  static bool at_rest(const Mode& mode) { return Law::at_rest(mode.law); }
  /// While sliding fast nothing can end the mode: the step cannot reduce the speed to zero.
  bool is_calm(const Mode& mode, const double* y0, const double* dy0, const double* y1, const double* dy1,
               double h) const {
    if (tables_ > 0 || !Law::only_rest_ends(mode.law)) return false;
    return y0[1] * y1[1] > 0 &&
           std::min(std::fabs(y0[1]), std::fabs(y1[1])) > h * std::max(std::fabs(dy0[1]), std::fabs(dy1[1]));
  }

  bool is_sensible(const Mode& mode, double t, const double* y) const {
    return friction_.is_constant() || friction_.is_sensible(contact(mode, t, y), Law::direction(mode.law));
  }

  /// Reversals that end no mode; those of direction-dependent parameters do, and are recorded as such.
  double watched(const Mode& mode, const double* y) const {
    return friction_.directional ? 0.0 : Law::watched(mode.law, states(y), y[1]);
  }

  /// Friction as it acts [N], with the term in the acceleration.
  double friction_at(const Mode& mode, double t, const double* y) const {
    const auto c = contact(mode, t, y);
    State<double> rates{};
    const double f = Law::evaluate(friction_, mode.law, states(y), c, rates);
    const double extra = Law::added_mass(friction_, mode.law);
    return extra == 0 ? f : f + extra * (c.applied - f) / (body_.mass + extra);
  }
  /// Kinetic energy, spring and bristles [J].
  double stored(const Mode& mode, double t, const double* y) const {
    return 0.5 * body_.mass * y[1] * y[1] + body_.drive.stored(body_.drive.at(mode.input, t), y[0]) +
           friction_stored(mode, t, y);
  }
  double friction_stored(const Mode& mode, double t, const double* y) const {
    return Law::stored(friction_, mode.law, states(y), contact(mode, t, y));
  }

  template <class T>
  static State<T> states(const T* y) {
    State<T> z;
    for (std::size_t i = 0; i < Law::states; ++i) z[i] = y[first_state + i];
    return z;
  }

 private:
  /// The lower of both directions' levels [N]; 0 where the law has no such number.
  double least_level() const {
    if constexpr (requires { friction_.forward.coulomb_force; }) {
      return std::min(friction_.forward.coulomb_force, friction_.set(Direction::backward).coulomb_force);
    } else if constexpr (truly_sticks) {
      return std::min(Law::breakaway(friction_, {}, {}, Direction::forward),
                      Law::breakaway(friction_, {}, {}, Direction::backward));
    } else {
      return 0;
    }
  }
  /// The body's own scales of motion, and whether the given tolerances would hide the motion that its level of friction makes.
  void set_scales(const SimulationOptions& run) {
    const Drive& drive = body_.drive;
    damping_ = damping_of(body_, friction_);
    mobility_ = Mobility(body_.mass, drive.stiffness, damping_, drive.integral, run.end - run.start);
    if (velocity_scale_ > 0) small_speed_ = velocity_scale_;
    if constexpr (requires { friction_.forward.band; })
      small_speed_ = std::min({small_speed_, friction_.forward.band, friction_.set(Direction::backward).band});
    // A looser tolerance than the default one was asked for.
    if (!(level_ > 0) || run.absolute_tolerance > 1.001e-3 * run.relative_tolerance) return;
    const double unseen = Mobility::unseen(tolerance_);
    is_minute_ = unseen * level_ * mobility_.length < floor_[0] ||
                 unseen * std::min(level_ * mobility_.speed, small_speed_) < floor_[1];
  }
  /// If damping determines the speed, the scale of speeds is level over damping: an absolute tolerance above that would
  /// leave only noise of the motion.
  void set_floors(const SimulationOptions& run) {
    const double damping = damping_of(body_, friction_);
    decay_ = damping * inverse_mass_;
    least_step_ = 1e-20 * (run.end - run.start);  // as solver/simulate.hpp has it
    if (!(level_ > 0)) return;
    const bool is_dragged =
        body_.drive.kind == DriveKind::pulled_spring && body_.drive.damping > 0;  // by a far end that moves
    constexpr double least = 1e-9;  // of the given tolerance: tiny levels give no scale of speed
    if (!is_dragged)
      floor_[1] = std::max(least * floor_[1], std::min(floor_[1], 1e-2 * run.relative_tolerance * level_ / damping));
  }
  /// Bound of the rounding error of u [N]: far from the origin a spring's force is a small difference of large positions.
  double force_rounding(const Mode& mode, double t, const double* y) const {
    return 64 * std::numeric_limits<double>::epsilon() * force_size(mode, t, y);
  }
  /// The terms of u, each by its size [N].
  double force_size(const Mode& mode, double t, const double* y) const {
    const Drive& drive = body_.drive;
    const auto in = drive.at(mode.input, t);
    return std::fabs(drive.stiffness) * (std::fabs(y[0]) + std::fabs(in.target)) +
           drive.damping * (std::fabs(y[1]) + std::fabs(in.target_rate)) + std::fabs(drive.integral * controller(y)) +
           std::fabs(applied(mode, in, t, y));
  }
  Happening after_break(const Mode& mode, double t, double* y) const {
    Happening h{EventKind::input_breakpoint};
    const double before = y[1];
    end_transient(mode, t, y);
    if (y[1] != before) h.reset_heat = 0.5 * body_.mass * (before * before - y[1] * y[1]);
    return h;
  }
  /// A transient shorter than the rounding of time has ended: the speed is the one at which the body does not accelerate.
  void end_transient(const Mode& mode, double t, double* y) const {
    if constexpr (is_overdamped && truly_sticks) {  // Karnopp's band, for one, has no damping
      constexpr double shortest = 1e-3;  // of a transient that steps can follow, in units of the rounding of time
      const double instant = std::max(std::numeric_limits<double>::epsilon() * std::fabs(t), least_step_);
      if (Law::at_rest(mode.law) || !(decay_ * instant > shortest)) return;
      std::array<double, capacity> rate{};
      std::array<double, totals == 0 ? 1 : totals> power{};
      for (int turn = 0; turn < 64; ++turn) {
        derivative(mode, t, y, rate.data(), power.data());
        const double more = rate[1] / decay_;
        y[1] += more;
        if (!(std::fabs(more) > 1e-3 * tolerance_ * std::fabs(y[1]))) break;
      }
      const double d = number(Law::direction(mode.law));
      if (!(d * y[1] > 0)) y[1] = -d * std::numeric_limits<double>::min();  // it has passed zero, which its guard shows
    }
  }
  /// u [N].
  template <class T, class At>
  T applied(const Mode& mode, const At& in, const T& t, const T* y) const {
    if (body_.drive.is_sampled()) return mode.held.force(body_.drive.loop, t);
    return body_.drive.force(in, y[0], y[1], controller(y));
  }
  template <class T>
  static T controller(const T* y) {
    if constexpr (options.controller)
      return y[2];
    else
      return T(0.0);
  }
  static void put(const State<double>& z, double* y) {
    for (std::size_t i = 0; i < Law::states; ++i) y[first_state + i] = z[i];
  }
  double quantity(std::size_t variation, const Contact<double>& c) const {
    return quantity_of(c, friction_.variations[variation].over);
  }

  const Body& body_;
  const Friction& friction_;
  std::size_t used_;
  std::array<double, capacity> floor_{};
  std::array<std::size_t, most_tables> table_{};
  std::size_t tables_ = 0;
  double velocity_scale_ = 0, inverse_mass_ = 1;
  double tolerance_ = 0;            // relative
  double decay_ = 0;                // of a body that is overdamped: damping over mass [1/s]
  double least_step_ = 0;           // shorter than any step can be [s]
  double level_ = 0, damping_ = 0;  // [N], [N s/m]
  Mobility mobility_{};
  double small_speed_ = std::numeric_limits<double>::infinity();  // over which the law changes [m/s]
  bool is_minute_ = false;  // the level of friction moves the body by less than the given tolerances show
};

}  // namespace stickslip::inline machines
