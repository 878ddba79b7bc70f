/// Several axes in one file: # stands for the axis in headings ("q#", "tau#"), and options have one part for each axis or one for all
/// ("0.11 N m/A; 0.07 N m/A").
#pragma once

#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace stickslip::inline jobs {

/// The axes for which every column with a # exists; `asked` is "*" for all, or "1,3". Throws Error.
std::vector<std::string> axes_in(const std::string& file, const ReadOptions& reading, const std::string& asked);

/// How the k-th of the axes is read.
ReadOptions reading_of_axis(ReadOptions reading, const std::vector<std::string>& axes, std::size_t k);

/// The part of an option that belongs to the k-th of so many axes; a text without a ";" is for all. `option` is named in messages.
std::string part_of_axis(const std::string& text, std::size_t k, std::size_t axes, const std::string& option);

/// "axis.model.toml" for axis 3: "axis-3.model.toml"; "" stays "".
std::string path_of_axis(const std::string& path, const std::string& axis);

}  // namespace stickslip::inline jobs
