/// The known truth of the scorecard, derived from the equations of the models, and its numbers against closed forms.
#include "check/scorecard.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "check/rig.hpp"
#include "core/error.hpp"

namespace stickslip::scorecard_test {
namespace {

Scorecard measured(const std::vector<std::string>& names, unsigned threads = 2) {
  Progress silent("check", false, stderr);
  return measure(names, silent, threads);
}

/// One letter per property, in the order of property_keys():
///   stiction presliding rate dwell lag memory stribeck viscous drift dissipation symmetry step
///
/// stiction     Under a constant load below breakaway every law here has an equilibrium at v = 0. LuGre's too: close to it
///              dz = (1 - u/F_S) dx, a spring that yields, not a fluid; what moves it on is vibration (drift).
/// presliding   All but the rigid laws: those with sliding_force and breakaway_force, Karnopp's, Nouailletas' numerical one.
/// rate         Needs a level that depends on speed while the body already moves (LuGre and its kin, elastoplastic,
///              Leuven, GMS), or time at rest that a fast ramp does not leave (hybrid-dwell). Presliding with a dashpot
///              beside it is stronger under fast ramps, the wrong way.
/// dwell        Only where time at rest is in the equations: hybrid-dwell, and the film of the modified LuGre models.
/// lag          A state that follows the level with a delay: LuGre and its kin, elastoplastic, Leuven, GMS. Dahl's and
///              Bliman-Sorine's states follow a level that does not depend on speed.
/// memory       Elements that each remember: the Maxwell-slip family, Leuven, and the hysteretic stick modes. One state
///              (or two) cannot remember nested reversals; an elastic stick has nothing to remember.
/// stribeck     Models that declare a curve. The bristle models depend on position, not on speed.
/// viscous      Models that declare a viscosity.
/// drift        "Yes" means none. A state that yields under any load drifts: Dahl, Bliman-Sorine, LuGre and its kin, and
///              Leuven a little, by (u/F_S)^n. Elastoplastic is elastic below z_ba, elements have closed loops.
/// dissipation  LuGre's σ₁ ż does work when speed rises: passive only if σ₂ ≥ σ₁ (F_S - F_C)/F_C (docs/models/lugre.md), which the set
///              breaks, as do elastoplastic and the modified ones with the same term. A sampled force acts too late.
const std::map<std::string, std::string> truth{
    {"coulomb", "ynnnnnnnyyyy"},
    {"coulomb-viscous", "ynnnnnnyyyyy"},
    {"stribeck", "ynnnnnyyyyyy"},
    {"karnopp", "ynnnnnyyyyyy"},
    {"dahl", "yynnnnnynyyy"},
    {"bliman-sorine", "yynnnnnnnyyy"},
    {"lugre", "yyynynyynnyy"},
    {"elastoplastic", "yyynynyyynyy"},
    {"leuven", "yyynyyyynyyy"},
    {"maxwell-slip", "yynnnynnyyyy"},
    {"asymmetric-maxwell-slip", "yynnnynnyyyy"},  // the reference set has no gap and equal sides
    {"extended-maxwell-slip", "yynnnynnynyy"},
    {"generalized-maxwell-slip", "yyynyyyyyyyy"},
    {"hybrid", "ynnnnnyyyyyy"},
    {"hybrid-numerical", "ynnnnnyyyyyy"},
    {"hybrid-presliding", "yynnnnyyyyyy"},
    {"hybrid-dwell", "ynyynnyyyyyy"},
    {"hybrid-hysteresis", "yynnnyyyyyyy"},
    {"hybrid-preisach", "yynnnyyyyyyy"},
    {"modified-lugre", "yyyyynyynnyy"},
    {"new-modified-lugre", "yyyyynyynnyy"},
    {"bristle", "ynnnnnnnyyyy"},
    {"bristle-sawtooth", "ynnnnnnnyyyy"},
    {"lugre-bristle", "yyynynynnyyy"},
    {"coulomb-breakaway", "ynnnnnnyyyyy"},
    {"stribeck-breakaway", "ynnnnnyyyyyy"},
    {"speed-table", "ynnnnnyyyyyy"},
    {"compensated", "ynnnnnyyyyyy"},
    {"load-dependent", "yynnnnnynyny"},  // the load does not reverse with the motion
};

TEST(Scorecard, SaysOfEveryModelWhatIsKnownOfIt) {
  const Scorecard card = measured({});
  const auto keys = property_keys();
  ASSERT_EQ(card.models.size(), truth.size());
  for (const ModelScore& model : card.models) {
    ASSERT_TRUE(truth.contains(model.model)) << model.model << ": what is known of it? add it to `truth`";
    const std::string& known = truth.at(model.model);
    ASSERT_EQ(model.properties.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const PropertyScore& s = model.properties[i];
      EXPECT_EQ(s.key, keys[i]);
      EXPECT_EQ(name_of(s.verdict), known[i] == 'y' ? "yes" : "no")
          << model.model << ", " << s.title << ": " << s.number << " " << s.unit << "; " << s.text;
    }
  }
}

// Slowly loaded, LuGre's level is F_S and dx = dz/(1 -+ σ₀ z/F_S), minus sign while loading. A load that swings between
// the parts a and b of F_S therefore moves the body, per cycle, by z_max [ln((1 - a)/(1 - b)) - ln((1 + b)/(1 + a))].
// The swing is 20 % to 60 % of the breakaway force, which is a little below F_S under a ramp.
TEST(Scorecard, LuGreDriftsAsItsEquationIntegratesTo) {
  const auto friction = make_friction("lugre", reference_values(find_model("lugre").description()));
  const Rig rig = put_on_rig(*friction);
  const double a = 0.2 * rig.breakaway / reference::stiction_force, b = 3 * a;
  const double per_cycle = reference::presliding * (std::log((1 - a) / (1 - b)) - std::log((1 + b) / (1 + a)));
  EXPECT_NEAR(no_drift(rig).number, per_cycle, 0.005 * per_cycle);  // 1 Hz is not quite slow
}

// F = F_C (1 - exp(-σ₀ x/F_C)): 95 % of F_C is reached at x = (F_C/σ₀) ln 20.
TEST(Scorecard, DahlPreslidesAlongItsVirginCurve) {
  const auto friction = make_friction("dahl", reference_values(find_model("dahl").description()));
  const Rig rig = put_on_rig(*friction);
  const double x = reference::coulomb_force / reference::stiffness * std::log(20.0);
  EXPECT_NEAR(presliding(rig).number, x, 0.005 * x);  // the ramp's breakaway has some viscosity in it
}

// Springs in parallel, 0.375 N each at 2.5, 5, 7.5 and 10 µm: 312.5 kN/m at first, and at 0.95 · 1.5 N the first three
// slip with 1.125 N and the last holds 0.3 N at 8 µm.
TEST(Scorecard, MaxwellSlipPreslidesAsItsSpringsAddUp) {
  const auto friction = make_friction("maxwell-slip", reference_values(find_model("maxwell-slip").description()));
  const PropertyScore score = presliding(put_on_rig(*friction));
  EXPECT_NEAR(score.number, 8e-6, 1e-11);
  EXPECT_NE(score.text.find("313 kN/m"), std::string::npos) << score.text;
}

// F_S(t) = 1.5 + 0.75 (1 - exp(-t/10)). The load is gone at 2.1 s and rises again, from 2.1 s + dwell on, as
// (2.5 · breakaway / 2 s) t; the body came to rest between 2 s and 2.1 s, while the force fell.
TEST(Scorecard, DwellRisesByTheModelsOwnLaw) {
  const auto friction = make_friction("hybrid-dwell", reference_values(find_model("hybrid-dwell").description()));
  const Rig rig = put_on_rig(*friction);
  const double rate = 1.25 * rig.breakaway;
  const auto level = [](double t) { return 1.5 + 0.75 * (1 - std::exp(-t / 10)); };
  const auto broke_at = [&](double dwell, double since) {  // rate · t = level(since + dwell + t)
    double t = 0;
    for (int i = 0; i < 100; ++i) t = level(since + dwell + t) / rate;
    return level(since + dwell + t);
  };
  const double least = 100 * (broke_at(100, 0.1) / broke_at(1, 0.1) - 1);
  const double most = 100 * (broke_at(100, 0.0) / broke_at(1, 0.0) - 1);
  EXPECT_GE(rising_static_friction(rig).number, least - 1e-6);
  EXPECT_LE(rising_static_friction(rig).number, most + 1e-6);
}

TEST(Scorecard, IsTheSameOnOneThreadAndOnThree) {
  const std::vector<std::string> names{"lugre", "maxwell-slip", "hybrid-dwell", "coulomb"};
  const Scorecard one = measured(names, 1), three = measured(names, 3);
  EXPECT_EQ(to_json(one).text(), to_json(three).text());
  EXPECT_EQ(one.models[1].model, "maxwell-slip");
}

TEST(Scorecard, AWrongNameSaysTheNearest) {
  try {
    measured({"coulomb", "lugr"});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "no friction model 'lugr'; did you mean 'lugre'");
  }
}

TEST(Scorecard, TablesHaveARowPerModelAndACellPerProperty) {
  const Scorecard card = measured({"coulomb", "hybrid-presliding"});
  const TextTable table = table_of(card);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.columns.size(), property_keys().size() + 1);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.rows[0][1], "✓");  // no number where it says nothing
  EXPECT_EQ(table.rows[1][2], "✓ 9.5 um");
  const TextTable one = table_of(card["hybrid-presliding"]);
  EXPECT_EQ(one.rows.size(), property_keys().size());
  EXPECT_EQ(one.rows[1][1], "yes");
  const std::string markdown = to_markdown(card);
  EXPECT_EQ(markdown.rfind("| model | rests under constant load |", 0), 0u) << markdown;
}

