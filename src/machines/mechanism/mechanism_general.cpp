/// General machines, (5) of mechanism_system.hpp: ties, lossy gears, one-way joints, stops, prescribed motions, bodies without inertia.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "machines/mechanism/mechanism_system.hpp"

namespace stickslip::inline machines {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double hidden_in_impact =
    1e-10;  // relative to the momenta in the joint: with redundant locks more than rounding alone is hidden
constexpr double hidden_in_redundancy = 1e-12;  // the same of forces, where less leads to no answer
constexpr double dependent = 1e-10;  // relative to a row's own square: what remains of it beside others is rounding

double finite_range(double low, double high) {
  return (std::isfinite(high) ? high : 0) - (std::isfinite(low) ? low : 0);
}

/// Straight lines between the points, the first and the last two beyond.
double on_lines(const std::vector<double>& x, const std::vector<double>& y, double at) {
  if (x.size() == 1) return y[0];
  std::size_t i = 1;
  while (i + 1 < x.size() && at > x[i]) ++i;
  return y[i - 1] + (y[i] - y[i - 1]) / (x[i] - x[i - 1]) * (at - x[i - 1]);
}

/// Rows that add something to those before them, in the inner product of A.
class Independent {
 public:
  Independent(const CoupledBodies& b, std::vector<double>& left, std::vector<double>& factors)
      : b_(b), left_(left), factors_(factors) {
    left_.resize(b.joints()), factors_.resize(b.joints() * b.joints());
    for (std::size_t j = 0; j < b.joints(); ++j) left_[j] = b.a(j, j);
  }
  bool adds(std::size_t j) const { return b_.a(j, j) > 0 && left_[j] > dependent * b_.a(j, j); }
  /// False if it adds nothing.
  bool take(std::size_t j) {
    if (!adds(j)) return false;
    const double pivot = std::sqrt(left_[j]);
    const double* own = factors_.data() + j * b_.joints();
    for (std::size_t i = 0; i < b_.joints(); ++i) {
      double* factor = factors_.data() + i * b_.joints();
      double entry = b_.a(i, j);
      for (std::size_t k = 0; k < taken_; ++k) entry -= factor[k] * own[k];
      entry /= pivot;
      factor[taken_] = entry;
      left_[i] -= entry * entry;
    }
    ++taken_;
    return true;
  }

 private:
  const CoupledBodies& b_;
  std::vector<double>& left_;     // what remains of each row's square
  std::vector<double>& factors_;  // of each row along those taken
  std::size_t taken_ = 0;
};

/// Rows over the freedoms, each reduced by those before it.
class Reduced {
 public:
  Reduced(std::size_t width, std::vector<double>& entries, std::vector<std::size_t>& pivots)
      : width_(width), entries_(entries), pivots_(pivots) {
    entries_.clear(), pivots_.clear();
  }
  /// False if the row is a combination of those before it.
  bool adds(std::span<const Coupling> couplings) {
    const bool is_new = add(couplings);
    if (is_new) pivots_.pop_back(), entries_.resize(entries_.size() - width_);
    return is_new;
  }
  /// The same; if it is not, it is one of them from then on.
  bool add(std::span<const Coupling> couplings) {
    const std::size_t at = entries_.size();
    entries_.resize(at + width_, 0.0);
    const auto own = std::span(entries_).subspan(at, width_);
    for (const auto& [body, ratio] : couplings) own[body] += ratio;
    const auto largest = [&] {
      std::size_t best = 0;
      for (std::size_t i = 1; i < width_; ++i)
        if (std::fabs(own[i]) > std::fabs(own[best])) best = i;
      return best;
    };
    const double size = std::fabs(own[largest()]);
    for (std::size_t k = 0; k < pivots_.size(); ++k) {
      const auto before = std::span(entries_).subspan(k * width_, width_);
      const double factor = own[pivots_[k]] / before[pivots_[k]];
      if (factor == 0) continue;
      for (std::size_t i = 0; i < width_; ++i) own[i] -= factor * before[i];
      own[pivots_[k]] = 0;
    }
    const std::size_t pivot = largest();
    if (!(std::fabs(own[pivot]) > dependent * size)) {
      entries_.resize(at);
      return false;
    }
    pivots_.push_back(pivot);
    return true;
  }

 private:
  std::size_t width_;
  std::vector<double>& entries_;
  std::vector<std::size_t>& pivots_;
};

}  // namespace

