/// Tables on a terminal or in a file; see table.hpp.
#include "report/table.hpp"

#include <algorithm>

#include "platform/number.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline reports {
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

namespace {

using Lines = std::vector<std::string>;

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  std::size_t sum = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const auto width : widths) sum += width;
  return sum;
}

/// A list ("1 mm/s, 3 mm/s, 10 mm/s") or a sentence that begins with a number: not a single quantity, so it may be broken.
bool has_several_words(const std::string& cell) {
  return cell.find(", ") != std::string::npos || std::count(cell.begin(), cell.end(), ' ') > 3;
}

/// Words of a cell on lines of this width; a word that is longer stays whole, as does a number with its unit in a list.
Lines broken(const std::string& cell, std::size_t width) {
  const bool is_list = cell.find(", ") != std::string::npos;
  Lines lines;
  std::string line;
  for (std::size_t at = 0; at <= cell.size();) {
    auto blank = std::min(cell.find(' ', at), cell.size());
    if (is_number(cell.substr(at, blank - at)) && is_list) blank = std::min(cell.find(' ', blank + 1), cell.size());
    const std::string word = cell.substr(at, blank - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width)
      lines.push_back(std::move(line)), line.clear();
    line += (line.empty() ? "" : " ") + word;
    at = blank + 1;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::size_t longest_word(const std::string& cell) {
  std::size_t longest = 0;
  for (const std::string& word : broken(cell, 1)) longest = std::max(longest, display_width(word));
  return longest;
}

/// How wide the columns are, and whether they fit.
struct Layout {
  std::vector<std::size_t> widths;
  bool fits = true;
};

/// Headings give way first, then columns of words, the widest first; no word is broken, and words keep 16 characters.
Layout layout_of(const TextTable& table, const std::vector<bool>& numeric, std::size_t room) {
  const std::size_t count = numeric.size();
  std::vector<std::size_t> body(count, 0), least(count, 0), heading(count, 0);
  for (const auto& row : table.rows)
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t width = display_width(row[j]);
      body[j] = std::max(body[j], width);
      least[j] = std::max(least[j], numeric[j] && !has_several_words(row[j])
                                        ? width
                                        : std::max(longest_word(row[j]), std::min<std::size_t>(width, 16)));
    }
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    heading[j] = display_width(table.columns[j]);
    least[j] = std::max(least[j], longest_word(table.columns[j]));
  }
  Layout layout;
  for (std::size_t j = 0; j < count; ++j) layout.widths.push_back(std::max(body[j], heading[j]));
  const auto shrink = [&](auto&& lowest) {
    while (sum_of(layout.widths) > room) {
      std::size_t best = count;
      for (std::size_t j = 0; j < count; ++j)
        if (layout.widths[j] > lowest(j) &&
            (best == count || layout.widths[j] - lowest(j) > layout.widths[best] - lowest(best)))
          best = j;
      if (best == count) return;
      --layout.widths[best];
    }
  };
  shrink([&](std::size_t j) { return std::max(body[j], least[j]); });
  shrink([&](std::size_t j) { return least[j]; });
  layout.fits = sum_of(layout.widths) <= room;
  return layout;
}

/// One small table per row: for lines that are shorter than any breaking can make a table.
std::string in_blocks(const TextTable& table, const TextTableOptions& options, std::size_t room) {
  std::string out;
  for (const auto& row : table.rows) {
    if (row.empty()) continue;
    if (!out.empty()) out += "\n";
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string& heading = j < table.columns.size() ? table.columns[j] : "";
      if (says_nothing(row[j])) continue;
      // The heading is coloured after the lines are broken, since it may be broken itself.
      const Lines lines =
          broken((heading.empty() ? "" : heading + ": ") + row[j], room - std::min<std::size_t>(room, 2));
      std::size_t bold = heading.size();
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t here = std::min(bold, lines[i].size());
        bold -= std::min(bold, here + 1);  // and the blank at which the line ends
        out += options.indent + (i > 0 ? "  " : "") +
               coloured(lines[i].substr(0, here), Ink::bold, options.colour && here > 0) +
               coloured(lines[i].substr(here), ink_of(row[j]), options.colour && here < lines[i].size()) + "\n";
      }
    }
  }
  return out;
}

}  // namespace

std::string to_text(const TextTable& table, const TextTableOptions& options) {
  const auto numeric = numeric_columns(table);
  std::size_t room = options.width;
  if (room == 0) room = is_terminal_output() ? std::max<std::size_t>(terminal_width(), 40) : std::size_t(-1) / 2;
  room -= std::min(room, display_width(options.indent));
  const Layout layout = layout_of(table, numeric, room);
  const auto& widths = layout.widths;
  if (!layout.fits && !table.columns.empty()) return in_blocks(table, options, room);

  std::string out;
  const auto across = [&] {
    std::string line;
    for (std::size_t i = 0; i < sum_of(widths); ++i) line += "─";
    out += options.indent + coloured(line, Ink::faint, options.colour) + "\n";
  };
  const auto print = [&](const std::vector<std::string>& row, bool is_heading) {
    std::vector<Lines> cells;
    std::size_t height = 1;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const bool is_whole = display_width(row[j]) <= widths[j];
      cells.push_back(is_whole ? Lines{row[j]} : broken(row[j], widths[j]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::string line;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const std::string part = i < cells[j].size() ? cells[j][i] : "";
        const std::string blank(widths[j] - std::min(widths[j], display_width(part)), ' ');
        const std::string cell =
            coloured(part, is_heading ? Ink::bold : ink_of(row[j]), options.colour && !part.empty());
        const bool is_last = j + 1 == row.size();
        line += numeric[j] ? blank + cell : is_last ? cell : cell + blank;
        if (!is_last) line += "  ";
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += (line.empty() ? "" : options.indent) + line + "\n";
    }
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

}  // namespace stickslip::inline reports
