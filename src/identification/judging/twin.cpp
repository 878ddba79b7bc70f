#include "identification/judging/twin.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "identification/judging/drawn_twin.hpp"
#include "identification/judging/hidden_positions.hpp"
#include "identification/judging/twin_repetitions.hpp"
#include "recording/preparation/other_readings.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double most_bandwidth = 0.3;   // ω T, (1)
constexpr double share_of_cutoff = 0.3;  // ω over the low-pass: closer, the twin would move as smoothly as x̂ itself
constexpr std::size_t steps_of_sticking = 4, steps_of_springs = 16;  // per sample

constexpr std::size_t most_twin_samples = 40000;  // for longer recordings the beginning is repeated, see shorter()

/// The part of a set before a sample.
SampleSet before(const SampleSet& set, std::size_t end) {
  SampleSet part;
  for (const Stretch& s : set.stretches())
    if (s.first < end) part.add({s.first, std::min(s.count, end - s.first)});
  return part;
}

/// The beginning of every piece, `most_twin_samples` in total, and its share of the estimation samples.
Sets shorter(const Sets& sets, double& share) {
  std::size_t all = 0, estimating = 0, kept = 0;
  for (const Piece& piece : sets.pieces) all += piece.data.size(), estimating += piece.estimation.count();
  share = 1;
  if (all <= most_twin_samples) return sets;
  Sets out;
  for (const Piece& piece : sets.pieces) {
    const auto count =
        static_cast<std::size_t>(static_cast<double>(piece.data.size()) * most_twin_samples / static_cast<double>(all));
    Piece part;
    part.unit = piece.unit;
    part.estimation = before(piece.estimation, count);
    part.validation = before(piece.validation, count);
    if (count < 64 || part.estimation.empty()) continue;
    part.data = part_of(piece.data, {0, count});
    kept += part.estimation.count();
    out.pieces.push_back(std::move(part));
  }
  share = static_cast<double>(kept) / static_cast<double>(std::max<std::size_t>(estimating, 1));
  return out;
}

/// The motion of the machine, at the samples.
struct Course {
  std::vector<double> position, force;
};

/// Between two samples: values and slopes per sample at both. Straight lines would bend at every sample, where the force is read, and the
/// body reacts to the values in between: an error of (ω T)²/12 of the force, which looks like viscosity, and more by the stiffness of (1).
struct Cubic {
  double from, to, slope_from, slope_to;
  double at(double s) const {
    const double r = 1 - s;
    return r * r * ((1 + 2 * s) * from + s * slope_from) + s * s * ((1 + 2 * r) * to - r * slope_to);
  }
};

/// A piece along a path that its readings hide (hidden_positions.hpp), prepared as they were. The smoothed readings of a slow motion still
/// have the stairs of the encoder: rounded once more they would be what they are, and show nothing of what rounding does.
Prepared followed(const Prepared& data, Random& random) {
  if (!(data.resolution > 0)) return data;
  Prepared other = data;
  other.measured_position = hidden_positions(data.measured_position, data.resolution, random);
  return with_readings(other).value_or(data);
}

/// Which laws a course is of: of true sticking, or of springs, bristles and other memory.
enum class CourseOf { sticking, springs };

