// Each answer is checked against what defines it: balance of each body, torques within range, breakaway only at the end of the
// range and in its direction, nothing moving where held. Together these have exactly one solution, so a chain that passes is right.
#include "solver/resting_chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "solver/resting_active_set.hpp"
#include "solver/resting_network.hpp"

namespace stickslip::resting_chain_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Chain {
  std::vector<double> inertia, external_torque;
  std::vector<Interface> interfaces;
  operator RestingChain() const { return {inertia, external_torque, interfaces}; }
};

RestingResult solved(const Chain& chain, RestingRule rule = RestingRule::exact) {
  RestingWorkspace workspace(chain.inertia.size());
  RestingResult result(chain.inertia.size());
  solve_resting_chain(chain, workspace, result, rule);
  return result;
}

/// Largest of |J a − F + τ_i − τ_{i−1}| over the bodies, each relative to the largest term of that body's own balance.
double balance_error(const Chain& c, const RestingResult& r) {
  double worst = 0;
  for (std::size_t i = 0; i < c.inertia.size(); ++i) {
    const long double momentum = static_cast<long double>(c.inertia[i]) * r.acceleration[i],
                      force = c.external_torque[i], after = i < r.torque.size() ? r.torque[i] : 0,
                      before = i > 0 ? r.torque[i - 1] : 0;
    const long double scale = std::max({std::abs(momentum), std::abs(force), std::abs(after), std::abs(before)});
    if (scale > 0) worst = std::max(worst, static_cast<double>(std::abs(momentum - force + after - before) / scale));
  }
  return worst;
}

/// Everything but the balance, to the last bit. Empty if right.
std::string broken_promise(const Chain& c, const RestingResult& r) {
  for (std::size_t i = 0; i < c.interfaces.size(); ++i) {
    const auto& [low, high, is_resting] = c.interfaces[i];
    const double torque = r.torque[i], relative = r.relative_acceleration[i];
    const std::string at = " at interface " + std::to_string(i);
    if (!(torque >= low && torque <= high)) return "torque outside its range" + at;
    if (relative != r.acceleration[i] - r.acceleration[i + 1])
      return "relative acceleration is not the difference" + at;
    if (is_resting != (r.outcome[i] != RestingOutcome::slips)) return "rest and slip confused" + at;
    if (r.outcome[i] == RestingOutcome::held && relative != 0) return "held and yet accelerating" + at;
    if (r.outcome[i] == RestingOutcome::breaks_forward && !(relative > 0 && torque == high))
      return "wrong way forward" + at;
    if (r.outcome[i] == RestingOutcome::breaks_backward && !(relative < 0 && torque == low))
      return "wrong way backward" + at;
    if (is_resting && torque * relative < 0) return "friction drives motion" + at;
  }
  return {};
}

struct Variety {
  int most_bodies = 50;
  double inertia_decades = 1;     // inertias within 10^±this
  double slipping = 0, open = 0;  // share of the interfaces
  bool is_lopsided = false;       // different levels for the two directions
  bool has_few_values = false;    // small whole numbers: ties everywhere
  double rigid = 0;               // share without a limit
};

class RandomChains {
 public:
  RandomChains(unsigned seed, Variety variety) : random_(seed), variety_(variety) {}

  Chain next() {
    const auto bodies = static_cast<std::size_t>(std::uniform_int_distribution(2, variety_.most_bodies)(random_));
    const double level = std::pow(10.0, uniform(-1.5, 1));
    Chain c;
    for (std::size_t i = 0; i < bodies; ++i) {
      c.inertia.push_back(variety_.has_few_values
                              ? whole(1, 2)
                              : std::pow(10.0, uniform(-variety_.inertia_decades, variety_.inertia_decades)));
      c.external_torque.push_back(variety_.has_few_values ? whole(-3, 3) : uniform(-1, 1));
      if (i + 1 < bodies) c.interfaces.push_back(interface(level));
    }
    return c;
  }

  double uniform(double from, double to) { return std::uniform_real_distribution(from, to)(random_); }

