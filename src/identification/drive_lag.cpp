#include "identification/drive_lag.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/normal_equations.hpp"
#include "recording/preparation/even_grid.hpp"
#include "recording/preparation/other_readings.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double most_lag = 4, least_lag = 0.1;  // samples
constexpr double plainly_less = 0.9, errors_beyond = 2.5;
constexpr double other_cutoff = 0.5;  // f over the low-pass, (3)
constexpr std::size_t most_samples = 40000, time_blocks = 40, fewest_rows = 200;
/// Samples of each set, near rest or reversal, whose force is plainly more than friction.
constexpr std::size_t fewest_strong = 20;
/// Samples of a rest that are left out of F₋ and F₊: the drive may be early by four.
constexpr std::size_t after_stop = 2, before_start = 6;
/// Over the level of friction: what (1) may err by, the same near rest and reversal, and what is plainly more.
constexpr double law_error = 0.1, turn_error = 0.5, beyond_friction = 2;
constexpr std::array stribeck_shares{0.3, 0.1, 0.03, 0.01};  // v_S over the largest speed

/// Left side and columns of (1).
struct Equations {
  Eigen::VectorXd left;
  Eigen::MatrixXd columns;
};
struct Solved {
  Eigen::VectorXd theta;
  double squares = std::numeric_limits<double>::infinity();
};

