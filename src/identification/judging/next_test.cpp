#include "identification/judging/next_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/normal_equations.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t most_test_samples = 20000;
constexpr double worth_it = 0.8;  // a test that leaves more of the standard error is not worth suggesting
constexpr double nearly_as_good = 1.25;
constexpr std::size_t breakaways_each_way = 10;

std::string listed(const std::vector<double>& values, const std::string& unit) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0 ? "" : i + 1 == values.size() ? " and " : ", ") + with_unit(values[i], unit, 2);
  return text;
}

std::string length_unit(const AxisLimits& l) { return l.rotary ? "rad" : "m"; }
std::string speed_unit(const AxisLimits& l) { return l.rotary ? "rad/s" : "m/s"; }

/// Positions at the samples of a test; thinned by its own step where it would be long.
template <class Position>
PrescribedMotion sampled(double duration, double step, const AxisLimits& limits, const Position& position) {
  PrescribedMotion m;
  const auto n = static_cast<std::size_t>(std::clamp(duration / step, 16.0, static_cast<double>(most_test_samples)));
  for (std::size_t i = 0; i <= n; ++i) {
    m.time.push_back(duration * static_cast<double>(i) / static_cast<double>(n));
    m.position.push_back(position(m.time.back()));
  }
  if (limits.load != 0) m.load.assign(m.time.size(), limits.load);
  if (limits.pressure != 0) m.pressure.assign(m.time.size(), limits.pressure);
  m.temperature.assign(m.time.size(), limits.temperature);
  return m;
}

/// Back and forth at each speed in turn, twice.
ProposedTest speeds_test(const std::vector<double>& speeds, const AxisLimits& l) {
  ProposedTest t;
  // Reversals take time: the speed changes by no more than the acceleration allows.
  const double h = l.sampling_time;
  double v = 0, x = 0;
  for (const double speed : speeds) {
    const double one_way = std::min(l.stroke / speed, 2.0) + speed / l.acceleration;
    for (int turn = 0; turn < 4; ++turn)
      for (double time = 0; time < one_way; time += h) {
        const double wanted = turn % 2 == 0 ? speed : -speed;
        v += std::clamp(wanted - v, -l.acceleration * h, l.acceleration * h);
        x += h * v;
        t.motion.time.push_back(static_cast<double>(t.motion.time.size()) * h);
        t.motion.position.push_back(x);
      }
  }
  t.duration = static_cast<double>(t.motion.time.size()) * h;
  if (const std::size_t stride = t.motion.time.size() / most_test_samples + 1; stride > 1) {
    PrescribedMotion thin;
    for (std::size_t i = 0; i < t.motion.time.size(); i += stride)
      thin.time.push_back(t.motion.time[i]), thin.position.push_back(t.motion.position[i]);
    t.motion = std::move(thin);
  }
  if (l.load != 0) t.motion.load.assign(t.motion.time.size(), l.load);
  if (l.pressure != 0) t.motion.pressure.assign(t.motion.time.size(), l.pressure);
  t.motion.temperature.assign(t.motion.time.size(), l.temperature);
  t.words = "strokes in both directions at constant speeds of " + listed(speeds, speed_unit(l));
  return t;
}

ProposedTest sine_test(double amplitude, double frequency, double periods, const AxisLimits& l, const char* what) {
  ProposedTest t;
  t.duration = periods / frequency;
  const double w = 2 * std::numbers::pi * frequency;
  t.motion = sampled(t.duration, l.sampling_time, l, [&](double time) { return amplitude * std::sin(w * time); });
  t.words =
      std::string(what) + " of ± " + with_unit(amplitude, length_unit(l), 2) + " at " + with_unit(frequency, "Hz", 2);
  return t;
}