/// (1) along a piece that was prepared. A step has m (v₁ − v₀)/h = u − F(v₁): its acceleration is that of its beginning, its friction
/// that of its middle. Read at the beginning, F_v h/2 would count as mass, and as viscosity if speed and acceleration are correlated.
/// So readings are those of the middle of each sample's first step, where the force is F + m (a + a')/2, a' that of the next.
/// The force of a spring is that of the end of a step: read in its middle it would be early by h/2, a damping of σ₀ h/2. So it is the mean of
/// the last step's and this one's.
Course course_of(const Friction& friction, const Chain& chain, const FitPiece& piece, const Prepared& read, CourseOf of,
                 Random& random) {
  Course c;
  const double m = read.used.mass;
  const std::size_t n = read.size();
  if (!(m > 0)) {
    c.position = read.position;
    c.force = predicted(friction, chain, piece, n);
    return c;
  }
  const Prepared data = followed(read, random);
  const bool has_springs = of == CourseOf::springs;
  const std::size_t steps = has_springs ? steps_of_springs : steps_of_sticking;
  const double T = data.sampling_time;
  const double cutoff = std::isfinite(data.used.cutoff_hz) ? 2 * std::numbers::pi * data.used.cutoff_hz : unbounded;
  const double w = std::min(share_of_cutoff * cutoff, most_bandwidth / T), h = T / static_cast<double>(steps);
  const double stiffness = m * w * w, damping = 1.6 * m * w;
  const auto stepper = friction.fixed_stepper(m, data.position[0], data.velocity[0]);
  c.position.resize(n), c.force.resize(n);
  double last = 0;  // friction of the last step
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t next = std::min(i + 1, n - 1);
    if (!data.load.empty()) stepper->set_load(data.load[i]);
    if (!data.pressure.empty()) stepper->set_pressure(data.pressure[i]);
    if (!data.temperature.empty()) stepper->set_temperature(data.temperature[i]);
    const std::size_t before_it = i > 0 ? i - 1 : 0, after_next = std::min(i + 2, n - 1);
    const auto measured = [&](std::size_t k) { return data.force[k] + m * data.acceleration[k]; };
    const Cubic position{data.position[i], data.position[next], T * data.velocity[i], T * data.velocity[next]};
    const Cubic velocity{data.velocity[i], data.velocity[next], T * data.acceleration[i], T * data.acceleration[next]};
    const Cubic force{measured(i), measured(next), 0.5 * (measured(next) - measured(before_it)),
                      0.5 * (measured(after_next) - measured(i))};
    for (std::size_t k = 0; k < steps; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(steps);
      const double u = force.at(share) + stiffness * (position.at(share) - stepper->position()) +
                       damping * (velocity.at(share) - stepper->velocity());
      const double before = stepper->position(), resisted = stepper->step(u - chain.offset, h);
      if (k == 0) {
        c.position[i] = 0.5 * (before + stepper->position()), c.force[i] = 0.5 * (u + resisted);
        if (has_springs && i > 0) c.force[i] += 0.5 * (last - resisted);
      }
      if (k == 1) c.force[i] += 0.5 * (u - resisted);
      last = resisted;
    }
  }
  return c;
}

/// (2), prepared as the recording was.
std::optional<Prepared> read_again(const Course& course, const Prepared& data, double force_noise, Random& random) {
  Prepared other = data;
  const double rounding = data.resolution / std::sqrt(12.0);
  // If the motion fills the band, what looked like noise is motion.
  const bool has_noise = std::isfinite(data.used.cutoff_hz) && data.position_noise > 1.5 * rounding;
  const double noise = has_noise ? std::sqrt(data.position_noise * data.position_noise - rounding * rounding) : 0;
  // The origin of an incremental encoder is arbitrary.
  const double origin = data.resolution * random.uniform();
  for (std::size_t i = 0; i < data.size(); ++i) {
    double x = course.position[i];
    if (noise > 0) x += noise * random.normal();
    if (data.resolution > 0) x = data.resolution * std::round((x - origin) / data.resolution) + origin;
    other.measured_position[i] = x;
    other.force[i] = course.force[i] + force_noise * random.normal() - data.used.mass * data.acceleration[i];
  }
  return with_readings(other);
}

/// Whether (1) and (2) are known for these recordings.
bool has_twin(const Sets& sets, const UnitLaws& laws) {
  if (sets.pieces.empty()) return false;
  for (const Chain& chain : laws.chains())
    if (chain.backlash > 0 || chain.lag != 0) return false;
  return std::all_of(sets.pieces.begin(), sets.pieces.end(), [](const Piece& piece) {
    return piece.data.measured_position.size() == piece.data.size() && !piece.data.used.use_velocity &&
           !(piece.data.used.rate_hz > 0);
  });
}

/// The recordings that sensors with this force noise would have made of these motions.
std::optional<Sets> read_again(const std::vector<Course>& courses, const Sets& sets, const FitData& base,
                               double most_noise, Random& random) {
  Sets again = sets;
  for (std::size_t k = 0; k < sets.pieces.size(); ++k) {
    auto data = read_again(courses[k], sets.pieces[k].data, std::min(base.pieces[k].force_noise, most_noise), random);
    if (!data) return {};
    again.pieces[k].data = std::move(*data);
  }
  return again;
}

/// A part of the recording with this share of its samples, and priors that have the same weight beside it as they have beside the whole.
ModelSpace with_priors_of_share(ModelSpace space, double share) {
  if (share > 0 && share < 1)
    for (Unknown& u : space.unknowns()) u.prior_error /= std::sqrt(share);
  return space;
}

