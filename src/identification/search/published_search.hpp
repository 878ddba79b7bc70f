/// Rizos and Fassois' search, for any problem that is linear in part: a genetic algorithm, then Nelder-Mead, linear least squares
/// inside. Rizos 2005 section 3.3. It needs thousands of costs and some luck; it is here because it is the published method.
#pragma once

#include "identification/search/genetic_search.hpp"
#include "identification/search/nelder_mead.hpp"
#include "identification/search/separable_fit.hpp"

namespace stickslip::inline identification {

struct PublishedSearch {
  GeneticOptions exploring;
  NelderMeadOptions fine;
};

/// The best found; same seed, same result.
Refined search_as_published(SeparableFit& fit, const PublishedSearch& options = {});

}  // namespace stickslip::inline identification
