#include "identification/experiments/stick_slip_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip::inline identification {
namespace {

constexpr std::size_t course_points = 96;
constexpr double before_and_after = 1.5;   // slip times on each side of the middle of the fall
constexpr double lasting_errors = 8;       // independent errors of the law along a course
constexpr double two_levels_width = 1e-4;  // v_S of two levels, of the slip's speed
constexpr double worth_a_number = 1.1;     // mean square of a simpler law that is still taken
constexpr double conceivable = 20;         // a slip of any law lasts within this factor of half a free period

double at_time(std::span<const double> time, std::span<const double> values, double t) {
  const auto next = std::upper_bound(time.begin(), time.end(), t) - time.begin();
  const auto b = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 1, std::ptrdiff_t(time.size()) - 1));
  const double share = (t - time[b - 1]) / (time[b] - time[b - 1]);
  return values[b - 1] + share * (values[b] - values[b - 1]);
}

/// When the force falls through `level` first after `from`; NaN if it does not.
double fall_through(std::span<const double> time, std::span<const double> force, double from, double level) {
  auto i = static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), from) - time.begin());
  for (i = std::max<std::size_t>(i, 1); i < time.size(); ++i)
    if (force[i] <= level && force[i - 1] > level)
      return time[i - 1] + (time[i] - time[i - 1]) * (force[i - 1] - level) / (force[i - 1] - force[i]);
  return std::numeric_limits<double>::quiet_NaN();
}

/// What straight lines between samples `spacing` values apart make of a course, the mean over all places of the samples: its
/// convolution with a triangle that is twice as wide as their distance. Corners of the mean slip are as round as that.
std::vector<double> between_samples(const std::vector<double>& values, double spacing) {
  if (!(spacing > 1)) return values;
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(spacing)) - 1;
  const auto last = static_cast<std::ptrdiff_t>(values.size()) - 1;
  std::vector<double> mean(values.size());
  for (std::ptrdiff_t i = 0; i <= last; ++i) {
    double weights = 0, sum = 0;
    for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
      const double weight = 1 - double(std::abs(k)) / spacing;
      weights += weight, sum += weight * values[std::size_t(std::clamp<std::ptrdiff_t>(i + k, 0, last))];
    }
    mean[std::size_t(i)] = sum / weights;
  }
  return mean;
}

/// Times of a course around the middle of the fall.
std::vector<double> course_times(double slip_time, double period) {
  const double reach = std::min(before_and_after * slip_time, 0.45 * period);
  std::vector<double> t(course_points);
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = reach * (2 * double(i) / double(t.size() - 1) - 1);
  return t;
}

