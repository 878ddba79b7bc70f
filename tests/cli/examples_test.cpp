/// Every scenario in examples/ runs, and the numbers its comment states are what it gives.
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/npz_table.hpp"
#include "support/places.hpp"

namespace stickslip::examples_test {
namespace {

const fs::path examples = fs::path(source_dir()) / "examples";

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(examples))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Answer simulate(const Folder& folder, const std::string& name, const std::string& more = "") {
  return run_program(folder, "simulate '" + (examples / (name + ".toml")).string() + "' " + more);
}

/// Times of one kind of event in an events file.
std::vector<double> times_of(const std::string& csv, const std::string& kind) {
  std::vector<double> times;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);)
    if (line.find("," + kind + ",") != std::string::npos) times.push_back(std::stod(line));
  return times;
}

class Example : public testing::TestWithParam<std::string> {};

TEST_P(Example, RunsAndWritesEverything) {
  const Folder folder;
  const std::string name = GetParam();
  const Answer answer = simulate(folder, name, "--ledger --plot");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{name + ".csv", name + ".events.csv", name + ".ledger.json",
                                                      name + ".npz", name + ".svg"}));
  for (const auto& file : folder.files())
    EXPECT_NE(answer.out.find("wrote " + file), std::string::npos) << "what is written is said";
  const Table samples = from_npz(text_of(folder / (name + ".npz")), name);
  EXPECT_GT(rows(samples), 100u);
  const std::string csv = text_of(folder / (name + ".csv"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows(samples) + 1);
  EXPECT_NE(text_of(folder / (name + ".svg")).find("</svg>"), std::string::npos);
  EXPECT_EQ(answer.out.find('\x1b'), std::string::npos) << "colour is for terminals only";
}

TEST_P(Example, EnergyIsAccountedFor) {
  if (GetParam() == "prescribed_motion")
    GTEST_SKIP() << "nothing moves freely there; its work is tested with the machine";
  const Folder folder;
  const Answer answer = simulate(folder, GetParam(), "--no-files --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_TRUE(folder.files().empty());
  const JsonValue report = JsonReader::read(answer.out);
  EXPECT_EQ(report["run"]["outcome"].text, "finished");
  const JsonValue& energy = report["run"]["energy_J"];
  const double turned_over = std::abs(energy["work_in"].number) + std::abs(energy["friction_heat"].number) +
                             std::abs(energy["stored_at_start"].number) + 1e-6;
  // Steps of 1 ms account for energy to first order only; event-driven runs to their tolerance.
  const double part = report["method"].text == "fixed-step" ? 1e-2 : 1e-6;
  EXPECT_LT(std::abs(energy["residual"].number), part * turned_over);
  double in_modes = 0;
  for (const auto& [mode, time] : report["run"]["time_in_mode_s"].members) in_modes += time.number;
  EXPECT_NEAR(in_modes, report["run"]["time_reached_s"].number, 1e-9 * in_modes);
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(example_names()),
                         [](const auto& example) { return example.param; });

TEST(Examples, StickSlipBreaksAwayWhereTheClosedFormSays) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "stick_slip", "--events").exit_code, 0);
  const auto releases = times_of(text_of(folder / "stick_slip.events.csv"), "release");
  ASSERT_GE(releases.size(), 3u);
  EXPECT_NEAR(releases[0], 7.5, 1e-9);  // F_S/(k V)
  EXPECT_NEAR(releases[1] - releases[0], 6.512322314, 1e-6);
  EXPECT_NEAR(releases[2] - releases[1], 6.512322314, 1e-6);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"stick_slip.events.csv", "stick_slip.ledger.json"}));
}

TEST(Examples, PreslidingBreaksAwayWhereTheClosedFormSays) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "presliding_ramp", "--events").exit_code, 0);
  const auto exits = times_of(text_of(folder / "presliding_ramp.events.csv"), "mode exit");
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_NEAR(exits[0], 1.5051639778, 1e-8);  // F_S/rate + k2/k1
}

TEST(Examples, PidFirstSticksAsPublished) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "pid_limit_cycle", "--events").exit_code, 0);
  const auto sticks = times_of(text_of(folder / "pid_limit_cycle.events.csv"), "stick");
  ASSERT_GE(sticks.size(), 2u);
  EXPECT_NEAR(sticks[0], 3.612331049, 1e-6);
  EXPECT_NEAR(sticks[1], 8.567103918, 1e-6);
}

// Below breakaway a cycle of the load brings the mass back to where it was.
TEST(Examples, VibratingLoadDoesNotDrift) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "no_drift", "--npz").exit_code, 0);
  const Table samples = from_npz(text_of(folder / "no_drift.npz"), "no_drift.npz");
  const auto& x = samples.columns[1].values;
  for (std::size_t second = 20; second < 34; ++second) EXPECT_NEAR(x[100 * second + 100], x[100 * second], 1e-9);
}

TEST(Examples, PushBelowBreakawayDoesNotMoveTheMass) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "steps", "--npz --events").exit_code, 0);
  const Table samples = from_npz(text_of(folder / "steps.npz"), "steps.npz");
  for (std::size_t i = 0; samples.columns[0].values[i] < 3; ++i) EXPECT_EQ(samples.columns[1].values[i], 0);
  // 1.8 N against F_C = 1 N for 1 s reaches about 0.4 m/s, then coasts to rest at 0.5 m/s²: 0.2 m + 0.16 m.
  EXPECT_NEAR(samples.columns[1].values.back(), 0.36, 0.005);
}

TEST(Examples, PositionTableStopsAtItsKnots) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "position_dependent", "--events").exit_code, 0);
  std::istringstream lines(text_of(folder / "position_dependent.events.csv"));
  std::vector<double> knots;
  for (std::string line; std::getline(lines, line);)
    if (line.find(",table knot,") != std::string::npos) {
      std::string field;
      std::istringstream fields(line);
      for (int i = 0; i < 5; ++i) std::getline(fields, field, ',');
      knots.push_back(std::stod(field));
    }
  ASSERT_EQ(knots.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(knots[i], 0.2 + 0.1 * static_cast<double>(i), 1e-12);
}

TEST(Examples, RotaryResultsCarryRotaryUnits) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "rotary", "--csv").exit_code, 0);
  const std::string csv = text_of(folder / "rotary.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "time_s,position_rad,velocity_rad_s,applied_torque_N_m,friction_torque_N_m,mode,reference_rad,"
            "tracking_error_rad");
}

}  // namespace
}  // namespace stickslip::examples_test
