/// Bodies, rigid ties over any number of them, and what rests or slides between them, as one problem:
///   J a = F − Tᵀ λ − Dᵀ τ,   T a = β,   c = D a                                                                   (1)
/// Row i of D is a joint, row k of T a tie (a planetary gear, a lossy gear's ratio, a prescribed motion with β = dw/dt). λ and τ are their
/// torques. A body may have no inertia if the ties determine its motion: the matrix (J Tᵀ; T 0) is then regular. Its
/// inverse is computed once and eliminates the bodies,
///   c = b − A τ,   λ = λ₀ − Λ τ,   A = D N Dᵀ,   N the upper left block of the inverse                               (2)
/// and each joint is one of
///   known   its torque is given (it slips, or it is open)
///   box     low ≤ τ ≤ high;  c = 0 inside, c ≥ 0 at high, c ≤ 0 at low; a side may be infinite (freewheel, stop)    (3)
///   loss    −L(−t) ≤ τ ≤ L(t),  t = λ + τ,  L(t) = max(p t + f₁, q t + f₂): friction in proportion to the load t   (4)
///           of its own tie; at rest as (3), sliding at the end of its range
/// Each joint is in one of five states, in each of which its equation is linear. From inconsistent states, all that are inconsistent change
/// at once while their number falls, otherwise the first of them alone (block principal pivoting; J. J. Júdice, F. M. Pires,
/// Computers & Operations Research 21(5), 1994), which terminates if A with the slopes of (4) is a P-matrix. More joints than degrees of
/// freedom make A singular: of the possible torques, those of least norm (weighted by the diagonal) are taken. The same problem with momentum
/// for F and speeds for a is an impact without rebound.
/// Dense: meant for tens of joints.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "solver/resting_network.hpp"

namespace stickslip::inline solver {

/// The kind of a joint in (3) and (4). For `known`, low is the torque.
struct CoupledJoint {
  enum class Kind : std::uint8_t { known, box, loss };
  Kind kind = Kind::known;
  double low = 0, high = 0;
  std::size_t tie = 0;                        // for `loss`: the tie whose load it follows
  double p = 0, q = 0, f_one = 0, f_two = 0;  // of (4)
  int direction = 0;                          // for `loss`: +1 and −1 slide, 0 rests
};

/// State of a joint: inside its range or at an end. In (4) the second line of L is the `other`.
enum class CoupledState : std::uint8_t { inside, low, high, low_other, high_other };

constexpr bool is_at_low(CoupledState s) { return s == CoupledState::low || s == CoupledState::low_other; }
constexpr bool is_at_high(CoupledState s) { return s == CoupledState::high || s == CoupledState::high_other; }
constexpr bool is_other(CoupledState s) { return s == CoupledState::low_other || s == CoupledState::high_other; }

/// L(t) of (4).
inline double load_loss(const CoupledJoint& j, double t) { return std::max(j.p * t + j.f_one, j.q * t + j.f_two); }

namespace resting_detail {

/// Solves with a square matrix, row by row in `m`, partial pivoting; the factors stay in `m`.
struct SmallFactors {
  std::vector<double> m;
  std::vector<std::size_t> order;
  std::size_t size = 0;

  void factor() {
    order.resize(size);
    for (std::size_t i = 0; i < size; ++i) order[i] = i;
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < size; ++i)
        if (std::fabs(m[i * size + k]) > std::fabs(m[best * size + k])) best = i;
      if (best != k) {
        std::swap(order[k], order[best]);
        std::swap_ranges(m.begin() + static_cast<std::ptrdiff_t>(k * size),
                         m.begin() + static_cast<std::ptrdiff_t>((k + 1) * size),
                         m.begin() + static_cast<std::ptrdiff_t>(best * size));
      }
      const double pivot = m[k * size + k];
      if (pivot == 0) continue;
      for (std::size_t i = k + 1; i < size; ++i) {
        const double factor = m[i * size + k] /= pivot;
        if (factor == 0) continue;
        for (std::size_t l = k + 1; l < size; ++l) m[i * size + l] -= factor * m[k * size + l];
      }
    }
  }
  /// x := M⁻¹ r.
  void solve(std::span<const double> r, std::span<double> x) const {
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = r[order[i]];
      for (std::size_t k = 0; k < i; ++k) x[i] -= m[i * size + k] * x[k];
    }
    for (std::size_t i = size; i-- > 0;) {
      for (std::size_t k = i + 1; k < size; ++k) x[i] -= m[i * size + k] * x[k];
      x[i] = m[i * size + i] == 0 ? 0 : x[i] / m[i * size + i];
    }
  }
};