/// Two-sided 95 % of Student's t (Cornish and Fisher's expansion; 4 % low at two degrees of freedom).
double student(double freedom) {
  constexpr double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  const double n = std::max(freedom, 2.0);
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

/// How the free numbers of a form become a law.
struct Form {
  const char* name;
  bool has_width, has_viscosity;
};
constexpr Form forms[] = {
    {"two levels", false, false}, {"Stribeck curve", true, false}, {"Stribeck curve and viscosity", true, true}};

class SlipFit {
 public:
  SlipFit(const PulledBody& body, const StickSlipRecord& r, double interval, std::vector<double> times)
      : body_(body),
        cutoff_(r.cutoff_hz),
        interval_(interval),
        slip_speed_(0.5 * r.drop / std::sqrt(body.stiffness * body.mass)),
        times_(std::move(times)),
        r_(r) {}

  FrictionSettings settings(const Form& form, std::span<const double> x) const {
    return {{{"coulomb_force", x[0]},
             {"stiction_force", x[0] + x[1]},
             {"stribeck_velocity", form.has_width ? x[2] : two_levels_width * slip_speed_},
             {"viscosity", form.has_viscosity ? x[3] : 0.0}},
            {},
            {}};
  }

  /// The course of a slip of this law at the times, later by the shift; false where it does not slip like that. Nearly all laws have
  /// fallen soon after the release; only the others are followed for longer.
  bool course(const FrictionSettings& settings, double shift, std::span<double> out) const {
    const auto friction = make_friction("stribeck", settings);
    const double soon = 2 * rest() + shortest_period(body_);
    const Course found = course_until(soon, *friction, shift, out);
    if (found != Course::ends_early) return found == Course::is_one;
    return course_until(soon + 2 * times_.back(), *friction, shift, out) == Course::is_one;
  }

  LeastSquaresFit fit(const Form& form, const std::vector<double>& mean) const {
    const double drop = std::max(r_.static_level - r_.kinetic_level, 0.05 * r_.drop);
    std::vector<FreeNumber> free{{"coulomb_force", r_.kinetic_level, 0.02 * r_.kinetic_level,
                                  3 * std::fabs(r_.kinetic_level) + 3 * r_.drop, drop},
                                 {"rise", drop, 1e-3 * drop, 10 * drop, drop}};
    if (form.has_width)
      free.push_back(
          {"stribeck_velocity", 0.1 * slip_speed_, two_levels_width * slip_speed_, 3 * slip_speed_, 0.1 * slip_speed_});
    if (form.has_viscosity)
      free.push_back({"viscosity", 0, 0, 2 * std::sqrt(body_.stiffness * body_.mass),
                      0.1 * std::sqrt(body_.stiffness * body_.mass)});
    // Noise moves the middle of a fall: its highest and lowest values are those of the noise too.
    free.push_back({"shift", 0, 0.2 * times_.front(), 0.2 * times_.back(), 0.01 * times_.back()});
    const Residuals residuals = [&](std::span<const double> x, std::span<double> e) {
      try {
        if (!course(settings(form, x), x.back(), e)) return false;
      } catch (const Error&) {  // a law that the model refuses: no such candidate
        return false;
      }
      for (std::size_t i = 0; i < e.size(); ++i) e[i] = mean[i] - e[i];
      return true;
    };
    LeastSquaresFit best;
    best.cost = std::numeric_limits<double>::infinity();
    const std::vector<double> widths = form.has_width ? std::vector{0.02, 0.1, 0.4} : std::vector{0.0};
    for (const double width : widths) {
      if (form.has_width) free[2].start = std::clamp(width * slip_speed_, free[2].low, free[2].high);
      LeastSquaresFit tried = levenberg_marquardt(free, mean.size(), residuals, {.most_steps = 40, .least_gain = 1e-7});
      if (tried.cost < best.cost) best = std::move(tried);
    }
    return best;
  }

 private:
  enum class Course { is_one, is_none, ends_early };

  /// Rest before the release [s]: what the course shows of it, and what the low-pass carries into that.
  double rest() const { return 2 * times_.back() + (cutoff_ > 0 ? 2 / cutoff_ : 0); }

  Run pulled_until(double end, const Friction& friction) const {
    constexpr std::size_t steps_of_no_slip = 5000;  // a slip takes some hundred
    Body pulled;
    pulled.mass = body_.mass;
    pulled.drive.kind = DriveKind::pulled_spring;
    pulled.drive.stiffness = body_.stiffness;
    pulled.drive.input = Signal::ramp(body_.speed);
    pulled.position =
        -(friction.parameter("stiction_force") - body_.stiffness * body_.speed * rest()) / body_.stiffness;
    SimulationOptions options;
    options.end = end;
    options.most_steps = steps_of_no_slip;
    options.sample_interval = std::max(std::min(interval_, times_.back() / 200), end / 40000);
    return friction.simulate(pulled, options);
  }

  Course course_until(double end, const Friction& friction, double shift, std::span<double> out) const {
    const Run run = pulled_until(end, friction);
    const std::vector<double>& t = run.samples.time;
    if (run.stop != Stop::finished || t.size() < 100) return Course::is_none;
    std::vector<double> force(t.size());
    for (std::size_t i = 0; i < t.size(); ++i)
      force[i] = body_.stiffness * (body_.speed * t[i] - run.samples.position[i]);
    force = low_passed_force(t, force, cutoff_);
    force = between_samples(force, interval_ / (t[1] - t[0]));
    const auto place = [&](double time) {
      return static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
    };
    const std::size_t first = place(0.5 * rest()), last = place(2 * rest() + shortest_period(body_));
    std::size_t highest = first;
    for (std::size_t i = first; i < last; ++i)
      if (force[i] > force[highest]) highest = i;
    std::size_t lowest = highest;
    while (lowest + 1 < t.size() && force[lowest + 1] < force[lowest]) ++lowest;
    if (highest + 1 >= t.size() || lowest + 1 == t.size()) return Course::ends_early;
    if (lowest == highest) return Course::is_none;
    const double middle = fall_through(t, force, t[highest], 0.5 * (force[highest] + force[lowest])) - shift;
    if (!std::isfinite(middle) || middle + times_.front() < 0) return Course::is_none;
    if (middle + times_.back() > t.back()) return Course::ends_early;
    // A law that slips again inside the course is none of it: mass and stiffness contradict the slips.
    const auto slips = std::count_if(run.events.begin(), run.events.end(), [&](const Event& e) {
      return e.kind == EventKind::release && e.time > middle + times_.front() && e.time < middle + times_.back();
    });
    if (slips > 1) return Course::is_none;
    for (std::size_t i = 0; i < times_.size(); ++i) out[i] = at_time(t, force, middle + times_[i]);
    return Course::is_one;
  }

  PulledBody body_;
  double cutoff_, interval_, slip_speed_;
  std::vector<double> times_;
  const StickSlipRecord& r_;
};

std::vector<double> mean_of(const std::vector<std::vector<double>>& courses,
                            const std::function<bool(std::size_t)>& takes) {
  std::vector<double> mean(courses.front().size(), 0.0);
  double count = 0;
  for (std::size_t c = 0; c < courses.size(); ++c) {
    if (!takes(c)) continue;
    ++count;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += courses[c][i];
  }
  for (double& m : mean) m /= count;
  return mean;
}

double mean_square(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / double(a.size());
}

/// Fitted to odd slips and judged on even ones, and the reverse; infinity where there is no fit.
double judged(const SlipFit& fit, const Form& form, const std::vector<std::vector<double>>& courses) {
  double sum = 0;
  for (const std::size_t part : {0u, 1u}) {
    const auto seen = mean_of(courses, [&](std::size_t c) { return c % 2 == part; });
    const auto held = mean_of(courses, [&](std::size_t c) { return c % 2 != part; });
    const LeastSquaresFit found = fit.fit(form, seen);
    std::vector<double> predicted(seen.size());
    if (!std::isfinite(found.cost) || !fit.course(fit.settings(form, found.x), found.x.back(), predicted))
      return std::numeric_limits<double>::infinity();
    sum += mean_square(held, predicted);
  }
  return 0.5 * sum;
}

/// Covariance of the free numbers; see the header.
Eigen::MatrixXd covariance_of(const LeastSquaresFit& fit, const std::vector<std::vector<double>>& courses,
                              const std::vector<double>& mean) {
  const Eigen::MatrixXd& slopes = fit.slopes;
  const Eigen::MatrixXd inverse = (slopes.transpose() * slopes).completeOrthogonalDecomposition().pseudoInverse();
  const auto n = double(courses.size());
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(slopes.cols(), slopes.cols());
  for (const std::vector<double>& c : courses) {
    Eigen::VectorXd off(slopes.rows());
    for (Eigen::Index i = 0; i < off.size(); ++i) off[i] = c[std::size_t(i)] - mean[std::size_t(i)];
    const Eigen::VectorXd influence = slopes.transpose() * off;
    scatter += influence * influence.transpose();
  }
  scatter /= n * (n - 1);
  const double missed = fit.residuals.squaredNorm() / double(fit.residuals.size());
  scatter += missed * double(slopes.rows()) / lasting_errors * (slopes.transpose() * slopes);
  return inverse * scatter * inverse;
}

Estimate estimate(const std::string& key, double value, double error, double quantile, bool is_at_bound) {
  const bool is_weak = !(error <= 0.1 * std::fabs(value));
  return {key,
          value,
          error,
          value - quantile * error,
          value + quantile * error,
          is_at_bound ? Determination::at_bound
          : is_weak   ? Determination::weak
                      : Determination::well_determined,
          {}};
}

std::vector<Estimate> estimates_of(const Form& form, const LeastSquaresFit& found,
                                   const std::vector<std::vector<double>>& courses, const std::vector<double>& mean) {
  const Eigen::MatrixXd covariance = covariance_of(found, courses, mean);
  const double t = student(double(courses.size() - 1));
  const auto error = [&](Eigen::Index i) { return std::sqrt(std::max(covariance(i, i), 0.0)); };
  const double of_sum = std::sqrt(std::max(covariance(0, 0) + covariance(1, 1) + 2 * covariance(0, 1), 0.0));
  std::vector<Estimate> all{estimate("coulomb_force", found.x[0], error(0), t, false),
                            estimate("stiction_force", found.x[0] + found.x[1], of_sum, t, false)};
  if (form.has_width) all.push_back(estimate("stribeck_velocity", found.x[2], error(2), t, false));
  if (form.has_viscosity) all.push_back(estimate("viscosity", found.x[3], error(3), t, !(found.x[3] > 0)));
  return all;
}

/// So that the interval, which stays symmetric, contains the value.
void widen(Estimate& e, double value) {
  const double half = 0.5 * (e.high - e.low), off = std::fabs(value - e.value);
  if (off <= half) return;
  e.standard_error *= half > 0 ? off / half : 1;
  e.low = e.value - off, e.high = e.value + off;
  if (e.verdict == Determination::well_determined && !(e.standard_error <= 0.1 * std::fabs(e.value)))
    e.verdict = Determination::weak;
}

}  // namespace