// ---- each property that every model has is shown to fail where it should -------------------------------------------

/// A model that is spoilt in one way.
class Spoilt : public Friction {
 public:
  explicit Spoilt(const std::string& name)
      : sound_(make_friction(name, reference_values(find_model(name).description()))) {}
  const ModelDescription& description() const override { return sound_->description(); }
  const FrictionSettings& settings() const override { return sound_->settings(); }
  Run simulate(const Body& b, const SimulationOptions& o) const override { return sound_->simulate(b, o); }
  Run simulate_fixed_step(const Body& b, const SimulationOptions& o, double h) const override {
    return sound_->simulate_fixed_step(b, o, h);
  }
  std::unique_ptr<Motion> motion(const Body& b, const SimulationOptions& o) const override {
    return sound_->motion(b, o);
  }
  std::unique_ptr<Motion> fixed_step_motion(const Body& b, const SimulationOptions& o, double h) const override {
    return sound_->fixed_step_motion(b, o, h);
  }
  std::unique_ptr<FixedStepper> fixed_stepper(double mass, double x, double v) const override {
    return sound_->fixed_stepper(mass, x, v);
  }
  std::vector<double> respond(const PrescribedMotion& m) const override { return sound_->respond(m); }
  std::vector<std::string> doubts(const Use& use) const override { return sound_->doubts(use); }
  double parameter(std::string_view key) const override { return sound_->parameter(key); }