/// Travel after a reversal within which the law's force makes 63 % of its change: from its own numbers.
double turning_distance(const ModelSpace& space, const ModelFit& found, const AxisLimits& l) {
  const auto kernel = space.kernel();
  std::vector<double> numbers;
  for (std::size_t k = 0; k < space.model_numbers(); ++k) numbers.push_back(space.unknowns()[k].value(found.y[k]));
  if (!kernel->place(numbers) || kernel->rest() != RestKind::none) return 0;
  double reach = l.stroke;
  for (int round = 0; round < 6;
       ++round) {  // each looks closer: a stroke of `reach` one way, then back, in 400 steps each
    PrescribedMotion m;
    constexpr std::size_t half = 400;
    const double speed = 1e-5 * l.speed, step = reach / half;  // so slow that damping does not show
    for (std::size_t i = 0; i <= 2 * half; ++i) {
      m.time.push_back(static_cast<double>(i) * step / speed);
      m.position.push_back(step * static_cast<double>(i <= half ? i : 2 * half - i));
    }
    if (l.load != 0) m.load.assign(m.time.size(), l.load);
    if (l.pressure != 0) m.pressure.assign(m.time.size(), l.pressure);
    m.temperature.assign(m.time.size(), l.temperature);
    std::vector<double> force(m.time.size());
    kernel->respond(m, force);
    const double from = force[half], to = force[2 * half];
    std::size_t i = half;
    while (i < 2 * half && std::fabs(force[i] - from) < 0.63 * std::fabs(to - from)) ++i;
    const double found_distance = static_cast<double>(i - half) * step;
    if (i > half + 20) return found_distance;
    reach = 10 * std::max(found_distance, step);
  }
  return 0;
}

}  // namespace

AxisLimits axis_limits(const Sets& sets) {
  AxisLimits l;
  double low = unbounded, high = -unbounded, loads = 0, pressures = 0;
  std::vector<double> accelerations;
  for (const Piece& piece : sets.pieces) {
    const Prepared& d = piece.data;
    l.sampling_time = d.sampling_time;
    l.resolution = std::max({l.resolution, d.resolution, d.position_noise * std::sqrt(12.0)});
    l.rotary = d.rotary;
    for (std::size_t i = 0; i < d.size(); ++i) {
      low = std::min(low, d.position[i]), high = std::max(high, d.position[i]);
      l.speed = std::max(l.speed, std::fabs(d.velocity[i]));
      accelerations.push_back(std::fabs(d.acceleration[i]));
    }
    if (!d.load.empty()) loads = d.load[d.load.size() / 2];
    if (!d.pressure.empty()) pressures = d.pressure[d.pressure.size() / 2];
    if (!d.temperature.empty()) l.temperature = d.temperature[d.temperature.size() / 2];
  }
  l.load = loads, l.pressure = pressures;
  l.stroke = high - low;
  const auto k = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(accelerations.size() - 1));
  std::nth_element(accelerations.begin(), accelerations.begin() + k, accelerations.end());
  l.acceleration = accelerations[static_cast<std::size_t>(k)];
  return l;
}

std::vector<ProposedTest> tests_within(const AxisLimits& l, const ModelSpace& space, const ModelFit& found,
                                       const FitData& data) {
  std::vector<ProposedTest> tests;
  if (!(l.speed > 0 && l.stroke > 0 && l.acceleration > 0)) return tests;
  const double v = l.speed;
  tests.push_back(speeds_test({v, 0.3 * v, 0.1 * v}, l));
  tests.push_back(speeds_test({0.1 * v, 0.03 * v, 0.01 * v}, l));
  tests.push_back(speeds_test({0.01 * v, 3e-3 * v, 1e-3 * v}, l));
  for (const Unknown& u : space.unknowns())
    if (u.role == ParameterRole::speed) {  // about the speed at which the law changes
      const double s = u.value(found.y[*space.find(u.key)]);
      if (s > 1e-3 * v && s < 0.5 * v) tests.push_back(speeds_test({std::min(3 * s, v), s, 0.3 * s}, l));
    }
  // A stroke of ± a at frequency f: speed 2π f a, acceleration (2π f)² a.
  const auto fastest_for = [&](double a) {
    return std::min({v / a, std::sqrt(l.acceleration / a), 0.5 / l.sampling_time}) / (2 * std::numbers::pi);
  };
  tests.push_back(sine_test(0.5 * l.stroke, fastest_for(0.5 * l.stroke), 10, l, "sines over the whole range"));
  if (const double d = turning_distance(space, found, l); d > 0)
    for (const double share : {0.3, 1.0, 3.0}) {
      const double a = share * d;
      if (a > 0.5 * l.stroke || a < 2 * l.resolution) continue;
      const double fast = fastest_for(a);
      tests.push_back(sine_test(a, std::min(fast, 0.02 * v / a / (2 * std::numbers::pi)), 5, l, "slow micro-strokes"));
      tests.push_back(sine_test(a, fast, 20, l, "fast micro-strokes"));
    }
  std::vector<double> brackets;
  for (const FitPiece& p : data.pieces)
    for (const Release& r : p.releases) brackets.push_back((r.most - r.least) / std::sqrt(12.0));
  if (space.kernel()->rest() == RestKind::level) {
    ProposedTest t;
    t.breakaways = 2 * breakaways_each_way;
    std::sort(brackets.begin(), brackets.end());
    if (!brackets.empty()) t.breakaway_error = 0.1 * brackets[brackets.size() / 2];
    t.duration = 2 * static_cast<double>(t.breakaways);
    t.words =
        std::to_string(breakaways_each_way) +
        " breakaways in each direction with a force ramp ten times slower than here, after rests of different length";
    tests.push_back(t);
  }
  return tests;
}

