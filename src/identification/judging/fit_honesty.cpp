#include "identification/judging/fit_honesty.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "core/normal_equations.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline identification {

namespace {

/// dvalue/dy.
double value_slope(const Unknown& u, double y) { return u.scale == Scale::logarithmic ? u.value(y) : u.typical; }

bool is_at_bound(const Unknown& u, double y) {
  const double margin = 1e-7 * std::max(1.0, std::fabs(y));
  return y <= u.lowest() + margin || y >= u.highest() - margin;
}

std::size_t bound_samples(const Eigen::VectorXd& errors) {
  std::size_t n = 0;
  for (Eigen::Index i = 0; i < errors.size(); ++i) n += errors[i] != 0;
  return n;
}

/// Σ e_i e_{i+k}/Σ e².
double correlation_at(const Eigen::VectorXd& e, Eigen::Index lag, double square) {
  return e.head(e.size() - lag).dot(e.tail(e.size() - lag)) / square;
}

/// The sum of (2) and the lag at which it ends.
struct PositiveCorrelation {
  double sum = 1;
  std::size_t lags = 0;
};
PositiveCorrelation positive_correlation(const Eigen::VectorXd& errors) {
  PositiveCorrelation found;
  const double square = errors.squaredNorm();
  if (!(square > 0)) return found;
  const Eigen::Index most = errors.size() / 10;
  for (Eigen::Index k = 1; k + 1 <= most; k += 2) {
    const double pair = correlation_at(errors, k, square) + correlation_at(errors, k + 1, square);
    if (pair < 0) break;
    found.sum += 2 * pair;
    found.lags = static_cast<std::size_t>(k) + 1;
  }
  return found;
}

/// σ² of (1), n − p at least 1.
double noise_square(const Eigen::VectorXd& errors, std::size_t parameters) {
  const double n = static_cast<double>(bound_samples(errors));
  return errors.squaredNorm() / std::max(n - static_cast<double>(parameters), 1.0);
}

std::vector<std::string> keys_of(const ModelSpace& space) {
  std::vector<std::string> keys;
  for (const Unknown& u : space.unknowns()) keys.push_back(u.key);
  return keys;
}
std::vector<double> values_of(const ModelSpace& space, const std::vector<double>& y) {
  std::vector<double> values;
  for (std::size_t k = 0; k < y.size(); ++k) values.push_back(space.unknowns()[k].value(y[k]));
  return values;
}

std::string bytes_of(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}
std::vector<double> numbers_in(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

}  // namespace

void for_each_fit(const ManyFits& how, std::size_t fits, const std::function<std::vector<double>(std::size_t)>& fit,
                  const std::function<void(std::size_t, std::vector<double>)>& take) {
  Threads here(how.threads);
  Workers& workers = how.workers ? *how.workers : here;
  workers.share(
      fits, Audience::all,
      [&](std::size_t i) -> std::optional<std::string> {
        if (how.cancel && how.cancel->load(std::memory_order_relaxed)) return std::nullopt;
        return bytes_of(fit(i));
      },
      [&](std::size_t i, std::string_view bytes) { take(i, numbers_in(bytes)); });
}

void drop_rest(const ModelResiduals& residuals, Eigen::MatrixXd& slopes) {
  const std::vector<bool> rest = residuals.resting();
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i]) slopes.row(static_cast<Eigen::Index>(i)).setZero();
}

