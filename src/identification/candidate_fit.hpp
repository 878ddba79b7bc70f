/// Fits one candidate of identify(): a fast kernel where there is one, then the general fit where more is needed.
///   NLR, DNLRX  threshold dictionary (maxwell_fit.hpp) from t_cr on the piece with the most samples of estimation
///   LG          variable projection (bristle_fit.hpp), then the general fit over the whole run-in
///   GMS         general fit from its own dictionary (generalized_slip_fit.hpp), then past the kinks of its cost
///   others      general fit (model_fit.hpp); bristle models start at LG's numbers, element models at NLR's springs. Of a long recording
///               by a part of it (fit_part.hpp), where that is sure; all samples have the last word
/// `published`: Rizos and Fassois' genetic algorithm and Nelder-Mead replace these searches.
#pragma once

#include <memory>

#include "identification/candidates.hpp"
#include "identification/judging/fit_honesty.hpp"
#include "identification/laws/model_fit.hpp"

namespace stickslip::inline identification {

struct RobustForces;

struct Fitted {
  ModelSpace space;
  ModelFit found;
  std::vector<Estimate> alone = {};  // what the recording says of numbers with a prior without it (prior_rounds.hpp)
  double prior_disagreement = 0;  // χ² of all priors together over its bound; above 1 they contradict the recording
  std::shared_ptr<const RobustForces> forces = {};  // what a robust loss fitted it to (robust_fit.hpp)
};

/// Results of earlier candidates that serve as starts of later ones.
struct StartingPoints {
  std::vector<double> thresholds, stiffnesses;  // of NLR
  ParameterValues bristle;                      // of LG: bristle_stiffness, coulomb_force, ...
};

/// Throws Error with the reason if the candidate cannot be fitted to these data. `found` are coordinates of the same fit made
/// elsewhere: the general fit then does not search, and gives the same numbers.
Fitted fit_candidate(const Candidate& candidate, const FitData& data, const IdentifyOptions& options,
                     const StartingPoints& points, const std::vector<double>& found = {});

/// The same law with the numbers of `options.own` private to each recording, found from the fit that shares them. Throws Error if it has none
/// of them.
Fitted fit_own_numbers(Fitted shared, const Candidate& candidate, const FitData& data, const IdentifyOptions& options,
                       std::size_t units);

/// The same law with all numbers held at these values (by key) but those that are named, which are fitted from there. Throws Error for a
/// number without a value.
Fitted fit_named_only(Fitted law, const Candidate& candidate, const FitData& data, const IdentifyOptions& options,
                      const std::vector<std::pair<std::string, double>>& values, const std::vector<std::string>& names);

/// A law that was fitted without priors, fitted with those of its numbers (prior_rounds.hpp).
Fitted with_known(Fitted law, const Candidate& candidate, const FitData& data, const IdentifyOptions& options);
/// The law once more from where it is, to other forces of the same samples.
Fitted fit_again(Fitted law, const Candidate& candidate, const FitData& data, const IdentifyOptions& options);

/// A law with lists of springs that needs no springs of NLR to start with.
bool has_own_start(const Candidate& candidate);

/// The springs of NLR with this many operators, for laws that start with them. Throws Error if they cannot be fitted.
StartingPoints springs_of(std::size_t elements, const FitData& data, const IdentifyOptions& options);

/// The numbers of a fitted model, by key.
ParameterValues values_in(const Fitted& fitted);

}  // namespace stickslip::inline identification
