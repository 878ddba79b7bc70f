/// Model Exchange with an integrator that errs as integrators do, inputs that move in continuous time, prescribed motions, derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fmus.hpp"
#include "machines/run_view.hpp"

namespace stickslip::fmu_outside_test {
namespace {

using namespace importing;

std::size_t state_of(const Unpacked& fmu, const std::string& name) {
  for (const FmuVariable& v : fmu.fmu.model->variables())
    if (v.name == name && v.role != FmuRole::rate && v.state != FmuVariable::none) return v.state;
  ADD_FAILURE() << "no state " << name;
  return 0;
}
double least(Imported& one, const Unpacked& fmu) {
  std::vector<double> z(fmu.fmu.model->indicators());
  one.get_indicators(z);
  return *std::min_element(z.begin(), z.end());
}
/// The pulled pair with its front mass about to slip: the far end stands 0.76 m away, driven from outside.
struct PulledPair {
  explicit PulledPair(int version = 2)
      : fmu(fmu_of("machines/pulled_pair.toml", with(0, version))), one(fmu, Interface::model_exchange, version) {
    one.set_flag("spring[pull].far_end_from_file", false);
    one.set("spring[pull].far_end", 0.76);
    one.begin();
    one.handle_event();
    states.resize(fmu.fmu.model->states());
    one.get_states(states);
    one.call("EnterContinuousTimeMode");
  }
  Unpacked fmu;
  Imported one;
  std::vector<double> states;
};

// CVODE multiplies indicators to compare their signs: with the smallest number there is, the product was zero, and the solver came back to
// the same instant for ever (a spool exactly at its edge).
TEST(FmuOutside, IndicatorAtZeroHasASignThatProductsKeep) {
  const Unpacked fmu(fmu_of("machines/hydraulic_cylinder.toml", with(0)));
  Imported one(fmu, Interface::model_exchange, 2);
  one.begin();
  one.handle_event();
  one.call("EnterContinuousTimeMode");
  std::vector<double> x(fmu.fmu.model->states()), z(fmu.fmu.model->indicators());
  one.get_states(x);
  x[0] = -one.get("machine.underlap");
  one.set_states(x);
  one.get_indicators(z);
  EXPECT_GT(z[0], 0);
  EXPECT_LT(z[0], 1e-20);
  EXPECT_GT(z[0] * 1e-100, 0);
}

// A solver leaves errors of its tolerance in a speed that has just begun to grow. They are no event: 4000 were seen in a millisecond.
TEST(FmuOutside, SlipThatGainsSpeedGoesOnThroughErrorsOfTheSolver) {
  for (const int version : {2, 3}) {
    PulledPair pair(version);
    EXPECT_EQ(pair.one.whole("floor_front_motion"), 1);
    auto x = pair.states;
    x[state_of(pair.fmu, "front_speed")] = -1e-7;
    pair.one.set_states(x);
    EXPECT_GT(least(pair.one, pair.fmu), 0) << "it is pulled on";
    pair.one.set("spring[pull].far_end", 0);
    EXPECT_LT(least(pair.one, pair.fmu), 0) << "nothing pulls it on";
  }
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0)));
  Imported one(fmu, Interface::model_exchange, 2);
  one.set_flag("input_from_file", false);
  one.set("input", 1);
  one.begin();
  one.handle_event();
  one.call("EnterContinuousTimeMode");
  std::vector<double> x(fmu.fmu.model->states());
  one.get_states(x);
  x[1] = -1e-7;
  one.set_states(x);
  EXPECT_GT(least(one, fmu), 0);
  one.set("input", 0);
  EXPECT_LT(least(one, fmu), 0);
}

// Trial points are no events: what an input does to joints waits for event mode.
TEST(FmuOutside, InputsSetAtTrialPointsChangeNoMode) {
  PulledPair pair;
  auto x = pair.states;
  x[state_of(pair.fmu, "front_speed")] = 0;
  x[state_of(pair.fmu, "pull_stretch")] = 0.3;  // 0.46 m, 0.92 N: too little to move it
  pair.one.set_time(0.01);
  pair.one.set_states(x);
  pair.one.set("brake[floor_front].capacity", 1.01);
  EXPECT_EQ(pair.one.whole("floor_front_motion"), 1);
  pair.one.call("EnterEventMode");
  pair.one.handle_event();
  EXPECT_EQ(pair.one.whole("floor_front_motion"), 0);
}