void MechanismSystem::set_up_general() {
  has_loops_ = true;
  std::vector<CoupledBodies::Row> ties, joints;
  const auto add = [](CoupledBodies::Row& row, std::size_t freedom, double ratio) {
    for (auto& c : row)
      if (c.body == freedom) return void(c.ratio += ratio);
    row.push_back({freedom, ratio});
  };
  for (const auto& tie : m_.ties) {
    auto& row = ties.emplace_back();
    for (const BodyEnd& end : tie.ends)
      if (end.body != ground) add(row, freedom_[end.body], end.ratio * gear_[end.body]);
  }
  for (const auto& g : m_.lossy_gears) {  // w_a − w_b/ratio
    auto& row = ties.emplace_back();
    add(row, freedom_[g.a], gear_[g.a]);
    add(row, freedom_[g.b], -gear_[g.b] / g.ratio);
  }
  for (const auto& d : m_.drives) add(ties.emplace_back(), freedom_[d.body], gear_[d.body]);
  for (const auto& r : joint_row_) {
    auto& row = joints.emplace_back();
    row.push_back({r.a, r.at_a});
    if (r.b != ground) row.push_back({r.b, r.at_b});
  }
  tie_row_.assign(ties.begin(), ties.end() - static_cast<std::ptrdiff_t>(m_.drives.size()));
  const std::size_t bad = coupled_.set(inertia_, ties, joints);
  if (bad != CoupledBodies::regular) {
    if (bad >= freedoms_) {
      const std::size_t t = bad - freedoms_, gears = m_.ties.size(), drives = gears + m_.lossy_gears.size();
      const std::string which = t < gears    ? "tie " + in_quotes(m_.ties[t].name)
                                : t < drives ? "lossy_gear " + in_quotes(m_.lossy_gears[t - gears].name)
                                             : "drive " + in_quotes(m_.drives[t - drives].name);
      throw Error(which + ": it duplicates or contradicts other ties, gears and drives; leave one of them out");
    }
    for (std::size_t i = 0; i < m_.bodies.size(); ++i)
      if (freedom_[i] == bad)
        throw Error("body " + in_quotes(m_.bodies[i].name) +
                    ": it has no inertia, and no gear, tie or drive determines its motion; give it an inertia");
  }
  now_.resize(coupled_), trial_.resize(coupled_);
  trial_.most_rounds = m_.most_rounds;
  tie_rate_.assign(coupled_.ties(), 0.0);
  trial_other_.assign(joints_, 0);
  find_held_by_ties();
}

/// Rows whose slip ties and lossy gears alone keep at zero.
void MechanismSystem::find_held_by_ties() {
  is_held_by_ties_.assign(joints_, 0);
  Reduced rows(freedoms_, at_event_.rows, at_event_.pivots);
  for (const auto& tie : tie_row_) rows.add(tie);
  for (std::size_t j = 0; j < joints_; ++j) is_held_by_ties_[j] = coupled_.a(j, j) == 0 && !rows.adds(coupled_.row(j));
}

/// Whether the motion would be another one if a lock that ties make idle carried something: a gear turns whose loss would follow it.
bool MechanismSystem::is_load_open(const Mode& mode, double t, const double* y) const {
  constexpr double felt = 1e-9;  // torque of a gear per torque of the joint
  for (std::size_t j = 0; j < joints_; ++j) {
    if (!is_held_by_ties_[j] || mode.joint[j] != Slip::stuck || !has_level_soon(mode, j, t, y)) continue;
    for (std::size_t g = first_loss_; g < first_contact_; ++g) {
      const CoupledJoint& at = now_.joint[g];
      if (now_.state[g] == CoupledState::inside) continue;
      const double slope = is_other(now_.state[g]) ? at.q : at.p;
      if (std::fabs(slope * coupled_.load_per_torque(at.tie, j)) > felt) return true;
    }
  }
  return false;
}

double MechanismSystem::gap(std::size_t row, const double* y) const {
  const EndStop& stop = m_.stops[parts_[row].which];
  double at = 0;
  if (stop.a.body != ground) at += stop.a.ratio * body_position(stop.a.body, y);
  if (stop.b.body != ground) at -= stop.b.ratio * body_position(stop.b.body, y);
  return parts_[row].kind == StickingPart::Kind::low_stop ? at - stop.low : stop.high - at;
}

double MechanismSystem::gap_rounding(std::size_t row) const {
  const EndStop& stop = m_.stops[parts_[row].which];
  double size = 0;
  for (const double end : {stop.low, stop.high})
    if (std::isfinite(end)) size = std::max(size, std::fabs(end));
  return 1e-12 * (size > 0 ? size : 1);
}