/// The shortest of all x with M x = r, where M is square, singular and row by row in `m`; none if the equations contradict each other. Full
/// pivoting: dependent rows can be distinguished from rounding, and x contains no rounding noise of them.
struct ShortestSolution {
  std::vector<double> m, r, null;  // null: vectors of the null space of M, row by row
  std::vector<std::size_t> column;
  std::size_t size = 0, rank = 0;

  /// `smallest`: smallest pivot, relative to the largest; `contradiction`: largest remainder of r in a row without a pivot.
  bool solve(std::span<double> x, double smallest, double contradiction) {
    column.resize(size);
    for (std::size_t i = 0; i < size; ++i) column[i] = i;
    const auto at = [&](std::size_t i, std::size_t k) -> double& { return m[i * size + column[k]]; };
    double first = 0;
    for (rank = 0; rank < size; ++rank) {
      std::size_t row = rank, col = rank;
      for (std::size_t i = rank; i < size; ++i)
        for (std::size_t k = rank; k < size; ++k)
          if (std::fabs(at(i, k)) > std::fabs(at(row, col))) row = i, col = k;
      const double pivot = std::fabs(at(row, col));
      if (rank == 0) first = pivot;
      if (!(pivot > smallest * first)) break;
      std::swap(column[rank], column[col]), std::swap(r[rank], r[row]);
      if (row != rank)
        std::swap_ranges(m.begin() + static_cast<std::ptrdiff_t>(row * size),
                         m.begin() + static_cast<std::ptrdiff_t>((row + 1) * size),
                         m.begin() + static_cast<std::ptrdiff_t>(rank * size));
      for (std::size_t i = rank + 1; i < size; ++i) {
        const double factor = at(i, rank) / at(rank, rank);
        if (factor == 0) continue;
        for (std::size_t k = rank; k < size; ++k) at(i, k) -= factor * at(rank, k);
        r[i] -= factor * r[rank];
      }
    }
    for (std::size_t i = rank; i < size; ++i)
      if (!(std::fabs(r[i]) <= contradiction)) return false;
    const auto solve_back = [&](const auto& right, double* to) {
      for (std::size_t i = rank; i-- > 0;) {
        double sum = right(i);
        for (std::size_t k = i + 1; k < rank; ++k) sum -= at(i, k) * to[column[k]];
        to[column[i]] = sum / at(i, i);
      }
    };
    std::fill(x.begin(), x.end(), 0.0);
    solve_back([&](std::size_t i) { return r[i]; }, x.data());
    null.assign((size - rank) * size, 0.0);
    for (std::size_t f = rank; f < size; ++f) {
      double* n = null.data() + (f - rank) * size;
      n[column[f]] = 1;
      solve_back([&](std::size_t i) { return -at(i, f); }, n);
      const auto take_out = [&](const double* other, double* from) {
        double along = 0;
        for (std::size_t i = 0; i < size; ++i) along += other[i] * from[i];
        for (std::size_t i = 0; i < size; ++i) from[i] -= along * other[i];
      };
      for (std::size_t g = rank; g < f; ++g) take_out(null.data() + (g - rank) * size, n);
      double length = 0;
      for (std::size_t i = 0; i < size; ++i) length += n[i] * n[i];
      for (std::size_t i = 0; i < size; ++i) n[i] /= std::sqrt(length);
      take_out(n, x.data());
    }
    return true;
  }
};

