/// FMUs in the hands of a tool that does everything wrong: each wrong call is refused in one line, and the instance can be used on.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "core/random.hpp"
#include "fmus.hpp"
#include "support/cases.hpp"

namespace stickslip::fmu_misuse_test {
namespace {

using namespace importing;

const std::vector<const char*> misused{"stick_slip.toml",          "machines/pulled_pair.toml",
                                       "machines/winch.toml",      "machines/hydraulic_cylinder.toml",
                                       "machines/servo_axis.toml", "machines/clutch_by_wire.toml"};

/// Values far off may need many steps: a run that goes on too long is one of the refusals.
Unpacked hasty_fmu(const std::string& file, int version) {
  const std::string text = read_whole(example(file)) + "\n[solver]\nmost_steps = 3000\n";
  return Unpacked(describe_fmu(text, example(file), with(0, version)));
}

std::vector<importing::Reference> real_variables(const Unpacked& fmu) {
  std::vector<importing::Reference> found;
  const auto& all = fmu.fmu.model->variables();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].type == FmuType::real) found.push_back(static_cast<importing::Reference>(i));
  return found;
}

/// What the instance shows after a few steps.
std::vector<double> usual_run(Imported& one, const std::vector<importing::Reference>& shown) {
  one.begin();
  std::vector<double> seen;
  for (int k = 0; k < 7; ++k) {
    one.step(0.013 * k, 0.013);
    for (const importing::Reference r : shown) seen.push_back(one.get(r));
  }
  return seen;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << what;
}

/// A status that is no success comes with one line of words.
void expect_words(int status, const std::string& what) {
  if (status == 0) return;
  EXPECT_GT(last_message().size(), 10u) << what;
  EXPECT_EQ(last_message().find('\n'), std::string::npos) << what << ": " << last_message();
}

/// One call that may make no sense at this moment.
void do_anything(Imported& one, const std::vector<importing::Reference>& variables, double& time, Random& random) {
  constexpr std::array<double, 12> values{0, -1, 1, 1e-3, 1e9, -1e9, 1e300, -1e300, 5e-324, NAN, INFINITY, 0.1};
  constexpr std::array<double, 8> lengths{0, -1, NAN, INFINITY, 1e-18, 1e-3, 0.02, 0.1};
  const auto any = [&](const auto& list) { return list[random.below(list.size())]; };
  last_message().clear();
  switch (random.below(11)) {
    case 0:
    case 1:
      return expect_words(one.try_set(any(variables), any(values)), "set");
    case 2: {
      one.get(any(variables));
      return;
    }
    case 3:
    case 4:
    case 5: {
      const double length = any(lengths);
      const int status = one.try_step(time, length);
      expect_words(status, "step");
      if (status == 0) time += length;
      return;
    }
    case 6:
    case 7: {
      std::vector<char> saved;
      expect_words(one.try_save(saved), "save");
      if (!saved.empty() && random.below(2) == 0) saved.resize(random.below(saved.size()));
      last_message().clear();
      return expect_words(one.load(saved), "load");
    }
    case 8:
      expect_words(one.call("Reset"), "reset");
      time = 0;
      return;
    case 9:
      return expect_words(one.enter_initialization(), "initialization");
    default:
      return expect_words(one.call(random.below(4) == 0 ? "Terminate" : "ExitInitializationMode"), "phase");
  }
}

TEST(FmuMisuse, CallsInAnyOrderWithAnyValueAreRefusedInWordsAndForgottenByReset) {
  for (const char* file : misused)
    for (const int version : {2, 3}) {
      SCOPED_TRACE(std::string(file) + ", FMI " + std::to_string(version));
      const Unpacked fmu = hasty_fmu(file, version);
      const auto variables = real_variables(fmu);
      Imported fresh(fmu, Interface::co_simulation, version);
      const auto expected = usual_run(fresh, variables);
      Random random(17);
      for (std::size_t i = 0; i < test::cases(12); ++i) {
        Imported one(fmu, Interface::co_simulation, version);
        ASSERT_NE(one.instance, nullptr) << last_message();
        if (i % 2) one.begin();
        double time = 0;
        for (int k = 0; k < 60; ++k) do_anything(one, variables, time, random);
        ASSERT_EQ(one.call("Reset"), 0) << last_message();
        expect_same_bits(usual_run(one, variables), expected, "after case " + std::to_string(i));
        if (::testing::Test::HasFailure()) return;
      }
    }
}

