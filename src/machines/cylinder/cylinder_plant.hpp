/// The cylinder of hydraulic_cylinder.hpp as a plant for the event-driven solver, for any friction law.
///
/// In a void the state of the pressure is −β W/V_full instead, so that it passes through zero without a jump
/// both when a void opens and when it closes. Every kink of eq. (2), (6) and of the ends is a located event; inside a
/// mode the right-hand side is smooth.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/contact.hpp"
#include "core/scalar.hpp"
#include "core/switching.hpp"
#include "machines/cylinder/cylinder.hpp"
#include "solver/ordered_inverse.hpp"

namespace stickslip::inline machines {

/// r of eq. (2) [√Pa]; where its slope is infinite (δ = Δ = 0) it is given as 0.
inline double orifice_root(double drop, double laminar) {
  const double square = drop * drop + laminar * laminar;
  return square > 0 ? drop / std::sqrt(std::sqrt(square)) : 0;
}
template <std::size_t N>
Dual<N> orifice_root(const Dual<N>& drop, double laminar) {
  const double square = drop.value * drop.value + laminar * laminar;
  if (!(square > 0)) return Dual<N>(0.0);
  const double share = 1 / std::sqrt(std::sqrt(square));
  return Dual<N>::scaled(drop, drop.value * share, share * (1 - 0.5 * drop.value * drop.value / square));
}

struct CylinderOptions {
  bool accounts = true;  // keep the energy integrals
};

template <class Law, CylinderOptions options = CylinderOptions{}>
class CylinderPlant {
 public:
  static constexpr bool stiff = true, learns_first_steps = true;
  static constexpr std::size_t totals = options.accounts ? 3 : 0;  // supply, friction, throttling [J]
  static constexpr std::size_t valve = 0, valve_rate = 1, chamber_1 = 2, chamber_2 = 3, place = 4, speed = 5,
                               first_state = 6;
  static constexpr std::size_t capacity = first_state + Law::states;
  using Friction = typename Law::Friction;
  template <class T>
  using State = typename Law::template State<T>;

  /// The spool follows the current alone, pressures the spool and the place, friction its own states, later ones first; all act on the
  /// speed, and the speed on all.
  static constexpr std::array<std::size_t, capacity> elimination_order() {
    std::array<std::size_t, capacity> order{valve, valve_rate, place, chamber_1, chamber_2};
    for (std::size_t i = 0; i < Law::states; ++i) order[5 + i] = capacity - 1 - i;
    order[capacity - 1] = speed;
    return order;
  }
  using Linear = OrderedInverse<capacity, elimination_order()>;

  enum class End { none, lower, upper };
  struct Mode {
    typename Law::Memory law{};
    std::size_t input = 0;                               // segment of the current
    bool extending_open = true, retracting_open = true;  // a > 0, b > 0
    bool void_1 = false, void_2 = false;
    End end = End::none;
  };

  CylinderPlant(const HydraulicCylinder& cylinder, const Signal& current, const Friction& friction,
                const SimulationOptions& run)
      : p_(cylinder),
        current_(current),
        friction_(friction),
        area_1_(cylinder.area_1()),
        area_2_(cylinder.area_2()),
        full_1_(cylinder.dead_volume_1 + area_1_ * cylinder.stroke),
        full_2_(cylinder.dead_volume_2 + area_2_ * cylinder.stroke),
        conductance_(cylinder.discharge_coefficient * std::sqrt(2 / cylinder.density) * cylinder.port_width) {
    const double small = run.absolute_tolerance;
    const double opening = std::max(std::fabs(cylinder.underlap), 1e-6);  // the spool's own scale
    floor_ = {};
    floor_[valve] = small * opening;
    floor_[valve_rate] = small * opening * cylinder.valve_frequency;
    floor_[chamber_1] = floor_[chamber_2] = small * cylinder.supply_pressure;
    floor_[place] = floor_[speed] = small;
    State<double> scale{};
    Law::state_scale(friction, scale);
    for (std::size_t i = 0; i < Law::states; ++i) floor_[first_state + i] = 1e-3 * run.relative_tolerance * scale[i];
    velocity_scale_ = Law::velocity_scale(friction);
  }

  std::size_t size() const { return capacity; }
  double error_floor(std::size_t i) const { return floor_[i]; }

  /// The mode at the start; at v = 0 the net force decides which direction's parameters apply.
  Mode start(double t, double* y) const {
    Mode mode;
    mode.input = current_.segment_at(t);
    mode.extending_open = p_.underlap + y[valve] > 0;
    mode.retracting_open = p_.underlap - y[valve] > 0;
    auto c = contact(mode, t, y);
    State<double> z = states(y), rates{};
    if (c.velocity == 0 && Law::states > 0) c.applied -= Law::evaluate(friction_, mode.law, z, c, rates);
    mode.law = Law::start(friction_, z, c);
    return mode;
  }