/// The inverse of a matrix by elimination with full pivoting, in place. Returns the first column without a pivot if singular, else `size`.
inline std::size_t invert(std::vector<double>& m, std::size_t size) {
  std::vector<std::size_t> row(size), column(size);
  std::vector<char> is_done(size, 0);
  std::vector<double> own(size, 0.0);  // the largest of each column at first
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t l = 0; l < size; ++l) own[l] = std::max(own[l], std::fabs(m[i * size + l]));
  for (std::size_t k = 0; k < size; ++k) {
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t l = 0; l < size && !is_done[i]; ++l)
        if (!is_done[l] && std::fabs(m[i * size + l]) > largest)
          largest = std::fabs(m[i * size + l]), row[k] = i, column[k] = l;
    if (!(largest > 1e-12 * (largest > 0 ? own[column[k]] : 0)))
      return static_cast<std::size_t>(std::find(is_done.begin(), is_done.end(), 0) - is_done.begin());
    const std::size_t r = row[k], c = column[k];
    if (r != c)
      for (std::size_t l = 0; l < size; ++l) std::swap(m[r * size + l], m[c * size + l]);
    is_done[c] = 1;
    const double pivot = 1 / m[c * size + c];
    m[c * size + c] = 1;
    for (std::size_t l = 0; l < size; ++l) m[c * size + l] *= pivot;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == c) continue;
      const double factor = m[i * size + c];
      if (factor == 0) continue;
      m[i * size + c] = 0;
      for (std::size_t l = 0; l < size; ++l) m[i * size + l] -= factor * m[c * size + l];
    }
  }
  for (std::size_t k = size; k-- > 0;)
    if (row[k] != column[k])
      for (std::size_t i = 0; i < size; ++i) std::swap(m[i * size + row[k]], m[i * size + column[k]]);
  return size;
}

}  // namespace resting_detail

/// Eq. (2): the constant part of a machine.
class CoupledBodies {
 public:
  using Row = std::vector<Coupling>;

  /// No fault: the index of the body or, counted after the bodies, of the tie that the equations do not determine.
  static constexpr std::size_t regular = std::numeric_limits<std::size_t>::max();
  std::size_t set(std::span<const double> inertia, std::span<const Row> ties, std::span<const Row> joints) {
    bodies_ = inertia.size(), ties_ = ties.size(), joints_ = joints.size();
    const std::size_t size = bodies_ + ties_;
    // All inertias in one unit, all ties scaled alike: a light body on a tie then causes no difference of large numbers.
    double largest = 0;
    for (const double j : inertia) largest = std::max(largest, j);
    std::vector<double> unit(size, 1 / std::sqrt(largest > 0 ? largest : 1)), k(size * size, 0.0);
    for (std::size_t t = 0; t < ties_; ++t) {
      double most = 0;
      for (const auto& [body, ratio] : ties[t]) most = std::max(most, std::fabs(ratio));
      unit[bodies_ + t] = 1 / (most * unit[0]);
    }
    for (std::size_t i = 0; i < bodies_; ++i) k[i * size + i] = inertia[i] * unit[i] * unit[i];
    for (std::size_t t = 0; t < ties_; ++t)
      for (const auto& [body, ratio] : ties[t]) {
        const double entry = ratio * unit[body] * unit[bodies_ + t];
        k[body * size + bodies_ + t] += entry, k[(bodies_ + t) * size + body] += entry;
      }
    if (const std::size_t bad = resting_detail::invert(k, size); bad != size) return bad;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t l = 0; l < size; ++l) k[i * size + l] *= unit[i] * unit[l];
    inverse_ = std::move(k);
    rows_.assign(joints.begin(), joints.end());
    moved_.assign(size * joints_, 0.0), a_.assign(joints_ * joints_, 0.0), unit_.assign(joints_, 1.0);
    for (std::size_t j = 0; j < joints_; ++j)
      for (std::size_t i = 0; i < size; ++i)
        for (const auto& [body, ratio] : rows_[j]) moved_[i * joints_ + j] += inverse_[i * size + body] * ratio;
    for (std::size_t i = 0; i < joints_; ++i)
      for (std::size_t j = 0; j < joints_; ++j)
        for (const auto& [body, ratio] : rows_[i]) a_[i * joints_ + j] += ratio * moved_[body * joints_ + j];
    for (std::size_t j = 0; j < joints_; ++j) {
      double free = 0;  // what A_jj is without ties
      for (const auto& [body, ratio] : rows_[j]) free += ratio * ratio / (inertia[body] > 0 ? inertia[body] : largest);
      if (a(j, j) > 1e-12 * free) {
        unit_[j] = 1 / std::sqrt(a(j, j));
        continue;
      }
      for (std::size_t k = 0; k < joints_; ++k)
        a_[j * joints_ + k] = a_[k * joints_ + j] = 0;  // determined by the ties
    }
    return regular;
  }

  std::size_t bodies() const { return bodies_; }
  std::size_t ties() const { return ties_; }
  std::size_t joints() const { return joints_; }
  double a(std::size_t i, std::size_t j) const { return a_[i * joints_ + j]; }
  /// Λ of (2).
  double load_per_torque(std::size_t tie, std::size_t joint) const { return moved_[(bodies_ + tie) * joints_ + joint]; }
  /// Change of the body's acceleration by a unit torque in the joint.
  double ease(std::size_t body, std::size_t joint) const { return moved_[body * joints_ + joint]; }
  const Row& row(std::size_t joint) const { return rows_[joint]; }
  double inverse(std::size_t i, std::size_t j) const { return inverse_[i * (bodies_ + ties_) + j]; }
  /// 1/√A_jj.
  double unit(std::size_t joint) const { return unit_[joint]; }

 private:
  std::size_t bodies_ = 0, ties_ = 0, joints_ = 0;
  std::vector<double> inverse_, moved_, a_, unit_;
  std::vector<Row> rows_;
};

