/// Holding and parting of a group: the conditions that make an answer the only one, and the careful solver as a witness.
#include "solver/resting_group.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "solver/resting_chain.hpp"

namespace stickslip::resting_group_test {
namespace {

constexpr double slack = 1e-12;

struct Numbers {
  std::vector<double> inertia, torque, level;
  double before = 0, after = 0;
  RestingGroup group() const { return {inertia, torque, level, 0, inertia.size() - 1, before, after}; }
};

Numbers random_numbers(std::mt19937_64& random, std::size_t bodies, double push) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Numbers n;
  for (std::size_t k = 0; k < bodies; ++k) {
    n.inertia.push_back(uniform(0.1, 3)), n.torque.push_back(uniform(-push, push));
    if (k + 1 < bodies) n.level.push_back(uniform(1, 4));
  }
  n.before = uniform(-4, 4), n.after = uniform(-4, 4);
  return n;
}

/// Inside each part the torques that its acceleration needs lie within the levels, at a bend the torque is the level and the parts
/// leave each other in its direction: the conditions of a convex problem, so nothing else is an answer.
void expect_answer(const Numbers& n, std::span<const Part> parts) {
  double torque = n.before;
  std::size_t k = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (; k < parts[p].last; ++k) {
      torque += n.torque[k] - n.inertia[k] * parts[p].acceleration;
      ASSERT_LE(std::fabs(torque), n.level[k] * (1 + 1e-12));
    }
    torque += n.torque[k] - n.inertia[k] * parts[p].acceleration;
    if (p + 1 < parts.size()) {
      ASSERT_NEAR(torque, parts[p].direction * n.level[k], 1e-12);
      ASSERT_GE(parts[p].direction * (parts[p].acceleration - parts[p + 1].acceleration), 0);
    } else {
      ASSERT_NEAR(torque, n.after, 1e-12);
      ASSERT_EQ(parts[p].direction, 0);
    }
    ++k;
  }
  ASSERT_EQ(k, n.inertia.size());
}

TEST(RestingGroup, PartsMeetTheConditionsOfTheOnlyAnswer) {
  std::mt19937_64 random(11);
  std::size_t parted = 0, held = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(trial);
    const Numbers n = random_numbers(random, 1 + random() % 12, trial % 2 == 0 ? 2.0 : 8.0);
    std::vector<Part> parts(n.inertia.size());
    const std::size_t count = find_parts(n.group(), slack, parts.data());
    ASSERT_GT(count, 0u);
    expect_answer(n, std::span(parts).first(count));
    std::vector<double> carried(n.inertia.size());
    const Holding holding = hold_together(n.group(), parts[0].acceleration, slack, carried.data());
    if (count == 1) {
      ASSERT_EQ(holding, Holding::holds);
      ++held;
    } else {
      ++parted;
    }
  }
  EXPECT_GT(parted, 500u);
  EXPECT_GT(held, 500u);
}

TEST(RestingGroup, AgreesWithTheCarefulSolver) {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 1000; ++trial) {
    SCOPED_TRACE(trial);
    Numbers n = random_numbers(random, 2 + random() % 10, 6);
    n.before = n.after = 0;
    std::vector<Part> parts(n.inertia.size());
    const std::size_t count = find_parts(n.group(), slack, parts.data());
    std::vector<Interface> interfaces;
    for (const double level : n.level) interfaces.push_back(resting(level));
    RestingWorkspace workspace(n.inertia.size());
    RestingResult careful(n.inertia.size());
    solve_resting_chain({n.inertia, n.torque, interfaces}, workspace, careful);
    std::size_t k = 0;
    for (std::size_t p = 0; p < count; ++p)
      for (; k <= parts[p].last; ++k) ASSERT_NEAR(careful.acceleration[k], parts[p].acceleration, 1e-12);
  }
}

/// A light body between heavy ones under torques that dwarf its clutch: plain sums cannot know what it carries, and say so.
TEST(RestingGroup, SaysWhenRoundingCouldMatter) {
  const Numbers n{{1e6, 1e-6, 1e6}, {1e6, 1e-6, -1e6}, {1e-6, 1e-6}};
  std::vector<Part> parts(3);
  std::vector<double> carried(3);
  EXPECT_EQ(find_parts(n.group(), slack, parts.data()), 0u);
  EXPECT_EQ(hold_together(n.group(), 5e-19, slack, carried.data()), Holding::uncertain);
}

/// Exactly at the level two bodies hold: 6 N m on one of two equal bodies needs 3 N m in the clutch. A bend found here, or just
/// beside, is not clear and must not be taken.
TEST(RestingGroup, AtTheLevelNothingIsClear) {
  Numbers n{{1, 1}, {6, 0}, {3}};
  std::vector<double> carried(2);
  EXPECT_EQ(hold_together(n.group(), 3, slack, carried.data()), Holding::holds);
  n.torque[0] = 6 * (1 + 4e-13);
  std::vector<Part> parts(2);
  const std::size_t count = find_parts(n.group(), slack, parts.data());
  ASSERT_EQ(count, 2u);
  EXPECT_FALSE(is_clear(n.group(), std::span(parts).first(count), slack, 1));
  n.torque[0] = 6.1;
  ASSERT_EQ(find_parts(n.group(), slack, parts.data()), 2u);
  EXPECT_TRUE(is_clear(n.group(), parts, slack, 1));
}

}  // namespace
}  // namespace stickslip::resting_group_test
