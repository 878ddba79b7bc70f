/// Random scenarios of one body: every run ends, and the closed form moves as the integrator does.
///
/// The reference is the same run with `propagation = "steps"` and tolerances near rounding. What the integrator itself cannot tell is
/// no reference: where it disagrees with itself at a tolerance ten times wider, or from a start moved by 1e-12 of its scale, the motion
/// depends on rounding (a body that comes to rest exactly where it would turn, a spring that breaks away exactly where an input bends).
/// Such cases are counted and must stay rare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "support/cases.hpp"
#include "support/random_one_body.hpp"

namespace stickslip::one_body_property_test {
namespace {

using test::OneBody;
using test::RandomOneBody;

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) { low = std::min(low, x), high = std::max(high, x); }
  double width() const { return high > low ? high - low : 0; }
  double size() const { return std::max(std::fabs(low), std::fabs(high)); }
};

Run run_of(const OneBody& body, bool in_closed_form, double tolerance, double shift = 0) {
  Scenario s = parse_scenario(body.text, "s.toml");
  s.options.in_closed_form = in_closed_form;
  s.options.relative_tolerance = tolerance;
  s.options.absolute_tolerance = 1e-3 * tolerance * std::min(body.length, body.velocity);
  s.options.most_steps = 1'000'000;
  s.body.position += shift * body.length;
  return run_scenario(s);
}

/// Where two runs differ by more than 1e-9 of the range, plus the rounding of the positions themselves; "" if nowhere.
std::string difference(const Run& a, const Run& b, const OneBody& body) {
  if (a.stop != b.stop) return "outcome " + std::string(name_of(a.stop)) + " and " + std::string(name_of(b.stop));
  Extent x, v;
  for (const Run* run : {&a, &b})
    for (std::size_t i = 0; i < run->samples.time.size(); ++i)
      x.add(run->samples.position[i]), v.add(run->samples.velocity[i]);
  const double rounding = 256 * std::numeric_limits<double>::epsilon();
  const double far = 1e-9 * x.width() + rounding * x.size();
  const double fast = 1e-8 * v.width() + rounding * (v.size() + x.size() * 2 * 3.15 / body.period);
  if (a.samples.time.size() != b.samples.time.size()) return "number of samples";
  for (std::size_t i = 0; i < a.samples.time.size(); ++i) {
    const std::string when = " at " + significant(a.samples.time[i], 9) + " s: ";
    if (!(std::fabs(a.samples.position[i] - b.samples.position[i]) <= far))
      return "position" + when + significant(a.samples.position[i], 15) + " and " +
             significant(b.samples.position[i], 15) + ", range " + significant(x.width(), 3);
    if (!(std::fabs(a.samples.velocity[i] - b.samples.velocity[i]) <= fast) && a.samples.mode[i] == b.samples.mode[i])
      return "velocity" + when + significant(a.samples.velocity[i], 15) + " and " +
             significant(b.samples.velocity[i], 15) + ", range " + significant(v.width(), 3);
  }
  const double soon = 1e-6 * std::min(body.period, body.duration);
  for (std::size_t i = 0; i < std::max(a.events.size(), b.events.size()); ++i) {
    const auto text = [&](const Run& r) {
      return i < r.events.size()
                 ? std::string(name_of(r.events[i].kind)) + " at " + significant(r.events[i].time, 12) + " s"
                 : "nothing";
    };
    if (i >= a.events.size() || i >= b.events.size() || a.events[i].kind != b.events[i].kind ||
        std::fabs(a.events[i].time - b.events[i].time) > soon)
      return "event " + std::to_string(i) + ": " + text(a) + " and " + text(b);
  }
  // Energies: of the motion at its fastest and of what the spring and the input bring in.
  const Ledger &l = a.ledger, &m = b.ledger;
  const double energy = std::fabs(m.work_in) + std::fabs(m.friction_heat) + std::fabs(m.stored_start) +
                        std::fabs(m.stored_end) + std::fabs(m.damper_heat);
  for (const auto member : {&Ledger::work_in, &Ledger::friction_heat, &Ledger::damper_heat})
    if (!(std::fabs(l.*member - m.*member) <= 1e-7 * energy))
      return "energy " + significant(l.*member, 12) + " and " + significant(m.*member, 12);
  return "";
}

