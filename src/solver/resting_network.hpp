/// Torques and accelerations of bodies coupled by friction in any pattern: trees, loops, gear ratios, brakes to the ground.
///   z = D w,   J a = F − Dᵀ τ,   dz/dt = D a                                                               (1)
/// Row i of D names the bodies of interface i and their ratios: (1, −1) for a plain clutch, (1, −r) behind a gear, (1) alone for a
/// brake to the ground. Resting interfaces obey the rule of resting_chain.hpp, all at once:
///   min ½ |J^−½ (F − Dᵀ τ)|²,  low ≤ τ ≤ high, slipping torques given,                                     (2)
/// bounded least squares, solved by a finite active set. The accelerations are unique. The torques are not if more interfaces are held
/// than there are freedoms between them (two clutches side by side, a closed loop): then the answer says so, and of all torques
/// that solve (2) those of least norm are returned,
///   min |τ|²,  Dᵀ τ unchanged, low ≤ τ ≤ high,                                                             (3)
/// by Lawson and Hanson's reduction of a least distance to least squares with nonnegative variables.
/// Meant for small machines (tens of interfaces); a plain chain belongs to resting_chain.hpp.
#pragma once

#include <algorithm>

#include "solver/resting_interface.hpp"
#include "solver/resting_least_squares.hpp"

namespace stickslip {

/// One entry of D: the ratio with which a body's speed enters an interface's relative speed.
struct Coupling {
  std::size_t body = 0;
  double ratio = 1;
};

/// Row i of D is couplings[row_start[i]] up to, not including, couplings[row_start[i + 1]].
struct RestingNetwork {
  std::span<const double> inertia;          // J [kg m²]
  std::span<const double> external_torque;  // F [N m]
  std::span<const Interface> interfaces;
  std::span<const Coupling> couplings;
  std::span<const std::size_t> row_start;

  std::span<const Coupling> row(std::size_t interface) const {
    return couplings.subspan(row_start[interface], row_start[interface + 1] - row_start[interface]);
  }
};

/// `is_solved` false: rounding kept the active set from ending (the torques are within range but not the answer).
struct NetworkAnswer {
  bool is_solved = false;
  bool has_unique_torques = true;
};

/// Allocated once for the largest network to come.
struct NetworkWorkspace {
  std::vector<double> columns, load, low, high, value;  // of (2), then of (3)
  std::vector<double> basis, held_torque, shift, scratch;
  std::vector<std::size_t> interface, held;
  LeastSquaresWorkspace least_squares;

