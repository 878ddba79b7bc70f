/// Options of an identification as text, and limits of its work.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "jobs/identify/job.hpp"

namespace stickslip::inline jobs {

/// The parts between the separators; for an empty text one empty part.
std::vector<std::string> parts_of(const std::string& text, char separator);

/// "load", "position:knots=6", "viscosity:pressure:degree=2", "load:proportional". Throws Error.
VariationRequest parse_variation(const std::string& text);

/// "stribeck_exponent=2", "coulomb_force=20 N". Throws Error.
std::pair<std::string, double> parse_fixed(const std::string& text, MotionKind motion);

/// "coulomb_force=20 +- 2 N", "offset=0 ± 1 N", "viscosity=100 +- 5 %": value and standard deviation. Throws Error.
KnownBefore parse_prior(const std::string& text, MotionKind motion);

/// The numbers of model files as starts: of a bench test, or of a fit before. What a later file has counts. Throws Error for models of the
/// other kind of motion.
std::vector<std::pair<std::string, double>> start_values(const std::vector<std::string>& files, MotionKind motion);

/// "coulomb_force,offset": the names. Throws Error for an empty one.
std::vector<std::string> private_names(const std::vector<std::string>& texts);

/// What is wrong whatever the recording says: names of laws and parameters, too many repetitions. Throws Error.
void check_before_reading(const IdentifyOptions& options, bool is_long);

/// What would take hours is refused before it begins, or needs --long. Throws Error.
void check_budget(const IdentifyJob& job, bool is_long);

}  // namespace stickslip::inline jobs
