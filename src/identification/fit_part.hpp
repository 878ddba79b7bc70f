/// Parts of the data of a fit, for searches and first descents.
///   every n-th sample   shortened() of fit_data.hpp: quick, but a law sees a coarser path; for the comparison of starts
///   the beginning       neighbouring samples as they are, and all before them: what a law remembers is what it remembers there in the
///                       whole recording. For a recording whose beginning moves as widely as all of it does, or nearly
///   blocks              the same, evenly spread over the samples of estimation. The law runs into each block along the samples before it,
///                       half as many as the block has; what it would remember from before these is lost
/// What fits a part is near what fits the whole: off by its standard error times √(all samples/those of the part).
#pragma once

#include <optional>

#include "identification/fit_data.hpp"

namespace stickslip::inline identification {

/// So many samples of estimation from the first on, if they are one stretch of more and move nearly as widely.
std::optional<FitData> beginning_of(const FitData& data, std::size_t most);
/// About `most` samples of estimation in so many blocks, each recording with at least one; all, where there are no more.
FitData blocks_of(const FitData& data, std::size_t most, std::size_t blocks = 10);

/// Whether a recording has so many samples that its fits begin with a part of them.
bool is_long(const FitData& data);
/// That part: the beginning or else blocks, 30 000 samples or a sixteenth of the recording.
FitData part_of_long(const FitData& data, std::size_t blocks = 10);

}  // namespace stickslip::inline identification
