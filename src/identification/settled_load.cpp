#include "identification/settled_load.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/normal_equations.hpp"
#include "identification/drive_lag.hpp"
#include "recording/preparation/contact_fit.hpp"
#include "recording/preparation/derivative_noise.hpp"
#include "recording/preparation/other_readings.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t most_settling_rows = 40000, time_blocks = 40, stribeck_trials = 9;
constexpr std::size_t most_looking_rows = 3000;  // of either set, where something is only looked for
constexpr std::size_t fewest_passes = 10;        // samples of each direction between two knots
constexpr std::ptrdiff_t most_shift = 32;
constexpr double plainly_less = 0.8, least_gain = 0.002, harmonic = 0.95;

/// A sample that slides.
struct Sliding {
  double position, velocity, acceleration, force;
  double noise = 0;  // variance of what the acceleration has from the readings' noise
};

double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/// Every so-manieth, so that at most so many are left.
std::vector<Sliding> thinned(const std::vector<Sliding>& all, std::size_t most) {
  const std::size_t stride = all.size() / most + 1;
  std::vector<Sliding> some;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

struct MovingSamples {
  std::vector<Sliding> sliding, moving;
  bool slides() const { return 5 * sliding.size() >= moving.size(); }
};

/// How many samples lie between each one and the next rest or reversal.
std::vector<std::size_t> distance_from_turns(const Prepared& d) {
  const std::vector<bool> rest = resting(d);
  const auto turns = [&](std::size_t i) { return rest[i] || (i > 0 && d.velocity[i] * d.velocity[i - 1] <= 0); };
  std::vector<std::size_t> far(d.size());
  std::size_t since = d.size();
  for (std::size_t i = 0; i < d.size(); ++i) far[i] = since = turns(i) ? 0 : since + 1;
  since = d.size();
  for (std::size_t i = d.size(); i-- > 0;) far[i] = std::min(far[i], since = turns(i) ? 0 : since + 1);
  return far;
}

/// Samples of a set in motion, each with the force `shift` samples later; only those `clear` periods of the low-pass, and so many
/// samples, away from rest and reversal, where that is above 0. Motion and force have passed the same low-pass. `noises`: variance of the
/// acceleration's noise, piece by piece.
MovingSamples moving_samples(const Sets& sets, SampleSet Piece::*set, std::ptrdiff_t shift = 0, double clear = 0,
                             std::size_t clear_samples = 0, const std::vector<double>& noises = {}) {
  MovingSamples found;
  for (const Piece& piece : sets.pieces) {
    const Prepared& d = piece.data;
    if ((piece.*set).empty() || d.acceleration.size() != d.size()) continue;
    const std::vector<double> force = force_through_low_pass(d);
    const double noise = noises.empty() ? 0 : noises[static_cast<std::size_t>(&piece - sets.pieces.data())];
    std::vector<char> serves(d.size(), 0);
    for (const Stretch& s : (piece.*set).stretches())
      std::fill_n(serves.begin() + static_cast<std::ptrdiff_t>(s.first), s.count, char{1});
    const double period = std::isfinite(d.used.cutoff_hz) ? 1 / (d.used.cutoff_hz * d.sampling_time) : 0;
    const auto reach = static_cast<std::size_t>(2 * period) + clear_samples;  // of the low-pass from an unknown force
    for (std::size_t i = 0; i < d.clipped.size(); ++i)
      if (d.clipped[i] > 0)
        std::fill(serves.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, reach)),
                  serves.begin() + static_cast<std::ptrdiff_t>(std::min(i + reach + 1, d.size())), char{0});
    if (clear > 0) {
      const std::vector<std::size_t> far = distance_from_turns(d);
      for (std::size_t i = 0; i < d.size(); ++i)
        if (static_cast<double>(far[i]) < clear * period + static_cast<double>(clear_samples)) serves[i] = 0;
    }
    for (const Phase& phase : phases_of(d).phases) {
      if (phase.kind == PhaseKind::rest) continue;
      for (std::size_t i = phase.samples.first; i < phase.samples.first + phase.samples.count; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i) + shift;
        if (!serves[i] || d.velocity[i] == 0 || at < 0 || at >= static_cast<std::ptrdiff_t>(d.size())) continue;
        const Sliding sample{d.position[i], d.velocity[i], d.acceleration[i], force[static_cast<std::size_t>(at)],
                             noise};
        found.moving.push_back(sample);
        if (phase.kind == PhaseKind::sliding) found.sliding.push_back(sample);
      }
    }
  }
  return found;
}

