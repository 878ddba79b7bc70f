/// The arrays of a NumPy .npz file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {

struct NpzArrays {
  std::vector<NamedArray> arrays;     // in the archive's order
  std::vector<std::string> left_out;  // no real numeric array
};

/// `name` is for messages. Throws Error for an archive that is cut, damaged or expands without measure.
NpzArrays npz_arrays(std::string_view bytes, const std::string& name);

}  // namespace stickslip::inline recordings
