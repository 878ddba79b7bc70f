/// Long recordings are fitted in part first: what the parts are, and that nothing of it is left in the result.
#include <gtest/gtest.h>

#include <set>

#include "identification/candidate_fit.hpp"
#include "identification/fit_part.hpp"
#include "identification/identify_recordings.hpp"
#include "models/random_models.hpp"

namespace stickslip::long_fit_test {
namespace {

using random_models::uniform;

std::size_t whole_number(random_models::Random& random, std::size_t least, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(least, most)(random);
}

/// A piece whose values tell which sample they are of; the time says it, the piece's number in front.
FitPiece numbered_piece(random_models::Random& random, std::size_t number, bool has_gaps) {
  FitPiece p;
  p.unit = number;
  const std::size_t n = whole_number(random, 200, 6000);
  for (std::size_t i = 0; i < n; ++i) {
    p.motion.time.push_back(static_cast<double>(10000 * number + i));
    p.motion.position.push_back(uniform(random, -1, 1));
    p.motion.load.push_back(uniform(random, 0, 1));
    p.force.push_back(uniform(random, -1, 1));
    p.sticking_force.push_back(uniform(random, -1, 1));
    p.may_rest.push_back(uniform(random, 0, 1) < 0.2);
    p.blurred.push_back(uniform(random, 0, 1) < 0.2);
  }
  p.settled = whole_number(random, 1, n / 3);
  for (std::size_t at = p.settled; at < n;) {
    const std::size_t count = has_gaps ? whole_number(random, 1, 400) : n - at;
    p.estimation.add({at, std::min(count, n - at)});
    at += count + (has_gaps ? whole_number(random, 1, 400) : 0);
  }
  for (std::size_t i = 5; i < n; i += whole_number(random, 5, 90)) p.releases.push_back({.sample = i, .begin = i - 4});
  return p;
}

struct Origin {
  const FitPiece* piece;
  std::size_t sample;
};
Origin origin_of(const FitData& data, double time) {
  const auto number = static_cast<std::size_t>(time) / 10000;
  return {&data.pieces.at(number), static_cast<std::size_t>(time) % 10000};
}

// Blocks are neighbouring samples of the recording with all that is known of them, and what counts in them counts in the recording.
TEST(LongFit, BlocksAreSamplesOfTheRecordingAsTheyAre) {
  random_models::Random random(11);
  for (int draw = 0; draw < 60; ++draw) {
    const bool has_gaps = draw % 2 == 1;
    FitData data;
    const std::size_t pieces = whole_number(random, 1, 4);
    for (std::size_t k = 0; k < pieces; ++k) data.pieces.push_back(numbered_piece(random, k, has_gaps));
    const std::size_t count = scored_count(data, &FitPiece::estimation);
    const std::size_t most = whole_number(random, 100, count - 1), blocks = whole_number(random, 1, 12);
    const FitData part = blocks_of(data, most, blocks);
    std::set<double> scored, units;
    for (const FitPiece& q : part.pieces) {
      ASSERT_FALSE(q.estimation.empty()) << "draw " << draw;
      EXPECT_LE(q.estimation.end(), q.size());
      units.insert(static_cast<double>(q.unit));
      const Origin first = origin_of(data, q.motion.time.front());
      EXPECT_EQ(q.unit, first.piece->unit);
      // The state at the begin of a block is not known: samples before those that count set it.
      if (first.sample > 0) {
        EXPECT_LT(q.settled, q.estimation.first());
        EXPECT_GE(2 * q.estimation.first() + 2, q.estimation.stretches().front().count) << "draw " << draw;
      }
      for (std::size_t i = 0; i < q.size(); ++i) {
        const auto [p, at] = origin_of(data, q.motion.time[i]);
        ASSERT_EQ(at, first.sample + i) << "draw " << draw;
        EXPECT_TRUE(q.motion.position[i] == p->motion.position[at] && q.motion.load[i] == p->motion.load[at] &&
                    q.force[i] == p->force[at] && q.sticking_force[i] == p->sticking_force[at] &&
                    q.may_rest[i] == p->may_rest[at] && q.blurred[i] == p->blurred[at]);
        if (!q.estimation.contains(i)) continue;
        EXPECT_TRUE(p->estimation.contains(at)) << "draw " << draw << ", sample " << at;
        EXPECT_TRUE(scored.insert(q.motion.time[i]).second) << "draw " << draw << ": twice";
      }
      for (const Release& r : q.releases) {
        const auto [p, at] = origin_of(data, q.motion.time[r.sample]);
        EXPECT_TRUE(std::any_of(p->releases.begin(), p->releases.end(),
                                [&, sample = at](const Release& known) {
                                  return known.sample == sample &&
                                         known.begin == origin_of(data, q.motion.time[r.begin]).sample;
                                }))
            << "draw " << draw;
      }
    }
    EXPECT_EQ(units.size(), pieces) << "draw " << draw;
    EXPECT_LE(scored.size(), most + part.pieces.size()) << "draw " << draw;
    if (!has_gaps) {
      EXPECT_GE(scored.size() + part.pieces.size(), most) << "draw " << draw;
    }
  }
}

TEST(LongFit, NothingIsLeftOutOfAShortRecording) {
  random_models::Random random(12);
  FitData data;
  data.pieces.push_back(numbered_piece(random, 0, true));
  const std::size_t count = scored_count(data, &FitPiece::estimation);
  EXPECT_EQ(blocks_of(data, count).pieces.size(), 1u);
  EXPECT_EQ(scored_count(blocks_of(data, count), &FitPiece::estimation), count);
}

TEST(LongFit, ThinnedRecordingsKeepEveryNthSample) {
  random_models::Random random(13);
  for (int draw = 0; draw < 20; ++draw) {
    FitData data;
    for (std::size_t k = 0; k < 2; ++k) data.pieces.push_back(numbered_piece(random, k, draw % 2 == 1));
    const std::size_t count = scored_count(data, &FitPiece::estimation), most = whole_number(random, 50, count - 1);
    const std::size_t stride = (count + most - 1) / most;
    for (const FitPiece& q : shortened(data, most).pieces)
      for (std::size_t i = 0; i < q.size(); ++i) {
        const auto [p, at] = origin_of(data, q.motion.time[i]);
        ASSERT_EQ(at, i * stride) << "draw " << draw;
        EXPECT_EQ(q.force[i], p->force[at]);
        EXPECT_EQ(q.estimation.contains(i), p->estimation.contains(at)) << "draw " << draw << ", sample " << at;
      }
  }
}

/// More samples of estimation than are fitted at once: of bristles, or of a body that truly sticks.
enum class Truth { bristles, sticking };
const FitData& long_recording(Truth truth) {
  const auto made = [](const char* model, ParameterValues values) {
    for (const auto& [key, value] : {std::pair{"viscosity", 40.0}, {"coulomb_force", 5.0}, {"stiction_force", 8.0}})
      values.emplace_back(key, value);
    return fit_data(recorded(model, values, {.count = 160000, .rests = true, .seed = 5}, 0.05));
  };
  static const FitData bristles =
      made("lugre", {{"bristle_stiffness", 2e5}, {"bristle_damping", 200.0}, {"stribeck_velocity", 2e-3}});
  static const FitData sticking = made("stribeck", {{"stribeck_velocity", 2e-3}});
  return truth == Truth::bristles ? bristles : sticking;
}

/// A level of breakaway below that of sliding is not left as it is found: what is reported is another point then.
bool has_levels_in_order(const ModelSpace& space, const std::vector<double>& y) {
  const auto sliding = space.find("coulomb_force"), breakaway = space.find("stiction_force");
  return !sliding || !breakaway ||
         space.unknowns()[*breakaway].value(y[*breakaway]) > space.unknowns()[*sliding].value(y[*sliding]);
}

class EveryUsualLaw : public testing::TestWithParam<const char*> {};

// The slow way searches and descends on all samples.
TEST_P(EveryUsualLaw, EndsOnAllSamplesWhereTheSlowWayEnds) {
  constexpr double of_the_cost = 1e-6;
  int compared = 0;
  for (const Truth truth : {Truth::bristles, Truth::sticking}) {
    const FitData& data = long_recording(truth);
    ASSERT_TRUE(is_long(data));
    const Fitted quick = fit_candidate({GetParam(), GetParam(), Kernel::none, {}, 0, false}, data, {}, {}, {});
    const ModelResiduals residuals(quick.space, data);
    Eigen::VectorXd r;
    ASSERT_TRUE(residuals(quick.found.y, r));
    EXPECT_NEAR(r.squaredNorm(), quick.found.cost, 1e-12 * quick.found.cost);
    const ModelFit slow = fit_model(quick.space, data);
    if (!has_levels_in_order(quick.space, slow.y) || !has_levels_in_order(quick.space, quick.found.y)) continue;
    ++compared;
    EXPECT_LE(quick.found.cost, slow.cost * (1 + of_the_cost));
    EXPECT_GE(follow(residuals, quick.found.y).cost, quick.found.cost * (1 - of_the_cost));
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(LongFit, EveryUsualLaw,
                         testing::Values("coulomb-viscous", "stribeck", "dahl", "lugre", "elastoplastic"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Laws with lists of springs are compared after descents that stop early; what is reported is followed to the end.
TEST(LongFit, FirstLookAtManyValleysIsNotTheResult) {
  const FitData& data = long_recording(Truth::bristles);
  const Candidate four{"generalized-maxwell-slip", "generalized-maxwell-slip(4)", Kernel::none, {}, 4, true};
  const Fitted found = fit_candidate(four, data, {}, {}, {});
  EXPECT_TRUE(found.found.converged);
  EXPECT_GE(follow(ModelResiduals(found.space, data), found.found.y).cost, found.found.cost * (1 - 1e-7));
}

}  // namespace
}  // namespace stickslip::long_fit_test
