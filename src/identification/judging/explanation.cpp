#include "identification/judging/explanation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/normal_equations.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double is_shown = 0.2;     // share of the errors' squares from which a term is named, (4)
constexpr double is_related = 0.2;   // share of the force that direction and speed explain in a friction force, (5)
constexpr double matters = 1;        // [%] of the force: what is below needs no reason, (3)
constexpr double drives_from = 0.3;  // work over its amount, as fit_data.cpp warns, (5)
constexpr double can_be_told = 0.1;  // share of the samples, (6)
constexpr double is_white = 0.1;     // correlation of neighbouring errors
constexpr std::size_t bins = 12;     // of the position
constexpr std::size_t most_rows = 20000;

std::string percent(double share) { return significant(share, 3) + " %"; }

double squares_about_mean(const std::vector<double>& values) {
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum;
}

double sign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/// Least squares of y over columns: the factors and the share of Σ (y − mean)² that they explain.
struct Regression {
  Eigen::VectorXd factors;
  double explained = 0;
};
template <class Row>
Regression regression(const std::vector<double>& y, Eigen::Index columns, Row&& row) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(columns), scale = Eigen::VectorXd::Zero(columns), r(columns);
  const std::size_t stride = std::max<std::size_t>(1, y.size() / most_rows);
  for (std::size_t i = 0; i < y.size(); i += stride) row(i, r), scale = scale.cwiseMax(r.cwiseAbs());
  for (Eigen::Index k = 0; k < columns; ++k)
    if (!(scale[k] > 0)) scale[k] = 1;
  for (std::size_t i = 0; i < y.size(); i += stride) {
    row(i, r);
    r = r.cwiseQuotient(scale);
    gram += r * r.transpose();
    right += y[i] * r;
  }
  Eigen::VectorXd x = least_solution(gram, right);
  double left = 0, mean = 0, all = 0, n = 0;
  for (std::size_t i = 0; i < y.size(); i += stride) mean += y[i], n += 1;
  mean /= std::max(n, 1.0);
  for (std::size_t i = 0; i < y.size(); i += stride) {
    row(i, r);
    left += std::pow(y[i] - r.cwiseQuotient(scale).dot(x), 2);
    all += std::pow(y[i] - mean, 2);
  }
  return {x.cwiseQuotient(scale), all > 0 ? 1 - left / all : 0};
}

/// The fraction of Σ (y − mean)² that the means over bins of the position explain; y times `side` where a side is needed.
double explained_by_position(const Evidence& e, bool in_direction) {
  const auto [low, high] = std::minmax_element(e.position.begin(), e.position.end());
  if (!(*high > *low)) return 0;
  std::array<double, bins> sum{}, count{};
  double all = 0;
  std::vector<double> y(e.error.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = e.error[i] * (in_direction ? sign(e.velocity[i]) : 1);
    const double share = (e.position[i] - *low) / (*high - *low);
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)));
    sum[bin] += y[i], count[bin] += 1, all += y[i];
  }
  const double mean = all / static_cast<double>(y.size()), total = squares_about_mean(y);
  double taken = 0;
  for (std::size_t b = 0; b < bins; ++b)
    if (count[b] > 0) taken += count[b] * std::pow(sum[b] / count[b] - mean, 2);
  return total > 0 ? taken / total : 0;
}

struct Shown {
  double share;
  std::string text;
};

