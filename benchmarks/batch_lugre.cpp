/// 10 000 LuGre stick-slip runs of 10 s whose parameters all differ, on one core: stickslip in SIMD lanes with each
/// instruction set this processor has, against SUNDIALS CVODE (BDF, analytic Jacobian) and Boost.odeint's Rosenbrock
/// method one run after the other. The rivals take every 20th run; their time is for 10 000. `worst_m` and `rms_m` are the
/// errors of the position at the end over those runs, against a tolerance of 1e-10; `worst_of_all_m` is over all 10 000,
/// of which one or two all but stick again before the end, so that any method needs a tight tolerance for them.
/// Tolerances are 10^(-n/4) in lanes and 10^(-n/2) for rivals, n the last argument; `LuGre batch stiffness` has the mean
/// stiffness of the bristles [N/m] instead, at a tolerance of 1e-6.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "batch/batch.hpp"
#include "batch_race.hpp"
#include "rivals/lugre_rig.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include "rivals/cvode_lugre.hpp"
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;
using rivals::LugreRig;

const std::vector<LugreRig>& rigs() {
  static const std::vector<LugreRig> made = [] {
    std::vector<LugreRig> out(runs);
    for (std::size_t i = 0; i < runs; ++i) {
      LugreRig& r = out[i];
      r.coulomb = 0.8 + 0.4 * spread(i, std::sqrt(2.0));
      r.stiction = r.coulomb * (1.2 + 0.6 * spread(i, std::sqrt(3.0)));
      r.stribeck_velocity = 1e-3 * (0.5 + 1.5 * spread(i, std::sqrt(5.0)));
      r.stiffness = 1e5 * (0.5 + 1.5 * spread(i, std::sqrt(7.0)));
      r.damping = std::sqrt(r.stiffness);
      r.viscosity = 0.2 + 0.4 * spread(i, std::sqrt(11.0));
      r.spring = 1 + 2 * spread(i, std::sqrt(13.0));
      r.pull = 0.05 + 0.1 * spread(i, std::sqrt(17.0));
    }
    return out;
  }();
  return made;
}
const std::vector<BatchCase<lugre::Model>>& cases() {
  static const std::vector<BatchCase<lugre::Model>> made = [] {
    std::vector<BatchCase<lugre::Model>> out;
    for (const LugreRig& r : rigs()) {
      BatchCase<lugre::Model> c;
      c.friction = {{r.coulomb, r.stiction, r.stribeck_velocity, 2, StribeckForm::exponential},
                    r.stiffness,
                    r.damping,
                    r.viscosity};
      c.body.stiffness = r.spring;
      c.body.pull_speed = r.pull;
      out.push_back(c);
    }
    return out;
  }();
  return made;
}
std::vector<BatchResult> run_all(double tolerance, InstructionSet set) {
  std::vector<BatchResult> results(runs);
  BatchOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  options.instructions = set;
  simulate_batch(cases(), options, results);
  return results;
}
const std::vector<double>& reference() {
  static const std::vector<double> made = positions_of(run_all(1e-10, chosen_instruction_set()));
  return made;
}

void in_lanes(benchmark::State& state, InstructionSet set) {
  if (!is_available(set)) return state.SkipWithError("this processor lacks it");
  std::vector<BatchResult> results;
  for (auto _ : state) results = run_all(tolerance_of(state, 0.25), set);
  const auto found = positions_of(results);
  print_error(state, reference(), found);
  state.counters["worst_of_all_m"] = worst_error(reference(), found, 1);
  double steps = 0;
  for (const auto& r : results) steps += r.steps + r.rejected;
  state.counters["steps"] = steps / runs;
}
BENCHMARK_CAPTURE(in_lanes, avx512, InstructionSet::avx512)->DenseRange(16, 28)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(in_lanes, avx2, InstructionSet::avx2)->DenseRange(16, 28)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(in_lanes, baseline, InstructionSet::baseline)->DenseRange(16, 28)->Unit(benchmark::kMillisecond);

void stiffness(benchmark::State& state) {
  std::vector<BatchCase<lugre::Model>> stiff(cases().begin(), cases().begin() + 1000);
  for (auto& c : stiff) {
    c.friction.bristle_stiffness *= 1e-5 * static_cast<double>(state.range(0));
    c.friction.bristle_damping = std::sqrt(c.friction.bristle_stiffness);
  }
  std::vector<BatchResult> exact(stiff.size()), results(stiff.size());
  simulate_batch(stiff, {.end = end, .relative_tolerance = 1e-10}, exact);
  for (auto _ : state) simulate_batch(stiff, {.end = end, .relative_tolerance = 1e-6}, results);
  double worst = 0;
  for (std::size_t i = 0; i < stiff.size(); ++i)
    worst = std::max(worst, std::fabs(results[i].position - exact[i].position));
  state.counters["worst_m"] = worst;
}
BENCHMARK(stiffness)
    ->Name("LuGre batch stiffness")
    ->RangeMultiplier(100)
    ->Range(1000, 1000000000)
    ->Unit(benchmark::kMillisecond);

#ifdef STICKSLIP_WITH_SUNDIALS
void cvode_bdf(benchmark::State& state) {
  rivals::CvodeLugre cvode;
  one_by_one(
      state, reference(),
      [&](std::size_t i, double tolerance) {
        double found = 0;
        cvode.positions_at(rigs()[i], tolerance, std::array{end}, [&](std::size_t, double x) { found = x; });
        return found;
      },
      0.25);
}
BENCHMARK(cvode_bdf)
    ->Name("CVODE BDF, analytic Jacobian")
    ->DenseRange(20, 32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
#endif

#ifdef STICKSLIP_WITH_BOOST
void odeint_rosenbrock(benchmark::State& state) {
  one_by_one(
      state, reference(),
      [](std::size_t i, double tolerance) {
        double found = 0;
        rivals::odeint_rosenbrock_batch(&rigs()[i], 1, end, tolerance, &found);
        return found;
      },
      0.25);
}
BENCHMARK(odeint_rosenbrock)
    ->Name("Boost.odeint rosenbrock4, autonomous")
    ->DenseRange(12, 28)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
#endif

}  // namespace