/// Numbers that are sensible alone may make no sense together: table times that are the same to rounding, say.
bool is_accepted(const OneBody& body) {
  try {
    parse_scenario(body.text, "s.toml");
    return true;
  } catch (const Error&) {
    return false;
  }
}

Run run_text(const std::string& text) { return run_scenario(parse_scenario(text, "s.toml")); }

/// Once it slides steadily, its turning points are rounding noise; each of them ended a step.
TEST(OneBody, ASteadySlideOnADampedSpringFinishesInFewSteps) {
  const auto run = run_text(R"([machine]
kind = "pulled-spring"
mass = "2 kg"
stiffness = "5 kN/m"
damping = "60 N s/m"
[input]
kind = "table"
points = [["0 s", "7 mm"], ["5 s", "20 mm"]]
[friction]
model = "coulomb-viscous"
coulomb_force = "3 N"
viscosity = "15 N s/m"
[run]
duration = "5 s"
sample_interval = "1 ms"
)");
  EXPECT_EQ(run.stop, Stop::finished);
  EXPECT_LT(run.work.steps, 200u);
  EXPECT_NEAR(run.velocity, 0.0026, 1e-12);
}

/// Released where nothing accelerates it yet, an undamped body under a growing force has v = (1 − cos ωτ) r/k: it touches rest once
/// in every period and continues.
TEST(OneBody, ABodyThatTouchesRestGoesOn) {
  const auto run = run_text(R"toml([machine]
kind = "wall-spring"
mass = "0.0052423871976483277 kg"
stiffness = "7.2653894189951931 N/m"
damping = "0 N s/m"
[[input]]
kind = "ramp"
rate = "1.3492962421995762 N/s"
[[input]]
kind = "steps"
points = [["0.15913871414243133 s", "0 N"], ["0.37782551115520618 s", "-0.0046309724914533074 N"], ["0.51462655356262266 s", "0.16247796026812319 N"]]
[friction]
model = "coulomb"
coulomb_force = "0.0017719229214368702 N"
[run]
duration = "0.74621382030968419 s"
sample_interval = "0.0099495176041291232 s"
)toml");
  EXPECT_EQ(run.stop, Stop::finished);
  for (const Event& e : run.events) EXPECT_NE(e.kind, EventKind::stick) << e.time;
}

/// Friction that rises with speed lets a controlled body creep to its goal, where the push is the level of breakaway to the last bit:
/// it came to rest and broke away a thousand times at one instant.
TEST(OneBody, ABodyThatCreepsToTheLevelOfBreakawayRests) {
  const auto run = run_text(R"toml([machine]
kind = "pid"
mass = "369.80587090560277 kg"
proportional = "136.33480248235534 N/m"
derivative = "60.802291460939927 N s/m"
integral = "16.558779310875821 N/(m s)"
[machine.start]
position = "0.056601359329818572 m"
velocity = "-0.02183296842549335 m/s"
[input]
kind = "table"
points = [["-813.09418047870247 s", "0.0072872408066002835 m"], ["-813.09418047870247 s", "-0.0059574364533100188 m"]]
[friction]
model = "stribeck"
coulomb_force = "0.16808527979723678 N"
stiction_force = "0.1380024822863955 N"
stribeck_velocity = "0.025050638206657903 m/s"
viscosity = "60.802291460939927 N s/m"
[run]
start = "-1826.6604345048684 s"
duration = "3617.9723676151898 s"
sample_interval = "65.781315774821636 s"
)toml");
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
}