/// Inertia in the errors, or in the force itself: a model with many parameters may have absorbed it.
std::optional<Shown> inertia_in(const Evidence& e, const ExplanationContext& c, bool errors_matter) {
  if (e.error.size() < 16) return {};
  const Regression left = regression(e.error, 2, [&](std::size_t i, Eigen::VectorXd& r) { r << 1, e.acceleration[i]; });
  const Regression plain =
      regression(e.force, 3, [&](std::size_t i, Eigen::VectorXd& r) { r << 1, sign(e.velocity[i]), e.velocity[i]; });
  const Regression whole = regression(e.force, 4, [&](std::size_t i, Eigen::VectorXd& r) {
    r << 1, sign(e.velocity[i]), e.velocity[i], e.acceleration[i];
  });
  const bool in_errors = errors_matter && left.explained >= is_shown && (left.factors[1] > 0 || c.mass > 0);
  const double gain = whole.explained - plain.explained;
  const bool in_force = gain >= is_shown && (whole.factors[3] > 0 || c.mass > 0);
  if (!in_errors && !in_force) return {};
  const double mass = c.mass + (whole.factors[3] > 0 || c.mass > 0 ? whole.factors[3] : left.factors[1]);
  const std::string what =
      in_errors ? percent(100 * left.explained) + " of the squared errors are correlated with the acceleration"
                : percent(100 * gain) + " of the force's variance is correlated with the acceleration";
  const bool is_rotary = c.mass_unit != "kg";
  const std::string name = is_rotary ? "inertia" : "mass";
  return Shown{
      in_errors ? left.explained : gain,
      "inertia: " + what + "; " +
          (c.mass > 0
               ? (is_rotary ? "an " : "a ") + name + " of " + with_unit(c.mass, c.mass_unit, 3) +
                     " was subtracted, about " + with_unit(mass, c.mass_unit, 3) + " would fit: check --" + name
               : "give the " + name + ", about --" + name + " '" + significant(mass, 3) + " " + c.mass_unit + "'")};
}

