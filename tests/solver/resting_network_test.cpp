#include "solver/resting_network.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "support/cases.hpp"

namespace stickslip::resting_network_test {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

struct Network {
  std::vector<double> inertia, external_torque;
  std::vector<Interface> interfaces;
  std::vector<std::vector<Coupling>> rows;
};

struct NetworkResult : RestingResult {
  NetworkAnswer answer;
  RestingFault fault;
  explicit NetworkResult(const Network& n) : RestingResult(n.inertia.size(), n.interfaces.size()) {
    std::vector<Coupling> couplings;
    std::vector<std::size_t> starts{0};
    for (const auto& row : n.rows) {
      couplings.insert(couplings.end(), row.begin(), row.end());
      starts.push_back(couplings.size());
    }
    const RestingNetwork view{n.inertia, n.external_torque, n.interfaces, couplings, starts};
    fault = fault_in(view);
    if (fault) return;
    NetworkWorkspace workspace(n.inertia.size(), n.interfaces.size());
    answer = solve_resting_network(view, workspace, *this);
  }
};

std::vector<Coupling> between(std::size_t a, std::size_t b) { return {{a, 1}, {b, -1}}; }

/// The conditions that define the answer; empty if all hold.
std::string broken_condition(const Network& n, const NetworkResult& r, double tolerance) {
  std::vector<double> left = n.external_torque, size(n.inertia.size());
  for (std::size_t b = 0; b < left.size(); ++b) size[b] = std::abs(left[b]);
  for (std::size_t i = 0; i < n.rows.size(); ++i)
    for (const auto& [body, ratio] : n.rows[i]) {
      left[body] -= ratio * r.torque[i];
      size[body] += std::abs(ratio * r.torque[i]);
    }
  for (std::size_t b = 0; b < left.size(); ++b)
    if (std::abs(left[b] - n.inertia[b] * r.acceleration[b]) > tolerance * size[b])
      return "balance of body " + std::to_string(b);
  for (std::size_t i = 0; i < n.rows.size(); ++i) {
    const auto& [low, high, is_resting] = n.interfaces[i];
    const std::string at = " at interface " + std::to_string(i);
    if (!(r.torque[i] >= low && r.torque[i] <= high)) return "torque outside its range" + at;
    double relative = 0, scale = 0;
    for (const auto& [body, ratio] : n.rows[i]) {
      relative += ratio * r.acceleration[body];
      scale += std::abs(ratio) * size[body] / n.inertia[body];
    }
    if (std::abs(relative - r.relative_acceleration[i]) > tolerance * scale) return "relative acceleration" + at;
    if (is_resting != (r.outcome[i] != RestingOutcome::slips)) return "rest and slip confused" + at;
    if (r.outcome[i] == RestingOutcome::held && r.relative_acceleration[i] != 0)
      return "held and yet accelerating" + at;
    if (r.outcome[i] == RestingOutcome::breaks_forward && !(r.relative_acceleration[i] > 0 && r.torque[i] == high))
      return "wrong way forward" + at;
    if (r.outcome[i] == RestingOutcome::breaks_backward && !(r.relative_acceleration[i] < 0 && r.torque[i] == low))
      return "wrong way backward" + at;
  }
  return {};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance = 1e-13) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
}

// docs/solver.md, Resting interfaces, here as a general network.
TEST(RestingNetwork, TheChainOfThreeGivesTheSameAsTheChainSolver) {
  const NetworkResult r({{1, 1, 1}, {24, 0, 0}, {resting(10), resting(10)}, {between(0, 1), between(1, 2)}});
  EXPECT_TRUE(r.answer.is_solved && r.answer.has_unique_torques);
  expect_near(r.torque, {10, 5});
  expect_near(r.acceleration, {14, 5, 5});
  EXPECT_EQ(r.outcome, (std::vector{RestingOutcome::breaks_forward, RestingOutcome::held}));
}

// A load and the level that holds it rise from zero together, beside a clutch and a brake of usual strength: nothing moves. Sums with the
// strong ones once rounded the weak ones away, the brake's neighbour was said to part, and an open joint slipped nowhere.
TEST(RestingNetwork, LoadsThatHaveOnlyBegunToRiseAreHeldBesideAStrongBrake) {
  for (const double begun : {1e-20, 1e-13, 1e-7, 1.0}) {
    const double wider = 1 + 2e-11;
    const NetworkResult r({{2, 1, 2, 2},
                           {0, 0, 0, 3 * begun},
                           {resting(0, 0), resting(3 * begun * wider), resting(6), resting(5), resting(0, 0)},
                           {between(0, 1), between(1, 2), between(1, 3), {{2, 1}}, {{3, 1}}}});
    EXPECT_EQ(r.acceleration, std::vector<double>(4, 0.0)) << begun;
    EXPECT_EQ(r.outcome, std::vector(5, RestingOutcome::held)) << begun;
  }
}

