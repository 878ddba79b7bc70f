/// Torques and accelerations of bodies coupled by friction in any pattern: trees, loops, gear ratios, brakes to the ground.
///   z = D w,   J a = F − Dᵀ τ,   dz/dt = D a                                                               (1)
/// Row i of D names the bodies of interface i and their ratios: (1, −1) for a plain clutch, (1, −r) behind a gear, (1) alone for a
/// brake to the ground. Resting interfaces obey the rule of resting_chain.hpp, all at once:
///   min ½ |J^−½ (F − Dᵀ τ)|²,  low ≤ τ ≤ high, slipping torques given,                                     (2)
/// bounded least squares, solved by a finite active set. The accelerations are unique. The torques are not if more interfaces are held
/// than there are degrees of freedom between them (two parallel clutches, a closed loop): this is reported, and of all torques
/// that solve (2) those of least norm are returned,
///   min |τ|²,  Dᵀ τ unchanged, low ≤ τ ≤ high,                                                             (3)
/// by Lawson and Hanson's reduction of a least distance to least squares with nonnegative variables.
/// Interfaces at rest that share no body, directly or through others at rest, are independent: each such part is solved
/// alone. A tree is solved from its leaves to its root (resting_tree.hpp), however large it is; parts with loops are dense and should be small
/// (tens of interfaces). A plain chain belongs to resting_chain.hpp.
#pragma once

#include <algorithm>

#include "solver/resting_interface.hpp"
#include "solver/resting_least_squares.hpp"
#include "solver/resting_tree.hpp"

namespace stickslip::inline solver {

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

/// `is_solved` false: the active set did not terminate due to rounding (the torques are within range but not the solution).
struct NetworkAnswer {
  bool is_solved = false;
  bool has_unique_torques = true;
};

/// Allocated once for the largest expected network; dense parts of more than 64 interfaces allocate when they occur.
struct NetworkWorkspace {
  // Of a dense part.
  std::vector<double> columns, load, low, high, value;  // of (2), then of (3)
  std::vector<double> basis, held_torque, shift, scratch;
  std::vector<std::size_t> interface, held;
  LeastSquaresWorkspace least_squares{0, 0};
  // Of the whole network.
  std::vector<double> felt, magnitude;           // F without the torques that are given; of write_motion
  std::vector<std::size_t> first_of, touching;   // interfaces to be solved, by body
  std::vector<std::size_t> place;                // of a body in its part
  std::vector<std::size_t> bodies, interfaces;   // of the part
  std::vector<std::size_t> to_parent, brake_on;  // of a body of a tree: its interfaces
  std::vector<double> scale;                     // a = scale u
  std::vector<char> is_known;                    // the interface belongs to a part
  std::vector<std::size_t> dense_interfaces, dense_end, dense_bodies;
  RestingTree tree;