/// One instant of a machine: (2) to (4), with given states or with states to be found.
class CoupledMotion {
 public:
  std::vector<CoupledJoint> joint;
  std::vector<CoupledState> state;
  std::vector<double> torque, acceleration, load;  // τ, a, λ
  std::vector<double> relative, magnitude;         // c, and the size of its terms: the scale of its rounding
  std::size_t most_rounds = 0;                     // of find(); 0: 48 plus 16 for each joint
  bool is_motion_open = false;                     // of move(): lossy gears slide under loads that are not unique

  void resize(const CoupledBodies& b) {
    joint.assign(b.joints(), {}), state.assign(b.joints(), CoupledState::inside);
    torque.assign(b.joints(), 0.0), relative = magnitude = free_ = weight_ = torque;
    acceleration.assign(b.bodies(), 0.0), load.assign(b.ties(), 0.0);
    free_body_.assign(b.bodies(), 0.0), size_of_body_ = free_body_, free_load_ = load;
    const std::size_t n = b.joints();
    for (auto* each : {&right_, &found_, &rest_, &step_, &shortest_.r}) each->reserve(n);
    for (auto* matrix : {&matrix_, &factors_.m, &shortest_.m, &shortest_.null}) matrix->reserve(n * n);
    for (auto* each : {&unknown_, &factors_.order, &shortest_.column}) each->reserve(n);
    given_.reserve(n), disagree_.reserve(n);
  }

  /// Eq. (1) with the present states.
  void move(const CoupledBodies& b, std::span<const double> force, std::span<const double> rate) {
    set_out(b, force, rate);
    is_motion_open = false;
    solve_states(b);
    write(b);
  }

  /// Finds the states, starting from the given ones. False if none is consistent: friction proportional to a load that it causes itself may
  /// have no solution, and rounding may hide one. Before that the margin for rounding is raised in steps up to `coarsest`.
  bool find(const CoupledBodies& b, std::span<const double> force, std::span<const double> rate,
            double coarsest = usually_hidden) {
    set_out(b, force, rate);
    given_ = state;
    for (hidden_ = usually_hidden; hidden_ < 2 * coarsest; hidden_ *= 100) {
      state = given_;
      if (settles(b)) return true;
    }
    return false;
  }
  /// What find() took for rounding, relative to what meets in a joint, if that was more than usual; otherwise 0.
  double more_hidden() const { return hidden_ > usually_hidden ? hidden_ : 0; }