// A gear: z = w1 − r w2. Locked, a1 = r a2 and body 2 feels r τ, so a1 = F / (J1 + J2/r²), τ = F − J1 a1.
TEST(RestingNetwork, ALockedGearReflectsTheInertiaBehindIt) {
  const double ratio = 3, first = 2, second = 27;
  const NetworkResult r({{first, second}, {10, 0}, {resting(100)}, {{{0, 1}, {1, -ratio}}}});
  const double expected = 10 / (first + second / (ratio * ratio));
  EXPECT_NEAR(r.acceleration[0], expected, 1e-15);
  EXPECT_NEAR(r.acceleration[1], expected / ratio, 1e-15);
  EXPECT_NEAR(r.torque[0], 10 - first * expected, 1e-14);
  EXPECT_EQ(r.relative_acceleration[0], 0);
}

TEST(RestingNetwork, ABrakeHoldsABodyToTheGroundUpToItsLevel) {
  const Network held{{2}, {5}, {resting(5)}, {{{0, 1}}}}, breaks{{2}, {-8}, {resting(5)}, {{{0, 1}}}};
  EXPECT_EQ(NetworkResult(held).acceleration[0], 0);
  EXPECT_EQ(NetworkResult(held).outcome[0], RestingOutcome::held);
  EXPECT_EQ(NetworkResult(breaks).acceleration[0], -1.5);
  EXPECT_EQ(NetworkResult(breaks).outcome[0], RestingOutcome::breaks_backward);
}

// A hub with three equal arms driven by F: free of limits all turn with F/4; an arm that can take only 1 of the 2 it needs drops out,
// and hub and two arms share F − 1.
TEST(RestingNetwork, ABranchThatCannotFollowLeavesTheOthersTogether) {
  const NetworkResult r({{1, 1, 1, 1},
                         {8, 0, 0, 0},
                         {resting(9), resting(1), resting(no_limit)},
                         {between(0, 1), between(0, 2), between(0, 3)}});
  expect_near(r.acceleration, {7. / 3, 7. / 3, 1, 7. / 3});
  expect_near(r.torque, {7. / 3, 1, 7. / 3});
  EXPECT_EQ(r.outcome, (std::vector{RestingOutcome::held, RestingOutcome::breaks_forward, RestingOutcome::held}));
  EXPECT_TRUE(r.answer.has_unique_torques);
}

// Two clutches side by side must carry 3 together: equal shares have the least norm, and a clutch too weak for its share gives all it has.
TEST(RestingNetwork, ParallelClutchesAreNotUniqueAndShareByLeastNorm) {
  Network n{{1, 1}, {6, 0}, {resting(10), resting(10)}, {between(0, 1), between(0, 1)}};
  const NetworkResult equal(n);
  EXPECT_FALSE(equal.answer.has_unique_torques);
  expect_near(equal.torque, {1.5, 1.5});
  n.interfaces[0] = resting(1);
  const NetworkResult limited(n);
  EXPECT_FALSE(limited.answer.has_unique_torques);
  EXPECT_TRUE(limited.answer.is_solved);
  expect_near(limited.torque, {1, 2});
  EXPECT_EQ(limited.outcome, (std::vector{RestingOutcome::held, RestingOutcome::held}));
  n.interfaces[1] = resting(1.5);  // 2.5 is not enough: both break, and then there is nothing to choose
  const NetworkResult broken(n);
  EXPECT_TRUE(broken.answer.has_unique_torques);
  expect_near(broken.torque, {1, 1.5});
  EXPECT_EQ(broken.outcome, (std::vector{RestingOutcome::breaks_forward, RestingOutcome::breaks_forward}));
}

// A ring of three locks at rest under (3, 0, −3): τ = (t, t, t − 3) for any t. Least norm: t = 1; the third limited to 1.5: t = 1.5.
TEST(RestingNetwork, ARingOfLocksIsNotUnique) {
  Network n{{1, 1, 1}, {3, 0, -3}, {resting(9), resting(9), resting(9)}, {between(0, 1), between(1, 2), between(2, 0)}};
  const NetworkResult ring(n);
  EXPECT_FALSE(ring.answer.has_unique_torques);
  expect_near(ring.torque, {1, 1, -2});
  expect_near(ring.acceleration, {0, 0, 0});
  n.interfaces[2] = resting(1.5);
  expect_near(NetworkResult(n).torque, {1.5, 1.5, -1.5});
}

