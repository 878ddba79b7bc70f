/// The box problem of a friction chain by a primal-dual active set: an independent check of the taut string.
///   min ½ τᵀ A τ − bᵀ τ,  low ≤ τ ≤ high,   A = D J⁻¹ Dᵀ (tridiagonal),  b = D J⁻¹ F,  dz/dt = b − A τ      (1)
/// A guess says which interfaces are at an end of their range; the others follow from one tridiagonal solve; interfaces that violate
/// their range or whose acceleration has the wrong sign change sides, all at once. When nothing changes, (1) is solved.
/// M. Hintermüller, K. Ito, K. Kunisch, SIAM J. Optimization 13(3), 2002. With ranges bounded on both sides it may cycle: after
/// `most_rounds` the taut string is used instead, which the returned count shows.
/// Accuracy falls with the ratio of the inertias, since A is formed; the taut string does not have this weakness.
#pragma once

#include "solver/resting_chain.hpp"

namespace stickslip::inline solver {

struct ActiveSetWorkspace {
  enum class Side : std::uint8_t { inside, at_low, at_high };
  std::vector<double> diagonal, beside, load, pivot;  // A, b and the elimination
  std::vector<Side> side;
  RestingWorkspace fallback;

  explicit ActiveSetWorkspace(std::size_t bodies)
      : diagonal(bodies), beside(bodies), load(bodies), pivot(bodies), side(bodies), fallback(bodies) {}
};

struct ActiveSetCount {
  int rounds = 0;
  bool fell_back = false;
};

namespace resting_detail {
using Side = ActiveSetWorkspace::Side;

/// A and b of (1).
inline void form_box_problem(const RestingChain& chain, ActiveSetWorkspace& w) {
  for (std::size_t i = 0; i < chain.interfaces.size(); ++i) {
    w.diagonal[i] = 1 / chain.inertia[i] + 1 / chain.inertia[i + 1];
    w.beside[i] = -1 / chain.inertia[i + 1];  // A(i, i+1)
    w.load[i] = chain.external_torque[i] / chain.inertia[i] - chain.external_torque[i + 1] / chain.inertia[i + 1];
  }
}

/// A τ = b for the interfaces inside their range, the others staying where they are: elimination down, substitution up.
inline void solve_inside(ActiveSetWorkspace& w, std::span<double> torque) {
  const std::size_t m = torque.size();
  const auto inside = [&](std::size_t i) { return w.side[i] == Side::inside; };
  for (std::size_t i = 0; i < m; ++i) {
    if (!inside(i)) continue;
    w.pivot[i] = w.diagonal[i];
    torque[i] = w.load[i];
    if (i + 1 < m && !inside(i + 1)) torque[i] -= w.beside[i] * torque[i + 1];
    if (i > 0 && !inside(i - 1)) torque[i] -= w.beside[i - 1] * torque[i - 1];
    if (i > 0 && inside(i - 1)) {
      const double factor = w.beside[i - 1] / w.pivot[i - 1];
      w.pivot[i] -= factor * w.beside[i - 1];
      torque[i] -= factor * torque[i - 1];
    }
  }
  for (std::size_t i = m; i-- > 0;) {
    if (!inside(i)) continue;
    if (i + 1 < m && inside(i + 1)) torque[i] -= w.beside[i] * torque[i + 1];
    torque[i] /= w.pivot[i];
  }
}

/// dz/dt = b − A τ of one interface [rad/s²].
inline double relative_acceleration(const ActiveSetWorkspace& w, std::span<const double> torque, std::size_t i) {
  double rate = w.load[i] - w.diagonal[i] * torque[i];
  if (i > 0) rate -= w.beside[i - 1] * torque[i - 1];
  if (i + 1 < torque.size()) rate -= w.beside[i] * torque[i + 1];
  return rate;
}

/// Moves the interfaces that disagree with their side; true if there were any.
inline bool change_sides(const RestingChain& chain, ActiveSetWorkspace& w, std::span<double> torque) {
  bool changed = false;
  for (std::size_t i = 0; i < torque.size(); ++i) {
    if (is_known(chain.interfaces[i])) continue;
    const Side before = w.side[i];
    if (before == Side::inside) {
      if (torque[i] > chain.interfaces[i].high) w.side[i] = Side::at_high;
      if (torque[i] < chain.interfaces[i].low) w.side[i] = Side::at_low;
    } else {
      const double rate = relative_acceleration(w, torque, i);
      if (before == Side::at_high ? rate < 0 : rate > 0) w.side[i] = Side::inside;
    }
    changed |= w.side[i] != before;
  }
  for (std::size_t i = 0; i < torque.size(); ++i) {
    if (w.side[i] == Side::at_high) torque[i] = chain.interfaces[i].high;
    if (w.side[i] == Side::at_low) torque[i] = chain.interfaces[i].low;
  }
  return changed;
}

/// Bodies between two interfaces that are not inside move as one.
inline void write_moving_as_one(const RestingChain& chain, const ActiveSetWorkspace& w, const RestingMotion& out) {
  const std::size_t interfaces = chain.interfaces.size();
  for (std::size_t first = 0, last = 0; first < chain.inertia.size(); first = last = last + 1) {
    double inertia = chain.inertia[first], gained = chain.external_torque[first] + (first ? out.torque[first - 1] : 0);
    for (; last < interfaces && w.side[last] == Side::inside; ++last) {
      inertia += chain.inertia[last + 1];
      gained += chain.external_torque[last + 1];
      out.relative_acceleration[last] = 0;
      out.outcome[last] = RestingOutcome::held;
    }
    if (last < interfaces) gained -= out.torque[last];
    for (std::size_t k = first; k <= last; ++k) out.acceleration[k] = gained / inertia;
    if (first > 0) settle_known(chain, first - 1, out);
  }
}

}  // namespace resting_detail

/// Solves (1) for the whole chain; `out` as for solve_resting_chain. A handful of rounds is usual.
inline ActiveSetCount solve_resting_chain_by_active_set(const RestingChain& chain, ActiveSetWorkspace& workspace,
                                                        const RestingMotion& out, int most_rounds = 100) {
  using namespace resting_detail;
  form_box_problem(chain, workspace);
  for (std::size_t i = 0; i < chain.interfaces.size(); ++i) {
    workspace.side[i] = is_known(chain.interfaces[i]) ? Side::at_low : Side::inside;
    out.torque[i] = chain.interfaces[i].low;
  }
  for (int round = 1; round <= most_rounds; ++round) {
    solve_inside(workspace, out.torque);
    if (!change_sides(chain, workspace, out.torque)) {
      write_moving_as_one(chain, workspace, out);
      return {round, false};
    }
  }
  solve_resting_chain(chain, workspace.fallback, out);
  return {most_rounds, true};
}

}  // namespace stickslip::inline solver
