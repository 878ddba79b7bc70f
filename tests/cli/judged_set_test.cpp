/// One judged set: whatever shows the error of an identified model (headline, table, tile of the report, JSON, model file, CSV, demo,
/// validation) gives the same number of the same samples.
#include <sstream>

#include "cli/program.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/toml_document.hpp"
#include "support/places.hpp"

namespace stickslip::judged_set_test {
namespace {

const char* const laws = " --model dahl --model 'NLR(3)'";

/// Recordings of the presliding rig, quick to identify; their errors differ from set to set.
void make_rig(const Folder& folder) {
  for (const std::string& seed : {std::string("3"), std::string("4")})
    ASSERT_EQ(
        run_program(folder, "generate presliding --seed " + seed + " --duration '1 s' -o " + seed + ".csv").exit_code,
        0);
}

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// The text with every stretch of white space as one blank.
std::string flattened(const std::string& text) {
  std::string out;
  std::istringstream words(text);
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// Error and share of a set in a model file: [quality] test = { noe = 0.1, max = "1 N", rms = "0.2 N" }.
struct Stored {
  double noe = 0, rms = 0;  // [%], [N]
};
Stored stored(const Folder& folder, const std::string& file, const std::string& set = "test") {
  const TomlValue document = parse_toml(text_of(folder / file), file);
  const TomlValue* quality = document.find("quality");
  const TomlValue* one = quality ? quality->find(set) : nullptr;
  if (!one) {
    ADD_FAILURE() << file << " states no quality of the " << set << " samples";
    return {};
  }
  return {one->find("noe")->number, parse_quantity(one->find("rms")->text, "N")};
}
std::string shown_share(const Stored& s) { return significant(s.noe, 3) + " %"; }
std::string shown_rms(const Stored& s) { return with_unit(s.rms, "N", 3); }

/// Two JSON numbers with all digits are the ones of the file.
void expect_same(const JsonValue& report, const Stored& file) {
  EXPECT_EQ(report["judged_on"].text, "test");
  EXPECT_EQ(report["unexplained_percent"].number, file.noe);
  const JsonValue& best = report["models"].items.at(0);
  EXPECT_EQ(best["unexplained_percent"].number, file.noe);
  EXPECT_EQ(best["test"]["noe_percent"].number, file.noe);
  EXPECT_EQ(best["test"]["rms"].number, file.rms);
}

void expect_headline(const std::string& text, const Stored& file) {
  EXPECT_TRUE(contains(flattened(text),
                       "leaves " + shown_rms(file) + " rms, " + shown_share(file) + " of the force's variance"))
      << text;
  EXPECT_TRUE(contains(flattened(text), "on the test samples")) << text;
}

void expect_tile(const std::string& page, const Stored& file) {
  EXPECT_TRUE(
      contains(page, "leaves " + shown_share(file) + " of the force's variance unexplained on the test samples"));
  EXPECT_TRUE(contains(page, ">" + shown_share(file) + "<")) << "the tile";
  EXPECT_TRUE(contains(page, ">" + shown_rms(file) + "<")) << "the tile";
  EXPECT_TRUE(contains(page, "unexplained, test samples"));
  EXPECT_TRUE(contains(page, "rms error, test samples"));
}

TEST(OneJudgedSet, HeadlineTileJsonAndFileOfOneRecording) {
  const Folder folder;
  make_rig(folder);
  const std::string command = std::string("identify 3.csv") + laws + " --report r.html -o m.toml";
  const std::string text = run_program(folder, command).out;
  const Stored file = stored(folder, "m.toml");
  // The sets differ, so that a mix-up shows.
  ASSERT_NE(shown_share(file), shown_share(stored(folder, "m.toml", "validation")));
  ASSERT_NE(shown_share(file), shown_share(stored(folder, "m.toml", "estimation")));
  expect_headline(text, file);
  expect_tile(text_of(folder / "r.html"), file);
  const std::string json = run_program(folder, command + " --json").out;
  expect_same(JsonReader::read(json), file);
  // An offset is called so in every output; JSON had "chain.offset".
  EXPECT_TRUE(contains(json, "\"key\": \"offset\""));
  EXPECT_FALSE(contains(json, "chain."));
}

TEST(OneJudgedSet, TheColumnThatRanksIsShownAndRises) {
  const Folder folder;
  make_rig(folder);
  const std::string command = std::string("identify 3.csv --no-files") + laws;
  const std::string text = run_program(folder, command).out;
  const JsonValue report = JsonReader::read(run_program(folder, command + " --json").out);
  const auto& models = report["models"].items;
  ASSERT_EQ(models.size(), 2U);
  EXPECT_LT(models[0]["ranked_rms"].number, models[1]["ranked_rms"].number);
  EXPECT_TRUE(contains(text, "ranked by rms"));
  for (const JsonValue& m : models)
    EXPECT_TRUE(contains(text, with_unit(m["ranked_rms"].number, "N", 3))) << m["label"].text;
}

TEST(OneJudgedSet, TheRunInIsCounted) {
  const Folder folder;
  make_rig(folder);
  const std::string command = std::string("identify 3.csv --no-files --model 'NLR(3)'");
  const std::string text = run_program(folder, command).out;
  const JsonValue best = JsonReader::read(run_program(folder, command + " --json").out)["models"].items.at(0);
  double all = 0, compared = 0;
  for (const char* set : {"estimation", "validation", "test"})
    all += best[set]["samples"].number, compared += best[set]["compared_samples"].number;
  ASSERT_GT(all - compared, 1);
  EXPECT_TRUE(contains(text, shortest(all - compared) + " samples of the run-in are excluded from the errors")) << text;
}

// `-o report.html` wrote a model file of that name; in the other commands the extension selects the content.
TEST(OneJudgedSet, TheExtensionOfTheOutputSelectsItsContent) {
  const Folder folder;
  make_rig(folder);
  const std::string command = "identify 3.csv --model 'NLR(3)' ";
  ASSERT_EQ(run_program(folder, command + "-o r.html").exit_code, 0);
  EXPECT_EQ(text_of(folder / "r.html").substr(0, 9), "<!doctype");
  EXPECT_TRUE(contains(text_of(folder / "3.model.toml"), "[friction]"));
  ASSERT_EQ(run_program(folder, command + "-o m.toml").exit_code, 0);
  EXPECT_TRUE(contains(text_of(folder / "m.toml"), "[friction]"));
  EXPECT_EQ(run_program(folder, command + "-o a.html --report b.html").err,
            "-o 'a.html' and --report 'b.html' name the same content; give one of them\n");
  EXPECT_EQ(run_program(folder, command + "-o a.json").err,
            "-o is 'a.json'; its extension selects the content: .toml, .html, .csv, .mat; --json prints the results as "
            "JSON\n");
}

TEST(OneJudgedSet, QuickSaysThatNotAllModelsWereTried) {
  const Folder folder;
  make_rig(folder);
  const std::string said = "--quick: only the 7 usual models were fitted; without it all models are tried";
  EXPECT_TRUE(contains(flattened(run_program(folder, "identify 3.csv --no-files --quick").out), said));
  EXPECT_FALSE(contains(flattened(run_program(folder, "identify 3.csv --no-files --model dahl").out), "--quick"));
}

TEST(OneJudgedSet, SeveralRecordingsTogether) {
  const Folder folder;
  make_rig(folder);
  const std::string command = std::string("identify 3.csv 4.csv --together") + laws + " --report r.html -o m.toml";
  const std::string text = run_program(folder, command).out;
  const Stored file = stored(folder, "m.toml");
  expect_headline(text, file);
  expect_tile(text_of(folder / "r.html"), file);
  const JsonValue report = JsonReader::read(run_program(folder, command + " --json").out);
  expect_same(report, file);
  // The errors of each recording are of all its samples, and say so.
  EXPECT_TRUE(contains(flattened(text), "errors over all samples of each recording"));
  EXPECT_TRUE(contains(text_of(folder / "r.html"), "errors over all samples of each recording"));
  for (const JsonValue& one : report["together"]["recordings"].items)
    EXPECT_TRUE(contains(text, with_unit(one["rms"].number, "N", 3)));
}

// The table had the share in motion of validation and test samples, and the rms of the validation samples; the model file others.
TEST(OneJudgedSet, EachOfAListOfRecordings) {
  const Folder folder;
  make_rig(folder);
  const std::string command = std::string("identify --each 3.csv 4.csv -o fleet") + laws;
  const std::string text = run_program(folder, command).out;
  const std::string csv = text_of(folder / "fleet/identified.csv");
  EXPECT_EQ(csv.find("recording,model,parameters,unexplained_percent,rms,rms_unit,judged_on,verdict\n"), 0U) << csv;
  const JsonValue list = JsonReader::read(run_program(folder, command + " --json").out);
  ASSERT_EQ(list.items.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "3" : "4";
    const Stored file = stored(folder, "fleet/" + name + ".model.toml");
    EXPECT_TRUE(contains(
        csv, "\n" + name + ".csv,NLR(3),7," + shortest(file.noe) + "," + shortest(file.rms) + ",N,test,explained\n"))
        << csv;
    EXPECT_TRUE(contains(text, shown_share(file))) << text;
    EXPECT_TRUE(contains(text, shown_rms(file))) << text;
    EXPECT_EQ(list.items[i]["unexplained_percent"].number, file.noe);
    EXPECT_EQ(list.items[i]["rms"].number, file.rms);
    EXPECT_EQ(list.items[i]["judged_on"].text, "test");
    expect_tile(text_of(folder / ("fleet/" + name + ".html")), file);
  }
}

TEST(OneJudgedSet, SeveralAxesOfOneFile) {
  const Folder folder;
  make_rig(folder);
  // both recordings as two axes of one file
  std::istringstream first(text_of(folder / "3.csv")), second(text_of(folder / "4.csv"));
  std::string rows = "time_s,q1_m,f1_N,q2_m,f2_N\n";
  for (std::string a, b; std::getline(first, a) && std::getline(second, b);)
    if (!a.empty() && (a[0] == '-' || (a[0] >= '0' && a[0] <= '9'))) rows += a + b.substr(b.find(',')) + "\n";
  folder.write("axes.csv", rows);
  const std::string command =
      std::string("identify axes.csv --axis '*' --position 'q#' --force 'f#' --report r.html") + laws;
  const std::string text = run_program(folder, command).out;
  const JsonValue list = JsonReader::read(run_program(folder, command + " --json").out);
  ASSERT_EQ(list.items.size(), 2U) << text;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string axis = std::to_string(i + 1);
    const Stored file = stored(folder, "axes-" + axis + ".model.toml");
    EXPECT_TRUE(contains(text, shown_share(file) + "  test samples")) << text;
    expect_same(list.items[i], file);
    expect_tile(text_of(folder / ("r-" + axis + ".html")), file);
  }
}

TEST(OneJudgedSet, ValidationComparesWithTheTestSamples) {
  const Folder folder;
  make_rig(folder);
  ASSERT_EQ(run_program(folder, std::string("identify 3.csv -o m.toml") + laws).exit_code, 0);
  const Stored file = stored(folder, "m.toml");
  const std::string text = run_program(folder, "validate m.toml 4.csv --report r.html -o v.json -o v.csv -o v.svg").out;
  const JsonValue said = JsonReader::read(run_program(folder, "validate m.toml 4.csv --json").out);
  EXPECT_EQ(text_of(folder / "v.json"), run_program(folder, "validate m.toml 4.csv --json").out);
  EXPECT_EQ(said["stored"]["set"].text, "test");
  EXPECT_EQ(said["stored"]["noe_percent"].number, file.noe);
  EXPECT_EQ(said["stored"]["rms"].number, file.rms);
  const Stored here{said["noe_percent"].number, said["rms"].number};
  EXPECT_TRUE(contains(flattened(text), shown_rms(here) + " rms here, " + shown_rms(file) +
                                            " on the test samples of 3.csv; " + shown_share(here) +
                                            " of the force's variance unexplained, against " + shown_share(file) +
                                            " in the model file"))
      << text;
  EXPECT_TRUE(contains(flattened(text), flattened(said["verdict"].text)));
  const std::string page = text_of(folder / "r.html");
  EXPECT_TRUE(contains(page, ">" + shown_share(here) + "<"));
  EXPECT_TRUE(contains(page, ">" + shown_rms(here) + "<"));
  // -o writes what --json prints, the forces, and the figure
  EXPECT_EQ(text_of(folder / "v.csv").find("time_s,"), 0U) << text_of(folder / "v.csv").substr(0, 80);
  EXPECT_TRUE(contains(text_of(folder / "v.svg"), "</svg>"));
}

TEST(OneJudgedSet, TheDemoFindsTheFrictionOfItsAxis) {
  const Folder folder;
  const Answer told = run_program(folder, "demo");
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const std::string& text = told.out;
  const Stored file = stored(folder, "stickslip_demo/axis.model.toml");
  EXPECT_TRUE(contains(flattened(text),
                       "It leaves " + shown_rms(file) + " rms, " + shown_share(file) + " of the force's variance"))
      << text;
  EXPECT_TRUE(contains(text, "ranked by rms"));
  // The command that the demo prints finds the same values and intervals. What went wrong: intervals without the timing.
  const std::string printed = "identify stickslip_demo/first.csv --mass '20 kg' --quick";
  EXPECT_TRUE(contains(text, "stickslip " + printed)) << text;
  ASSERT_EQ(run_program(folder, printed + " -o again.model.toml").exit_code, 0);
  const auto found = [&](const std::string& name) {
    const std::string whole = text_of(folder / name);
    return whole.substr(whole.find("[friction]"), whole.find("[recording]") - whole.find("[friction]"));
  };
  EXPECT_EQ(found("stickslip_demo/axis.model.toml"), found("again.model.toml"));
  expect_tile(text_of(folder / "stickslip_demo/identification.html"), file);
  const JsonValue report = JsonReader::read(run_program(folder, "demo --json").out);
  expect_same(report, file);
  EXPECT_EQ(report["recommended"].text, "lugre");
  EXPECT_LT(report["second_recording"]["noe_percent"].number, 0.1);
  for (const auto& written : report["written"].items)
    EXPECT_TRUE(fs::exists(folder.path() / written.text)) << written.text;
  for (const JsonValue& m : report["models"].items)
    EXPECT_TRUE(contains(text, with_unit(m["ranked_rms"].number, "N", 3))) << m["label"].text;
  EXPECT_TRUE(contains(flattened(text), flattened(report["second_recording"]["verdict"].text)));
}

}  // namespace
}  // namespace stickslip::judged_set_test
