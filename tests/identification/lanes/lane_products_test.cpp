// Sums in lanes against plain sums, and no allocation on the way. The counter replaces operator new of this program.
#include "identification/lanes/lane_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/instruction_set.hpp"
#include "core/normal_equations.hpp"
#include "core/random.hpp"
#include "identification/laws/bristle_problem.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "identification/laws/maxwell_problem.hpp"
#include "identification/search/growing_factor.hpp"
#include "identification/search/separable_fit.hpp"
#include "machines/servo_pendulum/servo_batch.hpp"
#include "support/allocations.hpp"

namespace stickslip::lane_products_test {
namespace {

/// A smooth random motion of some 20 um and a force that follows it.
struct Motion {
  std::vector<double> time, position, velocity, force;
  explicit Motion(std::size_t count) {
    Random random(3);
    double x = 0, step = 0;
    for (std::size_t i = 0; i < count; ++i) {
      step += 1e-7 * random.normal() - 0.05 * step;
      x += step - 0.01 * x;
      time.push_back(4e-4 * static_cast<double>(i));
      position.push_back(x);
      force.push_back(1e5 * x + 0.1 * random.normal());
    }
    velocity = difference_velocity(time, position, 0);
  }
  MotionForce data() const { return {time, position, force}; }
};
const Motion& motion() {
  static const Motion made(1003);
  return made;
}

template <class Task>
void sum_with(InstructionSet set, const Task& task) {
  if (set == InstructionSet::baseline) return baseline::sum_products(task);
#if defined(__x86_64__)
  if (set == InstructionSet::avx2) return avx2::sum_products(task);
  return avx512::sum_products(task);
#endif
}
std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> out;
  for (const auto s : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (is_available(s)) out.push_back(s);
  return out;
}

/// [Φ F]ᵀ [Φ F] as the problem itself hands out its rows.
Eigen::MatrixXd plain_products(SeparableProblem& problem, std::span<const double> g) {
  const auto columns = static_cast<Eigen::Index>(problem.solved().size()) + 1;
  Eigen::MatrixXd block(block_rows, columns), sum = Eigen::MatrixXd::Zero(columns, columns);
  problem.start(g);
  for (auto left = static_cast<Eigen::Index>(problem.rows()); left > 0; left -= block_rows) {
    const Eigen::Index count = std::min(left, block_rows);
    problem.next(count, block);
    sum += block.topRows(count).transpose() * block.topRows(count);
  }
  return sum;
}
void expect_lower_triangle(const Eigen::MatrixXd& exact, const double* found, const std::string& what) {
  for (Eigen::Index j = 0; j < exact.cols(); ++j)
    for (Eigen::Index i = j; i < exact.rows(); ++i)
      EXPECT_NEAR(found[j * exact.rows() + i], exact(i, j), 1e-12 * std::sqrt(exact(i, i) * exact(j, j)))
          << what << ": " << i << ", " << j;
}

TEST(LaneProducts, SpringsSumUpLikeTheProblemItself) {
  for (std::size_t operators = 1; operators <= most_lane_operators; ++operators) {
    MaxwellProblem problem(motion().data(), {.operators = operators}, {.lowest = 1e-7, .highest = 1e-5},
                           Direction::backward);
    constexpr std::size_t candidates = 21;  // not a multiple of any width
    std::vector<double> thresholds, steps{0}, products(candidates * (operators + 2) * (operators + 2));
    Random random(operators);
    for (std::size_t i = 0; i < candidates * operators; ++i)
      thresholds.push_back(1e-7 * std::pow(100, random.uniform()));
    for (std::size_t i = 1; i < motion().position.size(); ++i)
      steps.push_back(motion().position[i] - motion().position[i - 1]);
    for (const auto set : available_sets()) {
      sum_with(set, MaxwellProducts{steps, motion().force, -1, operators, thresholds, products});
      for (std::size_t c = 0; c < candidates; ++c)
        expect_lower_triangle(plain_products(problem, std::span(thresholds).subspan(c * operators, operators)),
                              &products[c * (operators + 2) * (operators + 2)], std::string(name_of(set)));
    }
  }
}

TEST(LaneProducts, BristlesSumUpLikeTheProblemItself) {
  BristleProblem problem(motion().data(), motion().velocity, Direction::forward);
  constexpr std::size_t candidates = 19;
  std::vector<double> coordinates, g;
  Random random(5);
  for (std::size_t i = 0; i < candidates * 5; ++i) coordinates.push_back(random.uniform());
  for (std::size_t i = 0; i < coordinates.size(); ++i) g.push_back(problem.searched()[i % 5].value(coordinates[i]));
  std::vector<double> products(candidates * 25), shapes = g, log_speed;
  for (std::size_t i = 3; i < shapes.size(); i += 5) shapes[i] = std::log(shapes[i]);
  for (const double v : motion().velocity) log_speed.push_back(std::log(std::fabs(v)));
  const auto expect_all = [&](const std::string& what) {
    for (std::size_t c = 0; c < candidates; ++c)
      expect_lower_triangle(plain_products(problem, std::span(g).subspan(c * 5, 5)), &products[c * 25], what);
  };
  for (const auto set : available_sets()) {
    sum_with(set, BristleProducts{motion().velocity, log_speed, motion().force, 4e-4, shapes, products});
    expect_all(std::string(name_of(set)));
  }
  ASSERT_TRUE(problem.products_in_lanes(g, products));
  expect_all("chosen");
}

// Whatever is left of a block or a group at the end of a recording is summed up too; a standstill changes nothing.
TEST(LaneProducts, BristlesOfAnyLengthSumUpLikeTheProblemItself) {
  for (std::size_t rows = 16; rows < 70; ++rows) {
    std::vector<double> velocity(motion().velocity.begin(), motion().velocity.begin() + static_cast<long>(rows));
    velocity[5] = velocity[rows - 1] = 0;
    BristleProblem problem(motion().data().part(0, rows), velocity, Direction::forward);
    std::vector<double> g, products(25);
    for (const auto& s : problem.searched()) g.push_back(s.value(0.4));
    ASSERT_TRUE(problem.products_in_lanes(g, products));
    expect_lower_triangle(plain_products(problem, g), products.data(), std::to_string(rows));
  }
}

// Few sums and eq 1 of the kernel against all sums, for every order that runs in lanes.
TEST(LaneProducts, LaggedOperatorsSumUpLikeTheProblemItself) {
  for (std::size_t operators = 1; operators <= most_lane_operators; operators += 2)
    for (std::size_t lags = 1; lags <= most_lane_lags; ++lags)
      for (std::size_t positions = 0; positions <= most_lane_positions; ++positions) {
        if (lags == 1 && positions == 0) continue;
        MaxwellOrder order{.operators = operators, .deflection_lags = lags - 1};
        if (positions > 0) order.position_lags = positions - 1;
        MaxwellProblem problem(motion().data(), order, {.lowest = 1e-7, .highest = 1e-5}, Direction::backward);
        constexpr std::size_t candidates = 11;
        const std::size_t size = operators * lags + positions + 2;
        std::vector<double> thresholds, products(candidates * size * size), steps{0}, position_differences;
        Random random(lags + 10 * positions);
        for (std::size_t i = 0; i < candidates * operators; ++i)
          thresholds.push_back(1e-7 * std::pow(100, random.uniform()));
        for (std::size_t i = 1; i < motion().position.size(); ++i)
          steps.push_back(motion().position[i] - motion().position[i - 1]);
        // ∇^r x(t) = Σ_j (−1)^j C(r, j) x(t−j), with constant positions before the recording.
        for (std::size_t i = 0; i < motion().position.size(); ++i)
          for (std::size_t r = 0; r < positions; ++r) {
            double sum = 0, binomial = 1;
            for (std::size_t j = 0; j <= r; ++j) {
              sum += binomial * (i >= j ? motion().position[i - j] - motion().position[0] : 0);
              binomial *= -static_cast<double>(r - j) / static_cast<double>(j + 1);
            }
            position_differences.push_back(sum);
          }
        for (const auto set : available_sets()) {
          sum_with(set, LaggedProducts{steps, motion().force, position_differences, -1, problem.past(), operators, lags,
                                       positions, thresholds, products});
          for (std::size_t c = 0; c < candidates; ++c)
            expect_lower_triangle(plain_products(problem, std::span(thresholds).subspan(c * operators, operators)),
                                  &products[c * size * size],
                                  std::string(name_of(set)) + " " + std::to_string(operators) + " operators, " +
                                      std::to_string(lags) + " lags, " + std::to_string(positions) + " positions");
        }
      }
}

// A dictionary of all thresholds as operators of one problem: the same columns, so the same products.
TEST(LaneProducts, ADictionaryHasTheProductsOfItsColumns) {
  for (const auto& [lags, positions] : {std::pair{0u, 0u}, {3u, 3u}, {1u, 2u}}) {
    constexpr std::size_t count = 13;
    MaxwellOrder order{.operators = count, .deflection_lags = lags};
    if (positions > 0) order.position_lags = positions - 1;
    MaxwellProblem problem(motion().data(), order, {.lowest = 1e-7, .highest = 1e-5}, Direction::forward);
    std::vector<double> thresholds;
    for (std::size_t k = 0; k < count; ++k) thresholds.push_back(2e-7 * std::pow(1.3, double(k)));
    const Eigen::MatrixXd exact = plain_products(problem, thresholds);
    for (const auto set : available_sets()) {
      std::vector<double> products(static_cast<std::size_t>(exact.size()));
      DictionaryProducts task{.position = motion().position,
                              .force = motion().force,
                              .past = problem.past(),
                              .lags = lags + 1,
                              .positions = positions,
                              .thresholds = thresholds,
                              .products = products,
                              .workspace = {}};
      ASSERT_EQ(task.columns(), static_cast<std::size_t>(exact.rows()));
      std::vector<double> workspace(dictionary_workspace(task));
      task.workspace = workspace;
      sum_with(set, task);
      expect_lower_triangle(exact, products.data(), std::string(name_of(set)));
    }
  }
}

TEST(LaneProducts, ACandidateDependsNeitherOnItsLaneNorOnTheOthers) {
  BristleProblem problem(motion().data(), motion().velocity, Direction::forward);
  SeparableFit fit(problem);
  std::vector<double> coordinates(40 * 5), costs(40), one(1);
  Random random(9);
  for (double& u : coordinates) u = random.uniform();
  fit.costs_at(coordinates, costs);
  for (std::size_t c = 0; c < 40; ++c) {
    fit.costs_at(std::span(coordinates).subspan(c * 5, 5), one);
    EXPECT_EQ(one[0], costs[c]) << c;
  }
}

TEST(LaneProducts, ManyCostsAreThoseOfSingleCandidatesAndAllocateNothing) {
  MaxwellProblem plain(motion().data(), {.operators = 4}, {.lowest = 1e-7, .highest = 1e-5}, Direction::forward);
  MaxwellProblem lagged(motion().data(), {.operators = 4, .deflection_lags = 3, .position_lags = 2},
                        {.lowest = 1e-7, .highest = 1e-5}, Direction::forward);
  BristleProblem bristle(motion().data(), motion().velocity, Direction::forward);
  for (SeparableProblem* problem : {static_cast<SeparableProblem*>(&plain), static_cast<SeparableProblem*>(&lagged),
                                    static_cast<SeparableProblem*>(&bristle)}) {
    SeparableFit fit(*problem);
    const std::size_t size = problem->searched().size();
    std::vector<double> coordinates(30 * size), costs(30);
    Random random(4);
    for (double& u : coordinates) u = random.uniform();
    coordinates[0] = -0.1;  // outside the box
    fit.costs_at(coordinates, costs);
    EXPECT_TRUE(std::isinf(costs[0]));
    const long before = allocations;
    fit.costs_at(coordinates, costs);
    const double again = fit.cost_at(std::span(coordinates).subspan(size, size));
    EXPECT_EQ(allocations, before);
    EXPECT_NEAR(again, costs[1], 1e-9 * again);
    // Plain sums solved by the same inner least squares.
    std::vector<double> low, high;
    for (const auto& s : problem->solved()) low.push_back(s.low), high.push_back(s.high);
    BoundedLeastSquares inner(low, high);
    Eigen::VectorXd theta(inner.size());
    for (std::size_t c = 1; c < 30; ++c) {
      std::vector<double> g;
      for (std::size_t k = 0; k < size; ++k) g.push_back(problem->searched()[k].value(coordinates[c * size + k]));
      const double alone = inner.solve(plain_products(*problem, g), theta);
      EXPECT_NEAR(costs[c], alone, 1e-9 * alone);
    }
  }
}

// Random columns, some of them copies and some that want to be negative, against the active-set search; where lanes give up
// they say so, and they must not give up often.
TEST(LaneProducts, LeastSquaresInLanesAreThoseWithinTheBounds) {
  std::srand(2);
  for (const Eigen::Index q : {1, 4, 5, 8, 9, 20, 32}) {
    constexpr std::size_t candidates = 37;
    std::vector<double> low, high, products;
    for (Eigen::Index j = 0; j < q; ++j)
      low.push_back(j % 2 == 0 ? 0 : -unbounded_factor), high.push_back(unbounded_factor);
    std::vector<Eigen::MatrixXd> grams;
    for (std::size_t c = 0; c < candidates; ++c) {
      Eigen::MatrixXd all = Eigen::MatrixXd::Random(60, q + 1);
      if (c % 3 == 0 && q > 3) all.col(2) = all.col(0);
      if (c % 5 == 0) all.col(0).setZero();
      grams.push_back(all.transpose() * all);
      products.insert(products.end(), grams.back().data(), grams.back().data() + grams.back().size());
    }
    std::vector<double> least = low;
    for (double& l : least)
      if (l < 0) l = -unbounded;
    BoundedLeastSquares inner(least, std::vector<double>(low.size(), unbounded));
    Eigen::VectorXd theta(q);
    for (const auto set : available_sets()) {
      std::vector<double> costs(candidates);
      const ProductCosts task{products, low, high, costs};
      if (set == InstructionSet::baseline) baseline::solve_products(task);
#if defined(__x86_64__)
      if (set == InstructionSet::avx2) avx2::solve_products(task);
      if (set == InstructionSet::avx512) avx512::solve_products(task);
#endif
      std::size_t given_up = 0;
      for (std::size_t c = 0; c < candidates; ++c) {
        const double exact = inner.solve(grams[c], theta);
        given_up += costs[c] < 0;
        if (costs[c] < 0) continue;
        EXPECT_NEAR(costs[c], exact, 1e-9 * grams[c](q, q)) << name_of(set) << ", " << q << " columns, " << c;
      }
      EXPECT_LE(given_up, 3u) << name_of(set) << ", " << q << " columns";
    }
  }
}

// A bound that is not 0 is nothing lanes can hold a factor at: they must say so rather than guess.
TEST(LaneProducts, LeastSquaresInLanesLeaveOtherBoundsToTheSearch) {
  const std::vector<double> products{4, 2, 0, 1};  // θ = ½
  std::vector<double> costs(1);
  const auto with = [&](double low, double high) {
    const std::vector<double> lows{low}, highs{high};
    solve_products({products, lows, highs, costs});
    return costs[0];
  };
  EXPECT_NEAR(with(-unbounded_factor, unbounded_factor), 0, 1e-15);
  EXPECT_NEAR(with(0.1, 0.9), 0, 1e-15);
  EXPECT_LT(with(0.6, 0.9), 0);
  EXPECT_LT(with(0, 0.4), 0);
}

TEST(LaneProducts, TableCostsAndServoRollOutsAllocateNothing) {
  MaxwellProblem problem(motion().data(), {.operators = 3, .deflection_lags = 1}, {.lowest = 1e-7, .highest = 1e-5},
                         Direction::forward);
  ThresholdTable table(problem, {2e-7, 5e-7, 1e-6, 2e-6});
  const std::vector<std::size_t> places{0, 2, 3};
  const double first = table.cost(places);
  ServoLog log;
  log.name = "log", log.firmware_gain = 400, log.interval = 0.005;
  log.goal.assign(300, 1.0), log.voltage.assign(300, 7.4), log.enabled.assign(300, 1.0);
  ServoBatch batch(std::span<const ServoLog>(&log, 1));
  ServoPendulum<double> servo{};
  servo.mass = 0.5, servo.length = 0.1, servo.armature = 2e-3, servo.torque_constant = 0.4, servo.resistance = 4;
  servo.stribeck_speed = 1, servo.reading_lag = 0.01;
  const long before = allocations;
  EXPECT_EQ(table.cost(places), first);
  batch.roll_out(servo);
  EXPECT_EQ(allocations, before);
}

// Least squares over columns pushed one by one is that of all at once (QR as the reference); a copy explains nothing.
TEST(GrowingFactor, CostsAreThoseOfLeastSquares) {
  std::srand(1);
  Eigen::MatrixXd all = Eigen::MatrixXd::Random(40, 7);
  all.col(3) = all.col(1);
  const Eigen::MatrixXd products = all.transpose() * all;
  GrowingFactor factor(products, 6);
  for (Eigen::Index used = 1; used <= 6; ++used) {
    factor.push(used - 1);
    const Eigen::MatrixXd left = all.leftCols(used);
    const Eigen::VectorXd theta = least_solution(left, all.col(6));
    EXPECT_NEAR(factor.cost(), (all.col(6) - left * theta).squaredNorm(), 1e-10);
  }
  const double with_six = factor.cost();
  factor.shrink(4);
  factor.push(5), factor.push(4);
  EXPECT_NEAR(factor.cost(), with_six, 1e-10);
}

}  // namespace
}  // namespace stickslip::lane_products_test
