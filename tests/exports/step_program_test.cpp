#include "exports/step_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text.hpp"
#include "exports/random_steps.hpp"

namespace stickslip::step_program_test {
namespace {

using namespace random_models;

constexpr double h = grid_step;

struct Compared {
  double worst = 0, largest = 0;
  std::size_t at = 0;
};
Compared compare_with_library(const Friction& friction, const StepProgram& program, Random& random, std::size_t steps) {
  const double length = program.fixed_duration > 0 ? program.fixed_duration : h;
  const auto stepper = friction.fixed_stepper(2.5, 0, 0);
  StepRunner runner(program, 2.5);
  Compared c;
  std::size_t i = 0;
  for (const double v : random_velocities(random, steps, length, size_factor(friction))) {
    const double theirs = stepper->follow(v, length), ours = runner.step(v, length);
    c.largest = std::fmax(c.largest, std::fabs(theirs));
    if (!(std::fabs(ours - theirs) <= c.worst)) c.worst = std::fabs(ours - theirs), c.at = i;
    ++i;
  }
  return c;
}

// The recorded step is the library's own fixed step: nothing was typed a second time, so only rounding may differ.
TEST(StepProgram, IsTheLibrarysFixedStepForEveryLaw) {
  Random random(7);
  std::vector<std::string> refused;
  for (const RegisteredModel* model : registered_models())
    for (int draw_number = 0; draw_number < 4; ++draw_number) {
      const auto friction = model->make({draw(random, *model), {}, {}});
      const TracedStep made = trace_step(*friction);
      const std::string name = model->description().name;
      if (!made.program) {
        if (refused.empty() || refused.back() != name) refused.push_back(name);
        continue;
      }
      made.program->passes = 4000;  // its loops are bounded by export_c, which looks how many are needed
      const Compared c = compare_with_library(*friction, *made.program, random, 3000);
      EXPECT_LE(c.worst, 1e-12 * c.largest) << name << " draw " << draw_number << " step " << c.at;
    }
  EXPECT_EQ(refused, (std::vector<std::string>{"leuven", "hybrid-preisach"}));
}

int draws_asked() {
  const char* asked = std::getenv("STICKSLIP_CASES");
  return asked ? std::clamp(std::atoi(asked) / 200, 10, 500) : 20;
}

std::string text_of(const ParameterValues& values) {
  std::string text;
  for (const auto& [key, value] : values)
    if (const auto* number = std::get_if<double>(&value)) text += ", " + key + " = " + shortest(*number);
  return text;
}

// Rounding to 24 bits, over many draws of the parameters and many motions, and over a long one, against the library with the same rounded
// parameters and velocities. Before states kept their rests a film was off by up to 9e-3, and elastoplastic did not converge where the
// stiction force is below the Coulomb force.
TEST(StepProgram, InFloatIsWithinOnePartIn100000OfItsTerms) {
  const int draws = draws_asked();
  for (const RegisteredModel* model : registered_models()) {
    const std::string& name = model->description().name;
    if (name.starts_with("bristle")) continue;  // the next test
    for (int number = 0; number < draws; ++number) {
      Random random(7919 * static_cast<std::uint64_t>(number + 1));
      const ParameterValues values = with(as_floats(draw(random, *model)), "sampling_time", h);
      const auto friction = model->make({values, {}, {}});
      const TracedStep made = trace_step(*friction);
      if (!made.program) break;
      made.program->passes = 500;
      const std::size_t steps = number == 0 ? std::size_t(200 * draws) : 1500;
      const auto velocities = as_floats(random_velocities(random, steps, h, size_factor(*friction)));
      const auto stepper = friction->fixed_stepper(2.5, 0, 0);
      StepRunner single(*made.program, 2.5, true);
      double worst = 0, largest = size_of_terms(values, velocities);
      std::size_t i = 0, at = 0;
      for (const double v : velocities) {
        const double theirs = stepper->follow(v, h), off = std::fabs(single.step(v, h) - theirs);
        largest = std::fmax(largest, std::fabs(theirs));
        if (!(off <= worst)) worst = off, at = i;
        ++i;
      }
      EXPECT_LE(worst, 1e-5 * largest) << name << ", draw " << number << ", step " << at << text_of(values) << " v "
                                       << velocities[at] << " " << velocities[at - 1];
    }
  }
}

// Steps below half of the last digit of a state in float add up: 20 000 of 1.5e-12 m on a deflection of 5e-5 m.
TEST(StepProgram, InFloatShortStepsAddUp) {
  const auto friction = make_friction(
      "lugre",
      {{"bristle_stiffness", 1e5}, {"coulomb_force", 10.0}, {"stiction_force", 10.0}, {"stribeck_velocity", 0.01}});
  const TracedStep made = trace_step(*friction);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  StepRunner single(*made.program, 1, true);
  const double fast = double(0.05f), slow = double(1.5e-9f);
  stepper->follow(fast, h), single.step(fast, h);
  double theirs = 0, ours = 0;
  for (int i = 0; i < 20000; ++i) theirs = stepper->follow(slow, h), ours = single.step(slow, h);
  EXPECT_NEAR(ours, theirs, 1e-5 * 10);
}

// Laws with teeth are functions of the position, and a float has 24 bits of it: the force is the library's at a position that is off by at
// most four of its last digits. Between teeth that is a small part of the force; next to an edge it may be the force on the other side.
TEST(StepProgram, InFloatTeethAreWhereThePositionsDigitsAllow) {
  const int draws = draws_asked();
  std::size_t steps = 0, at_edges = 0;
  for (const RegisteredModel* model : registered_models()) {
    const std::string& name = model->description().name;
    if (!name.starts_with("bristle")) continue;
    for (int number = 0; number < draws; ++number) {
      Random random(7919 * static_cast<std::uint64_t>(number + 1));
      const ParameterValues values = as_floats(draw(random, *model));
      const auto friction = model->make({values, {}, {}});
      const TracedStep made = trace_step(*friction);
      const auto velocities = as_floats(random_velocities(random, 1500, h, size_factor(*friction)));
      double position = 0, furthest = number_of(values, "body_width");  // the edges of `bristle` are half of it away
      for (const double v : velocities) furthest = std::fmax(furthest, std::fabs(position += h * v));
      const double digits = std::ldexp(furthest, -22);
      const auto stepper = friction->fixed_stepper(2.5, 0, 0), before = friction->fixed_stepper(2.5, -digits, 0),
                 after = friction->fixed_stepper(2.5, digits, 0);
      StepRunner single(*made.program, 2.5, true);
      double largest = 0, worst = 0, between_edges = 0;  // by which the digits change the force there
      for (const double v : velocities) {
        const double ours = single.step(v, h), theirs = stepper->follow(v, h);
        const auto [low, high] = std::minmax({theirs, before->follow(v, h), after->follow(v, h)});
        largest = std::fmax(largest, std::fabs(theirs));
        worst = std::fmax(worst, std::fmax(low - ours, ours - high));
        if (high - low < 0.01 * largest) between_edges = std::fmax(between_edges, high - low);
        ++steps, at_edges += std::fabs(ours - theirs) > 0.01 * largest ? 1 : 0;
      }
      // Of `bristle` only the steps next to edges are counted: places of its bristles are sums of rounded constants.
      const double allowed = name == "bristle" ? HUGE_VAL : 1e-5 * largest + between_edges;
      EXPECT_LE(worst, allowed) << name << ", draw " << number;
    }
  }
  EXPECT_LT(double(at_edges), 1e-3 * double(steps));
  RecordProperty("steps_on_the_other_side_of_an_edge", std::to_string(at_edges) + " of " + std::to_string(steps));
}

// A level per direction and one that follows the load are recorded with the law.
TEST(StepProgram, CarriesDirectionAndLoad) {
  const auto friction = make_friction(
      "lugre",
      {{"bristle_stiffness", 1e5},
       {"bristle_damping", 100.0},
       {"viscosity", 5.0},
       {"coulomb_force", 10.0},
       {"stiction_force", 15.0},
       {"stribeck_velocity", 0.01}},
      {{"coulomb_force", 12.0}},
      {{.key = "stiction_force", .over = Quantity::load, .polynomial = {0, 0.1}, .knots = {}, .values = {}}});
  const TracedStep made = trace_step(*friction);
  ASSERT_TRUE(made.program) << made.refusal;
  EXPECT_TRUE(made.program->needs_load);
  EXPECT_FALSE(made.program->needs_position);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  StepRunner runner(*made.program, 1);
  Random random(5);
  double load = 0;
  for (const double v : random_velocities(random, 500, h)) {
    load += 0.01;
    stepper->set_load(load);
    runner.set_load(load);
    ASSERT_NEAR(runner.step(v, h), stepper->follow(v, h), 1e-11);
  }
}

// What takes no part in the force is no state of the exported law: a sticking law has none at all, a Maxwell-slip element only
// its deflection and what rounding dropped of it.
TEST(StepProgram, KeepsOnlyStatesThatMatter) {
  const auto used = [](const Friction& friction) {
    std::vector<std::string> names;
    const TracedStep made = trace_step(friction);
    for (const StepState& s : made.program->states)
      if (s.is_used) names.push_back(s.name);
    return names;
  };
  EXPECT_TRUE(used(*make_friction("coulomb", {{"coulomb_force", 1.0}})).empty());
  EXPECT_EQ(used(*make_friction("maxwell-slip", {{"thresholds", std::vector<double>{1e-5, 2e-5}},
                                                 {"stiffnesses", std::vector<double>{1e5, 1e5}}})),
            (std::vector<std::string>{"deflections", "deflections_rest"}));
}

TEST(StepProgram, CarriesTheTemperature) {
  const auto friction = make_friction("coulomb-viscous", {{"coulomb_force", 20.0}, {"viscosity", 300.0}}, {},
                                      {{"coulomb_force", Quantity::temperature, {0, -0.1}, {}, {}, 293.15},
                                       {"viscosity", Quantity::temperature, {}, {280, 300, 320}, {400, 300, 250}}});
  const TracedStep made = trace_step(*friction);
  ASSERT_TRUE(made.program) << made.refusal;
  EXPECT_TRUE(made.program->needs_temperature);
  EXPECT_FALSE(made.program->needs_pressure);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  StepRunner runner(*made.program, 1);
  Random random(6);
  double temperature = 270;
  for (const double v : random_velocities(random, 500, h)) {
    temperature += 0.15;
    stepper->set_temperature(temperature);
    runner.set_temperature(temperature);
    ASSERT_NEAR(runner.step(v, h), stepper->follow(v, h), 1e-11);
  }
}

}  // namespace
}  // namespace stickslip::step_program_test
