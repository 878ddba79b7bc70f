/// The parts of a driven tree between events: their series, and the next events by these; see driven_tree.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "machines/mechanism/driven_tree.hpp"

namespace stickslip::inline machines {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
/// Relative acceleration of the terms of a series, which has been summed and shifted, below which it is rounding.
constexpr double hidden_term = 1e-13;
/// A torque that grows steadily exceeds its level by this many margins at the instant whose loads decide.
constexpr double clearly = 20;
/// The window (3).
constexpr double most_turned = 2;
}  // namespace

/// (3) of the inputs at a body, added to a series, and the magnitudes of its terms.
void DrivenTreeMotion::add_series(std::size_t body, const Window& w, double* series, double* sizes) const {
  const double ratio = tree_.ratio[body];
  for (std::size_t i = first_torque_[body]; i < first_torque_[body + 1]; ++i) {
    const DrivenInput& in = inputs_[torques_of_[i]].form;
    const double level = ratio * (in.level + in.slope * (time - in.origin)), gain = ratio * in.slope * w.length;
    series[0] += level, series[1] += gain;
    sizes[0] += std::fabs(level), sizes[1] += std::fabs(gain);
    for (const Sine& s : in.sines) {
      const double angle = s.angle(time), sine = std::sin(angle), cosine = std::cos(angle), turned = s.rate * w.length;
      const std::array<double, 4> cycle{sine, cosine, -sine, -cosine};
      double term = ratio * s.amplitude;
      for (std::size_t k = 0; k < w.terms; ++k) {
        series[k] += term * cycle[k % 4], sizes[k] += std::fabs(term);
        term *= turned / static_cast<double>(k + 1);
      }
    }
  }
}

/// The motion of part_ from now on, and when it has to be decided again.
void DrivenTreeMotion::expand_part() {
  const std::size_t root = part_.members.front().body, n = part_.members.size();
  Window& w = window_[root];
  double fastest = 0, until = end_, levels = 0;
  w.inertia = w.size = 0;
  for (const Member& member : part_.members) {
    root_[member.body] = root;
    w.inertia += inertia_[member.body];
    if (member.joint != none && is_held_on(member.joint)) until = std::min(until, held_until_[member.joint]);
    for (std::size_t i = first_torque_[member.body]; i < first_torque_[member.body + 1]; ++i)
      for (const Sine& s : inputs_[torques_of_[i]].form.sines) fastest = std::max(fastest, std::fabs(s.rate));
  }
  if (part_.brake != none && is_held_on(part_.brake)) until = std::min(until, held_until_[part_.brake]);
  if (fastest > 0) until = std::min(until, time + most_turned / fastest);
  until = std::max(until, time + 8 * epsilon * std::max(std::fabs(time), std::fabs(end_)));
  w.from = time, w.until = until, w.length = until - time;
  w.terms = fastest > 0 ? most_terms : 2;

  const std::size_t terms = w.terms;
  series_.assign(n * terms, 0.0), part_.turnover.assign(n, 0.0);
  w.load.fill(0), sum_.fill(0), sum_size_.fill(0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t body = part_.members[k].body;
    double* own = series_.data() + k * terms;
    own_size_.fill(0);
    add_series(body, w, own, own_size_.data());
    for (std::size_t i = 0; i < terms; ++i) w.load[i] += own[i], sum_size_[i] += own_size_[i];
    part_.turnover[k] = own_size_[0] + own_size_[1];
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck)
        own[0] -= side(j, body) * carried_[j], part_.turnover[k] += level_[j], levels += level_[j];
    for (std::size_t i = 0; i < terms; ++i) sum_[i] += own[i];
    w.size += part_.turnover[k];
  }
  for (std::size_t i = 0; i < terms; ++i) {  // of loads that cancel, rounding leaves no load
    w.load[i] = load_of(w.load[i], sum_size_[i]);
    sum_[i] = load_of(sum_[i], sum_size_[i] + (i == 0 ? levels : 0));
  }
  w.speed.fill(0);
  w.speed[0] = u_[root], w.spread = 0;
  if (part_.brake == none)
    for (std::size_t i = 0; i < terms; ++i) {
      w.speed[i + 1] = w.length * sum_[i] / (w.inertia * static_cast<double>(i + 1));
      w.spread += std::fabs(w.speed[i + 1]);
    }
  w.breaking = none;
  renew_.put(root, w.until);
  if (n > 1 || part_.brake != none) watch_ties(w);
  renew_.refresh(root, root);
}