/// Its frequency grows by half within a small part of its period: looking ahead by that period found steps of 1e-22 s.
TEST(OneBody, AChirpThatEndsWithinItsFirstPeriodFinishes) {
  const auto run = run_text(R"([machine]
kind = "pulled-spring"
mass = "262 kg"
stiffness = "8 GN/m"
[input]
kind = "chirp"
amplitude = "20 pm"
start_frequency = "59 Hz"
end_frequency = "95 Hz"
duration = "10 us"
sweep = "logarithmic"
[friction]
model = "coulomb"
coulomb_force = "5 mN"
[run]
duration = "14 us"
sample_interval = "1 us"
)");
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(run.work.steps, 100u);
}

TEST(OneBody, AnInputFarFasterThanTheRunIsLongIsAnOutcome) {
  const auto run = run_text(R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "sine"
amplitude = "2 N"
frequency = "1 GHz"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "1e6 s"
sample_interval = "1000 s"
)");
  EXPECT_EQ(run.stop, Stop::no_progress);
  EXPECT_LT(run.work.steps + run.work.rejected, 2'000'000u);
  EXPECT_TRUE(run.message.starts_with("no progress at t = ")) << run.message;
  EXPECT_TRUE(run.message.ends_with("faster than the run is long")) << run.message;
}

TEST(OneBody, TooManyFixedStepsAreAnOutcome) {
  const auto run = run_text(R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "constant"
value = "2 N"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[solver]
method = "fixed-step"
step = "1 us"
most_steps = 5000
[run]
duration = "1 s"
sample_interval = "100 ms"
)");
  EXPECT_EQ(run.stop, Stop::too_many_steps);
  EXPECT_NEAR(run.time, 5e-3, 2e-6);
  EXPECT_TRUE(run.message.ends_with("; most_steps in [solver] allows more")) << run.message;
}

/// Its whole motion is smaller than the default absolute tolerance: the first step after breaking away was accepted with any error, ended
/// beyond rest, and the body came to rest and broke away a thousand times at one instant. Behind a ramp at V it slides at V in the end.
TEST(OneBody, AMountainPulledByLessThanAnAtomBreaksAwayOnce) {
  const auto run = run_text(R"toml([machine]
kind = "pid"
mass = "1e12 kg"
proportional = "1e15 N/m"
derivative = "1e15 N s/m"
[machine.start]
position = "-1e-15 m"
velocity = "0 m/s"
[input]
kind = "ramp"
rate = "-1e-15 m/s"
[friction]
model = "coulomb"
coulomb_force = "1.9510584931654531 N"
[run]
duration = "36 s"
sample_interval = "1 s"
)toml");
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.velocity, -1e-15, 1e-21);
}

/// Thirty years of creeping: where the body comes to rest within rounding, a step of hours after the next release ended beyond rest again. The
/// mode that was just entered holds at that instant, so that such a step is too long.
TEST(OneBody, ABodyThatCreepsForYearsDoesNotStickWhereItWasReleased) {
  const auto run = run_text(R"toml([machine]
kind = "pulled-spring"
mass = "1e12 kg"
stiffness = "914354785681.51758 N/m"
damping = "1e15 N s/m"
[input]
kind = "chirp"
amplitude = "1.8394402845604766e-12 m"
start_frequency = "1e-9 Hz"
end_frequency = "1e-9 Hz"
duration = "1e9 s"
[friction]
model = "karnopp"
coulomb_force = "0.12424261874047876 N"
stiction_force = "0.23952019473604858 N"
stribeck_velocity = "1e-15 m/s"
viscosity = "1e15 N s/m"
band = "1e-15 m/s"
[run]
duration = "1e9 s"
sample_interval = "156738913.7933898 s"
)toml");
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(run.events.size(), 20u);
}