/// Sums over a sliding window weight products k samples apart by 1 − k/M.
Eigen::MatrixXd score_variance(const ModelResiduals& residuals, const std::vector<double>& y,
                               const Eigen::VectorXd& errors, const Eigen::MatrixXd& slopes) {
  const Eigen::Index p = slopes.cols(), n = errors.size();
  const auto length = static_cast<Eigen::Index>(
      std::clamp<std::size_t>(std::max(residuals.filter_length(), 4 * positive_correlation(errors).lags), 1,
                              std::max<std::size_t>(static_cast<std::size_t>(n) / 10, 1)));
  Eigen::MatrixXd variance = Eigen::MatrixXd::Zero(p, p);
  Eigen::VectorXd window = Eigen::VectorXd::Zero(p);
  for (Eigen::Index i = 0; i < n + length; ++i) {
    if (i < n) window += errors[i] * slopes.row(i).transpose();
    if (i >= length) window -= errors[i - length] * slopes.row(i - length).transpose();
    variance.noalias() += window * window.transpose() / static_cast<double>(length);
  }
  // The errors of a fit are orthogonal to each column: windows with a share of the samples vary less by that share.
  const double used = static_cast<double>(bound_samples(errors));
  variance /= std::max(0.5, 1 - static_cast<double>(length) / std::max(used, 1.0));
  // The detection of all releases is delayed by the same cause.
  const std::vector<double> releases = residuals.release_errors(y);
  window.setZero();
  for (std::size_t j = 0; j < releases.size(); ++j)
    window += releases[j] * slopes.row(n + static_cast<Eigen::Index>(j)).transpose();
  variance += window * window.transpose();
  const std::vector<std::size_t>& priors = residuals.priors();
  for (std::size_t j = 0; j < priors.size(); ++j) {
    const auto row = slopes.row(n + static_cast<Eigen::Index>(releases.size() + j));
    variance += std::pow(residuals.space().unknowns()[priors[j]].prior_strength, 2) * row.transpose() * row;
  }
  return variance;
}

std::vector<double> autocorrelation(const Eigen::VectorXd& errors, std::size_t most) {
  std::vector<double> found;
  const double square = errors.squaredNorm();
  for (std::size_t k = 1; k <= most && static_cast<Eigen::Index>(k) < errors.size(); ++k)
    found.push_back(square > 0 ? correlation_at(errors, static_cast<Eigen::Index>(k), square) : 0);
  return found;
}

double correlation_time(const Eigen::VectorXd& errors) { return std::max(positive_correlation(errors).sum, 1.0); }

double chi_squared_beyond(double x, double degrees) {
  // Regularised incomplete gamma function Q(a, z): a series below a + 1, a continued fraction above.
  const double a = 0.5 * degrees, z = 0.5 * x;
  if (!(z > 0)) return 1;
  const double front = std::exp(a * std::log(z) - z - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a, sum = term;
    for (int i = 1; i < 1000 && term > 1e-17 * sum; ++i) term *= z / (a + i), sum += term;
    return 1 - front * sum;
  }
  double b = z + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 1000; ++i) {
    const double n = -i * (i - a);
    b += 2;
    d = 1 / (n * d + b);
    c = b + n / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

double whiteness(const Eigen::VectorXd& errors, std::size_t lags) {
  const double n = static_cast<double>(errors.size());
  const auto rho = autocorrelation(errors, lags);
  double q = 0;
  for (std::size_t k = 0; k < rho.size(); ++k) q += rho[k] * rho[k] / (n - static_cast<double>(k + 1));
  return chi_squared_beyond(n * (n + 2) * q, static_cast<double>(rho.size()));
}

namespace {

/// A column of slopes for every unknown: one that is held, whose bounds are equal, has none in a fit.
Eigen::MatrixXd columns_of_all(const ModelSpace& space, const Eigen::MatrixXd& slopes) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(slopes.rows(), static_cast<Eigen::Index>(space.size()));
  Eigen::Index from = 0;
  for (std::size_t k = 0; k < space.size(); ++k)
    if (const Unknown& u = space.unknowns()[k]; u.lowest() != u.highest())
      all.col(static_cast<Eigen::Index>(k)) = slopes.col(from++);
  return all;
}

/// The inputs of (1) or (6), and τ where it is part of the cost.
struct Seen {
  Sensitivity sensitivity;
  double inflation = 1;
  std::vector<double> next;  // correlation of successive errors
};
std::optional<Seen> seen_by(const ModelResiduals& residuals, const ModelFit& found, double white_noise) {
  const auto& unknowns = residuals.space().unknowns();
  const auto p = static_cast<Eigen::Index>(unknowns.size());
  ModelFit here = follow(residuals, found.y, {.most_steps = 0});
  if (!std::isfinite(here.cost)) return {};
  if (here.slopes.cols() < p) here.slopes = columns_of_all(residuals.space(), here.slopes);
  Eigen::MatrixXd& slopes = here.slopes;
  Seen out;
  Sensitivity& seen = out.sensitivity;
  seen.keys = keys_of(residuals.space());
  seen.values = values_of(residuals.space(), found.y);
  for (Eigen::Index k = 0; k < p; ++k) {
    const auto i = static_cast<std::size_t>(k);
    slopes.col(k) /= value_slope(unknowns[i], found.y[i]);
    seen.at_bound.push_back(is_at_bound(unknowns[i], found.y[i]));
  }
  const Eigen::VectorXd errors = here.residuals.head(static_cast<Eigen::Index>(residuals.samples()));
  out.inflation = correlation_time(errors);
  if (residuals.truly_sticks()) {
    drop_rest(residuals, slopes);
    seen.scores = score_variance(residuals, found.y, errors, slopes);
    seen.white_noise = white_noise;
    out.inflation = 1;
  }
  seen.products.noalias() = slopes.transpose() * slopes;
  seen.cost = out.inflation * errors.squaredNorm();
  seen.rows = bound_samples(errors);
  out.next = autocorrelation(errors, 1);
  return out;
}

}  // namespace