/// When the torque of a joint inside part_ reaches its level; from series_ and part_.turnover.
void DrivenTreeMotion::watch_ties(Window& w) {
  const std::size_t n = part_.members.size(), terms = w.terms;
  double first = 1;
  const auto watch = [&](std::size_t j, const double* torque, double turnover) {
    if (is_held_on(j)) return;
    const double most = limit(j, turnover);
    double reach = 0;
    for (std::size_t i = 0; i < terms; ++i) reach += std::fabs(torque[i]);
    if (reach <= most) return;
    for (const double sign : {1.0, -1.0}) {
      guard_[0] = most - sign * torque[0];
      for (std::size_t i = 1; i < terms; ++i) guard_[i] = -sign * torque[i];
      const double found = first_fall_(std::span<const double>(guard_).first(terms));
      if (!(found < first)) continue;
      first = found, w.breaking = j, w.growth = 0;
      for (std::size_t i = terms; i-- > 1;) w.growth = w.growth * first - static_cast<double>(i) * guard_[i] / w.length;
    }
  };
  // What a brake carries is the whole load; without one, every body takes its share.
  for (std::size_t k = n; k-- > 0;) {
    double* own = series_.data() + k * terms;
    const double share = part_.brake == none ? inertia_[part_.members[k].body] / w.inertia : 0;
    for (std::size_t i = 0; i < terms; ++i) own[i] -= share * sum_[i];
    if (part_.brake != none && k == part_.braked)
      for (std::size_t i = 0; i < terms; ++i) own[i] -= sum_[i];
    part_.turnover[k] += share * std::fabs(sum_[0]);
    if (k == 0) break;
    watch(part_.members[k].joint, own, part_.turnover[k]);
    double* before = series_.data() + part_.members[k].before * terms;
    for (std::size_t i = 0; i < terms; ++i) before[i] += own[i];
    part_.turnover[part_.members[k].before] += part_.turnover[k];
  }
  if (part_.brake != none) watch(part_.brake, sum_.data(), w.size);
  if (w.breaking != none) renew_.put(part_.members.front().body, std::min(w.until, time + first * w.length));
}

/// The window of a part has ended.
void DrivenTreeMotion::renew(std::size_t root, std::vector<Change>& changes) {
  ++settling_;
  collect(root);
  region_.clear();
  for (const Member& member : part_.members) region_.push_back(member.body);
  for (const std::size_t body : region_)
    for (const std::size_t j : joints_of(body))
      if (motion[j] != Slip::stuck && heat_since_[j] != time) settle_heat(j);
  for (const std::size_t body : region_) settle(body);
  renew_.put(root, Earliest::never), renew_.refresh(root, root);
  expand_part();
  ++visit_;
  for (const std::size_t body : region_) look_around(body, changes);
}

/// The torque of a joint inside the part has reached its level: (5) at the first later instant at which it is clearly beyond.
void DrivenTreeMotion::break_away(std::size_t root, std::vector<Change>& changes) {
  const std::size_t j = window_[root].breaking;
  const double growth = window_[root].growth;
  seeds_.assign(1, root);
  gather(seeds_, false, changes);
  const double longest = std::max(foreseeable * horizon(), moment_);
  double ahead = growth > 0 ? clearly * slack * level_[j] / growth : longest;
  ahead = std::min(std::max(ahead, moment_), longest);
  bool is_new = decide_region(time + ahead, changes);
  while (!is_new && ahead < longest) {
    ahead = std::min(8 * ahead, longest);
    is_new = decide_region(time + ahead, changes);
  }
  if (!is_new) hold_for(j, longest);
  go_on(changes);
}

/// slip_series_: u_a − u_b over [from, until] and its coefficients in between, as a series of (t − from)/(until − from). The sum of the
/// sizes of what it has been made from.
double DrivenTreeMotion::relative_speed(std::size_t j, double from, double until) {
  slip_series_.fill(0);
  slip_terms_ = 1;
  double size = 0;
  std::array<double, most_terms + 1> c;
  const auto add = [&](std::size_t body, double sign) {
    if (body == ground_body()) return;
    const Window& w = window_[root_[body]];
    const std::size_t n = w.terms + 1;
    std::copy_n(w.speed.begin(), n, c.begin());
    if (const double x = w.theta(from); x != 0)
      for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t k = n - 1; k-- > i;) c[k] += x * c[k + 1];
    double power = sign;
    const double scale = (until - from) / w.length;
    for (std::size_t k = 0; k < n; ++k) slip_series_[k] += power * c[k], power *= scale;
    slip_terms_ = std::max(slip_terms_, n);
    size += w.size / w.inertia * (until - from);
  };
  add(ends_[j].a, 1), add(ends_[j].b, -1);
  return size;
}