/// Eq. (7) of mechanism.hpp at a speed of a.
CoupledJoint MechanismSystem::loss_of(std::size_t row, double speed) const {
  const std::size_t which = parts_[row].which;
  const LossyGear& g = m_.lossy_gears[which];
  const double at = std::fabs(speed);
  double one = on_lines(g.speed, g.eta_one, at), two = on_lines(g.speed, g.eta_two, at);
  double f_one = on_lines(g.speed, g.f_one, at), f_two = on_lines(g.speed, g.f_two, at);
  constexpr double least = 1e-6;
  if (!(one >= least_efficiency && one <= 1 && two >= least && two <= 1 && f_one >= 0 && f_two >= 0)) {
    has_left_losses = true;
    one = std::clamp(one, least_efficiency, 1.0), two = std::clamp(two, least, 1.0);
    f_one = std::max(f_one, 0.0), f_two = std::max(f_two, 0.0);
  }
  CoupledJoint j;
  j.kind = CoupledJoint::Kind::loss;
  j.tie = m_.ties.size() + which;
  j.p = 1 - one, j.q = 1 - 1 / two, j.f_one = f_one, j.f_two = f_two;
  return j;
}

double MechanismSystem::drive_speed(const Mode& mode, std::size_t i, double t, const double* y) const {
  const MotionDrive& d = m_.drives[i];
  if (d.is_soft()) return body_speed(d.body, y);
  const std::size_t s = drive_signal_ + i;
  return d.is_position ? signals_[s]->slope(mode.segment[s], t) : signals_[s]->value(mode.segment[s], t);
}

/// Eq. (12) of mechanism.hpp, or the derivative of what is given.
double MechanismSystem::drive_acceleration(const Mode& mode, std::size_t i, double t, const double* y) const {
  constexpr double bessel_a = 1.3617, bessel_b = 0.6180;
  const MotionDrive& d = m_.drives[i];
  const std::size_t s = drive_signal_ + i;
  if (d.is_acceleration) return signals_[s]->value(mode.segment[s], t);
  if (d.filter > 0) {
    const double omega = Oscillation::two_pi * d.filter, w = body_speed(d.body, y);
    const double wanted = signals_[s]->value(mode.segment[s], t);
    if (!d.is_position) return omega * (wanted - w);
    return omega / bessel_b * (omega * (wanted - body_position(d.body, y)) - bessel_a * w);
  }
  return d.is_position ? signals_[s]->slope(mode.segment[s], Dual<1>::variable(t, 0)).slope[0]
                       : signals_[s]->slope(mode.segment[s], t);
}

/// β: the accelerations of drives.
void MechanismSystem::tie_rates(const Mode& mode, double t, const double* y) const {
  const std::size_t first = m_.ties.size() + m_.lossy_gears.size();
  for (std::size_t i = 0; i < m_.drives.size(); ++i) tie_rate_[first + i] = drive_acceleration(mode, i, t, y);
}

/// Eq. (1) of resting_coupled.hpp, from load_, which already contains slipping joints.
void MechanismSystem::move_general(const Mode& mode, double t, const double* y) const {
  using Kind = CoupledJoint::Kind;
  for (std::size_t j = 0; j < joints_; ++j) {
    CoupledJoint& at = now_.joint[j];
    CoupledState& state = now_.state[j];
    const bool is_stuck = mode.joint[j] == Slip::stuck;
    const bool is_at_end = is_stuck && mode.is_redundant && !mode.is_idle[j] &&
                           (mode.carries[j] == Mode::Carries::low || mode.carries[j] == Mode::Carries::high);
    state = CoupledState::inside;
    if (is_loss(j) && !(is_stuck && is_held_by_ties_[j])) {
      at = loss_of(j, is_stuck ? 0 : joint_row_[j].of(y));
      if (is_stuck && !is_at_end) continue;
      const bool is_high = is_stuck ? mode.carries[j] == Mode::Carries::high : mode.joint[j] == Slip::forward;
      state = mode.is_other[j] ? (is_high ? CoupledState::high_other : CoupledState::low_other)
                               : (is_high ? CoupledState::high : CoupledState::low);
      continue;
    }
    at = {};
    if (!is_stuck || mode.is_idle[j]) continue;
    if (is_at_end) {
      const auto [low, high] = level(mode, j, t, y);
      at.low = at.high = mode.carries[j] == Mode::Carries::high ? high : low;
    } else {
      at.kind = Kind::box, at.low = -infinity, at.high = infinity;
    }
  }
  tie_rates(mode, t, y);
  now_.move(coupled_, load_, tie_rate_);
  if (!has_open_motion && (now_.is_motion_open || is_load_open(mode, t, y)))
    has_open_motion = true, open_motion_since = t;
  for (std::size_t g = 0; g < m_.lossy_gears.size(); ++g)
    if (m_.lossy_gears[g].is_belt && gear_torque(g) < 0 && !has_slack_belt) {
      double size = 0;
      for (std::size_t i = 0; i < freedoms_; ++i) size += std::fabs(load_[i]);
      has_slack_belt = gear_torque(g) < -1e-9 * size;
    }
}

