/// Motions that are held: pieces of any length, saved and restored, live inputs, an integrator outside; see machines/motion.hpp.
#include "machines/motion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "check/reference_sets.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/clutch_by_wire/clutch_by_wire.hpp"
#include "machines/cylinder/cylinder.hpp"
#include "machines/friction/friction.hpp"
#include "machines/machine.hpp"
#include "machines/mechanism/dual_clutch.hpp"
#include "support/places.hpp"

namespace stickslip::motion_test {
namespace {

std::vector<double> outputs_of(const Motion& motion) {
  std::vector<double> values(motion.outputs().size());
  motion.read(values);
  return values;
}

SimulationOptions until(double end) {
  SimulationOptions options;
  options.end = end;
  return options;
}

/// A body on a spring whose far end swings: sticks, slides both ways, dwells.
Body swinging(double scale) {
  Body body;
  body.mass = 1;
  body.drive.kind = DriveKind::pulled_spring;
  body.drive.stiffness = 300;
  body.drive.damping = 3;
  body.drive.input = Signal::sine(scale, 0.7) + Signal::ramp(0.1 * scale);
  return body;
}

struct Case {
  const RegisteredModel* model = nullptr;
  bool is_fixed = false;
};
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.model->description().name + (info.param.is_fixed ? "_fixed" : "_events");
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto* model : registered_models())
    for (const bool is_fixed : {false, true}) cases.push_back({model, is_fixed});
  return cases;
}

class EveryMotion : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    friction_ = GetParam().model->make(FrictionSettings{reference_values(GetParam().model->description()), {}, {}});
    options_.end = 4;
  }
  std::unique_ptr<Motion> start() const {
    return GetParam().is_fixed ? friction_->fixed_step_motion(body_, options_, 1e-3)
                               : friction_->motion(body_, options_);
  }
  std::unique_ptr<Friction> friction_;
  Body body_ = swinging(0.02);
  SimulationOptions options_;
};

TEST_P(EveryMotion, GoesOnFromWhatWasSavedBitForBit) {
  const auto motion = start();
  ASSERT_EQ(motion->advance(0.731), Stop::finished);
  const auto saved = motion->save();
  const auto copy = motion->clone();
  std::vector<std::vector<double>> first;
  for (int i = 1; i <= 200; ++i) {
    if (i == 90) motion->set_input(0, 0.005, 0.01);
    ASSERT_EQ(motion->advance(0.731 + 0.01 * i), Stop::finished);
    first.push_back(outputs_of(*motion));
  }
  for (Motion* again : {motion.get(), copy.get()}) {
    if (again == motion.get()) again->load(saved);
    EXPECT_EQ(again->time(), 0.731);
    for (int i = 1; i <= 200; ++i) {
      if (i == 90) again->set_input(0, 0.005, 0.01);
      ASSERT_EQ(again->advance(0.731 + 0.01 * i), Stop::finished);
      const auto now = outputs_of(*again);
      ASSERT_EQ(std::memcmp(now.data(), first[static_cast<std::size_t>(i - 1)].data(), now.size() * sizeof(double)), 0)
          << "step " << i;
    }
  }
}

TEST_P(EveryMotion, PiecesOfWholeStepsEqualOneRun) {
  if (!GetParam().is_fixed) return;  // those take pieces of any length
  const auto whole = friction_->simulate_fixed_step(body_, options_, 1e-3);
  const auto motion = start();
  for (int i = 1; i <= 400; ++i) ASSERT_EQ(motion->advance(0.01 * i), Stop::finished);
  EXPECT_EQ(motion->output(0), whole.position);
  EXPECT_EQ(motion->output(1), whole.velocity);
  EXPECT_EQ(motion->take_events().size(), whole.events.size());
}

