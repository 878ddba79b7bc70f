/// Options that contradict each other, or that nothing depends on: one line, exit code 2, instead of a run that passes one over.
#include "cli/program.hpp"
#include "sweep/sweep_files.hpp"

namespace stickslip::contradictions_test {
namespace {

const std::string axis = R"([friction]
model = "lugre"
bristle_stiffness = "1.5e6 N/m"
bristle_damping = "1200 N s/m"
viscosity = "120 N s/m"
coulomb_force = "20 N"
stiction_force = "30 N"
stribeck_velocity = "8 mm/s"
)";

struct Refused {
  std::string command, message;
};

void expect_refused(const Folder& folder, const std::vector<Refused>& cases) {
  const auto before = folder.files();
  for (const auto& [command, message] : cases) {
    const Answer answer = run_program(folder, command);
    EXPECT_EQ(answer.exit_code, 2) << command;
    EXPECT_EQ(answer.err, message + "\n") << command;
    EXPECT_EQ(answer.out, "") << command;
    EXPECT_EQ(folder.files(), before) << command;
  }
}

// The model was fitted, and its file, which -o named, not written; of two fixed values the last one counted, and so on.
TEST(Contradictions, OfIdentifyAreRefused) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, "generate presliding --duration '1 s' -o a.csv").exit_code, 0);
  const std::string a = "identify a.csv --model coulomb-viscous ";
  expect_refused(
      folder,
      {{a + "--no-files -o m.toml", "--no-files writes no model file, and -o names 'm.toml'; leave out one of them"},
       {a + "--no-files --resume", "--resume takes up a state, which --no-files does not keep; leave out one of them"},
       {a + "--no-files --split 50,25,25 --validation a.csv",
        "--split divides one recording; --validation and --test name others; leave out one of them"},
       {a + "--no-files --fix coulomb_force=3 --fix coulomb_force=4", "identify: coulomb_force is fixed twice"},
       {a + "--no-files --fix coulomb_force=3 --profile coulomb_force",
        "identify: coulomb_force is fixed; it has no profile"},
       {a + "--no-files --fix offset=0",
        "identify: offset is fixed, but none of the laws that are fitted has it; --no-offset estimates no offset of "
        "the "
        "force"},
       {a + "--no-files --profile bristle_stiffness",
        "identify: profile: none of the laws that are fitted has bristle_stiffness"},
       {a + "--no-files --fix bristle_stiffness=3",
        "identify: bristle_stiffness is fixed, but none of the laws that are fitted has it"}});
  EXPECT_EQ(run_program(folder, a + "--no-files -o r.html").exit_code / 2, 0) << "another way to write --report";
  EXPECT_TRUE(fs::exists(folder / "r.html"));
}

// Samples that are there twice halved the variance; a law was tested on the recording that it had been fitted to.
TEST(Contradictions, ARecordingHasOneUse) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, "generate presliding --duration '1 s' -o a.csv").exit_code, 0);
  ASSERT_EQ(run_program(folder, "generate presliding --duration '1 s' --seed 2 -o b.csv").exit_code, 0);
  fs::copy(folder / "a.csv", folder / "copy.csv");
  const std::string options = " --model coulomb-viscous --no-files";
  const std::string fewer = ": counted double they would make the intervals too narrow; leave out one";
  const std::string other = ": samples that were used before judge nothing; give another recording";
  expect_refused(folder, {{"identify a.csv b.csv a.csv" + options, "a.csv is given twice" + fewer},
                          {"identify a.csv ./copy.csv" + options, "a.csv and ./copy.csv hold the same samples" + fewer},
                          {"identify a.csv --validation a.csv" + options,
                           "a.csv is given twice, to fit the law and to rank the laws" + other},
                          {"identify a.csv --test copy.csv" + options,
                           "a.csv and copy.csv hold the same samples, to fit the law and to test the best one" + other},
                          {"identify a.csv --validation b.csv --test b.csv" + options,
                           "b.csv is given twice, to rank the laws and to test the best one" + other},
                          {"identify a.csv --let A=1 --let A=2" + options, "--let A is given twice; leave out one"}});
}

TEST(Contradictions, OfOtherCommandsAreRefused) {
  const Folder folder;
  folder.write("m.toml", axis);
  folder.write("s.toml", pulled_mass(ideal_friction));
  expect_refused(
      folder, {{"export m.toml --c a.h --fmi 3", "--fmi is for --fmu; nothing of that is written"},
               {"export m.toml --c a.h --inputs outside", "--inputs is for --fmu; nothing of that is written"},
               {"export m.toml --c a.h --knots 5",
                "--knots is for --table, --drive, --modelica, --simulink; nothing of that is written"},
               {"export m.toml --table a.csv --rate '1 kHz'", "--rate is for --c; nothing of that is written"},
               {"export m.toml -o a.csv --slowest '3 rad/s'", "--slowest is for --lpv; nothing of that is written"},
               {"virtual-bench one -o two", "directory excludes --output; see --help"},
               {"generate servo-axis --half-range '1 mm' -o g.csv",
                "a half range is of the random motion of presliding, gms and gms-large; this machine has its own path"},
               {"simulate m.toml --no-files -o there", "--output excludes --no-files; see --help"},
               {"simulate m.toml --no-files --csv", "--csv excludes --no-files; see --help"},
               {"simulate m.toml --numbers --report n.html", "--report excludes --numbers; see --help"},
               {"simulate s.toml --no-files --set machine.mass=1 --set machine.mass='2 kg'",
                "--set machine.mass is given twice; leave out one"},
               {"sweep m.toml --no-files --npz", "--npz excludes --no-files; see --help"},
               {"compensate m.toml --no-files -o c", "--output excludes --no-files; see --help"},
               {"reproduce presliding --no-files -o c", "--output excludes --no-files; see --help"}});
}

}  // namespace
}  // namespace stickslip::contradictions_test
