/// Signals that contradict themselves or each other. Nothing is changed: each finding is a note.
///   position and velocity:  x − x₀ ≈ g ∫ v dt, both without their straight line; correlation and gain g      (1)
///   work of friction:       Σ F v Δt / Σ |F v| Δt, +1 for friction against the motion                         (2)
///   lag of the force:       the shift at which F ≈ a + b sign v + c v leaves least; a force that comes before its velocity may be
///                           one with inertia: no lag where + m dv/dt, m > 0, leaves as little without a shift (3)
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/normal_equations.hpp"
#include "core/text.hpp"
#include "recording/summary.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t least_samples = 20;  // fewer say nothing about a signal
constexpr std::size_t few_levels = 16;     // a sensor of 4 bits
constexpr std::size_t frozen_from = 20;    // samples
constexpr std::size_t lag_window = 20000;  // samples used for (3)
constexpr std::size_t longest_lag = 50;

struct Range {
  double low = 0, high = 0;
  double span() const { return high - low; }
};
Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// Number of different values, counted up to `most`.
std::size_t levels_of(const std::vector<double>& values, std::size_t most) {
  std::set<double> seen;
  double last = values[0] + 1;
  for (const double value : values) {
    if (value != last && seen.insert(value).second && seen.size() > most) break;
    last = value;
  }
  return seen.size();
}

struct Runs {
  std::size_t longest = 0, start = 0, count = 0;
};
Runs runs_of(const std::vector<double>& values) {
  Runs runs;
  for (std::size_t i = 0, from = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    ++runs.count;
    if (i + 1 - from > runs.longest) runs.longest = i + 1 - from, runs.start = from;
    from = i + 1;
  }
  return runs;
}

/// Takes the straight line of least squares over time out of y.
void detrend(const std::vector<double>& t, std::vector<double>& y) {
  double mt = 0, my = 0, tt = 0, ty = 0;
  const double n = double(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) mt += t[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < y.size(); ++i) tt += (t[i] - mt) * (t[i] - mt), ty += (t[i] - mt) * (y[i] - my);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= my + ty / tt * (t[i] - mt);
}

/// What is left of F after (3) with the force read `lag` samples later, as a share of its variance. With `reach`, the change of the velocity
/// over so many samples to both sides stands beside it; 1 if its factor, the mass, is not positive.
double left_over(const Recording& r, std::size_t begin, std::size_t end, std::ptrdiff_t lag, std::size_t reach = 0) {
  Eigen::Matrix4d gram = Eigen::Matrix4d::Zero();
  Eigen::Vector4d right = Eigen::Vector4d::Zero();
  double ff = 0, f_sum = 0, n = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double v = r.velocity[i], f = r.force[std::size_t(std::ptrdiff_t(i) + lag)];
    const double change = reach > 0 ? r.velocity[i + reach] - r.velocity[i - reach] : 0;
    const Eigen::Vector4d row(1, v > 0 ? 1 : v < 0 ? -1 : 0, v, change);
    gram += row * row.transpose();
    right += f * row;
    ff += f * f, f_sum += f, n += 1;
  }
  const double variance = ff - f_sum * f_sum / n;
  if (!(variance > 0)) return 1;
  const Eigen::Vector4d x = least_solution(gram, right);
  if (reach > 0 && !(x[3] > 0)) return 1;
  return std::max(0.0, ff - x.dot(right)) / variance;
}

class Checks {
 public:
  Checks(Recording& r, const LineNumbers& lines) : r_(r), lines_(lines) {}

  void all() {
    if (r_.size() < least_samples) return;
    const bool one_velocity = single_velocity();
    for (const Role role : {Role::position, Role::velocity, Role::force}) {
      if (signal(r_, role).empty() || (one_velocity && role != Role::position)) continue;
      one_signal(role);
    }
    if (one_velocity) return;
    const bool consistent = position_and_velocity();
    if (consistent && work_sign()) lag();
  }

 private:
  std::size_t column(Role role) const {
    const Source* source = source_of(r_, role);
    return source ? source->column : 0;
  }
  void note(const char* code, std::size_t line, std::size_t at_column, const std::string& text) {
    r_.notes.push_back({code, line, at_column, text});
  }

