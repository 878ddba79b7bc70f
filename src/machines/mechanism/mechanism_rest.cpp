/// Where a machine rests: positions at which all loads balance, including the torques of locks; see put_at_rest() in mechanism.hpp.
///
/// From the positions of the file, u moves each freedom as little as necessary: the state that a very slow release would reach,
///   min  ½ uᵀ K u − fᵀ u + Σ_j ∫ level_j |d_j u|      over the u that ties and drives allow                        (1)
/// f: loads at the given positions, K: stiffness of springs and controllers, d_j u: how far joint j slides. So
///   K u + Σ d_j τ_j + ties = f;   held: d_j u = 0, low ≤ τ_j ≤ high;   slid forward: τ_j = high, backward: τ_j = low     (2)
/// found by changing one joint at a time, the one that violates (2) most, starting with all held. Springs with play make (2) piecewise
/// linear: it is solved again with the resulting sides until they do not change.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {

/// A x = b by elimination with full pivoting; unknowns that nothing determines stay zero. False, and `left` the row that cannot be
/// met, if there is no solution.
bool solve_any(std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double>& x, std::size_t& left) {
  const std::size_t n = b.size();
  std::vector<std::size_t> column(n), row(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = row[i] = i;
  std::vector<double> size(n, 0.0);  // of what meets in each row, the measure of rounding
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    size[i] = std::fabs(b[i]);
    for (const double entry : a[i]) largest = std::max(largest, std::fabs(entry));
  }
  std::size_t rank = 0;
  for (; rank < n; ++rank) {
    std::size_t p = rank, q = rank;
    for (std::size_t i = rank; i < n; ++i)
      for (std::size_t j = rank; j < n; ++j)
        if (std::fabs(a[i][j]) > std::fabs(a[p][q])) p = i, q = j;
    if (!(std::fabs(a[p][q]) > 1e-13 * largest)) break;
    std::swap(a[p], a[rank]), std::swap(b[p], b[rank]), std::swap(row[p], row[rank]), std::swap(size[p], size[rank]);
    for (auto& line : a) std::swap(line[q], line[rank]);
    std::swap(column[q], column[rank]);
    for (std::size_t i = rank + 1; i < n; ++i) {
      const double factor = a[i][rank] / a[rank][rank];
      if (factor == 0) continue;
      for (std::size_t j = rank; j < n; ++j) a[i][j] -= factor * a[rank][j];
      b[i] -= factor * b[rank];
      size[i] += std::fabs(factor) * size[rank];
    }
  }
  for (std::size_t i = rank; i < n; ++i)
    if (std::fabs(b[i]) > 1e-10 * size[i]) {
      left = row[i];
      return false;
    }
  x.assign(n, 0.0);
  for (std::size_t i = rank; i-- > 0;) {
    double sum = b[i];
    for (std::size_t j = i + 1; j < rank; ++j) sum -= a[i][j] * x[column[j]];
    x[column[i]] = sum / a[i][i];
  }
  return true;
}

[[noreturn]] void refuse_rest(const std::string& part, const std::string& why) {
  throw Error("start = \"rest\": " + in_quotes(part) + " " + why);
}

/// Parts that (1) does not cover.
void check_rest(const Mechanism& m) {
  for (const auto& b : m.bodies)
    if (b.speed != 0) refuse_rest(b.name, "has a speed; leave it out");
  for (const auto& j : m.joints)
    if (j.is_one_way) refuse_rest(j.name, "holds one way only; give the positions of its bodies instead");
  for (const auto& j : m.stateful_joints)
    refuse_rest(j.name, "has states of its own; give its [start] and the positions instead");
  for (const auto& g : m.lossy_gears)
    refuse_rest(g.name,
                "holds in proportion to its load; give the positions of its "
                "bodies instead");
  for (const auto& s : m.springs)
    if (!s.is_straight()) refuse_rest(s.name, "is nonlinear (exponent); give the positions of its bodies instead");
  for (const auto& s : m.springs)
    if (s.series_damping > 0) refuse_rest(s.name, "has a damper in series, which holds nothing at rest");
  for (const auto& s : m.stops) refuse_rest(s.name, "is an end stop; give the positions of its bodies instead");
  for (const auto& c : m.controllers)
    if (c.integral != 0 || c.sampling_time > 0)
      refuse_rest(c.name, "has an integral or is sampled, and would not rest");
}

}  // namespace

