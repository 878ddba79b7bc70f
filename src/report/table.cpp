/// Tables on a terminal or in a file; see table.hpp.
#include "report/table.hpp"

#include <algorithm>

#include "platform/number.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

bool is_number(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0;
  const auto [end, problem] = read_number(cell.data(), cell.data() + cell.size(), number);
  if (problem == std::errc::invalid_argument) return false;
  return end == cell.data() + cell.size() || *end == ' ' || *end == '%';
}

bool says_nothing(const std::string& cell) { return cell.empty() || cell == "-" || cell == "–"; }

std::size_t column_count(const TextTable& table) {
  std::size_t count = table.columns.size();
  for (const auto& row : table.rows) count = std::max(count, row.size());
  return count;
}

Ink ink_of(const std::string& cell) {
  if (cell == "ok" || cell == "yes") return Ink::green;
  if (cell == "no" || cell == "NOT OK" || cell == "failed") return Ink::red;
  return Ink::plain;
}

}  // namespace

std::vector<bool> numeric_columns(const TextTable& table) {
  std::vector<bool> numeric(column_count(table), false), mixed(column_count(table), false);
  for (const auto& row : table.rows)
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (says_nothing(row[j])) continue;
      if (is_number(row[j]))
        numeric[j] = true;
      else
        mixed[j] = true;
    }
  for (std::size_t j = 0; j < numeric.size(); ++j) numeric[j] = numeric[j] && !mixed[j];
  return numeric;
}

std::string to_text(const TextTable& table, const TextTableOptions& options) {
  const std::size_t count = column_count(table);
  const auto numeric = numeric_columns(table);
  std::vector<std::size_t> widths(count, 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], display_width(row[j]));
  };
  widen(table.columns);
  for (const auto& row : table.rows) widen(row);
  std::size_t total = count > 0 ? 2 * (count - 1) : 0;
  for (const auto width : widths) total += width;

  std::string out;
  const auto across = [&] {
    std::string line;
    for (std::size_t i = 0; i < total; ++i) line += "─";
    out += options.indent + coloured(line, Ink::faint, options.colour) + "\n";
  };
  const auto print = [&](const std::vector<std::string>& row, bool is_heading) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string blank(widths[j] - display_width(row[j]), ' ');
      const Ink ink = is_heading ? Ink::bold : ink_of(row[j]);
      const std::string cell = coloured(row[j], ink, options.colour);
      const bool is_last = j + 1 == row.size();
      line += numeric[j] ? blank + cell : is_last ? cell : cell + blank;
      if (!is_last) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += (line.empty() ? "" : options.indent) + line + "\n";
  };
  if (!table.columns.empty()) print(table.columns, true), across();
  for (const auto& row : table.rows) {
    if (row.empty())
      across();
    else
      print(row, false);
  }
  return out;
}

std::string to_markdown(const TextTable& table) {
  const std::size_t count = column_count(table);
  const auto numeric = numeric_columns(table);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = "|";
    for (std::size_t j = 0; j < count; ++j) {
      text += ' ';
      for (const char c : j < row.size() ? row[j] : "") {
        if (c == '|') text += '\\';
        text += c == '\n' ? ' ' : c;
      }
      text += " |";
    }
    return text + "\n";
  };
  std::string out = line(table.columns) + "|";
  for (std::size_t j = 0; j < count; ++j) out += numeric[j] ? "---:|" : "---|";
  out += "\n";
  for (const auto& row : table.rows)
    if (!row.empty()) out += line(row);
  return out;
}

}  // namespace stickslip
