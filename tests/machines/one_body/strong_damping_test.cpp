/// Bodies whose damping decides their speed: viscosities from nothing to 1e12 N s/m in every machine of one body.
/// References: where inertia does not matter any more, v = (u − F_C)/F_v while the push exceeds the level, and the energy that goes in is
/// the heat of friction and dampers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/text.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "support/cases.hpp"
#include "support/random_one_body.hpp"

namespace stickslip::strong_damping_test {
namespace {

Run run_text(const std::string& text) { return run_scenario(parse_scenario(text, "s.toml")); }
std::string quantity(double value, const std::string& unit) {
  return "\"" + significant(value, 17) + " " + unit + "\"\n";
}

/// A stage that its controller moves to and fro, one sample in a millisecond.
std::string position_loop(double viscosity) {
  return R"([machine]
kind = "position-loop"
mass = "20 kg"
position_gain = "30 1/s"
velocity_gain = "1.2 kN s/m"
sampling_time = "1 ms"
lag = "2 ms"
[input]
kind = "sine"
amplitude = "10 mm"
frequency = "0.5 Hz"
[friction]
model = "stribeck"
coulomb_force = "20 N"
stiction_force = "30 N"
stribeck_velocity = "5 mm/s"
viscosity = )" +
         quantity(viscosity, "N s/m") +
         R"([run]
duration = "4 s"
sample_interval = "10 ms"
)";
}

/// Rests that last no time: stuck and loose again at one instant.
std::size_t empty_rests(const Run& run) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < run.events.size(); ++i)
    found += run.events[i - 1].kind == EventKind::stick && run.events[i].kind == EventKind::release &&
             run.events[i].time - run.events[i - 1].time <= 1e-14 * std::fabs(run.events[i].time);
  return found;
}

/// At 1e8 to 1e9 N s/m it moved at less than the absolute tolerance: stick and release took turns at one instant until the run ended.
TEST(StrongDamping, APositionLoopFinishesWithAnyViscosity) {
  for (int power = 0; power <= 12; ++power) {
    const auto run = run_text(position_loop(std::pow(10, power)));
    EXPECT_EQ(run.stop, Stop::finished) << "1e" << power << ": " << run.message;
    EXPECT_EQ(empty_rests(run), 0u) << "1e" << power;
    EXPECT_LT(run.work.steps + run.work.rejected, 2'000'000u) << "1e" << power;
    // Two periods: it lets go and comes to rest twice in each, whatever its speed.
    const auto& count = run.ledger.events;
    if (power >= 7) {
      EXPECT_EQ(count[static_cast<std::size_t>(EventKind::release)], 4u) << "1e" << power;
      EXPECT_EQ(count[static_cast<std::size_t>(EventKind::stick)] +
                    count[static_cast<std::size_t>(EventKind::direction_change)],
                4u)
          << "1e" << power;
    }
  }
}

/// u = A sin ωt moves the body from sin ωt = F_C/A to the same on the way down, by d = (2 A cos(ωt₁)/ω − F_C (π/ω − 2 t₁))/F_v, and back
/// by as much in the second half.
TEST(StrongDamping, AForceThatSwingsMovesTheBodyAsTheSlowMotionSays) {
  for (int power = 5; power <= 12; ++power) {
    const double viscosity = std::pow(10, power), omega = 2 * M_PI;
    const auto run = run_text(R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "sine"
amplitude = "10 N"
frequency = "1 Hz"
[friction]
model = "coulomb-viscous"
coulomb_force = "4 N"
viscosity = )" + quantity(viscosity, "N s/m") +
                              R"([run]
duration = "2 s"
sample_interval = "10 ms"
)");
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    const double first = std::asin(0.4) / omega;
    const double way = (20 * std::cos(omega * first) / omega - 4 * (0.5 - 2 * first)) / viscosity;
    ASSERT_EQ(run.events.size(), 8u) << "1e" << power;
    for (std::size_t i = 0; i < 8; ++i) {
      const double half = 0.5 * static_cast<double>(i / 2);
      EXPECT_EQ(run.events[i].kind, i % 2 == 0 ? EventKind::release : EventKind::stick);
      EXPECT_NEAR(run.events[i].time, half + (i % 2 == 0 ? first : 0.5 - first), 4e-9 + 2 / viscosity) << "1e" << power;
      EXPECT_NEAR(run.events[i].position, i % 4 == 1 || i % 4 == 2 ? way : 0, way * (1e-7 + 10 / viscosity))
          << "1e" << power;
    }
    for (std::size_t i = 0; i < run.samples.time.size(); ++i) {
      const double push = std::fabs(run.samples.applied[i]);
      EXPECT_NEAR(std::fabs(run.samples.velocity[i]), std::max(push - 4, 0.0) / viscosity,
                  10 / viscosity * (1e-7 + 70 / viscosity))
          << "1e" << power << " at " << run.samples.time[i];
    }
  }
}