TEST_P(EveryMotion, PiecesOfAnyLengthEqualOneRun) {
  if (GetParam().is_fixed) return;  // a fixed step that is cut is another step
  const auto whole = friction_->simulate(body_, options_);
  ASSERT_EQ(whole.stop, Stop::finished);
  const auto motion = start();
  Random random(7);
  double lowest = 0, highest = 0, fastest = 0;
  for (int i = 0; i < 1000 && motion->time() < options_.end; ++i) {
    const double piece = random.uniform() < 0.1 ? 1e-13 : 2 * options_.end / 1000 * random.uniform();
    ASSERT_EQ(motion->advance(std::min(options_.end, motion->time() + piece)), Stop::finished);
    const auto now = outputs_of(*motion);
    lowest = std::min(lowest, now[0]), highest = std::max(highest, now[0]);
    fastest = std::max(fastest, std::fabs(now[1]));
  }
  ASSERT_EQ(motion->advance(options_.end), Stop::finished);
  const auto end = outputs_of(*motion);
  EXPECT_NEAR(end[0], whole.position, 1e-12 * (highest - lowest));
  EXPECT_NEAR(end[1], whole.velocity, 1e-12 * fastest);
  EXPECT_EQ(motion->take_events().size(), whole.events.size());
}

TEST_P(EveryMotion, AccountsForItsEnergyUnderInputsThatAreSet) {
  if (GetParam().is_fixed) return;  // of first order: its residual is no rounding
  const auto motion = start();
  for (int i = 1; i <= 100; ++i) {
    motion->set_input(0, 0.02 * std::sin(0.3 * i));
    ASSERT_EQ(motion->advance(0.02 * i), Stop::finished);
  }
  double work = 0, residual = 0;
  for (const LedgerRow& row : motion->ledger()) {
    if (row.name == "work of the inputs") work = row.joule;
    if (row.name == "residual") residual = row.joule;
  }
  EXPECT_GT(work, 0);
  EXPECT_NEAR(residual, 0, 2e-6 * work);
}

TEST_P(EveryMotion, SlopesAreThoseOfDifferences) {
  const auto motion = start();
  if (GetParam().is_fixed) {
    EXPECT_TRUE(motion->states().empty());
    return;
  }
  ASSERT_EQ(motion->advance(1.234), Stop::finished);
  const std::size_t n = motion->states().size();
  std::vector<double> state(n), rates(n), more(n), slope(n), by(n, 0.0), inputs(motion->inputs().size(), 0.0);
  motion->state(state);
  motion->rates(rates);
  for (std::size_t k = 0; k < n; ++k) {
    by.assign(n, 0.0);
    by[k] = 1;
    ASSERT_TRUE(motion->slopes(by, inputs, slope));
    const double h = 1e-6 * std::max(std::fabs(state[k]), 1e-5);
    std::vector<double> up = state, down = state, below(n);
    up[k] += h, down[k] -= h;
    const auto copy = motion->clone();
    copy->set_state(1.234, up), copy->rates(more);
    copy->set_state(1.234, down), copy->rates(below);
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = (more[i] - below[i]) / (2 * h);
      EXPECT_NEAR(slope[i], difference, 1e-3 * std::fabs(difference) + 1e-6 * std::fabs(rates[i]) / h + 1e-9)
          << "rate of " << motion->states()[i].name << " by " << motion->states()[k].name;
    }
  }
}

// m dv/dt = u − 2 + 0.05 (T − 20 degC): by the temperature the rate of the velocity has the slope 0.05/m.
TEST(HeldBody, HasAnExactSlopeByTheTemperature) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 2.0}}, {},
                                      {{"coulomb_force", Quantity::temperature, {0, -0.05}, {}, {}, 293.15}});
  Body body;
  body.mass = 2;
  body.velocity = 1;
  SimulationOptions options;
  options.end = 1;
  const auto motion = friction->motion(body, options);
  ASSERT_EQ(motion->inputs().size(), 4u);
  EXPECT_EQ(motion->inputs()[3].name, "temperature");
  motion->set_input(3, 303.15);
  std::vector<double> rates(motion->states().size()), by(rates.size(), 0.0), slope(rates.size());
  motion->rates(rates);
  EXPECT_NEAR(rates[1], -1.5 / 2, 1e-15);
  ASSERT_TRUE(motion->slopes(by, std::vector<double>{0, 0, 0, 1}, slope));
  EXPECT_NEAR(slope[1], 0.05 / 2, 1e-15);
  const auto plain = make_friction("coulomb", {{"coulomb_force", 2.0}});
  EXPECT_EQ(plain->motion(body, options)->inputs().size(), 3u);  // nothing follows it
}

