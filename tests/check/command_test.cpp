/// `stickslip check` as a user meets it: output, messages, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace stickslip {
namespace {

struct Answer {
  std::string text;  // standard output and error
  int code = -1;
};

Answer run(const std::string& arguments) {
  Answer answer;
  std::FILE* pipe = popen((std::string(STICKSLIP_PROGRAM) + " check " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) return answer;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) answer.text += static_cast<char>(c);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
  return answer;
}

TEST(CheckCommand, ShowsOneModelWithWhatWasMeasured) {
  const Answer a = run("dahl");
  EXPECT_EQ(a.code, 0) << a.text;
  EXPECT_NE(a.text.find("no drift under vibration          no   2.7 um"), std::string::npos) << a.text;
}

TEST(CheckCommand, PrintsMarkdownAndJson) {
  const Answer markdown = run("coulomb --markdown");
  EXPECT_EQ(markdown.code, 0);
  EXPECT_NE(markdown.text.find("\n| coulomb | yes 0 | no 0 |"), std::string::npos) << markdown.text;
  const Answer json = run("coulomb --json");
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(json.text.rfind("{\n", 0), 0u) << json.text;
  EXPECT_NE(json.text.find("\"verdict\": \"yes\""), std::string::npos) << json.text;
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
}  // namespace stickslip
