/// Ctrl-C during `stickslip identify`: exit code 1, and true words about what is kept.
#include "cli/program.hpp"

namespace stickslip::identify_interrupt_test {
namespace {

void make_axes(const Folder& folder) {
  for (const char* one : {"1 -o a.csv", "2 -o b.csv", "3 -o c.csv", "4 -o d.csv", "5 -o e.csv", "6 -o f.csv"})
    ASSERT_EQ(run_program(folder, std::string("generate servo-axis --seed ") + one).exit_code, 0);
}

/// Starts the program, waits until a file is there and so many times as long again, then sends Ctrl-C; `code` and `err` say how it ended.
void interrupt(const Folder& folder, const std::string& arguments, const std::string& awaited, int times) {
  folder.write("stop.sh", "cd '" + folder.path().string() + "'\nbegin=$(date +%s%N)\n'" + program_file() +
                              "' identify " + arguments + " >out 2>err &\np=$!\nfor i in $(seq 10000); do [ -e " +
                              awaited + " ] && break; sleep 0.002; done\nsleep $((" + std::to_string(times) +
                              " * ($(date +%s%N) - begin) / 1000000))e-3\nkill -INT $p\nwait $p\necho $? >code\n");
  ASSERT_EQ(std::system(("bash -m '" + (folder / "stop.sh").string() + "' 2>/dev/null").c_str()), 0);
}

// Ctrl-C while recordings were compared: exit code 0, nothing said, a table without the last recordings, and no state.
TEST(IdentifyTogether, CtrlCWhileRecordingsAreComparedIsSaid) {
  const Folder folder;
  make_axes(folder);
  interrupt(folder, "a.csv b.csv c.csv d.csv e.csv f.csv --mass '20 kg' --model lugre --together -o m.toml --threads 1",
            "m.toml.state", 8);
  const std::string said = text_of(folder / "err");
  EXPECT_EQ(text_of(folder / "code"), "1\n") << said;
  EXPECT_NE(said.find("interrupted: the best so far is shown and written"), std::string::npos) << said;
  EXPECT_NE(said.find("the same command with --resume continues\n"), std::string::npos) << said;
  EXPECT_EQ(text_of(folder / "out").find("left out"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "m.toml.state"));
}

// "the same command with --resume continues" was said, and then refused.
TEST(IdentifyPrivate, CtrlCSaysThatItStartsAnew) {
  const Folder folder;
  make_axes(folder);
  interrupt(folder, "a.csv b.csv c.csv --mass '20 kg' --private offset -o m.toml --threads 1", "m.toml.state.lock", 1);
  const std::string said = text_of(folder / "err");
  EXPECT_EQ(text_of(folder / "code"), "1\n") << said;
  EXPECT_NE(said.find("the same command starts anew\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("--resume"), std::string::npos) << said;
}

TEST(IdentifyEach, CtrlCSaysWhatIsKept) {
  const Folder folder;
  make_axes(folder);
  interrupt(folder, "--each a.csv b.csv c.csv --mass '20 kg' -o fleet --model lugre --model dahl --threads 1",
            "fleet/identified.state.lock", 1);
  const std::string said = text_of(folder / "err");
  EXPECT_EQ(text_of(folder / "code"), "1\n") << said;
  EXPECT_NE(said.find("interrupted after "), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(folder / "fleet/identified.csv"));
}

}  // namespace
}  // namespace stickslip::identify_interrupt_test
