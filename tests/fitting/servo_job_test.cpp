/// The servo's own file as a job, on the logs of an XL330.
#include "fitting/servo_job.hpp"

#include <gtest/gtest.h>

#include "files/whole_file.hpp"
#include "support/places.hpp"
#include "support/shared_data.hpp"

namespace stickslip::servo_job_test {
namespace {

// From rough values, all twelve logs together: at most 18 mrad of mean |error|, where the public tool's richest model leaves 55.7.
TEST(ServoJob, AllLogsOfTheXl330WithinEighteenMilliradians) {
  SKIP_WITHOUT_SHARED("data/bam_xl330/xl330_5ms.csv");
  const std::string file = source_dir() + "/examples/identify/xl330.toml";
  std::string text = read_whole(file);
  const std::string by_gain = "leave_out = \"gain\"";
  text.replace(text.find(by_gain), by_gain.size(), "leave_out = \"none\"");
  const std::string place = "../../../shared/data/bam_xl330/xl330_5ms.csv";
  text.replace(text.find(place), place.size(), shared_path("data/bam_xl330/xl330_5ms.csv").string());
  const ServoJob job = parse_servo_job(text, file);
  ASSERT_EQ(job.scenario.logs.size(), 12u);
  const MachineFit fit = fit_servo_job(job);
  EXPECT_LT(fit.candidates.front().outputs.front().mean_size, 0.018);
  EXPECT_EQ(fit.candidates.front().logs.size(), 12u);
  // The file that is written rolls out as the fit did.
  const ServoScenario again = parse_servo(fit.candidates.front().text, file);
  double sum = 0;
  for (const ServoLog& log : again.logs) {
    std::vector<double> reading(log.size());
    roll_out(again.servo, log, reading);
    sum += mean_error(reading, log.position) / 12;
  }
  EXPECT_NEAR(sum, fit.candidates.front().outputs.front().mean_size, 1e-9);
}

}  // namespace
}  // namespace stickslip::servo_job_test
