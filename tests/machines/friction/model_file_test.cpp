/// Model files: written and read back the same, usable in place of any friction table, every error with its line.
#include "machines/friction/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "check/reference_sets.hpp"
#include "cli/program.hpp"
#include "core/error.hpp"
#include "files/whole_file.hpp"
#include "machines/cylinder/cylinder_file.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/one_body/one_body_file.hpp"

namespace stickslip::model_file_test {
namespace {

template <class Work>
std::string complaint(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}
std::string complaint_on(const std::string& text) {
  return complaint([&] { parse_model_file(text, "m.toml"); });
}

void expect_same(const FrictionSettings& a, const FrictionSettings& b) {
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.backward, b.backward);
  ASSERT_EQ(a.variations.size(), b.variations.size());
  for (std::size_t i = 0; i < a.variations.size(); ++i) {
    EXPECT_EQ(a.variations[i].key, b.variations[i].key);
    EXPECT_EQ(a.variations[i].over, b.variations[i].over);
    EXPECT_EQ(a.variations[i].polynomial, b.variations[i].polynomial);
    EXPECT_EQ(a.variations[i].knots, b.variations[i].knots);
    EXPECT_EQ(a.variations[i].values, b.variations[i].values);
    EXPECT_EQ(a.variations[i].reference, b.variations[i].reference);
  }
}

/// Digits that need an exact round trip.
ModelFile full_file(MotionKind motion) {
  ModelFile m;
  m.title = "Axis \"7\" \\ line\nbreak, µ";
  m.label = "lugre per direction";
  m.motion = motion;
  m.model = "lugre";
  m.settings.values = {{"bristle_stiffness", 1.2e5 / 3}, {"bristle_damping", std::sqrt(1e5)},
                       {"viscosity", 0.1 + 0.2},         {"coulomb_force", 1.0 / 3},
                       {"stiction_force", 2.0 / 3},      {"stribeck_velocity", 1e-3 / 7}};
  m.settings.backward = {{"coulomb_force", 1.0 / 7}, {"stiction_force", 5.0 / 7}};
  m.settings.variations = {{"viscosity", Quantity::load, {0, 1.0 / 9, 1e-7 / 3}, {}, {}},
                           {"coulomb_force", Quantity::position, {}, {-0.1, 1.0 / 30}, {1.0 / 3, 0.4}}};
  m.measurement = {-3.1 / 7, 3e-4 / 7, 1e-5 / 3};
  m.uncertainty = {{"coulomb_force", 0.01 / 3, 0.3, 0.36, "well determined", ""},
                   {"backward.stiction_force", INFINITY, -INFINITY, INFINITY, "not separable", "coulomb_force"},
                   {"offset", 1e-3 / 7, -0.5, -0.4, "weak", ""}};
  m.quality = {{"estimation", 0.24 / 7, 0.1 / 3, 0.01 / 3}, {"test", 1.0 / 3, 0.7, 0.1}};
  m.recording = "axis 7.csv";
  m.fingerprint = "crc32 0f3a99c1, 8892 bytes";
  m.reading.columns.position = "q [mm]";
  m.reading.gains.force = "35.15065 N/V";
  m.preparation.cutoff_hz = 50.0 / 3;
  m.preparation.mass = 95.1089;
  m.preparation.find_lag = true;
  m.preparation.force_drives = true;
  m.program = "stickslip 0.1.0";
  m.command = "stickslip identify 'axis 7.csv' --mass '95.1089 kg'";
  m.seed = 18446744073709551615u;
  m.split = "first 50 %";
  m.steps = {"low-pass 50 Hz", "differences"};
  m.remarks = {"stiffness 3 is negative"};
  return m;
}

TEST(ModelFile, IsReadBackBitForBit) {
  for (const MotionKind motion : {MotionKind::linear, MotionKind::rotary}) {
    const ModelFile m = full_file(motion);
    const std::string text = model_file_text(m);
    const ModelFile r = parse_model_file(text, "m.toml");
    EXPECT_EQ(model_file_text(r), text);
    EXPECT_EQ(r.title, m.title);
    EXPECT_EQ(r.label, m.label);
    EXPECT_EQ(r.motion, m.motion);
    EXPECT_EQ(r.model, m.model);
    // a parameter that follows a table has the table's first value
    expect_same(r.settings, m.settings);
    EXPECT_EQ(r.measurement.offset, m.measurement.offset);
    EXPECT_EQ(r.measurement.lag, m.measurement.lag);
    EXPECT_EQ(r.measurement.backlash, m.measurement.backlash);
    ASSERT_EQ(r.uncertainty.size(), 3u);
    EXPECT_EQ(r.uncertainty[0].standard_error, m.uncertainty[0].standard_error);
    EXPECT_EQ(r.uncertainty[1].high, INFINITY);
    EXPECT_EQ(r.uncertainty[1].partner, "coulomb_force");
    ASSERT_EQ(r.quality.size(), 2u);
    EXPECT_EQ(r.quality[0].noe, m.quality[0].noe);
    EXPECT_EQ(r.quality[1].rms, m.quality[1].rms);
    EXPECT_EQ(r.reading.columns.position, m.reading.columns.position);
    EXPECT_EQ(r.reading.gains.force, m.reading.gains.force);
    EXPECT_EQ(r.preparation.cutoff_hz, m.preparation.cutoff_hz);
    EXPECT_EQ(r.preparation.mass, m.preparation.mass);
    EXPECT_TRUE(r.preparation.find_lag);
    EXPECT_TRUE(r.preparation.force_drives);
    EXPECT_EQ(r.command, m.command);
    EXPECT_EQ(r.seed, m.seed);
    EXPECT_EQ(r.steps, m.steps);
    EXPECT_EQ(r.remarks, m.remarks);
  }
}

TEST(ModelFile, EveryModelIsReadBackBitForBit) {
  for (const auto* model : registered_models()) {
    ModelFile m;
    m.model = model->description().name;
    m.settings.values = reference_values(model->description());
    const ModelFile r = parse_model_file(model_file_text(m), "m.toml");
    const auto was = model->make(m.settings), is = model->make(r.settings);
    for (const auto& p : model->description().parameters) {
      if (p.kind == ParameterKind::number) {
        EXPECT_EQ(was->parameter(p.key), is->parameter(p.key)) << m.model << p.key;
      }
    }
    EXPECT_EQ(model_file_text(r), model_file_text(m));
  }
}

TEST(ModelFile, AFactorCommonToAListJoinsItsValues) {
  ModelFile m;
  m.model = "maxwell-slip";
  m.settings.values = {{"thresholds", std::vector{1e-6, 2e-6}}, {"stiffnesses", std::vector{1e5, 2e5}}};
  m.settings.variations = {{"stiffnesses", Quantity::load, {0.5, 0.25}, {}, {}}};
  const ModelFile r = parse_model_file(model_file_text(m), "m.toml");
  const PrescribedMotion motion{{0, 1, 2, 3}, {0, 1e-6, 3e-6, 2e-6}, {1, 2, 3, 4}, {}};
  EXPECT_EQ(make_friction(r.model, r.settings)->respond(motion), make_friction(m.model, m.settings)->respond(motion));
}

TEST(ModelFile, ComplaintsNameTheLine) {
  EXPECT_EQ(complaint_on("titel = \"x\"\n"), "m.toml:1: unknown key 'titel' in the file; did you mean 'title'");
  EXPECT_EQ(complaint_on("title = \"x\"\n"), "m.toml: there is no [friction]");
  const std::string friction = "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n";
  EXPECT_EQ(complaint_on("[friction]\nmodel = \"lugr\"\n"), "m.toml:2: no friction model 'lugr'; did you mean 'lugre'");
  EXPECT_EQ(complaint_on(friction + "[quality]\ntest = { noe = \"x\" }\n"),
            "m.toml:5: noe is a text; a number is needed [%]");
  EXPECT_EQ(complaint_on(friction + "[quality]\ntset = { noe = 1 }\n"),
            "m.toml:5: unknown key 'tset' in [quality]; did you mean 'test'");
  EXPECT_EQ(complaint_on(friction + "[uncertainty]\ncoulomb_force = { low = \"1 m\" }\n"),
            "m.toml:5: low: '1 m' is a length [m]; a force [N] is needed");
  EXPECT_EQ(complaint_on(friction + "[provenance]\nseed = -1\n"),
            "m.toml:5: seed must be a whole number, zero or positive");
  EXPECT_EQ(complaint_on(friction + "[provenance]\nsteps = \"x\"\n"), "m.toml:5: steps must be a list of texts");
  EXPECT_EQ(complaint_on(friction + "[friction.start]\nz = 1\n"),
            "m.toml:4: states at the start belong to a scenario, not to a model");
}

const std::string machine = R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "ramp"
rate = "1 N/s"
[run]
duration = "3 s"
sample_interval = "0.1 s"
)";

