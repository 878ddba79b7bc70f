/// MATLAB .mat files of version 7.3: HDF5 behind a block of 512 bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {

struct MatArrays {
  std::vector<NamedArray> arrays;     // by name, fields of structs as struct.field
  std::vector<std::string> left_out;  // "name (char)": no real numeric array
  std::vector<Note> notes = {};
};

/// `bytes` from the signature of HDF5 on; `path` is for messages. Throws Error for a file that is cut, damaged or stores
/// numbers in a way that is not read.
MatArrays mat_v73_arrays(std::string_view bytes, const std::string& path);

}  // namespace stickslip::inline recordings
