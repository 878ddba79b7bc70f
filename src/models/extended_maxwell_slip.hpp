/// Extended Maxwell-slip friction, DNLRX(M, n, n_x): a force from present and past deflections and positions.
///   δ_i(t) = clip(δ_i(t−1) + x(t) − x(t−1), −Δ_i, Δ_i)                                        (1)
///   F(t) = Σ_{r=0..n_x} c_r x(t−r) + Σ_{r=0..n} θ_rᵀ δ(t−r) + b                               (2)
/// t counts samples, `sampling_time` apart; the coefficients belong to that time. Between samples the force is held.
/// In a run of a machine each sampling instant is a located event at which (1) and (2) are evaluated; along a prescribed
/// motion sampled at `sampling_time` it is the model of the paper exactly, at other rates the motion is interpolated.
/// Before the start the body is assumed to be at rest at its start position.
/// Rizos 2005 eq 6, 13-14. Not modelled: dwell time; an energy balance (coefficients are free, the force need not dissipate).
#pragma once

#include "models/elements.hpp"
#include "models/promises.hpp"

namespace stickslip::extended_maxwell_slip {

/// n + 1 is at most this.
inline constexpr std::size_t most_lags = 4;

template <class P>
struct Model {
  static constexpr ModelText text{
      .name = "extended-maxwell-slip",
      .title = "Extended Maxwell-slip (DNLRX)",
      .equations =
          "delta_i <- clip(delta_i + dx, -Delta_i, Delta_i); F(t) = sum_{r=0..nx} c_r x(t-r) + sum_{r=0..n} "
          "theta_r' delta(t-r) + b; t counts samples, sampling_time apart; held between samples",
      .source = "Rizos 2005 eq 6, 13-14",
      .captures = "presliding hysteresis with non-local memory, and dynamics that follow from past samples",
      .lacks = "Stribeck curve, dwell time, an energy balance; coefficients hold for one sampling time"};
  static constexpr std::size_t states = max_elements;  // δ_i at the last sample [m]
  static constexpr bool stiff = false;
  static constexpr auto state_names = element_state_names;
  static constexpr std::array<std::string_view, 1> mode_names{"sampled"};
  List<P> thresholds{}, deflection_coefficients_0{}, deflection_coefficients_1{}, deflection_coefficients_2{},
      deflection_coefficients_3{}, position_coefficients{};
  P offset{}, sampling_time{};

  struct Memory {
    double next_sample = 0;  // [s]
    P force{};               // held since the last sample [N]
    Direction direction = Direction::forward;
    std::array<double, max_elements> position{};                      // x(t−r), newest first [m]
    std::array<std::array<P, max_elements>, most_lags> deflection{};  // δ(t−r), newest first [m]
  };