// The backlash of asymmetric-maxwell-slip was called gap.
TEST(ModelFile, AParameterIsReadUnderItsFormerName) {
  ModelFile m;
  m.model = "asymmetric-maxwell-slip";
  m.settings.values = {
      {"thresholds", std::vector<double>{1e-5}}, {"stiffnesses", std::vector<double>{3e4}}, {"backlash", 4e-3}};
  m.uncertainty = {{"backlash", 1e-4, 3.8e-3, 4.2e-3, "well determined", ""}};
  const std::string now = model_file_text(m);
  std::string before = now;
  for (std::size_t at = 0; (at = before.find("backlash =", at)) != std::string::npos;) before.replace(at, 10, "gap =");
  EXPECT_NE(before.find("gap = \""), std::string::npos) << before;
  EXPECT_EQ(model_file_text(parse_model_file(before, "m.toml")), now);
  std::string twice = now;
  twice.insert(twice.find("backlash ="), "gap = \"1 mm\"\n");
  EXPECT_NE(complaint_on(twice).find("gap is the former name of backlash; give one of them"), std::string::npos)
      << complaint_on(twice);
}

TEST(ModelFile, ServesAsTheFrictionOfAScenario) {
  const Folder folder;
  folder.write("axis.model.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n");
  folder.write("s.toml", machine + "[friction]\nfile = \"axis.model.toml\"\n");
  const Scenario scenario = read_scenario((folder / "s.toml").string());
  EXPECT_EQ(scenario.friction->parameter("coulomb_force"), 1);
  const auto run = run_scenario(scenario);
  ASSERT_FALSE(run.events.empty());
  EXPECT_NEAR(run.events.back().time, 1, 1e-9);  // breaks loose at 1 N
}

