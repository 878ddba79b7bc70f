/// From files to samples: what is found of mass and lag before any law is fitted.
#include "jobs/identify/recordings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "jobs/identify/run.hpp"
#include "recording/made_recordings.hpp"

namespace stickslip::recordings_test {
namespace {

constexpr double mass = 10;

/// A chirp with a small hum on top, read by an encoder whose steps are twice the hum: its band is wide, and so is that of the noise.
Recording humming_chirp() {
  constexpr double duration = 8, slow = 0.3, quick = 2, size = 0.05, hum = 1e-5, hum_rate = 2 * made::pi * 60;
  const auto phase = [](double t) { return 2 * made::pi * (slow * t + 0.5 * (quick - slow) * t * t / duration); };
  const auto rate = [](double t) { return 2 * made::pi * (slow + (quick - slow) * t / duration); };
  return made::recording(
      8000, 1e-3, [&](double t) { return size * std::sin(phase(t)) + hum * std::sin(hum_rate * t); },
      [&](double t) {
        const double v = size * std::cos(phase(t)) * rate(t) + hum * hum_rate * std::cos(hum_rate * t);
        const double a = size * (std::cos(phase(t)) * 2 * made::pi * (quick - slow) / duration -
                                 std::sin(phase(t)) * rate(t) * rate(t)) -
                         hum * hum_rate * hum_rate * std::sin(hum_rate * t);
        return mass * a + 50 * v + (v > 0 ? 16 : -16);
      },
      {.force = 0.3, .resolution = 2e-5});
}

// Regression over an acceleration with noise finds too small a factor: 6.9 +- 0.8 kg were found, with the low-pass that is chosen
// where nothing is subtracted.
TEST(RecordingsOfAJob, NoiseOfTheAccelerationDoesNotMakeAMassLookSmaller) {
  IdentifyJob job;
  RecordingsRequest request;
  request.files = {{"chirp", std::make_shared<const Recording>(humming_chirp())}};
  request.preparation = prepared_as({});
  request.preparation.mass = MassFrom::recording_where_visible;
  read_recordings(request, job, [](const std::string&) {});
  ASSERT_TRUE(job.settled.has_value());
  EXPECT_NEAR(job.settled->mass, mass, 0.01 * mass);
  EXPECT_NEAR(job.settled->mass, mass, 3 * job.settled->mass_error);
  EXPECT_EQ(job.preparation.lag, 0);
  EXPECT_EQ(job.preparation.cutoff_hz, 0) << "the low-pass of the fits is chosen as always";
}

// What went wrong: a stated mass that was off was settled with the law, and after that the lag, stated too, counted as unknown: intervals of
// viscosity and mass up to twice as wide.
TEST(RecordingsOfAJob, AStatedLagStaysStatedWhenTheMassMoves) {
  IdentifyJob job;
  job.options.models = {"coulomb-viscous"};
  job.options.threads = 1;
  RecordingsRequest request;
  request.files = {{"chirp", std::make_shared<const Recording>(humming_chirp())}};
  request.preparation = prepared_as({.mass = 1.05 * mass, .mass_error = 0.05 * mass});
  request.preparation.fits_lag = true;
  const auto quiet = [](const std::string&) {};
  read_recordings(request, job, quiet);
  ASSERT_EQ(job.preparation.lag_error, 0);
  const IdentifyRun run = settled_again(
      request, job, run_identify(job, {}), [&] { return run_identify(job, {}); }, quiet);
  EXPECT_NE(job.preparation.mass, 1.05 * mass) << "the law's fit moves it";
  EXPECT_EQ(job.preparation.lag_error, 0);
  EXPECT_EQ(run.found.models[run.found.recommended].lag_error, 0);
}

}  // namespace
}  // namespace stickslip::recordings_test