  template <class T>
  struct Flows {
    T supply_1, return_1, supply_2, return_2;  // through the four edges, towards the chambers and out of them [m³/s]
  };
  /// Eq. (3), edge by edge.
  template <class T>
  Flows<T> flows(const Mode& mode, const T& spool, const T& pressure_1, const T& pressure_2) const {
    const T a = mode.extending_open ? T(conductance_ * (p_.underlap + spool)) : T(0.0);
    const T b = mode.retracting_open ? T(conductance_ * (p_.underlap - spool)) : T(0.0);
    const auto root = [this](const T& drop) { return orifice_root(drop, p_.laminar_pressure); };
    return {a * root(p_.supply_pressure - pressure_1), b * root(pressure_1), b * root(p_.supply_pressure - pressure_2),
            a * root(pressure_2)};
  }
  template <class T>
  T pressure_1(const Mode& mode, const T* y) const {
    return mode.void_1 ? T(0.0) : y[chamber_1];
  }
  template <class T>
  T pressure_2(const Mode& mode, const T* y) const {
    return mode.void_2 ? T(0.0) : y[chamber_2];
  }
  double void_1(const Mode& mode, const double* y) const {
    return mode.void_1 ? -y[chamber_1] * full_1_ / p_.bulk_modulus : 0;
  }
  double void_2(const Mode& mode, const double* y) const {
    return mode.void_2 ? -y[chamber_2] * full_2_ / p_.bulk_modulus : 0;
  }

  /// What the friction law sees; a stop takes the load that presses into it.
  template <class T>
  Contact<T> contact(const Mode& mode, const T& t, const T* y) const {
    Contact<T> c;
    c.position = y[place];
    c.velocity = y[speed];
    c.applied = driving_force(mode, y);
    c.pressure = pressure_1(mode, y);
    c.mass = p_.mass;
    c.time = value_of(t);
    if constexpr (Law::states == 0) {
      if (mode.end == End::lower) c.applied = max(c.applied, T(0.0));
      if (mode.end == End::upper) c.applied = min(c.applied, T(0.0));
    }
    return c;
  }

  /// Eq. (1), (4), (5), (6), and the powers whose integrals the ledger keeps.
  template <class T>
  void derivative(const Mode& mode, const T& t, const T* y, T* dy, T* power) const {
    const double squared = p_.valve_frequency * p_.valve_frequency;
    const T u = current_.value(mode.input, t);
    dy[valve] = y[valve_rate];
    dy[valve_rate] =
        squared * (p_.valve_gain * u - y[valve]) - 2 * p_.valve_damping * p_.valve_frequency * y[valve_rate];

    const T p1 = pressure_1(mode, y), p2 = pressure_2(mode, y);
    const Flows<T> q = flows(mode, y[valve], p1, p2);
    const T gain_1 = gain_1_of(q, y[speed]), gain_2 = gain_2_of(q, y[speed]);
    dy[chamber_1] =
        mode.void_1 ? T(gain_1 * (p_.bulk_modulus / full_1_)) : T(gain_1 * p_.bulk_modulus / volume_1(y[place]));
    dy[chamber_2] =
        mode.void_2 ? T(gain_2 * (p_.bulk_modulus / full_2_)) : T(gain_2 * p_.bulk_modulus / volume_2(y[place]));

    const auto c = contact(mode, t, y);
    State<T> rates{};
    const T friction = Law::evaluate(friction_, mode.law, states(y), c, rates);
    const double extra = Law::added_mass(friction_, mode.law);
    if (mode.end == End::none) {
      dy[place] = y[speed];
      dy[speed] = (c.applied - friction) / (p_.mass + extra);
    } else {
      dy[place] = T(0.0);
      dy[speed] = T(0.0);
    }
    for (std::size_t i = 0; i < Law::states; ++i) dy[first_state + i] = rates[i];
    if constexpr (options.accounts) {
      power[0] = power[2] = T(0.0);
      account(p1, q.supply_1, q.return_1, power[0], power[2]);
      account(p2, q.supply_2, q.return_2, power[0], power[2]);
      power[1] = (friction + extra * dy[speed]) * y[speed];
    }
  }

  // The guards in their order; the law's follow.
  static constexpr std::size_t edge_guards = 0, void_guards = 2, end_guards = 4, law_guards = 6;