/// Samples of estimation that slide, two periods of the low-pass away from rest and reversal where as many as half of them are (so far
/// its blur of a change of direction is seen), otherwise one period on the same condition; where hardly any slide (strokes so short that
/// all is presliding), those that move.
std::vector<Sliding> sliding_samples(const Sets& sets) {
  std::vector<double> noises;
  for (const Piece& piece : sets.pieces) noises.push_back(derivative_noise(piece.data).acceleration);
  const MovingSamples found = moving_samples(sets, &Piece::estimation, 0, 0, 0, noises);
  if (!found.slides()) return thinned(found.moving, most_settling_rows);
  for (const double clear : {2.0, 1.0})
    if (const MovingSamples far = moving_samples(sets, &Piece::estimation, 0, clear, 0, noises);
        2 * far.sliding.size() >= found.sliding.size())
      return thinned(far.sliding, most_settling_rows);
  return thinned(found.sliding, most_settling_rows);
}

/// The columns of (1) and least squares over them. The acceleration has noise from the readings, which would make the mass too small;
/// its variance is taken out of the normal equations (derivative_noise.hpp).
class Settling {
 public:
  /// The last `held_out` of the samples only judge.
  Settling(const std::vector<Sliding>& samples, const LoadSearch& search, std::size_t held_out = 0)
      : samples_(samples), search_(search), fitted_(static_cast<Eigen::Index>(samples.size() - held_out)) {
    low_ = high_ = samples.front().position;
    for (const Sliding& s : samples) {
      low_ = std::min(low_, s.position), high_ = std::max(high_, s.position);
      fastest_ = std::max(fastest_, std::fabs(s.velocity));
    }
    const auto n = static_cast<Eigen::Index>(samples.size());
    force_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) force_[i] = samples[static_cast<std::size_t>(i)].force;
    add("offset", [](const Sliding&) { return 1.0; });
    add("coulomb_force", [](const Sliding& s) { return sign_of(s.velocity); });
    add("viscosity", [](const Sliding& s) { return s.velocity; });
    add("viscosity_difference", [](const Sliding& s) { return std::fabs(s.velocity); });
    add("stribeck", [](const Sliding&) { return 0.0; });
    stribeck_ = columns_.cols() - 1;
    first_wave_ = columns_.cols();
    if (search.gravity) add_wave(1, "gravity");
    for (std::size_t k = 1; search.cogging_period > 0 && k <= search.waves; ++k)
      add_wave(2 * std::numbers::pi * static_cast<double>(k) / search.cogging_period, "cogging");
    first_hat_ = columns_.cols();
    for (std::size_t k = 1; k < search.knots; ++k)
      add("load_table", [&](const Sliding& s) { return hat(k, s.position); });
    mass_ = columns_.cols();
    add(search.mass ? "mass" : "", [](const Sliding& s) { return s.acceleration; });
  }

  /// The share of the variance of the held-out forces that is left, the mass being free.
  double left_of_held_out() {
    choose_stribeck();
    least(true);
    const auto n = force_.size() - fitted_;
    const Eigen::VectorXd errors = force_.tail(n) - columns_.bottomRows(n) * theta_;
    const double mean = force_.tail(n).mean(), all = (force_.tail(n).array() - mean).square().sum();
    return all > 0 ? errors.squaredNorm() / all : 1;
  }
  /// How much of the variance of the held-out forces is not inertia, after left_of_held_out().
  double beside_inertia() const {
    const auto n = force_.size() - fitted_;
    const Eigen::VectorXd rest = force_.tail(n) - theta_[mass_] * columns_.col(mass_).tail(n);
    const double all = (force_.tail(n).array() - force_.tail(n).mean()).square().sum();
    return all > 0 ? std::min(1.0, (rest.array() - rest.mean()).square().sum() / all) : 1;
  }
  /// The same of the forces that were fitted, after left_of_held_out().
  double left_of_fitted() const {
    const double mean = force_.head(fitted_).mean(), all = (force_.head(fitted_).array() - mean).square().sum();
    return all > 0 ? errors_.squaredNorm() / all : 1;
  }
  /// How much of the acceleration a straight line over the position explains.
  double spring_share() const {
    double x = 0, a = 0, xx = 0, aa = 0, xa = 0;
    const auto n = static_cast<double>(samples_.size());
    for (const Sliding& s : samples_) x += s.position / n, a += s.acceleration / n;
    for (const Sliding& s : samples_) {
      const double dx = s.position - x, da = s.acceleration - a;
      xx += dx * dx, aa += da * da, xa += dx * da;
    }
    return xx > 0 && aa > 0 ? xa * xa / (xx * aa) : 0;
  }
  /// What is left of the samples that fit, over position: the wave that takes most of it away, as its length; 0 where there is none.
  /// From two waves in the range to a hundred, none shorter than four samples of the fastest motion.
  double best_wave(double sampling_time) {
    choose_stribeck();
    least(true);
    const double range = high_ - low_, shortest_wave = 4 * fastest_ * sampling_time;
    if (!(range > 0)) return 0;
    const double most = std::min(100.0, range / std::max(shortest_wave, 1e-300));
    const auto taken = [&](double waves) {
      const double k = 2 * std::numbers::pi * waves / range;
      Eigen::Matrix2d gram = Eigen::Matrix2d::Zero();
      Eigen::Vector2d right = Eigen::Vector2d::Zero();
      for (Eigen::Index i = 0; i < fitted_; ++i) {
        const double x = k * samples_[static_cast<std::size_t>(i)].position;
        const Eigen::Vector2d row(std::sin(x), std::cos(x));
        gram += row * row.transpose();
        right += errors_[i] * row;
      }
      return right.dot(pseudo_inverse(gram) * right);
    };
    double best = 0, most_taken = 0;
    for (double waves = 2; waves <= most; waves += 0.25)
      if (const double t = taken(waves); t > most_taken) most_taken = t, best = waves;
    for (double step = 0.125; best > 0 && step > 1e-4; step *= 0.5)
      for (const double waves : {best - step, best + step})
        if (const double t = taken(waves); t > most_taken) most_taken = t, best = waves;
    return best > 0 ? range / best : 0;
  }
  /// Both directions pass every part between knots.
  bool is_passed_both_ways() const {
    if (search_.knots < 2) return true;
    std::vector<std::array<std::size_t, 2>> passes(search_.knots - 1);
    for (const Sliding& s : samples_) {
      const double part = (s.position - low_) / (high_ - low_) * static_cast<double>(passes.size());
      const auto k = std::min(passes.size() - 1, static_cast<std::size_t>(std::max(part, 0.0)));
      ++passes[k][s.velocity > 0 ? 1 : 0];
    }
    return std::all_of(passes.begin(), passes.end(),
                       [](const auto& p) { return p[0] >= fewest_passes && p[1] >= fewest_passes; });
  }

  SettledLoad settled() {
    SettledLoad found;
    found.samples = samples_.size();
    choose_stribeck();
    const double mean = force_.mean(), all = (force_.array() - mean).square().sum();
    const double without = least(false);
    const double cost = search_.mass ? least(true) : without;
    found.left = all > 0 ? cost / all : 0;
    found.left_without = all > 0 ? without / all : 0;
    found.beside_load = share_beside_load(all);
    found.like_a_spring = spring_share();
    const Eigen::VectorXd errors = standard_errors();
    for (Eigen::Index k = 0; k < used_; ++k) {
      const double value = theta_[k], reach = 1.96 * errors[k];
      found.terms.push_back({.key = names_[static_cast<std::size_t>(k)],
                             .value = value,
                             .standard_error = errors[k],
                             .low = value - reach,
                             .high = value + reach});
    }
    if (search_.mass) {
      found.mass = theta_[mass_];
      found.mass_scatter = errors[mass_], found.noise_share = noise_share_;
      found.mass_error = std::hypot(errors[mass_], known_to_ * noise_share_ * found.mass);
    }
    for (Eigen::Index k = first_wave_, w = 0; k < first_hat_; k += 2, ++w)
      found.load.waves.push_back({wave_numbers_[static_cast<std::size_t>(w)], theta_[k], theta_[k + 1]});
    if (search_.knots > 1)
      for (std::size_t k = 0; k < search_.knots; ++k) {
        found.load.knots.push_back(knot(k));
        found.load.values.push_back(k == 0 ? 0 : theta_[first_hat_ + static_cast<Eigen::Index>(k) - 1]);
      }
    return found;
  }

 private:
  template <class Value>
  void add(const std::string& name, const Value& value) {
    names_.push_back(name);
    columns_.conservativeResize(force_.size(), columns_.cols() + 1);
    for (Eigen::Index i = 0; i < force_.size(); ++i)
      columns_(i, columns_.cols() - 1) = value(samples_[static_cast<std::size_t>(i)]);
  }
  void add_wave(double wave_number, const std::string& name) {
    wave_numbers_.push_back(wave_number);
    add(name + "_sine", [=](const Sliding& s) { return std::sin(wave_number * s.position); });
    add(name + "_cosine", [=](const Sliding& s) { return std::cos(wave_number * s.position); });
  }
  double knot(std::size_t k) const {
    return low_ + (high_ - low_) * static_cast<double>(k) / static_cast<double>(search_.knots - 1);
  }
  double hat(std::size_t k, double x) const {
    const double width = (high_ - low_) / static_cast<double>(search_.knots - 1);
    return width > 0 ? std::max(0.0, 1 - std::fabs(x - knot(k)) / width) : 0;
  }

  /// How much of the squares of the force about its mean, `all`, is not a load over position.
  double share_beside_load(double all) const {
    const Eigen::Index loads = mass_ - first_wave_;
    const Eigen::VectorXd rest = force_ - columns_.middleCols(first_wave_, loads) * theta_.segment(first_wave_, loads);
    return all > 0 ? std::min(1.0, (rest.array() - rest.mean()).square().sum() / all) : 1;
  }

  void choose_stribeck() {
    double best = 0, least_cost = -1;
    for (std::size_t k = 0; k < stribeck_trials; ++k) {
      const double v = fastest_ * std::pow(10, -2.5 * static_cast<double>(k + 1) / stribeck_trials);
      set_stribeck(v);
      const double cost = least(search_.mass);
      if (least_cost < 0 || cost < least_cost) least_cost = cost, best = v;
    }
    set_stribeck(best);
  }
  void set_stribeck(double v_s) {
    for (Eigen::Index i = 0; i < force_.size(); ++i) {
      const double v = samples_[static_cast<std::size_t>(i)].velocity;
      columns_(i, stribeck_) = v_s > 0 ? sign_of(v) * std::exp(-std::fabs(v) / v_s) : 0;
    }
  }

  /// Least squares, with the mass or without; the cost.
  double least(bool with_mass) {
    used_ = with_mass ? columns_.cols() : mass_;
    const auto part = columns_.topLeftCorner(fitted_, used_);
    scale_ = part.colwise().norm().transpose();
    for (Eigen::Index k = 0; k < used_; ++k)
      if (!(scale_[k] > 0)) scale_[k] = 1;
    const Eigen::MatrixXd scaled = part * scale_.cwiseInverse().asDiagonal();
    Eigen::MatrixXd products = scaled.transpose() * scaled;
    inverse_ = pseudo_inverse(products);
    noise_share_ = 0;
    if (with_mass && inverse_(mass_, mass_) > 0) {
      double noise = 0;
      for (Eigen::Index i = 0; i < fitted_; ++i) noise += samples_[static_cast<std::size_t>(i)].noise;
      // Of what the other columns leave of the acceleration, at most half is taken for noise; where it is more, how much is not known.
      const double share = noise / (scale_[mass_] * scale_[mass_]) * inverse_(mass_, mass_);
      noise_share_ = std::min(share, 0.5);
      known_to_ = share < 0.5 ? noise_known_to : 1;
      products(mass_, mass_) -= noise_share_ / inverse_(mass_, mass_);
      inverse_ = pseudo_inverse(products);
    }
    theta_ = scale_.cwiseInverse().asDiagonal() * (inverse_ * (scaled.transpose() * force_.head(fitted_)));
    errors_ = force_.head(fitted_) - part * theta_;
    return errors_.squaredNorm();
  }

  /// (2).
  Eigen::VectorXd standard_errors() const {
    Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(used_, used_);
    const Eigen::Index n = force_.size(),
                       length = std::max<Eigen::Index>(1, n / static_cast<Eigen::Index>(time_blocks));
    for (Eigen::Index from = 0; from < n; from += length) {
      const Eigen::Index count = std::min(length, n - from);
      const Eigen::VectorXd g = scale_.cwiseInverse().asDiagonal() *
                                (columns_.block(from, 0, count, used_).transpose() * errors_.segment(from, count));
      scores += g * g.transpose();
    }
    const Eigen::MatrixXd c = inverse_ * scores * inverse_;
    return c.diagonal().cwiseMax(0).cwiseSqrt().cwiseQuotient(scale_);
  }

  const std::vector<Sliding>& samples_;
  const LoadSearch& search_;
  Eigen::Index fitted_;
  double low_ = 0, high_ = 0, fastest_ = 0;
  std::vector<std::string> names_;
  std::vector<double> wave_numbers_;
  Eigen::VectorXd force_, theta_, errors_, scale_;
  Eigen::MatrixXd columns_, inverse_;
  double noise_share_ = 0, known_to_ = 0;  // of what the other columns leave of the acceleration
  Eigen::Index stribeck_ = 0, first_wave_ = 0, first_hat_ = 0, mass_ = 0, used_ = 0;
};

}  // namespace

