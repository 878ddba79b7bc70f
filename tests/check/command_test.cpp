/// `stickslip check` as a user meets it: output, messages, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "support/places.hpp"

namespace stickslip::command_test {
namespace {

struct Answer {
  std::string text;  // standard output and error
  int code = -1;
};

Answer run(const std::string& arguments) {
  Answer answer;
  std::FILE* pipe = popen((program_file() + " check " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) return answer;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) answer.text += static_cast<char>(c);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
  return answer;
}

TEST(CheckCommand, ShowsOneModelWithWhatWasMeasured) {
  const Answer a = run("dahl");
  EXPECT_EQ(a.code, 0) << a.text;
  EXPECT_NE(a.text.find("rest under vibration              no          2.7 um"), std::string::npos) << a.text;
}

TEST(CheckCommand, PrintsMarkdownAndJson) {
  const Answer markdown = run("coulomb --markdown");
  EXPECT_EQ(markdown.code, 0);
  EXPECT_NE(markdown.text.find("\n| coulomb | ✓ | ✗ |"), std::string::npos) << markdown.text;
  const Answer json = run("coulomb --json");
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(json.text.rfind("{\n", 0), 0u) << json.text;
  EXPECT_NE(json.text.find("\"verdict\": \"yes\""), std::string::npos) << json.text;
}

// A rotary set a thousand times weaker and a hundred times faster than the rig: words and numbers are its own.
TEST(CheckCommand, AnswersInTheUnitsOfAModelFile) {
  const std::string file = testing::TempDir() + "/check_units.model.toml";
  std::ofstream(file)
      << "motion = \"rotary\"\n[friction]\nmodel = \"stribeck\"\ncoulomb_force = \"1 mN m\"\n"
         "stiction_force = \"1.5 mN m\"\nstribeck_velocity = \"0.1 rad/s\"\nviscosity = \"40 uN m s/rad\"\n";
  const Answer a = run(file);
  EXPECT_EQ(a.code, 0) << a.text;
  EXPECT_NE(a.text.find("under 95 % of breakaway, 1.4"), std::string::npos) << a.text;
  EXPECT_NE(a.text.find(" mN m"), std::string::npos) << a.text;
  EXPECT_NE(a.text.find("declared 40 uN m s/rad"), std::string::npos) << a.text;
  EXPECT_NE(a.text.find("decrease of the level from 3 mrad/s to 1 rad/s"), std::string::npos) << a.text;
}

TEST(CheckCommand, RefusesWhatItCannotReadInOneLine) {
  const Answer wrong = run("lugr");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.text, "no friction model 'lugr'; did you mean 'lugre'\n");
  const Answer nothing = run("");
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.text.find('\n'), nothing.text.size() - 1) << nothing.text;
  const Answer both = run("lugre --json --markdown");
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.text.find('\n'), both.text.size() - 1) << both.text;
}

}  // namespace
}  // namespace stickslip::command_test
