/// Where the result files of a command go, checked before the work begins.
#pragma once
#include <string>
#include <vector>

namespace stickslip {

/// How the names of the files begin: "out/" or an existing directory takes the name of the input, anything else is the
/// beginning itself; without `output` the input's name, here.
std::string output_prefix(const std::string& output, const std::string& input);

/// A place that cannot be written to would waste the run, and no file may be written if another cannot. Throws Error.
void check_place(const std::string& prefix, const std::vector<std::string>& endings);

}  // namespace stickslip
