/// Roll-outs of a servo with load-dependent gear friction: 64 logs of 1200 steps, one after the other and in SIMD lanes, a
/// fit to them, and how time grows with logs. benchmarks/rivals/servo_rollout.py does the same mathematics with NumPy, all
/// logs at once.
#include <benchmark/benchmark.h>

#include <cmath>

#include "core/random.hpp"
#include "identification/experiments/servo_fit.hpp"
#include "machines/servo_pendulum/servo_batch.hpp"

namespace {

using namespace stickslip;

ServoPendulum<double> xl330() {
  ServoPendulum<double> s{};
  s.mass = 0.49, s.length = 0.1, s.armature = 1.751e-3, s.torque_constant = 0.3783, s.resistance = 2.597;
  s.supply_resistance = 2.314, s.coulomb_torque = 8.694e-3, s.load_factor = 0.272, s.stribeck_rise = 0.4332;
  s.stribeck_speed = 0.5053, s.viscosity = 5.068e-3;
  return s;
}

std::vector<ServoLog> logs(std::size_t count) {
  std::vector<ServoLog> made(count);
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

void count_steps(benchmark::State& state, std::size_t logs) {
  state.counters["ns_per_step"] = benchmark::Counter(
      static_cast<double>(logs) * 1200e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void servo_rollout_one_by_one(benchmark::State& state) {
  const auto servo = xl330();
  const auto all = logs(64);
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
  count_steps(state, all.size());
}
BENCHMARK(servo_rollout_one_by_one)->Unit(benchmark::kMillisecond);

/// The difference is the largest from any angle of any log rolled out alone [rad].
void servo_rollout(benchmark::State& state) {
  const auto servo = xl330();
  const auto all = logs(static_cast<std::size_t>(state.range(0)));
  ServoBatch batch(all);
  for (auto _ : state) {
    batch.roll_out(servo);
    benchmark::ClobberMemory();
  }
  double sum = 0, difference = 0;
  std::vector<double> reading(1201);
  for (std::size_t k = 0; k < all.size(); ++k) {
    roll_out(servo, all[k], reading);
    for (std::size_t i = 0; i < reading.size(); ++i)
      difference = std::max(difference, std::fabs(batch.reading(k, i) - reading[i]));
    sum += batch.reading(k, 1200);
  }
  state.counters["sum_of_last_angles"] = sum;
  state.counters["difference"] = difference;
  state.SetComplexityN(state.range(0));
  count_steps(state, all.size());
}
BENCHMARK(servo_rollout)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond)->Complexity();

/// Four numbers found again from a start that is off by up to 40 %, in readings with 1 mrad of noise; the error is that of
/// (1) in servo_fit.hpp [rad].
void servo_fit(benchmark::State& state) {
  auto all = logs(64);
  Random random(3);
  for (ServoLog& log : all) {
    log.position.resize(log.size());
    roll_out(xl330(), log, log.position);
    for (double& p : log.position) p += 1e-3 * random.normal();
  }
  auto start = xl330();
  start.torque_constant *= 0.95, start.load_factor *= 1.3, start.coulomb_torque *= 0.6, start.viscosity *= 1.3;
  ServoFit fit;
  for (auto _ : state)
    fit = fit_servo(start, all, {.free = {"torque_constant", "load_factor", "coulomb_torque", "viscosity"}});
  state.counters["error"] = fit.error;
  state.counters["evaluations"] = static_cast<double>(fit.evaluations);
}
BENCHMARK(servo_fit)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
