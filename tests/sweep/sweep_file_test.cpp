/// What cannot be swept is refused in one line with a suggested fix.
#include "sweep/sweep_file.hpp"

#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "core/error.hpp"
#include "fitting/machine_text.hpp"
#include "sweep/sweep_files.hpp"

namespace stickslip::sweep_file_test {
namespace {

struct Change {
  std::string from, to, message;
};

/// The sweep with one thing changed, and what is said about it.
std::string complaint(const Folder& folder, const Change& change) {
  std::string text = two_parameters("kind = \"grid\"", "\"period\"", "observe_from = \"1 s\"");
  const auto at = text.find(change.from);
  EXPECT_NE(at, std::string::npos) << change.from;
  text.replace(at, change.from.size(), change.to);
  try {
    parse_sweep(text, (folder / "sweep.toml").string());
  } catch (const Error& problem) {
    return problem.what();
  }
  return "nothing";
}

TEST(SweepFile, WrongInputIsRefusedInOneLine) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  const std::vector<Change> changes{
      {"machine.stiffness", "machine.stifness", "no 'stifness' in [machine]; did you mean 'stiffness'"},
      {"machine.stiffness", "machine", "leads to a table with kind, mass, stiffness, damping; expected a number"},
      {"machine.stiffness", "friction.model", "leads to 'stribeck'; expected a number"},
      {"from = \"1 N/m\"", "values = \"[1, 2] N/m\"\nfrom = \"1 N/m\"", "give values or a range from ... to, not both"},
      {"from = \"1 N/m\"", "from = \"1 kg\"", "from: '1 kg' is a mass [kg]; a stiffness [N/m] is needed"},
      {"from = \"1 N/m\"", "from = \"inf N/m\"", "from:"},
      {"from = \"1 N/m\"", "from = \"0 N/m\"", "a range with logarithmic spacing must be positive at both ends"},
      {"from = \"1 N/m\"", "from = \"-1 N/m\"", "a range with logarithmic spacing must be positive at both ends"},
      {"from = \"80 mm/s\"", "from = \"nan\"", "from:"},
      {"spacing = \"log\"", "spacing = \"logg\"", "no spacing 'logg'; did you mean 'log'"},
      {"count = 4", "count = 0", "count must be a whole number of at least 1"},
      {"count = 4", "", "a grid needs the count of every range"},
      {"count = 4", "count = 100000000", "runs do not fit into memory"},
      {"input.rate", "machine.stiffness", "'machine.stiffness' is swept twice"},
      {"kind = \"grid\"", "kind = \"gird\"", "no plan 'gird'; did you mean 'grid'"},
      {"kind = \"grid\"", "kind = \"random\"", "a random plan needs the number of runs"},
      {"kind = \"grid\"", "kind = \"random\"\nruns = 0", "runs must be a whole number of at least 1"},
      {"kind = \"grid\"", "kind = \"random\"\nruns = 10", "count belongs to a grid"},
      {"kind = \"grid\"", "kind = \"sobol\"\nruns = 10\nseed = -1", "seed must be a whole number of at least 0"},
      {"\"period\"", "\"perod\"", "no output 'perod'; did you mean 'period'"},
      {"\"period\"", "\"max velocty\"", "no column 'velocty'; did you mean 'velocity'"},
      {"\"period\"", "\"period\", \"period\"", "output 'period' is there twice"},
      {"\"period\"", "\"state\"", "this friction has no state"},
      {"\"period\"", "", "outputs is a list like"},
      {"s.toml", "t.toml", "t.toml"},
      {"[run]", "[rnu]", "unknown key 'rnu' in the file; did you mean 'run'"},
      {"observe_from = \"1 s\"", "observe_from = \"12 s\"", "observe_from is 12 s; the scenario ends at 12 s"},
      {"observe_from = \"1 s\"", "lanes = 3", "lanes: true or false is needed"},
      {"observe_from = \"1 s\"", "[compare]\nboundary = \"spring-slider\"",
       "compared with the output \"sticks\"; add it"},
      {"path = \"machine.stiffness\"\nfrom = \"1 N/m\"\nto = \"8 N/m\"\nspacing = \"log\"",
       "path = \"machine.mass\"\nfrom = \"-1 kg\"\nto = \"8 kg\"", "machine.mass = -1 kg does not do: "}};
  for (const Change& change : changes) {
    const std::string said = complaint(folder, change);
    EXPECT_NE(said.find(change.message), std::string::npos) << change.to << "\n" << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_EQ(said.rfind((folder / "sweep.toml").string(), 0), 0u) << said;
  }
}

// A double holds 53 bits: 2^53 + 1 gave the runs of 2^53.
TEST(SweepFile, ASeedKeepsAllItsDigits) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  for (const char* seed : {"9007199254740993", "9223372036854775807"}) {
    const std::string text = two_parameters(std::string("kind = \"random\"\nruns = 4\nseed = ") + seed, "\"period\"");
    EXPECT_EQ(std::to_string(parse_sweep(text, (folder / "sweep.toml").string()).plan.seed), seed);
  }
}

TEST(SweepFile, SlipsOfABodyThatIsNotPulledNeedASpeed) {
  const Folder folder;
  folder.write("s.toml",
               "[machine]\nkind = \"applied-force\"\nmass = \"2 kg\"\n[input]\nkind = \"constant\"\nvalue = \"1 N\"\n"
               "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n[run]\nduration = \"3 s\"\nsample_interval = "
               "\"1 s\"\n");
  const std::string text =
      "scenario = \"s.toml\"\noutputs = [\"slips\"]\n[plan]\nkind = \"grid\"\n[[parameter]]\npath = "
      "\"machine.mass\"\nvalues = \"[1, 2] kg\"\n[run]\n";
  const std::string file = (folder / "sweep.toml").string();
  EXPECT_THROW(parse_sweep(text, file), Error);
  EXPECT_EQ(parse_sweep(text + "slip_speed = \"1 mm/s\"", file).observation.slip_speed, 1e-3);
}

// Changing numbers in the read document must do what changing the text does.
TEST(SweepFile, ValuesReachTheScenarioInItsOwnUnits) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  const Sweep sweep = parse_sweep(
      "scenario = \"s.toml\"\noutputs = [\"period\"]\n[plan]\nkind = \"grid\"\n[[parameter]]\npath = "
      "\"friction.stribeck_velocity\"\nvalues = [\"0.002 m/s\", \"3 mm/s\"]\n",
      (folder / "sweep.toml").string());
  EXPECT_EQ(sweep.plan.parameters[0].unit, "m/s");
  const double value = 0.002;
  const TomlValue changed = with_values(sweep, &value);
  EXPECT_EQ(changed.find("friction")->find("stribeck_velocity")->text, "2 mm/s");
  EXPECT_EQ(sweep.base.find("friction")->find("stribeck_velocity")->text, "1 mm/s");

  MachineText list("[friction]\nx = \"[1, 2, 3] um\"\ny = [1, 2]\nz = 4\n", "list.toml");
  TomlValue document = list.document();
  set_number(document, list.place("friction.x[2]"), 20.5);
  set_number(document, list.place("friction.y[1]"), 0.5);
  set_number(document, list.place("friction.z"), 7);
  EXPECT_EQ(document.find("friction")->find("x")->text, "[1, 20.5, 3] um");
  EXPECT_EQ(document.find("friction")->find("y")->items[0].number, 0.5);
  EXPECT_FALSE(document.find("friction")->find("y")->items[0].is_whole);
  EXPECT_TRUE(document.find("friction")->find("z")->is_whole);
}

}  // namespace
}  // namespace stickslip::sweep_file_test