std::vector<double> errors_after(const ProposedTest& test, const AxisLimits& limits, const ModelSpace& space,
                                 const ModelFit& found, const Confidence& confidence, double noise) {
  const auto p = static_cast<Eigen::Index>(space.size());
  std::vector<double> after(space.size(), unbounded);
  const auto kernel = space.kernel();
  std::vector<double> numbers;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < space.model_numbers(); ++k) {
    numbers.push_back(space.unknowns()[k].value(found.y[k]));
    if (!kernel->has_slopes(k)) return after;
    all.push_back(k);
  }
  if (!kernel->place(numbers)) return after;
  // Private numbers: those of the first recording stand for the machine that would be tested.
  const auto is_offset = [&](std::size_t k) { return k < space.law_size() && space.is_offset(k); };
  // Relative to the present standard errors, or to the values where there are none.
  Eigen::VectorXd unit(p);
  Eigen::MatrixXd c = matrix_of(confidence.covariance).topLeftCorner(p, p);
  std::vector<bool> is_known(space.size());
  for (Eigen::Index k = 0; k < p; ++k) {
    const auto i = static_cast<std::size_t>(k);
    is_known[i] = c(k, k) > 0 && std::isfinite(c(k, k));
    const double value = std::fabs(space.unknowns()[i].value(found.y[i]));
    unit[k] = is_known[i] ? std::sqrt(c(k, k)) : value > 0 ? value : 1;
  }
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
  {
    Eigen::MatrixXd r = Eigen::MatrixXd::Identity(p, p);
    for (Eigen::Index i = 0; i < p; ++i)
      for (Eigen::Index j = 0; j < p; ++j)
        if (i != j && is_known[static_cast<std::size_t>(i)] && is_known[static_cast<std::size_t>(j)])
          r(i, j) = c(i, j) / (unit[i] * unit[j]);
    const SymmetricModes modes = symmetric_modes(r);
    information = modes.vectors * modes.values.cwiseMax(1e-9).cwiseInverse().asDiagonal() * modes.vectors.transpose();
    for (Eigen::Index i = 0; i < p; ++i)
      if (!is_known[static_cast<std::size_t>(i)]) {
        information.row(i).setZero(), information.col(i).setZero();
        // at a bound it stays there; otherwise almost nothing is known about it
        information(i, i) =
            confidence.estimates[static_cast<std::size_t>(i)].verdict == Determination::at_bound ? 1e12 : 1e-6;
      }
  }
  if (test.breakaways > 0) {
    std::vector<double> slopes(all.size());
    const double each = test.breakaway_error * test.breakaway_error + noise * noise;
    for (const Direction d : {Direction::forward, Direction::backward}) {
      Contact<double> contact;
      contact.load = limits.load, contact.pressure = limits.pressure, contact.dwell = 1;
      contact.temperature = limits.temperature;
      kernel->rest_slopes(contact, d, all, slopes);
      Eigen::VectorXd g = Eigen::VectorXd::Zero(p);
      for (std::size_t k = 0; k < all.size(); ++k)
        g[static_cast<Eigen::Index>(k)] = slopes[k] * unit[static_cast<Eigen::Index>(k)];
      for (Eigen::Index k = 0; k < p; ++k)
        if (is_offset(static_cast<std::size_t>(k))) g[k] = number(d) * unit[k];
      // one error is common to all: all releases are detected late by the same cause
      information += g * g.transpose() / (each / 4);
    }
  } else {
    const std::size_t n = test.motion.time.size();
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), p);
    std::vector<double*> columns;
    for (const std::size_t k : all) columns.push_back(g.col(static_cast<Eigen::Index>(k)).data());
    kernel->slopes(test.motion, n, all, columns);
    std::vector<double> force(n);
    kernel->respond(test.motion, force);
    const double recorded =
        test.duration / limits.sampling_time / static_cast<double>(n);  // samples represented by one
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      for (Eigen::Index k = 0; k < p; ++k) {
        if (is_offset(static_cast<std::size_t>(k))) g(row, k) = 1;
        g(row, k) *= unit[k];
      }
      const double dx = i > 0 ? test.motion.position[i] - test.motion.position[i - 1] : 0;
      const double slope = dx != 0 ? (force[i] - force[i - 1]) / dx : 0;
      const double square = noise * noise + slope * slope * limits.resolution * limits.resolution / 12;
      g.row(row) *= std::sqrt(std::max(recorded, 1.0) / std::max(square, 1e-300));
    }
    if (!g.allFinite()) return after;
    information.noalias() += g.transpose() * g;
  }
  // On one scale, and no direction is dropped: a parameter that the test does not excite keeps a large error, not none.
  const Eigen::VectorXd scale = information.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const SymmetricModes modes = symmetric_modes(scale.asDiagonal() * information * scale.asDiagonal());
  for (Eigen::Index k = 0; k < p; ++k) {
    double variance = 0;
    for (Eigen::Index m = 0; m < p; ++m)
      variance += std::pow(scale[k] * modes.vectors(k, m), 2) / std::max(modes.values[m], 1e-14);
    if (std::isfinite(variance)) after[static_cast<std::size_t>(k)] = std::sqrt(variance) * unit[k];
  }
  return after;
}

