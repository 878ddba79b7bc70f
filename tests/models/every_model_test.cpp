/// Promises that every registered model keeps, checked over random parameter sets, and each check shown to notice a
/// model that breaks its promise.
#include <gtest/gtest.h>

#include <functional>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/register_model.hpp"
#include "models/lugre.hpp"
#include "random_models.hpp"
#include "support/cases.hpp"

namespace stickslip::every_model_test {
namespace {
using namespace random_models;

const std::size_t sets_per_model = test::cases(3000);

/// Friction along a motion for given parameters: of a registered model, or of a broken one below.
using Responder = std::function<std::vector<double>(const ParameterValues&, const PrescribedMotion&)>;

Responder responder_of(const RegisteredModel& model) {
  return [&model](const ParameterValues& values, const PrescribedMotion& motion) {
    return model.make({values, {}, {}})->respond(motion);
  };
}
template <template <class> class Model>
Responder responder_of() {
  return [](const ParameterValues& values, const PrescribedMotion& motion) {
    Varied<Model> friction;
    assign(described<Model>(), values, friction.forward, false);
    friction.backward = friction.forward;
    return respond_to(friction, motion);
  };
}

double largest(const std::vector<double>& force) {
  double most = 0;
  for (double f : force) most = std::isfinite(f) ? std::fmax(most, std::fabs(f)) : HUGE_VAL;
  return most;
}

// ---- the promises -------------------------------------------------------------------------------------------------

/// From an unstrained start friction takes energy and gives back no more than it stored: the work against it is never
/// negative. The force at the end of each way counts for the whole of it, which for a force that grows along the way is
/// at least the true work.
bool dissipates(const Responder& respond, const ParameterValues& values, const PrescribedMotion& motion) {
  const auto force = respond(values, motion);
  double work = 0, moved = 0;
  for (std::size_t i = 1; i < force.size(); ++i) {
    const double part = force[i] * (motion.position[i] - motion.position[i - 1]);
    work += part;
    moved += std::fabs(part);
    if (!(work >= -1e-9 * moved)) return false;
  }
  return true;
}

/// The mirrored motion has the mirrored force.
bool is_odd(const Responder& respond, const ParameterValues& values, const PrescribedMotion& motion) {
  PrescribedMotion mirrored = motion;
  for (double& x : mirrored.position) x = -x;
  // What a transmission carries is mirrored with its motion.
  const auto opposite = with(values, "transmitted_load", -number_of(values, "transmitted_load"));
  const auto force = respond(values, motion), back = respond(opposite, mirrored);
  const double scale = largest(force);
  for (std::size_t i = 0; i < force.size(); ++i)
    if (!(std::fabs(force[i] + back[i]) <= 1e-9 * scale)) return false;
  return true;
}

/// Without damping and viscosity the force never exceeds its level: the bristles stay inside |z| ≤ F/σ₀. Equations
/// without a closed form are held to 1e-8 of their state's scale.
bool is_bounded(const Responder& respond, const ParameterValues& values, const PrescribedMotion& motion, double bound) {
  return largest(respond(values, motion)) <= bound * (1 + 1e-7);
}

/// Powers of two by which lengths, times and masses are converted to other units, so that nothing is rounded.
struct Units {
  double length, time, mass;
  double factor(std::string_view unit) const {
    const Dimension d = parse_unit(unit).dimension;
    return std::pow(length, d.m) * std::pow(time, d.s) * std::pow(mass, d.kg);
  }
};
/// In other units the same friction has the same force, in those units.
bool scales(const Responder& respond, const ModelDescription& model, const ParameterValues& values,
            const PrescribedMotion& motion, const Units& units) {
  ParameterValues told = values;
  for (const auto& p : model.parameters) {
    auto* value = find(told, p.key);
    if (!value) continue;
    if (auto* number = std::get_if<double>(value)) *number *= units.factor(p.unit);
    if (auto* list = std::get_if<std::vector<double>>(value))
      for (double& x : *list) x *= units.factor(p.unit);
  }
  PrescribedMotion retold = motion;
  for (double& x : retold.position) x *= units.length;
  for (double& t : retold.time) t *= units.time;
  const auto force = respond(values, motion), other = respond(told, retold);
  const double scale = largest(force);
  for (std::size_t i = 0; i < force.size(); ++i)
    if (!(std::fabs(other[i] / units.factor("N") - force[i]) <= 1e-7 * scale)) return false;
  return true;
}

/// The highest force a model may show without damping and viscosity [N].
double bound_of(const std::string& model, const ParameterValues& v) {
  if (model == "maxwell-slip" || model == "asymmetric-maxwell-slip" || model == "leuven")
    return sum_of_products(v, "thresholds", "stiffnesses");
  if (model == "hybrid-hysteresis")
    return std::max(number_of(v, "coulomb_force"), sum_of_products(v, "thresholds", "stiffnesses"));
  if (model == "extended-maxwell-slip") {  // every deflection at its threshold
    double sum = 0;
    const auto *thresholds = list_of(v, "thresholds"), *factors = list_of(v, "deflection_coefficients_0");
    for (std::size_t i = 0; i < thresholds->size(); ++i) sum += (*thresholds)[i] * std::fabs((*factors)[i]);
    return sum;
  }
  if (model == "speed-table") {
    const auto* levels = list_of(v, "levels");
    return *std::max_element(levels->begin(), levels->end());
  }
  if (model == "load-dependent")
    return std::fabs(number_of(v, "transmitted_load")) *
           (number_of(v, "friction_coefficient") + std::fabs(number_of(v, "coefficient_difference")));
  if (model == "bliman-sorine") return number_of(v, "fast_force") + number_of(v, "slow_force");
  if (model == "bristle-sawtooth") return number_of(v, "high_force");
  if (model == "bristle") {  // no more bristles than fit into the reach, none above κ max(θ cos²θ)/h = 0.4120 κ/h
    const double angle = number_of(v, "normal_force") * number_of(v, "bristle_length") /
                         (number_of(v, "bristle_count") * number_of(v, "torsional_stiffness"));
    const double length = number_of(v, "bristle_length");
    const double spacing = number_of(v, "body_width") / (number_of(v, "bristle_count") - 1);
    return (std::floor(length * std::sin(angle) / spacing) + 1) * 0.4120 * number_of(v, "torsional_stiffness") /
           (length * std::cos(angle));
  }
  if (model == "lugre-bristle")
    return number_of(v, "hinge_stiffness") / number_of(v, "bristle_height") *
           (number_of(v, "coulomb_angle") + number_of(v, "stribeck_angle"));
  return highest_level(v);
}

ParameterValues undamped(const ParameterValues& values) {
  auto v = with(with(values, "bristle_damping", 0), "viscosity", 0);
  if (auto* value = find(v, "levels")) {  // a table that ends level: its last line continues without end
    auto& levels = std::get<std::vector<double>>(*value);
    if (levels.size() > 1) levels.back() = levels[levels.size() - 2];
  }
  return with(with(v, "drag", 0), "damping_ratio", 1e-12);
}

// ---- every model --------------------------------------------------------------------------------------------------

class EveryModel : public ::testing::TestWithParam<const RegisteredModel*> {
 protected:
  /// How many random sets and motions fail; the first is reported.
  template <class Holds>
  int failures(const Holds& holds) {
    Random random(20240607);
    int failed = 0;
    for (std::size_t i = 0; i < sets_per_model; ++i) {
      const ParameterValues values = draw(random, *GetParam());
      const PrescribedMotion motion = random_motion(random);
      if (holds(values, motion, random)) continue;
      if (failed++ > 0) continue;
      std::string told = "set " + std::to_string(i) + ":";
      for (const auto& [key, value] : values) {
        told += " " + key;
        if (const auto* number = std::get_if<double>(&value)) told += " " + shortest(*number);
        if (const auto* list = std::get_if<std::vector<double>>(&value))
          for (double x : *list) told += " " + shortest(x);
      }
      told += "; motion";
      for (std::size_t k = 0; k < motion.time.size(); ++k)
        told += " (" + shortest(motion.time[k]) + ", " + shortest(motion.position[k]) + ")";
      ADD_FAILURE() << told;
    }
    return failed;
  }
  const std::string& name() const { return GetParam()->description().name; }
};

/// The sets for which a model promises to dissipate.
ParameterValues passive(const std::string& model, const ParameterValues& values) {
  // LuGre's damping is passive only inside a condition that the textbook sets break (see its doubts).
  const auto bare = with(values, "bristle_damping", 0);
  // A slipping GMS element follows the level in time, not along the way: while the body slows down the level rises, and
  // the spring is loaded without any work from outside. Without a Stribeck peak there is nothing to follow.
  if (model == "generalized-maxwell-slip") return with(bare, "stiction_force", number_of(bare, "coulomb_force"));
  return bare;
}

TEST_P(EveryModel, Dissipates) {
  // A regression on lagged deflections with coefficients of either sign may well give energy: it promises nothing.
  if (name() == "extended-maxwell-slip") GTEST_SKIP() << "promises no dissipation";
  const auto respond = responder_of(*GetParam());
  EXPECT_EQ(failures([&](const ParameterValues& values, const PrescribedMotion& motion, Random&) {
              return dissipates(respond, passive(name(), values), motion);
            }),
            0);
}

TEST_P(EveryModel, IsOdd) {
  const auto respond = responder_of(*GetParam());
  EXPECT_EQ(failures([&](const ParameterValues& values, const PrescribedMotion& motion, Random&) {
              return is_odd(respond, values, motion);
            }),
            0);
}

TEST_P(EveryModel, KeepsItsForceAndSoItsBristlesWithinBounds) {
  const auto respond = responder_of(*GetParam());
  EXPECT_EQ(failures([&](const ParameterValues& values, const PrescribedMotion& motion, Random&) {
              const auto bare = undamped(values);
              return is_bounded(respond, bare, motion, bound_of(name(), bare));
            }),
            0);
}

TEST_P(EveryModel, DoesNotDependOnTheUnits) {
  const auto respond = responder_of(*GetParam());
  const auto& description = GetParam()->description();
  bool knows_mass = false;  // damping relative to critical knows the body's mass, which a given motion leaves at 1 kg
  for (const auto& p : description.parameters) knows_mass = knows_mass || p.key == "damping_ratio";
  EXPECT_EQ(failures([&](const ParameterValues& values, const PrescribedMotion& motion, Random& random) {
              const auto power = [&] { return std::exp2(std::uniform_int_distribution<int>(-10, 10)(random)); };
              return scales(respond, description, values, motion, {power(), power(), knows_mass ? 1.0 : power()});
            }),
            0);
}

TEST_P(EveryModel, IsDescribedCompletely) {
  const auto& d = GetParam()->description();
  for (const auto& text : {d.name, d.title, d.equations, d.source, d.captures, d.lacks}) EXPECT_FALSE(text.empty());
  EXPECT_EQ(d.name.find('_'), std::string::npos);
  EXPECT_FALSE(d.parameters.empty());
  std::vector<std::string> keys;
  for (const auto& p : d.parameters) {
    EXPECT_EQ(std::count(keys.begin(), keys.end(), p.key), 0) << p.key;
    keys.push_back(p.key);
    for (char c : p.key) EXPECT_TRUE(c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) << p.key;
    EXPECT_FALSE(p.meaning.empty()) << p.key;
    EXPECT_NO_THROW(parse_unit(p.unit)) << p.key;
    EXPECT_EQ(p.kind == ParameterKind::choice, !p.choices.empty()) << p.key;
    EXPECT_LT(p.low, p.high) << p.key;
    EXPECT_TRUE(p.scale == Scale::linear || p.low > 0) << p.key;
    EXPECT_TRUE(p.domain == Domain::real || p.low >= 0) << p.key;
    for (std::string_view text : {std::string_view(p.symbol), std::string_view(p.meaning)})  // can be written as JSON
      for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = character_length(text.substr(i));
        ASSERT_GT(length, 0u) << p.key;
        EXPECT_GE(static_cast<unsigned char>(text[i]), 0x20) << p.key;
        i += length;
      }
  }
}

/// Values outside a parameter's domain are refused with its name and the value.
TEST_P(EveryModel, RefusesWhatItsTableForbids) {
  Random random(3);
  const auto& d = GetParam()->description();
  ParameterValues good = draw(random, *GetParam());
  for (const auto& p : d.parameters) {
    if (p.kind == ParameterKind::choice || !find(good, p.key)) continue;
    for (double bad : {-1.5, std::nan(""), HUGE_VAL}) {
      if (bad == -1.5 && p.domain == Domain::real) continue;
      ParameterValues values = good;
      auto* value = find(values, p.key);
      if (p.kind == ParameterKind::list)
        std::get<std::vector<double>>(*value)[0] = bad;
      else
        *value = bad;
      try {
        GetParam()->make({values, {}, {}});
        ADD_FAILURE() << p.key << " = " << bad << " was accepted";
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(p.key + " is " + shortest(bad)), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find(allowed_range(p.domain)), std::string::npos) << e.what();
      }
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<const RegisteredModel*>& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(registered_models()), test_name);

// ---- the checks notice --------------------------------------------------------------------------------------------

/// LuGre with the sign of the bristles inverted: it drives the motion.
namespace drives {
template <class P>
struct Model : lugre::Model<P> {};
template <class P, class T>
T force(const Model<P>& m, const T& z, const T&, const Contact<T>& c) {
  return m.viscosity * c.velocity - m.bristle_stiffness * z;
}
}  // namespace drives

/// LuGre with a viscosity that forgets which way the body moves.
namespace lopsided {
template <class P>
struct Model : lugre::Model<P> {};
template <class P, class T>
T force(const Model<P>& m, const T& z, const T&, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.viscosity * abs(c.velocity);
}
}  // namespace lopsided

/// LuGre whose bristles never slip.
namespace unbounded {
template <class P>
struct Model : lugre::Model<P> {};
template <class P, class T>
T hold(const Model<P>&, const T& z, const Contact<T>& c, double duration) {
  return z + c.velocity * duration;
}
}  // namespace unbounded

/// LuGre with a speed of 1 mm/s written into the formula instead of the table.
namespace metric {
template <class P>
struct Model : lugre::Model<P> {};
template <class P, class T>
T force(const Model<P>& m, const T& z, const T&, const Contact<T>& c) {
  return m.bristle_stiffness * z + m.coulomb_force * c.velocity / (abs(c.velocity) + 1e-3);
}
}  // namespace metric

/// The share of random sets for LuGre's table that keep the promise.
template <class Holds>
double share_that_holds(const Holds& holds) {
  Random random(8);
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto values = with(draw(random, find_model("lugre")), "bristle_damping", 0);
    kept += holds(values, random_motion(random)) ? 1 : 0;
  }
  return kept / 1000.0;
}

TEST(EveryModelsChecks, NoticeFrictionThatDrives) {
  const auto share = [](const Responder& r) {
    return share_that_holds([&](const auto& v, const auto& motion) { return dissipates(r, v, motion); });
  };
  EXPECT_EQ(share(responder_of<lugre::Model>()), 1);
  EXPECT_LT(share(responder_of<drives::Model>()), 0.5);
}
// Fast sliding at F_C = 1 N, then a long slow way at F_S = 3 N, then back: the spring returns more than it was given.
TEST(EveryModelsChecks, NoticeThatGmsWithAStribeckHumpCanGiveEnergy) {
  const auto respond = responder_of(find_model("generalized-maxwell-slip"));
  const ParameterValues values{{"stiffnesses", std::vector{100.0}},
                               {"shares", std::vector{1.0}},
                               {"attraction", 10.0},
                               {"coulomb_force", 1.0},
                               {"stiction_force", 3.0},
                               {"stribeck_velocity", 0.01}};
  const PrescribedMotion motion{{0, 0.01, 10, 11, 12, 13}, {0, 0.0101, 0.01011, 0.0051, 0.0001, -0.0049}, {}, {}};
  EXPECT_FALSE(dissipates(respond, values, motion));
  EXPECT_TRUE(dissipates(respond, with(values, "stiction_force", 1), motion));
}
TEST(EveryModelsChecks, NoticeFrictionThatIsNotOdd) {
  const auto share = [](const Responder& r) {
    return share_that_holds([&](const auto& v, const auto& motion) { return is_odd(r, v, motion); });
  };
  EXPECT_EQ(share(responder_of<lugre::Model>()), 1);
  EXPECT_LT(share(responder_of<lopsided::Model>()), 0.5);
}
TEST(EveryModelsChecks, NoticeBristlesWithoutBounds) {
  const auto share = [](const Responder& r) {
    return share_that_holds(
        [&](const auto& v, const auto& motion) { return is_bounded(r, undamped(v), motion, highest_level(v)); });
  };
  EXPECT_EQ(share(responder_of<lugre::Model>()), 1);
  EXPECT_LT(share(responder_of<unbounded::Model>()), 0.8);
}
TEST(EveryModelsChecks, NoticeAHiddenUnit) {
  const auto share = [](const Responder& r) {
    return share_that_holds([&](const auto& v, const auto& motion) {
      return scales(r, find_model("lugre").description(), v, motion, {64, 0.25, 8});
    });
  };
  EXPECT_EQ(share(responder_of<lugre::Model>()), 1);
  EXPECT_LT(share(responder_of<metric::Model>()), 0.5);
}

// ---- presliding ---------------------------------------------------------------------------------------------------

/// Whether a body that rests under hybrid-presliding stays within z_max for good under random forces |u| ≤ F_S.
bool stays_within_limit(const ParameterValues& values, Random& random) {
  const auto friction = make_friction("hybrid-presliding", values);
  const double stiction = number_of(values, "stiction_force"), limit = number_of(values, "presliding_limit");
  Body body;
  body.mass = logarithmic(random, 0.01, 100);
  const double unit = std::sqrt(body.mass * limit / stiction);  // of the oscillation [s]
  std::vector<double> times{0}, forces{stiction * uniform(random, -1, 1)};
  while (times.size() < 8) {  // steps and ramps, full force more often than not
    const double next =
        random() % 2 == 0 ? std::copysign(stiction, uniform(random, -1, 1)) : stiction * uniform(random, -1, 1);
    times.push_back(times.back() + (random() % 2 == 0 ? 0 : unit * uniform(random, 0.1, 4)));
    forces.push_back(next);
    times.push_back(times.back() + unit * uniform(random, 0.1, 6));
    forces.push_back(next);
  }
  body.drive = {DriveKind::applied_force, 0, 0, 0, Signal::table(times, forces)};
  SimulationOptions options;
  options.end = times.back() + 3 * unit;
  options.sample_interval = options.end / 64;
  options.relative_tolerance = 1e-7;
  options.absolute_tolerance = 1e-8 * limit / std::max(1.0, unit);
  const auto run = friction->simulate(body, options);
  if (run.stop != Stop::finished) return false;
  for (double z : run.samples.position)
    if (std::fabs(z) > limit * (1 + 1e-5)) return false;
  return run.ledger.events[static_cast<std::size_t>(EventKind::mode_exit)] == 0;
}

// The response of a critically damped spring to a unit impulse is positive with area 1/k₁, so |z| ≤ max|u|/k₁ = z_max.
TEST(Presliding, StaysWithinItsLimitUnderAnyForceUpToStiction) {
  Random random(11);
  int left = 0;
  for (std::size_t i = 0; i < sets_per_model; ++i)
    left += stays_within_limit(with(draw(random, find_model("hybrid-presliding")), "damping_ratio", 1), random) ? 0 : 1;
  EXPECT_EQ(left, 0);
}
TEST(Presliding, TheCheckNoticesASpringThatSwings) {
  Random random(12);
  int left = 0;
  for (int i = 0; i < 200; ++i)
    left +=
        stays_within_limit(with(draw(random, find_model("hybrid-presliding")), "damping_ratio", 0.2), random) ? 0 : 1;
  EXPECT_GT(left, 100);
}

}  // namespace
}  // namespace stickslip::every_model_test
