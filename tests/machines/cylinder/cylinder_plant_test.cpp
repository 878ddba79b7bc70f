/// Random cylinders: what their implicit steps know of the matrix, and first steps that are learnt, change nothing but the time it takes.
/// The reference is the same run whose matrix is solved with pivots and whose first steps in a mode are those of any other machine.
#include "machines/cylinder/cylinder_plant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "models/law.hpp"
#include "models/lugre.hpp"
#include "models/modified_lugre.hpp"
#include "models/new_modified_lugre.hpp"
#include "models/stribeck.hpp"
#include "solver/simulate.hpp"
#include "support/cases.hpp"

namespace stickslip::cylinder_plant_test {
namespace {

template <class Law>
struct WithPivots : CylinderPlant<Law> {
  using CylinderPlant<Law>::CylinderPlant;
  using Linear = SmallLu<CylinderPlant<Law>::capacity>;
  static constexpr bool learns_first_steps = false;
};

/// Places and pressures at equal times.
struct PlaceSink {
  double interval, end;
  std::size_t next = 0;
  std::vector<double> place, pressure;
  double next_sample() const {
    const double t = static_cast<double>(next) * interval;
    return t <= end ? t : HUGE_VAL;
  }
  template <class Vector, class Mode>
  void sample(double, const Vector& y, const Mode&) {
    ++next;
    place.push_back(y[3 + 4]), pressure.push_back(y[3 + 2]);  // after three accounts
  }
  template <class Vector, class Mode>
  void event(double, const Happening&, const Vector&, const Mode&) {}
  template <class Mode>
  void mode_time(const Mode&, double) {}
};

struct Drawn {
  HydraulicCylinder cylinder;
  Signal current;
  std::array<double, 8> start{};
  double end = 0;
};

Drawn draw(Random& random) {
  const auto between = [&](double low, double high) { return low * std::pow(high / low, random.uniform()); };
  Drawn d;
  HydraulicCylinder& c = d.cylinder;
  c.supply_pressure = between(1e5, 3e7), c.mass = between(1, 1000), c.bore = between(0.01, 0.1);
  c.rod = (0.1 + 0.8 * random.uniform()) * c.bore, c.stroke = between(0.05, 1);
  c.valve_frequency = between(50, 2000), c.valve_damping = random.below(4) == 0 ? 0 : between(0.1, 2);
  c.underlap = (random.below(3) == 0 ? -1 : 1) * between(1e-6, 1e-4);
  c.valve_gain = (random.below(4) == 0 ? -1 : 1) * between(1e-3, 0.1);
  c.port_width = between(1e-3, 0.05), c.discharge_coefficient = between(0.1, 1), c.density = between(700, 1000);
  c.laminar_pressure = between(10, 1e4);
  c.bulk_modulus = between(1e7, 2e9), c.dead_volume_1 = between(1e-7, 1e-4), c.dead_volume_2 = between(1e-7, 1e-4);
  c.gravity = random.below(2) == 0 ? 0 : 9.80665;
  const double opening = std::fabs(c.underlap / c.valve_gain), amplitude = between(0.1, 20) * opening;
  d.end = between(0.05, 1);
  switch (random.below(4)) {
    case 0:
      d.current = Signal::sine(amplitude, between(0.5, 10) / d.end, 6 * random.uniform());
      break;
    case 1:
      d.current = Signal::step(amplitude, -amplitude, random.uniform() * d.end);
      break;
    case 2:
      d.current = Signal::ramp(amplitude / d.end, 0, 0.5 * d.end);
      break;
    default:
      d.current = Signal(amplitude * (2 * random.uniform() - 1));
  }
  const double supply = c.supply_pressure;
  d.start = {0, 0, random.uniform() * supply, random.uniform() * supply, random.uniform() * c.stroke, 0, 0, 0};
  return d;
}

/// Levels as a share of what the piston can push, so that it sticks, creeps and runs.
template <class Model>
void draw_levels(Random& random, double push, Model& m) {
  const auto between = [&](double low, double high) { return low * std::pow(high / low, random.uniform()); };
  m.coulomb_force = push * between(1e-3, 1), m.stiction_force = m.coulomb_force * between(1, 4);
  m.stribeck_velocity = between(1e-3, 0.1), m.stribeck_exponent = 0.5 + 2 * random.uniform();
  m.viscosity = random.below(3) == 0 ? 0 : push * between(1e-2, 10);
  if constexpr (requires { m.bristle_stiffness; })
    m.bristle_stiffness = m.stiction_force / between(1e-6, 1e-3),
    m.bristle_damping = random.below(2) == 0 ? 0 : std::sqrt(m.bristle_stiffness) * between(0.01, 10);
  if constexpr (requires { m.film_velocity; })
    m.film_velocity = between(0.01, 0.2), m.growing_time = between(0.01, 1), m.thinning_time = between(0.01, 2),
    m.rest_time = between(1, 100);
  if constexpr (requires { m.viscous_lag; }) m.viscous_lag = random.uniform();
}

struct Found {
  Stop stop;
  PlaceSink samples;
  std::size_t steps;
};
template <class Plant, class Friction>
Found run_of(const Drawn& d, const Friction& friction, double tolerance) {
  SimulationOptions options;
  options.end = d.end;
  options.relative_tolerance = tolerance, options.absolute_tolerance = 1e-3 * tolerance;
  options.most_steps = 10'000;  // undamped oil rings for very long
  const Plant plant(d.cylinder, d.current, friction, options);
  Found found{Stop::finished, {d.end / 20, d.end, 0, {}, {}}, 0};
  EventDrivenRun<Plant, PlaceSink> motion(plant, options, found.samples);
  std::copy_n(d.start.begin(), Plant::capacity, motion.y.begin() + Plant::totals);
  motion.mode = plant.start(0, motion.y.data() + Plant::totals);
  found.stop = motion.run();
  found.steps = motion.work.steps + motion.work.rejected;
  return found;
}

/// Over the stroke, or over the supply.
double difference(const Found& a, const Found& b, const HydraulicCylinder& c) {
  if (a.samples.place.size() != b.samples.place.size()) return 1;
  double worst = 0;
  for (std::size_t i = 0; i < a.samples.place.size(); ++i)
    worst = std::max({worst, std::fabs(a.samples.place[i] - b.samples.place[i]) / c.stroke,
                      1e-2 * std::fabs(a.samples.pressure[i] - b.samples.pressure[i]) / c.supply_pressure});
  return worst;
}

struct Tally {
  std::size_t runs = 0, unfinished = 0, reference_unfinished = 0, undetermined = 0, steps = 0, reference_steps = 0;
};
template <template <class> class Model>
void compare(std::size_t number, Tally& tally) {
  using Law = LawOf<Model>;
  Random random(number);
  const Drawn d = draw(random);
  Varied<Model> friction;
  const double push = d.cylinder.supply_pressure * d.cylinder.area_2();
  draw_levels(random, push, friction.forward);
  friction.backward = friction.forward;
  if (random.below(2) == 0) draw_levels(random, push, friction.backward), friction.directional = true;
  if (random.below(3) == 0)  // of the level, as far as it goes in both directions
    friction.variations.push_back(
        {0,
         random.below(2) == 0 ? Quantity::position : Quantity::pressure,
         {0, 0.1 * friction.forward.coulomb_force / std::max(d.cylinder.stroke, d.cylinder.supply_pressure)},
         {},
         {}});
  const Found quick = run_of<CylinderPlant<Law>>(d, friction, 1e-7),
              reference = run_of<WithPivots<Law>>(d, friction, 1e-7);
  ++tally.runs;
  tally.steps += quick.steps, tally.reference_steps += reference.steps;
  if (quick.stop != Stop::finished || reference.stop != Stop::finished) {
    tally.unfinished += quick.stop != Stop::finished;
    tally.reference_unfinished += reference.stop != Stop::finished;
    return;
  }
  if (difference(quick, reference, d.cylinder) <= 1e-6) return;
  // What the reference does not tell from itself is no reference.
  const Found finer = run_of<WithPivots<Law>>(d, friction, 1e-9);
  ++tally.undetermined;
  EXPECT_LE(difference(quick, finer, d.cylinder), 1e-6 + 3 * difference(reference, finer, d.cylinder)) << number;
}

TEST(CylinderProperty, TheStructureOfItsMatrixChangesNoMotion) {
  Tally tally;
  const std::size_t first = test::first_case(), cases = test::cases(25);
  for (std::size_t n = first; n < first + cases; ++n) {
    SCOPED_TRACE(n);
    compare<stribeck::Model>(4 * n, tally);
    compare<lugre::Model>(4 * n + 1, tally);
    compare<modified_lugre::Model>(4 * n + 2, tally);
    compare<new_modified_lugre::Model>(4 * n + 3, tally);
  }
  for (const auto& [name, count] : {std::pair{"unfinished", tally.unfinished},
                                    {"undetermined", tally.undetermined},
                                    {"steps", tally.steps},
                                    {"steps of the reference", tally.reference_steps}})
    RecordProperty(name, std::to_string(count));
  EXPECT_LE(tally.unfinished, tally.reference_unfinished + tally.runs / 50);
  EXPECT_LE(tally.reference_unfinished, tally.runs / 4);
  EXPECT_LE(tally.undetermined, tally.runs / 10);
}

}  // namespace
}  // namespace stickslip::cylinder_plant_test