// Random trees and loops with ratios, brakes, slipping and open interfaces.
TEST(RestingNetwork, RandomNetworksMeetTheirConditions) {
  std::mt19937 random(21);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  const auto whole = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  int not_unique = 0, broke = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t bodies = 2 + whole(6), interfaces = 1 + whole(9);
    Network n;
    for (std::size_t b = 0; b < bodies; ++b) {
      n.inertia.push_back(std::pow(10, uniform(-2, 2)));
      n.external_torque.push_back(uniform(-1, 1));
    }
    for (std::size_t i = 0; i < interfaces; ++i) {
      const std::size_t a = whole(bodies - 1), b = whole(bodies - 1);
      n.rows.push_back(a == b ? std::vector<Coupling>{{a, 1}}
                              : std::vector<Coupling>{{a, 1}, {b, trial % 2 ? -uniform(0.2, 5) : -1}});
      const double kind = uniform(0, 1), level = uniform(0, 1);
      n.interfaces.push_back(kind < 0.1   ? slipping(uniform(-1, 1))
                             : kind < 0.2 ? resting(0)
                             : kind < 0.3 ? resting(0, no_limit)
                                          : resting(-level * uniform(0, 1), level));
    }
    const NetworkResult r(n);
    ASSERT_TRUE(r.answer.is_solved) << trial;
    ASSERT_EQ(broken_condition(n, r, 1e-10), "") << trial;
    not_unique += !r.answer.has_unique_torques;
    for (const RestingOutcome o : r.outcome)
      broke += o == RestingOutcome::breaks_forward || o == RestingOutcome::breaks_backward;
  }
  EXPECT_GT(not_unique, 1000);
  EXPECT_GT(broke, 10000);
}

/// The same problem as one dense least squares over all bodies, whatever its shape: the accelerations.
std::vector<double> dense_accelerations(const Network& n) {
  const std::size_t bodies = n.inertia.size(), unknowns = n.rows.size();
  std::vector<double> entries(bodies * unknowns, 0.0), load(bodies), low, high, torque(unknowns);
  const Columns columns{entries, bodies};
  for (std::size_t b = 0; b < bodies; ++b) load[b] = n.external_torque[b] / std::sqrt(n.inertia[b]);
  for (std::size_t i = 0; i < unknowns; ++i) {
    for (const auto& [body, ratio] : n.rows[i]) columns[i][body] += ratio / std::sqrt(n.inertia[body]);
    low.push_back(n.interfaces[i].low), high.push_back(n.interfaces[i].high);
  }
  LeastSquaresWorkspace workspace(std::max(bodies, unknowns + 1), 2 * unknowns);
  EXPECT_TRUE(bounded_least_squares(columns, load, low, high, torque, workspace));
  std::vector<double> acceleration(bodies);
  for (std::size_t b = 0; b < bodies; ++b) acceleration[b] = workspace.residual[b] / std::sqrt(n.inertia[b]);
  return acceleration;
}

/// A tree of `bodies`: half of the time with whole numbers, where levels are met exactly; ratios of either sign, brakes, freewheels, rigid
/// locks, what slips and what is open.
template <class Random>
Network random_tree(std::size_t bodies, Random& random, bool is_plain) {
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  const auto whole = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  const bool is_whole = whole(1) == 0;
  const std::size_t reach = 1 + whole(3) * whole(bodies);  // 1: a chain
  Network n;
  for (std::size_t b = 0; b < bodies; ++b) {
    n.inertia.push_back(is_whole ? 1 + static_cast<double>(whole(2)) : std::pow(10, uniform(-2, 2)));
    n.external_torque.push_back(is_whole ? static_cast<double>(whole(6)) - 3 : uniform(-1, 1));
  }
  const auto level = [&] { return is_whole ? static_cast<double>(whole(3)) : uniform(0, 1); };
  const auto range = [&]() -> Interface {
    const double kind = uniform(0, 1);
    if (is_plain || kind < 0.6) return resting(-level(), level());
    if (kind < 0.7) return slipping(is_whole ? 1 : uniform(-1, 1));
    if (kind < 0.8) return resting(0);
    if (kind < 0.9) return resting(-level(), no_limit);
    return resting(-no_limit, no_limit);
  };
  for (std::size_t b = 1; b < bodies; ++b) {
    const std::size_t before = b - 1 - std::min(b - 1, whole(reach - 1));
    const double size = is_whole ? 1 : std::pow(10, uniform(-0.3, 0.3));
    n.rows.push_back({{b, 1}, {before, is_plain ? -1 : whole(1) == 0 ? size : -size}});
    n.interfaces.push_back(range());
  }
  for (std::size_t b = 0; b < bodies; ++b)
    if (uniform(0, 1) < 0.15) n.rows.push_back({{b, is_whole ? -1 : uniform(0.5, 2)}}), n.interfaces.push_back(range());
  return n;
}