  NetworkWorkspace(std::size_t bodies, std::size_t interfaces)
      : columns(std::max((interfaces + 1) * 2 * interfaces, bodies * interfaces)),
        load(std::max(bodies, interfaces + 1)),
        low(2 * interfaces),
        high(2 * interfaces),
        value(2 * interfaces),
        basis(interfaces * interfaces),
        held_torque(interfaces),
        shift(interfaces),
        scratch(interfaces * (bodies + interfaces)),
        interface(interfaces),
        held(interfaces),
        least_squares(std::max(bodies, interfaces + 1), 2 * interfaces) {}
};

inline RestingFault fault_in(const RestingNetwork& network) {
  if (network.inertia.empty()) return {"a network needs at least one body", 0};
  if (network.external_torque.size() != network.inertia.size()) return {"each body needs one external torque", 0};
  if (network.row_start.size() != network.interfaces.size() + 1 || network.row_start.front() != 0 ||
      network.row_start.back() != network.couplings.size())
    return {"each interface needs one row of couplings", 0};
  for (std::size_t i = 0; i < network.interfaces.size(); ++i) {
    if (network.row_start[i] >= network.row_start[i + 1]) return {"an interface needs at least one body", i};
    if (network.row_start[i + 1] > network.couplings.size()) return {"each interface needs one row of couplings", i};
    for (const auto& [body, ratio] : network.row(i)) {
      if (body >= network.inertia.size()) return {"an interface names a body that does not exist", i};
      if (!std::isfinite(ratio) || ratio == 0) return {"a ratio must be finite and not zero", i};
    }
  }
  if (const auto fault = fault_in_bodies(network.inertia, network.external_torque)) return fault;
  return fault_in_interfaces(network.interfaces);
}

namespace resting_detail {

/// Accelerations and relative accelerations that follow from the torques, eq. (1). Where rounding hides whether a resting interface
/// still moves, it is held: below a part `hidden` of what its bodies feel, a little of what the most loaded body feels included, since
/// the least squares mix them.
inline void write_motion(const RestingNetwork& n, const RestingMotion& out, std::span<double> magnitude,
                         double hidden) {
  std::copy(n.external_torque.begin(), n.external_torque.end(), out.acceleration.begin());
  for (std::size_t b = 0; b < n.inertia.size(); ++b) magnitude[b] = std::abs(n.external_torque[b]);
  for (std::size_t i = 0; i < n.interfaces.size(); ++i)
    for (const auto& [body, ratio] : n.row(i)) {
      out.acceleration[body] -= ratio * out.torque[i];
      magnitude[body] += std::abs(ratio * out.torque[i]);
    }
  double most = 0;
  for (std::size_t b = 0; b < n.inertia.size(); ++b) {
    out.acceleration[b] /= n.inertia[b];
    most = std::max(most, magnitude[b]);
  }
  for (std::size_t i = 0; i < n.interfaces.size(); ++i) {
    double relative = 0, rounding = 0;
    for (const auto& [body, ratio] : n.row(i)) {
      relative += ratio * out.acceleration[body];
      rounding += std::abs(ratio) * (magnitude[body] + 0.3 * most) / n.inertia[body];
    }
    const Interface& at = n.interfaces[i];
    const bool is_at_end = relative > 0 ? out.torque[i] == at.high : out.torque[i] == at.low;
    const bool is_held = at.is_resting && (!is_at_end || std::abs(relative) <= hidden * rounding);
    out.relative_acceleration[i] = is_held ? 0 : relative;
    out.outcome[i] = !at.is_resting ? RestingOutcome::slips
                     : is_held      ? RestingOutcome::held
                                    : breakaway_outcome(relative);
  }
}

/// Orthonormal basis of the span of `vectors`, those of them that add less than 1e-10 of their length left out; appended to `basis` after
/// `have` vectors already there. `vectors` is overwritten. Returns the number in the basis.
inline std::size_t extend_basis(const Columns& vectors, std::size_t count, const Columns& basis, std::size_t have,
                                std::size_t most) {
  for (std::size_t j = 0; j < count; ++j) {
    const double size = length(vectors[j]);
    for (double& entry : vectors[j]) entry = size > 0 ? entry / size : 0;
  }
  const auto clean = [&](std::span<double> v, std::size_t from) {
    for (std::size_t k = from; k < have; ++k) add_multiple(v, -inner(basis[k], v), basis[k]);
  };
  for (std::size_t j = 0; j < count; ++j) clean(vectors[j], 0);
  while (have < most) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < count; ++j)
      if (length(vectors[j]) > length(vectors[best])) best = j;
    if (count == 0 || length(vectors[best]) < 1e-10) break;
    clean(vectors[best], 0);  // a second time, for orthogonality to the last digit
    const double size = length(vectors[best]);
    for (std::size_t r = 0; r < basis.rows; ++r) basis[have][r] = vectors[best][r] / size;
    ++have;
    for (std::size_t j = 0; j < count; ++j) clean(vectors[j], have - 1);
  }
  return have;
}

