#include "identification/maxwell_fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "identification/random.hpp"

namespace stickslip {

namespace {

BoundedLeastSquares inner_of(const MaxwellProblem& problem) {
  std::vector<double> low, high;
  for (const auto& s : problem.solved()) low.push_back(s.low), high.push_back(s.high);
  return {low, high};
}

struct Element {
  double threshold, stiffness;
  double weight() const { return threshold * stiffness; }  // its share of the sliding force
};

/// (3): the neighbours whose union changes least become one, until `count` are left.
std::vector<Element> merged(std::vector<Element> elements, std::size_t count) {
  while (elements.size() > count) {
    std::size_t closest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
      const Element &a = elements[i], &b = elements[i + 1];
      const double apart = std::log(b.threshold / a.threshold);
      const double change = a.weight() * b.weight() / (a.weight() + b.weight()) * apart * apart;
      if (change < least) least = change, closest = i;
    }
    Element& a = elements[closest];
    const Element& b = elements[closest + 1];
    const double stiffness = a.stiffness + b.stiffness;
    a = {(a.weight() + b.weight()) / stiffness, stiffness};
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(closest) + 1);
  }
  return elements;
}

/// Adds the place that helps most until there are `count`, all different: two operators in one place are one, and no
/// slope would ever part them.
void add_greedily(ThresholdTable& table, std::vector<std::size_t>& places, std::size_t count) {
  while (places.size() < count) {
    places.push_back(0);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (std::find(places.begin(), places.end() - 1, k) != places.end() - 1) continue;
      places.back() = k;
      if (const double cost = table.cost(places); cost < least) least = cost, best = k;
    }
    places.back() = best;
  }
}

/// (4) for single operators; true if it helped.
bool exchange_one(ThresholdTable& table, std::vector<std::size_t>& places, double& least) {
  bool helped = false;
  for (std::size_t& place : places) {
    std::size_t best = place;
    for (std::size_t k = 0; k < table.size(); ++k) {
      place = table.size();  // of nobody while it moves
      if (std::find(places.begin(), places.end(), k) != places.end()) continue;
      place = k;
      if (const double cost = table.cost(places); cost < least * (1 - 1e-9)) least = cost, best = k, helped = true;
    }
    place = best;
  }
  return helped;
}

/// (4) for pairs; true if it helped.
bool exchange_two(ThresholdTable& table, std::vector<std::size_t>& places, double& least) {
  bool helped = false;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      std::size_t best_i = places[i], best_j = places[j];
      places[i] = places[j] = table.size();
      const std::vector<std::size_t> others = places;
      const auto is_taken = [&](std::size_t k) { return std::find(others.begin(), others.end(), k) != others.end(); };
      for (std::size_t a = 0; a < table.size(); ++a)
        for (std::size_t b = a + 1; b < table.size(); ++b) {
          if (is_taken(a) || is_taken(b)) continue;
          places[i] = a, places[j] = b;
          if (const double cost = table.cost(places); cost < least * (1 - 1e-9))
            least = cost, best_i = a, best_j = b, helped = true;
        }
      places[i] = best_i, places[j] = best_j;
    }
  return helped;
}

void exchange(ThresholdTable& table, std::vector<std::size_t>& places) {
  double least = table.cost(places);
  do {
    while (exchange_one(table, places, least)) {
    }
  } while (exchange_two(table, places, least));
}

/// Places within a share `width` around each threshold, the threshold itself among them.
std::vector<double> grid_around(std::span<const double> thresholds, double width, std::size_t each,
                                const MaxwellBounds& bounds) {
  std::vector<double> out(thresholds.begin(), thresholds.end());
  for (const double threshold : thresholds)
    for (std::size_t k = 0; k < each; ++k) {
      const double offset = 2 * (static_cast<double>(k) + 0.5) / static_cast<double>(each) - 1;
      const double place = threshold * std::exp(width * offset);
      if (place > bounds.lowest && place < bounds.highest) out.push_back(place);
    }
  return out;
}