 private:
  double whole(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }

  Interface interface(double level) {
    if (uniform(0, 1) < variety_.slipping) return slipping(uniform(-level, level));
    if (uniform(0, 1) < variety_.open) return resting(0);
    if (uniform(0, 1) < variety_.rigid) return uniform(0, 1) < 0.5 ? resting(infinite) : resting(0, infinite);
    if (variety_.has_few_values) return resting(whole(0, 2));
    if (variety_.is_lopsided) return resting(-uniform(0, level), uniform(0, level));
    return resting(uniform(0, level));
  }

  std::mt19937 random_;
  Variety variety_;
};

/// Solves `count` chains, expects every promise of each, and returns the share of resting interfaces that broke away.
double expect_exact(int count, unsigned seed, Variety variety, double tolerance) {
  RandomChains chains(seed, variety);
  RestingWorkspace workspace(static_cast<std::size_t>(variety.most_bodies));
  std::size_t broke = 0, all = 0;
  for (int n = 0; n < count; ++n) {
    const Chain chain = chains.next();
    RestingResult result(chain.inertia.size());
    solve_resting_chain(chain, workspace, result);
    const std::string broken = broken_promise(chain, result);
    EXPECT_EQ(broken, "") << "chain " << n;
    EXPECT_LT(balance_error(chain, result), tolerance) << "chain " << n;
    if (testing::Test::HasFailure()) return 0;
    for (const RestingOutcome o : result.outcome)
      broke += o == RestingOutcome::breaks_forward || o == RestingOutcome::breaks_backward;
    all += result.outcome.size();
  }
  return static_cast<double>(broke) / static_cast<double>(all);
}

// docs/solver.md, Resting interfaces: body 1 is driven with 24; it can pass on 10, which the other two share: 5 each.
TEST(RestingChain, OneOfTwoInterfacesBreaksAndTheOtherCarriesWhatIsLeft) {
  const auto r = solved({{1, 1, 1}, {24, 0, 0}, {resting(10), resting(10)}});
  EXPECT_EQ(r.torque, (std::vector<double>{10, 5}));
  EXPECT_EQ(r.acceleration, (std::vector<double>{14, 5, 5}));
  EXPECT_EQ(r.relative_acceleration, (std::vector<double>{9, 0}));
  EXPECT_EQ(r.outcome, (std::vector{RestingOutcome::breaks_forward, RestingOutcome::held}));
}

// The same chain by Biagiotti eq 22: all three at 8 would need (16, 8); only the first is cut. Body 3 then gets more than body 2: the
// interface that the rule calls held accelerates backward under positive torque.
TEST(RestingChain, ThePapersRuleCutsEachOnItsOwnAndLetsFrictionDrive) {
  const auto r = solved({{1, 1, 1}, {24, 0, 0}, {resting(10), resting(10)}}, RestingRule::paper);
  EXPECT_EQ(r.torque, (std::vector<double>{10, 8}));
  EXPECT_EQ(r.acceleration, (std::vector<double>{14, 2, 8}));
  EXPECT_EQ(r.relative_acceleration[1], -6);
  EXPECT_EQ(r.outcome, (std::vector{RestingOutcome::breaks_forward, RestingOutcome::held}));
}

