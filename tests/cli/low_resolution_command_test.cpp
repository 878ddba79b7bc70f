/// `stickslip plan`, `virtual-bench`, `breakaway-test` and `sine-test` as a user runs them.
#include "cli/program.hpp"

namespace stickslip::low_resolution_command_test {
namespace {

// The stated set-up: m 1, F_s 1.5, F_c 1, F_v 0.4, v_s 1e-3, floor encoder of 1 mm, 1 ms.
TEST(LowResolution, BenchRecordingsGiveTheirFrictionBack) {
  const Folder folder;
  const Answer made =
      run_program(folder, "virtual-bench bench --periods 4 --travel '8 mm' --speeds '[0.9, 1.4, 2] m/s'");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out,
            "wrote bench/breakaway.csv (force ramps, for breakaway-test)\n"
            "wrote bench/sine.csv (sinusoidal motion, for sine-test --each speed_wanted)\n");

  const Answer ramps = run_program(
      folder, "breakaway-test bench/breakaway.csv --mass '1 kg' --coulomb '1 N' --stribeck-velocity '1 mm/s' --json");
  ASSERT_EQ(ramps.exit_code, 0) << ramps.err;
  const JsonValue stiction = JsonReader::read(ramps.out)["stiction"];
  EXPECT_NEAR(stiction["mean"].number, 1.5, 0.015);
  EXPECT_LE(stiction["low"].number, 1.5);

  const Answer swings =
      run_program(folder, "sine-test bench/sine.csv --by speed_wanted --mass '1 kg' --stiction '1.5 N' --json");
  ASSERT_EQ(swings.exit_code, 0) << swings.err;
  const JsonValue found = JsonReader::read(swings.out);
  EXPECT_NEAR(found["viscosity"].number, 0.4, 0.02);
  EXPECT_NEAR(found["coulomb"].number, 1, 0.02);
  EXPECT_EQ(found["levels"].items.size(), 3u);
  EXPECT_NE(swings.err.find("the sign of quantised differences gives"), std::string::npos) << swings.err;

  const Answer words = run_program(folder, "breakaway-test bench/breakaway.csv --mass '1 kg' --coulomb '1 N' --points");
  EXPECT_NE(words.out.find("Stiction 1.5"), std::string::npos) << words.out;
  EXPECT_EQ(run_program(folder, "breakaway-test bench/sine.csv").exit_code, 2);
  EXPECT_EQ(run_program(folder, "sine-test bench/sine.csv --by spede").err,
            "bench/sine.csv: no column 'spede'; there is speed_wanted\n");
  // A plain number is in the unit that the help shows: the same bytes.
  EXPECT_EQ(run_program(folder, "breakaway-test bench/breakaway.csv --mass 1").out,
            run_program(folder, "breakaway-test bench/breakaway.csv --mass '1000 g'").out);
}

TEST(Plan, PrintsTestsWithTheirErrors) {
  const Folder folder;
  const std::string machine =
      "plan --mass '1 kg' --resolution '1 mm' --sampling-time '1 ms' --force-limit '20 N' --stiction '1.5 N' "
      "--coulomb '1 N' --viscosity '0.4 N s/m' --stribeck-velocity '1 mm/s'";
  const Answer words = run_program(folder, machine);
  EXPECT_EQ(words.exit_code, 0) << words.err;
  for (const char* text :
       {"Breakaway ramps", "Sinusoidal speed", "Constant speeds", "Micro-strokes", "cannot be identified"})
    EXPECT_NE(words.out.find(text), std::string::npos) << text;
  const JsonValue plan = JsonReader::read(run_program(folder, machine + " --json").out);
  EXPECT_NEAR(plan["sensor"]["velocity_error"].number, 1, 1e-12);
  EXPECT_NEAR(plan["sensor"]["signal_to_noise"].number, 0.01, 1e-12);
  EXPECT_LE(plan["ramps"]["stiction_error"].number, 0.0301);
  const Answer clutch = run_program(
      folder,
      "plan --rotary --mass '1.32e-5 kg m^2' --resolution '0.1122 rad' --sampling-time '1 ms' --force-limit '2 N m'");
  EXPECT_EQ(clutch.exit_code, 0) << clutch.err;
  EXPECT_NE(clutch.out.find("assumed: stiction assumed to be a tenth of the force limit"), std::string::npos)
      << clutch.out;
  EXPECT_EQ(
      run_program(folder, "plan --mass '1 m' --resolution '1 mm' --sampling-time '1 ms' --force-limit '2 N'").exit_code,
      2);
  EXPECT_EQ(
      run_program(folder, "plan --mass '0 kg' --resolution '1 mm' --sampling-time '1 ms' --force-limit '2 N'").err,
      "--mass is 0 kg; it must be positive\n");
}

}  // namespace
}  // namespace stickslip::low_resolution_command_test