/// Forces, lengths and speeds s times as large: the equations are the same in these units, so that the motion is s times as large, too,
/// with the same instants. Below s = 1e-6 the default absolute tolerances would show less and less of it.
TEST(OneBody, AMachineWithForcesABillionTimesSmallerMovesAlike) {
  const auto run_at = [](double s, const std::string& machine, const std::string& friction) {
    const auto number = [&](double value) { return significant(s * value, 17); };
    return run_text("[machine]\n" + machine + "[input]\nkind = \"ramp\"\nrate = \"" + number(0.01) +
                    " m/s\"\n[friction]\nmodel = \"" + friction + "\"\ncoulomb_force = \"" + number(1) +
                    " N\"\nviscosity = \"2 N s/m\"\n" +
                    (friction == "stribeck" ? "stiction_force = \"" + number(1.5) + " N\"\nstribeck_velocity = \"" +
                                                  number(0.005) + " m/s\"\n"
                                            : "") +
                    "[run]\nduration = \"10 s\"\nsample_interval = \"50 ms\"\n");
  };
  const std::string spring =
                        "kind = \"pulled-spring\"\nmass = \"2 kg\"\nstiffness = \"500 N/m\"\ndamping = \"3 N s/m\"\n",
                    pid =
                        "kind = \"pid\"\nmass = \"2 kg\"\nproportional = \"500 N/m\"\nderivative = \"30 N s/m\"\n"
                        "integral = \"800 N/(m s)\"\n";
  for (const auto& machine : {spring, pid})
    for (const std::string friction : {"coulomb-viscous", "stribeck"}) {
      const auto usual = run_at(1, machine, friction);
      ASSERT_EQ(usual.stop, Stop::finished);
      Extent range;
      for (const double x : usual.samples.position) range.add(x);
      for (const double s : {1e-3, 1e-6, 1e-9, 1e-12}) {
        const auto small = run_at(s, machine, friction);
        EXPECT_EQ(small.stop, Stop::finished) << small.message;
        ASSERT_EQ(small.events.size(), usual.events.size()) << machine << friction << ", " << s;
        for (std::size_t i = 0; i < usual.events.size(); ++i) {
          EXPECT_EQ(small.events[i].kind, usual.events[i].kind);
          EXPECT_NEAR(small.events[i].time, usual.events[i].time, 1e-6);
        }
        for (std::size_t i = 0; i < usual.samples.time.size(); ++i)
          ASSERT_NEAR(small.samples.position[i] / s, usual.samples.position[i], 1e-6 * range.width())
              << machine << friction << ", " << s << ", " << usual.samples.time[i] << " s";
      }
    }
}

/// A file that asks for a looser absolute tolerance than the default gets it, however small the motion.
TEST(OneBody, ALooseToleranceThatAFileStatesIsKept) {
  const std::string file = R"([machine]
kind = "pulled-spring"
mass = "2 kg"
stiffness = "500 N/m"
[input]
kind = "ramp"
rate = "10 pm/s"
[friction]
model = "stribeck"
coulomb_force = "1 nN"
stiction_force = "1.5 nN"
stribeck_velocity = "5 pm/s"
viscosity = "2 N s/m"
[run]
duration = "10 s"
sample_interval = "1 s"
[solver]
)";
  const auto usual = run_text(file), loose = run_text(file + "absolute_tolerance = \"1 pm\"\n");
  EXPECT_EQ(usual.stop, Stop::finished) << usual.message;
  EXPECT_LT(2 * loose.work.steps, usual.work.steps);
}