 protected:
  std::unique_ptr<Friction> sound_;
};

/// Moves on by a picometre per second.
struct Creeping : Spoilt {
  using Spoilt::Spoilt;
  Run simulate(const Body& b, const SimulationOptions& o) const override {
    Run run = sound_->simulate(b, o);
    for (std::size_t i = 0; i < run.samples.time.size(); ++i) run.samples.position[i] += 1e-12 * run.samples.time[i];
    return run;
  }
};
/// Off by a part of the sampling interval, as an explicit step is.
struct Coarse : Spoilt {
  using Spoilt::Spoilt;
  std::vector<double> respond(const PrescribedMotion& m) const override {
    auto force = sound_->respond(m);
    for (std::size_t i = 1; i < force.size(); ++i) force[i] += 1e3 * (m.position[i] - m.position[i - 1]);
    return force;
  }
};
/// Off by much more than the tolerance.
struct Loose : Spoilt {
  using Spoilt::Spoilt;
  Run simulate(const Body& b, const SimulationOptions& o) const override {
    Run run = sound_->simulate(b, o);
    for (double& x : run.samples.position) x *= 1 + 1e5 * o.relative_tolerance;
    return run;
  }
};
/// Pushes along.
struct Driving : Spoilt {
  using Spoilt::Spoilt;
  std::vector<double> respond(const PrescribedMotion& m) const override {
    auto force = sound_->respond(m);
    for (double& f : force) f = -f;
    return force;
  }
};
/// Does not finish.
struct Stuck : Spoilt {
  using Spoilt::Spoilt;
  Run simulate(const Body&, const SimulationOptions&) const override {
    Run run;
    run.stop = Stop::endless_switching;
    run.message = "endless switching at t = 1 s";
    return run;
  }
};

