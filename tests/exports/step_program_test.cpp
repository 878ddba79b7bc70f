#include "exports/step_program.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "exports/random_steps.hpp"

namespace stickslip {
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
        if (draw_number == 0) std::cout << name << ": " << made.refusal << "\n";
        continue;
      }
      const Compared c = compare_with_library(*friction, *made.program, random, 3000);
      if (draw_number == 0)
        std::cout << name << ": " << made.program->nodes.size() << " nodes, " << most_operations(*made.program).total()
                  << " operations, off by " << c.worst / c.largest << " of " << c.largest << "\n";
      EXPECT_LE(c.worst, 1e-11 * c.largest) << name << " draw " << draw_number << " step " << c.at;
    }
  EXPECT_EQ(refused, (std::vector<std::string>{"leuven", "hybrid-preisach"}));
}

}  // namespace
}  // namespace stickslip
