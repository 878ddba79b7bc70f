#include "identification/judging/mass_share.hpp"

#include <algorithm>
#include <cmath>

#include "core/normal_equations.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/judging/fit_honesty.hpp"
#include "recording/preparation/derivative_noise.hpp"
#include "recording/preparation/other_readings.hpp"

namespace stickslip::inline identification {

namespace {

/// All pieces with this additional mass subtracted.
Sets with_more_mass(const Sets& sets, double more) {
  Sets other = sets;
  for (Piece& piece : other.pieces) {
    for (std::size_t i = 0; i < piece.data.size(); ++i) piece.data.force[i] -= more * piece.data.acceleration[i];
    piece.data.used.mass += more;
  }
  return other;
}

/// The mass whose inertial force has a hundredth of the force's standard deviation.
double small_mass(const Sets& sets, const ModelFit& found) {
  double squares = 0, count = 0;
  for (const Piece& piece : sets.pieces)
    for (const double a : piece.data.acceleration) squares += a * a, count += 1;
  const double errors =
      found.residuals.squaredNorm() / std::max<double>(1, static_cast<double>(found.residuals.size()));
  return squares > 0 ? 0.2 * std::sqrt(errors / (squares / count)) : 0;
}

/// The force read this much later: along the motion of that much earlier, (5).
Sets with_later_force(const Sets& sets, double lag) {
  Sets other = sets;
  for (Piece& piece : other.pieces) {
    Prepared& d = piece.data;
    const std::vector<double> a = d.acceleration;
    const std::size_t n = d.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t before = i > 0 ? i - 1 : 0, after = i + 1 < n ? i + 1 : i;
      const double jerk = (a[after] - a[before]) / (d.sampling_time * static_cast<double>(after - before));
      const double x = d.position[i], moved = -lag * d.velocity[i] + 0.5 * lag * lag * a[i];
      d.position[i] = x + moved;
      d.velocity[i] += -lag * a[i] + 0.5 * lag * lag * jerk;
      d.acceleration[i] -= lag * jerk;
      d.force[i] += d.used.mass * lag * jerk;
      if (d.used.load.is_given()) d.force[i] -= d.used.load.at(d.position[i]) - d.used.load.at(x);
    }
  }
  return other;
}

/// The force with an additional level that falls with speed, (6).
Sets with_falling_level(const Sets& sets, double height, double v0) {
  Sets other = sets;
  for (Piece& piece : other.pieces)
    for (std::size_t i = 0; i < piece.data.size(); ++i) {
      const double v = piece.data.velocity[i];
      piece.data.force[i] += (v > 0 ? height : v < 0 ? -height : 0) * std::exp(-std::fabs(v) / v0);
    }
  return other;
}

/// A tenth of the estimation samples away from rest and reversals are slower than this.
double slow_speed(const Sets& sets, const FitData& base) {
  std::vector<double> speeds;
  for (std::size_t k = 0; k < base.pieces.size(); ++k) {
    const FitPiece& p = base.pieces[k];
    for (const Stretch& s : p.estimation.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i)
        if (!p.may_rest[i] && (p.blurred.empty() || !p.blurred[i]))
          speeds.push_back(std::fabs(sets.pieces[k].data.velocity[i]));
  }
  if (speeds.empty()) return 0;
  const auto tenth = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 10);
  std::nth_element(speeds.begin(), tenth, speeds.end());
  return *tenth;
}

/// The lag at which mass times jerk is a fifth of the force's own scatter, at most a sample.
double small_lag(const Sets& sets, const ModelFit& found) {
  double squares = 0, count = 0, longest = 0;
  for (const Piece& piece : sets.pieces) {
    const Prepared& d = piece.data;
    for (std::size_t i = 1; i < d.size(); ++i)
      squares += std::pow(d.used.mass * (d.acceleration[i] - d.acceleration[i - 1]) / d.sampling_time, 2), count += 1;
    longest = std::max(longest, d.sampling_time);
  }
  const double errors =
      found.residuals.squaredNorm() / std::max<double>(1, static_cast<double>(found.residuals.size()));
  return squares > 0 ? std::min(longest, 0.2 * std::sqrt(errors / (squares / count))) : 0;
}