bool SettledLoad::shows_inertia() const {
  return mass > 5 * mass_scatter && mass > 1.5 * mass_error && left < 0.5 * beside_load && left_without > 1.25 * left &&
         left_without - left > 0.002 * beside_load;
}

std::optional<SettledLoad> settle_load(const Sets& sets, const LoadSearch& search) {
  const std::vector<Sliding> samples = sliding_samples(sets);
  const std::size_t columns =
      6 + (search.gravity ? 2 : 0) + (search.cogging_period > 0 ? 2 * search.waves : 0) + search.knots;
  if (samples.size() < 10 * columns + 20) return std::nullopt;
  return Settling(samples, search).settled();
}

namespace {

/// Rows that estimate, then rows that judge.
struct Looking {
  std::vector<Sliding> rows;
  std::size_t held_out = 0;
  bool slides = true;
};
std::optional<Looking> looking_at(const Sets& sets, std::ptrdiff_t shift = 0, double clear = 0,
                                  std::ptrdiff_t reach = most_shift) {
  const std::size_t away = clear > 0 ? static_cast<std::size_t>(reach) : 0;
  const MovingSamples fitted = moving_samples(sets, &Piece::estimation, shift, clear, away),
                      judging = moving_samples(sets, &Piece::validation, shift, clear, away);
  constexpr std::size_t fewest = 500;
  const bool slides = fitted.slides();
  const std::vector<Sliding>&fits = slides ? fitted.sliding : fitted.moving,
        &rest = slides ? judging.sliding : judging.moving;
  if (fits.size() < fewest || rest.size() < fewest / 2) return {};
  Looking found{thinned(fits, most_looking_rows), 0, slides};
  const std::vector<Sliding> judges = thinned(rest, most_looking_rows);
  found.held_out = judges.size();
  found.rows.insert(found.rows.end(), judges.begin(), judges.end());
  return found;
}

/// `of`: the share of the force that a gain is compared with. A load is compared with what is not inertia: beside a heavy arm friction and
/// gravity are a hundredth of the force.
bool is_plainly_less(double left, double before, double of = 1) {
  return left < plainly_less * before && before - left > least_gain * of && left < 0.5;
}

/// What inverse dynamics leave of the forces that were fitted and of those that were held out.
struct Left {
  double fitted = 1, held_out = 1;
  double both() const { return fitted + held_out; }
};
bool is_plainly_less(const Left& left, const Left& before) {
  return is_plainly_less(left.fitted, before.fitted) && is_plainly_less(left.held_out, before.held_out);
}

/// The shift of the force, in samples, that leaves least; 0 where none leaves plainly less. Far from rest and reversal: a blurred
/// change of direction looks late. A force that is late errs wherever the motion changes, in the samples that were fitted too; where
/// only those held out err less, it was what a poor motion leaves open that fell their way.
double visible_shift(const Sets& sets, const LoadSearch& search, double& at_once, double& least_left) {
  const auto left_at = [&](std::ptrdiff_t shift) -> Left {
    const auto rows = looking_at(sets, shift, 2);
    if (!rows) return {};
    Settling settling(rows->rows, search, rows->held_out);
    const double held_out = settling.left_of_held_out();
    return {settling.left_of_fitted(), held_out};
  };
  const Left here = left_at(0);
  Left least = here;
  at_once = least_left = here.held_out;
  std::ptrdiff_t best = 0;
  const auto look = [&](std::ptrdiff_t shift) {
    if (const Left left = left_at(shift); left.both() < least.both()) least = left, best = shift;
  };
  for (const std::ptrdiff_t sign : {1, -1})
    for (std::ptrdiff_t size = 1; size <= most_shift; size *= 2) look(sign * size);
  if (!is_plainly_less(least, here)) return 0;
  for (std::ptrdiff_t step = std::max<std::ptrdiff_t>(std::abs(best) / 2, 1); step >= 1; step /= 2)
    for (const std::ptrdiff_t shift : {std::max(best - step, -most_shift), std::min(best + step, most_shift)})
      look(shift);
  least_left = least.held_out;
  // the vertex of the parabola through its neighbours
  const double before = left_at(best - 1).both(), after = left_at(best + 1).both(),
               bend = before + after - 2 * least.both();
  return static_cast<double>(best) + (bend > 0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0);
}

/// Friction that builds up over a distance looks late to (1). A contact that builds up, too, must find at least half of the lag.
bool is_late_for_a_contact(const Sets& sets, double lag) {
  const auto longest = std::max_element(sets.pieces.begin(), sets.pieces.end(),
                                        [](const Piece& a, const Piece& b) { return a.data.size() < b.data.size(); });
  const Prepared& d = longest->data;
  const ContactFit contact = contact_fit({d.position, d.velocity, d.acceleration, d.force, d.sampling_time});
  return contact.lag_found && contact.lag * lag > 0 && std::fabs(contact.lag) >= 0.5 * std::fabs(lag);
}

}  // namespace

