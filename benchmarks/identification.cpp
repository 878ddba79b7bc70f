/// Identification on 10 000 samples of a ten-element friction: one cost, many costs in lanes, and a whole identification.
/// scripts/race-identification runs it beside SciPy with Numba.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>

#include "identification/bristle_fit.hpp"
#include "identification/maxwell_fit.hpp"
#include "identification/published_search.hpp"
#include "wideband_recording.hpp"

namespace {

using namespace stickslip;
using bench::WidebandRecording;

const WidebandRecording& sample() {
  static const WidebandRecording made(10000);
  return made;
}
MotionForce data() { return sample().data(); }
/// For the rivals (rivals/identification.py): the same 10 000 samples as a file.
void write_sample(const char* path) {
  const WidebandRecording& s = sample();
  const MotionForce part = data();
  std::ofstream file(path);
  file.precision(17);
  file << s.bounds.lowest << ',' << s.bounds.highest << ',' << number(s.start.direction) << '\n';
  for (std::size_t i = 0; i < part.size(); ++i)
    file << part.position[i] << ',' << part.force[i] << ',' << s.velocity[s.start.index + i] << '\n';
}
MaxwellProblem plain() { return {data(), {.operators = 4}, sample().bounds, sample().start.direction}; }
MaxwellProblem extended() {
  return {
      data(), {.operators = 4, .deflection_lags = 3, .position_lags = 2}, sample().bounds, sample().start.direction};
}
BristleProblem bristle() { return {data(), sample().velocity_of_data(), sample().start.direction}; }

void cost(benchmark::State& state, SeparableProblem&& problem) {
  SeparableFit fit(problem);
  std::vector<double> at;
  for (std::size_t k = 0; k < problem.searched().size(); ++k)
    at.push_back(problem.searched()[k].value(0.3 + 0.1 * static_cast<double>(k)));
  for (auto _ : state) benchmark::DoNotOptimize(fit.cost(at));
}
/// 80 candidates at once, as a search has them; the time is for one.
void costs(benchmark::State& state, SeparableProblem&& problem) {
  constexpr std::size_t count = 80;
  SeparableFit fit(problem);
  const std::size_t size = problem.searched().size();
  std::vector<double> at, found(count);
  for (std::size_t i = 0; i < count * size; ++i)
    at.push_back(0.2 + 0.1 * static_cast<double>(i % size) + 1e-3 * static_cast<double>(i / size));
  for (auto _ : state) fit.costs_at(at, found);
  state.counters["J"] = found[0];
  state.counters["costs_per_s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * count), benchmark::Counter::kIsRate);
}
void published(benchmark::State& state, SeparableProblem&& problem) {
  SeparableFit fit(problem);
  for (auto _ : state) state.counters["J"] = search_as_published(fit).cost;
}
void default_maxwell(benchmark::State& state, MaxwellProblem&& problem) {
  for (auto _ : state) state.counters["J"] = fit_maxwell(problem).cost;
}

void cost_nlr_4(benchmark::State& state) { cost(state, plain()); }
void cost_dnlrx_4_3_2(benchmark::State& state) { cost(state, extended()); }
void cost_lg(benchmark::State& state) { cost(state, bristle()); }
void costs_nlr_4(benchmark::State& state) { costs(state, plain()); }
void costs_lg(benchmark::State& state) { costs(state, bristle()); }
void identify_nlr_4(benchmark::State& state) { default_maxwell(state, plain()); }
void identify_dnlrx_4_3_2(benchmark::State& state) { default_maxwell(state, extended()); }
void identify_lg(benchmark::State& state) {
  auto problem = bristle();
  for (auto _ : state) state.counters["J"] = fit_bristle(problem).cost;
}
void published_nlr_4(benchmark::State& state) { published(state, plain()); }
void published_dnlrx_4_3_2(benchmark::State& state) { published(state, extended()); }
void published_lg(benchmark::State& state) { published(state, bristle()); }

BENCHMARK(cost_nlr_4)->Unit(benchmark::kMicrosecond);
BENCHMARK(cost_dnlrx_4_3_2)->Unit(benchmark::kMicrosecond);
BENCHMARK(cost_lg)->Unit(benchmark::kMicrosecond);
BENCHMARK(costs_nlr_4)->Unit(benchmark::kMicrosecond);
BENCHMARK(costs_lg)->Unit(benchmark::kMicrosecond);
BENCHMARK(identify_nlr_4)->Unit(benchmark::kMillisecond);
BENCHMARK(identify_dnlrx_4_3_2)->Unit(benchmark::kMillisecond);
BENCHMARK(identify_lg)->Unit(benchmark::kMillisecond);
BENCHMARK(published_nlr_4)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(published_dnlrx_4_3_2)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(published_lg)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

/// With the variable STICKSLIP_SAMPLE set, the recording goes to that file and nothing is timed.
int main(int argc, char** argv) {
  if (const char* path = std::getenv("STICKSLIP_SAMPLE")) {
    write_sample(path);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
