/// Sweeps: one number per run and output, the same in lanes and one by one, on any number of threads.
#include "sweep/run_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/program.hpp"
#include "core/error.hpp"
#include "support/places.hpp"
#include "sweep/sweep_files.hpp"

namespace stickslip::run_sweep_test {
namespace {

Sweep sweep_in(const Folder& folder, const std::string& scenario, const std::string& sweep) {
  folder.write("s.toml", scenario);
  folder.write("sweep.toml", sweep);
  return read_sweep((folder / "sweep.toml").string());
}

const std::string all_lane_outputs =
    "\"slips\", \"period\", \"amplitude\", \"sticks\", \"work_in\", \"friction_work\", \"damper_heat\", \"max "
    "velocity\", "
    "\"min velocity\", \"final position\", \"final velocity\"";

/// Both ways to run a sweep, column by column.
void expect_both_ways_agree(const std::string& friction, const std::string& outputs, double tolerance) {
  const Folder folder;
  Sweep sweep = sweep_in(
      folder, pulled_mass(friction, "duration = \"25 s\""),
      two_parameters("kind = \"sobol\"\nruns = 12", outputs, "observe_from = \"3 s\"\nrelative_tolerance = 1e-8"));
  const SweepRun in_lanes = run_sweep(sweep);
  ASSERT_TRUE(in_lanes.in_lanes) << in_lanes.why_not_lanes;
  sweep.lanes = false;
  const SweepRun alone = run_sweep(sweep);
  ASSERT_FALSE(alone.in_lanes);
  ASSERT_EQ(failures(alone), 0u);
  ASSERT_EQ(failures(in_lanes), 0u);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < sweep.outputs.size(); ++k) {
      const double a = in_lanes.rows.row(i)[k], b = alone.rows.row(i)[k];
      EXPECT_EQ(std::isnan(a), std::isnan(b)) << sweep.outputs[k].text << " of run " << i;
      if (std::isnan(a)) continue;
      EXPECT_NEAR(a, b, tolerance * (1 + std::fabs(b))) << sweep.outputs[k].text << " of run " << i;
    }
}

// Extremes and slips come from samples of 1 ms on one side and from every step on the other: within 1e-5 of each other.
TEST(RunSweep, LanesAgreeWithRunsOneByOneForIdealFriction) {
  expect_both_ways_agree(ideal_friction, all_lane_outputs + ", \"friction_heat\"", 2e-5);
}
TEST(RunSweep, LanesAgreeWithRunsOneByOneForBristles) {
  expect_both_ways_agree(bristle_friction, all_lane_outputs + ", \"state\"", 2e-5);
}

// A body pulled by a spring waits until k V t + c V = F_S; then the closed form of the spring-slider says the rest.
TEST(RunSweep, ThePeriodIsThatOfTheClosedForm) {
  const Folder folder;
  const std::string friction =
      "model = \"stribeck\"\ncoulomb_force = \"1 N\"\nstiction_force = \"1.5 N\"\n"
      "stribeck_velocity = \"1e-9 m/s\"\nviscosity = \"0 N s/m\"";
  std::string scenario = pulled_mass(friction, "duration = \"60 s\"");
  scenario.replace(scenario.find("0.1 N s/m"), 9, "0.0 N s/m");
  const Sweep sweep =
      sweep_in(folder, scenario,
               two_parameters("kind = \"grid\"", "\"period\", \"amplitude\", \"sticks\"", "observe_from = \"20 s\""));
  const SweepRun run = run_sweep(sweep);
  for (std::size_t i = 0; i < 16; ++i) {
    const double k = run.points[2 * i], v = run.points[2 * i + 1], w = std::sqrt(k), drop = 0.5;
    // Without damping the stretch swings about F_C/k with amplitude A, from +ΔF/k on to −ΔF/k, where the body rests
    // again; then it is pulled back by 2 ΔF/k at V.
    const double slip = 2 * (std::numbers::pi - std::atan(drop / (v * w))) / w, stick = 2 * drop / (k * v);
    EXPECT_NEAR(run.rows.row(i)[0], slip + stick, 2e-4) << "k " << k << ", V " << v;
    EXPECT_NEAR(run.rows.row(i)[1], std::sqrt(drop * drop / (k * k) + v * v / k), 1e-4);
    EXPECT_EQ(run.rows.row(i)[2], 1);
  }
}

TEST(RunSweep, TheNumbersDoNotDependOnThreads) {
  for (const bool lanes : {true, false}) {
    const Folder folder;
    Sweep sweep = sweep_in(folder, pulled_mass(bristle_friction, "duration = \"2 s\""),
                           two_parameters("kind = \"latin-hypercube\"\nruns = 33", "\"final position\", \"work_in\""));
    sweep.lanes = lanes;
    const std::string one = sweep_csv(sweep, run_sweep(sweep, {.threads = 1}));
    EXPECT_EQ(one, sweep_csv(sweep, run_sweep(sweep, {.threads = 2})));
    EXPECT_EQ(one, sweep_csv(sweep, run_sweep(sweep, {.threads = 3})));
  }
}

TEST(RunSweep, GoesOnFromAJournalWithTheSameBytes) {
  for (const bool lanes : {true, false}) {
    const Folder folder;
    Sweep sweep = sweep_in(folder, pulled_mass(ideal_friction, "duration = \"2 s\""),
                           two_parameters("kind = \"random\"\nruns = 3000", "\"final position\", \"sticks\""));
    sweep.lanes = lanes;
    const std::string whole = sweep_csv(sweep, run_sweep(sweep));
    const std::string journal = (folder / "j").string();
    RunWatch watch;
    SweepRunOptions options{.threads = 1, .journal = journal, .watch = &watch};
    options.progress = [&](const SweepProgress& p) {
      if (p.done >= 1000) watch.cancel = true;
    };
    const SweepRun first = run_sweep(sweep, options);
    EXPECT_FALSE(first.is_complete);
    const SweepRun second = run_sweep(sweep, {.threads = 2, .journal = journal});
    EXPECT_GE(second.taken, 1000u);
    EXPECT_LT(second.taken, 3000u);
    EXPECT_TRUE(second.is_complete);
    EXPECT_EQ(sweep_csv(sweep, second), whole);
    sweep.plan.seed = 2;  // another sweep
    EXPECT_THROW(run_sweep(sweep, {.journal = journal}), Error);
  }
}

TEST(RunSweep, AJournalIsRefusedWhenARecordingOfTheScenarioChanges) {
  const Folder folder;
  std::string scenario = pulled_mass(ideal_friction, "duration = \"1 s\"");
  const std::string ramp = "kind = \"ramp\"\nrate = \"0.1 m/s\"";
  scenario.replace(scenario.find(ramp), ramp.size(),
                   "kind = \"file\"\npath = \"pull.csv\"\ntime = \"time_s\"\nvalue = \"pull_m\"");
  const std::string sweep_text =
      "scenario = \"s.toml\"\noutputs = [\"final position\"]\n[plan]\nkind = \"grid\"\n"
      "[[parameter]]\npath = \"machine.mass\"\nvalues = \"[1, 2] kg\"\n";
  const std::string journal = (folder / "j").string();
  folder.write("pull.csv", "time_s,pull_m\n0,0\n0.5,0.5\n1,1\n");
  run_sweep(sweep_in(folder, scenario, sweep_text), {.journal = journal});
  EXPECT_EQ(run_sweep(sweep_in(folder, scenario, sweep_text), {.journal = journal}).taken, 2u);
  folder.write("pull.csv", "time_s,pull_m\n0,0\n0.5,0.5\n1,2\n");
  EXPECT_THROW(run_sweep(sweep_in(folder, scenario, sweep_text), {.journal = journal}), Error);
}

TEST(RunSweep, ARunThatFailsIsARowWithItsReason) {
  const Folder folder;
  Sweep sweep = sweep_in(folder, pulled_mass(ideal_friction, "duration = \"30 s\"\n[solver]\nmost_steps = 60"),
                         two_parameters("kind = \"grid\"", "\"final position\"", "lanes = false"));
  const SweepRun run = run_sweep(sweep);
  EXPECT_GT(failures(run), 0u);
  const std::string csv = sweep_csv(sweep, run);
  EXPECT_NE(csv.find("nan,too many steps\n"), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17);
  const Table table = sweep_table(sweep, run);
  EXPECT_EQ(table.columns.back().name, "stop");
  std::size_t stopped = 0;
  for (const double stop : table.columns.back().values) stopped += stop == double(Stop::too_many_steps);
  EXPECT_EQ(stopped, failures(run));
}

TEST(RunSweep, ValuesThatMakeNoMachineTogetherAreRowsToo) {
  const Folder folder;
  std::string scenario = pulled_mass(ideal_friction, "duration = \"1 s\"");
  scenario.replace(scenario.find("rate = \"0.1 m/s\""), 16, "rate = \"0.1 m/s\"\nfrom = \"1 s\"\nuntil = \"4 s\"");
  const Sweep sweep = sweep_in(folder, scenario,
                               "scenario = \"s.toml\"\noutputs = [\"events\"]\n[plan]\nkind = \"grid\"\n"
                               "[[parameter]]\npath = \"input.from\"\nvalues = [\"1 s\", \"3 s\"]\n"
                               "[[parameter]]\npath = \"input.until\"\nvalues = [\"2 s\", \"5 s\"]\n");
  const SweepRun run = run_sweep(sweep);
  EXPECT_EQ(failures(run), 1u);
  EXPECT_NE(failure_of(run, 2).find("until must come after from"), std::string::npos) << failure_of(run, 2);
  EXPECT_EQ(sweep_table(sweep, run).columns.back().values[2], stop_refused);
}

TEST(RunSweep, NumbersOfMachinesAreFoundByNumberAndByName) {
  const Folder folder;
  const auto swept = [&](const std::string& machine, const std::string& path, const std::string& values) {
    folder.write("sweep.toml", "scenario = \"" + source_dir() + "/examples/machines/" + machine +
                                   ".toml\"\noutputs = [\"work_in\", \"events\", \"friction_heat\"]\n[plan]\n"
                                   "kind = \"grid\"\n[[parameter]]\npath = \"" +
                                   path + "\"\nvalues = " + values + "\n");
    const Sweep sweep = read_sweep((folder / "sweep.toml").string());
    const SweepRun run = run_sweep(sweep);
    EXPECT_EQ(failures(run), 0u);
    EXPECT_EQ(run.why_not_lanes, "only a single body runs in lanes");
    return run.rows.values;
  };
  const auto by_number = swept("pulled_pair", "body.2.mass", "[\"0.5 kg\", \"2 kg\"]");
  EXPECT_EQ(by_number, swept("pulled_pair", "body[rear].mass", "\"[0.5, 2] kg\""));
  EXPECT_NE(by_number[0], by_number[4]);
  const auto winch = swept("winch", "body[load].mass", "[\"20 kg\", \"21 kg\"]");
  EXPECT_NE(winch[0], winch[4]);
}

// A body that is only pushed: a constant force F for time T moves it by F T²/(2 m).
TEST(RunSweep, AForceThatPushesAFreeBodyDoesWhatNewtonSays) {
  const Folder folder;
  const std::string scenario =
      "[machine]\nkind = \"applied-force\"\nmass = \"2 kg\"\n[input]\nkind = \"constant\"\nvalue = \"1 N\"\n"
      "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1e-9 N\"\n[run]\nduration = \"3 s\"\nsample_interval = \"1 "
      "s\"\n";
  Sweep sweep =
      sweep_in(folder, scenario,
               "scenario = \"s.toml\"\noutputs = [\"final position\", \"final velocity\", \"work_in\"]\n[plan]\nkind = "
               "\"grid\"\n[[parameter]]\npath = \"machine.mass\"\nvalues = \"[0.5, 1, 4] kg\"\n[[parameter]]\npath "
               "= \"input.value\"\nvalues = [\"1 N\", \"20 mN\"]\n");
  for (const bool lanes : {true, false}) {
    sweep.lanes = lanes;
    const SweepRun run = run_sweep(sweep);
    EXPECT_EQ(run.in_lanes, lanes) << run.why_not_lanes;
    for (std::size_t i = 0; i < 6; ++i) {
      const double m = run.points[2 * i], f = run.points[2 * i + 1];
      EXPECT_NEAR(run.rows.row(i)[0], f * 9 / (2 * m), 1e-6);
      EXPECT_NEAR(run.rows.row(i)[1], f * 3 / m, 1e-6);
      EXPECT_NEAR(run.rows.row(i)[2], f * f * 9 / (2 * m), 1e-6);
    }
  }
}

TEST(RunSweep, EveryShippedSweepRuns) {
  for (const auto& [name, lanes] : {std::pair{"uncertain_levels", true}, std::pair{"pulled_pair", false}}) {
    Sweep sweep = read_sweep(source_dir() + "/examples/sweeps/" + std::string(name) + ".toml");
    sweep.plan.runs = 16;
    const SweepRun run = run_sweep(sweep);
    EXPECT_EQ(run.in_lanes, lanes) << run.why_not_lanes;
    EXPECT_EQ(failures(run), 0u) << name;
    for (const double value : run.rows.values) EXPECT_TRUE(std::isfinite(value)) << name;
  }
}

// Below V_c but above the speed where steady sliding becomes stable, what happens depends on the start.
TEST(RunSweep, BetweenTheTwoBoundariesTheStartDecidesWhetherItSticks) {
  const Folder folder;
  const std::string file = source_dir() + "/examples/sweeps/spring_slider.toml";
  const ScenarioSlider slider = slider_of(parse_toml(text_of(file), file), file);
  ASSERT_LT(stable_sliding_speed(slider.slider, slider.stribeck_velocity), 0.1);
  ASSERT_GT(critical_speed(slider.slider), 0.1);
  // steady: k s = F_C + b V, so x = −1.04 N/(10 N/m) when the pull begins at 0
  const std::string sweep =
      "scenario = \"s.toml\"\noutputs = [\"sticks\"]\n[plan]\nkind = \"grid\"\n[[parameter]]\npath = "
      "\"machine.start.velocity\"\nvalues = [\"0 m/s\", \"0.1 m/s\"]\n[run]\nobserve_from = \"50 s\"\n";
  const SweepRun run = run_sweep(
      sweep_in(folder, text_of(file) + "[machine.start]\nposition = \"-0.104 m\"\nvelocity = \"0.1 m/s\"\n", sweep));
  EXPECT_TRUE(run.in_lanes) << run.why_not_lanes;
  EXPECT_EQ(run.rows.row(0)[0], 1);
  EXPECT_EQ(run.rows.row(1)[0], 0);
}

// The shipped map: every run on the side of the boundary that the closed form says, but those the boundary cuts.
TEST(RunSweep, TheStickSlipMapAgreesWithTheClosedForm) {
  const Sweep sweep = read_sweep(source_dir() + "/examples/sweeps/stick_slip_map.toml");
  const SweepRun run = run_sweep(sweep);
  ASSERT_TRUE(run.in_lanes) << run.why_not_lanes;
  EXPECT_EQ(failures(run), 0u);
  const BoundaryAgreement b = boundary_agreement(sweep, run);
  EXPECT_EQ(b.runs, 4096u);
  EXPECT_GE(b.right, 4092u);
  EXPECT_LT(b.furthest_wrong, 2e-3);  // cells are 5.6 % wide
  std::size_t sticking = 0;
  for (const BoundaryPoint& p : run.boundary) sticking += p.should_stick();
  EXPECT_GT(sticking, 1000u);
  EXPECT_LT(sticking, 3000u);
}

}  // namespace
}  // namespace stickslip::run_sweep_test