/// `data` with the samples that count in `base`.
FitData with_samples_of(const FitData& base, FitData data) {
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    data.pieces[k].blurred = base.pieces[k].blurred;
    data.pieces[k].may_rest = base.pieces[k].may_rest;
    data.pieces[k].settled = base.pieces[k].settled;
    data.pieces[k].estimation = base.pieces[k].estimation;
    data.pieces[k].validation = base.pieces[k].validation;
    data.pieces[k].test = base.pieces[k].test;
    data.pieces[k].releases = base.pieces[k].releases;
  }
  return data;
}

/// Derivative of the residuals by the uncertain quantity, for a fixed law; `with(δ)` is the recording with it changed by δ.
template <class With>
std::optional<Eigen::VectorXd> column_of(const ModelSpace& space, const ModelFit& found, const FitData& base,
                                         double step, const With& with) {
  Eigen::VectorXd either[2];
  for (const int side : {0, 1}) {
    const FitData data = with_samples_of(base, fit_data(with(side == 0 ? -step : step)));
    if (!ModelResiduals(space, data)(found.y, either[side])) return std::nullopt;
  }
  return (either[1] - either[0]) / (2 * step);
}

/// How the residuals change with noise of this variance times `factor`²: a force of that size and either sign, sample by sample.
std::optional<Eigen::VectorXd> noise_column(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                            const FitData& base, double DerivativeNoise::*variance, double factor) {
  std::vector<double> sizes;
  for (const Piece& piece : sets.pieces) sizes.push_back(factor * std::sqrt(derivative_noise(piece.data).*variance));
  if (!(*std::max_element(sizes.begin(), sizes.end()) > 0)) return std::nullopt;
  constexpr double small = 0.01;  // of it: the weights of the samples stay what they are
  return column_of(space, found, base, small, [&](double more) {
    Sets other = sets;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      Random random(7);
      for (double& force : other.pieces[k].data.force) force += more * (random.uniform() < 0.5 ? -sizes[k] : sizes[k]);
    }
    return other;
  });
}

