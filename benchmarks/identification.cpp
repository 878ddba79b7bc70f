/// Identification on 10 000 samples of a ten-element friction: one cost, many costs in lanes, and a whole identification.
/// scripts/race-identification runs it beside SciPy with Numba.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "identification/bristle_fit.hpp"
#include "identification/maxwell_fit.hpp"
#include "identification/published_search.hpp"
#include "identification/random.hpp"
#include "models/gms.hpp"

namespace {

using namespace stickslip;

constexpr double rate = 2500;

struct Sample {
  std::vector<double> time, position, force, velocity;
  DominantExtreme start;
  MaxwellBounds bounds;
};

/// Wideband random motion of 60 um, the friction of ten elements, 2 mN of noise; 10 000 samples from t_cr on.
const Sample& sample() {
  static const Sample made = [] {
    Sample s;
    Random random(7);
    double position = 0, step = 0;
    for (int i = 0; i < 40000; ++i) {
      step += random.normal() - 0.02 * step;
      position += step - 0.01 * position;
      s.time.push_back(i / rate);
      s.position.push_back(position);
    }
    const double scale = 60e-6 / half_range(s.position);
    for (double& x : s.position) x *= scale;
    gms::Model<double> m;
    m.coulomb_force = 1, m.stiction_force = 1.5, m.stribeck_velocity = 4e-3, m.stribeck_exponent = 2;
    m.attraction = 200, m.viscosity = 80;
    for (int i = 0; i < 10; ++i) {
      m.shares.push_back(0.1);
      m.stiffnesses.push_back(0.15 / (1e-6 * std::pow(10.0, i / 9.0)));
    }
    gms::Deflections z{};
    Contact<double> from, to;
    auto memory = gms::start_in(m, z, from);
    for (std::size_t i = 0; i < s.position.size(); ++i) {
      to.position = s.position[i];
      to.velocity = i > 0 ? (s.position[i] - s.position[i - 1]) * rate : 0;
      if (i > 0) gms::hold_in(m, memory, z, from, to, 1 / rate);
      s.force.push_back(gms::force(m, memory, z, {}, to) + 2e-3 * random.normal());
      from = to;
    }
    s.velocity = difference_velocity(s.time, s.position, 400);
    s.start = dominant_extreme(std::span<const double>(s.position).first(30000));
    s.bounds = threshold_bounds(s.position, s.start);
    return s;
  }();
  return made;
}
MotionForce data() {
  const Sample& s = sample();
  return MotionForce{s.time, s.position, s.force}.part(s.start.index, 10000);
}
/// For the rivals (rivals/identification.py): the same 10 000 samples as a file.
void write_sample(const char* path) {
  const Sample& s = sample();
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
BristleProblem bristle() {
  return {data(), std::span<const double>(sample().velocity).subspan(sample().start.index, 10000),
          sample().start.direction};
}

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
    at.push_back(0.3 + 0.1 * static_cast<double>(i % size) + 1e-3 * static_cast<double>(i / size));
  for (auto _ : state) fit.costs_at(at, found);
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