void MechanismSystem::holding_torques_general(const Mode& mode, double t, const double* y, double* torque) const {
  loads<false>(mode, t, y, load_.data(), nullptr, Include::all);
  move_general(mode, t, y);
  double all = 0;
  for (std::size_t i = 0; i < freedoms_; ++i)
    all += std::fabs(load_[i]) + std::fabs(inertia_[i] * now_.acceleration[i]);
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.joint[j] == Slip::stuck || is_loss(j)) torque[j] = now_.torque[j];
    all += std::fabs(joint_row_[j].at_a * now_.torque[j]) + std::fabs(joint_row_[j].at_b * now_.torque[j]);
  }
  for (std::size_t j = 0; j < joints_; ++j) turnover_[j] = all / std::fabs(joint_row_[j].at_a);
}

/// Positive while the row keeps its state; after holding_torques().
double MechanismSystem::joint_guard_general(const Mode& mode, std::size_t j, double t, const double* y,
                                            const double* torque) const {
  if (mode.is_away[j]) return gap(j, y);
  if (mode.joint[j] == Slip::stuck) {
    if (mode.is_idle[j]) return 1;
    if (mode.is_redundant &&
        mode.carries[j] != Mode::Carries::share)  // the others keep it at rest, unless a drive moves them
      return m_.drives.empty() ? 1 : turnover_slack() * now_.magnitude[j] - std::fabs(now_.relative[j]);
    const double rounding = turnover_slack() * turnover_[j];
    Level range;
    if (is_loss(j)) {
      const double load = now_.load[now_.joint[j].tie] + torque[j];
      range = {-load_loss(now_.joint[j], -load), load_loss(now_.joint[j], load)};
    } else {
      range = level(mode, j, t, y);
      if (range.low == range.high) range = level(mode, j, t + just_after(mode, t), y);  // has it begun to rise?
    }
    return std::min(range.high - torque[j], torque[j] - range.low) + slack() * finite_range(range.low, range.high) +
           rounding;
  }
  const double slips = slip_guard(mode, j, y);
  if (!is_loss(j) || mode.line_patience[j].is_resting) return slips;
  const CoupledJoint& at = now_.joint[j];
  const double load = (mode.joint[j] == Slip::forward ? 1 : -1) * (now_.load[at.tie] + torque[j]);
  const double lead = (at.p * load + at.f_one) - (at.q * load + at.f_two);
  return std::min(slips, (mode.is_other[j] ? -lead : lead) + turnover_slack() * turnover_[j]);
}

/// True if nothing rests or leaves: a lossy gear changes to the other line of its loss, or a released stop has come out of reach.
bool MechanismSystem::changes_line(Mode& mode, std::size_t j, double t, const double* y) const {
  if (mode.joint[j] == Slip::stuck || mode.is_away[j]) return false;
  if (is_contact(j)) {
    if (!(gap(j, y) > gap_rounding(j))) return false;
    mode.is_away[j] = true;
    return true;
  }
  if (!is_loss(j)) return false;
  holding_torques(mode, t, y, torque_.data());
  const double d = mode.joint[j] == Slip::forward ? 1 : -1, speed = d * joint_row_[j].of(y) + rounding(mode, j, y);
  const CoupledJoint& at = now_.joint[j];
  const double load = d * (now_.load[at.tie] + torque_[j]), size = turnover_slack() * turnover_[j];
  const double lead = (mode.is_other[j] ? -1 : 1) * ((at.p * load + at.f_one) - (at.q * load + at.f_two)) + size;
  if (at.p == at.q && at.f_one == at.f_two) return false;                // both lines are one
  if (!(lead < 0) && speed <= 1e3 * rounding(mode, j, y)) return false;  // it comes to rest
  if (mode.line_patience[j].is_resting) return false;
  if (is_looked_at_too_often(mode.line_patience[j], t)) {  // neither line is consistent where loads are not unique
    rest_unwatched(mode, mode.line_patience[j], t);
    return true;
  }
  mode.is_other[j] = !mode.is_other[j];
  return true;
}