  void guards(const Mode& mode, double t, const double* y, Guards& out) const {
    const double extending = p_.underlap + y[valve], retracting = p_.underlap - y[valve];
    out.add(mode.extending_open ? extending : -extending);
    out.add(mode.retracting_open ? retracting : -retracting);
    // A void opens only where oil is pulled away: rounding about zero pressure at an open edge is none.
    const auto q = flows(mode, y[valve], pressure_1(mode, y), pressure_2(mode, y));
    const double gain_1 = gain_1_of(q, y[speed]) * (p_.bulk_modulus / full_1_);
    const double gain_2 = gain_2_of(q, y[speed]) * (p_.bulk_modulus / full_2_);
    out.add(mode.void_1 ? -y[chamber_1] : std::max(y[chamber_1], gain_1));
    out.add(mode.void_2 ? -y[chamber_2] : std::max(y[chamber_2], gain_2));
    const auto c = contact(mode, t, y);
    if (mode.end == End::none) {
      out.add(y[place]);
      out.add(p_.stroke - y[place]);
      Law::guards(friction_, mode.law, states(y), beyond_rounding(mode, c), out);
      return;
    }
    if constexpr (Law::states == 0) {  // leaves an end by breaking away
      out.add(1);
      out.add(1);
      Law::guards(friction_, mode.law, states(y), c, out);
    } else {
      const double net = c.applied - friction_force(mode, c, y);
      out.add(mode.end == End::lower ? -net : 1);
      out.add(mode.end == End::upper ? net : 1);
    }
  }

  Happening leave(Mode& mode, std::size_t which, double t, double* y, double*) const {
    using enum HydraulicEventKind;
    switch (which) {
      case edge_guards:
        mode.extending_open = !mode.extending_open;
        return happened(extending_edge);
      case edge_guards + 1:
        mode.retracting_open = !mode.retracting_open;
        return happened(retracting_edge);
      case void_guards:
        mode.void_1 = !mode.void_1;
        return happened(mode.void_1 ? void_1_opens : void_1_closes);
      case void_guards + 1:
        mode.void_2 = !mode.void_2;
        return happened(mode.void_2 ? void_2_opens : void_2_closes);
      case end_guards:
      case end_guards + 1:
        return mode.end == End::none ? meet_end(mode, which, t, y) : leave_end(mode, t, y);
      default:
        break;
    }
    auto c = contact(mode, t, y);
    State<double> z = states(y);
    const Happening h = Law::leave(friction_, mode.law, which - law_guards, z, c);
    if constexpr (Law::states == 0) y[speed] = c.velocity;
    for (std::size_t i = 0; i < Law::states; ++i) y[first_state + i] = z[i];
    if (mode.end != End::none) {
      mode.end = End::none;
      return happened(leaves_end);
    }
    return happened(h.kind == EventKind::stick ? stick : h.kind == EventKind::release ? release : direction_change);
  }

  double next_break(const Mode& mode) const { return current_.end_of(mode.input); }
  Happening pass_break(Mode& mode, double, double*, double*) const {
    ++mode.input;
    return happened(HydraulicEventKind::input_breakpoint);
  }

  /// No step may miss an oscillation of the current, nor skip the Stribeck peak while approaching true rest.
  double longest_step(const Mode& mode, double t, const double* y, const double*) const {
    double step = current_.longest_step(mode.input, t);
    if constexpr (Law::states == 0) {
      if (y[speed] == 0) return step;
      const auto c = contact(mode, t, y);
      const double rate = (c.applied - friction_force(mode, c, y)) / p_.mass;
      if (rate * y[speed] < 0) {
        const double now = std::fabs(y[speed]), peak = 2 * velocity_scale_;
        step = std::min(step, (now > peak ? now - 0.8 * peak : 0.5 * velocity_scale_) / std::fabs(rate));
      }
    }
    return step;
  }

  static constexpr std::size_t mode_indices = 32;
  static std::size_t mode_index(const Mode& mode) {
    return static_cast<std::size_t>(Law::mode(mode.law)) + (mode.end == End::none ? 0 : 4) +
           (mode.extending_open ? 0 : 8) + (mode.retracting_open ? 0 : 16);
  }
  static bool at_rest(const Mode&) { return false; }  // the oil never is
  /// False once a level that follows position or pressure has left its allowed range.
  bool is_sensible(const Mode& mode, double t, const double* y) const {
    return friction_.is_constant() || friction_.is_sensible(contact(mode, t, y), Law::direction(mode.law));
  }
  /// If both directions share their parameters a reversal ends no mode, but is recorded.
  double watched(const Mode& mode, const double* y) const {
    if (friction_.directional || mode.end != End::none) return 0;
    return Law::watched(mode.law, states(y), y[speed]);
  }

  // ---- outputs at one instant ---------------------------------------------------------------------------------------