/// The push falls at once to just above the level: within 1e-9 s the body is slower, and never at rest.
TEST(StrongDamping, APushThatFallsAtOnceToJustAboveTheLevelStopsNothing) {
  for (int power = 6; power <= 12; ++power) {
    const double viscosity = std::pow(10, power);
    const auto run = run_text(R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "steps"
points = [["0 s", "10 N"], ["1 s", "4.1 N"], ["2 s", "8 N"]]
[friction]
model = "coulomb-viscous"
coulomb_force = "4 N"
viscosity = )" + quantity(viscosity, "N s/m") +
                              R"([run]
duration = "3 s"
sample_interval = "0.125 s"
)");
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_EQ(run.ledger.events[static_cast<std::size_t>(EventKind::stick)], 0u) << "1e" << power;
    EXPECT_NEAR(run.position, (6 + 0.1 + 4) / viscosity, (1e-7 + 10 / viscosity) / viscosity);
    for (std::size_t i = 1; i < run.samples.time.size(); ++i) {
      const double t = run.samples.time[i];
      if (t == 1 || t == 2) continue;
      EXPECT_NEAR(run.samples.velocity[i],
                  (t < 1   ? 6
                   : t < 2 ? 0.1
                           : 4) /
                      viscosity,
                  1e-6 / viscosity)
          << "1e" << power << " at " << t;
    }
  }
}

