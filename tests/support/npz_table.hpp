/// The columns of an .npz as a table, read as a recording's are; units stay part of the name.
#pragma once
#include "core/table.hpp"
#include "recording/tables/npz_arrays.hpp"

namespace stickslip {

inline Table from_npz(std::string_view bytes, const std::string& name) {
  Table table;
  for (NamedArray& array : npz_arrays(bytes, name).arrays)
    table.columns.push_back({array.name, "", std::move(array.values)});
  return table;
}

}  // namespace stickslip