/// Which way the bodies of a joint move apart from each other, if they are at rest now and it carries nothing.
int DrivenTreeMotion::order_sign(std::size_t j) {
  const auto until_of = [&](std::size_t body) { return body == ground_body() ? infinity : window_[root_[body]].until; };
  const double until = std::min(until_of(ends_[j].a), until_of(ends_[j].b));
  if (!(until > time)) return 0;
  const double size = relative_speed(j, time, until);
  for (std::size_t k = 1; k < slip_terms_; ++k)
    if (std::fabs(slip_series_[k]) > hidden_term * size) return slip_series_[k] > 0 ? 1 : -1;
  return 0;
}

/// A joint that carries nothing leaves rest with the first order of the loads that is not zero.
void DrivenTreeMotion::leave_open_joint(std::size_t j, std::vector<Change>& changes) {
  carried_[j] = 0;
  if (const int sign = order_sign(j); sign != 0) release(j, sign, time, changes);
}

/// Open: no torque between the two sides. It passes zero, or touches it.
void DrivenTreeMotion::pass_open_joint(std::size_t j, std::vector<Change>& changes) {
  settle_heat(j);
  const double d = number_of(motion[j]);
  const auto [a, b] = ends_[j];
  const int sign = order_sign(j);
  bool is_touch = sign == static_cast<int>(d);
  if (sign == -static_cast<int>(d)) {
    const double first = slip_series_[1], second = slip_series_[2];
    const auto spread = [&](std::size_t body) {
      return body == ground_body() ? 0 : window_[root_[body]].spread + std::fabs(speed_now(body));
    };
    if (first * second < 0 && first * first <= 4 * hidden_term * std::fabs(second) * (spread(a) + spread(b))) {
      is_touch = true;
      const auto until_of = [&](std::size_t body) {
        return body == ground_body() ? infinity : window_[root_[body]].until;
      };
      unseen_until_[j] = time + 2 * std::fabs(first / second) * (std::min(until_of(a), until_of(b)) - time);
    }
  }
  if (!is_touch) {
    motion[j] = sign == 0 ? Slip::stuck : sign > 0 ? Slip::forward : Slip::backward;
    changes.push_back({j, sign == 0 ? EventKind::stick : EventKind::direction_change});
  }
  slip_then_[j] = 0, heat_since_[j] = time;
  find_event(j);
}

/// When the slip reaches zero, if it does so before a window of its parts ends; the heat is summed from here on.
void DrivenTreeMotion::find_event(std::size_t j) {
  slid_then_[j] = slid_now(j);
  double found = Earliest::never;
  if (motion[j] != Slip::stuck) {
    const auto window = [&](std::size_t body) -> const Window* {
      return body == ground_body() ? nullptr : &window_[root_[body]];
    };
    const Window *a = window(ends_[j].a), *b = window(ends_[j].b);
    const double until = std::min(a ? a->until : infinity, b ? b->until : infinity);
    const double reach = 2 * ((a ? a->spread : 0) + (b ? b->spread : 0));
    const bool is_new = slip_then_[j] == 0 && heat_since_[j] == time;
    if (until > time && (is_new || !(number_of(motion[j]) * slip_now(j) > reach)))
      found = std::max(time, std::min(first_stop(j, until), Earliest::never));
  }
  heat_since_[j] = time;
  event_.put(j, found);
  event_.refresh(j, j);
}

double DrivenTreeMotion::first_stop(std::size_t j, double until) {
  const double d = number_of(motion[j]);
  const bool is_new = slip_then_[j] == 0 && heat_since_[j] == time;
  const auto look = [&](double from, std::size_t order) {
    for (std::size_t k = order; k < slip_terms_; ++k) slip_series_[k] *= d;
    const double theta = first_fall_(std::span<const double>(slip_series_).subspan(order, slip_terms_ - order));
    return theta < FirstFall::never ? std::min(until, from + theta * (until - from)) : Earliest::never;
  };
  const double size = relative_speed(j, time, until);
  std::size_t order = 0;
  if (is_new)  // the slip begins at zero: it is divided by the time
    for (order = 1; order + 1 < slip_terms_ && std::fabs(slip_series_[order]) <= hidden_term * size;) ++order;
  if (d * slip_series_[order] > 0) return look(time, order);
  if (!(unseen_until_[j] > time)) return time;
  // Released with the loads of a later instant: it is watched from where it moves the way it was released.
  for (double ahead = std::max(unseen_until_[j] - time, moment_);; ahead *= 8) {
    if (!(time + ahead < until)) return Earliest::never;
    relative_speed(j, time + ahead, until);
    if (d * slip_series_[0] > 0) return look(time + ahead, 0);
    if (ahead > foreseeable * horizon()) return time + ahead;
  }
}

}  // namespace stickslip::inline machines