  /// P₁ A₁ − P₂ A₂ − m g [N].
  template <class T>
  T driving_force(const Mode& mode, const T* y) const {
    return pressure_1(mode, y) * area_1_ - pressure_2(mode, y) * area_2_ - p_.mass * p_.gravity;
  }
  double acceleration(const Mode& mode, double t, const double* y) const {
    if (mode.end != End::none) return 0;
    const auto c = contact(mode, t, y);
    return (c.applied - friction_force(mode, c, y)) / (p_.mass + Law::added_mass(friction_, mode.law));
  }
  /// Friction as it acts [N].
  double friction_at(const Mode& mode, double t, const double* y) const {
    return friction_force(mode, contact(mode, t, y), y) +
           Law::added_mass(friction_, mode.law) * acceleration(mode, t, y);
  }
  double stop_force(const Mode& mode, double t, const double* y) const {
    return mode.end == End::none ? 0 : friction_at(mode, t, y) - driving_force(mode, y);
  }
  double current(const Mode& mode, double t) const { return current_.value(mode.input, t); }
  double bristle_energy(const Mode& mode, double t, const double* y) const {
    return Law::stored(friction_, mode.law, states(y), contact(mode, t, y));
  }
  /// Kinetic, lifted, compressed (eq. 7) and in the bristles [J].
  double stored(const Mode& mode, double t, const double* y) const {
    const auto oil = [this](double pressure, double volume) {
      const double share = pressure / p_.bulk_modulus;
      return p_.bulk_modulus * volume * (std::expm1(share) - share);
    };
    return 0.5 * p_.mass * y[speed] * y[speed] + p_.mass * p_.gravity * y[place] +
           oil(pressure_1(mode, y), volume_1(y[place])) + oil(pressure_2(mode, y), volume_2(y[place])) +
           bristle_energy(mode, t, y);
  }

 private:
  template <class T>
  static State<T> states(const T* y) {
    State<T> z;
    for (std::size_t i = 0; i < Law::states; ++i) z[i] = y[first_state + i];
    return z;
  }
  template <class T>
  T volume_1(const T& x) const {
    return p_.dead_volume_1 + area_1_ * x;
  }
  template <class T>
  T volume_2(const T& x) const {
    return p_.dead_volume_2 + area_2_ * (p_.stroke - x);
  }
  /// Oil that a chamber gains over the room the piston makes [m³/s].
  template <class T>
  T gain_1_of(const Flows<T>& q, const T& v) const {
    return q.supply_1 - q.return_1 - area_1_ * v;
  }
  template <class T>
  T gain_2_of(const Flows<T>& q, const T& v) const {
    return area_2_ * v - (q.return_2 - q.supply_2);
  }
  /// Bristles come to rest at v = 0 within rounding, not exactly, and would take every oscillation of rounding for a reversal. Friction is
  /// continuous there, so their direction changes only once v has passed zero by more than the solver's error.
  Contact<double> beyond_rounding(const Mode& mode, Contact<double> c) const {
    if constexpr (Law::states > 0) c.velocity += number(Law::direction(mode.law)) * 10 * floor_[speed];
    return c;
  }
  /// Friction without its term in the acceleration [N].
  double friction_force(const Mode& mode, const Contact<double>& c, const double* y) const {
    State<double> rates{};
    return Law::evaluate(friction_, mode.law, states(y), c, rates);
  }
  /// Eq. (7): what the supply brings through one chamber's edges, and what throttling takes from it [W].
  template <class T>
  void account(const T& pressure, const T& in, const T& out, T& supply, T& throttled) const {
    const double beta = p_.bulk_modulus;
    const T here = exp(pressure / beta), above = exp((pressure - p_.supply_pressure) / beta);
    supply = supply + beta * in * (here - above);
    throttled = throttled + beta * (in * (1.0 - above) + out * (here - 1.0));
  }

  static Happening happened(HydraulicEventKind kind, double heat = 0) {
    return {hydraulic_event_terms[static_cast<std::size_t>(kind)], static_cast<int>(kind), heat};
  }
  Happening meet_end(Mode& mode, std::size_t which, double t, double* y) const {
    const bool lower = which == end_guards;
    const double heat = 0.5 * p_.mass * y[speed] * y[speed];
    y[place] = lower ? 0 : p_.stroke;
    y[speed] = 0;
    mode.end = lower ? End::lower : End::upper;
    if constexpr (Law::states == 0) {
      State<double> z = states(y);
      mode.law = Law::start(friction_, z, contact(mode, t, y));
    }
    return happened(lower ? HydraulicEventKind::lower_end : HydraulicEventKind::upper_end, heat);
  }
  /// With bristles: the net force now points away from the end.
  Happening leave_end(Mode& mode, double t, double* y) const {
    State<double> z = states(y);
    auto c = contact(mode, t, y);
    c.applied = mode.end == End::lower ? 1 : -1;
    mode.law = Law::start(friction_, z, c);
    mode.end = End::none;
    return happened(HydraulicEventKind::leaves_end);
  }

  const HydraulicCylinder& p_;
  const Signal& current_;
  const Friction& friction_;
  double area_1_, area_2_, full_1_, full_2_, conductance_;
  std::array<double, capacity> floor_{};
  double velocity_scale_ = 0;
};

}  // namespace stickslip::inline machines
