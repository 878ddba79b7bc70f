/// Tables on a terminal or in a file: columns as wide as their longest cell, numbers to the right, words to the left,
/// "ok" green and "no" red where colour is needed.
///   TextTable table{.columns = {"quantity", "reference", "ours", ""}};
///   table.rows.push_back({"period [s]", "6.512322", "6.512322", "ok"});
///   std::cout << to_text(table, {.colour = wants_colour()});
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace stickslip::inline reports {

struct TextTable {
  std::vector<std::string> columns = {};            // headings; none: no heading line
  std::vector<std::vector<std::string>> rows = {};  // a short row ends early; an empty one is a line across
};

struct TextTableOptions {
  bool colour = false;
  std::string indent = "";
  /// Longest line [characters]; 0: as wide as the terminal, unlimited where output is not a terminal.
  std::size_t width = 0;
};

/// A column whose cells are all numbers (with or without unit, or "-" or empty) is right-aligned.
/// A table that is too wide has its headings and then its words broken into several lines; numbers are never broken. If that is not
/// enough, each row becomes a small table, one line per column.
std::string to_text(const TextTable& table, const TextTableOptions& options = {});

/// Which columns are right-aligned.
std::vector<bool> numeric_columns(const TextTable& table);

/// The same as GitHub's Markdown, for documents; | in a cell is escaped.
std::string to_markdown(const TextTable& table);

}  // namespace stickslip::inline reports
