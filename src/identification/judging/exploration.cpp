#include "identification/judging/exploration.hpp"

#include <algorithm>
#include <cmath>

#include "core/normal_equations.hpp"
#include "core/text.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double asks_above = 0.03;
constexpr std::size_t least_samples = 100;

/// Samples of estimation that move.
struct Moving {
  std::vector<double> error, position, velocity, load, pressure, temperature;
};

Moving moving_samples(const FitData& data, const std::vector<std::vector<double>>& predictions) {
  Moving m;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const FitPiece& p = data.pieces[k];
    const auto &x = p.motion.position, &t = p.motion.time;
    for (const Stretch& s : p.estimation.stretches())
      for (std::size_t i = std::max<std::size_t>(s.first, 1); i < std::min(s.first + s.count, predictions[k].size());
           ++i) {
        if (p.may_rest[i] || x[i] == x[i - 1]) continue;
        m.error.push_back(p.force[i] - predictions[k][i]);
        m.position.push_back(x[i]);
        m.velocity.push_back((x[i] - x[i - 1]) / (t[i] - t[i - 1]));
        if (!p.motion.load.empty()) m.load.push_back(p.motion.load[i]);
        if (!p.motion.pressure.empty()) m.pressure.push_back(p.motion.pressure[i]);
        if (!p.motion.temperature.empty()) m.temperature.push_back(p.motion.temperature[i]);
      }
  }
  return m;
}

Eigen::VectorXd vector_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

/// Between −1 and 1 over its range; nothing where it never changes.
std::optional<Eigen::VectorXd> place_in_range(const std::vector<double>& v, std::size_t samples) {
  if (v.size() != samples || v.empty()) return {};
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  if (!(*high - *low > 1e-6 * std::max(std::fabs(*low), std::fabs(*high)))) return {};
  return (2 * (vector_of(v).array() - *low) / (*high - *low) - 1).matrix();
}

double left_by(const Eigen::MatrixXd& columns, const Eigen::VectorXd& error) {
  const Eigen::VectorXd fitted = columns * least_squares(columns, error);
  return (error - fitted).squaredNorm();
}

}  // namespace

std::vector<Question> questions(const FitData& data, const std::vector<std::vector<double>>& predictions) {
  const Moving m = moving_samples(data, predictions);
  const auto n = static_cast<Eigen::Index>(m.error.size());
  std::vector<Question> out;
  if (m.error.size() < least_samples) return out;
  const Eigen::VectorXd error = vector_of(m.error), v = vector_of(m.velocity), side = v.cwiseSign();
  const double fastest = std::max(v.cwiseAbs().maxCoeff(), 1e-300);
  Eigen::MatrixXd base(n, 3);
  base << Eigen::VectorXd::Ones(n), side, v / fastest;
  const double plain = left_by(base, error);
  const auto ask = [&](const std::string& what, const std::vector<Eigen::VectorXd>& columns) {
    Eigen::MatrixXd all(n, 3 + static_cast<Eigen::Index>(columns.size()));
    all.leftCols(3) = base;
    for (std::size_t k = 0; k < columns.size(); ++k) all.col(3 + static_cast<Eigen::Index>(k)) = columns[k];
    Question q;
    q.share = plain > 0 ? std::max(0.0, 1 - left_by(all, error) / plain) : 0;
    q.is_asked = q.share > asks_above;
    q.sentence = what + " explains " + significant(100 * q.share, 2) +
                 " % of the squared errors: " + (q.is_asked ? "tried" : "not tried");
    return q;
  };
  const Eigen::VectorXd speed = v.cwiseAbs() / fastest;
  Question direction = ask("direction", {speed, (-10 * speed.array()).exp().matrix()});
  direction.per_direction = true;
  if (!data.scales.one_way) out.push_back(direction);
  const auto over = [&](const char* name, const std::vector<double>& values, Quantity quantity, std::size_t degree) {
    const auto u = place_in_range(values, m.error.size());
    if (!u) return;
    std::vector<Eigen::VectorXd> columns{side.cwiseProduct(*u)};
    if (degree > 1) columns.push_back(columns.front().cwiseProduct(*u));
    Question q = ask(name, columns);
    q.over = VariationRequest{.key = "", .over = quantity, .degree = degree};
    out.push_back(q);
  };
  over("position", m.position, Quantity::position, 2);
  over("load", m.load, Quantity::load, 1);
  over("pressure", m.pressure, Quantity::pressure, 1);
  over("temperature", m.temperature, Quantity::temperature, 1);
  return out;
}

double direction_asked(const std::vector<Question>& asked) {
  for (const Question& q : asked)
    if (q.per_direction && q.is_asked) return 100 * q.share;
  return 0;
}

}  // namespace stickslip::inline identification