bool MechanismSystem::has_level_soon(const Mode& mode, std::size_t j, double t, const double*) const {
  if (j >= first_loss_ || is_one_way(j)) return true;
  return m_.joints[j].law && has_pressure(mode, j, t);
}

/// Finds redundant locks, what the others keep at rest, and speeds that satisfy locks and ties to rounding.
void MechanismSystem::regroup_general(Mode& mode, double t, double* y) const {
  mode.leader.resize(freedoms_);
  for (std::size_t i = 0; i < freedoms_; ++i) mode.leader[i] = i;
  mode.ratio.assign(freedoms_, 1.0), mode.inverse_inertia.assign(freedoms_, 1.0);
  mode.is_inside.assign(joints_, 0), mode.is_idle.assign(joints_, 0);
  mode.carries.assign(joints_, Mode::Carries::share);
  mode.is_redundant = mode.is_tied_up = false;
  mode.locked = 0;
  Independent rows(coupled_, at_event_.rests, at_event_.factors);
  auto& is_pressed = at_event_.is_pressed;
  is_pressed.assign(joints_, 1);
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.joint[j] != Slip::stuck) continue;
    ++mode.locked;
    is_pressed[j] = has_level_soon(mode, j, t, y);
    if (is_pressed[j] && !rows.take(j) && coupled_.a(j, j) > 0) mode.is_redundant = true;
  }
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck && (!is_pressed[j] || is_held_by_ties_[j])) mode.is_idle[j] = !rows.take(j);
  for (std::size_t j = first_contact_; j < joints_; ++j)
    if (mode.joint[j] != Slip::stuck && gap(j, y) > gap_rounding(j)) mode.is_away[j] = true;
  for (std::size_t j = 0; j < joints_; ++j)
    mode.is_inside[j] = mode.joint[j] != Slip::stuck && !mode.is_away[j] &&
                        (is_held_by_ties_[j] || (coupled_.a(j, j) > 0 && !rows.adds(j) &&
                                                 (m_.drives.empty() || is_held_without_drives(mode, j))));
  bring_to_rest_general(mode, joints_, y);
  find_held(mode);
  for (const std::size_t i : mode.held) y[i] = 0;
}

/// Whether locks and ties alone fix the slip of the joint. If only drives complete them, the joint moves as these prescribe.
bool MechanismSystem::is_held_without_drives(const Mode& mode, std::size_t joint) const {
  Reduced rows(freedoms_, at_event_.rows, at_event_.pivots);
  for (const auto& tie : tie_row_) rows.add(tie);
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck && j != joint) rows.add(coupled_.row(j));
  return !rows.add(coupled_.row(joint));
}

/// Whether drives, through locks and ties, prescribe the slip of the joint.
bool MechanismSystem::is_prescribed(const Mode& mode, std::size_t joint) const {
  if (m_.drives.empty() || is_held_without_drives(mode, joint)) return false;
  Reduced rows(freedoms_, at_event_.rows, at_event_.pivots);
  for (const auto& tie : tie_row_) rows.add(tie);
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck && j != joint) rows.add(coupled_.row(j));
  for (const auto& d : m_.drives) {
    const Coupling driven{freedom_[d.body], 1};
    rows.add({&driven, 1});
  }
  return !rows.add(coupled_.row(joint));
}

