/// General properties of a friction law: dissipation, odd symmetry, and results that do not depend on the step size.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check/rig.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline checks {

namespace {
constexpr unsigned paths = 200;
}

/// From a relaxed start no work can be extracted from friction: the work against it never becomes negative, and is
/// positive when the path is closed.
PropertyScore dissipation(const Rig& rig) {
  double worst = 0;
  double least_loss = HUGE_VAL;
  for (unsigned seed = 1; seed <= paths; ++seed) {
    const Response r = respond_along(rig.friction, random_closed_path(seed), 60);
    worst = std::min(worst, r.least_work / r.input_work);
    least_loss = std::min(least_loss, r.work.back() / r.input_work);
  }
  return {"dissipation",
          "dissipation",
          worst > -1e-3 && least_loss > 0 ? Verdict::yes : Verdict::no,
          100 * worst,
          "%",
          "lowest net work over " + std::to_string(paths) +
              " random closed paths, relative to the work put in; smallest dissipated share on a closed path " +
              significant(100 * least_loss, 2) + " %"};
}

/// The mirrored motion gives the mirrored force.
PropertyScore odd_symmetry(const Rig& rig) {
  double error = 0;
  for (unsigned seed = 1; seed <= paths / 4; ++seed) {
    auto path = random_closed_path(seed);
    const Response there = respond_along(rig.friction, path, 20);
    for (SpeedStretch& s : path) s.displacement = -s.displacement;
    const Response mirrored = respond_along(rig.friction, path, 20);
    for (std::size_t i = 0; i < there.sampled_force.size(); ++i)
      error = std::max(error, std::fabs(there.sampled_force[i] + mirrored.sampled_force[i]));
  }
  error *= 100 / rig.breakaway;
  return {"symmetry",
          "odd symmetry",
          error < 1e-7 ? Verdict::yes : Verdict::no,
          error,
          "%",
          "largest difference from the mirrored force, relative to breakaway"};
}

/// A pulled mass simulated with a tolerance ten times finer, and a prescribed motion sampled four times as often.
PropertyScore step_independence(const Rig& rig) {
  const auto pulled = [&](double tolerance) {
    Body body;
    body.mass = reference::mass;
    body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
    SimulationOptions options;
    options.end = 12 * rig.breakaway / reference::stiction_force;
    options.sample_interval = options.end / 600;
    options.relative_tolerance = tolerance;
    Run run = rig.friction.simulate(body, options);
    if (run.stop != Stop::finished)
      throw Error(rig.friction.description().name + ": the scorecard's run ended early: " + run.message);
    return run;
  };
  const Run coarse = pulled(1e-8), fine = pulled(1e-9);
  double moved = 0, simulated = 0;
  for (std::size_t i = 0; i < fine.samples.position.size(); ++i) {
    moved = std::max(moved, std::fabs(fine.samples.position[i]));
    simulated = std::max(simulated, std::fabs(fine.samples.position[i] - coarse.samples.position[i]));
  }
  simulated /= moved;
  double sampled = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto path = random_closed_path(seed);
    const Response few = respond_along(rig.friction, path, 10), many = respond_along(rig.friction, path, 40);
    for (std::size_t i = 0; i < few.force.size(); ++i)
      sampled = std::max(sampled, std::fabs(few.force[i] - many.force[i]) / rig.breakaway);
  }
  const double worst = std::max(simulated, sampled);
  return {"step",
          "independence of the step",
          worst < 1e-4 ? Verdict::yes : Verdict::no,
          100 * worst,
          "%",
          "change with a tenth of the tolerance " + significant(100 * simulated, 1) +
              " % of the path, with four times as many samples " + significant(100 * sampled, 1) + " % of breakaway"};
}

}  // namespace stickslip::inline checks
