/// The names of the candidates of identify(), and their meaning.
///   "lugre"                       the registered model; stribeck_exponent and stribeck_form as in its table
///   "LG"                          Rizos and Fassois' LuGre regression: the rational form with a free exponent
///   "maxwell-slip(4)", "NLR(4)"   with this many operators; without a number each from 1 to `most_operators` is tried
///   "extended-maxwell-slip(4,3,2)", "DNLRX(4,3,2)"
///   "generalized-maxwell-slip(3)", "hybrid-hysteresis(3)", "leuven(3)": with this many elements; without a number as many as
///                                 NLR needs
///   "speed-table(8)"              with this many points, each with its level; 6 without a number
#pragma once

#include "identification/identify.hpp"
#include "identification/laws/maxwell_problem.hpp"

namespace stickslip::inline identification {

enum class Kernel { none, nlr, dnlrx, lg };

struct Candidate {
  std::string model, label;
  Kernel kernel = Kernel::none;
  MaxwellOrder order{};      // of nlr and dnlrx
  std::size_t elements = 0;  // of another model with lists; 0: as many as NLR needs, or no lists
  bool has_lists = false;
};

/// The laws that explain most machines, one of each kind; fitted in seconds.
const std::vector<std::string>& usual_laws();

/// Throws Error for a wrong name or order.
std::vector<Candidate> candidates_for(const IdentifyOptions& options, std::vector<std::string>& skipped);

}  // namespace stickslip::inline identification
