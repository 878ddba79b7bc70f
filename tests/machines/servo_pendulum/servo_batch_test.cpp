/// Servo logs in lanes against the same logs one by one, for every instruction set, whatever lies beside them.
#include "machines/servo_pendulum/servo_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/instruction_set.hpp"

namespace stickslip::servo_batch_test {
namespace {

ServoPendulum<double> xl330() {
  ServoPendulum<double> s{};
  s.mass = 0.49, s.length = 0.1, s.armature = 1.751e-3, s.torque_constant = 0.3783, s.resistance = 2.597;
  s.supply_resistance = 2.314, s.coulomb_torque = 8.694e-3, s.load_factor = 0.272, s.stribeck_rise = 0.4332;
  s.stribeck_speed = 0.5053, s.viscosity = 5.068e-3, s.reading_lag = 0.0123;
  return s;
}

/// Slow and fast sines that stick at their turns, and drops; lengths and intervals differ.
std::vector<ServoLog> logs(std::size_t count) {
  std::vector<ServoLog> made(count);
  for (std::size_t k = 0; k < count; ++k) {
    ServoLog& log = made[k];
    const auto number = static_cast<double>(k);
    log.name = "log", log.firmware_gain = 60 + 40 * number, log.interval = k % 5 == 4 ? 0.004 : 0.005;
    log.start_angle = 0.1 * number, log.start_speed = 0.05 * number;
    for (std::size_t i = 0; i < 700 + 37 * (k % 7); ++i) {
      log.goal.push_back(1.5 * std::sin(0.005 * static_cast<double>(i) * (0.3 + 0.2 * number)));
      log.voltage.push_back(7.4 + 0.1 * std::sin(0.1 * static_cast<double>(i)));
      log.enabled.push_back(i < 600 ? 1 : 0);
    }
  }
  return made;
}

TEST(ServoBatch, EveryLogInLanesIsThatLogAlone) {
  for (const std::size_t substeps : {1u, 3u}) {
    const auto all = logs(23);
    ServoBatch batch(all);
    ASSERT_EQ(batch.logs(), all.size());
    batch.roll_out(xl330(), substeps);
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<double> alone(all[k].size());
      roll_out(xl330(), all[k], alone, substeps);
      for (std::size_t i = 0; i < alone.size(); ++i)
        ASSERT_NEAR(batch.reading(k, i), alone[i], 1e-9) << "log " << k << " sample " << i << " substeps " << substeps;
    }
  }
}

TEST(ServoBatch, ALogGivesTheSameBitsInAnyPlaceAndCompany) {
  auto all = logs(19);
  ServoBatch together(all);
  together.roll_out(xl330());
  for (std::size_t k = 0; k < all.size(); ++k) {
    ServoBatch alone(std::span<const ServoLog>(all).subspan(k, 1));
    alone.roll_out(xl330());
    for (std::size_t i = 0; i < all[k].size(); ++i) ASSERT_EQ(alone.reading(0, i), together.reading(k, i));
  }
  std::vector<ServoLog> reversed(all.rbegin(), all.rend());
  ServoBatch backwards(reversed);
  backwards.roll_out(xl330());
  for (std::size_t k = 0; k < all.size(); ++k)
    ASSERT_EQ(backwards.reading(all.size() - 1 - k, 500), together.reading(k, 500));
}

// The kernels of all sets this processor has, on one block: they may differ by rounding alone.
TEST(ServoBatch, EveryInstructionSetAgrees) {
  const auto all = logs(4);
  ServoBatch batch(all);
  batch.roll_out(xl330());
  for (const ServoBlock& b : batch.blocks()) {
    std::vector<double> reference(b.reading.size()), other(b.reading.size());
    ServoLaneTask task{b.steps.data(), b.start.data(), b.inputs.data(), b.samples, 1, reference.data()};
    baseline::roll_out_servos(task);
    task.angles = other.data();
    const auto compare = [&](const char* name) {
      for (std::size_t i = 0; i < other.size(); ++i) ASSERT_NEAR(other[i], reference[i], 1e-9) << name;
    };
#if defined(__x86_64__)
    if (is_available(InstructionSet::avx2)) avx2::roll_out_servos(task), compare("avx2");
    if (is_available(InstructionSet::avx512)) avx512::roll_out_servos(task), compare("avx512");
#endif
  }
}

TEST(ServoBatch, ALogThatMakesNoSenseIsRefused) {
  auto all = logs(2);
  all[1].goal[7] = std::nan("");
  try {
    const ServoBatch batch(all);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "servo log 'log': sample 8 is not finite");
  }
}

}  // namespace
}  // namespace stickslip::servo_batch_test