class LagSearch {
 public:
  LagSearch(const Piece& piece, const AdditiveLoad& load) : d_(piece.data) {
    const std::size_t n = std::min(d_.size(), most_samples);
    first_ = (d_.size() - n) / 2;
    const auto part = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(first_),
                                 all.begin() + static_cast<std::ptrdiff_t>(first_ + n));
    };
    position_ = part(d_.position), velocity_ = part(d_.velocity), acceleration_ = part(d_.acceleration);
    force_ = part(d_.force);
    for (std::size_t i = 0; i < n; ++i)
      force_[i] += d_.used.mass * acceleration_[i] - (load.is_given() ? load.at(position_[i]) : 0);
    const std::vector<bool> rest = resting(d_);
    moves_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      moves_[i] = rest[first_ + i] ? 0 : 1;
      fastest_ = std::max(fastest_, std::fabs(velocity_[i]));
    }
    find_forces_at_rest();
    choose_rows(piece);
    weigh();
  }

  /// The lag with the least squares over both sets [s]; nothing at the end of the grid.
  std::optional<double> least_lag_of_all() {
    if (estimation_.size() < fewest_rows || validation_.size() < fewest_rows || !(fastest_ > 0)) return {};
    std::vector<std::size_t> all = estimation_;
    all.insert(all.end(), validation_.begin(), validation_.end());
    std::vector<double> squares;
    for (double lag = -most_lag - 1; lag <= most_lag + 1; ++lag) {
      double least = std::numeric_limits<double>::infinity();
      for (const double v_s : stribeck_shares)
        least = std::min(least, solve(equations(lag, v_s * fastest_), all).squares);
      squares.push_back(least);
    }
    const auto best = static_cast<std::size_t>(std::min_element(squares.begin(), squares.end()) - squares.begin());
    if (best == 0 || best + 1 == squares.size()) return {};
    return (static_cast<double>(best) + vertex(squares, best).off - most_lag - 1) * d_.sampling_time;
  }

  std::optional<DriveLag> found() {
    if (estimation_.size() < fewest_rows || validation_.size() < fewest_rows || !(fastest_ > 0)) return {};
    if (strong_of(estimation_) < fewest_strong || strong_of(validation_) < fewest_strong) return {};
    std::vector<std::size_t> all = estimation_;
    all.insert(all.end(), validation_.begin(), validation_.end());
    const std::array<const std::vector<std::size_t>*, 3> parts{&all, &estimation_, &validation_};
    const auto count = static_cast<std::size_t>(2 * (most_lag + 1)) + 1;
    std::array<std::vector<double>, 3> squares;
    for (std::size_t k = 0; k < count; ++k) {
      std::array<double, 3> least;
      least.fill(std::numeric_limits<double>::infinity());
      for (const double v_s : stribeck_shares) {
        const Equations e = equations(static_cast<double>(k) - most_lag - 1, v_s * fastest_);
        for (std::size_t p = 0; p < parts.size(); ++p) least[p] = std::min(least[p], solve(e, *parts[p]).squares);
      }
      for (std::size_t p = 0; p < parts.size(); ++p) squares[p].push_back(least[p]);
    }
    const std::size_t at_once = count / 2;
    std::array<double, 3> lags;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto best =
          static_cast<std::size_t>(std::min_element(squares[p].begin(), squares[p].end()) - squares[p].begin());
      if (best == 0 || best + 1 == count) return {};
      const auto [off, bend] = vertex(squares[p], best);
      lags[p] = static_cast<double>(best) + off - most_lag - 1;
      if (p == 0 && !(squares[p][best] - 0.5 * bend * off * off < plainly_less * squares[p][at_once])) return {};
    }
    return judged(all, lags, squares[0][at_once]);
  }

 private:
  /// Of the parabola through the least and its neighbours.
  struct Vertex {
    double off, bend;
  };
  static Vertex vertex(const std::vector<double>& squares, std::size_t best) {
    const double before = squares[best - 1], after = squares[best + 1], bend = before + after - 2 * squares[best];
    return {bend > 0 ? 0.5 * (before - after) / bend : 0, bend};
  }

  /// F₋ and F₊; a start is left out, since the force of a drive that is early is beyond breakaway there.
  void find_forces_at_rest() {
    low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
    const std::size_t n = moves_.size();
    for (std::size_t from = 0; from < n; ++from) {
      if (moves_[from] > 0) continue;
      std::size_t to = from;
      while (to < n && !(moves_[to] > 0)) ++to;
      for (std::size_t i = from + after_stop; i + before_start < to; ++i)
        low_ = std::min(low_, force_[i]), high_ = std::max(high_, force_[i]);
      from = to;
    }
    if (low_ > high_) low_ = high_ = 0;
  }

  /// All samples but those near the ends and near a force that was clipped.
  void choose_rows(const Piece& piece) {
    const std::size_t reach = reach_of_low_pass(), n = force_.size();
    std::vector<char> serves(n, 1);
    for (std::size_t i = 0; i < n; ++i) {
      const bool clipped = !d_.clipped.empty() && d_.clipped[first_ + i] > 0;
      if (!clipped && i >= reach && i + reach < n) continue;
      if (!clipped) serves[i] = 0;
      for (std::size_t k = i - std::min(i, reach); clipped && k < std::min(n, i + reach + 1); ++k) serves[k] = 0;
    }
    for (const auto& [set, rows] :
         {std::pair{&piece.estimation, &estimation_}, std::pair{&piece.validation, &validation_}})
      for (const Stretch& s : set->stretches())
        for (std::size_t i = std::max(s.first, first_); i < std::min(s.first + s.count, first_ + n); ++i)
          if (serves[i - first_]) rows->push_back(i - first_);
  }

  /// Near rest and reversal friction is not known: a short rest is not seen, and the low-pass reaches so far.
  void weigh() {
    const std::size_t n = force_.size(), reach = reach_of_low_pass();
    std::vector<char> turns(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_turn = !(moves_[i] > 0) || (i > 0 && velocity_[i] * velocity_[i - 1] <= 0);
      for (std::size_t k = i - std::min(i, reach); is_turn && k < std::min(n, i + reach + 1); ++k) turns[k] = 1;
    }
    const Equations e = equations(0, stribeck_shares[1] * fastest_);
    std::vector<std::size_t> far;
    for (const std::size_t i : estimation_)
      if (!turns[i]) far.push_back(i);
    level_ = 0.5 * (high_ - low_);
    double noise = 0, middle = 0.5 * (high_ + low_);
    if (far.size() >= fewest_rows) {
      const Solved s = solve(e, far);
      level_ = std::max(level_, std::fabs(s.theta[1]));
      if (!(high_ > low_)) middle = s.theta[0];
      const Equations some = of_rows(e, far);
      noise = (some.left - some.columns * s.theta).squaredNorm() / static_cast<double>(far.size());
    }
    const std::vector<double> force = through_low_pass(d_, force_);
    strong_.assign(n, 0);
    weights_.resize(static_cast<Eigen::Index>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const double error = level_ * (turns[i] ? turn_error : law_error);
      strong_[i] = turns[i] && std::fabs(force[i] - middle) > beyond_friction * level_ ? 1 : 0;
      const bool counts = !turns[i] || strong_[i] > 0;
      weights_[static_cast<Eigen::Index>(i)] = counts && level_ > 0 ? 1 / std::sqrt(error * error + noise) : 0;
    }
  }
  std::size_t strong_of(const std::vector<std::size_t>& rows) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](std::size_t i) { return strong_[i] > 0; }));
  }
  std::size_t reach_of_low_pass() const {
    const double period = std::isfinite(d_.used.cutoff_hz) ? 1 / (d_.used.cutoff_hz * d_.sampling_time) : 0;
    return static_cast<std::size_t>(2 * period + most_lag) + 2;
  }

  Equations equations(double lag, double v_s) const {
    const std::size_t n = force_.size();
    std::vector<double> way(n), slow(n);
    for (std::size_t i = 0; i < n; ++i) {
      way[i] = moves_[i] * (velocity_[i] > 0 ? 1 : velocity_[i] < 0 ? -1 : 0);
      slow[i] = way[i] * std::exp(-std::fabs(velocity_[i]) / v_s);
    }
    const std::vector<double> moves = shifted_by_lines(moves_, lag);
    std::vector<double> left(n);
    for (std::size_t i = 0; i < n; ++i) left[i] = force_[i] - (1 - moves[i]) * std::clamp(force_[i], low_, high_);
    const std::array<std::vector<double>, 6> series{through_low_pass(d_, left),
                                                    through_low_pass(d_, moves),
                                                    through_low_pass(d_, shifted_by_lines(way, lag)),
                                                    through_low_pass(d_, shifted_by_lines(slow, lag)),
                                                    shifted(velocity_, lag),
                                                    shifted(acceleration_, lag)};
    Equations e{Eigen::Map<const Eigen::VectorXd>(series[0].data(), static_cast<Eigen::Index>(n)),
                Eigen::MatrixXd(static_cast<Eigen::Index>(n), 5)};
    for (Eigen::Index k = 0; k < 5; ++k)
      e.columns.col(k) =
          Eigen::Map<const Eigen::VectorXd>(series[static_cast<std::size_t>(k) + 1].data(), e.left.size());
    return e;
  }

  Equations of_rows(const Equations& e, const std::vector<std::size_t>& rows) const {
    const auto n = static_cast<Eigen::Index>(rows.size());
    Equations some{Eigen::VectorXd(n), Eigen::MatrixXd(n, e.columns.cols())};
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto from = static_cast<Eigen::Index>(rows[static_cast<std::size_t>(i)]);
      const double weight = weights_.size() > 0 ? weights_[from] : 1;
      some.left[i] = weight * e.left[from], some.columns.row(i) = weight * e.columns.row(from);
    }
    return some;
  }
  static Eigen::VectorXd least(const Eigen::MatrixXd& columns, const Eigen::VectorXd& left) {
    Eigen::VectorXd scale = columns.colwise().norm();
    for (double& s : scale) s = s > 0 ? 1 / s : 0;
    const Eigen::MatrixXd scaled = columns * scale.asDiagonal();
    const Eigen::MatrixXd products = scaled.transpose() * scaled;
    const Eigen::VectorXd right = scaled.transpose() * left;
    return scale.asDiagonal() * least_solution(products, right);
  }
  Solved solve(const Equations& all, const std::vector<std::size_t>& rows) const {
    const Equations e = of_rows(all, rows);
    Solved s;
    s.theta = least(e.columns, e.left);
    if (s.theta[4] > 0) s.squares = (e.left - e.columns * s.theta).squaredNorm();
    return s;
  }

  /// (2), and whether both sets say the same.
  std::optional<DriveLag> judged(const std::vector<std::size_t>& rows, const std::array<double, 3>& lags,
                                 double squares_at_once) const {
    const double lag = lags[0];
    double v_s = 0;
    Solved best;
    for (const double share : stribeck_shares)
      if (const Solved s = solve(equations(lag, share * fastest_), rows); s.squares < best.squares)
        best = s, v_s = share * fastest_;
    if (!std::isfinite(best.squares)) return {};
    const Equations here = of_rows(equations(lag, v_s), rows), later = of_rows(equations(lag + 1, v_s), rows),
                    earlier = of_rows(equations(lag - 1, v_s), rows);
    const Eigen::VectorXd errors = here.left - here.columns * best.theta;
    Eigen::VectorXd slope = ((later.left - earlier.left) - (later.columns - earlier.columns) * best.theta) / 2;
    slope -= here.columns * least(here.columns, slope);
    double scores = 0;
    const Eigen::Index n = errors.size(),
                       length = std::max<Eigen::Index>(1, n / static_cast<Eigen::Index>(time_blocks));
    for (Eigen::Index from = 0; from < n; from += length) {
      const Eigen::Index count = std::min(length, n - from);
      scores += std::pow(errors.segment(from, count).dot(slope.segment(from, count)), 2);
    }
    // what the two sets say differently counts, too
    const double error = std::hypot(std::sqrt(scores) / slope.squaredNorm(), 0.5 * (lags[1] - lags[2]));
    if (std::fabs(lag) > most_lag) return {};
    if (!(std::fabs(lag) > std::max(least_lag, errors_beyond * error))) return {};
    const double all = here.left.squaredNorm();
    return DriveLag{lag * d_.sampling_time, error * d_.sampling_time, squares_at_once / all, best.squares / all};
  }

  const Prepared& d_;
  std::size_t first_ = 0;
  std::vector<double> position_, velocity_, acceleration_, force_, moves_;
  double fastest_ = 0, low_ = 0, high_ = 0, level_ = 0;
  std::vector<char> strong_;  // near rest or reversal, and plainly more than friction
  Eigen::VectorXd weights_;
  std::vector<std::size_t> estimation_, validation_;
};

}  // namespace

std::optional<DriveLag> drive_lag(const Sets& sets, const AdditiveLoad& load) {
  const Piece* longest = nullptr;
  for (const Piece& piece : sets.pieces)
    if (piece.data.acceleration.size() == piece.data.size() && !piece.estimation.empty() && !piece.validation.empty() &&
        (!longest || piece.data.size() > longest->data.size()))
      longest = &piece;
  if (!longest) return {};
  auto found = LagSearch(*longest, load).found();
  if (!found || !std::isfinite(longest->data.used.cutoff_hz)) return found;
  Piece quiet = *longest;
  auto data = with_cutoff(longest->data, other_cutoff * longest->data.used.cutoff_hz);
  if (!data) return found;
  quiet.data = std::move(*data);
  const auto there = LagSearch(quiet, load).least_lag_of_all();
  if (!there) return {};  // it was in the band that has most of the noise
  found->error = std::hypot(found->error, found->lag - *there);
  if (!(std::fabs(found->lag) > errors_beyond * found->error)) return {};
  return found;
}

}  // namespace stickslip::inline identification