std::vector<double> MechanismSystem::rest_positions(double t) const {
  std::vector<double> y(size_);
  Mode mode = start(t, y.data());
  more_events.clear();
  std::vector<MotionRow> rigid;  // drives
  for (std::size_t i = 0; i < m_.drives.size(); ++i) {
    if (drive_speed(mode, i, t, y.data()) != 0) refuse_rest(m_.drives[i].name, "moves its body at the start");
    rigid.push_back(row({m_.drives[i].body, 1}, {}));
  }
  std::fill_n(y.begin(), freedoms_, 0.0);
  const std::vector<double> first = y;
  const auto place = [&](const std::vector<double>& u) {
    y = first;
    for (std::size_t i = 0; i < freedoms_; ++i) y[freedoms_ + i] += u[i];
    for (std::size_t i = 0; i < m_.springs.size(); ++i) {
      const double e = y[first_spring_ + i] += spring_row_[i].of(u.data());
      mode.side[i] = m_.springs[i].side_of(e);
    }
  };
  const std::size_t ties = m_.ties.size(), rows = joints_ + ties + rigid.size(), n = freedoms_ + rows;
  std::vector<double> u(freedoms_, 0.0), x;
  std::vector<int> slid(joints_, 0);
  bool follows = false;  // levels that move with the bodies
  for (const auto& j : m_.joints) follows = follows || j.follows();
  for (int turn = 0; turn < 100; ++turn) {
    place(u);
    const std::vector<int> sides = mode.side;
    std::vector<double> slopes(freedoms_ * size_, 0.0), unused(size_ * size_, 0.0);
    loads<false>(mode, t, y.data(), load_.data(), nullptr, Include::without_joints);
    const std::vector<double> load = load_;
    for (auto& motion : mode.joint) motion = Slip::stuck;
    load_slopes(mode, t, y.data(), slopes, unused.data(), size_);
    std::vector<std::vector<double>> k(freedoms_, std::vector<double>(freedoms_, 0.0));
    for (std::size_t i = 0; i < freedoms_; ++i) {
      const double* slope = slopes.data() + i * size_;
      for (std::size_t j = 0; j < freedoms_; ++j) k[i][j] -= slope[freedoms_ + j];
      for (std::size_t s = 0; s < m_.springs.size(); ++s) {
        const MotionRow& r = spring_row_[s];
        k[i][r.a] -= slope[first_spring_ + s] * r.at_a;
        if (r.b != ground) k[i][r.b] -= slope[first_spring_ + s] * r.at_b;
      }
    }
    std::vector<Level> levels;
    for (std::size_t j = 0; j < joints_; ++j) levels.push_back(level(mode, j, t, y.data()));
    double stiffest = 0;
    for (const auto& line : k)
      for (const double entry : line) stiffest = std::max(stiffest, std::fabs(entry));
    if (stiffest == 0) stiffest = 1;
    // Eq. (2) with the present slides; `yielding` gives joints a small compliance, d_j u = ε τ_j, so that torques are unique.
    const double give = 1e-6 / stiffest;
    const auto solve = [&](bool yielding) {
      std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
      std::vector<double> b(n, 0.0);
      for (std::size_t i = 0; i < freedoms_; ++i) {
        b[i] = load[i];
        for (std::size_t j = 0; j < freedoms_; ++j) {
          a[i][j] = k[i][j];
          b[i] += k[i][j] * u[j];  // loads were taken at u
        }
      }
      const auto tie = [&](std::size_t at, std::size_t f, double factor) {
        a[at][f] += stiffest * factor, a[f][at] += stiffest * factor;  // the unknown is the torque over the stiffness
      };
      for (std::size_t j = 0; j < joints_; ++j) {
        const MotionRow& r = joint_row_[j];
        const std::size_t at = freedoms_ + j;
        if (slid[j] == 0 && levels[j].low < levels[j].high) {
          tie(at, r.a, r.at_a);
          if (r.b != ground) tie(at, r.b, r.at_b);
          if (yielding) a[at][at] = -give * stiffest * stiffest;
          continue;
        }
        const double torque = slid[j] > 0 ? levels[j].high : levels[j].low;
        a[at][at] = stiffest, b[at] = torque;
        b[r.a] -= r.at_a * torque;
        if (r.b != ground) b[r.b] -= r.at_b * torque;
      }
      for (std::size_t i = 0; i < ties; ++i)
        for (const BodyEnd& end : m_.ties[i].ends)
          if (end.body != ground) tie(freedoms_ + joints_ + i, freedom_[end.body], end.ratio * gear_[end.body]);
      for (std::size_t i = 0; i < rigid.size(); ++i) tie(freedoms_ + joints_ + ties + i, rigid[i].a, rigid[i].at_a);
      std::size_t left = 0;
      if (!solve_any(a, b, x, left)) {
        std::string name = "the machine";
        for (std::size_t i = 0; i < m_.bodies.size(); ++i)
          if (left < freedoms_ && freedom_[i] == left) name = m_.bodies[i].name;
        refuse_rest(name, "cannot rest anywhere: no spring or lock balances its load");
      }
    };
    bool is_settled = false;
    for (std::size_t change = 0; change < 200 + 100 * joints_ && !is_settled; ++change) {
      solve(true);
      // (2): the joint that violates it most, relative to its range and to the compliance of the joints; later the first one,
      // which guarantees termination.
      double worst = 1e-9, size = 0;
      std::size_t which = joints_;
      for (std::size_t j = 0; j < joints_; ++j) size = std::max(size, std::fabs(stiffest * x[freedoms_ + j]));
      for (std::size_t j = 0; j < joints_; ++j) {
        const auto [low, high] = levels[j];
        if (!(low < high)) continue;
        const double torque = stiffest * x[freedoms_ + j];
        const double way = joint_row_[j].of(x.data()) - give * torque;
        const double off = slid[j] == 0 ? std::max(torque - high, low - torque) / (high - low)
                                        : -slid[j] * way / (give * std::max(size, high - low));
        if (off > worst && (change < 20 || which == joints_)) worst = off, which = j;
      }
      is_settled = which == joints_;
      if (!is_settled)
        slid[which] = slid[which] != 0 ? 0 : stiffest * x[freedoms_ + which] > levels[which].high ? 1 : -1;
    }
    if (!is_settled) throw Error("start = \"rest\": no rest state was found; give the positions instead");
    solve(false);
    const std::vector<double> found(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(freedoms_));
    double moved = 0, size = 0;
    for (std::size_t i = 0; i < freedoms_; ++i)
      moved = std::max(moved, std::fabs(found[i] - u[i])), size = std::max(size, std::fabs(found[i]));
    place(found);
    if (mode.side == sides && (!follows || moved <= 1e-12 * size)) {
      std::vector<double> position;
      for (std::size_t i = 0; i < m_.bodies.size(); ++i) position.push_back(body_position(i, y.data()));
      return position;
    }
    const double share = turn < 20 ? 1 : 0.5;  // sides that alternate meet in the middle
    for (std::size_t i = 0; i < freedoms_; ++i) u[i] += share * (found[i] - u[i]);
  }
  throw Error(
      "start = \"rest\": no rest was found for springs with backlash; give the "
      "positions instead");
}