Confidence fit_confidence(const ModelResiduals& residuals, const ModelFit& found, double white_noise) {
  const auto seen = seen_by(residuals, found, white_noise);
  if (!seen) return {};
  Confidence c = confidence(seen->sensitivity);
  c.noise /= std::sqrt(seen->inflation);
  c.correlation = seen->next.empty() ? 0 : seen->next[0];
  return c;
}

Eigen::VectorXd error_strengths(const ModelResiduals& residuals, const ModelFit& found, double white_noise) {
  const auto seen = seen_by(residuals, found, white_noise);
  if (!seen) return {};
  const Sensitivity& s = seen->sensitivity;
  const Eigen::Index p = s.products.rows();
  double free = 0;
  for (Eigen::Index k = 0; k < p; ++k) free += !s.at_bound[static_cast<std::size_t>(k)] && s.products(k, k) > 0;
  const double variance = s.cost / std::max(static_cast<double>(s.rows) - free, 1.0);
  Eigen::VectorXd strengths = Eigen::VectorXd::Constant(p, variance);
  if (s.scores.size() == 0 || !(variance > 0)) return strengths;
  const double least = std::min(variance, s.white_noise * s.white_noise);
  for (Eigen::Index k = 0; k < p; ++k)
    if (s.products(k, k) > 0) strengths[k] = std::max(least, s.scores(k, k) / s.products(k, k));
  return strengths;
}

void draw_priors(ModelResiduals& residuals, const std::vector<double>& truth, Random& random) {
  std::vector<double> means;
  for (const std::size_t k : residuals.priors()) {
    const Unknown& u = residuals.space().unknowns()[k];
    means.push_back(u.value(truth[k]) + u.prior_error * random.normal());
  }
  residuals.believe(std::move(means));
}