  bool single_velocity() {
    if (r_.velocity.empty()) return false;
    const Range v = range_of(r_.velocity);
    const double most = std::max(std::abs(v.low), std::abs(v.high));
    if (v.span() <= 1e-9 * most) {
      note("not_identifiable", 0, column(Role::velocity),
           "only one velocity, " + with_unit(v.high, si_unit(Role::velocity, r_.rotary)) +
               ": Coulomb and viscous friction are not separable");
      return true;
    }
    const bool forward = v.low >= -1e-3 * most;
    if (forward || v.high <= 1e-3 * most) {
      one_direction_ = true;
      note("not_identifiable", 0, column(Role::velocity),
           std::string("velocity is never ") + (forward ? "negative" : "positive") +
               (turns_back(forward) ? " although the position reverses: is it an unsigned speed?"
                                    : ": the other direction cannot be identified"));
    }
    return false;
  }

  /// Does position move against the only direction velocity has?
  bool turns_back(bool forward) const {
    double against = 0, all = 0;
    for (std::size_t i = 1; i < r_.position.size(); ++i) {
      const double moved = (forward ? 1 : -1) * (r_.position[i] - r_.position[i - 1]);
      against += std::max(0.0, -moved), all += std::abs(moved);
    }
    return against > 0.1 * all;
  }

  void one_signal(Role role) {
    const std::vector<double>& values = signal(r_, role);
    const std::string name(role_name(role));
    const Range range = range_of(values);
    if (range.span() == 0) {
      note("constant", 0, column(role),
           name + " is constant" + (role == Role::force ? " while the machine moves" : ""));
      return;
    }
    if (const std::size_t levels = levels_of(values, few_levels); values.size() >= 100 && levels <= few_levels) {
      note("quantised", 0, column(role), name + " has only " + std::to_string(levels) + " different values");
      return;
    }
    if (!saturated(role, values) && role == Role::force) frozen(values);
  }

  /// A force that stays to the last digit, far longer than it usually does, while the machine moves on.
  void frozen(const std::vector<double>& force) {
    const Runs runs = runs_of(force);
    if (runs.longest < frozen_from || runs.count < 2) return;
    const double usual = double(force.size() - runs.longest) / double(runs.count - 1);
    if (double(runs.longest) < 10 * usual) return;
    const std::vector<double>& motion = r_.position.empty() ? r_.velocity : r_.position;
    if (motion.empty()) return;
    const auto from = motion.begin() + std::ptrdiff_t(runs.start);
    const auto [low, high] = std::minmax_element(from, from + std::ptrdiff_t(runs.longest));
    if (*high - *low < 0.02 * range_of(motion).span()) return;
    note("frozen", lines_.of(runs.start + 1), column(Role::force),
         "force repeats the previous sample for " + std::to_string(runs.longest - 1) + " samples: frozen sensor?");
  }

  bool saturated(Role role, const std::vector<double>& values) {
    const ClippedReadings found = clipped_readings(values);
    if (found.stretches == 0) return false;
    note("saturated", lines_.of(found.first), column(role),
         std::string(role_name(role)) + " is at its largest or smallest value in " + std::to_string(found.stretches) +
             " stretches (" + std::to_string(found.samples) + " samples), the first here: a saturated sensor?");
    return true;
  }

  /// Eq. (1). False if position and velocity contradict each other, so that further findings mean nothing.
  bool position_and_velocity() {
    if (r_.position.empty() || r_.velocity.empty() || one_direction_) return true;
    std::vector<double> x = r_.position, travelled(r_.size(), 0.0);
    for (std::size_t i = 1; i < r_.size(); ++i)
      travelled[i] = travelled[i - 1] + 0.5 * (r_.velocity[i] + r_.velocity[i - 1]) * (r_.time[i] - r_.time[i - 1]);
    detrend(r_.time, x);
    detrend(r_.time, travelled);
    double xx = 0, tt = 0, xt = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      xx += x[i] * x[i], tt += travelled[i] * travelled[i], xt += x[i] * travelled[i];
    const double span = range_of(r_.position).span();
    if (xx < 1e-8 * double(x.size()) * span * span || tt == 0 || xx == 0) return true;  // a straight line
    const double correlation = xt / std::sqrt(xx * tt), gain = std::sqrt(xx / tt);
    if (correlation < -0.9) {
      note("velocity_sign", 0, column(Role::velocity), "velocity has the opposite sign of d(position)/dt");
      return false;
    }
    if (correlation < 0.5) {
      note("velocity_not_derivative", 0, 0,
           "velocity is not the derivative of position (correlation " + significant(correlation, 2) + ")");
      return false;
    }
    if (correlation < 0.9 || std::abs(std::log(gain)) < 0.25) return true;
    unit_factor(gain);
    return false;
  }