MeanSlip mean_slip(std::span<const double> time, std::span<const double> force, const StickSlipRecord& record) {
  MeanSlip found;
  found.time = course_times(record.slip_time, record.period);
  const std::vector<double> f = low_passed_force(time, force, record.cutoff_hz);
  for (const StickSlipCycle& slip : record.slips) {
    const double middle = fall_through(time, f, slip.time, slip.highest - 0.5 * slip.drop);
    if (!std::isfinite(middle) || middle + found.time.front() < time.front() ||
        middle + found.time.back() > time.back())
      continue;
    std::vector<double> course(found.time.size());
    for (std::size_t i = 0; i < course.size(); ++i) course[i] = at_time(time, f, middle + found.time[i]);
    found.courses.push_back(std::move(course));
  }
  if (found.courses.size() < 3) return {};
  found.force = mean_of(found.courses, [](std::size_t) { return true; });
  return found;
}

StickSlipFit fit_stick_slip(const std::vector<PulledRecording>& recordings, const PulledBody& body) {
  StickSlipFit out;
  std::vector<StickSlipRecord> records;
  for (const PulledRecording& r : recordings) records.push_back(*r.record);
  const StickSlipRecord all = records.size() == 1 ? records.front() : joined_records(records, body);
  std::vector<std::vector<double>> courses;
  double interval = std::numeric_limits<double>::infinity();
  std::vector<double> times;
  for (PulledRecording r : recordings) {
    if (!r.record->why_none.empty()) continue;
    StickSlipRecord same = *r.record;  // the courses of all recordings have the same times
    same.slip_time = all.slip_time, same.period = all.period;
    MeanSlip slip = mean_slip(r.time, r.force, same);
    if (slip.courses.empty()) continue;
    times = slip.time;
    courses.insert(courses.end(), slip.courses.begin(), slip.courses.end());
    interval = std::min(interval, (r.time.back() - r.time.front()) / double(r.time.size() - 1));
  }
  if (courses.size() < 6) {
    out.why_none =
        std::to_string(courses.size()) + " slips with their whole course; six are needed to fit a law to them";
    return out;
  }
  // The slowest a recording can show a slip that is over at once: between two samples, or as the low-pass smears it.
  const double half_period = 0.5 * shortest_period(body);
  const double smeared = std::max(2 * interval, all.cutoff_hz > 0 ? 1 / all.cutoff_hz : 0);
  if (all.slip_time > std::max(conceivable * half_period, 2 * smeared) || all.slip_time < half_period / conceivable) {
    out.why_none = "the slips take " + with_unit(all.slip_time, "s", 3) + " where half a free period is " +
                   with_unit(half_period, "s", 3) + "; check the mass and the stiffness";
    return out;
  }
  const SlipFit fit(body, all, interval, times);
  const auto mean = mean_of(courses, [](std::size_t) { return true; });
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> errors;
  for (const Form& form : forms) errors.push_back(judged(fit, form, courses)), least = std::min(least, errors.back());
  if (!std::isfinite(least)) {
    out.why_none = "no law with a Stribeck curve slips like this; check the mass and the stiffness";
    return out;
  }
  const double floor = std::pow(1e-4 * all.drop, 2);  // closer than any sensor tells
  std::size_t chosen = 0;
  while (errors[chosen] > worth_a_number * least + floor) ++chosen;
  const Form& form = forms[chosen];
  const LeastSquaresFit found = fit.fit(form, mean);
  out.predicted.resize(mean.size());
  if (!std::isfinite(found.cost) || !fit.course(fit.settings(form, found.x), found.x.back(), out.predicted)) {
    out.why_none = "the fit to all slips failed";
    return out;
  }
  out.form = form.name, out.settings = fit.settings(form, found.x), out.slips = courses.size();
  out.time = times, out.measured = mean, out.rms = std::sqrt(mean_square(mean, out.predicted));
  out.estimates = estimates_of(form, found, courses, mean);
  for (std::size_t k = chosen + 1; k < std::size(forms);
       ++k) {  // as good as the one taken: its numbers may be the true ones
    if (errors[k] > worth_a_number * errors[chosen] + floor) continue;
    const LeastSquaresFit other = fit.fit(forms[k], mean);
    if (!std::isfinite(other.cost)) continue;
    const double values[] = {other.x[0], other.x[0] + other.x[1], other.x[2]};
    for (std::size_t i = 0; i < std::min(out.estimates.size(), std::size(values)); ++i)
      widen(out.estimates[i], values[i]);
  }
  return out;
}

}  // namespace stickslip::inline identification