/// The load of height 1 behind each number of a load over position: sine and cosine of each wave, then the knots but the first.
double load_term(const AdditiveLoad& load, std::size_t term, double position) {
  if (term < 2 * load.waves.size()) {
    const double angle = load.waves[term / 2].wave_number * position;
    return term % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
  AdditiveLoad hat{.knots = load.knots, .values = std::vector<double>(load.knots.size(), 0.0)};
  hat.values[term - 2 * load.waves.size() + 1] = 1;
  return hat.at(position);
}
std::size_t load_terms(const AdditiveLoad& load) {
  const std::size_t terms = 2 * load.waves.size() + (load.knots.empty() ? 0 : load.knots.size() - 1);
  return terms > most_load_terms ? 0 : terms;
}
Sets with_more_load(const Sets& sets, std::size_t term, double height) {
  Sets other = sets;
  for (Piece& piece : other.pieces)
    for (std::size_t i = 0; i < piece.data.size(); ++i)
      piece.data.force[i] -= height * load_term(piece.data.used.load, term, piece.data.position[i]);
  return other;
}

/// Uncertain quantities, from which the examined one cannot be separated: ∂r of each, and its standard deviation (0: not known).
struct Beside {
  std::vector<Eigen::VectorXd> columns;
  std::vector<double> prior_errors;
  void add(std::optional<Eigen::VectorXd> column, double prior_error) {
    if (column) columns.push_back(std::move(*column)), prior_errors.push_back(prior_error);
  }
};

/// The heights of the loads that were found.
Beside uncertain_loads(const Sets& sets, const ModelSpace& space, const ModelFit& found, const FitData& base) {
  Beside loads;
  const AdditiveLoad& load = sets.pieces.front().data.used.load;
  const double step =
      std::sqrt(found.residuals.squaredNorm() / std::max<double>(1, static_cast<double>(found.residuals.size())));
  if (!(step > 0)) return loads;
  for (std::size_t term = 0; term < load_terms(load); ++term)
    loads.add(column_of(space, found, base, step, [&](double more) { return with_more_load(sets, term, more); }), 0);
  return loads;
}

/// [A U] with columns of length 1, and what least squares over all of them says.
struct Linearised {
  Eigen::Index p = 0;  // columns of A
  Eigen::VectorXd length;
  Eigen::MatrixXd products, inverse,
      covariance;                        // of the scaled columns; covariance: the larger of both for each column
  Eigen::VectorXd step;                  // to the least squares, scaled
  double noise_there = 1;                // variance of the errors after that step over that before it
  double noise_share = 0, known_to = 0;  // of what the others leave of the last column, and how well that is known
};
/// Noise in the last column: a column of noise of that size, and how much of it the residuals have (the mass that is subtracted with
/// the acceleration; 0 where they have none).
struct ColumnNoise {
  std::optional<Eigen::VectorXd> column = {};
  double in_residuals = 0;
};

std::optional<Linearised> linearised(const ModelSpace& space, const ModelFit& found, const Confidence& confidence,
                                     const FitData& base, const Beside& more, double repeated = 0,
                                     const ColumnNoise& noisy = {}) {
  const ModelResiduals here(space, base);
  if (more.columns.empty() || space.size() != confidence.estimates.size()) return std::nullopt;
  const auto p = static_cast<Eigen::Index>(space.size()), all = p + static_cast<Eigen::Index>(more.columns.size());
  const ModelFit fit = follow(here, found.y, {.most_steps = 0});
  if (!std::isfinite(fit.cost)) return std::nullopt;
  Eigen::MatrixXd columns(fit.slopes.rows(), all);
  columns.leftCols(p) = fit.slopes;
  for (Eigen::Index k = p; k < all; ++k) {
    const Eigen::VectorXd& column = more.columns[static_cast<std::size_t>(k - p)];
    if (column.size() != columns.rows()) return std::nullopt;
    columns.col(k) = column;
  }
  if (here.truly_sticks()) drop_rest(here, columns);
  double last_noise = 0;  // squared, in the last column
  if (noisy.column && noisy.column->size() == columns.rows()) {
    Eigen::MatrixXd column = *noisy.column;
    if (here.truly_sticks()) drop_rest(here, column);
    last_noise = column.squaredNorm();
  }
  for (Eigen::Index k = 0; k < p; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool stays = confidence.estimates[i].verdict == Determination::at_bound;
    columns.col(k) *= stays ? 0 : 1 / space.unknowns()[i].value_slope(found.y[i]);
  }
  Linearised l;
  l.p = p;
  l.length = columns.colwise().norm();
  if (!(l.length[all - 1] > 0)) return std::nullopt;
  for (Eigen::Index k = 0; k < all; ++k) {
    if (!(l.length[k] > 0)) l.length[k] = 1;
    columns.col(k) /= l.length[k];
  }
  const Eigen::VectorXd errors = fit.residuals.head(static_cast<Eigen::Index>(here.samples()));
  double bound = 0;  // a sample at rest, or left out, gives no information
  for (const double e : errors) bound += e != 0;
  const double noise = std::max(
      repeated, errors.squaredNorm() / std::max(1.0, bound - static_cast<double>(all)) * correlation_time(errors));
  l.products = columns.transpose() * columns;
  for (Eigen::Index k = p; k < all; ++k)
    if (const double prior = more.prior_errors[static_cast<std::size_t>(k - p)]; prior > 0)
      l.products(k, k) += noise / std::pow(prior * l.length[k], 2);
  l.inverse = pseudo_inverse(l.products);
  const Eigen::Index last = all - 1;
  if (last_noise > 0 && l.inverse(last, last) > 0) {
    // Of what the other columns leave of this one, at most half is taken for noise; where it is more, how much is not known.
    const double share = last_noise / std::pow(l.length[last], 2) * l.inverse(last, last);
    l.noise_share = std::min(share, 0.5);
    l.known_to = share < 0.5 ? noise_known_to : 1;
    l.products(last, last) -= l.noise_share / l.inverse(last, last);
    last_noise = l.noise_share / l.inverse(last, last) * std::pow(l.length[last], 2);
    l.inverse = pseudo_inverse(l.products);
  }
  l.covariance = l.inverse * score_variance(here, found.y, errors, columns) * l.inverse;
  for (Eigen::Index k = 0; k < all; ++k) {
    const double least = noise * l.inverse(k, k);
    if (!(l.covariance(k, k) < least)) continue;
    const double factor = l.covariance(k, k) > 0 ? std::sqrt(least / l.covariance(k, k)) : 0;
    l.covariance.col(k) *= factor;
    l.covariance.row(k) *= factor;
    l.covariance(k, k) = least;
  }
  Eigen::VectorXd against = columns.transpose() * fit.residuals;
  against[last] -= noisy.in_residuals * last_noise / l.length[last];
  l.step = -(l.inverse * against);
  Eigen::VectorXd there = errors + (columns * l.step).head(errors.size());
  for (Eigen::Index i = 0; i < there.size(); ++i)
    if (errors[i] == 0) there[i] = 0;
  const double here_noise = errors.squaredNorm() * correlation_time(errors);
  if (here_noise > 0) l.noise_there = std::min(1.0, there.squaredNorm() * correlation_time(there) / here_noise);
  return l;
}

/// Sensitivity of the first n scaled columns to those from `from` on.
Eigen::MatrixXd answers(const Linearised& l, Eigen::Index n, Eigen::Index from) {
  const Eigen::MatrixXd scaled =
      -(pseudo_inverse(l.products.topLeftCorner(n, n)) * l.products.block(0, from, n, l.products.cols() - from));
  return l.length.head(n).cwiseInverse().asDiagonal() * scaled * l.length.tail(l.products.cols() - from).asDiagonal();
}

/// (1) to (3).
template <class With>
std::optional<UncertainShare> share_of(const ModelSpace& space, const ModelFit& found, const Confidence& confidence,
                                       const FitData& base, double prior_error, double step, const With& with,
                                       Beside beside = {}, double repeated = 0, const ColumnNoise& noisy = {}) {
  if (!(step > 0) || space.size() != confidence.estimates.size()) return std::nullopt;
  auto column = column_of(space, found, base, step, with);
  if (!column) return std::nullopt;
  beside.add(std::move(column), 0);
  const auto l = linearised(space, found, confidence, base, beside, repeated, noisy);
  if (!l) return std::nullopt;
  const Eigen::Index last = l->products.cols() - 1;
  const double to_vertex = l->step[last] / l->length[last];
  const double corrected = l->noise_share * (noisy.in_residuals + to_vertex);  // what the noise would have hidden
  const double variance =
      l->covariance(last, last) / std::pow(l->length[last], 2) + std::pow(l->known_to * corrected, 2);
  // Columns that are equal up to rounding give no information, whatever their inverse is.
  const bool is_told = l->inverse(last, last) < 1e10 && l->inverse(last, last) >= 1 - 1e-6;
  const double prior = prior_error * prior_error;
  UncertainShare share;
  if (!is_told || !(variance > 0) || !std::isfinite(variance)) {
    if (!std::isfinite(prior_error)) return std::nullopt;
    share.error = prior_error;
  } else {
    const double both = std::isfinite(prior) ? variance * prior / (variance + prior) : variance;
    share.weight = both / variance;
    share.shift = to_vertex * share.weight;
    share.error = std::sqrt(both);
    share.alone = to_vertex, share.alone_error = std::sqrt(variance * l->noise_there);
  }
  const Eigen::VectorXd all = answers(*l, last, last).col(0);
  share.slopes = all.head(l->p);
  share.mass_slope = last > l->p ? all[last - 1] : 0;  // beside a lag the mass is the last but one
  return share;
}

}  // namespace

