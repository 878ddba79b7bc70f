#include "identification/search/published_search.hpp"

namespace stickslip::inline identification {

Refined search_as_published(SeparableFit& fit, const PublishedSearch& options) {
  const std::size_t before = fit.evaluations(), dimensions = fit.problem().searched().size();
  GeneticSearch exploring(dimensions, options.exploring);
  std::vector<double> costs(exploring.size());
  for (std::size_t g = 0; g < options.exploring.generations; ++g) {
    fit.costs_at(exploring.candidates(), costs);
    exploring.tell(costs);
  }
  const auto fine =
      nelder_mead([&](std::span<const double> u) { return fit.cost_at(u); }, exploring.best(), options.fine);
  Refined found;
  for (std::size_t k = 0; k < dimensions; ++k) found.searched.push_back(fit.problem().searched()[k].value(fine.at[k]));
  found.solved.resize(fit.problem().solved().size());
  found.cost = fit.sharpen(found.searched, found.solved);
  found.evaluations = static_cast<int>(fit.evaluations() - before);
  return found;
}

}  // namespace stickslip::inline identification
