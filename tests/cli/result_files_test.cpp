/// -o of commands that write several kinds of files: the extension says which.
#include "cli/program.hpp"

namespace stickslip::result_files_test {
namespace {

const char* const axis =
    "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"20 N\"\nviscosity = \"120 N s/m\"\n";

TEST(ExportOutput, FormatsAreChosenByTheExtension) {
  const Folder folder;
  folder.write("axis.toml", axis);
  const std::string command = "export axis.toml --mass 20 ";
  ASSERT_EQ(run_program(folder, command + "--c a.h --urdf a.urdf").exit_code, 0);
  const Answer same = run_program(folder, command + "-o b/a.h -o b/a.urdf");
  EXPECT_EQ(same.exit_code, 2) << "the folder does not exist";
  fs::create_directory(folder / "b");
  ASSERT_EQ(run_program(folder, command + "-o b/a.urdf --output b/a.h --plot").exit_code, 0);
  EXPECT_EQ(text_of(folder / "b/a.urdf"), text_of(folder / "a.urdf"));
  EXPECT_NE(text_of(folder / "b/a.h").find("axis_step("), std::string::npos);
}

TEST(ExportOutput, WhatCannotBeWrittenIsRefused) {
  const Folder folder;
  folder.write("axis.toml", axis);
  const auto refused = [&](const std::string& options, const std::string& message) {
    const Answer answer = run_program(folder, "export axis.toml " + options);
    EXPECT_EQ(answer.exit_code, 2) << options;
    EXPECT_EQ(answer.err, message + "\n") << options;
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"axis.toml"})) << options;
  };
  refused("-o a.pdf",
          "-o is 'a.pdf'; its extension selects the format: .h, .csv, .txt, .mo, .xml, .urdf, .sdf, _lpv.m, .m, .fmu");
  refused("-o a.h --c b.h", "'b.h' and 'a.h' are the same format; give one of them");
  refused("--fmu a.csv", "--fmu is 'a.csv'; name a file that ends in .fmu");
  refused("--c a.h --table axis.txt", "--table is 'axis.txt'; name a file that ends in .csv");
  refused("--lpv a.mat", "--lpv is 'a.mat'; name a file that ends in .m");
  refused("", "nothing to write; name at least one file, such as -o axis.h");
}

// A report that cannot be written to: the header that was ready is not left alone.
TEST(ExportOutput, AllFilesOrNone) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no device that is always full";
  const Folder folder;
  folder.write("axis.toml", axis);
  fs::create_symlink("/dev/full", folder / "full.html");
  const Answer answer = run_program(folder, "export axis.toml --c a.h --report full.html");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_NE(answer.err.find("No space left on device"), std::string::npos) << answer.err;
  EXPECT_FALSE(fs::exists(folder / "a.h"));
}

TEST(ValidateOutput, AnUnknownExtensionIsRefused) {
  const Folder folder;
  folder.write("axis.toml", axis);
  ASSERT_EQ(run_program(folder, "generate servo-axis --duration '1 s' -o a.csv").exit_code, 0);
  const Answer answer = run_program(folder, "validate axis.toml a.csv --mass 20 -o a.pdf");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err,
            "-o is 'a.pdf'; its extension selects what is written: .csv measured, predicted and residual force, .svg "
            "the figure, .html the report, .json the results\n");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.csv", "axis.toml"}));
}

}  // namespace
}  // namespace stickslip::result_files_test