TEST(ModelFile, ProblemsInAScenarioNameBothPlaces) {
  const Folder folder;
  folder.write("wrong.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"-1 N\"\n");
  folder.write("about.toml", "motion = \"rotary\"\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N m\"\n");
  const auto complains = [&](const std::string& friction) {
    folder.write("s.toml", machine + "[friction]\n" + friction);
    std::string said = complaint([&] { read_scenario((folder / "s.toml").string()); });
    const std::string place = folder.path().string() + "/";
    for (auto at = said.find(place); at != std::string::npos; at = said.find(place)) said.erase(at, place.size());
    return said;
  };
  EXPECT_EQ(complains("file = \"none.toml\"\n"), "s.toml:11: cannot read 'none.toml': No such file or directory");
  EXPECT_EQ(complains("file = \"wrong.toml\"\n"),
            "s.toml:11: wrong.toml:3: coulomb: coulomb_force is -1 N; it must be positive");
  EXPECT_EQ(complains("file = \"about.toml\"\n"),
            "s.toml:11: 'about.toml' is a model of rotary motion; this machine's is linear");
  EXPECT_EQ(complains("file = \"about.toml\"\nmodel = \"coulomb\"\n"),
            "s.toml:12: the model and its values come from the model file; leave out model, or leave out file and copy "
            "the values");
}

TEST(ModelFile, IsToldFromAMachine) {
  EXPECT_TRUE(is_model_file("[friction]\nmodel = \"coulomb\"\n", "m.toml"));
  EXPECT_FALSE(is_model_file(machine, "m.toml"));
}

TEST(ModelFile, LawsOverTemperatureAreReadBackBitForBit) {
  ModelFile m;
  m.model = "coulomb-viscous";
  m.settings.values = {{"coulomb_force", 20.0}, {"viscosity", 12.0}};
  m.settings.variations = {{"coulomb_force", Quantity::temperature, {0, -0.1, 1e-3 / 3}, {}, {}, 293.15},
                           {"viscosity", Quantity::temperature, {}, {1000.0 / 3, 350}, {12, 7}}};
  const std::string text = model_file_text(m);
  EXPECT_NE(text.find("over = \"temperature\", reference = \"20 degC\", polynomial = [\"-0.1 N/K\","),
            std::string::npos)
      << text;
  const ModelFile r = parse_model_file(text, "m.toml");
  EXPECT_EQ(model_file_text(r), text);
  expect_same(r.settings, m.settings);
  m.settings.variations = {{"coulomb_force", Quantity::position, {0, 3}, {}, {}, 1.0 / 3}};  // any quantity has one
  expect_same(parse_model_file(model_file_text(m), "m.toml").settings, m.settings);
}

// A law of both directions is written once, with what the directions have: read back, the force is the same. The constant of the
// polynomial joined only the forward value.
TEST(ModelFile, ALawOfBothDirectionsIsTheSameAfterReading) {
  ModelFile file;
  file.model = "coulomb-viscous";
  file.settings.values = {{"coulomb_force", 2.0}, {"viscosity", 30.0}};
  file.settings.backward = {{"coulomb_force", 3.0}, {"viscosity", 50.0}};
  file.settings.variations = {{"coulomb_force", Quantity::load, {-1.5, 0.1, 1e-3}, {}, {}},
                              {"viscosity", Quantity::temperature, {10, -0.5}, {}, {}, 303.15}};
  const ModelFile again = parse_model_file(model_file_text(file), "m.toml");
  PrescribedMotion motion;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.01 * i;
    motion.time.push_back(t), motion.position.push_back(0.01 * std::sin(9 * t));
    motion.load.push_back(15 + 10 * std::sin(2 * t)), motion.pressure.push_back(0);
    motion.temperature.push_back(300 + 5 * t);
  }
  const auto made = [](const ModelFile& f) { return find_model(f.model).make(f.settings); };
  const auto force = made(file)->respond(motion), read = made(again)->respond(motion);
  for (std::size_t i = 0; i < force.size(); ++i) EXPECT_NEAR(read[i], force[i], 1e-12) << i;
}

}  // namespace
}  // namespace stickslip::model_file_test
