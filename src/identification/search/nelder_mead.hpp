/// The downhill simplex of Nelder and Mead: the second, fine phase of Rizos and Fassois' search. Needs costs only, no slopes.
/// J. A. Nelder, R. Mead, Computer Journal 7, 1965 (reflect 1, expand 2, contract 1/2, shrink 1/2).
/// A simplex that has collapsed is set up again around its best corner until that helps no more.
/// Not here: bounds; a cost of infinity keeps the simplex away.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace stickslip::inline identification {

struct NelderMeadOptions {
  double first_step = 0.02;     // of each coordinate
  double least_spread = 1e-10;  // relative, of the costs at the corners: collapsed
  double least_gain = 1e-9;     // relative, of one setting up: no more of them below
  std::size_t most_evaluations = 4000;
};
struct NelderMeadResult {
  std::vector<double> at;
  double cost = 0;
  std::size_t evaluations = 0;
};

template <class Cost>
NelderMeadResult nelder_mead(Cost&& cost, std::span<const double> start, const NelderMeadOptions& options = {}) {
  const std::size_t n = start.size();
  struct Corner {
    std::vector<double> at;
    double cost;
  };
  NelderMeadResult result{{start.begin(), start.end()}, 0, 0};
  const auto costed = [&](const std::vector<double>& at) {
    ++result.evaluations;
    return cost(std::span<const double>(at));
  };
  result.cost = costed(result.at);
  std::vector<Corner> simplex(n + 1, Corner{result.at, result.cost});
  Corner tried{result.at, 0}, further{result.at, 0};
  std::vector<double> middle(n);

  for (double step = options.first_step;; step *= 0.5) {
    for (std::size_t i = 0; i <= n; ++i) {
      simplex[i] = {result.at, result.cost};
      if (i == 0) continue;
      simplex[i].at[i - 1] += result.at[i - 1] > 0.5 ? -step : step;  // away from the nearer side of the box
      simplex[i].cost = costed(simplex[i].at);
    }
    while (result.evaluations < options.most_evaluations) {
      std::stable_sort(simplex.begin(), simplex.end(),
                       [](const Corner& a, const Corner& b) { return a.cost < b.cost; });
      Corner& worst = simplex[n];
      if (!(worst.cost - simplex[0].cost > options.least_spread * std::fabs(simplex[0].cost))) break;
      std::fill(middle.begin(), middle.end(), 0.0);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k) middle[k] += simplex[i].at[k] / static_cast<double>(n);
      const auto along = [&](double factor, Corner& out) {
        for (std::size_t k = 0; k < n; ++k) out.at[k] = middle[k] + factor * (worst.at[k] - middle[k]);
        out.cost = costed(out.at);
      };
      along(-1, tried);
      if (tried.cost < simplex[0].cost) {
        along(-2, further);
        std::swap(worst, further.cost < tried.cost ? further : tried);
      } else if (tried.cost < simplex[n - 1].cost) {
        std::swap(worst, tried);
      } else {
        const double limit = std::min(worst.cost, tried.cost);
        along(tried.cost < worst.cost ? -0.5 : 0.5, further);
        if (further.cost <= limit) {
          std::swap(worst, further);
        } else {
          for (std::size_t i = 1; i <= n; ++i) {
            for (std::size_t k = 0; k < n; ++k)
              simplex[i].at[k] = simplex[0].at[k] + 0.5 * (simplex[i].at[k] - simplex[0].at[k]);
            simplex[i].cost = costed(simplex[i].at);
          }
        }
      }
    }
    std::stable_sort(simplex.begin(), simplex.end(), [](const Corner& a, const Corner& b) { return a.cost < b.cost; });
    const double gain = result.cost - simplex[0].cost;
    const bool helped = gain > options.least_gain * std::fabs(result.cost);
    if (gain > 0) result.at = simplex[0].at, result.cost = simplex[0].cost;
    if (!helped || result.evaluations >= options.most_evaluations) return result;
  }
}

}  // namespace stickslip::inline identification
