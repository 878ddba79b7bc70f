/// `stickslip identify job.toml`: a machine simulated, its results taken as a log, its numbers found again.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "core/text.hpp"
#include "program.hpp"

namespace stickslip::identify_machine_test {
namespace {

const char* const axis = R"([machine]
kind = "position-loop"
mass = "5 kg"
position_gain = "40 1/s"
velocity_gain = "300 N s/m"
sampling_time = "2 ms"
[input]
kind = "sine"
amplitude = "20 mm"
frequency = "1.3 Hz"
[friction]
model = "coulomb-viscous"
coulomb_force = "8 N"
viscosity = "25 N s/m"
[run]
duration = "2 s"
sample_interval = "2 ms"
)";

const std::string log =
    "[recording]\nfile = \"truth.csv\"\ntime = \"time_s\"\nposition = \"position_m\"\nforce = "
    "\"command_force_N\"\n";

/// A folder with truth.csv, what the axis does, and a job that starts from other numbers.
void prepare(const Folder& folder) {
  folder.write("truth.toml", axis);
  const Answer simulated = run_program(folder, "simulate truth.toml");
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  folder.write("axis.toml", axis);
  folder.write("job.toml", log +
                               "[machine]\nfile = \"axis.toml\"\n[[output]]\nsimulated = \"command_force\"\nmeasured = "
                               "\"force\"\n[[free]]\npath = \"machine.mass\"\nstart = \"4 kg\"\n[[free]]\npath = "
                               "\"friction.coulomb_force\"\nstart = \"5 N\"\n");
}

TEST(IdentifyMachine, FindsTheNumbersAndWritesTheMachine) {
  const Folder folder;
  prepare(folder);
  const Answer answer = run_program(folder, "identify job.toml --csv fit.csv");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_NE(answer.out.find("well determined"), std::string::npos) << answer.out;
  for (const char* file : {"job.fitted.toml", "job.fit.json", "fit.csv"}) {
    EXPECT_TRUE(fs::exists(folder / file)) << file;
    EXPECT_NE(answer.out.find(std::string("wrote ") + file), std::string::npos);
  }
  EXPECT_EQ(run_program(folder, "simulate job.fitted.toml").exit_code, 0) << "the fitted machine runs";
  const JsonValue report = JsonReader::read(text_of(folder / "job.fit.json"));
  EXPECT_NEAR(report["candidates"].items[0]["parameters"].items[0]["value"].number, 5, 1e-3);
  EXPECT_NEAR(report["candidates"].items[0]["parameters"].items[1]["value"].number, 8, 1e-3);
}

TEST(IdentifyMachine, SpeaksJsonAlone) {
  const Folder folder;
  prepare(folder);
  const Answer answer = run_program(folder, "identify job.toml --json --no-files --threads 1");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(JsonReader::read(answer.out)["recommended"].text, "axis");
  EXPECT_FALSE(fs::exists(folder / "job.fitted.toml"));
}

TEST(IdentifyMachine, InverseDynamicsSeesTheSameMass) {
  const Folder folder;
  prepare(folder);
  folder.write("inverse.toml", "method = \"inverse-dynamics\"\n" + log + "[inverse_dynamics]\nborder = 5\n");
  const Answer answer = run_program(folder, "identify inverse.toml --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  // The force is held over a sample: half a sample of lag, seen as a little less mass.
  EXPECT_NEAR(JsonReader::read(answer.out)["parameters"].items[0]["value"].number, 5, 0.4);
}

// Whether there is validation was asked of its error, which is zero for a perfect fit, too. Table, tile, JSON and fitted file give one number.
TEST(IdentifyMachine, TableReportJsonAndFileSayTheSameOfValidation) {
  const Folder folder;
  prepare(folder);
  const std::string text = run_program(folder, "identify job.toml --report r.html").out;
  const JsonValue output =
      JsonReader::read(text_of(folder / "job.fit.json"))["candidates"].items[0]["outputs"].items[0];
  const double share = 100 * output["validation_relative"].number;
  EXPECT_NE(text.find(significant(share, 4) + " %"), std::string::npos) << text;
  EXPECT_NE(text_of(folder / "r.html").find(">" + significant(share, 4) + " %<"), std::string::npos);
  EXPECT_NE(text_of(folder / "job.fitted.toml").find(significant(share, 4) + " % on the validation samples"),
            std::string::npos);
  // All rows estimate: there is no such number, and none is shown.
  folder.write("all.toml", text_of(folder / "job.toml") + "[fit]\nestimation = 1\n");
  const std::string all = run_program(folder, "identify all.toml --report r.html").out;
  EXPECT_EQ(all.find("validation"), std::string::npos) << all;
  const JsonValue none = JsonReader::read(text_of(folder / "all.fit.json"))["candidates"].items[0]["outputs"].items[0];
  EXPECT_EQ(none["validation_relative"].kind, JsonValue::Kind::null);
  EXPECT_EQ(text_of(folder / "all.fitted.toml").find("on the validation samples"), std::string::npos);
}

/// A servo that follows a sine, as a file that simulate runs.
std::string servo(double amplitude, double torque_constant, double friction) {
  const auto text = [](double v) { return std::to_string(v); };
  return "[machine]\nkind = \"servo-pendulum\"\nmass = \"0.49 kg\"\nlength = \"0.1 m\"\narmature = \"2e-3 kg m^2\"\n"
         "torque_constant = \"" +
         text(1000 * torque_constant) + " mN m/A\"\nresistance = \"3 ohm\"\ncoulomb_torque = \"" + text(friction) +
         " N m\"\nload_factor = 0.2\n" +
         (amplitude == 0 ? "[recording]\nfile = \"run_?.csv\"\ntime = \"time_s\"\ngoal = \"goal_rad\"\nvoltage = "
                           "\"voltage_V\"\ngain = 400\nposition = \"reading_rad\"\n"
                         : "[firmware]\ngain = 400\n[goal]\nkind = \"sine\"\namplitude = \"" + text(amplitude) +
                               " rad\"\nfrequency = \"0.7 Hz\"\n[voltage]\nkind = \"constant\"\nvalue = \"7.4 V\"\n"
                               "[run]\nduration = \"2 s\"\nsample_interval = \"5 ms\"\n");
}

// The servo's own file is its job: all logs by one pattern, what is free, priors, and the file that simulate takes again.
TEST(IdentifyMachine, AllLogsOfAServoInOneCommand) {
  const Folder folder;
  for (const int k : {1, 2}) {
    const std::string name = "run_" + std::to_string(k) + ".toml";
    folder.write(name, servo(0.5 * k, 0.38, 0.012));
    ASSERT_EQ(run_program(folder, "simulate " + name).exit_code, 0);
  }
  folder.write("servo.toml", servo(0, 0.3, 0.02) +
                                 "[identify]\nfree = [\"torque_constant\", \"coulomb_torque\", \"resistance\"]\n"
                                 "prior = { resistance = \"3 +- 0.01 ohm\" }\nleave_out = \"log\"\nstarts = 1\n");
  const Answer answer = run_program(folder, "identify servo.toml --report servo.html");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue report = JsonReader::read(text_of(folder / "servo.fit.json"));
  const JsonValue& found = report["candidates"].items[0];
  EXPECT_NEAR(found["parameters"].items[0]["value"].number, 380, 4) << answer.out;  // in the unit of the file
  EXPECT_NEAR(found["parameters"].items[1]["value"].number, 0.012, 0.0006);
  ASSERT_EQ(found["logs"].items.size(), 2u);
  EXPECT_LT(found["logs"].items[1]["outputs"].items[0]["left_out_mean_size"].number, 0.003);
  EXPECT_TRUE(fs::exists(folder / "servo.html"));
  const Answer again = run_program(folder, "simulate servo.fitted.toml");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const auto refused = [&](const std::string& identify, const std::string& why) {
    folder.write("wrong.toml", servo(0, 0.3, 0.02) + "[identify]\n" + identify + "\n");
    const Answer wrong = run_program(folder, "identify wrong.toml");
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_NE(wrong.err.find(why), std::string::npos) << wrong.err;
  };
  refused("free = [\"resistanc\"]", "no parameter of the servo 'resistanc'; did you mean 'resistance'");
  refused("free = [\"viscosity\"]", "viscosity is free; write where it starts in [machine]");
  refused("prior = { resistance = \"3 ohm\" }", "write value and standard deviation, '20 +- 1 ohm'");
  refused("leave_out = \"gain\"", "all logs are one group; none can be left out");
}

// Two logs of one axis in one file, distinguished by a column: friction is shared, the load is not.
TEST(IdentifyMachine, LogsShareFrictionAndHaveLoadsOfTheirOwn) {
  const Folder folder;
  std::string rows;
  for (const int load : {5, 7}) {
    std::string text = axis;
    text.replace(text.find("5 kg"), 4, std::to_string(load) + " kg");
    folder.write("truth.toml", text);
    ASSERT_EQ(run_program(folder, "simulate truth.toml").exit_code, 0);
    std::istringstream lines(text_of(folder / "truth.csv"));
    for (std::string line; std::getline(lines, line);) {
      const bool is_heading = line.find("time_s") != std::string::npos;
      if (line.starts_with("#") || (is_heading && load > 5)) continue;
      rows += (is_heading ? "load," : std::to_string(load) + ",") + line + "\n";
    }
  }
  folder.write("logs.csv", rows);
  folder.write("axis.toml", axis);
  folder.write(
      "job.toml",
      "[recording]\nfile = \"logs.csv\"\nlog = \"load\"\ntime = \"time_s\"\nposition = \"position_m\"\nforce = "
      "\"command_force_N\"\n[machine]\nfile = \"axis.toml\"\n[[output]]\nsimulated = "
      "\"command_force\"\nmeasured = \"force\"\n[[free]]\npath = \"machine.mass\"\nprivate = true\nstart = \"6 "
      "kg\"\n[[free]]\npath = \"friction.coulomb_force\"\nstart = \"6 N\"\nprior = \"8 +- 2 N\"\n[fit]\nloss "
      "= \"robust\"\n");
  const Answer answer = run_program(folder, "identify job.toml --report job.html");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_NE(answer.out.find("machine.mass (5)"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("from log to log"), std::string::npos) << answer.out;
  const JsonValue report = JsonReader::read(text_of(folder / "job.fit.json"));
  const auto& found = report["candidates"].items[0]["parameters"].items;
  EXPECT_NEAR(found[0]["value"].number, 5, 0.01);
  EXPECT_NEAR(found[1]["value"].number, 7, 0.01);
  EXPECT_NEAR(found[2]["value"].number, 8, 0.01);
  EXPECT_NEAR(report["candidates"].items[0]["spreads"].items[0]["standard_deviation"].number, std::sqrt(2.0), 0.01);
}

TEST(IdentifyMachine, RefusesInOneLine) {
  const Folder folder;
  prepare(folder);
  folder.write("wrong.toml", log +
                                 "[machine]\nfile = \"axis.toml\"\n[[output]]\nsimulated = \"command_force\"\n"
                                 "measured = \"force\"\n[[free]]\npath = \"machine.mas\"\n");
  const Answer wrong = run_program(folder, "identify wrong.toml");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.err, "wrong.toml:12: axis.toml: path 'machine.mas': no 'mas' in [machine]; did you mean 'mass'\n");
  const Answer input = run_program(folder, "identify job.toml -o axis.toml");
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_EQ(input.err, "axis.toml: is an input of this run; choose another file for the result with -o\n");
  const Answer absent = run_program(folder, "identify job.toml --recording absent.csv");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_NE(absent.err.find("absent.csv"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::identify_machine_test
