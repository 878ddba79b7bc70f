/// Instances of FMUs: many at once, saved and reset, parameters and inputs, events, wrong calls.
#include "fmu/fmu_instance.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <thread>

#include "core/error.hpp"
#include "fmus.hpp"
#include "support/cases.hpp"

namespace stickslip::fmu_instance_test {
namespace {

using namespace importing;

#ifndef STICKSLIP_SANITIZED  // whose own allocator finds what is left behind
/// Bytes in use of the C library, on which the binary's `new` stands, too.
long bytes_in_use() {
  const auto info = ::mallinfo2();
  return static_cast<long>(info.uordblks + info.hblkhd);
}

/// Makes and frees `count` instances that begin, half of which step: what remains in use beyond what the first few left. A block that every
/// instance or every step left would be 32 bytes each; the C library itself keeps some, however many instances there are.
void expect_nothing_left_behind(const Unpacked& fmu, int count, double h) {
  const bool has_states = fmu.fmu.model->can_be_integrated();
  long before = 0;
  for (int i = -16; i < count; ++i) {
    if (i == 0) before = bytes_in_use();
    const bool steps = !has_states || i % 2;
    Imported one(fmu, steps ? Interface::co_simulation : Interface::model_exchange, 2 + (i & 2) / 2);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    if (steps) one.step(0, h), one.load(one.save());
  }
  EXPECT_LT(bytes_in_use() - before, 8 * count + 4000);
}

TEST(Fmu, TwoThousandInstancesLeaveNothingBehind) {
  const Unpacked fmu(fmu_of("machines/pulled_pair.toml", with(0)));
  expect_nothing_left_behind(fmu, 2000, 0.1);
}

// STICKSLIP_CASES=2000 for as many of each.
TEST(Fmu, InstancesOfEveryMachineAndLawLeaveNothingBehind) {
  const auto count = static_cast<int>(test::cases(50));
  for (const MachineCase& machine : machine_cases) {
    SCOPED_TRACE(machine.file);
    expect_nothing_left_behind(Unpacked(fmu_of(machine.file, with(0))), count, machine.h);
  }
  for (const ModelDescription* model : all_models()) {
    SCOPED_TRACE(model->name);
    expect_nothing_left_behind(Unpacked(body_fmu(*model)), count, 0.1);
  }
}
#endif

TEST(Fmu, EightInstancesInEightThreadsAreEachAlone) {
  const std::vector<std::pair<const char*, const char*>> cases{{"machines/winch.toml", "load_position"},
                                                               {"machines/servo_axis.toml", "position"},
                                                               {"modelica/OneWayClutch.toml", "inertiaOut_position"},
                                                               {"prescribed_motion.toml", "friction_force"}};
  for (const auto& [file, output] : cases) {
    const Unpacked fmu(fmu_of(file, with(0)));
    std::vector<double> found(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < found.size(); ++i)
      threads.emplace_back([&, i, output = output] {
        Imported one(fmu, Interface::co_simulation, 2);
        one.begin();
        for (int k = 0; k < 100; ++k) one.step(k * 0.01, 0.01);
        found[i] = one.get(output);
      });
    for (auto& t : threads) t.join();
    for (const double x : found) EXPECT_EQ(x, found[0]) << file;
    EXPECT_NE(found[0], 0) << file;
  }
}

// Eight bodies of one FMU with other forces and other parameters: each moves as it does alone.
TEST(Fmu, EightThreadsWithTheirOwnForcesAndParametersDoNotMeet) {
  for (const char* law : {"lugre", "hybrid-preisach", "generalized-maxwell-slip"}) {
    const Unpacked fmu(body_fmu(find_model(law).description()));
    const auto go = [&](std::size_t i) {
      Imported one(fmu, Interface::co_simulation, i % 2 ? 2 : 3);
      one.set("machine.mass", 1 + 0.1 * static_cast<double>(i));
      one.begin();
      for (int k = 0; k < 200; ++k) {
        one.set("input", (1 + 0.2 * static_cast<double>(i)) * force_at(k * 0.005));
        one.step(k * 0.005, 0.005);
        if (k == 100) one.load(one.save());
      }
      return one.get("position");
    };
    std::vector<double> together(8);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < together.size(); ++i) threads.emplace_back([&, i] { together[i] = go(i); });
    for (auto& t : threads) t.join();
    for (std::size_t i = 0; i < together.size(); ++i) {
      EXPECT_EQ(together[i], go(i)) << law << ", " << i;
      EXPECT_NE(together[i], together[(i + 1) % 8]) << law;
    }
  }
}

// Events are logged from the instant their category is switched on until it is switched off, and change no bit of the motion.
TEST(Fmu, EventsAreLoggedWhileTheirCategoryIsOn) {
  std::size_t logged = 0;
  for (const MachineCase& machine : machine_cases)
    for (const int version : {2, 3}) {
      SCOPED_TRACE(machine.file);
      const Unpacked fmu(fmu_of(machine.file, with(0, version)));
      Imported quiet(fmu, Interface::co_simulation, version), told(fmu, Interface::co_simulation, version);
      quiet.begin(), told.begin();
      const int steps = static_cast<int>(machine.until / machine.h);
      std::size_t heard[3] = {};
      for (int k = 0; k < steps; ++k) {
        if (k == steps / 4 + 1) {
          ASSERT_EQ(told.set_logging(true, {"logStatusWarning"}), 0);
        }
        if (k == steps / 2 + 1) {
          ASSERT_EQ(told.set_logging(true, {"logStatusError", "logEvents"}), 0);
        }
        if (k == 3 * steps / 4 + 1) {
          ASSERT_EQ(told.set_logging(false, {}), 0);
        }
        quiet.step(k * machine.h, machine.h);
        last_message().clear();
        told.step(k * machine.h, machine.h);
        if (!last_message().empty()) {
          EXPECT_EQ(last_message().find("logEvents: "), 0u) << last_message();
          EXPECT_NE(last_message().find(" s: "), std::string::npos) << last_message();
          ++heard[k <= steps / 2 ? 0 : k <= 3 * steps / 4 ? 1 : 2];
        }
      }
      EXPECT_EQ(heard[0] + heard[2], 0u);
      logged += heard[1];
      const auto& variables = fmu.fmu.model->variables();
      for (std::size_t i = 0; i < variables.size(); ++i)
        if (variables[i].type == FmuType::real) {
          const auto r = static_cast<importing::Reference>(i);
          EXPECT_EQ(quiet.get(r), told.get(r)) << variables[i].name;
        }
    }
  EXPECT_GT(logged, 20u);
}

TEST(Fmu, ResetBeginsAnew) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported one(fmu, Interface::co_simulation, 2);
  const auto go = [&] {
    one.begin();
    one.set("input", 3);
    for (int k = 0; k < 10; ++k) one.step(k * 0.01, 0.01);
    return one.get("position");
  };
  one.set("friction.coulomb_force", 0.5);
  const double other = go();
  ASSERT_EQ(one.call("Reset"), 0);
  const double first = go();
  one.call("Reset");
  EXPECT_EQ(go(), first);
  EXPECT_NE(first, other);
}

