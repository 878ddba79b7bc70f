/// `stickslip identify --each` and `--axis` as a user runs them: what is refused before anything is written.
#include "cli/program.hpp"

namespace stickslip::identify_list_test {
namespace {

std::map<std::string, std::string> contents(const Folder& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    all[entry.path().string()] = entry.is_directory() ? "" : text_of(entry.path());
  return all;
}

/// One line, exit code 2, and every file as it was.
void expect_refused(const Folder& folder, const std::string& arguments, const std::string& message) {
  const auto before = contents(folder);
  const Answer answer = run_program(folder, "identify " + arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(answer.out, "") << arguments;
  EXPECT_EQ(contents(folder), before) << arguments;
}

TEST(IdentifyAxes, OptionsOfOtherRunsAreNotPassedOver) {
  const Folder folder;
  folder.write("arm.csv", "t_s,q1_rad,tau1_Nm,q2_rad,tau2_Nm\n0,0,1,0,1\n1,1,2,1,2\n2,2,3,2,3\n");
  const std::string arm = "arm.csv --position 'q#' --force 'tau#' --axis ";
  expect_refused(folder, arm + "'*' --together", "--together is for several recordings; --axis takes one");
  for (const char* option : {"--orders", "--all"})
    expect_refused(folder, arm + "'*' " + option,
                   "--resume, --table, --plot, --orders and --all are for one axis; leave out --axis");
  expect_refused(folder, arm + "1,2,1", "--axis is '1,2,1': axis '1' is there twice; name each once");
}

}  // namespace
}  // namespace stickslip::identify_list_test