std::optional<UncertainShare> mass_share(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                         const Confidence& confidence, const FitData& base, double prior_error,
                                         double repeated) {
  const ColumnNoise noisy{noise_column(sets, space, found, base, &DerivativeNoise::acceleration, 1),
                          sets.pieces.front().data.used.mass};
  return share_of(
      space, found, confidence, base, prior_error, small_mass(sets, found),
      [&](double more) { return with_more_mass(sets, more); }, uncertain_loads(sets, space, found, base), repeated,
      noisy);
}

std::optional<UncertainShare> lag_share(const Sets& as_read, const ModelSpace& space, const ModelFit& found,
                                        const Confidence& confidence, const FitData& as_fitted, double prior_error,
                                        double mass_error, double repeated) {
  // A jump of the force stands beside an acceleration that the low-pass has spread to both sides, also before the jump: it would
  // look early. Seen through the same low-pass, both are as wide.
  Sets sets = as_read;
  for (Piece& piece : sets.pieces) piece.data.force = force_through_low_pass(piece.data);
  const FitData base = with_samples_of(as_fitted, fit_data(sets));
  Beside others = uncertain_loads(sets, space, found, base);
  const std::size_t loads = others.columns.size();
  if (const double step = small_mass(sets, found); mass_error > 0 && step > 0)
    others.add(column_of(space, found, base, step, [&](double more) { return with_more_mass(sets, more); }),
               std::isfinite(mass_error) ? mass_error : 0);
  const bool has_mass = others.columns.size() > loads;
  auto share =
      share_of(space, found, confidence, base, prior_error, small_lag(sets, found),
               [&](double later) { return with_later_force(sets, later); }, std::move(others), repeated,
               {noise_column(sets, space, found, base, &DerivativeNoise::jerk, sets.pieces.front().data.used.mass), 0});
  if (share && !has_mass) share->mass_slope = 0;
  return share;
}