Confidence fit_bootstrap(const ModelResiduals& residuals, const ModelFit& found, std::size_t repetitions,
                         std::uint64_t seed, const ManyFits& how) {
  const ModelSpace& space = residuals.space();
  Eigen::VectorXd r;
  Confidence out;
  if (repetitions < 2 || !residuals(found.y, r)) return out;
  const std::size_t n = residuals.samples();
  const Eigen::VectorXd errors = r.head(static_cast<Eigen::Index>(n));
  const std::vector<double> measured = residuals.measured();
  // Samples without an error (at rest, left out) are not exchanged.
  std::vector<std::size_t> bound;
  for (std::size_t i = 0; i < n; ++i)
    if (errors[static_cast<Eigen::Index>(i)] != 0) bound.push_back(i);
  const std::size_t count = bound.size();
  if (count == 0) return out;
  const auto block = std::clamp<std::size_t>(static_cast<std::size_t>(3 * correlation_time(errors)), 1, count / 4 + 1);
  const double swell = std::sqrt(static_cast<double>(count) /
                                 std::max(1.0, static_cast<double>(count) - static_cast<double>(space.size())));
  const auto p = static_cast<Eigen::Index>(space.size());
  const ChordFit refit(residuals, found.y);
  std::vector<std::optional<Eigen::VectorXd>> tried(repetitions);
  const auto repeated = [&](std::size_t b) -> std::optional<Eigen::VectorXd> {
    Random random(seed * 1000003 + b);
    std::vector<double> force = measured;
    for (std::size_t i = 0; i < count; i += block) {
      const std::size_t source = random.below(count - block + 1);
      for (std::size_t k = 0; k < block && i + k < count; ++k)
        force[bound[i + k]] = measured[bound[i + k]] - errors[static_cast<Eigen::Index>(bound[i + k])] +
                              swell * errors[static_cast<Eigen::Index>(bound[source + k])];
    }
    ModelResiduals again = residuals;
    again.measure(std::move(force));
    draw_priors(again, found.y, random);
    const ModelFit fit = refit(again, {.most_steps = 12, .least_gain = 1e-7});
    if (!std::isfinite(fit.cost)) return std::nullopt;
    const auto values = values_of(space, fit.y);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), p);
  };
  for_each_fit(
      how, repetitions,
      [&](std::size_t b) {
        const auto values = repeated(b);
        return values ? std::vector<double>(values->data(), values->data() + p) : std::vector<double>();
      },
      [&](std::size_t b, const std::vector<double>& values) {
        if (!values.empty()) tried[b] = Eigen::Map<const Eigen::VectorXd>(values.data(), p);
      });
  std::vector<Eigen::VectorXd> drawn;
  for (const auto& t : tried)
    if (t) drawn.push_back(*t);
  if (drawn.size() < 2) return out;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(p);
  for (const auto& v : drawn) mean += v;
  mean /= static_cast<double>(drawn.size());
  Confidence raw;
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(p, p);
  for (const auto& v : drawn) spread += (v - mean) * (v - mean).transpose();
  spread /= static_cast<double>(drawn.size() - 1);
  raw.covariance = covariance_of(spread);
  raw.noise = std::sqrt(noise_square(errors, space.size()));
  raw.correlation = autocorrelation(errors, 1).empty() ? 0 : autocorrelation(errors, 1)[0];
  out = transformed(raw, keys_of(space), values_of(space, found.y), Eigen::MatrixXd::Identity(p, p));
  if (drawn.size() < 40) return out;  // too few for a share of 2.5 %: ± 1.96 standard errors
  for (Eigen::Index k = 0; k < p; ++k) {
    std::vector<double> column;
    for (const auto& v : drawn) column.push_back(v[k]);
    std::sort(column.begin(), column.end());
    const double last = static_cast<double>(column.size() - 1);
    out.estimates[static_cast<std::size_t>(k)].low = column[static_cast<std::size_t>(0.025 * last)];
    out.estimates[static_cast<std::size_t>(k)].high = column[static_cast<std::size_t>(std::ceil(0.975 * last))];
  }
  return out;
}