INSTANTIATE_TEST_SUITE_P(All, EveryMotion, testing::ValuesIn(all_cases()), name_of_case);

/// An integrator outside: fixed Runge-Kutta steps, bisection where an indicator turns negative.
void integrate_outside(Motion& motion, double until, double h) {
  const std::size_t n = motion.states().size();
  std::vector<double> y(n), k1(n), k2(n), k3(n), k4(n), w(n), z(motion.indicator_count());
  motion.settle();
  const auto step = [&](double t, const std::vector<double>& from, double length, std::vector<double>& to) {
    const auto rates = [&](double at, const std::vector<double>& state, std::vector<double>& out) {
      motion.set_state(at, state);
      motion.rates(out);
    };
    rates(t, from, k1);
    for (std::size_t i = 0; i < n; ++i) w[i] = from[i] + 0.5 * length * k1[i];
    rates(t + 0.5 * length, w, k2);
    for (std::size_t i = 0; i < n; ++i) w[i] = from[i] + 0.5 * length * k2[i];
    rates(t + 0.5 * length, w, k3);
    for (std::size_t i = 0; i < n; ++i) w[i] = from[i] + length * k3[i];
    rates(t + length, w, k4);
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i] + length / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    motion.set_state(t + length, to);
  };
  const auto lowest = [&] {
    motion.indicators(z);
    return *std::min_element(z.begin(), z.end());
  };
  std::vector<double> to(n);
  for (double t = motion.time(); t < until - 1e-12;) {
    motion.state(y);
    double length = std::min({h, until - t, motion.next_time_event() - t});
    step(t, y, length, to);
    if (lowest() < 0) {
      double low = 0, high = length;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        step(t, y, middle, to);
        (lowest() < 0 ? high : low) = middle;
      }
      step(t, y, high, to);
      length = high;
    }
    t += length;
    if (lowest() < 0 || t >= motion.next_time_event()) motion.settle();
  }
}

