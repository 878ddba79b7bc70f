#include "identification/laws/bristle_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace stickslip::inline identification {

Refined fit_bristle(BristleProblem& problem, const BristleStarts& options) {
  if (options.levels < 2 || options.speeds < 1 || options.refined < 1)
    throw Error("lugre regression: starts need at least 2 levels, 1 speed and 1 that is refined");
  SeparableFit fit(problem);
  const auto& box = problem.searched();
  const double side = number(problem.direction());
  struct Start {
    std::vector<double> at;
    double cost;
    std::size_t level;
  };
  std::vector<Start> starts;
  std::vector<double> coordinates;
  for (std::size_t i = 0; i < options.levels; ++i)
    for (const double hump : {0.1, 1.0})
      for (std::size_t j = 0; j < options.speeds; ++j) {
        const double a1 = box[1].value((static_cast<double>(i) + 1) / (static_cast<double>(options.levels) + 1));
        // Speeds below a thousandth of the fastest hardly occur.
        const double u = 0.25 + 0.7 * (static_cast<double>(j) + 0.5) / static_cast<double>(options.speeds);
        const std::vector<double> at{side * a1, a1, std::min(hump * a1, box[2].high), box[3].value(u), 2.0};
        starts.push_back({at, 0, i});
        for (std::size_t k = 0; k < at.size(); ++k)
          coordinates.push_back(std::clamp(box[k].coordinate(at[k]), 0.0, 1.0));
      }
  std::vector<double> costs(starts.size());
  fit.costs_at(coordinates, costs);
  for (std::size_t s = 0; s < starts.size(); ++s) starts[s].cost = costs[s];
  std::stable_sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.cost < b.cost; });

  Refined best;
  best.cost = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> used(options.levels, 0);
  std::size_t followed = 0;
  for (const Start& start : starts) {
    if (followed == options.refined) break;
    if (used[start.level] == 2) continue;  // two per level: the others would end in the same place
    ++used[start.level];
    ++followed;
    Refined found = fit.refine(start.at, options.first);
    if (found.cost < best.cost) best = found;
  }
  best = fit.refine(best.searched, options.last);
  best.cost = fit.sharpen(best.searched, best.solved);
  best.evaluations = static_cast<int>(fit.evaluations());
  return best;
}

}  // namespace stickslip::inline identification
