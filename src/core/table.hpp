/// Named columns of numbers with units: the form in which every result leaves the program.
/// What is not here: reading and writing (files/csv.hpp, files/npz.hpp), drawing (report/).
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace stickslip {

struct Column {
  std::string name = {};  // a word: "velocity"
  std::string unit = {};  // as core/units.hpp reads it: "m/s"; "" or "1" for a plain number
  std::vector<double> values = {};
};

struct Table {
  std::vector<Column> columns = {};
};

/// Number of rows; 0 without columns. Unequal columns are refused by the writers.
inline std::size_t rows(const Table& table) { return table.columns.empty() ? 0 : table.columns.front().values.size(); }

}  // namespace stickslip
