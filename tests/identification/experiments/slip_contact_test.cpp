#include "identification/experiments/slip_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "support/shared_data.hpp"

using namespace stickslip;

namespace {

// The model's own force along growing strokes: every parameter comes back.
TEST(SlipContact, GivesAKnownContactBack) {
  const FrictionSettings known{{{"thresholds", std::vector<double>{2e-3}},
                                {"stiffnesses", std::vector<double>{5e6}},
                                {"offset", 50.0},
                                {"backlash", 4e-3}},
                               {{"thresholds", std::vector<double>{2.6e-3}}},
                               {}};
  Recording r;
  r.file = "made";
  for (int i = 0; i < 4000; ++i)
    r.time.push_back(0.005 * i), r.position.push_back(0.02 * std::sin(0.02 * i) * (1 + 0.2 * std::sin(0.003 * i)));
  r.force = make_friction(slip_contact_model, known)->respond({r.time, r.position, {}, {}});
  const SlipContact found = fit_slip_contact(r, {.per_direction = true, .backlash = true});
  const double truth[]{2e-3, 5e6, 50, 1.3, 4e-3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.confidence.estimates[i].value / truth[i], 1, 1e-3) << i;
  EXPECT_LT(found.held_out_rms, 1e-3 * found.force_rms);
}

TEST(SlipContact, RefusesALoadThatIsNotThere) {
  Recording r;
  r.file = "made";
  r.time.assign(200, 0), r.position.assign(200, 0), r.force.assign(200, 1);
  try {
    fit_slip_contact(r, {.over_load = true});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "made: no load column; name it with --load");
  }
}

// At most 13 % of the force from displacement alone, on the part that was not fitted as well.
TEST(SlipContact, BandBrake) {
  const std::string file = "data/band_brake/ds2_0.5Hz36lbtension1amplitude.csv";
  SKIP_WITHOUT_SHARED(file);
  const Recording r = read_recording(shared_path(file).string(),
                                     {.columns = {.position = "displacement_m", .force = "friction_force_N"}});
  const SlipContact found = fit_slip_contact(r, {.elements = 2, .per_direction = true, .backlash = true});
  EXPECT_LT(found.rms, 0.09 * found.force_rms);
  EXPECT_LT(found.held_out_rms, 0.09 * found.held_out_force_rms);
}

// At most 0.07 N, on the part that was not fitted as well.
TEST(SlipContact, MicroTribometer) {
  const std::string file = "data/microtribometer/first_48s.csv";
  SKIP_WITHOUT_SHARED(file);
  const Recording r =
      read_recording(shared_path(file).string(),
                     {.columns = {.position = "position_mm", .force = "friction_uN", .load = "normal_uN"}});
  const SlipContact found = fit_slip_contact(
      r,
      {.elements = 2, .per_direction = true, .asymmetry = true, .over_load = true, .knots = 5, .force_drives = true});
  EXPECT_LT(found.rms, 0.07);
  EXPECT_LT(found.held_out_rms, 0.0705);
}

}  // namespace