TEST(Scorecard, FindsCreepOfAPicometrePerSecond) {
  const Creeping creeping("hybrid");
  const PropertyScore score = true_stiction(put_on_rig(creeping));
  EXPECT_EQ(score.verdict, Verdict::no);
  EXPECT_NEAR(score.number, 1e-9, 1e-14);  // 1000 s of it
}

TEST(Scorecard, FindsAForceThatIsNotOdd) {
  auto values = reference_values(find_model("maxwell-slip").description());
  values.emplace_back("offset", 0.015);
  const auto tilted = make_friction("maxwell-slip", values);
  const PropertyScore score = odd_symmetry(put_on_rig(*tilted));
  EXPECT_EQ(score.verdict, Verdict::no);
  EXPECT_NEAR(score.number, 2.0, 0.03);  // twice the offset against breakaway, 1.515 N
}

TEST(Scorecard, FindsNumbersThatAreTheSteps) {
  EXPECT_EQ(step_independence({Spoilt("hybrid"), 1.5, 0}).verdict, Verdict::yes);
  EXPECT_EQ(step_independence({Coarse("hybrid"), 1.5, 0}).verdict, Verdict::no);
  EXPECT_EQ(step_independence({Loose("hybrid"), 1.5, 0}).verdict, Verdict::no);
}

TEST(Scorecard, FindsFrictionThatDrives) {
  EXPECT_EQ(dissipation({Spoilt("dahl"), 1, 1e-5}).verdict, Verdict::yes);
  EXPECT_EQ(dissipation({Driving("dahl"), 1, 1e-5}).verdict, Verdict::no);
}

// ---- the rig -------------------------------------------------------------------------------------------------------

TEST(ScorecardRig, RandomPathsAreClosedAndTheSameEverywhere) {
  for (unsigned seed = 1; seed < 50; ++seed) {
    double sum = 0;
    for (const SpeedStretch& s : random_closed_path(seed)) sum += s.displacement;
    EXPECT_NEAR(sum, 0, 1e-18);
  }
  // mt19937 with seed 1 begins with 1791095845: below a half of 2^32, so the first stretch goes back.
  EXPECT_LT(random_closed_path(1).front().displacement, 0);
}

// Coulomb friction takes F_C times the path, whatever the speed.
TEST(ScorecardRig, WorkAgainstCoulombFrictionIsForceTimesPath) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 2.0}});
  const std::vector<SpeedStretch> path{{3e-5, 1e-3}, {-1e-5, 1e-1}, {2e-5, 1e-4}};
  const Response r = respond_along(*friction, path, 7);
  ASSERT_EQ(r.work.size(), 3u);
  EXPECT_NEAR(r.work[2], 2.0 * 6e-5, 1e-16);
  EXPECT_EQ(r.least_work, 0);
  EXPECT_EQ(r.force[1], -2);
}

TEST(ScorecardRig, ARunThatDoesNotFinishIsSaidSo) {
  try {
    put_on_rig(Stuck("hybrid"));
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "hybrid: the scorecard's run ended early: endless switching at t = 1 s");
  }
}

}  // namespace
}  // namespace stickslip::scorecard_test