  static constexpr auto parameters() {
    using M = Model;
    using enum Scale;
    using enum Fit;
    using enum Domain;
    return std::tuple{
        row(&M::thresholds,
            {"thresholds", "Δ", "m", "deflection at which each spring slips", positive, 1e-7, 1e-3, logarithmic}),
        row(&M::deflection_coefficients_0, {"deflection_coefficients_0", "θ₀", "N/m", "factors of the deflections now",
                                            real, -1e7, 1e7, linear, solved}),
        row(&M::deflection_coefficients_1,
            {"deflection_coefficients_1", "θ₁", "N/m", "factors of the deflections one sample ago", real, -1e7, 1e7,
             linear, solved, 0}),
        row(&M::deflection_coefficients_2,
            {"deflection_coefficients_2", "θ₂", "N/m", "factors of the deflections two samples ago", real, -1e7, 1e7,
             linear, solved, 0}),
        row(&M::deflection_coefficients_3,
            {"deflection_coefficients_3", "θ₃", "N/m", "factors of the deflections three samples ago", real, -1e7, 1e7,
             linear, solved, 0}),
        row(&M::position_coefficients,
            {"position_coefficients", "c", "N/m", "factors of the position now and at past samples", real, -1e7, 1e7,
             linear, solved, 0}),
        row(&M::offset, {"offset", "b", "N", "constant force", real, -10, 10, linear, solved, 0}),
        row(&M::sampling_time,
            {"sampling_time", "T_s", "s", "time between samples", positive, 1e-4, 1e-1, logarithmic, fixed})};
  }
};

using Memory = Model<double>::Memory;
using Deflections = std::array<double, max_elements>;

/// The factors θ_r.
template <class P>
const List<P>& deflection_coefficients(const Model<P>& m, std::size_t lag) {
  switch (lag) {
    case 0:
      return m.deflection_coefficients_0;
    case 1:
      return m.deflection_coefficients_1;
    case 2:
      return m.deflection_coefficients_2;
    default:
      return m.deflection_coefficients_3;
  }
}

inline std::string refusal(const Model<double>& m) {
  for (std::size_t lag = 0; lag < most_lags; ++lag) {
    const std::string key = "deflection_coefficients_" + std::to_string(lag);
    const std::size_t count = deflection_coefficients(m, lag).size();
    if (lag > 0 && count == 0) continue;
    if (lag > 1 && deflection_coefficients(m, lag - 1).size() == 0)
      return key + " is given without deflection_coefficients_" + std::to_string(lag - 1) +
             "; give every lag up to the last, zeros where it has none";
    if (const auto unequal = refuse_unequal("thresholds", m.thresholds.size(), key, count); !unequal.empty())
      return unequal;
  }
  return {};
}
inline std::vector<std::string> doubts(const Model<double>& m, const Use& use) {
  if (!(abs(use.sampling_time - m.sampling_time) > 1e-6 * m.sampling_time)) return {};
  return {"the coefficients of extended-maxwell-slip belong to sampling_time = " + significant(m.sampling_time, 4) +
          " s; it is used with samples every " + significant(use.sampling_time, 4) + " s"};
}
template <class P>
std::size_t elements(const Model<P>& m) {
  return m.thresholds.size();
}
inline int mode_of(const Memory&) { return 0; }
template <class M>
requires requires(const M& memory) { memory.next_sample; }
Direction direction_in(const M& memory) { return memory.direction; }

/// Eq. (2) [N].
template <class P, class M>
P sampled_force(const Model<P>& m, const M& memory) {
  P sum = m.offset;
  for (std::size_t r = 0; r < m.position_coefficients.size(); ++r)
    sum += m.position_coefficients[r] * memory.position[r];
  for (std::size_t lag = 0; lag < most_lags; ++lag) {
    const auto& factors = deflection_coefficients(m, lag);
    for (std::size_t i = 0; i < factors.size(); ++i) sum += factors[i] * memory.deflection[lag][i];
  }
  return sum;
}
/// The regressor of (2) for one coefficient, i.e. the derivative of the force by it: entry `entry` of row `row` of the table, θ₀ to b.
inline double factor_in(const Memory& memory, std::size_t row, std::size_t entry) {
  constexpr std::size_t positions = 1 + most_lags;  // the row after those of the deflections
  if (row < positions) return memory.deflection[row - 1][entry];
  if (row == positions) return memory.position[entry];
  return 1.0;
}
/// One sampling instant: past values are shifted, eq. (1) gives the new ones, eq. (2) the force.
template <class P>
void take_sample(const Model<P>& m, typename Model<P>::Memory& memory, std::array<P, max_elements>& deflection,
                 double position) {
  const double dx = position - memory.position[0];
  if (dx != 0) memory.direction = direction_of(dx);
  for (std::size_t r = m.position_coefficients.size(); r-- > 1;) memory.position[r] = memory.position[r - 1];
  memory.position[0] = position;
  for (std::size_t i = 0; i < elements(m); ++i) {
    deflection[i] = min(max(P(deflection[i] + dx), P(-m.thresholds[i])), m.thresholds[i]);
    for (std::size_t lag = most_lags - 1; lag > 0; --lag) memory.deflection[lag][i] = memory.deflection[lag - 1][i];
    memory.deflection[0][i] = deflection[i];
  }
  memory.force = sampled_force(m, memory);
}

template <class P>
typename Model<P>::Memory start_in(const Model<P>& m, std::array<P, max_elements>& deflection,
                                   const Contact<double>& c) {
  typename Model<P>::Memory memory;
  memory.direction = direction_of(c.velocity != 0 ? c.velocity : c.applied);
  memory.position.fill(c.position);
  memory.deflection.fill(deflection);
  memory.next_sample = c.time + value_of(m.sampling_time);
  memory.force = sampled_force(m, memory);
  return memory;
}
/// Deflections change at samples only.
template <class P, class T>
std::array<T, max_elements> rate(const Model<P>&, const Memory&, const std::array<T, max_elements>&,
                                 const Contact<T>&) {
  return {};
}
/// The force held since the last sample [N].
template <class P, class T>
T force(const Model<P>&, const Memory& memory, const std::array<T, max_elements>&, const std::array<T, max_elements>&,
        const Contact<T>&) {
  return T(memory.force);
}
/// Time left to the next sample.
inline void guards_in(const Model<double>&, const Memory& memory, const Deflections&, const Contact<double>& c,
                      Guards& out) {
  out.add(memory.next_sample - c.time);
}
inline Happening leave_in(const Model<double>& m, Memory& memory, std::size_t, Deflections& deflection,
                          Contact<double>& c) {
  take_sample(m, memory, deflection, c.position);
  memory.next_sample += m.sampling_time;
  return {EventKind::input_breakpoint};
}
inline Deflections state_scale(const Model<double>& m) {
  Deflections scale{};
  for (std::size_t i = 0; i < elements(m); ++i) scale[i] = m.thresholds[i];
  return scale;
}
/// Every sampling instant within the step, with linear motion in between; a millionth of a sample is rounding of the given time.
template <class P>
void hold_in(const Model<P>& m, typename Model<P>::Memory& memory, std::array<P, max_elements>& deflection,
             const Contact<double>& from, const Contact<double>& to, double duration) {
  const double sampling_time = value_of(m.sampling_time), rounding = 1e-6 * sampling_time;
  while (memory.next_sample <= to.time + rounding) {
    const double part = 1 - (to.time - memory.next_sample) / duration;
    const bool at_end = abs(to.time - memory.next_sample) <= rounding;
    take_sample(m, memory, deflection, at_end ? to.position : from.position + part * (to.position - from.position));
    memory.next_sample = (at_end ? to.time : memory.next_sample) + sampling_time;
  }
}

}  // namespace stickslip::extended_maxwell_slip
