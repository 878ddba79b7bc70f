/// Reports as a user requests them: where they may go, what they say, and that nothing else is written.
#include <gtest/gtest.h>

#include "program.hpp"

namespace stickslip::report_test {
namespace {

const std::string pulled = R"(
title = "Pushed <hard>"
[machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "sine"
amplitude = "2 N"
frequency = "1 Hz"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "2 s"
sample_interval = "1 ms"
)";

void expect_refused_report(const std::string& arguments, const std::string& message) {
  const Folder folder;
  folder.write("s.toml", pulled);
  const Answer answer = run_program(folder, arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"s.toml"})) << arguments;
}

TEST(Report, PlacesThatCannotBeWrittenAreRefusedBeforeTheWork) {
  expect_refused_report("simulate s.toml --report none/r.html",
                        "there is no directory 'none' to write 'none/r.html' to; create it first");
  // every result, not only a report, is named in it
  expect_refused_report("export s.toml --fmu none/x.fmu",
                        "there is no directory 'none' to write 'none/x.fmu' to; create it first");
  expect_refused_report("simulate s.toml --report s.toml", "the report would replace 's.toml', which this run reads");
  for (const char* const command : {"simulate s.toml", "check coulomb", "generate servo-axis"})
    expect_refused_report(std::string(command) + " --report r.pdf",
                          "--report is 'r.pdf'; name a file that ends in .html");
  expect_refused_report("check coulomb --report .",
                        "cannot write the report '.': it is a directory; name a file, such as report.html");
  expect_refused_report("reproduce switch-map --report s.toml",
                        "cannot make the directory 's.toml': there is a file of that name");
}

TEST(Report, OfASimulationSaysHowToRepeatIt) {
  const Folder folder;
  folder.write("s.toml", pulled);
  const Answer answer = run_program(folder, "simulate s.toml --no-files --report r.html");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.html", "s.toml"}));
  const std::string html = text_of(folder / "r.html");
  EXPECT_NE(html.find("<h1>Pushed &lt;hard&gt;</h1>"), std::string::npos);
  EXPECT_NE(html.find("stickslip simulate s.toml --no-files --report r.html"), std::string::npos);
  EXPECT_NE(html.find("crc32 "), std::string::npos);
  EXPECT_NE(html.find("heat of friction"), std::string::npos);
}

TEST(Report, OfTheSameRunIsTheSameFile) {
  const Folder folder;
  folder.write("s.toml", pulled);
  run_program(folder, "simulate s.toml --no-files --report r.html");
  const std::string first = text_of(folder / "r.html");
  run_program(folder, "simulate s.toml --no-files --report r.html");
  EXPECT_EQ(text_of(folder / "r.html"), first);
}

TEST(Report, GalleryHasAPagePerPaperThatWasRun) {
  const Folder folder;
  const Answer answer = run_program(folder, "reproduce switch-map three-bodies --report gallery");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_FALSE(fs::exists(folder / "reproduced"));
  for (const char* page : {"index.html", "nouailletas_2010.html", "biagiotti.html"})
    EXPECT_TRUE(fs::exists(folder / "gallery" / page)) << page;
  EXPECT_FALSE(fs::exists(folder / "gallery" / "drincic_2011.html"));
  const std::string page = text_of(folder / "gallery" / "biagiotti.html");
  EXPECT_NE(page.find("a drawing, nothing to compute"), std::string::npos)
      << "figures that are not there have a reason";
  EXPECT_NE(page.find("lower-left entry"), std::string::npos) << "misprints";
  // Neither experiment compares with a printed number: the overview must not call them published.
  EXPECT_NE(text_of(folder / "gallery" / "index.html")
                .find("22 of 22 numbers within their tolerance: 0 printed in the papers, 18 independent references, 4 "
                      "self-checks"),
            std::string::npos);
}

}  // namespace
}  // namespace stickslip::report_test