// A parameter that changes at an instant: the run goes on from the same state with the other value, as one that starts there.
TEST(Fmu, TunableParameterActsFromTheInstantItIsSet) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported one(fmu, Interface::co_simulation, 2);
  one.begin();
  one.set("input", 3);
  one.step(0, 0.5);
  const double x = one.get("position"), v = one.get("velocity"), z = one.get("bristle_deflection");
  one.set("friction.coulomb_force", 2);
  one.set("friction.stiction_force", 2.5);
  one.step(0.5, 0.5);
  auto values = reference_values(find_model("lugre").description());
  for (auto& [key, value] : values) {
    if (key == "coulomb_force") value = 2.0;
    if (key == "stiction_force") value = 2.5;
  }
  Body body;
  body.drive.input = Signal(3);
  body.position = x, body.velocity = v, body.state = {z};
  SimulationOptions options;
  options.start = 0.5, options.end = 1;
  const stickslip::Run run = make_friction("lugre", values)->simulate(body, options);
  EXPECT_NEAR(one.get("position"), run.position, 1e-9);
  EXPECT_NEAR(one.get("velocity"), run.velocity, 1e-9);
}

TEST(Fmu, InputSlopesMakeAStepExact) {
  const Unpacked fmu(body_fmu(find_model("coulomb").description()));
  Imported one(fmu, Interface::co_simulation, 2);
  one.begin();
  one.set("input", 0);
  const auto reference = fmu.reference("input");
  const int order = 1;
  const double slope = 4;
  ASSERT_EQ((importing::function<int(void*, const unsigned*, std::size_t, const int*, const double*)>(
                "fmi2SetRealInputDerivatives")(one.instance, &reference, 1, &order, &slope)),
            0);
  one.step(0, 1);
  // u = 4 t breaks 1 N loose at 1/4 s, then x'' = 4 t − 1: x = 4 (t − 1/4)³/6.
  EXPECT_NEAR(one.get("position"), 4 * 0.75 * 0.75 * 0.75 / 6, 1e-10);
}

TEST(Fmu, StepReturnsEarlyWhereTheBodyBreaksLoose) {
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0, 3)));
  Imported one(fmu, Interface::co_simulation, 3, true);
  one.begin();
  double t = 0;
  std::vector<double> early;
  while (t < 12 - 1e-9) {
    t = one.step(t, std::min(1.0, 12 - t));
    if (!one.was_early) continue;
    early.push_back(t);
    ASSERT_EQ(one.call("EnterEventMode"), 0);
    one.handle_event();
    ASSERT_EQ(one.call("EnterStepMode"), 0);
  }
  ASSERT_GE(early.size(), 2u);
  EXPECT_NEAR(early[0], 7.5, 1e-9);  // k V t = 1.5 N
}