std::vector<double> grid_of(const MaxwellBounds& bounds, std::size_t grid) {
  if (grid < 4) throw Error("threshold dictionary: a grid of " + std::to_string(grid) + "; at least 4 are needed");
  std::vector<double> out(grid);
  for (std::size_t k = 0; k < grid; ++k)
    out[k] = bounds.lowest *
             std::pow(bounds.highest / bounds.lowest, static_cast<double>(k) / static_cast<double>(grid - 1));
  return out;
}

}  // namespace

ThresholdTable::ThresholdTable(const MaxwellProblem& problem, std::vector<double> thresholds)
    : thresholds_(std::move(thresholds)),
      lags_(problem.order().deflection_lags + 1),
      others_(problem.solved().size() - lags_ * problem.order().operators),
      operators_(problem.order().operators),
      inner_(inner_of(problem)),
      theta_(inner_.size()) {
  MaxwellOrder all = problem.order();
  all.operators = thresholds_.size();
  MaxwellProblem dictionary(problem.data(), all, problem.bounds(), problem.direction());
  const auto columns = static_cast<Eigen::Index>(dictionary.solved().size() + 1);
  Eigen::MatrixXd block(block_rows, columns);
  products_.setZero(columns, columns);
  dictionary.start(thresholds_);
  auto left = static_cast<Eigen::Index>(dictionary.rows());
  while (left > 0) {
    const Eigen::Index count = std::min(left, block_rows);
    dictionary.next(count, block);
    products_.selfadjointView<Eigen::Lower>().rankUpdate(block.topRows(count).transpose());
    left -= count;
  }
  products_.triangularView<Eigen::StrictlyUpper>() = products_.transpose();
  part_.resize(inner_.size() + 1, inner_.size() + 1);
  columns_.reserve(static_cast<std::size_t>(columns));
}

std::size_t ThresholdTable::nearest(double threshold) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < thresholds_.size(); ++k)
    if (std::fabs(std::log(thresholds_[k] / threshold)) < std::fabs(std::log(thresholds_[best] / threshold))) best = k;
  return best;
}

double ThresholdTable::cost(std::span<const std::size_t> places) {
  columns_.clear();
  for (const std::size_t place : places)
    for (std::size_t r = 0; r < lags_; ++r) columns_.push_back(static_cast<Eigen::Index>(place * lags_ + r));
  // A greedy start has fewer operators than the problem: the missing ones repeat the first, which changes nothing.
  for (std::size_t i = places.size(); i < operators_; ++i)
    for (std::size_t r = 0; r < lags_; ++r) columns_.push_back(static_cast<Eigen::Index>(places[0] * lags_ + r));
  for (std::size_t r = 0; r <= others_; ++r)
    columns_.push_back(static_cast<Eigen::Index>(thresholds_.size() * lags_ + r));
  const auto n = static_cast<Eigen::Index>(columns_.size());
  assert(n == part_.rows());
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i)
      part_(i, j) = products_(columns_[static_cast<std::size_t>(i)], columns_[static_cast<std::size_t>(j)]);
  return inner_.solve(part_, theta_);
}

std::vector<double> ThresholdTable::non_negative_stiffnesses() const {
  const std::size_t grid = thresholds_.size();
  std::vector<double> low(grid, 0.0), high(grid + 1, unbounded);
  low.push_back(-unbounded);
  BoundedLeastSquares all(low, high);
  std::vector<Eigen::Index> columns;
  for (std::size_t k = 0; k < grid; ++k) columns.push_back(static_cast<Eigen::Index>(k * lags_));
  columns.push_back(products_.rows() - 2);
  columns.push_back(products_.rows() - 1);
  const Eigen::MatrixXd part = products_(columns, columns);
  Eigen::VectorXd theta(all.size());
  all.solve(part, theta);
  return {theta.data(), theta.data() + grid};
}