/// Derivative of the residuals by the subtracted mass.
Eigen::VectorXd inertia_column(const ModelResiduals& residuals, const FitData& data, const Sets& sets) {
  Eigen::VectorXd column = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(residuals.rows()));
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    const std::vector<double>& a = sets.pieces[k].data.acceleration;
    for (const Stretch& s : p.estimation.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i, ++row) {
        const bool is_bound = residuals.truly_sticks() && (p.may_rest[i] || (!p.blurred.empty() && p.blurred[i]));
        if (!is_bound && a.size() == p.size()) column[row] = -a[i];
      }
  }
  return column;
}

/// The shift of the mass if it were fitted as well: one Gauss-Newton step.
double mass_step(const ModelFit& fit, const Eigen::VectorXd& inertia) {
  const Eigen::Index p = fit.slopes.cols();
  Eigen::MatrixXd all(fit.slopes.rows(), p + 1);
  all << fit.slopes, inertia;
  Eigen::VectorXd length = all.colwise().norm();
  for (Eigen::Index k = 0; k <= p; ++k)
    if (length[k] > 0) all.col(k) /= length[k];
  if (!(length[p] > 0)) return 0;
  const Eigen::VectorXd step = (all.transpose() * all).ldlt().solve(-(all.transpose() * fit.residuals));
  return std::isfinite(step[p]) ? step[p] / length[p] : 0;
}

/// The chance of the repetitions is the recording's own: the same few would be too wide or too narrow for all recordings of a motion.
std::uint64_t own_seed(const Sets& sets, std::uint64_t seed) {
  constexpr std::uint64_t prime = 1099511628211u;
  for (const Piece& piece : sets.pieces)
    for (const double f : piece.data.force) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &f, sizeof bits);
      seed = (seed ^ (bits >> 16)) * prime;  // rounding of the last digits does not decide
    }
  return seed >> 20;
}

}  // namespace

std::optional<TwinErrors> twin_errors(const Sets& all, const ModelSpace& of_all, const ModelFit& found,
                                      std::size_t repetitions, std::uint64_t seed, const ManyFits& how) {
  double share = 1;
  const Sets sets = shorter(all, share);
  const ModelSpace space = with_priors_of_share(of_all, share);
  const UnitLaws laws(space, found.y);
  if (!has_twin(sets, laws)) return {};
  FitData base;
  try {
    base = fit_data(sets);
  } catch (const Error&) {  // nothing moves in this part of a long recording
    return {};
  }
  if (is_read_directly(sets)) return drawn_errors(sets, base, space, found, laws, share, {repetitions, seed}, how);
  seed = own_seed(sets, seed);
  std::vector<Course> courses;
  Random hidden(seed * 7919 + 424243);
  const auto of = ModelResiduals(space, base).truly_sticks() ? CourseOf::sticking : CourseOf::springs;
  if (of == CourseOf::sticking) repetitions *= 2;  // its fits are quick
  for (std::size_t k = 0; k < sets.pieces.size(); ++k) {
    const std::size_t unit = sets.pieces[k].unit;
    courses.push_back(course_of(laws.law(unit), laws.chain(unit), base.pieces[k], sets.pieces[k].data, of, hidden));
  }
  const double most_noise = white_part(found.residuals);
  std::vector<std::vector<double>> told(repetitions);
  bool is_read = true;
  const auto repeated = [&](std::size_t r) -> std::vector<double> {
    Random random(seed * 7919 + r);
    const auto again = read_again(courses, sets, base, most_noise, random);
    if (!again) return {unbounded};  // cannot be prepared as the recording was
    FitData data;
    try {
      data = fit_data(*again);
    } catch (const Error&) {
      return {};
    }
    ModelResiduals residuals(space, data);
    draw_priors(residuals, found.y, random);
    const ModelFit fit = follow(residuals, found.y, {.most_steps = 12});
    if (!std::isfinite(fit.cost)) return {};
    return told_of(fit, found, residuals, mass_step(fit, inertia_column(residuals, data, *again)));
  };
  for_each_fit(how, repetitions, repeated, [&](std::size_t r, std::vector<double> off) {
    is_read = is_read && off != std::vector<double>{unbounded};
    told[r] = std::move(off);
  });
  if (!is_read || (how.cancel && how.cancel->load(std::memory_order_relaxed))) return {};
  return summary(told, space.size(), share);
}

std::vector<double> errors_through_low_pass(const Prepared& data, const std::vector<double>& force,
                                            const std::vector<double>& expected) {
  Prepared errors;
  errors.used = data.used;
  errors.sampling_time = data.sampling_time;
  errors.time = data.time, errors.acceleration = data.acceleration;
  for (std::size_t i = 0; i < force.size(); ++i) errors.force.push_back(force[i] - expected[i]);
  return data.used.mass != 0 ? force_through_low_pass(errors) : errors.force;
}