/// Freedoms that ties and locks fix, all that hangs on a drive aside: eliminated completely, their row has nothing but them.
void MechanismSystem::find_held(Mode& mode) const {
  mode.held.clear();
  auto& root = at_event_.root;
  root.resize(freedoms_);
  for (std::size_t i = 0; i < freedoms_; ++i) root[i] = i;
  const auto root_of = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](const auto& couplings) {
    for (const auto& [body, ratio] : couplings) root[root_of(body)] = root_of(couplings.front().body);
  };
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck) join(coupled_.row(j));
  for (const auto& row : tie_row_) join(row);
  const auto is_driven = [&](std::size_t freedom) {
    for (const auto& d : m_.drives)
      if (root_of(freedom_[d.body]) == root_of(freedom)) return true;
    return false;
  };
  auto& entries = at_event_.rows;
  entries.clear();
  const auto row = [&](std::size_t r) { return std::span(entries).subspan(r * freedoms_, freedoms_); };
  std::size_t rows = 0;
  const auto add = [&](const auto& couplings) {
    entries.resize((rows + 1) * freedoms_);
    const auto added = row(rows);
    std::fill(added.begin(), added.end(), 0.0);
    for (const auto& [body, ratio] : couplings) added[body] += ratio;
    double most = 0;
    for (const double entry : added) most = std::max(most, std::fabs(entry));
    if (!(most > 0)) return;
    for (double& entry : added) entry /= most;
    ++rows;
  };
  bool is_any = false;
  for (std::size_t j = 0; j < joints_; ++j)
    if (mode.joint[j] == Slip::stuck && !is_driven(coupled_.row(j).front().body)) add(coupled_.row(j)), is_any = true;
  if (!is_any) return;
  for (const auto& tie : tie_row_)
    if (!tie.empty() && !is_driven(tie.front().body)) add(tie);
  auto& pivots = at_event_.pivots;
  pivots.clear();
  std::size_t rank = 0;
  for (std::size_t column = 0; column < freedoms_ && rank < rows; ++column) {
    std::size_t best = rank;
    for (std::size_t r = rank + 1; r < rows; ++r)
      if (std::fabs(row(r)[column]) > std::fabs(row(best)[column])) best = r;
    if (!(std::fabs(row(best)[column]) > dependent)) continue;
    const auto own = row(rank);
    if (best != rank) std::swap_ranges(own.begin(), own.end(), row(best).begin());
    const double pivot = own[column];
    for (double& entry : own) entry /= pivot;
    for (std::size_t r = 0; r < rows; ++r) {
      const double factor = row(r)[column];
      if (r == rank || factor == 0) continue;
      for (std::size_t c = 0; c < freedoms_; ++c) row(r)[c] -= factor * own[c];
      row(r)[column] = 0;
    }
    pivots.push_back(column);
    ++rank;
  }
  for (std::size_t k = 0; k < rank; ++k) {
    double others = 0;
    for (std::size_t c = 0; c < freedoms_; ++c)
      if (c != pivots[k]) others = std::max(others, std::fabs(row(k)[c]));
    if (others <= dependent) mode.held.push_back(pivots[k]);
  }
}

/// z := 0 of the row and of all locks by impulses of the size of rounding; ties stay satisfied.
void MechanismSystem::bring_to_rest_general(const Mode& mode, std::size_t which, double* y) const {
  bool is_needed = coupled_.ties() > 0;
  for (std::size_t j = 0; j < joints_ && !is_needed; ++j)
    is_needed = (mode.joint[j] == Slip::stuck || j == which) && joint_row_[j].of(y) != 0;
  if (!is_needed) return;
  auto &momentum = at_event_.momentum, &rate = at_event_.tie_rate;
  momentum.resize(freedoms_), rate.assign(coupled_.ties(), 0.0);
  for (std::size_t i = 0; i < freedoms_; ++i) momentum[i] = inertia_[i] * y[i];
  const std::size_t drives = m_.ties.size() + m_.lossy_gears.size();
  for (std::size_t i = 0; i < m_.drives.size(); ++i) rate[drives + i] = body_speed(m_.drives[i].body, y);
  for (std::size_t j = 0; j < joints_; ++j) {
    trial_.joint[j] = {};
    trial_.state[j] = CoupledState::inside;
    if ((mode.joint[j] == Slip::stuck || j == which) && coupled_.a(j, j) > 0)
      trial_.joint[j] = {.kind = CoupledJoint::Kind::box, .low = -infinity, .high = infinity};
  }
  trial_.move(coupled_, momentum, rate);
  std::copy(trial_.acceleration.begin(), trial_.acceleration.end(), y);
  for (std::size_t j = 0; j < joints_; ++j)
    if ((mode.joint[j] == Slip::stuck || j == which) && joint_row_[j].b == ground) y[joint_row_[j].a] = 0;
}