/// Friction that drifts: errors in the direction of motion follow a parabola over time, besides the speed.
std::optional<Shown> drift_in(const Evidence& e, const ExplanationContext& c) {
  if (e.time.size() != e.error.size()) return {};
  const auto range = std::minmax_element(e.time.begin(), e.time.end());
  const double begin = *range.first, duration = *range.second - begin;
  if (!(duration > 0)) return {};
  std::vector<double> y(e.error.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = e.error[i] * sign(e.velocity[i]);
  const Regression plain =
      regression(y, 2, [&](std::size_t i, Eigen::VectorXd& r) { r << 1, std::fabs(e.velocity[i]); });
  const Regression whole = regression(y, 4, [&](std::size_t i, Eigen::VectorXd& r) {
    const double u = (e.time[i] - begin) / duration;
    r << 1, std::fabs(e.velocity[i]), u, u * u;
  });
  const double share = whole.explained - plain.explained;
  if (share < is_shown) return {};
  return Shown{share,
               "friction over time: " + percent(100 * share) +
                   " of the squared errors, taken in the direction of motion, follow the time; from its beginning "
                   "to its end friction changes by " +
                   with_unit(whole.factors[2] + whole.factors[3], c.force_unit, 2) +
                   " (warming up, running in?): choose a stretch in which it is steady (--from, --until)"};
}

/// Correlation of each error with the next: that of white noise is zero.
double next_correlation(const std::vector<double>& error) {
  double product = 0, square = 0;
  for (std::size_t i = 0; i + 1 < error.size(); ++i) product += error[i] * error[i + 1], square += error[i] * error[i];
  return square > 0 ? product / square : 0;
}

Regression force_over_motion(const Evidence& e) {
  return regression(e.force, 3, [&](std::size_t i, Eigen::VectorXd& r) { r << 1, sign(e.velocity[i]), e.velocity[i]; });
}

/// (5): the work of the force about its constant part is negative.
bool drives_motion(const Evidence& e, const ExplanationContext& c) {
  if (c.one_way || e.error.size() < 16) return false;
  const double constant = force_over_motion(e).factors[0];
  double work = 0, amount = 0;
  for (std::size_t i = 0; i < e.force.size(); ++i) {
    const double power = (e.force[i] - constant) * e.velocity[i];
    work += power, amount += std::fabs(power);
  }
  return work < -drives_from * amount;
}

/// (4) to (6), the most important first. They are also reported for a recording that is
/// explained.
std::vector<std::string> reasons_of(const Evidence& e, const ExplanationContext& c, bool is_explained) {
  std::vector<std::string> reasons;
  if (c.one_way && !is_explained)
    reasons.push_back(std::string("one direction only: it hardly ever moves ") +
                      (c.goes_forward ? "backward" : "forward") +
                      ", so a constant load cannot be separated from friction; record strokes in both directions");
  if (c.moving < can_be_told && c.resolution > 0 && !is_explained) {
    reasons.push_back(
        "position too coarse: with steps of " + with_unit(c.resolution, c.position_unit, 3) + " only " +
        percent(100 * c.moving) +
        " of the samples can be distinguished from rest; record with a finer sensor or wider or faster strokes, or see "
        "`stickslip plan` for what this sensor can identify");
    return reasons;
  }
  if (e.error.size() < 16) return reasons;
  if (!is_explained && drives_motion(e, c)) {
    reasons.push_back(std::string("not a friction force: it drives the motion instead of opposing it; ") +
                      (c.turned ? "leave out --invert-force" : "invert its sign with --invert-force"));
    return reasons;
  }
  std::vector<Shown> shown;
  double inertia_share = 0;  // in harmonic strokes position and acceleration are proportional, with opposite signs
  if (const auto inertia = inertia_in(e, c, true)) shown.push_back(*inertia), inertia_share = inertia->share;
  const double mean = [&] {
    double sum = 0;
    for (const double x : e.error) sum += x;
    return sum / static_cast<double>(e.error.size());
  }();
  double squares = 0;
  for (const double x : e.error) squares += x * x;
  const double constant = squares > 0 ? mean * mean * static_cast<double>(e.error.size()) / squares : 0;
  if (constant >= is_shown && !c.has_offset && !c.one_way)
    shown.push_back({constant, "constant load: the errors are " + with_unit(mean, c.force_unit, 3) +
                                   " in the mean; leave out --no-offset"});
  if (const double load = explained_by_position(e, false); load >= is_shown && load > 1.05 * inertia_share) {
    const Regression spring = regression(e.error, 2, [&](std::size_t i, Eigen::VectorXd& r) { r << 1, e.position[i]; });
    const bool is_spring = spring.explained >= 0.7 * load;
    shown.push_back(
        {load,
         "load over position: " + percent(100 * load) + " of the squared errors are correlated with the position" +
             (is_spring ? ", like a spring of " + with_unit(spring.factors[1], c.force_unit + "/" + c.position_unit, 3)
                        : std::string()) +
             "; --load-knots 8 identifies and subtracts it (--gravity for an arm, --cogging for a motor), or try "
             "--model "
             "extended-maxwell-slip, which has terms of the position"});
  }
  if (const double level = c.one_way ? 0 : explained_by_position(e, true); level >= is_shown)
    shown.push_back(
        {level, "friction over position: " + percent(100 * level) +
                    " of the squared errors, signed by the direction of motion, are correlated with the position; try "
                    "--over position:knots=6"});
  if (const auto drift = c.one_way ? std::nullopt : drift_in(e, c)) shown.push_back(*drift);
  std::stable_sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) { return a.share > b.share; });
  for (Shown& s : shown) reasons.push_back(std::move(s.text));
  if (!reasons.empty() || is_explained) return reasons;
  const Regression plain = force_over_motion(e);
  double level = 0;
  for (const double f : e.force) level += f / static_cast<double>(e.force.size());
  const double spread = std::sqrt(squares_about_mean(e.force) / static_cast<double>(e.force.size()));
  if (plain.explained < is_related && std::fabs(level) > 5 * spread)
    reasons.push_back("constant load: the force is " + with_unit(level, c.force_unit, 3) + " throughout; the " +
                      with_unit(spread, c.force_unit, 2) +
                      " by which it changes are unrelated to the motion: it contains no friction; record the "
                      "force at the contact, or with a finer sensor");
  else if (plain.explained < is_related)
    reasons.push_back(
        "not a friction force: direction and speed explain " + percent(100 * std::max(plain.explained, 0.0)) +
        " of it during motion; check that --force and --position name the right columns of the same machine, "
        "and that both share a clock (--find-lag)");
  else if (const double next = next_correlation(e.error); std::fabs(next) < is_white)
    reasons.push_back(
        "noise: an error of " + with_unit(std::sqrt(squares / double(e.error.size())), c.force_unit, 2) +
        " rms that does not carry over from one sample to the next (correlation " + significant(next, 2) +
        "): the measured force is noisy, and no other model will explain more; --force-cutoff filters it");
  else
    reasons.push_back(
        "the errors are correlated with neither acceleration nor position; try all models (leave out --model), "
        "--per-direction, --fit-lag, --backlash");
  return reasons;
}

}  // namespace

