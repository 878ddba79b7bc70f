#include "identification/laws/maxwell_fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/random.hpp"
#include "identification/lanes/lane_products.hpp"
#include "identification/search/growing_factor.hpp"

namespace stickslip::inline identification {

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

/// Tries positions for operators of a table, column by column (growing_factor.hpp). Its costs ignore the signs of stiffnesses,
/// so they are lower bounds: most positions are excluded by them, for the others the full cost is computed.
class Exchange {
 public:
  Exchange(ThresholdTable& table, std::vector<std::size_t>& places)
      : table_(table), places_(places), factor_(table.products(), table.columns_of_all()) {}

  /// Adds the position that helps most until there are `count`, all different: two operators at one position are one, and no
  /// gradient would ever separate them.
  void add_greedily(std::size_t count) {
    while (places_.size() < count) {
      places_.push_back(nowhere);
      least_ = std::numeric_limits<double>::infinity();
      try_places(places_.size() - 1);
    }
  }
  /// (4) for single operators alone; the cost reached.
  double settle() {
    least_ = table_.cost(places_);
    while (one()) {
    }
    return least_;
  }
  /// (4) until nothing helps any more; the cost reached.
  double run() {
    least_ = table_.cost(places_);
    do {
      while (one()) {
      }
    } while (two());
    return least_;
  }

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  /// True if single operators found better places.
  bool one() {
    bool helped = false;
    for (std::size_t i = 0; i < places_.size(); ++i) helped = try_places(i) || helped;
    return helped;
  }
  /// The best place of operator i while the others stay.
  bool try_places(std::size_t i) {
    std::size_t best = places_[i];
    places_[i] = nowhere;
    const std::size_t fixed = push_others();
    bool helped = false;
    for (std::size_t k = 0; k < table_.size(); ++k) {
      if (is_taken(k)) continue;
      factor_.shrink(fixed);
      push(k);
      if (!(factor_.cost() < enough())) continue;
      places_[i] = k;
      if (accept()) best = k, helped = true;
      places_[i] = nowhere;
    }
    places_[i] = best;
    return helped;
  }
  /// The same for pairs.
  bool two() {
    bool helped = false;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (std::size_t j = i + 1; j < places_.size(); ++j) {
        std::size_t best_i = places_[i], best_j = places_[j];
        places_[i] = places_[j] = nowhere;
        const std::size_t fixed = push_others();
        for (std::size_t a = 0; a < table_.size(); ++a) {
          if (is_taken(a)) continue;
          factor_.shrink(fixed);
          push(a);
          const std::size_t with_a = factor_.size();
          for (std::size_t b = a + 1; b < table_.size(); ++b) {
            if (is_taken(b)) continue;
            factor_.shrink(with_a);
            push(b);
            if (!(factor_.cost() < enough())) continue;
            places_[i] = a, places_[j] = b;
            if (accept()) best_i = a, best_j = b, helped = true;
            places_[i] = places_[j] = nowhere;
          }
        }
        places_[i] = best_i, places_[j] = best_j;
      }
    return helped;
  }

  double enough() const { return least_ * (1 - 1e-9); }
  bool accept() {
    const double cost = table_.cost(places_);
    if (!(cost < enough()) && std::isfinite(least_)) return false;
    least_ = cost;
    return true;
  }
  bool is_taken(std::size_t k) const { return std::find(places_.begin(), places_.end(), k) != places_.end(); }
  void push(std::size_t place) {
    for (std::size_t r = 0; r < table_.lags(); ++r) factor_.push(static_cast<Eigen::Index>(place * table_.lags() + r));
  }
  /// Everything but the operators without a position; the number of columns.
  std::size_t push_others() {
    factor_.clear();
    for (std::size_t r = 0; r < table_.others(); ++r)
      factor_.push(static_cast<Eigen::Index>(table_.size() * table_.lags() + r));
    for (const std::size_t place : places_)
      if (place != nowhere) push(place);
    return factor_.size();
  }

