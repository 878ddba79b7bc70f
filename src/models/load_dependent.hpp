/// Friction of a transmission, proportional to the load it carries.
///   dz/dt = (v − |v| z)/h                                      (1)
///   F = μ |T| z + Δμ T z² + F_v v                              (2)
/// T is the transmitted load, positive if it acts against positive velocity; it is a parameter like any other, which in a scenario follows
/// [load] unless it is given. Sliding with z = ±1 the coefficient is μ + Δμ while the
/// load is driven (T v > 0) and μ − Δμ while it drives. (1) is Dahl's equation with a level of one: presliding over the length h.
/// The form in use for strain-wave and cycloid drives. P. R. Dahl, Aerospace Corporation report TOR-0158(3107-18)-1, 1968, for (1).
/// Not modelled: friction without load (but for viscosity), the Stribeck curve, true stiction. What presliding stores is counted as heat.
#pragma once

#include "models/promises.hpp"

namespace stickslip::load_dependent {

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "load-dependent",
      .title = "Load-dependent transmission friction",
      .equations = "dz/dt = (v - |v| z)/h; F = mu |T| z + dmu T z^2 + F_v v; T: transmitted load",
      .source =
          "the form in use for strain-wave and cycloid drives; presliding after P. R. Dahl, Aerospace Corporation "
          "report TOR-0158(3107-18)-1, 1968",
      .captures =
          "friction proportional to the transmitted load, with different coefficients while the load drives and while "
          "it is "
          "driven, presliding with hysteresis, viscosity",
      .lacks =
          "friction without load but for viscosity, the Stribeck curve, true stiction, rest under vibration (it "
          "drifts), "
          "non-local memory, dwell time"};
  static constexpr std::size_t states = 1;  // z, share of the level of sliding
  static constexpr std::array<std::string_view, 1> state_names{"presliding_share"};
  P presliding_length{}, friction_coefficient{}, coefficient_difference{}, viscosity{}, transmitted_load{};

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::presliding_length,
            {"presliding_length", "h", "m", "presliding distance", positive, 1e-7, 1e-2, logarithmic}),
        row(&M::friction_coefficient,
            {"friction_coefficient", "μ", "", "friction coefficient, mean of driving and driven", positive, 1e-3, 2,
             logarithmic, solved}),
        row(&M::coefficient_difference,
            {"coefficient_difference", "Δμ", "", "additional coefficient while the load is driven; at most μ", real, -1,
             1, linear, solved, 0}),
        row(&M::viscosity,
            {"viscosity", "F_v", "N s/m", "viscous coefficient", non_negative, 0, 1e3, linear, solved, 0}),
        row(&M::transmitted_load, {"transmitted_load", "T", "N", "transmitted load; the load input unless given", real,
                                   -100, 100, linear, fixed, 0})};
  }
};

inline std::string refusal(const Model<double>& m) {
  if (abs(m.coefficient_difference) <= m.friction_coefficient) return {};
  return "coefficient_difference is " + shortest(m.coefficient_difference) + " and friction_coefficient " +
         shortest(m.friction_coefficient) + "; it must not exceed friction_coefficient, or friction would drive";
}

/// Eq. (1) [1/s].
template <class P, class T>
T rate(const Model<P>& m, const T& z, const Contact<T>& c) {
  return (c.velocity - abs(c.velocity) * z) / m.presliding_length;
}
/// Eq. (2) [N].
template <class P, class T>
T force(const Model<P>& m, const T& z, const T&, const Contact<T>& c) {
  return m.friction_coefficient * abs(m.transmitted_load) * z + m.coefficient_difference * m.transmitted_load * z * z +
         m.viscosity * c.velocity;
}
/// Exact step of (1) while v is held: z approaches ±1 over the path.
template <class P, class T>
T hold(const Model<P>& m, const T& z, const Contact<T>& c, double duration) {
  const T steady = sign(c.velocity);
  return steady + (z - steady) * exp(-abs(c.velocity) * duration / m.presliding_length);
}
/// z is relative to the level of sliding.
inline double state_scale(const Model<double>&) { return 1; }

}  // namespace stickslip::load_dependent