// Experiment dual-clutch: levels Fc 16, Fs 20, vs 1, exponent 1; the slipping torque is the Stribeck curve at the given speed.
TEST(RestingChain, ThreeBodiesAndTwoClutchesGiveThePapersNumbers) {
  const auto stribeck = [](double z) { return std::copysign(16 + 4 * std::exp(-std::abs(z)), z); };
  const auto torques = [](Interface first, Interface second, RestingRule rule) {
    return solved({{1, 2, 3}, {12, -6, 3}, {first, second}}, rule);
  };
  for (const auto rule : {RestingRule::exact, RestingRule::paper}) {
    const auto both_slip = torques(slipping(stribeck(.5)), slipping(stribeck(-.7)), rule);
    EXPECT_NEAR(both_slip.torque[0], 18.42612264, 5e-9);
    EXPECT_NEAR(both_slip.torque[1], -17.98634122, 5e-9);
    const auto first_rests = torques(resting(20), slipping(stribeck(-.7)), rule);
    EXPECT_NEAR(first_rests.torque[0], 4.00455293, 5e-9);
    EXPECT_EQ(first_rests.outcome, (std::vector{RestingOutcome::held, RestingOutcome::slips}));
    const auto second_rests = torques(slipping(stribeck(.5)), resting(20), rule);
    EXPECT_NEAR(second_rests.torque[1], 6.25567358, 5e-9);
    const auto both_rest = torques(resting(20), resting(20), rule);
    EXPECT_EQ(both_rest.torque, (std::vector<double>{10.5, 1.5}));
    EXPECT_EQ(both_rest.acceleration, (std::vector<double>{1.5, 1.5, 1.5}));
  }
}

TEST(RestingChain, ABodyAloneFollowsItsTorque) {
  const auto r = solved({{4}, {2}, {}});
  EXPECT_EQ(r.acceleration, std::vector<double>{0.5});
}

// Two equal bodies under (2 f, 0) need the torque f: exactly the level still holds, one digit more does not.
TEST(RestingChain, TheLevelItselfStillHolds) {
  const auto at = solved({{1, 1}, {20, 0}, {resting(10)}});
  EXPECT_EQ(at.outcome[0], RestingOutcome::held);
  EXPECT_EQ(at.torque[0], 10);
  const auto beyond = solved({{1, 1}, {std::nextafter(20.0, 21.0), 0}, {resting(10)}});
  EXPECT_EQ(beyond.outcome[0], RestingOutcome::breaks_forward);
  EXPECT_GT(beyond.relative_acceleration[0], 0);
}

TEST(RestingChain, EachDirectionHasItsOwnLevel) {
  const Interface lopsided = resting(-2, 10);
  EXPECT_EQ(solved({{1, 1}, {16, 0}, {lopsided}}).outcome[0], RestingOutcome::held);
  const auto back = solved({{1, 1}, {-16, 0}, {lopsided}});
  EXPECT_EQ(back.outcome[0], RestingOutcome::breaks_backward);
  EXPECT_EQ(back.torque[0], -2);
  EXPECT_EQ(back.relative_acceleration[0], -12);  // bodies at −14 and −2
}

// A freewheel carries any torque one way and none the other.
TEST(RestingChain, AFreewheelHoldsOneWayOnly) {
  const auto drives = solved({{1, 3}, {8e6, 0}, {resting(0, infinite)}});
  EXPECT_EQ(drives.outcome[0], RestingOutcome::held);
  EXPECT_EQ(drives.torque[0], 6e6);
  const auto overruns = solved({{1, 3}, {-8, 0}, {resting(0, infinite)}});
  EXPECT_EQ(overruns.outcome[0], RestingOutcome::breaks_backward);
  EXPECT_EQ(overruns.acceleration, (std::vector<double>{-8, 0}));
}

TEST(RestingChain, AnOpenClutchPassesNothingAndGoesWhereItsBodiesGo) {
  const auto r = solved({{1, 2, 4}, {1, 4, 8}, {resting(0), resting(0)}});
  EXPECT_EQ(r.torque, (std::vector<double>{0, 0}));
  EXPECT_EQ(r.outcome, (std::vector{RestingOutcome::breaks_backward, RestingOutcome::held}));
}