Eigen::MatrixXd inverse_products(const ModelResiduals& residuals, const ModelFit& found) {
  const auto& unknowns = residuals.space().unknowns();
  const auto p = static_cast<Eigen::Index>(unknowns.size());
  ModelFit here = follow(residuals, found.y, {.most_steps = 0});
  if (!std::isfinite(here.cost)) return {};
  if (residuals.truly_sticks()) drop_rest(residuals, here.slopes);
  Eigen::VectorXd length(p);
  for (Eigen::Index k = 0; k < p; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (is_at_bound(unknowns[i], found.y[i])) here.slopes.col(k).setZero();
    here.slopes.col(k) /= value_slope(unknowns[i], found.y[i]);
    length[k] = here.slopes.col(k).norm();
    if (length[k] > 0) here.slopes.col(k) /= length[k];
  }
  const SymmetricModes modes = symmetric_modes(here.slopes.transpose() * here.slopes);
  const Eigen::VectorXd inverse = modes.values.cwiseMax(1e-15).cwiseInverse();
  Eigen::MatrixXd out = modes.vectors * inverse.asDiagonal() * modes.vectors.transpose();
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < p; ++j)
      out(i, j) = length[i] > 0 && length[j] > 0 ? out(i, j) / (length[i] * length[j]) : 0;
  return out;
}