// Leaves to root against one dense problem, which knows nothing of trees: bodies from 2 to 12, everything a file allows between them.
TEST(RestingNetwork, TreesMoveAsTheDenseProblemSays) {
  std::mt19937 random(23);
  std::size_t broke = 0, held = 0, unique = 0;
  const std::size_t trials = test::cases(4000);
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const Network n = random_tree(2 + trial % 11, random, false);
    const NetworkResult r(n);
    ASSERT_TRUE(r.answer.is_solved) << trial;
    if (r.answer.has_unique_torques) {  // else the torques are chosen by the dense part, which has its own tests
      ASSERT_EQ(broken_condition(n, r, 1e-10), "") << trial;
      ++unique;
    }
    const auto expected = dense_accelerations(n);
    double most = 0;
    for (std::size_t b = 0; b < expected.size(); ++b)
      most = std::max(most, std::abs(n.external_torque[b]) + std::abs(expected[b]) * n.inertia[b]);
    for (std::size_t b = 0; b < expected.size(); ++b)
      ASSERT_NEAR(r.acceleration[b], expected[b], 1e-11 * (most / n.inertia[b] + std::abs(expected[b]))) << trial;
    for (const RestingOutcome o : r.outcome) (o == RestingOutcome::held ? held : broke) += o != RestingOutcome::slips;
  }
  EXPECT_GT(held, trials);
  EXPECT_GT(broke, trials);
  EXPECT_GT(unique, trials / 2);
}

// 2000 bodies in a chain, a bush or a star: the conditions that define the answer hold, in less time than a dense matrix takes to be filled.
TEST(RestingNetwork, LargeTreesMeetTheirConditions) {
  std::mt19937 random(24);
  for (int trial = 0; trial < 20; ++trial) {
    Network n = random_tree(2000, random, true);
    n.rows.resize(1999), n.interfaces.resize(1999);  // one brake at most, so that torques are unique
    if (trial % 5 == 4)
      for (std::size_t i = 0; i < n.rows.size(); ++i) n.rows[i][1].body = 0;
    if (trial % 2 == 0) n.rows.push_back({{7, 1}}), n.interfaces.push_back(resting(1));
    const NetworkResult r(n);
    ASSERT_TRUE(r.answer.is_solved && r.answer.has_unique_torques) << trial;
    ASSERT_EQ(broken_condition(n, r, 1e-10), "") << trial;
  }
}

// Clutches in parallel may exchange torque freely, so at least norm none can give to a smaller one: of any two the larger is at its lower
// end or the smaller at its upper end.
TEST(RestingNetwork, NoExchangeBetweenParallelClutchesLowersTheNorm) {
  std::mt19937 random(22);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  int limited = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const std::size_t clutches = 2 + static_cast<std::size_t>(trial % 5);
    Network n{{uniform(0.1, 2), uniform(0.1, 2)}, {uniform(-4, 4), uniform(-1, 1)}, {}, {}};
    for (std::size_t i = 0; i < clutches; ++i) {
      n.rows.push_back(between(0, 1));
      n.interfaces.push_back(resting(-uniform(0, 1), uniform(0, 1)));
    }
    const NetworkResult r(n);
    ASSERT_TRUE(r.answer.is_solved) << trial;
    ASSERT_EQ(broken_condition(n, r, 1e-12), "") << trial;
    for (std::size_t i = 0; i < clutches; ++i)
      for (std::size_t j = 0; j < clutches; ++j)
        if (r.torque[i] > r.torque[j] + 1e-12) {
          ASSERT_TRUE(r.torque[i] < n.interfaces[i].low + 1e-12 || r.torque[j] > n.interfaces[j].high - 1e-12) << trial;
          limited += r.outcome[i] == RestingOutcome::held;
        }
  }
  EXPECT_GT(limited, 1000);
}

TEST(RestingNetwork, WrongWiringIsNamed) {
  const auto reason = [](const Network& n) {
    const NetworkResult r(n);
    return r.fault ? std::string(r.fault.reason) + " #" + std::to_string(r.fault.index) : std::string("none");
  };
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}, {between(0, 1)}}), "none");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}, {between(0, 2)}}),
            "an interface names a body that does not exist #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}, {{{0, 1}, {1, 0}}}}), "a ratio must be finite and not zero #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}, {{}}}), "an interface needs at least one body #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}, {}}), "each interface needs one row of couplings #0");
  EXPECT_EQ(reason({{}, {}, {}, {}}), "a network needs at least one body #0");
  EXPECT_EQ(reason({{1, -1}, {0, 0}, {resting(1)}, {between(0, 1)}}), "inertia must be positive and finite #1");
}

}  // namespace
}  // namespace stickslip::resting_network_test