bool MechanismSystem::solve_resting_general(const Mode& mode, double t, const double* y, double wider,
                                            double hidden) const {
  using Kind = CoupledJoint::Kind;
  loads<false>(mode, t, y, load_.data(), nullptr, Include::without_joints);
  for (std::size_t j = 0; j < joints_; ++j) {
    CoupledJoint& at = trial_.joint[j];
    CoupledState& state = trial_.state[j];
    at = {};
    state = CoupledState::inside;
    const double z = joint_row_[j].of(y), more = is_kinetic_[j] ? 0 : wider * slack();
    if (is_held_by_ties_[j] && resting_[j]) {
      interfaces_[j] = resting(-infinity, infinity);
      continue;
    }
    if (is_loss(j)) {
      at = loss_of(j, resting_[j] ? 0 : z);
      if (!resting_[j]) {
        at.direction = mode.joint[j] == Slip::forward ? 1 : -1;
        state = mode.joint[j] == Slip::forward ? CoupledState::high : CoupledState::low;
      } else {
        at.f_one *= 1 + 2 * more, at.f_two *= 1 + 2 * more;
        at.p += 2 * more * at.p, at.q += 2 * more * at.q;
      }
      interfaces_[j] = resting(0, 0);
      continue;
    }
    if (!resting_[j]) {
      at.low = at.high = mode.is_away[j] ? 0 : sliding_torque(mode, j, t, z, y);
      interfaces_[j] = slipping(at.low);
      continue;
    }
    const auto [low, high] = is_kinetic_[j] ? sliding_level(mode, j, t, z, y) : level(mode, j, t, y);
    const double widened = more * finite_range(low, high);
    at.low = low - widened, at.high = high + widened;
    if (low < high) at.kind = Kind::box;
    interfaces_[j] = resting(at.low, at.high);
  }
  tie_rates(mode, t, y);
  has_no_answer_ = !trial_.find(coupled_, load_, tie_rate_, hidden_in_redundancy);
  hidden = std::max(hidden, trial_.more_hidden());
  double most = 0;
  for (std::size_t j = 0; j < joints_; ++j) most = std::max(most, trial_.magnitude[j] * coupled_.unit(j));
  std::copy(trial_.acceleration.begin(), trial_.acceleration.end(), answer_.acceleration.begin());
  for (std::size_t j = 0; j < joints_; ++j) {
    const double c = trial_.relative[j], rounding = trial_.magnitude[j] + 0.3 * most / coupled_.unit(j);
    answer_.torque[j] = trial_.torque[j];
    trial_other_[j] = is_other(trial_.state[j]);
    if (is_loss(j) && trial_.joint[j].kind == Kind::loss) {
      const double load = trial_.load[trial_.joint[j].tie] + trial_.torque[j];
      interfaces_[j] = {-load_loss(trial_.joint[j], -load), load_loss(trial_.joint[j], load), resting_[j] != 0};
    }
    bool is_held = trial_.joint[j].kind != Kind::known && trial_.state[j] == CoupledState::inside;
    is_held = is_held || is_held_by_ties_[j] || std::fabs(c) <= hidden * rounding;
    if (is_one_way(j) && c < 0) is_held = true;
    answer_.relative_acceleration[j] = resting_[j] && is_held ? 0 : c;
    answer_.outcome[j] = !resting_[j] ? RestingOutcome::slips : is_held ? RestingOutcome::held : breakaway_outcome(c);
  }
  return true;
}

/// Redundant locks that the box problem puts at an end of their range carry exactly that, as long as the others hold
/// without them.
void MechanismSystem::share_load_general(Mode& mode, double t, const double* y) const {
  for (std::size_t j = 0; j < joints_; ++j) resting_[j] = mode.joint[j] == Slip::stuck, is_kinetic_[j] = 0;
  solve_resting_general(mode, t, y, generous, usually_hidden);
  if (!has_ambiguous_torques) has_ambiguous_torques = true, ambiguous_since = t;
  using Carries = Mode::Carries;
  mode.carries.assign(joints_, Carries::share);
  mode.shared_since = t;
  if (has_no_answer_) return;  // a guard has fallen, and then the machine jams
  const auto count = [&] {
    Independent rows(coupled_, at_event_.rests, at_event_.factors);
    std::size_t taken = 0;
    for (std::size_t j = 0; j < joints_; ++j)
      if (mode.joint[j] == Slip::stuck && !mode.is_idle[j] && mode.carries[j] == Carries::share) taken += rows.take(j);
    return taken;
  };
  const std::size_t rank = count();
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.joint[j] != Slip::stuck || mode.is_idle[j] || trial_.state[j] == CoupledState::inside) continue;
    mode.carries[j] = is_at_high(trial_.state[j]) ? Carries::high : Carries::low;
    if (count() < rank) mode.carries[j] = Carries::share;
    mode.is_other[j] = is_other(trial_.state[j]);
  }
}

