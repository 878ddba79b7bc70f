#include "experiments/modelica.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"
#include "support/places.hpp"

namespace stickslip::modelica_test {
namespace {

// Beside the nine of the shared folder, others where STICKSLIP_MODELICA has a folder with published results.
const std::string published =
    std::getenv("STICKSLIP_MODELICA") ? std::getenv("STICKSLIP_MODELICA") : shared_dir() + "/data/modelica";

class Modelica : public ::testing::TestWithParam<ReferenceExample> {};

TEST_P(Modelica, AgreesWithThePublishedResult) {
  if (reference_file(GetParam(), published).empty()) GTEST_SKIP() << "no published result in " << published;
  Progress progress("test");
  const Reproduction found = compare_with_reference(GetParam(), published, progress);
  for (const ComparedRow& row : found.rows) EXPECT_TRUE(row.ok()) << row.quantity << ": " << row.ours;
  for (const std::string& remark : found.remarks) std::cout << remark << "\n";
}
INSTANTIATE_TEST_SUITE_P(Examples, Modelica, ::testing::ValuesIn(modelica_examples()),
                         [](const auto& info) { return info.param.file; });

/// Our own run of the brake as a reference, one of its numbers changed by `spoil`.
std::string own_reference(const std::function<void(std::string& column, double t, double& value)>& spoil) {
  const std::string folder = ::testing::TempDir() + "/modelica_reference";
  std::filesystem::create_directories(folder);
  const MachineRun run =
      parse_machine_text(modelica_machine("TranslationalBrake.toml"), "TranslationalBrake.toml").run();
  std::ofstream file(folder + "/TranslationalBrake.csv");
  std::vector<std::string> names{"time", "mass1.s", "mass1.v", "mass2.s", "mass2.v", "brake.mode", "brake1.mode"};
  for (std::size_t i = 0; i < names.size(); ++i) file << (i ? "," : "") << "\"" << names[i] << "\"";
  file << "\n";
  const auto column = [&](const char* name) { return find_column(run.samples, name)->values; };
  const auto t = column("time"), s = column("mass1_position"), v = column("mass1_speed");
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double mode = t[i] < 0.1 - 1e-9 ? 2 : v[i] > 1e-9 ? 1 : 0;
    const double row[] = {t[i], s[i], v[i], s[i], v[i], mode, mode};
    for (std::size_t k = 0; k < names.size(); ++k) {
      double value = row[k];
      spoil(names[k], t[i], value);
      file << (k ? "," : "") << shortest(value);
    }
    file << "\n";
  }
  return folder;
}
Reproduction against(const std::string& folder) {
  Progress progress("test");
  for (const ReferenceExample& e : modelica_examples())
    if (e.file == "TranslationalBrake") return compare_with_reference(e, folder, progress);
  return {};
}
std::vector<std::string> off(const Reproduction& found) {
  std::vector<std::string> names;
  for (const ComparedRow& row : found.rows)
    if (!row.ok()) names.push_back(row.quantity.substr(0, row.quantity.find(',')));
  return names;
}

// What the machine files say can be run without any published result, and the columns are there.
TEST_P(Modelica, RunsAndHasItsColumns) {
  const std::string file = GetParam().file + ".toml";
  const MachineRun run = parse_machine_text(modelica_machine(file), file).run();
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  for (const ReferenceSignal& s : GetParam().signals)
    for (const auto& [factor, name] : s.ours) EXPECT_TRUE(find_column(run.samples, name)) << name;
  for (const ReferenceMode& m : GetParam().modes) EXPECT_TRUE(find_column(run.samples, m.joint + "_motion")) << m.joint;
}

// A folder may hold the results as this project calls them, or as they are published.
TEST(ModelicaComparison, FindsAResultWhereItIsPublished) {
  const std::string folder = ::testing::TempDir() + "/modelica_published", name = "ModelicaTest/Rotational/TestSpeed";
  std::filesystem::create_directories(folder + "/" + name);
  std::ofstream(folder + "/" + name + "/TestSpeed.csv") << "\"time\"\n";
  for (const ReferenceExample& e : modelica_examples()) {
    const std::string found = reference_file(e, folder);
    EXPECT_EQ(found.empty(), e.file != "PrescribedSpeeds") << e.file << ": " << found;
  }
}

TEST(ModelicaComparison, NoticesASignalAndAModeThatDiffer) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(off(against(own_reference([](std::string&, double, double&) {}))), Names{});
  EXPECT_EQ(off(against(own_reference([](std::string& name, double t, double& value) {
              if (name == "mass1.v" && t > 0.5 && t < 0.501) value += 3e-5;
            }))),
            Names{"mass1.v"});
  EXPECT_EQ(off(against(own_reference([](std::string& name, double t, double& value) {
              if (name == "brake.mode" && t > 0.5 && t < 0.6) value = 0;
            }))),
            Names{"brake.mode"});
  EXPECT_EQ(off(against(own_reference([](std::string& name, double t, double& value) {
              if (name == "brake1.mode" && t >= 0.1 - 1e-9 && t < 0.1018) value = 2;
            }))),
            Names{"brake1.mode"});
}

TEST(ModelicaComparison, RefusesWhatIsNoReference) {
  const auto message = [](const std::string& folder) {
    try {
      against(folder);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message("/no/such/folder").find("/no/such/folder/TranslationalBrake.csv"), std::string::npos);
  const std::string folder = ::testing::TempDir() + "/modelica_broken";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& text) { std::ofstream(folder + "/TranslationalBrake.csv") << text; };
  write("\"t\",\"x\"\n0,1\n");
  EXPECT_NE(message(folder).find("TranslationalBrake.csv:1: the first column is 't'; it must be time"),
            std::string::npos);
  write("\"time\",\"x\"\n0,1\n1,one\n");
  EXPECT_NE(message(folder).find("TranslationalBrake.csv:3: 'one' is not a number"), std::string::npos);
  write("\"time\",\"x\"\n0,1\n1\n");
  EXPECT_NE(message(folder).find("TranslationalBrake.csv:3: 1 cells; the heading has 2"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::modelica_test
