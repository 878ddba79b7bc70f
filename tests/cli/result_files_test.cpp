/// -o of commands that write several kinds of files: the extension says which.
#include "cli/program.hpp"
#include "sweep/sweep_files.hpp"

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

// The first of two results with one name was lost, with exit code 0.
TEST(OneFileForTwoResults, IsRefusedBeforeTheWork) {
  const Folder folder;
  folder.write("axis.toml", axis);
  ASSERT_EQ(run_program(folder, "generate servo-axis --duration '1 s' -o a.csv").exit_code, 0);
  fs::create_directory(folder / "dir");
  fs::create_symlink("m.toml", folder / "link.csv");
  fs::create_symlink("b.csv", folder / "linked.html");
  fs::create_symlink("map.csv", folder / "map.npz");
  fs::create_symlink("part.csv", folder / "part.journal");
  fs::create_symlink("s.csv", folder / "s.svg");
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("sweep.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  const std::vector<std::string> before = folder.files();
  const auto refused = [&](const std::string& command, const std::string& files) {
    const Answer answer = run_program(folder, command);
    EXPECT_EQ(answer.exit_code, 2) << command;
    EXPECT_EQ(answer.err, files + " named for two results; give each its own file\n") << command;
    EXPECT_EQ(answer.out, "") << command;
    EXPECT_EQ(folder.files(), before) << command;
  };
  const std::string identify = "identify a.csv --mass '20 kg' --model coulomb-viscous -o m.toml --csv ";
  refused(identify + "m.toml", "m.toml is");
  refused(identify + "./m.toml", "'m.toml' and './m.toml' are one file,");
  refused(identify + "dir/../m.toml", "'m.toml' and 'dir/../m.toml' are one file,");
  refused(identify + "link.csv", "'m.toml' and 'link.csv' are one file,");
  refused(identify + "m.toml.state", "m.toml.state is");
  refused("identify a.csv --mass '20 kg' --model coulomb --report r.html --mat r.html", "r.html is");
  refused("validate axis.toml a.csv --mass '20 kg' --report v.html --csv v.html", "v.html is");
  refused("validate axis.toml a.csv --mass '20 kg' -o v.csv -o ./v.csv", "'v.csv' and './v.csv' are one file,");
  refused("inspect a.csv -o b.csv -o b.csv", "b.csv is");
  refused("generate servo-axis -o b.csv --truth t.toml --report linked.html",
          "'b.csv' and 'linked.html' are one file,");
  refused("export axis.toml --c axis.h --report linked.html -o b.csv", "'b.csv' and 'linked.html' are one file,");
  refused("simulate s.toml -o s", "'s.csv' and 's.svg' are one file,");
  refused("sweep sweep.toml -o map", "'map.csv' and 'map.npz' are one file,");
  refused("sweep sweep.toml -o part --csv", "'part.journal' and 'part.csv' are one file,");
}

// A model file, named by a slip for the residuals, was replaced by them.
TEST(ResultFiles, OfAnotherKindAreNotReplaced) {
  const Folder folder;
  folder.write("axis.toml", axis);
  folder.write("kept.toml", "kept");
  ASSERT_EQ(run_program(folder, "generate servo-axis --duration '1 s' -o a.csv").exit_code, 0);
  const auto refused = [&](const std::string& command, const std::string& message) {
    const Answer answer = run_program(folder, command);
    EXPECT_EQ(answer.exit_code, 2) << command;
    EXPECT_EQ(answer.err, message + "\n") << command;
    EXPECT_EQ(text_of(folder / "kept.toml"), "kept") << command;
  };
  refused("identify a.csv --mass '20 kg' --model coulomb --csv kept.toml",
          "--csv is 'kept.toml'; name a file that ends in .csv");
  refused("identify a.csv --mass '20 kg' --model coulomb --mat kept.toml",
          "--mat is 'kept.toml'; name a file that ends in .mat");
  folder.write("kept.txt", "kept");
  refused("identify a.csv --mass '20 kg' --model coulomb -o kept.txt",
          "--output is 'kept.txt'; name a file that ends in .toml");
  EXPECT_EQ(text_of(folder / "kept.txt"), "kept");
  refused("validate axis.toml a.csv --mass '20 kg' --csv kept.toml",
          "--csv is 'kept.toml'; name a file that ends in .csv");
  refused("export axis.toml --c kept.toml", "--c is 'kept.toml'; name a file that ends in .h");
  refused("validate axis.toml a.csv --mass '20 kg' --csv none/r.csv",
          "there is no directory 'none' to write 'none/r.csv' to; create it first");
  fs::create_directory(folder / "d.fmu");
  refused("export axis.toml --fmu d.fmu", "cannot write 'd.fmu': it is a directory; give a file name");
  EXPECT_EQ(run_program(folder, "validate axis.toml a.csv --mass '20 kg' --csv /dev/null").exit_code / 2, 0);
}

TEST(Demo, WritesItsFilesTogetherOrNone) {
  const Folder folder;
  const auto refused = [&](const std::string& output, const std::string& message) {
    const Answer answer = run_program(folder, "demo -o " + output);
    EXPECT_EQ(answer.exit_code, 2) << output;
    EXPECT_EQ(answer.err, message + "\n") << output;
    EXPECT_EQ(answer.out, "") << output;
  };
  refused("''", "-o is ''; name a directory for the files");
  EXPECT_TRUE(folder.files().empty());
  for (const char* name : {"full", "page", "first"}) fs::create_directory(folder / name);
  fs::create_directory(folder / "full/axis.model.toml");
  refused("full", "cannot write 'full/axis.model.toml': it is a directory; name another --output");
  fs::create_symlink("first.csv", folder / "page/identification.html");
  refused(
      "page",
      "'page/first.csv' and 'page/identification.html' are one file, named for two results; give each its own file");
  fs::create_symlink("second.csv", folder / "first/first.csv");
  refused("first",
          "'first/first.csv' and 'first/second.csv' are one file, named for two results; give each its own file");
  for (const char* name : {"full", "page", "first"})
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / name), fs::directory_iterator()), 1) << name;
}

// An unfinished fit was shown and written as the result, with exit code 0.
TEST(Demo, CtrlCEndsItWithoutFiles) {
  for (const char* const delay : {"0.4", "1.5", "6"}) {  // a slow program may not listen yet
    const Folder folder;
    const Answer answer = run_program(folder, std::string("demo >o 2>e & sleep ") + delay + "; kill -INT $!; wait $!");
    if (answer.exit_code == 0 && delay != std::string_view("6")) continue;
    EXPECT_EQ(answer.exit_code, 1);
    EXPECT_EQ(text_of(folder / "e"), "interrupted; nothing was written, the same command starts over\n");
    EXPECT_EQ(text_of(folder / "o").find("Recommended"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(folder / "stickslip_demo"));
    return;
  }
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
