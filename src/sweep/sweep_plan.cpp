/// The plan of a sweep; see sweep_plan.hpp.
#include "sweep/sweep_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sweep/mixing.hpp"
#include "sweep/sobol.hpp"

namespace stickslip::inline sweeps {
namespace {

std::uint64_t bits_for(std::uint64_t seed, std::size_t run, std::size_t parameter) {
  return mixed(mixed(seed, parameter), run);
}

/// A permutation of 0 ... count − 1 (R. Durstenfeld's shuffle).
std::vector<std::uint32_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = count; i > 1; --i) {
    const auto other = static_cast<std::size_t>(uniform_from(mixed(seed, i)) * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  return order;
}

void fill_grid(const SweepPlan& plan, std::vector<double>& points) {
  const std::size_t width = plan.parameters.size();
  std::size_t stride = 1;
  for (std::size_t j = width; j-- > 0;) {
    const SweptParameter& p = plan.parameters[j];
    const std::size_t count = grid_count(p);
    for (std::size_t i = 0; i < plan.runs; ++i) {
      const std::size_t k = i / stride % count;
      points[i * width + j] = !p.values.empty() ? p.values[k]
                              : count == 1      ? p.low
                                                : value_at(p, static_cast<double>(k) / static_cast<double>(count - 1));
    }
    stride *= count;
  }
}

void fill_latin(const SweepPlan& plan, std::vector<double>& points) {
  const std::size_t width = plan.parameters.size();
  for (std::size_t j = 0; j < width; ++j) {
    const auto order = shuffled(plan.runs, mixed(plan.seed, j));
    for (std::size_t i = 0; i < plan.runs; ++i) {
      const double within = uniform_from(bits_for(~plan.seed, i, j));
      points[i * width + j] = value_at(plan.parameters[j], (order[i] + within) / static_cast<double>(plan.runs));
    }
  }
}

}  // namespace

std::size_t grid_count(const SweptParameter& p) { return p.values.empty() ? p.count : p.values.size(); }

double value_at(const SweptParameter& p, double share) {
  if (!p.values.empty()) {
    const auto k = static_cast<std::size_t>(share * static_cast<double>(p.values.size()));
    return p.values[std::min(k, p.values.size() - 1)];
  }
  if (share <= 0) return p.low;
  if (share >= 1) return p.high;
  const double value =
      p.logarithmic ? p.low * std::exp(share * std::log(p.high / p.low)) : p.low + share * (p.high - p.low);
  return std::clamp(value, std::min(p.low, p.high), std::max(p.low, p.high));
}

std::vector<double> plan_points(const SweepPlan& plan) {
  const std::size_t width = plan.parameters.size();
  std::vector<double> points(plan.runs * width);
  switch (plan.kind) {
    case PlanKind::grid:
      fill_grid(plan, points);
      break;
    case PlanKind::latin_hypercube:
      fill_latin(plan, points);
      break;
    case PlanKind::random:
      for (std::size_t i = 0; i < plan.runs; ++i)
        for (std::size_t j = 0; j < width; ++j)
          points[i * width + j] = value_at(plan.parameters[j], uniform_from(bits_for(plan.seed, i, j)));
      break;
    case PlanKind::sobol: {
      const Sobol sobol(width, plan.seed);
      for (std::size_t i = 0; i < plan.runs; ++i)
        for (std::size_t j = 0; j < width; ++j)
          points[i * width + j] = value_at(plan.parameters[j], sobol.at(static_cast<std::uint32_t>(i), j));
      break;
    }
  }
  return points;
}

}  // namespace stickslip::inline sweeps