/// 464 m from the origin the rounding of a position moves the spring's force by more than the tolerance of the speed: no reason for steps that
/// follow it.
TEST(StrongDamping, ASteadySlideFarFromTheOriginFinishesInFewSteps) {
  const auto run = run_text(R"([machine]
kind = "pulled-spring"
mass = "37 g"
stiffness = "6.5 kN/m"
damping = "7.4 N s/m"
[input]
kind = "ramp"
rate = "1 mm/s"
[friction]
model = "coulomb-viscous"
coulomb_force = "4.3 N"
viscosity = "1.9 N s/m"
[run]
duration = "1e6 s"
sample_interval = "1000 s"
)");
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(run.work.steps + run.work.rejected, 20'000u);
  EXPECT_NEAR(run.velocity, 1e-3, 1e-9);
  EXPECT_NEAR(run.position, 1000 - (4.3 + 1.9e-3) / 6500, 1e-7);
}

/// A machine of one body with `viscosity` somewhere: in its law, in its damper or its controller, in a line of a table.
/// (Not karnopp: its band has no viscosity, is left at once and entered again at once, for ever; such a run ends as `no progress`.)
struct DampedMachine {
  std::string text;
  double elastic_energy;  // of its spring, as far as the input goes: given and taken back while nothing moves
  bool
      is_dragged;  // by its damper: the force is then a small difference of speeds times a large number, and so is its work
};
DampedMachine random_machine(test::Draw& draw, double viscosity) {
  const std::string kind =
      draw.any(std::array<std::string, 5>{"applied-force", "pulled-spring", "wall-spring", "pid", "position-loop"});
  const double mass = draw.logarithmic(1e-2, 1e3), level = draw.logarithmic(1e-1, 1e2),
               frequency = draw.logarithmic(1, 100);
  const double stiffness = mass * frequency * frequency;
  const bool is_path = kind != "applied-force" && kind != "wall-spring";
  const bool in_damper = draw.chance(0.3) && kind != "applied-force" && kind != "position-loop";
  std::string text = "[machine]\nkind = \"" + kind + "\"\nmass = " + quantity(mass, "kg");
  if (kind == "position-loop") {
    text += "position_gain = " + quantity(0.3 * frequency, "1/s") +
            "velocity_gain = " + quantity(mass * frequency, "N s/m") +
            "sampling_time = " + quantity(draw.logarithmic(0.02, 0.5) / frequency, "s");
    if (draw.chance(0.5)) text += "lag = " + quantity(draw.logarithmic(1e-2, 1) / frequency, "s");
  } else if (kind == "pid") {
    text +=
        "proportional = " + quantity(stiffness, "N/m") + "derivative = " + quantity(in_damper ? viscosity : 0, "N s/m");
    if (draw.chance(0.3)) text += "integral = " + quantity(0.1 * frequency * stiffness, "N/(m s)");
  } else if (kind != "applied-force") {
    text += "stiffness = " + quantity(stiffness, "N/m") + "damping = " + quantity(in_damper ? viscosity : 0, "N s/m");
  }
  const std::string unit = is_path ? "m" : "N";
  const double size = draw.logarithmic(1, 20) * level / (is_path ? stiffness : 1),
               duration = draw.logarithmic(3, 40) / frequency;
  text += "[input]\n";
  switch (draw.below(3)) {
    case 0:
      text += "kind = \"sine\"\namplitude = " + quantity(size, unit) +
              "frequency = " + quantity(draw.uniform(0.5, 5) / duration, "Hz");
      break;
    case 1:
      text += "kind = \"ramp\"\nrate = " + quantity(size / duration, unit + "/s");
      break;
    default:
      text += std::string("kind = \"") + (draw.chance(0.5) ? "steps" : "table") + "\"\npoints = [";
      for (int i = 0; i < 4; ++i) {
        const auto item = [](double value, const std::string& of) {
          return "\"" + significant(value, 17) + " " + of + "\"";
        };
        text += std::string(i > 0 ? ", " : "") + "[" + item(0.3 * i * duration, "s") + ", " +
                item(draw.uniform(-1, 1) * size, unit) + "]";
      }
      text += "]\n";
  }
  const double law_viscosity = in_damper ? 0 : viscosity, speed = size * (is_path ? frequency : frequency / stiffness);
  text += "[friction]\n";
  switch (draw.below(6)) {
    case 0:
      text += "model = \"speed-table\"\nspeeds = [\"0 m/s\", " +
              quantity(speed, "m/s").substr(0, quantity(speed, "m/s").size() - 1) + "]\nlevels = [" +
              quantity(level, "N").substr(0, quantity(level, "N").size() - 1) + ", " +
              quantity(level + law_viscosity * speed, "N")
                  .substr(0, quantity(level + law_viscosity * speed, "N").size() - 1) +
              "]\n";
      break;
    case 1:
      text += "model = \"compensated\"\ncoulomb_force = " + quantity(level, "N") +
              "compensation = 0.7\ncompensation_speed = " + quantity(0.1 * speed, "m/s") +
              "viscosity = " + quantity(law_viscosity, "N s/m");
      break;
    case 2:
      text += "model = \"coulomb-viscous\"\ncoulomb_force = " + quantity(level, "N") +
              "viscosity = " + quantity(law_viscosity, "N s/m");
      break;
    default: {
      const std::string model = draw.any(std::array<std::string, 3>{"stribeck", "hybrid", "hybrid-dwell"});
      text += "model = \"" + model + "\"\ncoulomb_force = " + quantity(level, "N") +
              "stiction_force = " + quantity(draw.uniform(1, 1.6) * level, "N") +
              "stribeck_velocity = " + quantity(draw.logarithmic(1e-3, 1) * speed, "m/s") +
              "viscosity = " + quantity(law_viscosity, "N s/m");
      if (model == "hybrid-dwell")
        text += "stiction_limit = " + quantity(2 * level, "N") + "dwell_time = " + quantity(1 / frequency, "s");
    }
  }
  text += "[run]\nduration = " + quantity(duration, "s") + "sample_interval = " + quantity(duration / 50, "s");
  return {text, is_path ? 0.5 * stiffness * size * size : 0, in_damper && kind == "pulled-spring"};
}

TEST(StrongDampingProperty, EveryMachineOfOneBodyFinishesWithAnyViscosity) {
  const std::size_t first = test::first_case(), count = test::cases(400);
  std::size_t most = 0, longest = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    test::Draw draw(7'000'000 + i);
    const double viscosity = draw.chance(0.05) ? 0 : draw.logarithmic(1e-3, 1e12);
    const DampedMachine machine = random_machine(draw, viscosity);
    const std::string& text = machine.text;
    const auto run = run_text(text);
    if (machine.is_dragged && run.stop == Stop::step_too_small)
      continue;  // far ends so fast that rounding hides the body's own speed
    ASSERT_EQ(run.stop, Stop::finished) << "case " << i << ": " << run.message << "\n" << text;
    EXPECT_EQ(empty_rests(run), 0u) << "case " << i << "\n" << text;
    if (const std::size_t tried = run.work.steps + run.work.rejected; tried > most) most = tried, longest = i;
    const Ledger& l = run.ledger;
    const double energy = std::fabs(l.work_in) + std::fabs(l.friction_heat) + std::fabs(l.damper_heat) +
                          std::fabs(l.stored_start) + std::fabs(l.stored_end) + std::fabs(l.reset_heat);
    if (!machine.is_dragged) {
      EXPECT_LE(std::fabs(l.residual), 1e-5 * energy + 1e-6 * machine.elastic_energy) << "case " << i << "\n" << text;
    }
  }
  std::printf("at most %zu steps (case %zu)\n", most, longest);
  EXPECT_LT(most, 1'000'000u);
}

}  // namespace
}  // namespace stickslip::strong_damping_test