 private:
  bool settles(const CoupledBodies& b) {
    const std::size_t joints = b.joints();
    std::size_t fewest = joints + 1, patience = 8, singles = 0;
    const std::size_t enough = most_rounds > 0 ? most_rounds : 48 + 16 * joints;
    for (std::size_t round = 0; round < enough; ++round) {
      solve_states(b);
      write(b);
      most_ = 0;
      for (std::size_t j = 0; hidden_ > usually_hidden && j < joints; ++j)
        most_ = std::max(most_, magnitude[j] * b.unit(j));
      disagree_.clear();
      for (std::size_t j = 0; j < joints; ++j)
        if (const CoupledState next = better(b, j); next != state[j]) disagree_.push_back({j, next});
      if (disagree_.empty()) return true;
      bool is_single = false;
      if (disagree_.size() < fewest)
        fewest = disagree_.size(), patience = 8;
      else if (patience > 0)
        --patience;
      else
        is_single = true;
      if (is_single) {  // in turns: the first of them alone, room for the first, the last alone
        const std::size_t turn = singles++ / (2 * joints + 4) % 3;
        const Change& change = turn == 2 ? disagree_.back() : disagree_.front();
        if (turn != 1 || !make_room(change.joint)) state[change.joint] = change.next;
        continue;
      }
      for (const auto& [j, next] : disagree_) state[j] = next;
    }
    return false;
  }

  /// Slope and offset of (4) in a state: τ = k t + f.
  static std::pair<double, double> line(const CoupledJoint& j, CoupledState s) {
    const double k = is_other(s) ? j.q : j.p, f = is_other(s) ? j.f_two : j.f_one;
    return {k, is_at_low(s) ? -f : f};
  }
  bool is_unknown(std::size_t j) const {
    return joint[j].kind != CoupledJoint::Kind::known &&
           (joint[j].kind == CoupledJoint::Kind::loss || state[j] == CoupledState::inside);
  }

  /// b and λ₀ of (2).
  void set_out(const CoupledBodies& b, std::span<const double> force, std::span<const double> rate) {
    const std::size_t bodies = b.bodies(), ties = b.ties();
    for (std::size_t i = 0; i < bodies; ++i) {
      double sum = 0, size = 0;
      for (std::size_t k = 0; k < bodies; ++k) {
        const double part = b.inverse(i, k) * force[k];
        sum += part, size += std::fabs(part);
      }
      for (std::size_t k = 0; k < ties; ++k) {
        const double part = b.inverse(i, bodies + k) * rate[k];
        sum += part, size += std::fabs(part);
      }
      free_body_[i] = sum, size_of_body_[i] = size;
    }
    for (std::size_t t = 0; t < ties; ++t) {
      double sum = 0;
      for (std::size_t k = 0; k < bodies; ++k) sum += b.inverse(bodies + t, k) * force[k];
      for (std::size_t k = 0; k < ties; ++k) sum += b.inverse(bodies + t, bodies + k) * rate[k];
      free_load_[t] = sum;
    }
    for (std::size_t j = 0; j < b.joints(); ++j) {
      free_[j] = weight_[j] = 0;
      for (const auto& [body, ratio] : b.row(j)) {
        free_[j] += ratio * free_body_[body];
        weight_[j] += std::fabs(ratio) * size_of_body_[body];
      }
    }
  }

