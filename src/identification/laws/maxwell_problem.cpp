#include "identification/laws/maxwell_problem.hpp"

#include <algorithm>
#include <cassert>

#include "core/error.hpp"
#include "identification/lanes/lane_products.hpp"
#include "identification/search/bounded_least_squares.hpp"

namespace stickslip::inline identification {

namespace {
/// y and its differences, from the new y: ∇^r y(t) = ∇^{r−1} y(t) − ∇^{r−1} y(t−1).
inline void push(double* differences, std::size_t lags, double newest) {
  for (std::size_t r = 0; r < lags; ++r) {
    const double older = differences[r];
    differences[r] = newest;
    newest -= older;
  }
}
}  // namespace

MaxwellProblem::MaxwellProblem(const MotionForce& data, MaxwellOrder order, MaxwellBounds bounds, Direction start)
    : data_(data),
      order_(order),
      bounds_(bounds),
      direction_(start),
      past_(std::max(order.deflection_lags, order.position_lags.value_or(0))),
      lags_(order.deflection_lags + 1) {
  if (order.operators == 0) throw Error("maxwell-slip regression: 0 operators; at least 1 is needed");
  if (lags_ > extended_maxwell_slip::most_lags)
    throw Error("maxwell-slip regression: n = " + std::to_string(order.deflection_lags) + "; at most " +
                std::to_string(extended_maxwell_slip::most_lags - 1) + " past deflections are supported");
  if (order.position_lags && *order.position_lags + 1 > max_elements)
    throw Error("maxwell-slip regression: n_x = " + std::to_string(*order.position_lags) + "; at most " +
                std::to_string(max_elements - 1) + " past positions are supported");
  if (!(bounds.lowest > 0 && bounds.highest > bounds.lowest))
    throw Error("maxwell-slip regression: thresholds need bounds with 0 < lowest < highest");
  require_usable(data, past_ + order.parameters() + 1);

  const bool is_plain = order.deflection_lags == 0 && !order.position_lags;
  const double least = is_plain && bounds.signs == StiffnessSigns::non_negative ? 0 : -unbounded;
  for (std::size_t i = 0; i < order.operators; ++i) {
    const std::string number = std::to_string(i + 1);
    searched_.push_back({"threshold " + number, bounds.lowest, bounds.highest, Scale::logarithmic});
    for (std::size_t r = 0; r < lags_; ++r)
      solved_.push_back(
          {is_plain ? "stiffness " + number : "deflection " + number + ", difference " + std::to_string(r), least,
           unbounded});
  }
  if (order.position_lags)
    for (std::size_t r = 0; r <= *order.position_lags; ++r)
      solved_.push_back({"position, difference " + std::to_string(r), -unbounded, unbounded});
  solved_.push_back({"offset", -unbounded, unbounded});

  threshold_.resize(order.operators);
  deflection_.resize(order.operators);
  slope_.resize(order.operators);
  differences_.resize(order.operators * lags_);
  slope_differences_.resize(order.operators * lags_);
  position_differences_.resize(order.position_lags ? *order.position_lags + 1 : 0);
  factors_.resize(order.operators * lags_);
  const std::size_t positions = position_differences_.size();
  if (order.operators > most_lane_operators || lags_ > most_lane_lags || positions > most_lane_positions) return;
  steps_.resize(data.size(), 0.0);
  for (std::size_t i = 1; i < steps_.size(); ++i) steps_[i] = data.position[i] - data.position[i - 1];
  for (std::size_t i = 0; positions > 0 && i < data.size(); ++i) {
    push(position_differences_.data(), positions, data.position[i] - data.position[0]);
    lane_positions_.insert(lane_positions_.end(), position_differences_.begin(), position_differences_.end());
  }
}

bool MaxwellProblem::products_in_lanes(std::span<const double> thresholds, std::span<double> products) const {
  if (steps_.empty()) return false;
  if (lags_ == 1 && !order_.position_lags)
    sum_products(MaxwellProducts{.steps = steps_,
                                 .force = data_.force,
                                 .side = number(direction_),
                                 .operators = order_.operators,
                                 .thresholds = thresholds,
                                 .products = products});
  else
    sum_products(LaggedProducts{.steps = steps_,
                                .force = data_.force,
                                .position_differences = lane_positions_,
                                .side = number(direction_),
                                .past = past_,
                                .operators = order_.operators,
                                .lags = lags_,
                                .positions = position_differences_.size(),
                                .thresholds = thresholds,
                                .products = products});
  return true;
}

void MaxwellProblem::start(std::span<const double> thresholds) {
  slopes_ = false;
  begin(thresholds);
}

void MaxwellProblem::start_with_slopes(std::span<const double> thresholds, std::span<const double> factors) {
  slopes_ = true;
  std::copy_n(factors.begin(), factors_.size(), factors_.begin());
  begin(thresholds);
}

void MaxwellProblem::begin(std::span<const double> thresholds) {
  assert(thresholds.size() == threshold_.size());
  std::copy(thresholds.begin(), thresholds.end(), threshold_.begin());
  const double side = number(direction_);
  std::fill(differences_.begin(), differences_.end(), 0.0);
  std::fill(slope_differences_.begin(), slope_differences_.end(), 0.0);
  std::fill(position_differences_.begin(), position_differences_.end(), 0.0);
  for (std::size_t i = 0; i < threshold_.size(); ++i) {
    deflection_[i] = side * threshold_[i];
    slope_[i] = side;
    differences_[i * lags_] = deflection_[i];
    slope_differences_[i * lags_] = side;
  }
  sample_ = 0;
  // The differences are complete after `past_` samples.
  Eigen::MatrixXd none;
  if (past_ > 0) next(static_cast<Eigen::Index>(past_), none);
}

void MaxwellProblem::next(Eigen::Index count, Eigen::MatrixXd& block) {
  const std::size_t operators = threshold_.size(), positions = position_differences_.size();
  const auto factors = static_cast<Eigen::Index>(operators * lags_);
  const Eigen::Index stride = block.rows();
  const bool is_written = block.size() > 0;
  for (Eigen::Index row = 0; row < count; ++row, ++sample_) {
    const double x = data_.position[sample_];
    const double dx = sample_ > 0 ? x - data_.position[sample_ - 1] : 0;
    for (std::size_t i = 0; i < operators; ++i) {
      const double moved = deflection_[i] + dx, d = threshold_[i];
      deflection_[i] = std::min(std::max(moved, -d), d);
      if (slopes_) slope_[i] = moved >= d ? 1 : moved <= -d ? -1 : slope_[i];
    }
    if (lags_ == 1) {
      std::copy(deflection_.begin(), deflection_.end(), differences_.begin());
      if (slopes_) std::copy(slope_.begin(), slope_.end(), slope_differences_.begin());
    } else {
      for (std::size_t i = 0; i < operators; ++i) {
        push(&differences_[i * lags_], lags_, deflection_[i]);
        if (slopes_) push(&slope_differences_[i * lags_], lags_, slope_[i]);
      }
    }
    // Positions count from the first one: less like the constant column.
    if (positions > 0) push(position_differences_.data(), positions, x - data_.position[0]);
    if (!is_written) continue;
    double* out = block.data() + row;
    for (Eigen::Index j = 0; j < factors; ++j, out += stride) *out = differences_[static_cast<std::size_t>(j)];
    for (std::size_t r = 0; r < positions; ++r, out += stride) *out = position_differences_[r];
    *out = 1;
    out += stride;
    if (slopes_)
      for (std::size_t i = 0; i < operators; ++i, out += stride) {
        double sum = 0;
        for (std::size_t r = 0; r < lags_; ++r) sum += factors_[i * lags_ + r] * slope_differences_[i * lags_ + r];
        *out = sum;
      }
    *out = data_.force[sample_];
  }
}

namespace {

/// Factors of differences as factors of lags: ∇^r y(t) = Σ_j (−1)^j C(r, j) y(t−j).
std::vector<double> as_lags(std::span<const double> differences) {
  std::vector<double> lags(differences.size(), 0.0), binomial(differences.size(), 0.0);
  for (std::size_t r = 0; r < differences.size(); ++r) {
    for (std::size_t j = r; j > 0; --j) binomial[j] -= binomial[j - 1];
    if (r == 0) binomial[0] = 1;
    for (std::size_t j = 0; j <= r; ++j) lags[j] += differences[r] * binomial[j];
  }
  return lags;
}

void require_room(const MaxwellProblem& problem) {
  if (problem.order().operators > max_elements)
    throw Error("maxwell-slip regression: " + std::to_string(problem.order().operators) +
                " operators; a model file holds at most " + std::to_string(max_elements));
}

}  // namespace

maxwell_slip::Model<double> maxwell_slip_model(const MaxwellProblem& problem, std::span<const double> thresholds,
                                               std::span<const double> factors) {
  require_room(problem);
  if (problem.order().deflection_lags > 0 || problem.order().position_lags)
    throw Error("maxwell-slip: lags need the model extended-maxwell-slip");
  maxwell_slip::Model<double> model;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    model.thresholds.push_back(thresholds[i]);
    model.stiffnesses.push_back(factors[i]);
  }
  model.offset = factors.back();
  return model;
}

extended_maxwell_slip::Model<double> extended_maxwell_slip_model(const MaxwellProblem& problem,
                                                                 std::span<const double> thresholds,
                                                                 std::span<const double> factors,
                                                                 double sampling_time) {
  require_room(problem);
  extended_maxwell_slip::Model<double> model;
  model.sampling_time = sampling_time;
  const std::size_t lags = problem.order().deflection_lags + 1;
  const std::array lists{&model.deflection_coefficients_0, &model.deflection_coefficients_1,
                         &model.deflection_coefficients_2, &model.deflection_coefficients_3};
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    model.thresholds.push_back(thresholds[i]);
    const auto by_lag = as_lags(factors.subspan(i * lags, lags));
    for (std::size_t r = 0; r < lags; ++r) lists[r]->push_back(by_lag[r]);
  }
  model.offset = factors.back();
  if (const auto& n_x = problem.order().position_lags) {
    const auto positions = factors.subspan(thresholds.size() * lags, *n_x + 1);
    for (const double c : as_lags(positions)) model.position_coefficients.push_back(c);
    model.offset -= positions[0] * problem.data().position[0];
  }
  return model;
}

}  // namespace stickslip::inline identification