// n equal bodies driven at one end by n need the torques n − 1, n − 2, ..., 1. Levels of just that size hold everything, each at
// its end; one more at the driven end stays there.
TEST(RestingChain, FallingLevelsAllHoldAtTheCriticalTorqueAndOnlyTheFirstBreaksBeyond) {
  const std::size_t n = 20;
  Chain c{std::vector<double>(n, 1), std::vector<double>(n, 0), {}};
  for (std::size_t i = 1; i < n; ++i) c.interfaces.push_back(resting(static_cast<double>(n - i)));
  c.external_torque[0] = static_cast<double>(n);  // all at acceleration 1: every torque is exactly its level
  auto r = solved(c);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    EXPECT_EQ(r.outcome[i], RestingOutcome::held);
    EXPECT_EQ(r.torque[i], c.interfaces[i].high);
  }
  c.external_torque[0] = static_cast<double>(n) + 1;  // the surplus stays with body 1
  r = solved(c);
  EXPECT_EQ(r.outcome[0], RestingOutcome::breaks_forward);
  EXPECT_EQ(r.acceleration[0], 2);
  for (std::size_t i = 1; i + 1 < n; ++i) EXPECT_EQ(r.outcome[i], RestingOutcome::held);
}

TEST(RestingChain, HundredThousandRandomRestingSetsAreExact) {
  const double share = expect_exact(100000, 1, {}, 1e-13);
  EXPECT_GT(share, 0.05);  // the sets must be neither all locked nor all broken
  EXPECT_LT(share, 0.95);
}

TEST(RestingChain, SetsOfRestingSlippingAndOpenInterfacesAreExact) {
  expect_exact(20000, 2, {.slipping = 0.2, .open = 0.1}, 1e-13);
}

TEST(RestingChain, LevelsThatDifferByDirectionAreExact) { expect_exact(20000, 3, {.is_lopsided = true}, 1e-13); }

TEST(RestingChain, RigidLocksAndFreewheelsAmongClutchesAreExact) { expect_exact(20000, 4, {.rigid = 0.3}, 1e-13); }

TEST(RestingChain, TiesOfEqualLevelsAndWholeNumbersAreExact) {
  expect_exact(50000, 5, {.most_bodies = 12, .has_few_values = true}, 1e-13);
}

// External torques made so that all bodies accelerate alike with every torque at an end of its range: whether an interface holds is
// decided by the last digit of each number.
TEST(RestingChain, InterfacesOnTheVeryBrinkKeepEveryPromise) {
  for (const double decades : {1.0, 6.0, 18.0}) {  // 18: beyond what twofold sums resolve; the promises stay
    RandomChains chains(15, {.inertia_decades = decades, .is_lopsided = true});
    int held = 0, broke = 0;
    for (int n = 0; n < 20000; ++n) {
      Chain c = chains.next();
      const double common = chains.uniform(-1, 1);
      double before = 0;
      for (std::size_t i = 0; i < c.inertia.size(); ++i) {
        const double after = i == c.interfaces.size()     ? 0
                             : chains.uniform(0, 1) < 0.5 ? c.interfaces[i].low
                                                          : c.interfaces[i].high;
        c.external_torque[i] = c.inertia[i] * common + after - before;
        before = after;
      }
      const auto r = solved(c);
      ASSERT_EQ(broken_promise(c, r), "") << n;
      if (decades < 18) {
        ASSERT_LT(balance_error(c, r), 1e-13) << n;
      }
      for (const RestingOutcome o : r.outcome) ++(o == RestingOutcome::held ? held : broke);
    }
    EXPECT_GT(held, 10000);
    EXPECT_GT(broke, 10000);
  }
}

// A body of 1e-6 beside one of 1e6, each balanced to the digits of its own torques.
TEST(RestingChain, InertiasFarApartAreExactForEachBody) {
  expect_exact(50000, 6, {.inertia_decades = 6}, 1e-13);
  expect_exact(20000, 7, {.inertia_decades = 6, .slipping = 0.1, .open = 0.1, .is_lopsided = true}, 1e-13);
}

TEST(RestingChain, LongChainsAreExact) { expect_exact(200, 8, {.most_bodies = 3000}, 1e-13); }

