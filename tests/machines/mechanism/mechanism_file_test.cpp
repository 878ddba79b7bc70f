/// Machine files: the examples, and what is refused with file, line and reason.
#include "machines/mechanism/mechanism_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "files/csv.hpp"
#include "support/places.hpp"

namespace stickslip::mechanism_file_test {
namespace {

const std::string examples = source_dir() + "/examples/machines/";

std::string refusal_of(const std::string& text) {
  try {
    parse_machine(text, "machine.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

const std::string two_bodies = R"([[body]]
name = "a"
inertia = "1 kg m^2"
[[body]]
name = "b"
inertia = "2 kg m^2"
speed = "10 rad/s"
)";
const std::string run = "[run]\nduration = \"1 s\"\nsample_interval = \"0.1 s\"\n";
const std::string coulomb = "friction = { model = \"coulomb\", coulomb_force = \"3 N m\" }\n";

// Experiment dual-clutch from text alone: the law by name, units written out.
TEST(MachineFile, DualClutchExampleGivesTheSpecification) {
  ASSERT_TRUE(is_machine_file(examples + "dual_clutch.toml"));
  const auto machine = read_machine_file(examples + "dual_clutch.toml");
  const auto found = run_machine(machine);
  ASSERT_EQ(found.stop, Stop::finished);
  EXPECT_NEAR(found.speed[3], 87.249666923, 1e-6);
  EXPECT_EQ(found.samples.columns.front().values.size(), 1001u);
  EXPECT_NO_THROW(to_csv(found.samples));
  const std::string events = to_csv(machine_events(machine, found));
  EXPECT_NE(events.find("stick,clutch_1,locked\n"), std::string::npos);
  EXPECT_NE(machine_summary(machine, found).text().find("\"residual\""), std::string::npos);
}

TEST(MachineFile, EveryExampleRuns) {
  for (const char* name : {"dual_clutch.toml", "pulled_pair.toml", "winch.toml"}) {
    SCOPED_TRACE(name);
    const auto found = run_machine(read_machine_file(examples + name));
    EXPECT_EQ(found.stop, Stop::finished) << found.message;
    EXPECT_LT(std::fabs(found.ledger.residual), 1e-6 * (found.ledger.work_in + found.ledger.friction_heat()));
  }
}

// Relative speed 10 rad/s, levels 3 N m, inertias 1 and 2: locks after 10 / (3 (1 + 1/2)) s; held back here by the pressure.
TEST(MachineFile, CapacityScalesTheLevelOfAClutch) {
  const std::string clutch =
      "[[clutch]]\nname = \"c\"\na = \"a\"\nb = \"b\"\n" + coulomb + "capacity = { kind = \"constant\", value = 5 }\n";
  const auto found = run_machine(parse_machine(two_bodies + clutch + run, "machine.toml"));
  double lock = 0;
  for (const auto& e : found.events)
    if (e.kind == EventKind::stick) lock = e.time;
  EXPECT_NEAR(lock, 10 / (5 * 3 * 1.5), 1e-10);
}

// A table whose last line falls has no friction at all at 100 rad/s: the clutch would never close, so it is said.
TEST(MachineFile, DoubtsOfTheLawsOfJointsAreSaid) {
  const auto clutch = [](const std::string& levels) {
    return two_bodies + "[[clutch]]\nname = \"c\"\na = \"a\"\nb = \"b\"\nfriction = { model = \"speed-table\", " +
           "speeds = [\"0 rad/s\", \"10 rad/s\"], levels = " + levels + " }\n" + run;
  };
  const auto found = parse_machine(clutch("[\"5 N m\", \"4 N m\"]"), "machine.toml").warnings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(
      found[0].find("'c': speed-table: the level decreases at the end of the table, so its extension reaches zero"),
      0u);
  EXPECT_TRUE(parse_machine(clutch("[\"5 N m\", \"5 N m\"]"), "machine.toml").warnings.empty());
}

// A spring's backlash was called play before.
TEST(MachineFile, TheFormerNameOfTheBacklashIsRead) {
  const auto spring = [](const std::string& keys) {
    return two_bodies + "[[spring]]\nname = \"s\"\na = \"a\"\nb = \"b\"\nstiffness = \"5 N m/rad\"\n" + keys + run;
  };
  for (const std::string key : {"backlash", "play"})
    EXPECT_EQ(parse_machine(spring(key + " = \"0.2 rad\"\n"), "machine.toml").mechanism.springs.at(0).play, 0.2);
  EXPECT_EQ(refusal_of(spring("backlash = \"0.2 rad\"\nplay = \"0.2 rad\"\n")),
            "machine.toml:14: play is the former name of backlash; give one of them");
}

TEST(MachineFile, AScenarioOfOneBodyIsNoMachineFile) {
  EXPECT_FALSE(is_machine_file(source_dir() + "/examples/stick_slip.toml"));
}

TEST(MachineFile, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(
      refusal_of("[[body]]\nname = \"engine\"\ninertia = \"1 kg m^2\"\n[[torque]]\nname = \"t\"\non = \"engin\"\n" +
                 run),
      "machine.toml:6: no body 'engin'; did you mean 'engine'");
  EXPECT_EQ(refusal_of(two_bodies + "[[clutch]]\nname = \"c\"\na = \"a\"\nb = \"x\"\n" + coulomb + run),
            "machine.toml:11: no body 'x'; there is a, b, ground");
  EXPECT_EQ(refusal_of(two_bodies + "[[sensor]]\nname = \"s\"\nreads = \"slip\"\nof = \"c\"\n" + run),
            "machine.toml:11: no clutch or brake 'c'; there is none");
}

TEST(MachineFile, ABodyWithoutInertiaIsRefused) {
  EXPECT_EQ(refusal_of("[[body]]\nname = \"a\"\n" + run),
            "machine.toml:1: body 'a' has no inertia; write inertia = \"1 kg m^2\", or mass = \"1 kg\" if it moves "
            "along a line");
  EXPECT_EQ(refusal_of("[[body]]\nname = \"a\"\ninertia = \"0 kg m^2\"\n" + run),
            "machine.toml:1: body 'a': it has no inertia, and no gear, tie or drive determines its motion; give it an "
            "inertia");
}

TEST(MachineFile, ALoopOfRigidGearsIsRefused) {
  const std::string gears =
      "[[gear]]\nname = \"g\"\na = \"a\"\nb = \"b\"\nratio = 2\n[[gear]]\nname = \"h\"\na = \"b\"\nb = "
      "\"a\"\nratio = 0.5\n";
  const std::string still =
      "[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\n[[body]]\nname = \"b\"\ninertia = \"2 kg m^2\"\n";
  EXPECT_EQ(refusal_of(still + gears + run),
            "machine.toml:12: gear 'h': it closes a loop of rigid gears between 'b' and 'a'; leave one of them out or "
            "make it a "
            "stiff spring");
}

TEST(MachineFile, UnitsThatDoNotFitAreRefused) {
  EXPECT_NE(refusal_of("[[body]]\nname = \"a\"\ninertia = \"1 kg\"\n" + run).find("machine.toml:3: inertia: "),
            std::string::npos);
  const std::string mixed =
      "[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\n[[body]]\nname = \"b\"\nmass = \"2 kg\"\n[[spring]]\n"
      "name = \"s\"\na = \"b\"\nb = ";
  EXPECT_EQ(refusal_of(mixed + "\"a\"\nstiffness = \"1 N/m\"\n" + run),
            "machine.toml:10: 'a' moves about an axis, the other end does not; give { body = \"a\", ratio = \"0.01 "
            "m/rad\" }");
  EXPECT_EQ(refusal_of(mixed + "{ body = \"a\", ratio = \"5 cm/rad\" }\nstiffness = \"1 N/m\"\n" + run), "");
}

TEST(MachineFile, OtherWrongWiringIsRefused) {
  EXPECT_EQ(refusal_of(run), "machine.toml: there is no [[body]]");
  EXPECT_EQ(refusal_of(two_bodies), "machine.toml: there is no [run]");
  EXPECT_EQ(refusal_of("[body]\nname = \"a\"\n" + run),
            "machine.toml:1: body must be a list of tables, each begun by [[body]]");
  EXPECT_EQ(refusal_of(two_bodies + "[[body]]\nname = \"a\"\n" + run),
            "machine.toml:9: there is another part named 'a' (line 1)");
  EXPECT_NE(
      refusal_of(two_bodies + "[[brake]]\nname = \"c\"\non = \"a\"\nfriction = { model = \"new-modified-lugre\" }\n" +
                 run)
          .find(
              "machine.toml:11: new-modified-lugre cannot be the friction of a joint"),  // before its values are asked for
      std::string::npos);
  const std::string brake = "[[brake]]\nname = \"c\"\non = \"a\"\n" + coulomb;
  EXPECT_EQ(refusal_of(two_bodies + brake + run + "[solver]\nrule = \"paper\"\n"),
            "machine.toml:8: joint 'c': the rule of the paper (Biagiotti eq 22) needs a plain chain: each joint from "
            "one body "
            "to the "
            "next");
  const std::string control =
      "[[sensor]]\nname = \"s\"\nreads = \"position\"\nof = \"a\"\nresolution = \"0.1 rad\"\n"
      "[[controller]]\nname = \"pid\"\nsensor = \"s\"\non = \"a\"\nproportional = \"1 N m/rad\"\n";
  EXPECT_EQ(refusal_of(two_bodies + control + run),
            "machine.toml:13: controller 'pid': its sensor 's' is quantised, noisy or delayed: give the controller a "
            "sampling_time");
  EXPECT_EQ(refusal_of(two_bodies + control + "sampling_time = \"1 ms\"\n" + run), "");
}

}  // namespace
}  // namespace stickslip::mechanism_file_test
