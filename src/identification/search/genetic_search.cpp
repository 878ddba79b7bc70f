#include "identification/search/genetic_search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace stickslip::inline identification {

GeneticSearch::GeneticSearch(std::size_t dimensions, const GeneticOptions& options)
    : dimensions_(dimensions),
      options_(options),
      random_(options.seed),
      genes_(dimensions * options.population),
      next_(dimensions * options.population),
      costs_(options.population),
      best_(dimensions),
      order_(options.population),
      best_cost_(std::numeric_limits<double>::infinity()) {
  if (options.population < options.kept + 2 || options.tournament == 0 || options.generations == 0)
    throw Error("genetic search: population must exceed kept by 2, tournament and generations must be at least 1");
  for (double& gene : genes_) gene = random_.uniform();
}

std::size_t GeneticSearch::winner() {
  std::size_t first = random_.below(options_.population);
  for (std::size_t k = 1; k < options_.tournament; ++k) {
    const std::size_t other = random_.below(options_.population);
    if (costs_[other] < costs_[first]) first = other;
  }
  return first;
}

void GeneticSearch::tell(std::span<const double> costs) {
  assert(costs.size() == costs_.size());
  std::copy(costs.begin(), costs.end(), costs_.begin());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return costs_[a] < costs_[b]; });
  if (costs_[order_[0]] < best_cost_) {
    best_cost_ = costs_[order_[0]];
    std::copy_n(candidate(order_[0]).begin(), dimensions_, best_.begin());
  }
  const double time = static_cast<double>(generation_) / static_cast<double>(options_.generations);
  const double jump = options_.jump * std::pow(0.01, std::min(time, 1.0));
  for (std::size_t i = 0; i < options_.population; ++i) {
    double* child = &next_[i * dimensions_];
    if (i < options_.kept) {
      std::copy_n(candidate(order_[i]).begin(), dimensions_, child);
      continue;
    }
    const auto mother = candidate(winner()), father = candidate(winner());
    for (std::size_t k = 0; k < dimensions_; ++k) {
      const double share = -options_.blend + (1 + 2 * options_.blend) * random_.uniform();
      double gene = mother[k] + share * (father[k] - mother[k]);
      if (random_.uniform() < options_.mutation) gene += jump * random_.normal();
      child[k] = std::clamp(gene, 0.0, 1.0);
    }
  }
  genes_.swap(next_);
  ++generation_;
}

}  // namespace stickslip::inline identification
