/// MATLAB .mat files of version 7.3: HDF5 behind a block of 512 bytes.
#pragma once
#include <string>
#include <vector>

#include "recording/raw_table.hpp"

namespace stickslip {

struct MatArrays {
  std::vector<NamedArray> arrays;     // vectors by name, matrices as name_1, name_2 ..., structs as struct.field
  std::vector<std::string> left_out;  // "name (char)": no real numeric array
};

/// Throws Error for a file that is cut, damaged or holds no such arrays, or where the program was built without HDF5.
MatArrays mat_v73_arrays(const std::string& path);

}  // namespace stickslip
