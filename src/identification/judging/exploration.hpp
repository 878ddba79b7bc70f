/// Dependences suggested by the residuals of a law, to be tried (`identify --explore`).
///   R² of e over the columns of a question beside 1, sgn v and v, of the samples of estimation that move             (1)
///   direction:  |v|, exp(−|v|/v₁₀)                       the law differs with the direction
///   position:   sgn v · (u, u²), u the relative position    friction depends on position
///   load, pressure, temperature: sgn v · q                            friction depends on it
/// A dependence is tried if (1) exceeds 3 %: it costs one more fit, and the validation samples decide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identification/fit_data.hpp"

namespace stickslip::inline identification {

struct Question {
  std::string sentence;  // the dependence, and the result in words
  double share = 0;      // (1)
  bool is_asked = false;
  bool per_direction = false;
  std::optional<VariationRequest> over = {};
};

/// `predictions`: the law's force, per piece.
std::vector<Question> questions(const FitData& data, const std::vector<std::vector<double>>& predictions);

/// The share of the squared errors that the direction explains, if it suggests separate levels per direction; otherwise 0 [%].
double direction_asked(const std::vector<Question>& asked);

}  // namespace stickslip::inline identification
