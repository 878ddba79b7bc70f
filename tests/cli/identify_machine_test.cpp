/// `stickslip identify job.toml`: a machine simulated, its results taken as a log, its numbers found again.
#include <gtest/gtest.h>

#include "program.hpp"

namespace stickslip {
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
  EXPECT_EQ(input.err, "axis.toml: was read as an input; choose another place for the result with -o\n");
  const Answer absent = run_program(folder, "identify job.toml --recording absent.csv");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_NE(absent.err.find("absent.csv"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
