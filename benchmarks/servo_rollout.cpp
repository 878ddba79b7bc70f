/// Roll-outs of a servo with load-dependent gear friction: 64 logs of 1200 steps. benchmarks/rivals/servo_rollout.py does the
/// same mathematics with NumPy, all logs at once.
#include <benchmark/benchmark.h>

#include <cmath>

#include "plants/servo_pendulum.hpp"

namespace {

using namespace stickslip;

ServoPendulum<double> xl330() {
  ServoPendulum<double> s{};
  s.mass = 0.49, s.length = 0.1, s.armature = 1.751e-3, s.torque_constant = 0.3783, s.resistance = 2.597;
  s.supply_resistance = 2.314, s.coulomb_torque = 8.694e-3, s.load_factor = 0.272, s.stribeck_rise = 0.4332;
  s.stribeck_speed = 0.5053, s.viscosity = 5.068e-3;
  return s;
}

std::vector<ServoLog> logs() {
  std::vector<ServoLog> made(64);
  for (std::size_t k = 0; k < made.size(); ++k) {
    ServoLog& log = made[k];
    log.firmware_gain = 100.0 + 10.0 * static_cast<double>(k), log.interval = 0.005;
    for (int i = 0; i <= 1200; ++i) {
      log.goal.push_back(1.5 * std::sin(0.005 * i * (1 + 0.1 * static_cast<double>(k))));
      log.voltage.push_back(7.4);
      log.enabled.push_back(1);
    }
  }
  return made;
}

void servo_rollout(benchmark::State& state) {
  const auto servo = xl330();
  const auto all = logs();
  std::vector<double> reading(1201);
  double sum = 0;
  for (auto _ : state) {
    sum = 0;
    for (const ServoLog& log : all) {
      roll_out(servo, log, reading);
      sum += reading.back();
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["sum_of_last_angles"] = sum;
  state.counters["ns_per_step"] =
      benchmark::Counter(64e-9 * 1200, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(servo_rollout)->Unit(benchmark::kMillisecond);

}  // namespace