std::optional<double> own_blurred_error(const Sets& all, const UnitLaws& laws, SampleSet FitPiece::*set,
                                        std::uint64_t seed) try {
  double share = 1;
  const Sets sets = shorter(all, share);
  if (!has_twin(sets, laws)) return {};
  const FitData base = fit_data(sets);
  std::vector<Course> courses;
  Random hidden(seed * 7919 + 424243);
  for (std::size_t k = 0; k < sets.pieces.size(); ++k) {
    const std::size_t unit = sets.pieces[k].unit;
    courses.push_back(
        course_of(laws.law(unit), laws.chain(unit), base.pieces[k], sets.pieces[k].data, CourseOf::sticking, hidden));
  }
  Random random(seed * 7919);
  const auto again = read_again(courses, sets, base, unbounded, random);
  if (!again) return {};
  const FitData data = fit_data(*again);
  double squares = 0, count = 0;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    const std::vector<double> errors =
        errors_through_low_pass(again->pieces[k].data, p.force,
                                predicted(laws.law(p.unit), laws.chain(p.unit), p, p.size(), p.force_for(true)));
    for (const Stretch& s : (p.*set).stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i)
        if (!p.may_rest[i] && !p.blurred.empty() && p.blurred[i]) squares += errors[i] * errors[i], count += 1;
  }
  if (count == 0) return {};
  return std::sqrt(squares / count);
} catch (const Error&) {  // nothing moves in this part of a long recording, or in the twin
  return {};
}

std::string twin_remark(const Confidence& before, const TwinErrors& errors) {
  std::string most;
  double largest = 0;
  for (std::size_t i = 0; i < before.estimates.size() && static_cast<Eigen::Index>(i) < errors.bias.size(); ++i) {
    const Estimate& e = before.estimates[i];
    const auto k = static_cast<Eigen::Index>(i);
    if (!(e.standard_error > 0) || !std::isfinite(e.standard_error)) continue;
    const double ratio = std::hypot(errors.bias[k], std::sqrt(errors.scatter(k, k))) / e.standard_error;
    if (ratio > largest) largest = ratio, most = e.key;
  }
  if (largest < 1.5) return {};
  if (most.starts_with("chain.")) most.erase(0, 6);
  return "sensors and low-pass filter: " + std::to_string(errors.repetitions) +
         " simulated repetitions of the measurement shift " + most + " by " + significant(largest, 2) +
         " of the fit's standard errors (rms); the intervals include this";
}

namespace {
/// The square of Student's 97.5 % quantile over that of the normal distribution: how much more a variance has to be that is known from
/// `repetitions` alone (expanded in the inverse of their number).
double student_share(std::size_t repetitions) {
  constexpr double z = 1.96;
  const double n = static_cast<double>(std::max<std::size_t>(repetitions, 2) - 1);
  const double more = (z * z + 1) / (4 * n) + (5 * std::pow(z, 4) + 16 * z * z + 3) / (96 * n * n);
  return std::pow(1 + more, 2);
}
}  // namespace

void widen_by_twin(Confidence& c, const Confidence& fit, const TwinErrors& errors) {
  const std::size_t n =
      std::min({c.estimates.size(), fit.estimates.size(), static_cast<std::size_t>(errors.bias.size())});
  std::vector<double> wider(c.estimates.size(), 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double now = c.covariance(i, i);
    if (c.estimates[i].verdict == Determination::at_bound || !std::isfinite(now) || !(now > 0)) continue;
    // With few repetitions even a mean without bias has a scatter.
    const double scatter = errors.scatter(k, k), chance = scatter / static_cast<double>(errors.repetitions);
    const double bias = std::max(0.0, errors.bias[k] * errors.bias[k] - chance);
    const double own = errors.share_of_fit * fit.covariance(i, i);
    const double twin = own + student_share(errors.repetitions) * std::max(0.0, scatter - own) + bias;
    wider[i] = std::sqrt(std::max(errors.share_of_fit < 1 ? 0.0 : 1.0, twin / now));
  }
  for (std::size_t i = 0; i < c.covariance.size(); ++i)
    for (std::size_t j = 0; j < c.covariance.size(); ++j) c.covariance(i, j) *= wider[i] * wider[j];
  judge(c);
}

}  // namespace stickslip::inline identification