std::optional<Settled> settled_with(const Sets& as_read, const ModelSpace& space, const ModelFit& found,
                                    const Confidence& confidence, const FitData& as_fitted, double mass_error,
                                    double lag_error) {
  Sets sets = as_read;  // as in lag_share
  for (Piece& piece : sets.pieces) piece.data.force = force_through_low_pass(piece.data);
  const FitData base = with_samples_of(as_fitted, fit_data(sets));
  Beside uncertain = uncertain_loads(sets, space, found, base);
  const auto loads = static_cast<Eigen::Index>(uncertain.columns.size());
  const auto add = [&](double error, double step, const auto& with) {
    const std::size_t before = uncertain.columns.size();
    if (error > 0 && step > 0)
      uncertain.add(column_of(space, found, base, step, with), std::isfinite(error) ? error : 0);
    return uncertain.columns.size() > before;
  };
  const bool has_mass =
      add(mass_error, small_mass(sets, found), [&](double more) { return with_more_mass(sets, more); });
  const bool has_lag =
      sets.pieces.front().data.used.mass > 0 &&
      add(lag_error, small_lag(sets, found), [&](double later) { return with_later_force(sets, later); });
  const auto l = linearised(space, found, confidence, base, uncertain);
  if (!l) return std::nullopt;
  const Eigen::VectorXd shift = l->step.cwiseQuotient(l->length).tail(l->step.size() - l->p);
  if (!shift.allFinite()) return std::nullopt;
  Settled settled{.sets = as_read, .data = {}};
  for (Eigen::Index k = 0; k < loads; ++k)
    settled.sets = with_more_load(settled.sets, static_cast<std::size_t>(k), shift[k]);
  if (has_mass) settled.sets = with_more_mass(settled.sets, shift[loads]);
  if (has_lag) settled.sets = with_later_force(settled.sets, shift[shift.size() - 1]);
  settled.data = with_samples_of(as_fitted, fit_data(settled.sets));
  return settled;
}

