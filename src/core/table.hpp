/// Named columns of numbers with units: the form in which every result leaves the program.
/// What is not here: reading and writing (files/csv.hpp, files/npz.hpp), drawing (report/).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

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

/// The column of this name, or nullptr.
inline const Column* find_column(const Table& table, std::string_view name) {
  for (const Column& column : table.columns)
    if (column.name == name) return &column;
  return nullptr;
}
/// Its values; throws Error if there is none.
inline const std::vector<double>& values_of(const Table& table, std::string_view name) {
  if (const Column* column = find_column(table, name)) return column->values;
  throw Error("there is no column " + std::string(name));
}

}  // namespace stickslip
