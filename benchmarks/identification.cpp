/// Identification on 10 000 samples of a ten-element friction: one cost, many costs in lanes, a whole identification, and how
/// costs grow with samples and candidates. scripts/race-identification runs it beside SciPy with Numba.
/// Beside the costs in lanes stands their largest relative difference from costs summed up row by row.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>

#include "identification/laws/bristle_fit.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "identification/search/published_search.hpp"
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
MaxwellProblem plain(const WidebandRecording& of = sample()) {
  return {of.data(), {.operators = 4}, of.bounds, of.start.direction};
}
MaxwellProblem extended(const WidebandRecording& of = sample()) {
  return {of.data(), {.operators = 4, .deflection_lags = 3, .position_lags = 2}, of.bounds, of.start.direction};
}
BristleProblem bristle(const WidebandRecording& of = sample()) {
  return {of.data(), of.velocity_of_data(), of.start.direction};
}

/// Coordinates of candidates such as a search has, from `first` on. At `first` all factors should be positive, so that rivals
/// which leave their signs free find the same cost.
std::vector<double> candidates(std::size_t count, std::size_t size, double first = 0.3) {
  std::vector<double> at;
  for (std::size_t i = 0; i < count * size; ++i)
    at.push_back(first + 0.1 * static_cast<double>(i % size) +
                 0.08 * static_cast<double>(i / size) / static_cast<double>(count));
  return at;
}
/// Least squares from rows as the problem hands them out.
double cost_row_by_row(SeparableProblem& problem, std::span<const double> coordinates) {
  std::vector<double> low, high, g;
  for (const auto& s : problem.solved()) low.push_back(s.low), high.push_back(s.high);
  for (std::size_t k = 0; k < coordinates.size(); ++k) g.push_back(problem.searched()[k].value(coordinates[k]));
  const auto columns = static_cast<Eigen::Index>(low.size()) + 1;
  Eigen::MatrixXd block(block_rows, columns), sum = Eigen::MatrixXd::Zero(columns, columns);
  problem.start(g);
  for (auto left = static_cast<Eigen::Index>(problem.rows()); left > 0; left -= block_rows) {
    const Eigen::Index count = std::min(left, block_rows);
    problem.next(count, block);
    sum += block.topRows(count).transpose() * block.topRows(count);
  }
  BoundedLeastSquares inner(low, high);
  Eigen::VectorXd theta(inner.size());
  return inner.solve(sum, theta);
}

void cost(benchmark::State& state, SeparableProblem&& problem) {
  SeparableFit fit(problem);
  const auto at = candidates(1, problem.searched().size());
  for (auto _ : state) benchmark::DoNotOptimize(fit.cost_at(at));
}
/// Many candidates at once, as a search has them; the time is for all.
void costs(benchmark::State& state, SeparableProblem&& problem, std::size_t count = 80, double first = 0.3) {
  SeparableFit fit(problem);
  const std::size_t size = problem.searched().size();
  const auto at = candidates(count, size, first);
  std::vector<double> found(count);
  for (auto _ : state) fit.costs_at(at, found);
  double error = 0;
  for (std::size_t c = 0; c < count; c += 1 + count / 8) {
    const double exact = cost_row_by_row(problem, std::span(at).subspan(c * size, size));
    error = std::max(error, std::fabs(found[c] / exact - 1));
  }
  state.counters["J"] = found[0];
  state.counters["error_relative"] = error;
  state.counters["costs_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(count), benchmark::Counter::kIsRate);
}
template <class Problem>
void costs_over_samples(benchmark::State& state, Problem (*problem)(const WidebandRecording&)) {
  const WidebandRecording recording(static_cast<std::size_t>(state.range(0)));
  state.SetComplexityN(state.range(0));
  costs(state, problem(recording), 16);
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
void costs_dnlrx_4_3_2(benchmark::State& state) { costs(state, extended()); }
void costs_lg(benchmark::State& state) { costs(state, bristle(), 80, 0.2); }
void costs_nlr_4_over_candidates(benchmark::State& state) {
  state.SetComplexityN(state.range(0));
  costs(state, plain(), static_cast<std::size_t>(state.range(0)));
}
void costs_nlr_4_over_samples(benchmark::State& state) { costs_over_samples(state, plain); }
void costs_dnlrx_4_3_2_over_samples(benchmark::State& state) { costs_over_samples(state, extended); }
void costs_lg_over_samples(benchmark::State& state) { costs_over_samples(state, bristle); }
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
BENCHMARK(costs_dnlrx_4_3_2)->Unit(benchmark::kMicrosecond);
BENCHMARK(costs_lg)->Unit(benchmark::kMicrosecond);
BENCHMARK(identify_nlr_4)->Unit(benchmark::kMillisecond);
BENCHMARK(identify_dnlrx_4_3_2)->Unit(benchmark::kMillisecond);
BENCHMARK(identify_lg)->Unit(benchmark::kMillisecond);
// Growth: exponents of samples and candidates.
BENCHMARK(costs_nlr_4_over_samples)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity();
BENCHMARK(costs_dnlrx_4_3_2_over_samples)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity();
BENCHMARK(costs_lg_over_samples)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity();
BENCHMARK(costs_nlr_4_over_candidates)->RangeMultiplier(8)->Range(8, 4096)->Unit(benchmark::kMicrosecond)->Complexity();
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
