/// How costs grow: with the samples of a recording, with the number of runs in a batch, with the stiffness of a bristle. The last
/// argument of each benchmark is the size; ./bench --growth fits the exponents. How chains and single costs grow is in
/// friction_chain.cpp and identification.cpp.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "batch/batch.hpp"
#include "rivals/lugre_rig.hpp"
#include "stick_slip_rig.hpp"
#include "wideband_recording.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include "rivals/cvode_lugre.hpp"
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;

/// Tables and search, on recordings of any length.
void nlr_search(benchmark::State& state) {
  const WidebandRecording r(static_cast<std::size_t>(state.range(0)));
  MaxwellProblem problem(r.data(), {.operators = 4}, r.bounds, r.start.direction);
  for (auto _ : state) benchmark::DoNotOptimize(fit_maxwell(problem).cost);
}
BENCHMARK(nlr_search)->Name("NLR(4) search")->RangeMultiplier(10)->Range(1000, 1000000)->Unit(benchmark::kMillisecond);

/// Bristles of this stiffness on the rig, their damping its square root.
lugre::Model<double> bristles(double stiffness) {
  return {{bench::coulomb, stiction, stribeck_velocity, 2, StribeckForm::exponential},
          stiffness,
          std::sqrt(stiffness),
          viscosity};
}

/// Runs in lanes whose parameters differ.
void lugre_batch(benchmark::State& state) {
  const auto runs = static_cast<std::size_t>(state.range(0));
  std::vector<BatchCase<lugre::Model>> cases(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    const double share = std::fmod(static_cast<double>(i + 1) * std::sqrt(2.0), 1.0);
    cases[i].friction = bristles(1e5 * (0.5 + 1.5 * share));
    cases[i].body.stiffness = spring;
    cases[i].body.pull_speed = pull * (0.5 + share);
  }
  std::vector<BatchResult> results(runs);
  for (auto _ : state) simulate_batch(cases, BatchOptions{}, results);
}
BENCHMARK(lugre_batch)->Name("LuGre batch")->RangeMultiplier(10)->Range(100, 100000)->Unit(benchmark::kMillisecond);

/// 30 s of stick-slip with bristles from soft to very stiff, rtol 1e-6.
void lugre_stiffness(benchmark::State& state) {
  Varied<lugre::Model> friction;
  friction.forward = bristles(static_cast<double>(state.range(0)));
  friction.backward = friction.forward;
  const Body body = pulled_body();
  for (auto _ : state) benchmark::DoNotOptimize(race_stickslip(friction, body, 1e-6));
}
void stiffnesses(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(10)->Range(1000, 100000000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(lugre_stiffness)->Name("LuGre stiffness, stickslip")->Apply(stiffnesses);

#ifdef STICKSLIP_WITH_SUNDIALS
void cvode_stiffness(benchmark::State& state) {
  rivals::LugreRig rig;
  rig.stiffness = static_cast<double>(state.range(0));
  rig.damping = std::sqrt(rig.stiffness);
  rivals::CvodeLugre cvode;
  double last = 0;
  for (auto _ : state) cvode.positions_at(rig, 1e-6, look_at, [&](std::size_t, double x) { last = x; });
  benchmark::DoNotOptimize(last);
}
BENCHMARK(cvode_stiffness)->Name("LuGre stiffness, CVODE BDF")->Apply(stiffnesses);
#endif

}  // namespace