  void solve_states(const CoupledBodies& b) {
    const std::size_t joints = b.joints();
    unknown_.clear();
    for (std::size_t j = 0; j < joints; ++j) {
      if (is_unknown(j))
        unknown_.push_back(j);
      else
        torque[j] =
            joint[j].kind == CoupledJoint::Kind::known || state[j] == CoupledState::low ? joint[j].low : joint[j].high;
    }
    const std::size_t n = unknown_.size();
    if (n == 0) return;
    matrix_.assign(n * n, 0.0), right_.assign(n, 0.0), found_.assign(n, 0.0), rest_.resize(n), step_.resize(n);
    for (std::size_t u = 0; u < n; ++u) {
      const std::size_t j = unknown_[u];
      double* row = matrix_.data() + u * n;
      if (state[j] == CoupledState::inside) {
        const double scale = b.unit(j);
        right_[u] = free_[j];
        for (std::size_t k = 0; k < joints; ++k)
          if (!is_unknown(k) && torque[k] != 0) right_[u] -= b.a(j, k) * torque[k];
        right_[u] *= scale;
        for (std::size_t v = 0; v < n; ++v) row[v] = scale * b.a(j, unknown_[v]) * b.unit(unknown_[v]);
        continue;
      }
      const auto [k, f] = line(joint[j], state[j]);
      const std::size_t tie = joint[j].tie;
      right_[u] = k * free_load_[tie] + f;
      for (std::size_t l = 0; l < joints; ++l)
        if (!is_unknown(l) && torque[l] != 0) right_[u] -= k * b.load_per_torque(tie, l) * torque[l];
      for (std::size_t v = 0; v < n; ++v) row[v] = k * b.load_per_torque(tie, unknown_[v]) * b.unit(unknown_[v]);
      row[u] += (1 - k) * b.unit(j);
      const double scale = 1 / b.unit(j);  // torques in units of unit()
      right_[u] *= scale;
      for (std::size_t v = 0; v < n; ++v) row[v] *= scale;
    }
    factors_.m = matrix_, factors_.size = n;
    constexpr double added = 1e-13;
    for (std::size_t u = 0; u < n; ++u)
      if (state[unknown_[u]] == CoupledState::inside) factors_.m[u * n + u] += added;
    factors_.factor();
    bool is_singular = false;
    for (std::size_t u = 0; u < n; ++u) is_singular = is_singular || std::fabs(factors_.m[u * n + u]) < suspicious;
    if (is_singular && solve_shortest(b)) return;
    factors_.solve(right_, found_);
    for (int turn = 0; turn < 2; ++turn) {  // what was added is taken back
      for (std::size_t u = 0; u < n; ++u) {
        rest_[u] = right_[u];
        for (std::size_t v = 0; v < n; ++v) rest_[u] -= matrix_[u * n + v] * found_[v];
      }
      factors_.solve(rest_, step_);
      for (std::size_t u = 0; u < n; ++u) found_[u] += step_[u];
    }
    for (std::size_t u = 0; u < n; ++u) torque[unknown_[u]] = found_[u] * b.unit(unknown_[u]);
  }

  /// More joints than degrees of freedom: the shortest of the possible torques, without the noise of the regularisation (a lossy
  /// gear that slides follows its load, so that noise would move the bodies). False if there are none.
  bool solve_shortest(const CoupledBodies& b) {
    const std::size_t n = unknown_.size();
    shortest_.m = matrix_, shortest_.r = right_, shortest_.size = n;
    double size = 0;
    for (std::size_t u = 0; u < n; ++u)
      size = std::max({size, std::fabs(right_[u]), weight_[unknown_[u]] * b.unit(unknown_[u])});
    if (!shortest_.solve(found_, dependent, 1e-9 * size)) return false;
    for (std::size_t u = 0; u < n; ++u) torque[unknown_[u]] = found_[u] * b.unit(unknown_[u]);
    for (std::size_t f = shortest_.rank; f < n && !is_motion_open; ++f)
      for (std::size_t u = 0; u < n; ++u)
        is_motion_open = is_motion_open || (state[unknown_[u]] != CoupledState::inside &&
                                            std::fabs(shortest_.null[(f - shortest_.rank) * n + u]) > 1e-9);
    return true;
  }

  /// λ, a, c.
  void write(const CoupledBodies& b) {
    const std::size_t joints = b.joints();
    std::copy(free_load_.begin(), free_load_.end(), load.begin());
    std::copy(free_body_.begin(), free_body_.end(), acceleration.begin());
    std::copy(free_.begin(), free_.end(), relative.begin());
    std::copy(weight_.begin(), weight_.end(), magnitude.begin());
    for (std::size_t k = 0; k < joints; ++k) {
      if (torque[k] == 0) continue;
      for (std::size_t t = 0; t < load.size(); ++t) load[t] -= b.load_per_torque(t, k) * torque[k];
      for (std::size_t i = 0; i < acceleration.size(); ++i) acceleration[i] -= b.ease(i, k) * torque[k];
      for (std::size_t j = 0; j < joints; ++j) {
        const double part = b.a(j, k) * torque[k];
        relative[j] -= part, magnitude[j] += std::fabs(part);
      }
    }
  }