void put_at_rest(Mechanism& m, double time) {
  check_rest(m);
  check_mechanism(m);
  SimulationOptions options;
  options.start = time, options.end = time + 1;
  options.relative_tolerance = 1e-10, options.absolute_tolerance = 1e-13;
  const auto position = MechanismSystem(m, options).rest_positions(time);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) m.bodies[i].position = position[i];
  m.starts_at_rest = true;
}

std::vector<HeldAtStart> held_at_start(const Mechanism& m, double time) {
  SimulationOptions options;
  options.start = time, options.end = time + 1;
  options.relative_tolerance = 1e-10, options.absolute_tolerance = 1e-13;
  const MechanismSystem system(m, options);
  return system.held_at(time);
}

std::vector<HeldAtStart> MechanismSystem::held_at(double t) const {
  std::vector<double> y(size_), torque;
  const Mode mode = start(t, y.data());
  more_events.clear();
  joint_torques(mode, t, y.data(), torque);
  std::vector<HeldAtStart> held;
  for (std::size_t j = 0; j < m_.joints.size(); ++j) {
    const auto [low, high] = level(mode, j, t, y.data());
    held.push_back({m_.joints[j].name, torque[j], low, high, mode.joint[j] == Slip::stuck});
  }
  return held;
}

}  // namespace stickslip::inline machines