Refined fit_maxwell(MaxwellProblem& problem, const DictionaryOptions& options) {
  const std::size_t count = problem.order().operators;
  if (options.grid <= count)
    throw Error("threshold dictionary: a grid of " + std::to_string(options.grid) + " for " + std::to_string(count) +
                " operators; it must have more places than operators");
  ThresholdTable table(problem, grid_of(problem.bounds(), options.grid));
  SeparableFit fit(problem);
  std::vector<Element> dictionary;
  const auto stiffnesses = table.non_negative_stiffnesses();
  for (std::size_t k = 0; k < stiffnesses.size(); ++k)
    if (stiffnesses[k] > 0) dictionary.push_back({table.threshold(k), stiffnesses[k]});

  std::vector<std::vector<std::size_t>> on_grid(2);
  for (const Element& e : merged(dictionary, count))
    if (const auto place = table.nearest(e.threshold); on_grid[0].empty() || on_grid[0].back() != place)
      on_grid[0].push_back(place);
  for (auto& places : on_grid) {
    add_greedily(table, places, count);
    exchange(table, places);
    std::sort(places.begin(), places.end());
  }
  if (on_grid[0] == on_grid[1]) on_grid.pop_back();

  Refined best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const auto& places : on_grid) {
    std::vector<double> start;
    for (const std::size_t place : places) start.push_back(table.threshold(place));
    Refined found = fit.refine(start, options.refine);
    if (found.cost < best.cost) best = found;
  }
  {
    ThresholdTable narrow(problem, grid_around(best.searched, 0.25, options.narrow_grid, problem.bounds()));
    std::vector<std::size_t> places(count);
    std::iota(places.begin(), places.end(), std::size_t{0});
    exchange(narrow, places);
    std::vector<double> start;
    for (const std::size_t place : places) start.push_back(narrow.threshold(place));
    Refined found = fit.refine(start, options.refine);
    if (found.cost < best.cost) best = found;
  }
  // Neighbouring minima: a few steps from each kicked start tell which ones are worth the rest.
  Random kicks(options.seed);
  std::vector<Refined> tried;
  for (std::size_t k = 0; k < options.kicks; ++k) {
    std::vector<double> start = best.searched;
    for (double& threshold : start) threshold *= std::exp(0.08 * kicks.normal());
    tried.push_back(fit.refine(start, {.most_steps = 6, .least_gain = 1e-6}));
  }
  std::stable_sort(tried.begin(), tried.end(), [](const Refined& a, const Refined& b) { return a.cost < b.cost; });
  tried.resize(std::min<std::size_t>(tried.size(), 3));
  for (const Refined& t : tried) {
    Refined found = fit.refine(t.searched, options.refine);
    if (found.cost < best.cost) best = found;
  }
  // The last digits lie across kinks of the cost, where slopes mislead: a simplex needs none.
  std::vector<double> coordinates;
  for (std::size_t k = 0; k < count; ++k) coordinates.push_back(problem.searched()[k].coordinate(best.searched[k]));
  const auto polished =
      nelder_mead([&](std::span<const double> u) { return fit.cost_at(u); }, coordinates, options.polish);
  if (polished.cost < best.cost) {
    best.cost = polished.cost;
    for (std::size_t k = 0; k < count; ++k) best.searched[k] = problem.searched()[k].value(polished.at[k]);
  }
  sort_operators(problem.order(), best.searched, best.solved);
  best.cost = fit.sharpen(best.searched, best.solved);
  best.evaluations = static_cast<int>(fit.evaluations());
  return best;
}

MaxwellBounds threshold_bounds(std::span<const double> position, const DominantExtreme& start) {
  double travel = 0;
  std::size_t moves = 0;
  for (std::size_t i = 1; i < position.size(); ++i) {
    travel += std::fabs(position[i] - position[i - 1]);
    moves += position[i] != position[i - 1];
  }
  const double step = moves > 0 ? travel / static_cast<double>(moves) : 0;
  const double highest = 0.9 * start.largest_threshold;
  const double lowest = std::min(std::max(0.25 * step, 1e-4 * highest), 0.2 * highest);
  return {.lowest = lowest, .highest = highest};
}

void sort_operators(const MaxwellOrder& order, std::vector<double>& thresholds, std::vector<double>& factors) {
  std::vector<std::size_t> by_size(thresholds.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t a, std::size_t b) { return thresholds[a] < thresholds[b]; });
  const std::vector<double> old_thresholds = thresholds, old_factors = factors;
  const std::size_t lags = order.deflection_lags + 1;
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    thresholds[i] = old_thresholds[by_size[i]];
    for (std::size_t r = 0; r < lags; ++r) factors[i * lags + r] = old_factors[by_size[i] * lags + r];
  }
}

}  // namespace stickslip