  /// The state that is consistent with the joint's torque and acceleration; its own if it is.
  CoupledState better(const CoupledBodies& b, std::size_t j) const {
    const CoupledJoint& at = joint[j];
    const CoupledState s = state[j];
    if (at.kind == CoupledJoint::Kind::known) return s;
    const double hidden = hidden_, unit = b.unit(j), made_of = magnitude[j] + 0.3 * most_ / unit,
                 small = hidden * made_of * unit * unit;
    if (at.kind == CoupledJoint::Kind::box) {
      if (s == CoupledState::inside) {
        if (torque[j] > at.high + small + hidden * std::fabs(at.high)) return CoupledState::high;
        if (torque[j] < at.low - small - hidden * std::fabs(at.low)) return CoupledState::low;
        return s;
      }
      const bool is_wrong = s == CoupledState::high ? relative[j] < -hidden * made_of : relative[j] > hidden * made_of;
      return is_wrong ? CoupledState::inside : s;
    }
    const double t = load[at.tie] + torque[j];
    const double rounding = small + 4 * hidden * std::fabs(t);
    const auto at_high = [&] {
      return at.q * t + at.f_two > at.p * t + at.f_one ? CoupledState::high_other : CoupledState::high;
    };
    const auto at_low = [&] {
      return at.q * t - at.f_two < at.p * t - at.f_one ? CoupledState::low_other : CoupledState::low;
    };
    if (s == CoupledState::inside) {
      if (torque[j] > load_loss(at, t) + rounding) return at_high();
      if (torque[j] < -load_loss(at, -t) - rounding) return at_low();
      return s;
    }
    if (at.direction == 0) {
      const bool is_wrong = is_at_high(s) ? relative[j] < -hidden * made_of : relative[j] > hidden * made_of;
      if (is_wrong) return CoupledState::inside;
    }
    const double one = at.p * t, two = at.q * t;
    const double lead = is_at_high(s) ? (one + at.f_one) - (two + at.f_two) : (two - at.f_two) - (one - at.f_one);
    if (is_other(s) ? lead > rounding : lead < -rounding) return is_at_high(s) ? at_high() : at_low();
    return s;
  }

  /// Among redundant joints one is at its end though it hardly moves: the others in the same situation leave theirs instead. True if
  /// there were any.
  bool make_room(std::size_t which) {
    constexpr double hardly = 1e-9;
    if (state[which] == CoupledState::inside || std::fabs(relative[which]) > hardly * magnitude[which]) return false;
    bool is_changed = false;
    for (std::size_t j = 0; j < joint.size(); ++j) {
      if (j == which || joint[j].kind == CoupledJoint::Kind::known || joint[j].direction != 0) continue;
      if (state[j] == CoupledState::inside || std::fabs(relative[j]) > hardly * magnitude[j]) continue;
      state[j] = CoupledState::inside;
      is_changed = true;
    }
    return is_changed;
  }

  static constexpr double usually_hidden = 1e-14;
  double hidden_ = usually_hidden;  // part of what meets in a joint that counts as rounding,
  double most_ = 0;                 // and, where that is more than usual, of a little of what meets in any

  struct Change {
    std::size_t joint;
    CoupledState next;
  };
  std::vector<CoupledState> given_;
  std::vector<double> free_, weight_, free_body_, size_of_body_, free_load_;
  std::vector<double> matrix_, right_, found_, rest_, step_;
  std::vector<std::size_t> unknown_;
  std::vector<Change> disagree_;
  resting_detail::SmallFactors factors_;
  resting_detail::ShortestSolution shortest_;
  // Pivots, all rows being of the size of 1: with what was added, which small pivots before it enlarge, and without (rounding leaves
  // some 1e-15).
  static constexpr double suspicious = 1e-6, dependent = 1e-13;
};

}  // namespace stickslip::inline solver