/// Replaces held torques by the least-norm ones, eq. (3), if there is a choice. Returns whether there was none.
inline bool choose_least_norm(const RestingNetwork& n, const RestingMotion& out, NetworkWorkspace& w, bool& is_solved) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < n.interfaces.size(); ++i)
    if (out.outcome[i] == RestingOutcome::held && n.interfaces[i].low < n.interfaces[i].high) w.held[held++] = i;

  // What the bodies feel is Dᵀ τ, one vector over the held interfaces per body; torques orthogonal to all of them are free.
  const Columns basis{w.basis, held}, vectors{w.scratch, held};
  std::fill(w.scratch.begin(), w.scratch.end(), 0.0);
  for (std::size_t k = 0; k < held; ++k)
    for (const auto& [body, ratio] : n.row(w.held[k])) vectors[body][k] += ratio;
  const std::size_t felt = extend_basis(vectors, n.inertia.size(), basis, 0, held);
  if (felt == held) return true;

  std::fill(w.scratch.begin(), w.scratch.end(), 0.0);
  for (std::size_t k = 0; k < held; ++k) vectors[k][k] = 1;
  extend_basis(vectors, held, basis, felt, held);

  const auto torque = std::span(w.held_torque).first(held), least = std::span(w.shift).first(held);
  for (std::size_t k = 0; k < held; ++k) torque[k] = out.torque[w.held[k]], least[k] = 0;
  for (std::size_t k = 0; k < felt; ++k) add_multiple(least, inner(basis[k], torque), basis[k]);

  // Least distance: variables q of the free directions N, low − τ₀ ≤ N q ≤ high − τ₀, each finite bound one column.
  const std::size_t free = held - felt;
  const Columns columns{w.columns, free + 1};
  std::size_t bounds = 0;
  bool is_inside = true;
  const auto add_bound = [&](std::size_t k, double sign, double distance) {
    if (!std::isfinite(distance)) return;
    for (std::size_t d = 0; d < free; ++d) columns[bounds][d] = sign * basis[felt + d][k];
    columns[bounds][free] = distance;
    w.low[bounds] = 0, w.high[bounds] = std::numeric_limits<double>::infinity();
    ++bounds;
    is_inside = is_inside && distance <= 0;
  };
  for (std::size_t k = 0; k < held; ++k) {
    add_bound(k, +1, n.interfaces[w.held[k]].low - least[k]);
    add_bound(k, -1, least[k] - n.interfaces[w.held[k]].high);
  }
  if (!is_inside) {
    const auto wanted = std::span(w.load).first(free + 1);
    std::fill(wanted.begin(), wanted.end(), 0.0);
    double scale = 0;  // distances in units of the largest, so that the last row is of the size of the others
    for (std::size_t b = 0; b < bounds; ++b) scale = std::max(scale, std::abs(columns[b][free]));
    for (std::size_t b = 0; b < bounds; ++b) columns[b][free] /= scale;
    wanted[free] = 1;
    is_solved = bounded_least_squares(columns, wanted, std::span(w.low).first(bounds), std::span(w.high).first(bounds),
                                      std::span(w.value).first(bounds), w.least_squares);
    const std::span<const double> residual = std::span(w.least_squares.residual).first(free + 1);
    for (std::size_t d = 0; d < free; ++d) add_multiple(least, -residual[d] / residual[free] * scale, basis[felt + d]);
  }
  for (std::size_t k = 0; k < held; ++k)  // only the last digits can lie outside
    out.torque[w.held[k]] = std::clamp(least[k], n.interfaces[w.held[k]].low, n.interfaces[w.held[k]].high);
  return false;
}

}  // namespace resting_detail

/// Solves (2), and (3) where needed; `hidden` as in write_motion. `workspace` must have been made for at least as many bodies and interfaces.
inline NetworkAnswer solve_resting_network(const RestingNetwork& network, NetworkWorkspace& workspace,
                                           const RestingMotion& out, double hidden = 3e-14) {
  assert(out.acceleration.size() == network.inertia.size() && out.torque.size() == network.interfaces.size());
  const std::size_t bodies = network.inertia.size();
  auto& w = workspace;
  const auto load = std::span(w.load).first(bodies);
  std::copy(network.external_torque.begin(), network.external_torque.end(), load.begin());
  const Columns columns{w.columns, bodies};
  std::size_t unknowns = 0;
  for (std::size_t i = 0; i < network.interfaces.size(); ++i) {
    const Interface& at = network.interfaces[i];
    if (at.low == at.high) {
      out.torque[i] = at.low;
      for (const auto& [body, ratio] : network.row(i)) load[body] -= ratio * at.low;
      continue;
    }
    std::fill_n(columns[unknowns].begin(), bodies, 0.0);
    for (const auto& [body, ratio] : network.row(i))
      columns[unknowns][body] += ratio / std::sqrt(network.inertia[body]);
    w.low[unknowns] = at.low, w.high[unknowns] = at.high;
    w.interface[unknowns++] = i;
  }
  for (std::size_t b = 0; b < bodies; ++b) load[b] /= std::sqrt(network.inertia[b]);
  const auto torque = std::span(w.value).first(unknowns);
  NetworkAnswer answer;
  answer.is_solved = bounded_least_squares(columns, load, std::span(w.low).first(unknowns),
                                           std::span(w.high).first(unknowns), torque, w.least_squares);
  for (std::size_t u = 0; u < unknowns; ++u) out.torque[w.interface[u]] = torque[u];
  resting_detail::write_motion(network, out, w.load, hidden);
  bool is_least = true;
  answer.has_unique_torques = resting_detail::choose_least_norm(network, out, w, is_least);
  answer.is_solved = answer.is_solved && is_least;
  return answer;
}

}  // namespace stickslip