// The sum of J a is the sum of F whatever friction does, by either rule.
TEST(RestingChain, FrictionLeavesTheTotalMomentumAlone) {
  RandomChains chains(9, {.slipping = 0.2});
  for (int n = 0; n < 2000; ++n) {
    const Chain c = chains.next();
    for (const auto rule : {RestingRule::exact, RestingRule::paper}) {
      const auto r = solved(c, rule);
      double gained = 0, given = 0, scale = 0;
      for (std::size_t i = 0; i < c.inertia.size(); ++i) {
        gained += c.inertia[i] * r.acceleration[i], given += c.external_torque[i];
        scale += std::abs(c.inertia[i] * r.acceleration[i]) + std::abs(c.external_torque[i]);
      }
      ASSERT_NEAR(gained, given, 1e-14 * scale);
    }
  }
}

// Turning the chain round or changing the sign of every torque turns the answer round.
TEST(RestingChain, TheAnswerDoesNotKnowLeftFromRightNorForwardFromBackward) {
  RandomChains chains(10, {.is_lopsided = true});
  for (int n = 0; n < 2000; ++n) {
    const Chain c = chains.next();
    Chain turned = c, mirrored = c;
    std::ranges::reverse(turned.inertia), std::ranges::reverse(turned.external_torque);
    std::ranges::reverse(turned.interfaces);  // z changes sign, and so does the torque
    for (auto& i : turned.interfaces) i = resting(-i.high, -i.low);
    for (double& f : mirrored.external_torque) f = -f;
    for (auto& i : mirrored.interfaces) i = resting(-i.high, -i.low);
    const auto a = solved(c), b = solved(turned), m = solved(mirrored);
    const std::size_t last = c.inertia.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      ASSERT_NEAR(a.acceleration[i], b.acceleration[last - i], 1e-13 * std::abs(a.acceleration[i]));
      ASSERT_EQ(a.acceleration[i], -m.acceleration[i]);
    }
  }
}

// While nothing breaks both rules agree; where the paper's cuts something, they differ unless nothing else is coupled to it.
TEST(RestingChain, ThePapersRuleIsExactWhileAllHold) {
  RandomChains chains(11, {.most_bodies = 6});
  int differing = 0, agreeing = 0;
  for (int n = 0; n < 5000; ++n) {
    const Chain c = chains.next();
    const auto exact = solved(c), paper = solved(c, RestingRule::paper);
    const auto held = [](const RestingResult& r) {
      return std::ranges::all_of(r.outcome, [](RestingOutcome o) { return o == RestingOutcome::held; });
    };
    ASSERT_EQ(held(exact), held(paper));
    if (held(exact)) {
      ASSERT_EQ(exact.torque, paper.torque);
      ++agreeing;
    } else {
      differing += exact.torque != paper.torque;
    }
  }
  EXPECT_GT(agreeing, 500);
  EXPECT_GT(differing, 500);
}

TEST(RestingChain, AfterOneChangeOnlyTheNeighbourhoodNeedsSolving) {
  RandomChains chains(12, {.slipping = 0.3, .open = 0.05});
  for (int n = 0; n < 3000; ++n) {
    Chain c = chains.next();
    RestingWorkspace workspace(c.inertia.size());
    auto updated = solved(c);
    const auto changed =
        static_cast<std::size_t>(chains.uniform(0, 0.999999) * static_cast<double>(c.interfaces.size()));
    c.interfaces[changed] = n % 3 == 0   ? resting(chains.uniform(0, 1))
                            : n % 3 == 1 ? slipping(chains.uniform(-1, 1))
                                         : resting(0);
    solve_resting_chain_around(c, changed, workspace, updated);
    const auto anew = solved(c);
    ASSERT_EQ(updated.torque, anew.torque);
    ASSERT_EQ(updated.acceleration, anew.acceleration);
    ASSERT_EQ(updated.relative_acceleration, anew.relative_acceleration);
    ASSERT_EQ(updated.outcome, anew.outcome);
  }
}