  void unit_factor(double gain) {
    struct Slip {
      double gain;
      Role role;
      const char* text;
    };
    const double step = (r_.time.back() - r_.time.front()) / double(r_.size() - 1);
    const bool slow_clock = step >= 0.05;  // few machines are logged that slowly: the clock is the suspect
    const std::array slips{Slip{1e3, Role::position, "position looks like mm"},
                           Slip{1e6, Role::position, "position looks like um"},
                           Slip{180 / 3.14159265358979, Role::position, "position looks like degrees"},
                           Slip{1e-3, slow_clock ? Role::time : Role::velocity,
                                slow_clock ? "time looks like ms" : "velocity looks like mm/s"},
                           Slip{1e-6, slow_clock ? Role::time : Role::velocity,
                                slow_clock ? "time looks like us" : "velocity looks like um/s"},
                           Slip{2 * 3.14159265358979 / 60, Role::velocity, "velocity looks like rpm"}};
    const Slip* nearest_slip = nullptr;
    for (const Slip& slip : slips)
      if (std::abs(std::log(gain / slip.gain)) < 0.1) nearest_slip = &slip;
    const Role role = nearest_slip ? nearest_slip->role : gain > 1 ? Role::position : Role::velocity;
    note("unit_factor", 0, column(role),
         "position changes " + significant(gain, 3) + " times as much as velocity says" +
             (nearest_slip ? std::string(": ") + nearest_slip->text : std::string("; check the units")));
  }

  /// Eq. (2). False if the sign is wrong.
  bool work_sign() {
    if (r_.force.empty() || (r_.velocity.empty() && r_.position.empty())) return true;
    double work = 0, all = 0;
    for (std::size_t i = 1; i < r_.size(); ++i) {
      const double moved = r_.velocity.empty()
                               ? r_.position[i] - r_.position[i - 1]
                               : 0.5 * (r_.velocity[i] + r_.velocity[i - 1]) * (r_.time[i] - r_.time[i - 1]);
      const double done = 0.5 * (r_.force[i] + r_.force[i - 1]) * moved;
      work += done, all += std::abs(done);
    }
    if (all == 0 || work > -0.3 * all) return true;
    note("negative_power", 0, column(Role::force),
         "friction would drive the machine: force times velocity is negative for " +
             significant(50 * (1 - work / all), 3) + " % of the work; is the sign of the force correct?");
    return false;
  }

  /// Eq. (3).
  void lag() {
    if (r_.force.empty() || r_.velocity.empty()) return;
    const std::size_t n = r_.size(), window = std::min(n, lag_window);
    const auto reach = std::min<std::size_t>(longest_lag, window / 8);
    const std::size_t begin = (n - window) / 2 + reach, end = (n - window) / 2 + window - reach;
    const double at_once = left_over(r_, begin, end, 0);
    if (reach < 2 || at_once < 0.005) return;
    double least = at_once;
    std::ptrdiff_t best = 0;
    const auto limit = std::ptrdiff_t(reach);
    for (std::ptrdiff_t shift = -limit; shift <= limit; ++shift)
      if (const double left = left_over(r_, begin, end, shift); left < least) least = left, best = shift;
    if (std::abs(best) < 2 || std::abs(best) == limit || least > 0.05 || least > 0.25 * at_once) return;
    const auto half = std::max<std::size_t>(1, std::size_t(std::abs(best)) / 2);
    if (best < 0 && left_over(r_, begin, end, 0, half) <= 1.5 * least) return;  // inertia
    note("lag", 0, column(Role::force),
         "force comes " + std::to_string(std::abs(best)) + " samples " + (best > 0 ? "after" : "before") +
             " the velocity it belongs to");
  }

  Recording& r_;
  const LineNumbers& lines_;
  bool one_direction_ = false;
};

}  // namespace

void check_signals(Recording& recording, const LineNumbers& lines) { Checks(recording, lines).all(); }

}  // namespace stickslip::inline recordings
