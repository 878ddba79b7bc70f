/// Ctrl-C and a request to end, at any moment of any command: one exit code, one line, no half-written file.
#include "cli/program.hpp"

namespace stickslip::interruption_test {
namespace {

/// A body whose run takes minutes.
const std::string slow = R"(
[machine]
kind = "pulled-spring"
mass = "1 kg"
stiffness = "2 N/m"

[input]
kind = "ramp"
rate = "0.1 m/s"

[friction]
model = "coulomb"
coulomb_force = "1 N"

[run]
duration = "900 s"
sample_interval = "10 ms"

[solver]
longest_step = "1 us"
)";

/// Ends the command by SIGTERM after so many seconds.
Answer interrupted(const Folder& folder, const std::string& command, const std::string& after) {
  Answer answer = run_program(folder, command + " >o 2>e & sleep " + after + "; kill -TERM $!; wait $!");
  answer.out = text_of(folder / "o"), answer.err = text_of(folder / "e");
  fs::remove(folder / "o"), fs::remove(folder / "e");
  return answer;
}

// Exit code 2 as for wrong input, with "the run ended early".
TEST(Interruption, OfGenerateIsOneLineAndExitCodeOne) {
  const Folder folder;
  folder.write("s.toml", slow);
  const Answer answer = interrupted(folder, "generate s.toml --long -o r.csv --truth t.toml", "1");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.err, "interrupted; nothing was written, the same command starts anew\n");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"s.toml"});
}

// Commands whose work does not listen died without a word, with the signal's exit code.
TEST(Interruption, WhereNoWorkListensIsTheSame) {
  const Folder folder;
  const Answer answer = interrupted(folder, "check all", "0.5");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.err, "interrupted\n");
  EXPECT_TRUE(folder.files().empty());
}

// A shell switches Ctrl-C off for what it starts in the background.
TEST(Interruption, OfAProgramInTheBackgroundStaysWhatTheShellMadeIt) {
  const Folder folder;
  const Answer answer = run_program(folder, "check coulomb >o 2>e & sleep 0.02; kill -INT $!; wait $!");
  EXPECT_EQ(answer.exit_code, 0) << text_of(folder / "e");
}

}  // namespace
}  // namespace stickslip::interruption_test
