/// A genetic algorithm over the unit box: the first, exploring phase of Rizos and Fassois' search.
/// Each generation keeps its best, and makes the others from two winners of small tournaments: a blend of their
/// coordinates that may reach a little beyond them, and now and then a normal jump whose width falls over time.
/// Rizos 2005 section 3.3 names the method, not its settings; these are ours. The search proposes and is told.
/// Not here: how a candidate is costed; constraints other than the box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace stickslip::inline identification {

struct GeneticOptions {
  std::size_t population = 80, generations = 60, kept = 2, tournament = 3;
  double blend = 0.3;      // how far beyond its parents a child may lie, as a share of their distance
  double mutation = 0.15;  // chance of a jump per coordinate
  double jump = 0.2;       // its width at the start
  std::uint64_t seed = 1;
};

class GeneticSearch {
 public:
  /// Throws Error if the options leave no room to breed.
  GeneticSearch(std::size_t dimensions, const GeneticOptions& options);

  std::size_t size() const { return options_.population; }
  /// Candidate number i of the present generation.
  std::span<const double> candidate(std::size_t i) const { return {&genes_[i * dimensions_], dimensions_}; }
  /// All of them, laid end to end.
  std::span<const double> candidates() const { return genes_; }
  /// The costs of the present generation, one per candidate; the next one follows. No cost may be NaN.
  void tell(std::span<const double> costs);

  std::span<const double> best() const { return best_; }
  double best_cost() const { return best_cost_; }

 private:
  std::size_t winner();

  std::size_t dimensions_;
  GeneticOptions options_;
  Random random_;
  std::vector<double> genes_, next_, costs_, best_;
  std::vector<std::size_t> order_;
  double best_cost_;
  std::size_t generation_ = 0;
};

}  // namespace stickslip::inline identification