  NetworkWorkspace(std::size_t bodies_at_most, std::size_t interfaces_at_most)
      : felt(bodies_at_most),
        magnitude(bodies_at_most),
        first_of(bodies_at_most + 1),
        touching(2 * interfaces_at_most),
        place(bodies_at_most),
        to_parent(bodies_at_most),
        brake_on(bodies_at_most),
        scale(bodies_at_most),
        is_known(interfaces_at_most) {
    for (auto* list : {&bodies, &dense_bodies}) list->reserve(bodies_at_most);
    for (auto* list : {&interfaces, &dense_interfaces, &dense_end}) list->reserve(interfaces_at_most);
    tree.reserve(bodies_at_most);
    constexpr std::size_t small = 64;
    make_dense(std::min(bodies_at_most, small + 1), std::min(interfaces_at_most, small));
  }
  /// Room for a dense part.
  void make_dense(std::size_t n, std::size_t m) {
    const auto grow = [](auto& list, std::size_t size) {
      if (list.size() < size) list.resize(size);
    };
    grow(columns, std::max((m + 1) * 2 * m, n * m));
    grow(load, std::max(n, m + 1));
    for (auto* list : {&low, &high, &value}) grow(*list, 2 * m);
    grow(basis, m * m), grow(held_torque, m), grow(shift, m), grow(scratch, m * (n + m));
    grow(interface, m), grow(held, m);
    if (least_squares.residual.size() < std::max(n, m + 1) || least_squares.side.size() < 2 * m)
      least_squares = LeastSquaresWorkspace(std::max({n, m + 1, least_squares.residual.size()}),
                                            std::max(2 * m, least_squares.side.size()));
  }
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

/// Accelerations and relative accelerations that follow from the torques, eq. (1). If rounding hides whether a resting interface
/// still moves, it is held: below a fraction `hidden` of the accelerations of its bodies, plus a little of the most loaded body's, since
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

/// Replaces held torques of one part by the least-norm ones, eq. (3), if they are not unique. Returns whether they were unique.
inline bool choose_least_norm(const RestingNetwork& n, std::span<const std::size_t> interfaces, std::size_t bodies,
                              const RestingMotion& out, NetworkWorkspace& w, bool& is_solved) {
  std::size_t held = 0;
  for (const std::size_t i : interfaces)
    if (out.outcome[i] == RestingOutcome::held) w.held[held++] = i;

  // The bodies see Dᵀ τ, one vector over the held interfaces per body; torques orthogonal to all of them are free.
  const Columns basis{w.basis, held}, vectors{w.scratch, held};
  std::fill(w.scratch.begin(), w.scratch.end(), 0.0);
  for (std::size_t k = 0; k < held; ++k)
    for (const auto& [body, ratio] : n.row(w.held[k])) vectors[w.place[body]][k] += ratio;
  const std::size_t felt = extend_basis(vectors, bodies, basis, 0, held);
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

/// Which interfaces touch a body, of those whose torque is not given.
inline void find_neighbours(const RestingNetwork& n, NetworkWorkspace& w) {
  const auto is_asked = [&](std::size_t i) { return n.interfaces[i].low < n.interfaces[i].high; };
  std::fill(w.first_of.begin(), w.first_of.end(), 0);
  for (std::size_t i = 0; i < n.interfaces.size(); ++i)
    if (is_asked(i))
      for (const Coupling& c : n.row(i)) ++w.first_of[c.body];
  std::size_t total = 0;
  for (std::size_t b = 0; b < n.inertia.size(); ++b) total += w.first_of[b], w.first_of[b] = total;
  w.first_of[n.inertia.size()] = total;
  if (w.touching.size() < total) w.touching.resize(total);
  for (std::size_t i = n.interfaces.size(); i-- > 0;)
    if (is_asked(i))
      for (const Coupling& c : n.row(i)) w.touching[--w.first_of[c.body]] = i;
}

/// Collects the part that `root` belongs to, parents first. True if it is a tree that resting_tree.hpp can solve; its bodies are ready then.
inline bool collect_part(const RestingNetwork& n, std::size_t root, NetworkWorkspace& w) {
  constexpr std::size_t none = RestingTree::none;
  constexpr double widest = 1e60;  // of the ratios along a tree
  bool is_tree = true;
  w.bodies.clear(), w.interfaces.clear(), w.tree.clear();
  const auto add = [&](std::size_t body, std::size_t parent, std::size_t interface, double scale) {
    w.place[body] = w.bodies.size();
    w.bodies.push_back(body);
    w.to_parent[body] = interface, w.brake_on[body] = none, w.scale[body] = scale;
    is_tree = is_tree && std::abs(scale) < widest && std::abs(scale) > 1 / widest;
    RestingTree::Body b;
    b.parent = parent, b.inertia = scale * scale * n.inertia[body], b.load = scale * w.felt[body];
    w.tree.body.push_back(b);
  };
  // What resists u in the direction that a torque has: the range in units of u.
  const auto range = [&](std::size_t interface, double factor, double& low, double& high) {
    low = factor * n.interfaces[interface].low, high = factor * n.interfaces[interface].high;
    if (factor < 0) std::swap(low, high);
  };
  add(root, none, none, 1);
  for (std::size_t next = 0; next < w.bodies.size(); ++next) {
    const std::size_t body = w.bodies[next];
    for (std::size_t k = w.first_of[body]; k < w.first_of[body + 1]; ++k) {
      const std::size_t i = w.touching[k];
      if (w.is_known[i]) continue;
      w.is_known[i] = 1;
      w.interfaces.push_back(i);
      const auto row = n.row(i);
      if (row.size() == 1) {
        is_tree = is_tree && w.brake_on[body] == none;
        w.brake_on[body] = i;
        auto& b = w.tree.body[next];
        range(i, row[0].ratio * w.scale[body], b.brake_low, b.brake_high);
        continue;
      }
      is_tree = is_tree && row.size() == 2;
      const Coupling& here = row[0].body == body ? row[0] : row[1];
      for (const Coupling& there : row) {
        if (there.body == body) continue;
        if (w.place[there.body] != none) {
          is_tree = false;
          continue;
        }
        add(there.body, next, i, -here.ratio / there.ratio * w.scale[body]);
        auto& b = w.tree.body.back();
        range(i, there.ratio * w.scale[there.body], b.low, b.high);
      }
      is_tree = is_tree && !(row.size() == 2 && row[0].body == row[1].body);
    }
  }
  return is_tree;
}

/// The torques that the tree has found.
inline void take_torques(const RestingNetwork& n, const NetworkWorkspace& w, const RestingMotion& out) {
  const auto put = [&](std::size_t interface, double factor, double torque, double end) {
    const Interface& at = n.interfaces[interface];
    if (end != 0)
      out.torque[interface] = end * factor > 0 ? at.high : at.low;
    else
      out.torque[interface] = std::clamp(torque / factor, at.low, at.high);
  };
  const auto ratio_of = [&](std::size_t interface, std::size_t body) {
    const auto row = n.row(interface);
    return row[0].body == body ? row[0].ratio : row[1].ratio;
  };
  for (std::size_t k = 0; k < w.bodies.size(); ++k) {
    const std::size_t body = w.bodies[k], edge = w.to_parent[body], brake = w.brake_on[body];
    const auto& b = w.tree.body[k];
    if (edge != RestingTree::none) put(edge, ratio_of(edge, body) * w.scale[body], b.torque, b.parts);
    if (brake != RestingTree::none)
      put(brake, ratio_of(brake, body) * w.scale[body], b.brake_torque,
          b.is_grounded                    ? 0
          : b.brake_torque == b.brake_high ? 1
                                           : -1);
  }
}

/// (2) for the collected part, by least squares. False if it did not terminate due to rounding.
inline bool solve_dense(const RestingNetwork& n, NetworkWorkspace& w, const RestingMotion& out) {
  const std::size_t bodies = w.bodies.size(), unknowns = w.interfaces.size();
  w.make_dense(bodies, unknowns);
  const Columns columns{w.columns, bodies};
  const auto load = std::span(w.load).first(bodies);
  for (std::size_t k = 0; k < bodies; ++k) load[k] = w.felt[w.bodies[k]] / std::sqrt(n.inertia[w.bodies[k]]);
  for (std::size_t u = 0; u < unknowns; ++u) {
    const std::size_t i = w.interfaces[u];
    std::fill_n(columns[u].begin(), bodies, 0.0);
    for (const auto& [body, ratio] : n.row(i)) columns[u][w.place[body]] += ratio / std::sqrt(n.inertia[body]);
    w.low[u] = n.interfaces[i].low, w.high[u] = n.interfaces[i].high;
  }
  const auto torque = std::span(w.value).first(unknowns);
  const bool is_solved = bounded_least_squares(columns, load, std::span(w.low).first(unknowns),
                                               std::span(w.high).first(unknowns), torque, w.least_squares);
  for (std::size_t u = 0; u < unknowns; ++u) out.torque[w.interfaces[u]] = torque[u];
  return is_solved;
}

}  // namespace resting_detail

/// Solves (2), and (3) where needed; `hidden` as in write_motion. `workspace` must have been made for at least as many bodies and interfaces.
inline NetworkAnswer solve_resting_network(const RestingNetwork& network, NetworkWorkspace& workspace,
                                           const RestingMotion& out, double hidden = 3e-14) {
  assert(out.acceleration.size() == network.inertia.size() && out.torque.size() == network.interfaces.size());
  const std::size_t bodies = network.inertia.size();
  auto& w = workspace;
  std::copy(network.external_torque.begin(), network.external_torque.end(), w.felt.begin());
  for (std::size_t i = 0; i < network.interfaces.size(); ++i) {
    const Interface& at = network.interfaces[i];
    w.is_known[i] = at.low == at.high;
    if (!w.is_known[i]) continue;
    out.torque[i] = at.low;
    for (const auto& [body, ratio] : network.row(i)) w.felt[body] -= ratio * at.low;
  }
  resting_detail::find_neighbours(network, w);
  std::fill_n(w.place.begin(), bodies, RestingTree::none);
  w.dense_interfaces.clear(), w.dense_end.clear(), w.dense_bodies.clear();
  NetworkAnswer answer;
  answer.is_solved = true;
  for (std::size_t b = 0; b < bodies; ++b) {
    if (w.place[b] != RestingTree::none || w.first_of[b] == w.first_of[b + 1]) continue;
    if (resting_detail::collect_part(network, b, w) && w.tree.solve()) {
      resting_detail::take_torques(network, w, out);
      continue;
    }
    answer.is_solved = resting_detail::solve_dense(network, w, out) && answer.is_solved;
    w.dense_interfaces.insert(w.dense_interfaces.end(), w.interfaces.begin(), w.interfaces.end());
    w.dense_end.push_back(w.dense_interfaces.size()), w.dense_bodies.push_back(w.bodies.size());
  }
  resting_detail::write_motion(network, out, w.magnitude, hidden);
  std::size_t begin = 0;
  for (std::size_t part = 0; part < w.dense_end.size(); begin = w.dense_end[part++]) {
    bool is_least = true;
    const auto interfaces = std::span(w.dense_interfaces).subspan(begin, w.dense_end[part] - begin);
    const bool is_unique =
        resting_detail::choose_least_norm(network, interfaces, w.dense_bodies[part], out, w, is_least);
    answer.has_unique_torques = answer.has_unique_torques && is_unique;
    answer.is_solved = answer.is_solved && is_least;
  }
  return answer;
}

}  // namespace stickslip::inline solver
