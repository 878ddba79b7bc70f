/// A Table as comma-separated text; see csv.hpp.
#include "files/csv.hpp"

#include <array>
#include <charconv>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline files {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

}  // namespace

std::string header(const Column& column) {
  if (column.unit.empty() || column.unit == "1") return column.name;
  std::string word = column.name + "_";
  for (const char c : column.unit) {
    if (c == ' ' || c == '/' || c == '*')
      word += '_';
    else if (c == '%')
      word += "percent";
    else if (c != '^' && c != '(' && c != ')')
      word += c;
  }
  return word;
}

void check_writable(const Table& table) {
  std::set<std::string> seen;
  for (const auto& column : table.columns) {
    if (column.name.empty()) throw Error("a result column has no name");
    if (column.values.size() != rows(table))
      throw Error("result column " + in_quotes(header(column)) + " has " + std::to_string(column.values.size()) +
                  " rows where " + in_quotes(header(table.columns.front())) + " has " + std::to_string(rows(table)));
    if (!seen.insert(header(column)).second) throw Error("two result columns are called " + in_quotes(header(column)));
  }
}

namespace {

/// Both ways to write a table; `heading` is empty without a column of words.
std::string written(const Table& table, const std::string& heading, const std::vector<std::string_view>& words) {
  check_writable(table);
  const bool has_words = !heading.empty();
  std::string text;
  text.reserve(rows(table) * (table.columns.size() + 1) * 16);
  const auto end_field = [&](std::size_t column) {
    text += column + 1 == table.columns.size() && !has_words ? '\n' : ',';
  };
  for (std::size_t j = 0; j < table.columns.size(); ++j) text += csv_field(header(table.columns[j])), end_field(j);
  if (has_words) text += csv_field(heading) + "\n";
  for (std::size_t i = 0; i < rows(table); ++i) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) text += shortest(table.columns[j].values[i]), end_field(j);
    if (has_words) text += csv_field(std::string(words[i])) + "\n";
  }
  return text;
}

}  // namespace

std::string to_csv(const Table& table) { return written(table, "", {}); }

std::string to_csv(const Table& table, const std::string& heading, const std::vector<std::string_view>& words) {
  if (words.size() != rows(table))
    throw Error("result column " + in_quotes(heading) + " has " + std::to_string(words.size()) +
                " rows; the table has " + std::to_string(rows(table)));
  return written(table, heading, words);
}

}  // namespace stickslip::inline files