/// Speeds jump to values that ties, drives, closed stops and one-way joints allow: the problem of resting_coupled.hpp with momentum for
/// forces. Friction of finite level has no effect, a lossy gear loses in proportion to the transmitted impulse. `which`: a stop just
/// reached, or none.
void MechanismSystem::strike(Mode& mode, double t, double* y, std::size_t which) const {
  const std::size_t drives = m_.ties.size() + m_.lossy_gears.size();
  auto &momentum = at_event_.momentum, &rate = at_event_.tie_rate, &before = at_event_.speeds;
  momentum.resize(freedoms_), rate.assign(coupled_.ties(), 0.0), before.assign(y, y + freedoms_);
  double largest = mode.largest_speed;
  bool is_needed = which < joints_;
  for (std::size_t i = 0; i < freedoms_; ++i)
    momentum[i] = inertia_[i] * y[i], largest = std::max(largest, std::fabs(y[i]));
  for (std::size_t i = 0; i < m_.drives.size(); ++i) {
    rate[drives + i] = drive_speed(mode, i, t, y);
    const double off = rate[drives + i] - body_speed(m_.drives[i].body, y);
    is_needed = is_needed || std::fabs(off) > 1e-9 * std::max(largest, std::fabs(rate[drives + i]));
  }
  for (std::size_t j = 0; j < joints_; ++j) {
    trial_.joint[j] = {};
    trial_.state[j] = CoupledState::inside;
    if (is_held_by_ties_[j]) continue;
    if (is_loss(j)) {
      trial_.joint[j] = loss_of(j, joint_row_[j].of(y));
      trial_.joint[j].f_one = trial_.joint[j].f_two = 0;
    } else if (is_one_way(j) && !mode.is_away[j]) {
      trial_.joint[j] = {.kind = CoupledJoint::Kind::box, .low = -infinity, .high = 0};
      is_needed = is_needed || joint_row_[j].of(y) < -rounding(mode, j, y);
    }
  }
  if (!is_needed) return;
  if (!trial_.find(coupled_, momentum, rate, hidden_in_impact)) {
    if (!is_unsolved) is_unsolved = true, unsolved_at = t, unsolved = "speeds after an impact";
    return;
  }
  std::copy(trial_.acceleration.begin(), trial_.acceleration.end(), y);
  note_speeds(mode, y);
  for (std::size_t j = 0; j < joints_ && !m_.drives.empty(); ++j)  // a drive is stronger than any stop
    if (is_one_way(j) && !mode.is_away[j] && coupled_.a(j, j) == 0 &&
        joint_row_[j].of(y) < -1e3 * rounding(mode, j, y)) {
      if (!is_unsolved) is_unsolved = true, unsolved_at = t, blocked_row = j;
      return;
    }
  // Which part moved first during the jump is not known: all heat is assigned to the stop, or to the first part involved.
  double heat = 0;
  std::size_t struck = which;
  for (std::size_t j = 0; j < joints_; ++j) {
    heat += 0.5 * trial_.torque[j] * (joint_row_[j].of(before.data()) + joint_row_[j].of(y));
    if (struck == joints_ && trial_.torque[j] != 0) struck = j;
  }
  if (struck < joints_) y[first_heat_ + struck] += heat;
  for (std::size_t i = 0; i < m_.drives.size(); ++i) {
    const std::size_t body = m_.drives[i].body;
    y[first_account_] -= 0.5 * trial_.load[drives + i] * (body_speed(body, before.data()) + body_speed(body, y));
  }
  for (std::size_t j = 0; j < joints_; ++j) {
    if (mode.is_away[j] || is_held_by_ties_[j]) continue;
    const double z = joint_row_[j].of(y);
    if (std::fabs(z) <= 1e3 * rounding(mode, j, y)) continue;
    const Slip motion = z > 0 ? Slip::forward : Slip::backward;
    if (motion != mode.joint[j] && !(is_one_way(j) && z < 0)) set_motion(mode, j, motion, t);
  }
  regroup(mode, t, y);
}

/// The gap of a stop is closed.
Happening MechanismSystem::arrive_at_stop(Mode& mode, std::size_t row, double t, double* y) const {
  auto& before = at_event_.before;
  before = mode.joint;
  const bool is_struck = joint_row_[row].of(y) < -1e3 * rounding(mode, row, y);
  mode.is_away[row] = false;
  set_motion(mode, row, Slip::forward, t);
  strike(mode, t, y, row);
  find_resting(mode, t, y);
  if (joint_row_[row].of(y) <= 1e3 * rounding(mode, row, y)) resting_[row] = 1;
  decide(mode, t, t + just_after(mode, t), y);
  if (has_no_answer_) hold_all(mode, t);
  apply(mode, t, y);
  const Happening told = told_of(mode, row, t, before);
  if (!is_struck) return told;
  if (told.which >= 0) {
    const auto first = static_cast<std::size_t>(told.which);
    more_events.insert(more_events.begin(), {t, told.kind, first, mode.joint[first]});
  }
  return {EventKind::mode_entry, static_cast<int>(m_.springs.size() + row)};
}

}  // namespace stickslip::inline machines