// Its speed is nowhere in the model's inputs, so the elongation cannot be what is integrated.
TEST(FmuOutside, FarEndMovedInContinuousTimePullsAsInARun) {
  constexpr double end = 9;
  Machine machine = read_machine(example("machines/pulled_pair.toml"));
  RunRequest request;
  request.until = end;
  const MachineRun run = machine.run(request);
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of("machines/pulled_pair.toml", with(0, version)));
    Imported one(fmu, Interface::model_exchange, version);
    one.set_flag("spring[pull].far_end_from_file", false);
    one.begin();
    const auto far_end = fmu.reference("spring[pull].far_end");
    integrate(
        one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {}, end, 2e-4, [](double, const double*, double*) {},
        [&](double t, const double*) { one.try_set(far_end, 0.1 * t); }, [](double) {});
    for (const char* name : {"front_position", "rear_position", "pull_elongation", "pull_force"}) {
      const Column* column = find_column(run.samples, name);
      const auto [low, high] = std::minmax_element(column->values.begin(), column->values.end());
      EXPECT_NEAR(one.get(name), column->values.back(), 1e-5 * (*high - *low)) << name << ", FMI " << version;
    }
  }
}

const std::string shaken =
    "[[body]]\nname = \"base\"\nmass = \"1 kg\"\n[[body]]\nname = \"slider\"\nmass = \"2 kg\"\n[[drive]]\nname = "
    "\"shaker\"\n"
    "on = \"base\"\nposition = { kind = \"sine\", amplitude = \"10 mm\", frequency = \"1 Hz\" }\n[[clutch]]\nname = "
    "\"contact\"\n"
    "a = \"slider\"\nb = \"base\"\n[clutch.friction]\nmodel = \"coulomb\"\ncoulomb_force = \"0.5 N\"\n[run]\nduration "
    "= \"2 s\"\n"
    "sample_interval = \"1 ms\"\n";

// A position that is held over steps never moved its body. Its speed is constant over a step, so that the error falls with h.
TEST(FmuOutside, PrescribedPositionIsReachedAtTheEndOfEachStep) {
  const auto position = [](double t) { return 0.01 * std::sin(2 * 3.141592653589793 * t); };
  const MachineRun run = parse_machine_text(shaken, "shaken.toml").run({});
  const Column* slider = find_column(run.samples, "slider_position");
  for (const int version : {2, 3}) {
    FmuOptions options = with(0, version);
    options.inputs_from_file = false;
    const Unpacked fmu(describe_fmu(shaken, "shaken.toml", options));
    const auto worst_with = [&](int parts) {
      Imported one(fmu, Interface::co_simulation, version);
      one.begin();
      const double h = 1e-3 / parts;
      double worst = 0;
      for (int k = 0; k < 2000 * parts; ++k) {
        one.set("drive[shaker].position", position((k + 1) * h));
        one.step(k * h, (k + 1) * h - k * h);
        EXPECT_NEAR(one.get("base_position"), position((k + 1) * h), 1e-11);
        if ((k + 1) % parts) continue;
        const double away = one.get("slider_position") - slider->values[static_cast<std::size_t>((k + 1) / parts)];
        worst = std::max(worst, std::fabs(away));
      }
      return worst;
    };
    const double coarse = worst_with(1), fine = worst_with(4);
    EXPECT_LT(coarse, 1e-4);
    EXPECT_LT(fine, 0.3 * coarse);
    Imported outside(fmu, Interface::model_exchange, version);
    outside.begin();
    EXPECT_EQ(outside.try_set(fmu.reference("drive[shaker].position"), 0.001), 3);
    EXPECT_NE(last_message().find("prescribes a motion"), std::string::npos) << last_message();
  }
}

// k/m, the valve's own equation, and outputs that are forces of springs: known slopes of machines.
TEST(FmuOutside, DirectionalDerivativesOfMachinesAreThoseOfTheirEquations) {
  for (const int version : {2, 3}) {
    PulledPair pair(version);
    const Unpacked& fmu = pair.fmu;
    auto x = pair.states;
    x[state_of(fmu, "front_speed")] =
        0.1;  // beyond the Stribeck peak: viscosity 0.1 N s/m and the link's 0.1 N s/m on 1 kg
    pair.one.set_states(x);
    const std::vector<importing::Reference> unknowns{fmu.reference("der(front_speed)"), fmu.reference("pull_force"),
                                                     fmu.reference("der(front_position)")};
    const auto along = [&](const char* known) { return pair.one.derivative(unknowns, {fmu.reference(known)}, {1}); };
    const auto by_stretch = along("pull_stretch"), by_far_end = along("spring[pull].far_end"),
               by_speed = along("front_speed");
    EXPECT_NEAR(by_stretch[0], -2, 1e-9);
    EXPECT_NEAR(by_stretch[1], 2, 1e-9);
    EXPECT_NEAR(by_far_end[0], 2, 1e-9);
    EXPECT_NEAR(by_far_end[1], -2, 1e-9);
    EXPECT_NEAR(by_speed[0], -0.2, 1e-9);
    EXPECT_NEAR(by_speed[2], 1, 1e-12);
    std::vector<double> after(x.size());
    pair.one.get_states(after);
    EXPECT_EQ(after, x) << "nothing has moved";
  }
  const Unpacked fmu(fmu_of("machines/hydraulic_cylinder.toml", with(0)));
  Imported one(fmu, Interface::model_exchange, 2);
  one.set_flag("current_from_file", false);
  one.begin();
  one.handle_event();
  one.call("EnterContinuousTimeMode");
  std::vector<importing::Reference> rates;
  for (std::size_t i = 0; i < fmu.fmu.model->variables().size(); ++i)
    if (fmu.fmu.model->variables()[i].role == FmuRole::rate) rates.push_back(static_cast<importing::Reference>(i));
  EXPECT_NEAR(one.derivative({rates[1]}, {fmu.reference("current")}, {1})[0], 440.0 * 440 * 0.0227, 1e-5);
  EXPECT_NEAR(one.derivative({rates[1]}, {fmu.reference("current")}, {1e-3})[0], 440.0 * 440 * 0.0227e-3, 1e-8);
}

