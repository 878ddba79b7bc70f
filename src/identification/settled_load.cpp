#include "identification/settled_load.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

constexpr std::size_t most_settling_rows = 40000, time_blocks = 40, stribeck_trials = 9;

/// A sample that slides.
struct Sliding {
  double position, velocity, acceleration, force;
};

double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

/// Samples of estimation that slide; where hardly any do (strokes so short that all is presliding), those that move.
std::vector<Sliding> sliding_samples(const Sets& sets) {
  std::vector<Sliding> sliding, moving;
  for (const Piece& piece : sets.pieces) {
    const Prepared& d = piece.data;
    if (piece.estimation.empty() || d.acceleration.size() != d.size()) continue;
    for (const Phase& phase : phases_of(d).phases) {
      if (phase.kind == PhaseKind::rest) continue;
      for (std::size_t i = phase.samples.first; i < phase.samples.first + phase.samples.count; ++i) {
        if (!piece.estimation.contains(i) || d.velocity[i] == 0) continue;
        const Sliding sample{d.position[i], d.velocity[i], d.acceleration[i], d.force[i]};
        moving.push_back(sample);
        if (phase.kind == PhaseKind::sliding) sliding.push_back(sample);
      }
    }
  }
  std::vector<Sliding>& chosen = 5 * sliding.size() >= moving.size() ? sliding : moving;
  const std::size_t stride = chosen.size() / most_settling_rows + 1;
  std::vector<Sliding> some;
  for (std::size_t i = 0; i < chosen.size(); i += stride) some.push_back(chosen[i]);
  return some;
}

/// The columns of (1) and least squares over them.
class Settling {
 public:
  Settling(const std::vector<Sliding>& samples, const LoadSearch& search) : samples_(samples), search_(search) {
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

  SettledLoad settled() {
    SettledLoad found;
    found.samples = samples_.size();
    choose_stribeck();
    const double mean = force_.mean(), all = (force_.array() - mean).square().sum();
    const double without = least(false);
    const double cost = search_.mass ? least(true) : without;
    found.left = all > 0 ? cost / all : 0;
    found.left_without = all > 0 ? without / all : 0;
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
    if (search_.mass) found.mass = theta_[mass_], found.mass_error = errors[mass_];
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
    const auto part = columns_.leftCols(used_);
    scale_ = part.colwise().norm().transpose();
    for (Eigen::Index k = 0; k < used_; ++k)
      if (!(scale_[k] > 0)) scale_[k] = 1;
    const Eigen::MatrixXd scaled = part * scale_.cwiseInverse().asDiagonal();
    inverse_ = (scaled.transpose() * scaled).completeOrthogonalDecomposition().pseudoInverse();
    theta_ = scale_.cwiseInverse().asDiagonal() * (inverse_ * (scaled.transpose() * force_));
    errors_ = force_ - part * theta_;
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

  const std::vector<Sliding>& samples_;
  const LoadSearch& search_;
  double low_ = 0, high_ = 0, fastest_ = 0;
  std::vector<std::string> names_;
  std::vector<double> wave_numbers_;
  Eigen::VectorXd force_, theta_, errors_, scale_;
  Eigen::MatrixXd columns_, inverse_;
  Eigen::Index stribeck_ = 0, first_wave_ = 0, first_hat_ = 0, mass_ = 0, used_ = 0;
};

}  // namespace

bool SettledLoad::shows_inertia() const {
  return mass > 5 * mass_error && left < 0.5 && left_without > 1.25 * left && left_without - left > 0.002;
}

std::optional<SettledLoad> settle_load(const Sets& sets, const LoadSearch& search) {
  const std::vector<Sliding> samples = sliding_samples(sets);
  const std::size_t columns =
      6 + (search.gravity ? 2 : 0) + (search.cogging_period > 0 ? 2 * search.waves : 0) + search.knots;
  if (samples.size() < 10 * columns + 20) return std::nullopt;
  return Settling(samples, search).settled();
}

}  // namespace stickslip
