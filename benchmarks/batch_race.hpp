/// What the races of batches share: 10 000 runs of 10 s whose parameters are evenly spread, whoever goes one by one takes
/// every 20th of them and is counted for all, and errors of the position at the end:
/// `worst_m` and `rms_m` over those runs, `worst_of_all_m` over all.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace stickslip::bench {

inline constexpr std::size_t runs = 10000, every = 20;
inline constexpr double end = 10;

/// Evenly spread numbers from 0 to 1 (multiples of irrational steps).
inline double spread(std::size_t run, double step) {
  const double x = static_cast<double>(run + 1) * step;
  return x - std::floor(x);
}
/// 10^(-step n), n the benchmark's last argument.
inline double tolerance_of(const benchmark::State& state, double step = 0.5) {
  return std::pow(10.0, -step * static_cast<double>(state.range(0)));
}

inline double worst_error(const std::vector<double>& exact, const std::vector<double>& found, std::size_t step) {
  double worst = 0;
  for (std::size_t i = 0; i < runs; i += step) worst = std::max(worst, std::fabs(found[i] - exact[i]));
  return worst;
}
inline void print_error(benchmark::State& state, const std::vector<double>& exact, const std::vector<double>& found) {
  double sum = 0;
  for (std::size_t i = 0; i < runs; i += every) sum += std::pow(found[i] - exact[i], 2);
  state.counters["worst_m"] = worst_error(exact, found, every);
  state.counters["rms_m"] = std::sqrt(sum * static_cast<double>(every) / runs);
}
template <class Results>
std::vector<double> positions_of(const Results& results) {
  std::vector<double> out;
  for (const auto& r : results) out.push_back(r.position);
  return out;
}

/// race(i, tolerance) gives the position of run i at the end; the tolerance is that of tolerance_of().
template <class Race>
void one_by_one(benchmark::State& state, const std::vector<double>& exact, Race&& race, double step = 0.5) {
  std::vector<double> position(runs);
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    for (std::size_t i = 0; i < runs; i += every) position[i] = race(i, tolerance_of(state, step));
    state.SetIterationTime(static_cast<double>(every) * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  print_error(state, exact, position);
}

}  // namespace stickslip::bench
