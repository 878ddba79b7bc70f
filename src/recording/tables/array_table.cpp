/// From the arrays of a MATLAB or NumPy file to a table of columns; see raw_table.hpp.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t most_columns = 1000;
constexpr std::size_t most_named = 10;  // notes of one kind; more hide what else was found

std::size_t rows_of(const NamedArray& array) { return array.values.size() / array.columns; }
bool is_vector(const NamedArray& array) { return array.columns == 1 || rows_of(array) == 1; }

/// Whether a matrix has its samples along the second dimension, as `log = [t; x; F]` in MATLAB.
bool is_row_by_row(const NamedArray& matrix, std::size_t longest_vector) {
  if (rows_of(matrix) == longest_vector) return false;
  return matrix.columns == longest_vector || matrix.columns > rows_of(matrix);
}

/// A matrix as vectors of samples.
std::vector<NamedArray> vectors_of(const NamedArray& matrix, bool row_by_row) {
  const std::size_t rows = rows_of(matrix), columns = matrix.columns;
  std::vector<NamedArray> vectors;
  for (std::size_t k = 0; k < (row_by_row ? rows : columns); ++k) {
    vectors.push_back({matrix.name + "_" + std::to_string(k + 1), {}});
    std::vector<double>& values = vectors.back().values;
    if (row_by_row) {
      values.resize(columns);
      for (std::size_t i = 0; i < columns; ++i) values[i] = matrix.values[i * rows + k];
    } else {
      const auto from = matrix.values.begin() + std::ptrdiff_t(k * rows);
      values.assign(from, from + std::ptrdiff_t(rows));
    }
  }
  return vectors;
}

}  // namespace

RawTable table_of_arrays(std::vector<NamedArray> arrays, std::vector<std::string> left_out, const ReadOptions& options,
                         const std::string& file) {
  RawTable table;
  std::set<std::string_view> names;
  for (const NamedArray& array : arrays)
    if (!names.insert(array.name).second)
      refuse_file(file, "two arrays are called " + in_quotes(one_line(array.name, 40)) + "; give each its own name");
  std::vector<NamedArray> vectors;
  std::size_t longest_vector = 0;
  for (const NamedArray& array : arrays)
    if (is_vector(array) && array.values.size() > 1) longest_vector = std::max(longest_vector, array.values.size());
  for (NamedArray& array : arrays) {
    if (array.values.size() == 1) {
      table.constants.push_back({array.name, array.values.front()});
    } else if (is_vector(array)) {
      if (!array.values.empty()) vectors.push_back(std::move(array));
    } else {
      const bool row_by_row = is_row_by_row(array, longest_vector);
      const std::size_t count = row_by_row ? rows_of(array) : array.columns;
      const std::string size = std::to_string(rows_of(array)) + " x " + std::to_string(array.columns);
      if (count > most_columns) {
        left_out.push_back(one_line(array.name, 40) + " (" + size + ")");
        continue;
      }
      if (row_by_row)
        table.notes.push_back({"row_by_row", 0, 0,
                               in_quotes(one_line(array.name, 40)) + " is " + size +
                                   ", a row per signal; its rows are read as columns " + one_line(array.name, 30) +
                                   "_1 to " + one_line(array.name, 30) + "_" + std::to_string(count)});
      for (NamedArray& vector : vectors_of(array, row_by_row)) vectors.push_back(std::move(vector));
      array.values = {};
    }
  }
  std::size_t longest = 0;
  for (const NamedArray& vector : vectors) longest = std::max(longest, vector.values.size());
  std::vector<Heading> headings;
  std::vector<NamedArray> kept;
  std::size_t others = 0;
  for (NamedArray& vector : vectors) {
    if (vector.values.size() == longest) {
      headings.push_back(split_heading(vector.name));
      kept.push_back(std::move(vector));
    } else if (++others <= most_named) {
      table.notes.push_back({"length", 0, 0,
                             in_quotes(one_line(vector.name, 40)) + " has " + std::to_string(vector.values.size()) +
                                 " values where others have " + std::to_string(longest) + "; left out"});
    }
  }
  if (others > most_named)
    table.notes.push_back(
        {"length", 0, 0, std::to_string(others - most_named) + " more have other numbers of values; left out"});
  if (kept.size() > most_columns)
    refuse_file(file, std::to_string(kept.size()) + " columns; at most " + std::to_string(most_columns) + " are read");
  if (!left_out.empty())
    table.notes.push_back({"left_out", 0, 0, "left out because they are not real numeric arrays: " + joined(left_out)});
  if (kept.empty())
    refuse_file(file, left_out.empty() ? "no column of numbers; vectors of one length are needed"
                                       : "no column of numbers, only " + one_line(joined(left_out), 80) +
                                             "; save its numbers as vectors of one length");
  if (!options.where.empty()) refuse_file(file, "rows can be chosen by a column's value in text tables only");
  table.assignment = assign_roles(headings, options, file, 0, table.constants);
  table.rows = longest;
  table.last_line = longest;
  for (NamedArray& array : kept) {
    table.columns.emplace_back();
    table.columns.back().values = std::move(array.values);
  }
  return table;
}

}  // namespace stickslip::inline recordings
