#include "exports/formats.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/error.hpp"
#include "files/whole_file.hpp"

namespace stickslip::formats_test {
namespace {

ExportSource source_of(const std::string& model, const ParameterValues& values, const ParameterValues& backward = {}) {
  ExportSource s;
  s.file = "axis.model.toml";
  s.name = "axis";
  s.friction = make_friction(model, values, backward);
  return s;
}
ExportSource stribeck_axis() {
  return source_of(
      "stribeck",
      {{"coulomb_force", 10.0}, {"stiction_force", 15.0}, {"stribeck_velocity", 0.01}, {"viscosity", 20.0}});
}
ExportSource lugre_axis() {
  return source_of("lugre", {{"coulomb_force", 10.0},
                             {"stiction_force", 15.0},
                             {"stribeck_velocity", 0.01},
                             {"viscosity", 20.0},
                             {"bristle_stiffness", 1e6},
                             {"bristle_damping", 300.0}});
}
bool mentions(const std::vector<std::string>& texts, const std::string& what) {
  for (const auto& t : texts)
    if (t.find(what) != std::string::npos) return true;
  return false;
}
double number_after(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? std::nan("") : std::atof(text.c_str() + at + mark.size());
}

// Of n straight lines through points of y = x² on [0, 1] the best are equally long: each is off by (1/n)²/4.
TEST(Formats, BestKnotsOfAParabolaLieEvenly) {
  std::vector<double> x, y;
  for (int i = 0; i <= 100; ++i) x.push_back(0.01 * i), y.push_back(x.back() * x.back());
  const Knots knots = best_knots(x, y, 5);
  EXPECT_EQ(knots.at, (std::vector<std::size_t>{0, 25, 50, 75, 100}));
  EXPECT_NEAR(knots.error, 1.0 / 64, 3e-4);  // the middle of a line may lie between two points
}
TEST(Formats, AStraightLineNeedsTwoKnots) {
  EXPECT_EQ(best_knots({0, 1, 2, 3}, {1, 2, 3, 4}, 4).at, (std::vector<std::size_t>{0, 3}));
}

// Coulomb friction with viscosity is what URDF and SDF can say: nothing is lost.
TEST(Formats, UrdfCarriesCoulombAndDampingWithoutLoss) {
  const Export made = export_urdf(source_of("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 20.0}}));
  EXPECT_NEAR(number_after(made.content, "friction=\""), 10, 1e-6);
  EXPECT_NEAR(number_after(made.content, "damping=\""), 20, 1e-4);
  EXPECT_TRUE(made.losses.empty()) << made.losses.front();
}
TEST(Formats, UrdfTellsOfALostPeakAndOfPresliding) {
  const Export stribeck = export_urdf(stribeck_axis()), lugre = export_urdf(lugre_axis());
  EXPECT_TRUE(mentions(stribeck.losses, "breaks away at")) << stribeck.losses.size();
  EXPECT_FALSE(mentions(stribeck.losses, "no presliding"));
  EXPECT_TRUE(mentions(lugre.losses, "no presliding"));
}
TEST(Formats, OneLevelForTwoDirectionsIsTold) {
  const Export made = export_sdf(
      source_of("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 20.0}}, {{"coulomb_force", 14.0}}));
  EXPECT_NEAR(number_after(made.content, "<friction>"), 12, 1e-3);
  EXPECT_TRUE(mentions(made.losses, "one level for both directions; the source has 10 N forward and 14 N backward"));
}

// At rest under F below the level MuJoCo's soft constraint creeps at F (1 − d)/(d m b), b = 2/(d T).
TEST(Formats, MujocoCreepsAsItsConstraintSays) {
  const Export made =
      export_mjcf(source_of("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 20.0}}), {.mass = 2});
  EXPECT_NEAR(number_after(made.content, "frictionloss=\""), 10, 1e-6);
  const double expected = 8 * 0.01 / (0.99 * 2 * 2 / (0.99 * 0.004));
  EXPECT_TRUE(mentions(made.losses, "creeps at")) << made.losses.size();
  const std::string details = made.details.text(-1);
  const std::size_t at = details.find("\"creep\":[");
  ASSERT_NE(at, std::string::npos) << details;
  EXPECT_NEAR(std::atof(details.c_str() + details.find(',', at) + 1), expected, 0.03 * expected) << details;
}

TEST(Formats, TablesSayTheErrorTheyLeave) {
  const Export few = export_table(stribeck_axis(), {.knots = 4}), many = export_table(stribeck_axis(), {.knots = 20});
  const auto error = [](const Export& e) { return number_after(e.details.text(-1), "\"largest_error\":"); };
  EXPECT_GT(error(few), 10 * error(many));
  EXPECT_LT(error(many), 0.05);
  EXPECT_TRUE(few.content.starts_with("speed_m_s,force_N\n-0.2,"));
}
TEST(Formats, ElasticDriveHasPresliding) {
  const Export made = export_drive(lugre_axis());
  EXPECT_FALSE(mentions(made.losses, "[elastic] no presliding"));
  EXPECT_TRUE(mentions(made.losses, "[table] no presliding"));
  EXPECT_NEAR(number_after(made.content, "kV = "), 20, 0.5);
}
// kS and kV are means: where the directions differ they lose more than levels per direction, and are run by themselves.
TEST(Formats, MeansOfTwoDirectionsAreRunByThemselves) {
  const auto rows_of = [](const Export& made, const std::string& section) {
    std::size_t count = 0;
    for (const auto& row : made.measured.rows) count += row.front() == section;
    return count;
  };
  const ParameterValues forward{{"coulomb_force", 10.0}, {"viscosity", 20.0}};
  const Export two = export_drive(source_of("coulomb-viscous", forward, {{"coulomb_force", 14.0}}));
  EXPECT_NEAR(number_after(two.content, "kS = "), 12, 1e-3);
  EXPECT_EQ(rows_of(two, "feedforward"), rows_of(two, "coulomb_viscous"));
  EXPECT_TRUE(mentions(two.losses, "[feedforward] breaks away at 12.2 N instead of 10.2 N"));
  EXPECT_FALSE(mentions(two.losses, "[coulomb_viscous] breaks away"));
  EXPECT_TRUE(
      mentions(two.losses, "[feedforward] and [elastic] have one level for both directions; they differ by 4 N"));
  const Export slopes = export_drive(source_of("coulomb-viscous", forward, {{"viscosity", 60.0}}));
  EXPECT_TRUE(mentions(slopes.losses, "[feedforward] ") && mentions(slopes.losses, "rms at constant speeds"));
  EXPECT_FALSE(mentions(slopes.losses, "one level"));
  const Export one = export_drive(source_of("coulomb-viscous", forward));
  EXPECT_EQ(rows_of(one, "feedforward"), 0u);
  EXPECT_FALSE(mentions(one.losses, "[feedforward]"));
  EXPECT_TRUE(mentions(one.notes, "[feedforward] is compared as [coulomb_viscous]"));
  EXPECT_TRUE(mentions(one.notes, "[elastic] is [feedforward] here"));
  EXPECT_TRUE(mentions(one.losses, "[coulomb_viscous] nothing below the threshold of"));
}

TEST(Formats, ALevelOverLoadIsRefusedWhereItCannotGo) {
  ExportSource source = stribeck_axis();
  source.friction = make_friction(
      "coulomb", {{"coulomb_force", 10.0}}, {},
      {{.key = "coulomb_force", .over = Quantity::load, .polynomial = {}, .knots = {0, 100}, .values = {10, 20}}});
  try {
    export_urdf(source);
    FAIL() << "refused nothing";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "axis.model.toml: coulomb_force follows load, which a URDF joint has no input for; --c, --table and "
                 "--fmu support it");
  }
  const Export table = export_table(source, {.knots = 3});
  EXPECT_TRUE(table.content.starts_with("load_N,speed_m_s,force_N\n0,-0.2,-10\n")) << table.content.substr(0, 80);
  EXPECT_NE(table.content.find("\n100,0.2,20\n"), std::string::npos) << table.content;
}

TEST(Formats, TablesOverLoadAreComparedWithTheModelAtTheirMiddle) {
  ExportSource source = lugre_axis();
  const ParameterValues values = source.friction->settings().values;
  source.friction = make_friction(
      "lugre", values, {},
      {{.key = "coulomb_force", .over = Quantity::load, .polynomial = {}, .knots = {0, 100}, .values = {5, 9}},
       {.key = "stiction_force", .over = Quantity::load, .polynomial = {}, .knots = {50}, .values = {12}},
       {.key = "viscosity", .over = Quantity::load, .polynomial = {0, 0, 1e-2}, .knots = {}, .values = {}},
       {.key = "stribeck_velocity", .over = Quantity::pressure, .polynomial = {0, 1e-9}, .knots = {}, .values = {}}});
  const Export made = export_table(source, {.knots = 6});
  EXPECT_TRUE(made.content.find("\n50,") != std::string::npos) << made.content;
  EXPECT_TRUE(mentions(made.notes, "compared with the model at load 50 N"));
  EXPECT_TRUE(mentions(made.losses, "no presliding"));
  EXPECT_TRUE(mentions(made.losses, "stribeck_velocity follows pressure by a polynomial; the table is for pressure 0"));
  EXPECT_FALSE(mentions(made.losses, "viscosity follows")) << "it is taken at each load";
  // The viscosity, 20 + 0.01 q² N s/m, lies under its chord by 0.01 (50/2)² = 6.25 N s/m in the middle: 1.25 N at 0.2 m/s.
  EXPECT_TRUE(mentions(made.notes, "halfway between two tables their mean is at most 1.3 N off")) << made.notes.back();
}
TEST(Formats, ATableWithoutForceIsRefused) {
  try {
    export_table(source_of("load-dependent", {{"presliding_length", 1e-5}, {"friction_coefficient", 0.2}}),
                 {.knots = 3});
    FAIL() << "refused nothing";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("axis.model.toml: friction is 0"), std::string::npos) << e.what();
  }
}

// Static friction that grows at rest: what breaks away after a minute is not what does after a second, and no memoryless export has both.
TEST(Formats, BreakawayThatAgesIsTold) {
  const Export made = export_modelica(source_of("hybrid-dwell", {{"coulomb_force", 10.0},
                                                                 {"stiction_force", 15.0},
                                                                 {"stribeck_velocity", 0.01},
                                                                 {"viscosity", 20.0},
                                                                 {"stiction_limit", 30.0},
                                                                 {"dwell_time", 10.0}}));
  EXPECT_TRUE(mentions(made.losses, "breakaway depends on how fast the force rises"));
  EXPECT_FALSE(mentions(export_modelica(stribeck_axis()).losses, "depends on how fast"));
}
// A level that jumps at the first motion is a peak in Modelica; a table over speed has no place for it.
TEST(Formats, ATableLosesThePeakAtRest) {
  const ExportSource source =
      source_of("coulomb-breakaway", {{"coulomb_force", 10.0}, {"viscosity", 20.0}, {"peak", 1.5}});
  EXPECT_TRUE(mentions(export_table(source).losses, "breaks away at 10.2 N instead of 15 N"));
  EXPECT_TRUE(mentions(export_drive(source).losses, "[table] breaks away at 10.2 N instead of 15 N"));
  EXPECT_FALSE(mentions(export_modelica(source).losses, "breaks away"));
}
TEST(Formats, ALostBreakawayBackwardIsTold) {
  const ParameterValues forward{
      {"coulomb_force", 10.0}, {"stiction_force", 15.0}, {"stribeck_velocity", 0.01}, {"viscosity", 20.0}};
  const ExportSource source = source_of("stribeck", forward, {{"stiction_force", 25.0}});
  EXPECT_TRUE(mentions(export_urdf(source).losses, "breaks away backward at 10.2 N instead of 25 N"));
  EXPECT_FALSE(mentions(export_modelica(source).losses, "backward"));
}

TEST(Formats, SimulinkFileRunsInOctave) {
  if (std::system("octave-cli --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "octave-cli is not installed (Debian's octave)";
  const auto folder = std::filesystem::temp_directory_path() / ("stickslip_octave_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  write_whole((folder / "axis_friction.m").string(), export_simulink(stribeck_axis()).content);
  write_whole((folder / "check.m").string(),
              "p = axis_friction();\nf = axis_friction([-0.1, 0, 0.002, 0.1]);\n"
              "expected = [-12, 0, 10 + 5*exp(-0.04) + 0.04, 12];\n"
              "if max(abs(f - expected)) > 0.06 || abs(p.parameters.coulomb_force - 10) > 0 || abs(p.breakaway_forward "
              "- 15) > 0.1\n"
              "  disp(f), disp(p), exit(1)\nend\nexit(0)\n");
  const int code =
      std::system(("cd " + folder.string() + " && octave-cli --no-gui --quiet check.m > messages 2>&1").c_str());
  EXPECT_EQ(code, 0) << read_whole((folder / "messages").string());
  std::filesystem::remove_all(folder);
}

TEST(Formats, NamesForProgramsHaveOnlyWhatCKnows) {
  EXPECT_EQ(program_name("out/my axis-2.model.toml"), "my_axis_2");
  EXPECT_EQ(program_name("2axis.toml"), "friction_2axis");
  EXPECT_EQ(program_name("-x.toml"), "friction__x");
  EXPECT_EQ(program_name(std::string(200, 'n') + ".model.toml"), std::string(48, 'n'));
}
// What a file's name may contain and a language's comment, text or name may not.
TEST(Formats, NamesOfFilesDoNotBreakTheFormats) {
  ExportSource source = source_of("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 20.0}});
  source.file = "a---b\"c\\d-.model.toml";
  for (const Export& made : {export_mjcf(source, {.mass = 1}), export_urdf(source), export_sdf(source)}) {
    const std::size_t start = made.content.find("<!--"), end = made.content.find("-->");
    ASSERT_LT(start, end);
    const std::string inside = made.content.substr(start + 4, end - start - 4);
    EXPECT_EQ(inside.find("--"), std::string::npos) << inside;
    EXPECT_NE(inside.find("a- - -b"), std::string::npos) << inside;
    EXPECT_FALSE(inside.ends_with('-')) << inside;
  }
  const std::string text = export_modelica(source).content;
  EXPECT_TRUE(text.starts_with("package axis \"Friction of a---b\\\"c\\\\d-.model.toml, made")) << text.substr(0, 80);
  source.name = "model";
  const Export modelica = export_modelica(source);
  EXPECT_TRUE(modelica.content.starts_with("package friction_model "));
  EXPECT_TRUE(modelica.content.ends_with("end friction_model;\n"));
  EXPECT_TRUE(mentions(modelica.notes, "connect friction_model.Friction"));
}
// A sliding joint of URDF needs limits, a turning one none.
TEST(Formats, UrdfOfASlideHasLimits) {
  ExportSource source = source_of("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 20.0}});
  EXPECT_NE(export_urdf(source).content.find("<limit lower=\"-1\" upper=\"1\" effort="), std::string::npos);
  EXPECT_TRUE(mentions(export_urdf(source).notes, "and the limits are placeholders"));
  source.motion = MotionKind::rotary;
  EXPECT_EQ(export_urdf(source).content.find("<limit"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::formats_test