TEST(OneBodyProperty, ClosedFormAndStepsAgree) {
  const std::size_t count = test::cases(3000);
  std::size_t undetermined = 0, sampled_in_closed_form = 0;
  std::size_t failures = 0, refused = 0;
  for (std::size_t i = 0; i < count && failures < 5; ++i) {
    const OneBody body = RandomOneBody(1'000'000 + i, true).make();
    if (!is_accepted(body)) {
      ++refused;
      continue;
    }
    const auto exact = run_of(body, true, 1e-12), steps = run_of(body, false, 1e-12);
    const std::size_t tried = exact.work.steps + exact.work.rejected;
    const std::size_t reference = steps.work.steps + steps.work.rejected;
    std::string off = difference(exact, steps, body);
    const bool ended = exact.stop == Stop::finished || exact.stop == Stop::level_out_of_range;
    if (!ended) off = exact.message;
    if (tried > 2 * reference + 100) off = std::to_string(tried) + " steps instead of " + std::to_string(reference);
    sampled_in_closed_form += exact.work.steps < steps.work.steps;
    if (off.empty()) continue;
    if (ended && tried <= 2 * reference + 100 &&
        (!difference(run_of(body, false, 1e-11), steps, body).empty() ||
         !difference(run_of(body, false, 1e-12, 1e-12), steps, body).empty() ||
         !difference(run_of(body, false, 1e-12, -1e-12), steps, body).empty())) {
      ++undetermined;
      continue;
    }
    ADD_FAILURE() << "case " << i << ": " << off << "\n" << body.text;
    ++failures;
  }
  RecordProperty("undetermined", static_cast<int>(undetermined));
  EXPECT_LE(static_cast<double>(refused), 0.01 * static_cast<double>(count)) << "refused as a file";
  EXPECT_LE(static_cast<double>(undetermined), 0.01 * static_cast<double>(count) + 2);
  EXPECT_GT(static_cast<double>(sampled_in_closed_form), 0.1 * static_cast<double>(count));
  std::printf("%zu of %zu took the closed form, %zu undetermined, %zu refused\n", sampled_in_closed_form, count,
              undetermined, refused);
}

/// Anything that a file accepts: it finishes, or it ends with a reason, within a bounded number of steps.
TEST(OneBodyProperty, EveryRunEnds) {
  const std::size_t count = test::cases(1500), first = test::first_case();
  std::map<Stop, std::size_t> ended;
  std::size_t refused = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const OneBody body = RandomOneBody(9'000'000 + i, false).make();
    if (!is_accepted(body)) {
      ++refused;
      continue;
    }
    Scenario s = parse_scenario(body.text, "s.toml");
    s.options.most_steps = 30'000;
    const auto run = run_scenario(s);
    ++ended[run.stop];
    EXPECT_LE(run.work.steps + run.work.rejected, s.options.most_steps);
    if (run.stop == Stop::endless_switching) ADD_FAILURE() << "case " << i << ": " << run.message << "\n" << body.text;
    EXPECT_TRUE(run.stop == Stop::finished || run.message.starts_with(name_of(run.stop))) << body.text;
    if (run.stop == Stop::finished) {
      EXPECT_EQ(run.time, s.options.end);
    }
  }
  const std::size_t accepted = count - refused;
  std::printf("%zu cases, %zu refused\n", count, refused);
  for (const auto& [stop, times] : ended) std::printf("  %zu %s\n", times, std::string(name_of(stop)).c_str());
  // A share of so many, and four standard deviations of it for the number drawn.
  const auto most_of = [](std::size_t all, double share) {
    const auto n = static_cast<double>(all);
    return n * share + 4 * std::sqrt(n * share * (1 - share)) + 1;
  };
  EXPECT_LE(static_cast<double>(refused), most_of(count, 0.03));
  // Of 20 000: 92.4 % finish; a closed form that stopped getting on would cost a sixth of them.
  EXPECT_LE(static_cast<double>(accepted - ended[Stop::finished]), most_of(accepted, 0.08));
  // Numbers at the ends of what a file accepts (docs/solver.md, Progress).
  EXPECT_LE(static_cast<double>(ended[Stop::step_too_small]), most_of(accepted, 0.01));
  EXPECT_EQ(ended[Stop::endless_switching], 0u);
  EXPECT_LE(static_cast<double>(ended[Stop::not_finite]), most_of(accepted, 0.0025));
  EXPECT_EQ(ended[Stop::finished] + ended[Stop::too_many_steps] + ended[Stop::level_out_of_range] +
                ended[Stop::step_too_small] + ended[Stop::not_finite],
            accepted);
}

}  // namespace
}  // namespace stickslip::one_body_property_test