namespace {

/// (10), as the share of the stated mass.
UncertainShare said_alone(const UncertainShare& share, double lag_error, const JudgedFit& f) {
  constexpr int rounds = 2;
  // A lag that was found with a wrong mass stands for part of the error.
  const Prepared& first = f.sets.pieces.front().data;
  const double lag_known_to = first.used.lag_is_found && lag_error > 0 ? unbounded : lag_error;
  Sets sets = f.sets;
  FitData data = f.base;
  ModelFit fit = f.found;
  const double before = fit.residuals.squaredNorm();
  for (int round = 0; round < rounds; ++round) {
    auto settled = settled_with(sets, f.space, fit, f.confidence, data, unbounded, lag_known_to);
    if (!settled) return share;
    sets = std::move(settled->sets), data = std::move(settled->data);
    fit = follow(ModelResiduals(f.space, data), fit.y);
  }
  const double after = fit.residuals.squaredNorm();
  if (!(before > 0) || !(after < before)) return share;
  const double repeated = f.repeated * after / before;
  auto there = mass_share(sets, f.space, fit, f.confidence, data, unbounded, repeated);
  if (!there || !(there->alone_error > 0)) return share;
  there->alone += sets.pieces.front().data.used.mass - first.used.mass;
  if (lag_error > 0) {  // (8)
    const auto lag = lag_share(sets, f.space, fit, f.confidence, data, lag_known_to, unbounded, repeated);
    if (!lag) return share;
    there->alone_error = std::hypot(there->alone_error, lag->mass_slope * std::hypot(lag->error, lag->shift));
  }
  return *there;
}

}  // namespace

std::string contradicted_mass(const UncertainShare& share, double stated_error, double lag_error, const JudgedFit& f) {
  constexpr double contradiction = 3;
  if (!std::isfinite(stated_error) || !(share.alone_error > 0) ||
      !(std::fabs(share.alone) > contradiction * stated_error))
    return {};
  const UncertainShare there = said_alone(share, lag_error, f);
  const double off = there.alone, error = there.alone_error;
  if (!(std::fabs(off) > contradiction * std::hypot(stated_error, error))) return {};
  const Prepared& data = f.sets.pieces.front().data;
  const std::string unit = data.rotary ? "kg m^2" : "kg";
  return std::string("the stated ") + (data.rotary ? "inertia" : "mass") +
         " contradicts the recording, which alone says " + with_unit(data.used.mass + off, unit, 4) + " ± " +
         with_unit(error, unit, 2) + " (standard deviation) with this law: no parameter counts as well determined; " +
         "doubt the mass (--mass find takes it from the recording), the law, or gain and unit of the force";
}

void widen_by_mass(Confidence& c, const UncertainShare& share, double mass, bool is_rotary) {
  const auto n = static_cast<Eigen::Index>(c.estimates.size());
  Eigen::VectorXd s(n + 1);
  s << share.slopes, 1;
  for (Eigen::Index i = 0; i < n; ++i)
    if (c.estimates[static_cast<std::size_t>(i)].verdict == Determination::at_bound) s[i] = 0;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + 1, n + 1);
  if (c.covariance.size() == c.estimates.size()) all.topLeftCorner(n, n) = matrix_of(c.covariance);
  all += share.error * share.error * s * s.transpose();
  c.estimates.push_back({.key = is_rotary ? "inertia" : "mass", .value = mass});
  c.covariance = covariance_of(all);
  judge(c);
}

std::string lag_remark(const Confidence& before, const UncertainShare& share) {
  std::string most;
  double largest = 0;
  for (std::size_t i = 0; i < before.estimates.size(); ++i) {
    const Estimate& e = before.estimates[i];
    if (!(e.standard_error > 0) || !std::isfinite(e.standard_error)) continue;
    const double ratio = std::fabs(share.slopes[static_cast<Eigen::Index>(i)]) * share.error / e.standard_error;
    if (ratio > largest) largest = ratio, most = e.key;
  }
  if (largest < 0.5) return {};
  if (most.starts_with("chain.")) most.erase(0, 6);
  return "the timing of the force is known only to " + with_unit(share.error, "s", 2) +
         " (standard deviation), which shifts " + most + " by " + significant(largest, 2) +
         " of its standard errors; the intervals include this; --lag states it";
}

void widen_by_lag(Confidence& c, const UncertainShare& share) {
  const auto n = static_cast<Eigen::Index>(share.slopes.size());
  if (c.covariance.size() != static_cast<std::size_t>(n)) return;
  Eigen::VectorXd s = share.slopes;
  for (Eigen::Index i = 0; i < n; ++i)
    if (c.estimates[static_cast<std::size_t>(i)].verdict == Determination::at_bound) s[i] = 0;
  const double variance = share.error * share.error + share.shift * share.shift;
  c.covariance = covariance_of(matrix_of(c.covariance) + variance * s * s.transpose());
  judge(c);
}