// Three methods that share nothing but the problem: the string, a primal-dual active set on A = D J⁻¹ Dᵀ, bounded least squares.
TEST(RestingChain, TautStringAndActiveSetAgree) {
  int fell_back = 0, most_rounds = 0;
  for (const Variety variety : {Variety{}, Variety{.slipping = 0.2, .open = 0.1, .is_lopsided = true}}) {
    RandomChains chains(13, variety);
    ActiveSetWorkspace workspace(50);
    for (int n = 0; n < 20000; ++n) {
      const Chain c = chains.next();
      const auto string = solved(c);
      RestingResult other(c.inertia.size());
      const auto count = solve_resting_chain_by_active_set(c, workspace, other);
      fell_back += count.fell_back, most_rounds = std::max(most_rounds, count.rounds);
      for (std::size_t i = 0; i < c.interfaces.size(); ++i) ASSERT_NEAR(string.torque[i], other.torque[i], 1e-11) << n;
      for (std::size_t i = 0; i < c.inertia.size(); ++i)
        ASSERT_NEAR(string.acceleration[i], other.acceleration[i], 1e-10) << n;
      ASSERT_EQ(string.outcome, other.outcome) << n;
    }
  }
  EXPECT_EQ(fell_back, 0);  // else the comparison above compares the string with itself
  EXPECT_LT(most_rounds, 30);
}

TEST(RestingChain, AnActiveSetThatDoesNotEndIsAnsweredByTheString) {
  const Chain c{{1, 1, 1}, {24, 0, 0}, {resting(10), resting(10)}};
  ActiveSetWorkspace workspace(3);
  RestingResult result(3);
  const auto count = solve_resting_chain_by_active_set(c, workspace, result, 1);
  EXPECT_TRUE(count.fell_back);
  EXPECT_EQ(result.torque, (std::vector<double>{10, 5}));
}

TEST(RestingChain, TautStringAndBoundedLeastSquaresAgree) {
  RandomChains chains(14, {.most_bodies = 12, .slipping = 0.1, .open = 0.1, .is_lopsided = true});
  NetworkWorkspace workspace(12, 11);
  for (int n = 0; n < 10000; ++n) {
    const Chain c = chains.next();
    const auto string = solved(c);
    std::vector<Coupling> couplings;
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < c.interfaces.size(); ++i) {
      couplings.push_back({i, 1}), couplings.push_back({i + 1, -1});
      starts.push_back(couplings.size());
    }
    RestingResult other(c.inertia.size());
    const auto answer =
        solve_resting_network({c.inertia, c.external_torque, c.interfaces, couplings, starts}, workspace, other);
    ASSERT_TRUE(answer.is_solved && answer.has_unique_torques);
    for (std::size_t i = 0; i < c.interfaces.size(); ++i) ASSERT_NEAR(string.torque[i], other.torque[i], 1e-12) << n;
    ASSERT_EQ(string.outcome, other.outcome) << n;
  }
}

TEST(RestingChain, NonsenseIsNamed) {
  const auto reason = [](const Chain& c) {
    const auto fault = fault_in(c);
    return fault ? std::string(fault.reason) + " #" + std::to_string(fault.index) : std::string("none");
  };
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(1)}}), "none");
  EXPECT_EQ(reason({{}, {}, {}}), "a chain needs at least one body #0");
  EXPECT_EQ(reason({{1, 1}, {0}, {resting(1)}}), "each body needs one external torque #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {}}), "n bodies need n - 1 interfaces #0");
  EXPECT_EQ(reason({{1, 0}, {0, 0}, {resting(1)}}), "inertia must be positive and finite #1");
  EXPECT_EQ(reason({{infinite, 1}, {0, 0}, {resting(1)}}), "inertia must be positive and finite #0");
  EXPECT_EQ(reason({{1, 1}, {0, std::nan("")}, {resting(1)}}), "external torque must be finite #1");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(-1)}}), "a resting interface needs low <= 0 <= high #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {resting(std::nan(""))}}), "a resting interface needs low <= 0 <= high #0");
  EXPECT_EQ(reason({{1, 1}, {0, 0}, {slipping(std::nan(""))}}), "a slipping interface needs one finite torque #0");
}

}  // namespace
}  // namespace stickslip::resting_chain_test