// The body breaks loose at 7.5 s from rest: no state jumps, but the rates are others, and fmusim starts its solver anew only if told.
TEST(Fmu, ChangeOfModeAsksForARestart) {
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of("stick_slip.toml", with(0, version)));
    Imported one(fmu, Interface::model_exchange, version);
    one.begin();
    one.handle_event();
    std::vector<double> states(fmu.fmu.model->states());
    one.get_states(states);
    for (const double t : {7.4, 7.6}) {
      ASSERT_EQ(one.call("EnterContinuousTimeMode"), 0);
      one.set_time(t);
      one.set_states(states);
      ASSERT_EQ(one.call("EnterEventMode"), 0);
      one.handle_event();
      EXPECT_EQ(one.asks_for_restart, t > 7.5) << t << " s, FMI " << version;
    }
  }
}

TEST(Fmu, DirectionalDerivativesAgreeWithDifferences) {
  for (const char* law : {"lugre", "stribeck", "elastoplastic"}) {
    const Unpacked fmu(body_fmu(find_model(law).description()));
    Imported one(fmu, Interface::model_exchange, 2);
    one.begin();
    one.set("input", 2);
    one.handle_event();
    one.call("EnterContinuousTimeMode");
    std::vector<double> x(fmu.fmu.model->states());
    x[0] = 0.1, x[1] = 0.02;
    if (x.size() > 3) x[3] = 4e-6;
    one.set_states(x);
    std::vector<importing::Reference> unknowns, knowns{fmu.reference("velocity"), fmu.reference("input")};
    for (std::size_t i = 0; i < fmu.fmu.model->variables().size(); ++i) {
      const auto& v = fmu.fmu.model->variables()[i];
      if (v.type == FmuType::real && (v.role == FmuRole::rate || v.role == FmuRole::output))
        unknowns.push_back(static_cast<importing::Reference>(i));
    }
    const double e = 1e-7;
    const auto exact = one.derivative(unknowns, knowns, {1, 0.5});
    std::vector<double> before, after;
    const auto read_all = [&](double by, std::vector<double>& into) {
      auto y = x;
      y[1] += by;
      one.set_states(y);
      one.set("input", 2 + 0.5 * by);
      for (const auto r : unknowns) into.push_back(one.get(r));
    };
    read_all(-e, before);
    read_all(e, after);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      EXPECT_NEAR(exact[i], (after[i] - before[i]) / (2 * e), 1e-5 * (1 + std::fabs(exact[i])))
          << law << ' ' << fmu.fmu.model->variables()[unknowns[i]].name;
  }
}

TEST(Fmu, WrongCallsAreAnsweredInWords) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported stranger(fmu, Interface::co_simulation, 2, false, "{other}");
  EXPECT_EQ(stranger.instance, nullptr);
  EXPECT_NE(importing::last_message().find("belongs to another FMU"), std::string::npos) << importing::last_message();
  for (const int version : {2, 3}) {
    Imported one(fmu, Interface::co_simulation, version);
    EXPECT_EQ(one.call("ExitInitializationMode"), 3);
    one.begin();
    EXPECT_EQ(one.try_set(99999, 1), 3);
    EXPECT_NE(importing::last_message().find("no variable with value reference 99999"), std::string::npos);
    EXPECT_EQ(one.try_set(fmu.reference("position"), 1), 3);
    EXPECT_EQ(one.try_set(fmu.reference("input"), std::nan("")), 3);
    EXPECT_NE(importing::last_message().find("'input' is set to nan"), std::string::npos) << importing::last_message();
    EXPECT_EQ(one.try_set(fmu.reference("machine.start.position"), 1), 3);
    EXPECT_NE(importing::last_message().find("fixed after initialization"), std::string::npos);
    auto bytes = one.save(), damaged = bytes;
    bytes.resize(bytes.size() / 2);
    EXPECT_EQ(one.load(bytes), 3);
    damaged.back() ^= decltype(damaged)::value_type{1};  // was loaded
    EXPECT_EQ(one.load(damaged), 3);
    EXPECT_NE(importing::last_message().find("the saved motion is damaged"), std::string::npos);
  }
  const Unpacked servo(fmu_of("machines/servo_pendulum.toml", with(0)));
  Imported outside(servo, Interface::model_exchange, 2);
  EXPECT_EQ(outside.instance, nullptr);
  EXPECT_NE(importing::last_message().find("use Co-Simulation"), std::string::npos);
  EXPECT_EQ(servo.fmu.description.find("<ModelExchange"), std::string::npos);
}

TEST(Fmu, InputFollowsTheFileUntilToldOtherwise) {
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0)));
  Imported one(fmu, Interface::co_simulation, 2);
  one.set_flag("input_from_file", false);
  one.begin();
  one.set("input", 1);  // the far end of the spring is 1 m away: 2 N break 1.5 N
  one.step(0, 0.1);
  EXPECT_GT(one.get("position"), 0);
  Imported other(fmu, Interface::co_simulation, 2);
  other.begin();
  other.set("input", 1);
  EXPECT_NE(importing::last_message().find("follows the exported file"), std::string::npos);
  other.step(0, 0.1);
  EXPECT_EQ(other.get("position"), 0);
}

}  // namespace
}  // namespace stickslip::fmu_instance_test