TEST(FmuMisuse, ParameterOutOfRangeIsRefusedAtOnceAndTheOldValueStays) {
  for (const int version : {2, 3}) {
    const Unpacked fmu(body_fmu(find_model("lugre").description(), version));
    Imported one(fmu, Interface::co_simulation, version), untouched(fmu, Interface::co_simulation, version);
    const importing::Reference level = fmu.reference("friction.coulomb_force");
    const double usual = one.get(level);
    const auto refuse = [&] {
      EXPECT_EQ(one.try_set(level, -1), 3);
      EXPECT_NE(last_message().find("'friction.coulomb_force' is set to -1 N; it must be at least 0"),
                std::string::npos)
          << last_message();
      EXPECT_EQ(one.get(level), usual);
    };
    refuse();
    one.begin(), untouched.begin();
    refuse();
    for (Imported* which : {&one, &untouched}) {
      which->set("input", 2);
      which->step(0, 0.1);
    }
    EXPECT_EQ(one.get("position"), untouched.get("position"));
    // Numbers that are wrong only together are refused where they are used; setting them right again is enough.
    EXPECT_EQ(one.try_set(fmu.reference("friction.stribeck_velocity"), 0), 0);
    EXPECT_EQ(one.try_step(0.1, 0.1), 3);
    EXPECT_NE(last_message().find("stribeck_velocity"), std::string::npos) << last_message();
    one.set("friction.stribeck_velocity", untouched.get("friction.stribeck_velocity"));
    one.step(0.1, 0.1);
    EXPECT_GT(one.get("position"), 0);
  }
}

TEST(FmuMisuse, StepsOfNoLengthAndInputsThatAreNoNumbersChangeNothing) {
  for (const char* file : misused) {
    SCOPED_TRACE(file);
    const Unpacked fmu(fmu_of(file, with(0)));
    const auto variables = real_variables(fmu);
    Imported one(fmu, Interface::co_simulation, 2), untouched(fmu, Interface::co_simulation, 2);
    one.begin(), untouched.begin();
    for (int k = 0; k < 5; ++k) {
      for (const double length : {0.0, -1.0, double(NAN), double(INFINITY)}) {
        EXPECT_EQ(one.try_step(0.01 * k, length), 3);
        EXPECT_NE(last_message().find("its length must be positive"), std::string::npos) << last_message();
      }
      EXPECT_EQ(one.try_step(0.01 * k + 1, 0.01), 3);
      EXPECT_NE(last_message().find("the instance is at"), std::string::npos) << last_message();
      for (std::size_t i = 0; i < variables.size(); ++i)
        if (fmu.fmu.model->variables()[variables[i]].role == FmuRole::input) {
          EXPECT_EQ(one.try_set(variables[i], NAN), 3);
          EXPECT_EQ(one.try_set(variables[i], INFINITY), 3);
        }
      one.step(0.01 * k, 0.01), untouched.step(0.01 * k, 0.01);
    }
    for (const importing::Reference r : variables) EXPECT_EQ(one.get(r), untouched.get(r)) << r;
  }
}

TEST(FmuMisuse, InputSetBeforeOrDuringInitializationActsFromTheStart) {
  const auto& law = find_model("stribeck").description();
  for (const int version : {2, 3}) {
    const Unpacked fmu(body_fmu(law, version));
    std::array<double, 3> position{};
    for (int when = 0; when < 3; ++when) {
      Imported one(fmu, Interface::co_simulation, version);
      if (when == 0) one.set("input", 3);
      ASSERT_EQ(one.enter_initialization(), 0);
      if (when == 1) {
        one.set("input", 3);
        EXPECT_EQ(one.get("applied_force"), 3);
      }
      ASSERT_EQ(one.call("ExitInitializationMode"), 0);
      if (when == 2) one.set("input", 3);
      one.step(0, 0.1);
      position[static_cast<std::size_t>(when)] = one.get("position");
    }
    EXPECT_GT(position[0], 0);
    EXPECT_EQ(position[0], position[1]);
    EXPECT_NEAR(position[0], position[2], 1e-9 * position[0]);  // other steps: it has begun at rest
  }
}

// At the instant of an event, where a step of FMI 3 ends: what is saved there goes on with the same bits.
TEST(FmuMisuse, StateSavedAtAnEventGoesOnAsIfItHadNotBeen) {
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0, 3)));
  const auto variables = real_variables(fmu);
  Imported one(fmu, Interface::co_simulation, 3, true);
  one.begin();
  double t = 0;
  int events = 0;
  const auto go_on = [&](double from) {
    one.call("EnterEventMode");
    one.handle_event();
    one.call("EnterStepMode");
    one.step(from, 1e-3);
    std::vector<double> seen;
    for (const importing::Reference r : variables) seen.push_back(one.get(r));
    return seen;
  };
  while (t < 20) {
    t = one.step(t, 0.5);
    if (!one.was_early) continue;
    ++events;
    const auto saved = one.save();
    const auto first = go_on(t);
    ASSERT_EQ(one.load(saved), 0) << last_message();
    expect_same_bits(go_on(t), first, "event at " + std::to_string(t));
    ASSERT_EQ(one.load(saved), 0) << last_message();
    one.call("EnterEventMode");
    one.handle_event();
    one.call("EnterStepMode");
  }
  EXPECT_GE(events, 4);
}

}  // namespace
}  // namespace stickslip::fmu_misuse_test