std::vector<std::string> test_advice(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                     const Confidence& confidence, const FitData& data) {
  std::vector<std::string> advice;
  const AxisLimits limits = axis_limits(sets);
  std::vector<std::size_t> weak;
  for (std::size_t k = 0; k < space.size(); ++k) {
    const Estimate& e = confidence.estimates[k];
    const Unknown& u = space.unknowns()[k];
    const bool is_small = std::fabs(e.value) + 2 * e.standard_error < 0.02 * data.scales.force && is_force(u.role);
    const bool has_no_meaning = e.key.find("coefficients") != std::string::npos;
    // A private number is that of a unit; only a test of that unit would tell more of it.
    if (e.verdict != Determination::well_determined && u.role != ParameterRole::offset && !is_small &&
        !has_no_meaning && !space.is_own(k))
      weak.push_back(k);
  }
  if (weak.empty()) return advice;
  const auto plain = [](const std::string& key) { return key.starts_with("chain.") ? key.substr(6) : key; };
  const auto unit_of = [&](std::size_t k) {
    return limits.rotary ? rotary(space.unknowns()[k].unit) : space.unknowns()[k].unit;
  };
  // How much wider than those of white errors the intervals are, by the middle one.
  std::vector<double> ratios;
  const ModelResiduals residuals(space, data);
  const Confidence white = fit_confidence(residuals, found);
  for (std::size_t k = 0; k < space.size() && k < white.estimates.size(); ++k)
    if (white.estimates[k].standard_error > 0 && std::isfinite(confidence.estimates[k].standard_error))
      ratios.push_back(confidence.estimates[k].standard_error / white.estimates[k].standard_error);
  std::sort(ratios.begin(), ratios.end());
  const double wider =
      (ratios.empty() ? 1 : std::max(1.0, ratios[ratios.size() / 2])) *
      std::sqrt(correlation_time(found.residuals.head(static_cast<Eigen::Index>(residuals.samples()))));
  const std::vector<ProposedTest> tests = tests_within(limits, space, found, data);
  std::vector<std::vector<double>> after;
  for (const ProposedTest& t : tests)
    after.push_back(errors_after(t, limits, space, found, confidence, confidence.noise * wider));
  const auto special = [&](const std::string& key) -> std::string {
    if (key.find('(') != std::string::npos)
      return "cover the range of that quantity evenly, with motion in both directions at each value";
    if (key.ends_with("backlash")) return "reverse slowly, several times, with full strokes in between";
    if (key.ends_with("lag"))
      return "record reversals at a higher sampling rate; now it is " + with_unit(1 / limits.sampling_time, "Hz", 2);
    return {};
  };
  std::vector<std::pair<std::string, std::string>> apart;  // what to do, for which
  // The best test for each weak parameter; parameters with the same test share a sentence.
  std::vector<std::pair<std::size_t, std::string>> said;  // test, parameters
  std::vector<std::pair<std::size_t, std::string>>
      excited;  // those that are open now: (1) is local, and promises nothing of them
  std::string none;
  for (const std::size_t k : weak) {
    const Estimate& e = confidence.estimates[k];
    const double half = 0.5 * (e.high - e.low);  // as the parameter table shows it
    const bool is_known = (e.verdict == Determination::well_determined || e.verdict == Determination::weak) &&
                          std::isfinite(e.standard_error) && std::isfinite(half);
    if (const std::string words = special(e.key); !words.empty()) {
      const auto same = std::find_if(apart.begin(), apart.end(), [&](const auto& a) { return a.first == words; });
      if (same != apart.end())
        same->second += ", " + plain(e.key);
      else
        apart.emplace_back(words, plain(e.key));
      continue;
    }
    std::size_t best = tests.size();
    for (std::size_t t = 0; t < tests.size(); ++t)
      if (best == tests.size() || after[t][k] < after[best][k]) best = t;
    for (std::size_t t = 0; t < tests.size(); ++t)  // the shortest of those that are nearly as good
      if (best < tests.size() && after[t][k] < nearly_as_good * after[best][k] &&
          tests[t].duration < tests[best].duration)
        best = t;
    const bool helps = best < tests.size() && std::isfinite(after[best][k]) &&
                       (is_known ? 1.96 * after[best][k] < worth_it * half : after[best][k] < 0.5 * std::fabs(e.value));
    if (!helps || e.verdict == Determination::at_bound) {
      none += (none.empty() ? "" : ", ") + plain(e.key);
      continue;
    }
    const std::string words = is_known ? plain(e.key) + " to ± " + with_unit(1.96 * after[best][k], unit_of(k), 2) +
                                             " from ± " + with_unit(half, unit_of(k), 2)
                                       : plain(e.key);
    auto& list = is_known ? said : excited;
    const auto same = std::find_if(list.begin(), list.end(), [&](const auto& s) { return s.first == best; });
    if (same != list.end())
      same->second += ", " + words;
    else
      list.emplace_back(best, words);
  }
  for (const auto& [test, words] : said)
    advice.push_back(tests[test].words + " (" + with_unit(tests[test].duration, "s", 2) + "): would narrow " + words);
  for (const auto& [test, words] : excited)
    advice.push_back(tests[test].words + " (" + with_unit(tests[test].duration, "s", 2) + "): would tell most of " +
                     words + "; to what width cannot be said, since this recording leaves " +
                     (words.find(',') == std::string::npos ? "it" : "them") + " open");
  for (const auto& [words, keys] : apart) advice.push_back(keys + ": " + words);
  if (!none.empty())
    advice.push_back(none + ": no test within the speeds and strokes of this recording identifies " +
                     (none.find(',') == std::string::npos ? "it" : "them") +
                     "; fix a known value (--fix), or choose a model without");
  return advice;
}

}  // namespace stickslip::inline identification