std::optional<VisibleLoad> visible_load(const Sets& sets) {
  auto rows = looking_at(sets);
  VisibleLoad found;
  const auto look_for_drive_lag = [&] {
    AdditiveLoad load;
    if (found.search.is_of_a_load())
      if (const auto settled = settle_load(sets, found.search)) load = settled->load;
    const auto drive = drive_lag(sets, load);
    if (!drive || (drive->lag > 0 && !is_late_for_a_contact(sets, drive->lag))) return false;
    found.lag = drive->lag, found.lag_error = drive->error;
    found.left_at_once = drive->left_at_once, found.left_late = drive->left_late;
    return true;
  };
  if (!rows) return look_for_drive_lag() ? std::optional(found) : std::nullopt;
  for (const double clear : {1.0, 2.0})  // a jump of the force, blurred by the low-pass, is no load
    if (auto far = looking_at(sets, 0, clear, 0);
        rows->slides && far && far->slides && 2 * far->rows.size() >= rows->rows.size())
      rows = std::move(far);
  // In harmonic strokes springs, masses and delays are one thing.
  if (Settling(rows->rows, found.search, rows->held_out).spring_share() > harmonic) return {};
  found.left = found.left_without = Settling(rows->rows, found.search, rows->held_out).left_of_held_out();
  // A spring looks like presliding over a long distance, and presliding like a spring: the load must leave half of what friction
  // that builds up over a distance leaves.
  if (!rows->slides) {
    const Prepared& d = sets.pieces.front().data;
    const ContactFit friction =
        contact_fit({d.position, d.velocity, d.acceleration, d.force, d.sampling_time}, {.find_lag = false});
    found.left = std::min(found.left, 0.5 / plainly_less * friction.left);
  }
  const auto look = [&](const LoadSearch& search) {
    Settling settling(rows->rows, search, rows->held_out);
    if (!settling.is_passed_both_ways()) return;
    if (const double left = settling.left_of_held_out(); is_plainly_less(left, found.left, settling.beside_inertia()))
      found.left = left, found.search = search;
  };
  if (sets.pieces.front().data.rotary) look({.gravity = true});
  for (const std::size_t knots : {2u, 5u, 9u, 17u, 33u}) look({.knots = knots});
  // A wave is a better word for a table that rises and falls, alone or beside a spring.
  for (const std::size_t knots : {0u, 2u}) {
    LoadSearch search{.gravity = found.search.gravity, .knots = knots};
    search.cogging_period =
        Settling(rows->rows, search, rows->held_out).best_wave(sets.pieces.front().data.sampling_time);
    if (!(search.cogging_period > 0)) continue;
    Settling settling(rows->rows, search, rows->held_out);
    const double left = settling.left_of_held_out();
    const bool is_of_a_table = found.search.knots > 2 && left < found.left && is_plainly_less(left, found.left_without);
    if (is_of_a_table || is_plainly_less(left, found.left)) found.left = left, found.search = search;
  }
  const bool has_load = found.search.is_of_a_load();
  if (!has_load) found.left = found.left_without;
  if (look_for_drive_lag() || (!rows->slides && !has_load)) return found;
  const double shift = visible_shift(sets, found.search, found.left_at_once, found.left_late);
  const double lag = shift * sets.pieces.front().data.sampling_time;
  if (lag != 0 && is_late_for_a_contact(sets, lag)) found.lag = lag;
  return found;
}

}  // namespace stickslip::inline identification