  ThresholdTable& table_;
  std::vector<std::size_t>& places_;
  GrowingFactor factor_;
  double least_ = 0;
};

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
      beside_(1),
      inner_(inner_of(problem)),
      theta_(Eigen::VectorXd::Zero(inner_.size())) {
  DictionaryProducts task;
  task.position = problem.data().position;
  task.force = problem.data().force;
  task.side = number(problem.direction());
  task.past = problem.past();
  task.lags = lags_;
  task.positions = others_ - 1;
  task.thresholds = thresholds_;
  const auto columns = static_cast<Eigen::Index>(task.columns());
  products_.resize(columns, columns);
  task.products = {products_.data(), static_cast<std::size_t>(products_.size())};
  std::vector<double> workspace(dictionary_workspace(task));
  task.workspace = workspace;
  sum_products(task);
  part_.resize(inner_.size() + 1, inner_.size() + 1);
  columns_.reserve(static_cast<std::size_t>(columns));
}

ThresholdTable::ThresholdTable(std::vector<double> thresholds, Eigen::MatrixXd products, std::size_t operators,
                               const BoundedLeastSquares& inner)
    : thresholds_(std::move(thresholds)),
      lags_(1),
      others_(static_cast<std::size_t>(products.rows()) - thresholds_.size() - 1),
      operators_(operators),
      beside_(others_),
      products_(std::move(products)),
      inner_(inner),
      theta_(Eigen::VectorXd::Zero(inner_.size())) {
  assert(inner_.size() == static_cast<Eigen::Index>(operators_ + others_));
  part_.resize(inner_.size() + 1, inner_.size() + 1);
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
  return inner_.solve_from(part_, theta_);
}

std::vector<double> ThresholdTable::non_negative_stiffnesses() const {
  const std::size_t grid = thresholds_.size();
  std::vector<double> low(grid, 0.0), high(grid, unbounded);
  std::vector<Eigen::Index> columns;
  for (std::size_t k = 0; k < grid; ++k) columns.push_back(static_cast<Eigen::Index>(k * lags_));
  for (std::size_t o = beside_; o > 0; --o) {
    low.push_back(inner_.low(inner_.size() - static_cast<Eigen::Index>(o)));
    high.push_back(inner_.high(inner_.size() - static_cast<Eigen::Index>(o)));
    columns.push_back(products_.rows() - 1 - static_cast<Eigen::Index>(o));
  }
  columns.push_back(products_.rows() - 1);
  BoundedLeastSquares all(low, high);
  const Eigen::MatrixXd part = products_(columns, columns);
  Eigen::VectorXd theta(all.size());
  all.solve(part, theta);
  return {theta.data(), theta.data() + grid};
}

namespace {

/// (4) on a table around thresholds that become the best found there; the cost.
double exchange_around(const TableOf& table_of, std::vector<double>& thresholds, std::vector<double> grid) {
  ThresholdTable table = table_of(std::move(grid));
  std::vector<std::size_t> places(thresholds.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const double cost = Exchange(table, places).run();
  for (std::size_t i = 0; i < places.size(); ++i) thresholds[i] = table.threshold(places[i]);
  return cost;
}

/// (5): narrower and narrower tables, from one width to another or until three of them give no gain: a table whose positions are too far
/// apart finds none better, whatever lies between them. A table in which a threshold moved far is repeated with the same width.
double close_in(const TableOf& table_of, const MaxwellBounds& bounds, std::vector<double>& thresholds, double width,
                double last, std::size_t each) {
  constexpr int enough = 3;
  double cost = std::numeric_limits<double>::infinity();
  for (int tables = 0, without_gain = 0; width > last && tables < 40 && without_gain < enough; ++tables) {
    const std::vector<double> before = thresholds;
    const double found = exchange_around(table_of, thresholds, grid_around(thresholds, width, each, bounds));
    without_gain = cost - found > 1e-8 * found || width >= 0.01 ? 0 : without_gain + 1;
    cost = found;
    double moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      moved = std::max(moved, std::fabs(std::log(thresholds[i] / before[i])));
    if (moved < 0.6 * width) width *= 0.28;  // somewhat more than the distance of two places
  }
  return cost;
}

struct Placed {
  std::vector<std::size_t> places;
  double cost;
};
/// (4) for single operators from every start, then in full from the best few that differ; best first.
std::vector<Placed> best_of(ThresholdTable& table, std::vector<Placed> starts, std::size_t few) {
  for (Placed& p : starts) {
    p.cost = Exchange(table, p.places).settle();
    std::sort(p.places.begin(), p.places.end());
  }
  const auto by_cost = [](const Placed& a, const Placed& b) { return a.cost < b.cost; };
  const auto order_and_thin = [&] {
    std::stable_sort(starts.begin(), starts.end(), by_cost);
    const auto same = [](const Placed& a, const Placed& b) { return a.places == b.places; };
    starts.erase(std::unique(starts.begin(), starts.end(), same), starts.end());
    starts.resize(std::min(starts.size(), few));
  };
  order_and_thin();
  for (Placed& p : starts) {
    p.cost = Exchange(table, p.places).run();
    std::sort(p.places.begin(), p.places.end());
  }
  order_and_thin();
  return starts;
}

/// The start that non-negative stiffnesses suggest, the greedy one, and random ones.
std::vector<Placed> starts_on(ThresholdTable& table, std::size_t count, std::size_t random_starts, Random& random) {
  std::vector<Element> dictionary;
  const auto stiffnesses = table.non_negative_stiffnesses();
  for (std::size_t k = 0; k < stiffnesses.size(); ++k)
    if (stiffnesses[k] > 0) dictionary.push_back({table.threshold(k), stiffnesses[k]});
  std::vector<Placed> starts(2 + random_starts);
  for (const Element& e : merged(dictionary, count))
    if (const auto place = table.nearest(e.threshold); starts[0].places.empty() || starts[0].places.back() != place)
      starts[0].places.push_back(place);
  for (std::size_t s = 2; s < starts.size(); ++s)
    while (starts[s].places.size() < count) {
      const std::size_t place = random.below(table.size());
      auto& places = starts[s].places;
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
  for (Placed& p : starts) Exchange(table, p.places).add_greedily(count);
  return starts;
}

/// A random table around thresholds, searched from many sets of it at once; the best thresholds and their cost.
double shake(const TableOf& table_of, const MaxwellBounds& bounds, std::vector<double>& thresholds, std::size_t sets,
             Random& random) {
  const std::size_t count = thresholds.size();
  std::vector<double> grid = thresholds;
  for (std::size_t k = 0; k < sets * count; ++k) {
    const double spread = k / count % 2 == 0 ? 0.08 : 0.03;  // far and near
    grid.push_back(
        std::clamp(thresholds[k % count] * std::exp(spread * random.normal()), bounds.lowest, bounds.highest));
  }
  ThresholdTable table = table_of(std::move(grid));
  std::vector<Placed> starts(sets + 1);
  for (std::size_t s = 0; s < starts.size(); ++s)
    for (std::size_t i = 0; i < count; ++i) starts[s].places.push_back(s * count + i);
  const Placed best = best_of(table, std::move(starts), 3).front();
  for (std::size_t i = 0; i < count; ++i) thresholds[i] = table.threshold(best.places[i]);
  return best.cost;
}

}  // namespace

std::vector<double> search_thresholds(const TableOf& table_of, const MaxwellBounds& bounds, std::size_t operators,
                                      const DictionaryOptions& options) {
  if (options.grid <= operators)
    throw Error("threshold dictionary: a grid of " + std::to_string(options.grid) + " for " +
                std::to_string(operators) + " operators; it must have more places than operators");
  ThresholdTable table = table_of(grid_of(bounds, options.grid));
  Random random(options.seed);
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Placed& start :
       best_of(table, starts_on(table, operators, options.random_starts, random), options.followed)) {
    std::vector<double> thresholds;
    for (const std::size_t place : start.places) thresholds.push_back(table.threshold(place));
    const double cost = close_in(table_of, bounds, thresholds, 0.25, 0.05, options.narrow_grid);
    if (cost < least) best = thresholds, least = cost;
  }
  if (options.kicks > 0) shake(table_of, bounds, best, options.kicks, random);
  close_in(table_of, bounds, best, 0.03, options.last_width, options.narrow_grid);
  return best;
}

double close_in_on(const TableOf& table_of, const MaxwellBounds& bounds, std::vector<double>& thresholds,
                   const DictionaryOptions& options) {
  Random random(options.seed);
  if (options.kicks > 0) shake(table_of, bounds, thresholds, options.kicks, random);
  return close_in(table_of, bounds, thresholds, 0.03, options.last_width, options.narrow_grid);
}

Refined fit_maxwell(MaxwellProblem& problem, const DictionaryOptions& options) {
  const TableOf table_of = [&](std::vector<double> thresholds) {
    return ThresholdTable(problem, std::move(thresholds));
  };
  const std::vector<double> best = search_thresholds(table_of, problem.bounds(), problem.order().operators, options);

  SeparableFit fit(problem);
  Refined found = fit.refine(best, options.refine);
  sort_operators(problem.order(), found.searched, found.solved);
  found.cost = fit.sharpen(found.searched, found.solved);
  found.evaluations = static_cast<int>(fit.evaluations());
  return found;
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

}  // namespace stickslip::inline identification
