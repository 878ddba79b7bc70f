/// The controller as C computes what ServoController computes; see compensate/control_header.hpp.
#include "compensate/control_header.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "files/whole_file.hpp"
#include "machines/machine.hpp"

namespace stickslip::control_header_test {
namespace {

ModelFile model_of(const std::string& name, ParameterValues values) {
  ModelFile m;
  m.file = name + ".model.toml";
  m.model = name;
  m.settings.values = std::move(values);
  return m;
}
const std::vector<ModelFile>& models() {
  static const std::vector<ModelFile> all{
      model_of("lugre", {{"bristle_stiffness", 1.5e6},
                         {"bristle_damping", 1200.0},
                         {"viscosity", 120.0},
                         {"coulomb_force", 20.0},
                         {"stiction_force", 30.0},
                         {"stribeck_velocity", 8e-3}}),
      model_of("stribeck",
               {{"coulomb_force", 20.0}, {"stiction_force", 30.0}, {"stribeck_velocity", 8e-3}, {"viscosity", 120.0}})};
  return all;
}
AxisPlan plan_of(const ModelFile& model) {
  AxisNumbers n;
  n.mass = 20;
  n.sampling_time = 1e-3;
  n.resolution = 1e-7;
  return plan_from_mass(model, n);
}
ExportSource source_of(const ModelFile& model) {
  return {.file = model.file, .title = "", .name = model.model, .friction = make_friction(model.model, model.settings)};
}

// Every part of the controller, in all builds, with all warnings: the self-test's numbers are the library's.
TEST(ControlHeader, ComputesWhatTheControllerComputes) {
  const auto folder = std::filesystem::temp_directory_path() / ("stickslip_control_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const ModelFile& model : models())
    for (const int way : {0, 1, 2}) {
      const AxisPlan plan = plan_of(model);
      const std::shared_ptr<const Friction> known = make_friction(model.model, model.settings);
      Rival rival;
      rival.name = "a rival";
      rival.axis = plan.axis;
      ServoGains& g = rival.axis.gains;
      g.follows_velocity = true;
      g.carried_mass = 20;
      g.lead = 1.5e-3;
      const bool is_ideal = model.model == "stribeck";
      if (way == 0)
        rival.axis.feedforward = FrictionKnowledge{known, 0.9, is_ideal ? 3e-5 : 0.0}, g.integral = plan.integral,
        g.dead_zone = 1e-5, g.limit = 150;
      if (way == 1)
        rival.axis.observer = FrictionKnowledge{known, 1, is_ideal ? 3e-5 : 0.0}, g.correction = 20, g.difference = 3;
      if (way == 2) g.dither_amplitude = 10, g.dither_frequency = 125;
      write_whole((folder / "control.h").string(), control_header(source_of(model), plan, rival).content);
      write_whole((folder / "check.c").string(), "#include \"control.h\"\nint main(void) { return " + model.model +
                                                     "_control_selftest() + " + model.model + "_selftest(); }\n");
      // Each way in C99; float and C++ once for each law.
      std::vector<std::string> compilers{"cc -std=c99"};
      if (way == 0) compilers.push_back("cc -std=c99 -DSTICKSLIP_REAL=float");
      if (way == 1) compilers.push_back("c++ -std=c++11 -x c++");
      for (const std::string& compiler : compilers) {
        const std::string build = "cd " + folder.string() + " && " + compiler +
                                  " -Wall -Wextra -Wpedantic -Wconversion -Werror check.c -o check -lm 2> messages";
        ASSERT_EQ(std::system(build.c_str()), 0) << read_whole((folder / "messages").string()).substr(0, 2000);
        EXPECT_EQ(std::system(("cd " + folder.string() + " && ./check").c_str()), 0)
            << model.model << " " << way << " " << compiler;
      }
    }
  std::filesystem::remove_all(folder);
}

// A wrong gain is noticed by the self-test: it is not one that always passes.
TEST(ControlHeader, SelfTestNoticesAWrongSign) {
  const ModelFile& model = models().front();
  const AxisPlan plan = plan_of(model);
  Rival rival;
  rival.axis = plan.axis;
  rival.axis.gains.follows_velocity = true;
  std::string text = control_header(source_of(model), plan, rival).content;
  const std::string right = "c->derivative * (wanted - measured)";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(), "c->derivative * (measured - wanted)");
  const auto folder = std::filesystem::temp_directory_path() / ("stickslip_wrong_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  write_whole((folder / "control.h").string(), text);
  write_whole((folder / "check.c").string(),
              "#include \"control.h\"\nint main(void) { return lugre_control_selftest() > 0 ? 0 : 1; }\n");
  EXPECT_EQ(std::system(("cd " + folder.string() + " && cc -std=c99 check.c -o check -lm && ./check").c_str()), 0);
  std::filesystem::remove_all(folder);
}

// The machine file that is written is the axis that was run.
TEST(AxisPlan, TextRepeatsTheRun) {
  for (const ModelFile& model : models()) {
    AxisPlan plan = plan_of(model);
    plan.duration = 1;
    ServoAxis axis = plan.axis;
    axis.gains.follows_velocity = true;
    axis.gains.carried_mass = 20;
    axis.gains.lead = axis.delay;
    axis.gains.integral = plan.integral;
    axis.gains.dead_zone = 2e-6;
    axis.feedforward =
        FrictionKnowledge{make_friction(model.model, model.settings), 0.95, model.model == "stribeck" ? 1e-5 : 0.0};
    axis.observer =
        FrictionKnowledge{make_friction(model.model, model.settings), 0.1, model.model == "stribeck" ? 1e-5 : 0.0};
    axis.gains.dither_amplitude = 1, axis.gains.dither_frequency = 125;
    const Machine again = parse_machine_text(servo_axis_text(plan, axis, "again \"quoted\""), "again.toml");
    SimulationOptions options;
    options.end = 1;
    const auto one = servo_axis_motion(axis, options), other = again.motion();
    ASSERT_EQ(one->advance(1), Stop::finished);
    ASSERT_EQ(other->advance(1), Stop::finished);
    for (std::size_t i = 0; i < one->outputs().size(); ++i)
      EXPECT_EQ(one->output(i), other->output(i)) << one->outputs()[i].name;
  }
}

// The numbers of the design rule: θ = 0.5 + 0.5 + 0.5 ms.
TEST(AxisPlan, GainsFollowFromTheDeadTime) {
  const AxisPlan plan = plan_of(models().front());
  EXPECT_NEAR(dead_time(plan.axis), 1.5e-3, 1e-12);
  EXPECT_NEAR(plan.axis.gains.derivative, 0.4 * 20 / 1.5e-3, 1e-6);
  EXPECT_LT(spectral_radius(plan.axis, {.stiffness = 0, .damping = 0, .viscosity = 0, .follows = 0, .relaxes = 0}), 1);
}

// Feed-forward of the right model: reversals cost a small part of what they cost without, and the axis rests.
TEST(Rivals, FeedforwardOfTheRightModelWins) {
  AxisPlan plan = plan_of(models().front());
  const RivalResults found = compare_rivals(plan, plan.axis.friction, {.threads = 1, .watch = nullptr});
  const auto named = [&](const std::string& name) -> const Rival& {
    for (const Rival& r : found.rivals)
      if (r.name == name) return r;
    return found.rivals.front();
  };
  EXPECT_LT(named("feed-forward").tracking.at_reversal, 0.2 * named("none").tracking.at_reversal);
  EXPECT_FALSE(found.rivals[found.best].rest.hunts);
  EXPECT_LT(found.rivals[found.best].tracking.at_reversal, 0.2 * named("none").tracking.at_reversal);
}

}  // namespace
}  // namespace stickslip::control_header_test