TEST(Motion, AnIntegratorOutsideFindsTheSameMotion) {
  const auto friction = make_friction(
      "stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 0.01}, {"viscosity", 1.0}});
  Body body = swinging(0.02);
  const SimulationOptions options = until(3);
  const auto inside = friction->motion(body, options), outside = friction->motion(body, options);
  ASSERT_EQ(inside->advance(3), Stop::finished);
  integrate_outside(*outside, 3, 1e-4);
  EXPECT_NEAR(outside->output(0), inside->output(0), 1e-7);
  EXPECT_GT(inside->take_events().size(), 4u);
}

TEST(Motion, TinyCommunicationStepsCostNothing) {
  const auto friction = make_friction("lugre", reference_values(find_model("lugre").description()));
  const Body body = swinging(0.02);
  const auto motion = friction->motion(body, until(1));
  ASSERT_EQ(motion->advance(0.5), Stop::finished);
  for (int i = 0; i < 1000; ++i) {
    motion->set_input(0, 0.01 + 1e-6 * i);  // each of them a jump
    ASSERT_EQ(motion->advance(motion->time() + 1e-13), Stop::finished) << i;
  }
  ASSERT_EQ(motion->advance(2), Stop::finished);  // beyond the planned end
}

TEST(Motion, GoesOnBeyondItsPlannedEndAsIfThatHadBeenFurther) {
  const auto friction = make_friction("stribeck", reference_values(find_model("stribeck").description()));
  const Body body = swinging(0.02);
  const auto one = friction->motion(body, until(0.5)), other = friction->motion(body, until(5));
  for (double t = 0; t < 5; t += 0.01) ASSERT_EQ(one->advance(t), Stop::finished);
  ASSERT_EQ(one->advance(5), Stop::finished);
  ASSERT_EQ(other->advance(5), Stop::finished);
  EXPECT_NEAR(one->output(0), other->output(0), 1e-9);
}

TEST(Motion, RefusesWhatCannotBe) {
  const auto friction = make_friction("coulomb", reference_values(find_model("coulomb").description()));
  const auto motion = friction->motion(swinging(0.02), until(1));
  ASSERT_EQ(motion->advance(0.3), Stop::finished);
  EXPECT_THROW(motion->advance(0.2), Error);
  EXPECT_THROW(motion->set_input(0, std::nan("")), Error);
  auto saved = motion->save();
  saved.resize(saved.size() / 2);
  EXPECT_THROW(motion->load(saved), Error);
}

/// Half of a motion, saved, ten thousandths of the rest, restored, again: the same bits. And one piece against many.
void expect_held(const std::function<std::unique_ptr<Motion>()>& start, double end, double tolerance) {
  const auto whole = start();
  ASSERT_EQ(whole->advance(end), Stop::finished);
  const auto pieces = start();
  for (int i = 1; i <= 400; ++i) ASSERT_EQ(pieces->advance(end * i / 400), Stop::finished);
  const auto a = outputs_of(*whole), b = outputs_of(*pieces);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::fabs(a[i]))) << whole->outputs()[i].name;
  EXPECT_EQ(whole->take_events().size(), pieces->take_events().size());
  const auto motion = start();
  ASSERT_EQ(motion->advance(0.4 * end), Stop::finished);
  const auto saved = motion->save();
  ASSERT_EQ(motion->advance(0.7 * end), Stop::finished);
  const auto first = outputs_of(*motion);
  motion->load(saved);
  ASSERT_EQ(motion->advance(0.7 * end), Stop::finished);
  const auto again = outputs_of(*motion);
  EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(double)), 0);
  double last = 0;
  for (const MotionEvent& e : motion->take_events()) {  // none of the way that was given up
    EXPECT_GE(e.time, last);
    last = e.time;
  }
  double residual = 1, work = 0;
  for (const LedgerRow& row : motion->ledger()) {
    if (row.name.find("work") == 0) work = std::max(work, std::fabs(row.joule));
    if (row.name == "residual") residual = row.joule;
  }
  EXPECT_NEAR(residual, 0, 1e-5 * work + 1e-9);
}

TEST(Motion, ADualClutchIsHeld) {
  const Mechanism m = dual_clutch();
  expect_held([&] { return mechanism_motion(m, until(3)); }, 3, 1e-9);
}

TEST(Motion, ACylinderAClutchAndAServoAreHeld) {
  for (const char* file : {"hydraulic_cylinder", "clutch_by_wire", "clutch_by_wire_play", "servo_pendulum", "winch"}) {
    SCOPED_TRACE(file);
    const Machine machine = read_machine(source_dir() + "/examples/machines/" + file + ".toml");
    const double end = std::min(4.0, machine.options().end);
    const bool is_servo = machine.kind().name == "servo_pendulum";
    expect_held([&] { return machine.motion(); }, is_servo ? 400 * machine.options().sample_interval : end, 1e-7);
  }
}

TEST(Motion, AMechanismTakesItsInputsLive) {
  Mechanism m = dual_clutch();
  const auto motion = mechanism_motion(m, until(3));
  std::size_t capacity = motion->inputs().size();
  for (std::size_t i = 0; i < motion->inputs().size(); ++i)
    if (motion->inputs()[i].name.find("capacity") != std::string::npos && capacity == motion->inputs().size())
      capacity = i;
  ASSERT_LT(capacity, motion->inputs().size());
  motion->set_input(capacity, 0.8);
  ASSERT_EQ(motion->advance(1), Stop::finished);
  double residual = 1;
  for (const LedgerRow& row : motion->ledger())
    if (row.name == "residual") residual = row.joule;
  EXPECT_NEAR(residual, 0, 1e-3);
  EXPECT_EQ(motion->input(capacity), 0.8);
}

}  // namespace
}  // namespace stickslip::motion_test