std::string_view name_of(Explained verdict) {
  switch (verdict) {
    case Explained::well:
      return "explained";
    case Explained::weakly:
      return "weak";
    case Explained::not_at_all:
      return "no model explains this recording";
  }
  return {};
}

double unexplained(const std::vector<double>& force, const std::vector<double>& error) {
  if (force.empty()) return std::numeric_limits<double>::infinity();
  double cost = 0, size = 0;
  for (const double e : error) cost += e * e;
  for (const double f : force) size += f * f;
  const double all = squares_about_mean(force);
  if (cost > 0 && all <= 1e-24 * size) return std::numeric_limits<double>::infinity();  // rounding
  const double found = cost == 0 ? 0 : 100 * cost / all;
  return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
}

Explanation explanation(const Evidence& judges, const Evidence& all, const ExplanationContext& c) {
  Explanation out;
  out.unexplained = unexplained(judges.force, judges.error);
  out.verdict = !(out.unexplained <= unexplained_above) ? Explained::not_at_all
                : out.unexplained > weak_above          ? Explained::weakly
                                                        : Explained::well;
  const bool drives = out.verdict == Explained::weakly && drives_motion(all, c);
  if (drives) out.verdict = Explained::not_at_all;
  const bool both_tell = c.validation_rms > 1e-6 * c.test_rms;  // otherwise one of them shows no motion
  if (c.test_rms > far_above * c.validation_rms && both_tell && c.test_unexplained > matters)
    out.test_over_validation = c.test_rms / c.validation_rms;
  const std::string share = std::isfinite(out.unexplained)
                                ? percent(out.unexplained) + " of the force's variance unexplained during motion"
                                : "the force unexplained: nothing moves, or the force never changes";
  const std::string where = c.held_out ? ", on held-out samples" : ", on the samples used for the fit";
  if (out.verdict == Explained::not_at_all)
    out.headline = "No model explains this recording: the best, " + c.label + ", leaves " + share + where +
                   (drives ? std::string("; the force drives the motion, so nothing is recommended")
                           : "; above " + significant(unexplained_above, 3) + " % nothing is recommended");
  if (out.verdict == Explained::weakly)
    out.headline = "Weak: " + c.label + " leaves " + share + where + "; below " + significant(weak_above, 3) +
                   " % a recording counts as explained";
  if (out.test_over_validation > 0)
    out.headline += std::string(out.headline.empty() ? "T" : ". T") + "he test error is " +
                    significant(out.test_over_validation, 2) +
                    " times the validation error: the machine or its motion differs between the two parts";
  if (c.one_way && out.verdict != Explained::not_at_all)
    out.headline += std::string(out.headline.empty() ? "O" : ". O") +
                    "ne direction only: a constant load and the friction level cannot be separated";
  const bool is_explained = out.verdict == Explained::well;
  if (!is_explained || out.unexplained > matters || out.test_over_validation > 0)
    out.reasons = reasons_of(all, c, is_explained);
  else if (const auto inertia = inertia_in(all, c, false))
    out.reasons = {inertia->text};
  const bool has_inertia = std::any_of(out.reasons.begin(), out.reasons.end(),
                                       [](const std::string& reason) { return reason.starts_with("inertia"); });
  if (has_inertia && is_explained) {
    out.verdict = Explained::weakly;
    out.headline +=
        std::string(out.headline.empty() ? "" : ". ") + "The force contains inertia: the result is not friction alone";
  }
  return out;
}

}  // namespace stickslip::inline identification
