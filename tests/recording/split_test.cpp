/// Estimation, validation and test sets, and phases, on made recordings.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "made_recordings.hpp"
#include "recording/prepare.hpp"

namespace stickslip {
namespace {

using made::pi;

Recording swinging(std::size_t count) {
  return made::recording(
      count, 1e-3, [](double t) { return std::sin(2 * pi * t); }, [](double t) { return std::cos(2 * pi * t); });
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Split, ByTimeSharesFollowEachOther) {
  const Sets sets = split_by_time(prepare(swinging(1000)));
  ASSERT_EQ(sets.pieces.size(), 1u);
  const Piece& p = sets.pieces[0];
  EXPECT_EQ(p.estimation.count, 500u);
  EXPECT_EQ(p.validation.first, 500u);
  EXPECT_EQ(p.validation.count, 250u);
  EXPECT_EQ(p.test.first + p.test.count, 1000u);
  EXPECT_EQ(sets.how, "first 50 %, next 25 %, last 25 % of the time");
  EXPECT_EQ(message_of([] {
              split_by_time(prepare(swinging(1000)), {0.5, 0.6, -0.1});
            }),
            "split: shares are 0.5, 0.6, -0.1; none may be negative, the first must be positive and their sum 1");
  EXPECT_EQ(message_of([] { split_by_time(prepare(swinging(100))); }),
            "made.csv: a set would have 25 samples; at least 32 are needed");
}

TEST(Split, ByFileASetWithoutAFileTakesItsShare) {
  const Prepared data = prepare(swinging(400));
  const Sets sets = split_by_file({data, data}, {}, {data});
  ASSERT_EQ(sets.pieces.size(), 3u);
  EXPECT_EQ(sets.pieces[1].estimation.count, 300u);
  EXPECT_EQ(sets.pieces[1].validation.count, 100u);
  EXPECT_EQ(sets.pieces[1].test.count, 0u);
  EXPECT_EQ(sets.pieces[2].test.count, 400u);
  EXPECT_EQ(sets.pieces[2].estimation.count, 0u);
}

TEST(Split, ByColumnNeighbouringRowsWithOneValueAreAPiece) {
  Recording r = swinging(900);
  Labels seal{"seal", {"o-ring", "lip"}, {}};
  Column bar{"bar", "", {}};
  for (std::size_t i = 0; i < 900; ++i)
    seal.index.push_back(i < 300 || i >= 600 ? 0u : 1u), bar.values.push_back(i < 600 ? 1 : 3);
  r.labels.push_back(seal), r.others.push_back(bar);
  const Sets words = split_by_column(r, {}, {"seal", {"o-ring"}, {"lip"}, {}});
  ASSERT_EQ(words.pieces.size(), 3u);
  EXPECT_EQ(words.pieces[0].estimation.count, 225u);
  EXPECT_EQ(words.pieces[0].test.count, 75u);
  EXPECT_EQ(words.pieces[2].validation.count, 300u);
  EXPECT_NEAR(words.pieces[1].data.time.front(), 0.6, 1e-12);
  const Sets numbers = split_by_column(r, {}, {"bar", {"1.0"}, {"3"}, {"1"}});
  EXPECT_EQ(numbers.pieces[1].validation.count, 300u);
  EXPECT_EQ(numbers.pieces[2].test.count, 600u);
  EXPECT_EQ(message_of([&] {
              split_by_column(r, {}, {"seal", {"oring"}, {}, {}});
            }),
            "made.csv: column 'seal' has no value 'oring'; did you mean 'o-ring'");
  EXPECT_EQ(message_of([&] {
              split_by_column(r, {}, {"sael", {"x"}, {}, {}});
            }),
            "made.csv: no column 'sael'; did you mean 'seal'");
}

// One spring of 2 um over which force rises and then slips: strokes of 40 um preslide for 2 · 2 um after each turn.
TEST(Phases, PreslidingIsTheTravelInWhichForceRises) {
  double state = 0, last = 0;
  const auto x = [](double t) { return 20e-6 * std::sin(2 * pi * 0.5 * t); };
  const auto force = [=](double t) mutable {
    state = std::clamp(state + (x(t) - last) / 2e-6, -1.0, 1.0), last = x(t);
    return 3 * state;
  };
  const Phases found = phases_of(prepare(made::recording(20000, 1e-3, x, force, {.position = 1e-9})));
  EXPECT_GT(found.presliding_distance, 2.5e-6);
  EXPECT_LT(found.presliding_distance, 7e-6);
  // Time near the turns: arccos(1 − 4/20)/π of each half cycle for 4 um.
  EXPECT_NEAR(found.share_of(PhaseKind::presliding), std::acos(1 - 4.0 / 20) / pi, 0.06);
  EXPECT_LT(found.share_of(PhaseKind::rest), 0.05);
  std::size_t covered = 0;
  for (const Phase& phase : found.phases) {
    EXPECT_EQ(phase.samples.first, covered);
    covered += phase.samples.count;
  }
  EXPECT_EQ(covered, 20000u);
}

// A body that moves for a second, rests for a second and moves on, read by a coarse encoder.
TEST(Phases, RestIsFoundBetweenMovesAndASlowMotionIsNoRest) {
  const auto x = [](double t) {
    return t < 1 ? 0.1 * t : t < 2 ? 0.1 : t < 3 ? 0.1 + 0.1 * (t - 2) : 0.2 + 2e-3 * (t - 3);
  };
  const auto force = [](double t) { return t < 1 || (t > 2 && t < 3) ? 1.0 : 0.8; };
  const Phases found = phases_of(prepare(made::recording(6000, 1e-3, x, force, {.resolution = 1e-4})));
  EXPECT_NEAR(found.share_of(PhaseKind::rest), 1.0 / 6, 0.02);
}

}  // namespace
}  // namespace stickslip