Profile fit_profile(const ModelResiduals& residuals, const ModelFit& found, const Confidence& confidence,
                    const std::string& key, const std::atomic<bool>* cancel) {
  const ModelSpace& space = residuals.space();
  const auto index = space.find(key);
  if (!index) {
    std::vector<std::string> keys = keys_of(space);
    throw Error(space.model().description().name + ": " + no_such("free parameter", key, keys));
  }
  const std::size_t k = *index;
  const auto row = static_cast<Eigen::Index>(k);
  const Unknown& u = space.unknowns()[k];
  Eigen::VectorXd r;
  residuals(found.y, r);
  const Eigen::VectorXd errors = r.head(static_cast<Eigen::Index>(residuals.samples()));
  const double value = u.value(found.y[k]);
  const Eigen::MatrixXd inverse = inverse_products(residuals, found);
  const bool has_curvature = inverse.size() > 0 && inverse(row, row) > 0;
  double error = confidence.estimates[k].standard_error;
  // J of one standard error; for one without, that of the median of the others
  double unit = noise_square(errors, space.size()) * correlation_time(errors);
  if (has_curvature && error > 0 && std::isfinite(error)) {
    unit = error * error / inverse(row, row);
  } else if (inverse.size() > 0) {
    std::vector<double> units{unit};
    for (Eigen::Index j = 0; j < inverse.rows(); ++j) {
      const double s = confidence.estimates[static_cast<std::size_t>(j)].standard_error;
      if (inverse(j, j) > 0 && s > 0 && std::isfinite(s)) units.push_back(s * s / inverse(j, j));
    }
    std::sort(units.begin(), units.end());
    unit = std::max(unit, units[units.size() / 2]);
  }
  if (!(error > 0) || !std::isfinite(error) || error > std::fabs(value))
    error = 0.3 * std::max(std::fabs(value), 1e-3 * u.typical);
  Profile out;
  out.key = key;
  out.points.push_back({value, found.cost});
  bool ends[2] = {false, false};
  constexpr double far_beyond = 4;  // standard errors
  const auto distance_of = [&](const ModelFit& fit) { return std::sqrt(std::max(fit.cost - found.cost, 0.0) / unit); };
  // Outwards on each side until two standard errors are certainly passed; each point starts where the curvature and its neighbour predict
  // the others.
  for (const double side : {-1.0, 1.0}) {
    std::vector<double> y = found.y;
    double edge = side < 0 ? u.low : u.high, before = value, before_distance = 0;
    for (int i = 1; i <= 9; ++i) {
      if (cancel && cancel->load(std::memory_order_relaxed)) break;
      const double at = value + side * error * (i <= 3 ? i : 3 * std::pow(2.0, i - 3));
      if (at <= u.low || at >= u.high) break;
      for (std::size_t j = 0; has_curvature && j < y.size(); ++j) {
        const Unknown& other = space.unknowns()[j];
        const double moved =
            other.value(y[j]) + (at - before) * inverse(static_cast<Eigen::Index>(j), row) / inverse(row, row);
        if (j != k && moved > other.low && moved < other.high) y[j] = other.coordinate(moved);
      }
      y[k] = u.coordinate(at);
      const ModelFit fit = follow(residuals, y, {.most_steps = 20, .least_gain = 1e-8, .last_slopes = false}, k);
      if (!std::isfinite(fit.cost)) break;
      out.points.push_back({at, fit.cost});
      double beyond = at, distance = distance_of(fit);
      if (distance < 1.96) {
        y = fit.y, before = at, before_distance = distance;
        continue;
      }
      // A cost that is flat and then steep (a force at rest below the breakaway level) ends between the points.
      for (int halving = 0; halving < 6 && distance > far_beyond; ++halving) {
        const double middle = 0.5 * (before + beyond);
        y[k] = u.coordinate(middle);
        const ModelFit half = follow(residuals, y, {.most_steps = 20, .least_gain = 1e-8, .last_slopes = false}, k);
        if (!std::isfinite(half.cost)) break;
        out.points.push_back({middle, half.cost});
        const double there = distance_of(half);
        if (there < 1.96)
          y = half.y, before = middle, before_distance = there;
        else
          beyond = middle, distance = there;
      }
      edge = before + (beyond - before) * (1.96 - before_distance) / (distance - before_distance);
      ends[side > 0] = true;
      break;
    }
    (side < 0 ? out.low : out.high) = edge;
  }
  out.ends_below = ends[0], out.ends_above = ends[1];
  std::sort(out.points.begin(), out.points.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return out;
}

std::string shape_of(const Profile& p, double value) {
  if (!p.ends_below && !p.ends_above) return "flat: not identifiable from this recording";
  if (!p.ends_below) return "open below: only an upper bound is known";
  if (!p.ends_above) return "open above: only a lower bound is known";
  const double below = value - p.low, above = p.high - value;
  const double ratio = std::max(below, above) / std::max(std::min(below, above), 1e-300);
  if (ratio < 1.3) return "a parabola";
  return std::string("skewed: reaches ") + significant(ratio, 2) + " times as far " + (above > below ? "up" : "down");
}

void widen_to_profiles(Confidence& confidence, const std::vector<Profile>& profiles) {
  for (const Profile& p : profiles)
    for (Estimate& e : confidence.estimates) {
      if (e.key != p.key || p.points.size() < 2) continue;
      e.low = std::min(e.low, p.low), e.high = std::max(e.high, p.high);
      const double widest = 1.96 * ConfidenceOptions{}.weak_share * std::fabs(e.value);
      if (e.verdict == Determination::well_determined && !(std::max(e.high - e.value, e.value - e.low) <= widest))
        e.verdict = Determination::weak;
    }
}

std::vector<Profile> fit_profiles(const ModelResiduals& residuals, const ModelFit& found, const Confidence& confidence,
                                  const std::vector<std::string>& keys, const ManyFits& how) {
  std::vector<Profile> profiles(keys.size());
  // cancelled or not, each is made: one that is cancelled ends early
  for_each_fit(
      {how.threads, how.workers, nullptr}, keys.size(),
      [&](std::size_t i) {
        const ModelResiduals own = residuals;  // it uses memory of its own
        const Profile p = fit_profile(own, found, confidence, keys[i], how.cancel);
        std::vector<double> numbers{p.low, p.high, p.ends_below ? 1.0 : 0.0, p.ends_above ? 1.0 : 0.0};
        for (const ProfilePoint& point : p.points) numbers.push_back(point.value), numbers.push_back(point.cost);
        return numbers;
      },
      [&](std::size_t i, const std::vector<double>& numbers) {
        Profile& p = profiles[i];
        p.key = keys[i], p.low = numbers[0], p.high = numbers[1];
        p.ends_below = numbers[2] != 0, p.ends_above = numbers[3] != 0;
        for (std::size_t k = 4; k + 1 < numbers.size(); k += 2) p.points.push_back({numbers[k], numbers[k + 1]});
      });
  std::erase_if(profiles, [](const Profile& p) { return p.key.empty(); });  // left out
  return profiles;
}

}  // namespace stickslip::inline identification