// Of elements and bodies by dual numbers: to rounding.
//   F = σ₀ z + σ₁ ż + σ₂ v,   ż = v − σ₀ |v| z/g,   g = F_C + (F_S − F_C) exp(−(v/v_S)²),   v > 0
//   ∂F/∂z = σ₀ (1 − σ₁ v/g),   ∂F/∂v = σ₁ (1 − σ₀ z/g + σ₀ v z g'/g²) + σ₂,   ∂ż/∂z = −σ₀ v/g
TEST(FmuOutside, DirectionalDerivativesOfElementsAndBodiesAreExact) {
  constexpr double s0 = 1e5, s1 = 300, s2 = 0.4, low = 1, high = 1.5, vs = 1e-3, v = 7e-4, z = 6e-6, mass = 2.5;
  const std::string law =
      "[friction]\nmodel = \"lugre\"\nbristle_stiffness = \"1e5 N/m\"\nbristle_damping = \"300 N s/m\"\n"
      "viscosity = \"0.4 N s/m\"\ncoulomb_force = \"1 N\"\nstiction_force = \"1.5 N\"\nstribeck_velocity = \"1 "
      "mm/s\"\n";
  const double fading = std::exp(-(v / vs) * (v / vs)), g = low + (high - low) * fading,
               slope_of_g = -2 * v / (vs * vs) * (high - low) * fading;
  const double by_z = s0 * (1 - s1 * v / g), by_v = s1 * (1 - s0 * z / g + s0 * v * z * slope_of_g / (g * g)) + s2;
  for (const bool is_element : {true, false}) {
    const Unpacked fmu(describe_fmu(law, "axis.model.toml", with(is_element ? 0 : mass)));
    ASSERT_TRUE(fmu.fmu.model->has_exact_slopes());
    Imported one(fmu, Interface::model_exchange, 2);
    if (is_element) one.set("velocity", v);
    one.begin();
    one.handle_event();
    one.call("EnterContinuousTimeMode");
    std::vector<double> x(fmu.fmu.model->states());
    one.get_states(x);
    x[state_of(fmu, "bristle_deflection")] = z;
    if (!is_element) x[state_of(fmu, "velocity")] = v;
    one.set_states(x);
    if (is_element) one.set("velocity", v);
    const auto force = fmu.reference("friction_force"), deflection = fmu.reference("bristle_deflection"),
               velocity = fmu.reference("velocity");
    EXPECT_NEAR(one.get("friction_force"), s0 * z + s1 * (v - s0 * v * z / g) + s2 * v, 1e-13);
    EXPECT_NEAR(one.derivative({force}, {deflection}, {1})[0], by_z, 1e-11 * std::fabs(by_z)) << is_element;
    EXPECT_NEAR(one.derivative({force}, {velocity}, {1})[0], by_v, 1e-11 * std::fabs(by_v)) << is_element;
    const auto rate = fmu.reference("der(bristle_deflection)");
    EXPECT_NEAR(one.derivative({rate}, {deflection}, {1})[0], -s0 * v / g, 1e-11 * s0 * v / g) << is_element;
    if (is_element) continue;
    const auto acceleration = fmu.reference("der(velocity)");
    EXPECT_NEAR(one.derivative({acceleration}, {deflection}, {1})[0], -by_z / mass, 1e-11 * std::fabs(by_z));
    EXPECT_NEAR(one.derivative({acceleration}, {fmu.reference("input")}, {1})[0], 1 / mass, 1e-15);
  }
}

}  // namespace
}  // namespace stickslip::fmu_outside_test