void widen_mass_by_lag(Confidence& c, const UncertainShare& lag) {
  const auto n = static_cast<Eigen::Index>(lag.slopes.size());
  if (c.covariance.size() != static_cast<std::size_t>(n) + 1) return;
  Eigen::VectorXd s(n + 1);
  s << lag.slopes, lag.mass_slope;
  for (Eigen::Index i = 0; i < n; ++i)
    if (c.estimates[static_cast<std::size_t>(i)].verdict == Determination::at_bound) s[i] = 0;
  Eigen::MatrixXd more = (lag.error * lag.error + lag.shift * lag.shift) * s * s.transpose();
  more.topLeftCorner(n, n).setZero();  // widen_by_lag has been there
  c.covariance = covariance_of(matrix_of(c.covariance) + more);
  judge(c);
}

std::string widen_by_loads(Confidence& c, const Sets& sets, const ModelSpace& space, const ModelFit& found,
                           const FitData& base) {
  const auto l = linearised(space, found, c, base, uncertain_loads(sets, space, found, base));
  if (!l || c.covariance.size() != c.estimates.size()) return {};
  const Eigen::Index loads = l->products.cols() - l->p;
  const Eigen::VectorXd inverse_length = l->length.tail(loads).cwiseInverse();
  const Eigen::VectorXd more = inverse_length.cwiseProduct(l->step.tail(loads));
  const Eigen::MatrixXd heights =
      inverse_length.asDiagonal() * l->covariance.bottomRightCorner(loads, loads) * inverse_length.asDiagonal();
  const Eigen::MatrixXd slopes = answers(*l, l->p, l->p);
  const Eigen::MatrixXd added = slopes * (heights + more * more.transpose()) * slopes.transpose();
  if (!added.allFinite()) return {};
  std::string most;
  double largest = 0;
  for (Eigen::Index i = 0; i < l->p; ++i) {
    const Estimate& e = c.estimates[static_cast<std::size_t>(i)];
    if (!(e.standard_error > 0) || !std::isfinite(e.standard_error)) continue;
    if (const double ratio = std::sqrt(std::max(0.0, added(i, i))) / e.standard_error; ratio > largest)
      largest = ratio, most = e.key;
  }
  c.covariance = covariance_of(matrix_of(c.covariance) + added);
  judge(c);
  if (largest < 0.5) return {};
  if (most.starts_with("chain.")) most.erase(0, 6);
  return "the load over position was found from the same recording; its uncertainty shifts " + most + " by " +
         significant(largest, 2) + " of its standard errors; the intervals include this";
}

std::string widen_by_falling_level(Confidence& c, const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                   const FitData& base) {
  constexpr double significant_errors = 2;
  const auto level = space.find("coulomb_force");
  if (!level || !space.find("viscosity") || space.find("stribeck_velocity") ||
      !ModelResiduals(space, base).truly_sticks())
    return {};
  const double v0 = 0.5 * slow_speed(sets, base);
  if (!(v0 > 0)) return {};
  const double step = 0.01 * space.unknowns()[*level].value(found.y[*level]);
  auto share = share_of(space, found, c, base, unbounded, step,
                        [&](double height) { return with_falling_level(sets, -height, v0); });
  if (!share || !(std::fabs(share->shift) > significant_errors * share->error)) return {};
  const double off = share->slopes[static_cast<Eigen::Index>(*level)] * share->shift;
  share->error = 0;
  const double before = c.estimates[*level].standard_error;
  widen_by_lag(c, *share);
  if (!(std::fabs(off) > 0.2 * before)) return {};
  return "friction seems to fall with speed near zero (a Stribeck curve), which this law lacks: coulomb_force may be "
         "off by " +
         significant(std::fabs(off) / before, 2) + " of its standard errors; the intervals include this";
}

}  // namespace stickslip::inline identification
