/// How a text table is laid out; see text_layout.hpp.
#include "recording/tables/text_layout.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/tables/cell.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

struct Line {
  std::string_view text;
  std::size_t number = 0, start = 0, end = 0;
};

constexpr std::size_t lines_sniffed = 200;

bool is_number(std::string_view cell) {
  for (const char decimal : {'.', ','}) {
    const CellKind kind = read_cell(cell, decimal).kind;
    if (kind == CellKind::number || kind == CellKind::underflow || kind == CellKind::overflow) return true;
  }
  return false;
}

bool all_numbers(const std::vector<std::string_view>& cells) {
  return std::all_of(cells.begin(), cells.end(), is_number);
}
bool no_number(const std::vector<std::string_view>& cells) {
  return std::none_of(cells.begin(), cells.end(), is_number);
}

std::size_t count_outside_quotes(std::string_view line, char wanted) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == wanted && !quoted) ++count;
  }
  return count;
}

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "a tab" : delimiter == ' ' ? "blanks" : in_quotes(std::string(1, delimiter));
}

/// The delimiter that headings and first row have equally often; otherwise the one most frequent in the headings.
char sniff_delimiter(std::string_view heading, std::string_view first_row, const std::string& file, std::size_t line) {
  for (const char c : {';', '\t', ','}) {
    const std::size_t count = count_outside_quotes(heading, c);
    if (count > 0 && (first_row.empty() || count == count_outside_quotes(first_row, c))) return c;
  }
  std::size_t most = 0;
  char delimiter = ' ';
  for (const char c : {';', '\t', ','})
    if (const std::size_t count = count_outside_quotes(heading, c); count > most) most = count, delimiter = c;
  for (const char c : {'|', ':', '!'})
    if (most == 0 && count_outside_quotes(heading, c) > 1)
      refuse_at(file, line, 1,
                "cells seem to be separated by " + in_quotes(std::string(1, c)) +
                    "; comma, semicolon, tab and blanks are known, others with --delimiter");
  return delimiter;
}

/// "time [s]" divided by blanks is one heading: a bracket belongs to the word before it.
std::vector<std::string> heading_cells(std::string_view line, char delimiter) {
  std::vector<std::string> found;
  for (const std::string_view cell : cells_of(line, delimiter, std::string_view::npos)) {
    const std::string text(trimmed(cell));
    if (delimiter == ' ' && !found.empty() && (text.starts_with('[') || text.starts_with('(')))
      found.back() += " " + text;
    else
      found.push_back(text);
  }
  return found;
}

/// Characters that are there but cannot be seen: zero width, direction marks, byte order mark, control characters.
std::string invisible_in(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> hidden{{{"\xe2\x80\x8b", "U+200B"},
                                                                                 {"\xe2\x80\x8c", "U+200C"},
                                                                                 {"\xe2\x80\x8d", "U+200D"},
                                                                                 {"\xe2\x80\x8e", "U+200E"},
                                                                                 {"\xe2\x80\x8f", "U+200F"},
                                                                                 {"\xe2\x80\xae", "U+202E"},
                                                                                 {"\xe2\x81\xa0", "U+2060"},
                                                                                 {"\xef\xbb\xbf", "U+FEFF"}}};
  for (const auto& [bytes, text] : hidden)
    if (name.find(bytes) != std::string_view::npos) return std::string(text);
  return "";
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

/// Columns without a name at either end: the row numbers that a table of a program begins with, the empty cells that one of a spreadsheet
/// ends with. One in between has lost its name, and may be the one that is needed.
void name_unnamed(TextLayout& layout) {
  std::vector<Heading>& headings = layout.headings;
  std::size_t end = headings.size();
  while (end > 1 && headings[end - 1].text.empty()) --end;
  const auto give_name = [&](std::size_t i) {
    const std::string number = std::to_string(i + 1);
    headings[i].text = "column_" + number;
    layout.notes.push_back({"unnamed_column", layout.heading_line, i + 1,
                            "column " + number + " has no name and is called 'column_" + number + "'"});
  };
  if (end > 1 && headings.front().text.empty()) give_name(0);
  for (std::size_t i = end; i < headings.size(); ++i) give_name(i);
}

void check_headings(TextLayout& layout, const std::string& file) {
  const std::size_t line = layout.heading_line;
  if (layout.headings.size() > 1 && layout.headings.back().text.empty())
    layout.headings.pop_back(), layout.trailing_delimiter = true;
  name_unnamed(layout);
  if (layout.headings.size() > most_columns)
    refuse_at(
        file, line, most_columns + 1,
        std::to_string(layout.headings.size()) + " columns; at most " + std::to_string(most_columns) + " are read");
  for (std::size_t i = 0; i < layout.headings.size(); ++i) {
    const std::string& text = layout.headings[i].text;
    const auto refuse = [&](const std::string& what) { refuse_at(file, line, i + 1, what); };
    if (text.empty()) refuse("column " + std::to_string(i + 1) + " has no name");
    if (text.size() > longest_heading)
      refuse("a name of " + std::to_string(text.size()) + " bytes, " + in_quotes(one_line(text, 30)) + "; at most " +
             std::to_string(longest_heading) + " are read");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = character_length(std::string_view(text).substr(at));
      const auto byte = static_cast<unsigned char>(text[at]);
      constexpr std::string_view hex = "0123456789ABCDEF";
      if (length == 0)
        refuse(std::string("byte ") + hex[byte >> 4] + hex[byte & 15] +
               " is not UTF-8 (Latin-1?); convert the file to UTF-8");
      if (byte < 0x20 || byte == 0x7f) refuse("a control character in the name " + in_quotes(one_line(text, 60)));
      at += length;
    }
    if (const std::string hidden = invisible_in(text); !hidden.empty())
      refuse("an invisible character " + hidden + " in the name of column " + std::to_string(i + 1) + "; remove it");
    for (std::size_t j = 0; j < i; ++j)
      if (lower_case(layout.headings[j].text) == lower_case(text))
        refuse("columns " + std::to_string(j + 1) + " and " + std::to_string(i + 1) + " are both called " +
               in_quotes(one_line(text, 60)));
  }
}

/// The units in the cells of a row of units; nothing if it is none. Words that are no units (Inkr, Aeff) may be among them
/// as long as more are.
struct UnitsRow {
  std::vector<std::string> units;
  std::size_t known = 0, unknown = 0;
};
std::optional<UnitsRow> units_in(const std::vector<std::string_view>& cells) {
  UnitsRow row;
  for (const std::string_view cell : cells) {
    std::string text = unquoted(cell).value_or("?");
    if (text.size() > 1 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
      text = text.substr(1, text.size() - 2);
    if (is_number(text) && text != "1") return std::nullopt;
    if (!text.empty() && text != "-") ++(unit_or_nothing(text) ? row.known : row.unknown);
    row.units.push_back(text == "-" ? "1" : text);
  }
  if (row.known == 0 || (row.unknown > 0 && row.known < std::max<std::size_t>(2, row.unknown))) return std::nullopt;
  return row;
}

/// A row of units below the headings: no numbers, every cell a unit, and no unit in the headings themselves.
bool take_units_row(TextLayout& layout, const std::vector<std::string_view>& cells) {
  const std::size_t given = layout.headings.size() + (layout.trailing_delimiter ? 1 : 0);
  const auto row = cells.size() == given || cells.size() == layout.headings.size() ? units_in(cells) : std::nullopt;
  if (!row) return false;
  std::vector<std::string> units = row->units;
  units.resize(layout.headings.size());
  for (std::size_t i = 0; i < units.size(); ++i)
    if (layout.headings[i].unit.empty()) layout.headings[i].unit = units[i];
  return true;
}

/// The first row of a run of rows that hold numbers alone, three of them or as many as there are; nothing if there is none.
/// Otherwise, of rows that have words in the same places, ten of them: states, dates.
std::optional<std::size_t> first_data_row(const std::vector<Line>& lines, char delimiter) {
  std::vector<std::vector<bool>> numeric;  // cell by cell: a number, or nothing
  std::vector<std::size_t> numbers;
  for (const Line& line : lines) {
    numeric.emplace_back();
    numbers.push_back(0);
    for (const std::string_view cell : cells_of(line.text, delimiter, most_columns + 2)) {
      const bool is_there = !trimmed(cell).empty();
      numeric.back().push_back(!is_there || is_number(unquoted(cell).value_or("?")));
      if (is_there && numeric.back().back()) ++numbers.back();
    }
  }
  const auto run = [&](std::size_t from, std::size_t wanted, bool words) {
    const std::size_t end = std::min(lines.size(), from + wanted);
    if (end - from < 2 || numbers[from] < 2) return false;
    for (std::size_t i = from; i < end; ++i) {
      if (numeric[i].size() != numeric[from].size() || numbers[i] < 2) return false;
      if (words ? numeric[i] != numeric[from]
                : std::find(numeric[i].begin(), numeric[i].end(), false) != numeric[i].end())
        return false;
    }
    return true;
  };
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    if (run(i, 3, false)) return i;
  for (std::size_t i = 0; i + 9 < lines.size(); ++i)
    if (run(i, 10, true)) return i;
  return std::nullopt;
}

/// The lines of headings, units and numbers in a file that begins with something else.
struct Places {
  char delimiter = ',';
  std::size_t headings = 0, data = 0;
  std::optional<std::size_t> units = {};
  bool is_paired = false;                       // a time column beside every channel
  std::optional<std::size_t> unit_labels = {};  // LabVIEW's row of them, above the headings
};

/// "Name; position; Name; current": a trace with a time column for each channel, named after the cell above it.
bool is_paired_row(const std::vector<std::string_view>& cells) {
  if (cells.size() < 4 || cells.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string text = lower_case(unquoted(cells[i]).value_or(""));
    if (i % 2 == 0 ? text != "name" : text.empty()) return false;
  }
  return true;
}

/// The preamble ends where a run of numbers begins; the rows above it with as many cells hold names and units.
std::optional<Places> below_preamble(const std::vector<Line>& lines, const ReadOptions& options) {
  const std::string delimiters = options.delimiter ? std::string(1, options.delimiter) : ";\t, ";
  for (const char delimiter : delimiters) {
    const auto data = first_data_row(lines, delimiter);
    if (!data) continue;
    const auto cells = [&](std::size_t i) { return cells_of(lines[i].text, delimiter, most_columns + 2); };
    const std::size_t count = cells(*data).size();
    std::size_t first = *data;
    while (first > 0 && cells(first - 1).size() == count) --first;
    if (*data < 2 || first == *data) return std::nullopt;
    Places places{.delimiter = delimiter, .headings = *data - 1, .data = *data};
    for (std::size_t i = first; i < *data; ++i)
      if (is_paired_row(cells(i))) {
        places.headings = i, places.is_paired = true;
        for (std::size_t k = i + 1; k < *data; ++k)
          if (lower_case(unquoted(cells(k).front()).value_or("")).starts_with("unit")) places.units = k;
        return places;
      }
    if (places.headings > first && units_in(cells(places.headings)) && no_number(cells(places.headings - 1)))
      places.units = places.headings--;
    if (!no_number(cells(places.headings))) return std::nullopt;
    for (std::size_t i = 0; i < places.headings; ++i)
      if (lower_case(std::string(trimmed(cells(i).front()))) == "y_unit_label") places.unit_labels = i;
    if (places.headings == 0) return std::nullopt;  // no preamble
    return places;
  }
  return std::nullopt;
}

/// Names of the columns of a paired trace: "time [ms]" and the channel, in turn.
std::vector<Heading> paired_headings(const std::vector<std::string_view>& names,
                                     const std::vector<std::string_view>& units) {
  std::vector<Heading> headings;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i % 2 == 0) {
      headings.push_back(split_heading(i == 0 ? "time [ms]" : "time_" + std::to_string(i / 2 + 1) + " [ms]"));
      continue;
    }
    headings.push_back(split_heading(unquoted(names[i]).value_or("?")));
    if (i < units.size() && headings.back().unit.empty()) headings.back().unit = unquoted(units[i]).value_or("");
  }
  return headings;
}

/// "Y_Unit_Label	mm	N" of a LabVIEW measurement: the channels stand below their labels, the time below the word.
void take_unit_labels(TextLayout& layout, const std::vector<std::string_view>& labels) {
  for (std::size_t i = 0; i < layout.headings.size() && i < labels.size(); ++i) {
    const std::string unit = i == 0 ? "s" : unquoted(labels[i]).value_or("");
    if (layout.headings[i].unit.empty() && !unit.empty()) layout.headings[i].unit = unit;
  }
}

bool has_decimal_comma(const std::vector<Line>& lines, std::size_t from, char delimiter) {
  std::size_t commas = 0;
  for (std::size_t i = from; i < lines.size(); ++i)
    for (const std::string_view cell : cells_of(lines[i].text, delimiter, most_columns)) {
      if (cell.find('.') != std::string_view::npos && is_number(cell)) return false;
      if (cell.find(',') != std::string_view::npos && read_cell(cell, ',').kind == CellKind::number) ++commas;
    }
  return commas > 0;
}

}  // namespace

bool is_passed_over(std::string_view line) {
  const std::string_view content = trimmed(line);
  return content.empty() || content.front() == '#' || content.front() == '%' || content.starts_with("//");
}

std::vector<std::string_view> cells_of(std::string_view line, char delimiter, std::size_t most) {
  std::vector<std::string_view> cells;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (delimiter == ' ') line = trimmed(line);
  std::size_t start = 0;
  bool quoted = false;
  const auto divides = [&](char c) { return c == delimiter || (delimiter == ' ' && c == '\t'); };
  for (std::size_t i = 0; i <= line.size() && cells.size() < most; ++i) {
    if (i < line.size() && line[i] == '"' && (quoted || trimmed(line.substr(start, i - start)).empty()))
      quoted = !quoted;
    if (i < line.size() && (quoted || !divides(line[i]))) continue;
    cells.push_back(line.substr(start, i - start));
    while (delimiter == ' ' && i + 1 < line.size() && divides(line[i + 1])) ++i;
    start = i + 1;
  }
  return cells;
}

std::optional<std::string> unquoted(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.find('"') == std::string_view::npos) return std::string(cell);
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    if (cell[i] == '"') {
      if (i + 2 >= cell.size() || cell[i + 1] != '"') return std::nullopt;
      ++i;
    }
    text += cell[i];
  }
  return std::string(trimmed(text));
}

TextLayout find_layout(std::string_view block, const ReadOptions& options, const std::string& file) {
  TextLayout layout;
  std::vector<Line> lines;
  Line comment;  // the last one before the first row: NumPy writes headings that way
  std::size_t number = 0;
  for (std::size_t at = 0; at < block.size() && lines.size() < lines_sniffed;) {
    const std::size_t end = block.find('\n', at);
    const Line line{block.substr(at, end - at), ++number, at, end + 1};
    at = end + 1;
    if (number <= options.skip_lines) continue;
    if (!is_passed_over(line.text))
      lines.push_back(line);
    else if (lines.empty() && trimmed(line.text).size() > 1)
      comment = line;
  }
  if (lines.empty()) refuse_at(file, std::max<std::size_t>(number, 1), 1, "no data: no line of headings and no rows");

  const auto preamble = options.names.empty() ? below_preamble(lines, options) : std::nullopt;
  if (preamble) {
    layout.notes.push_back({"preamble", lines[preamble->headings].number, 0,
                            std::to_string(lines[preamble->headings].number - 1 - options.skip_lines) +
                                " lines of preamble; the headings are taken from here"});
    layout.is_paired = preamble->is_paired;
  }
  const std::size_t top = preamble ? preamble->headings : 0;
  const std::string_view first_row = lines.size() > 1 ? lines[1].text : std::string_view();
  layout.delimiter = options.delimiter ? options.delimiter
                     : preamble        ? preamble->delimiter
                                       : sniff_delimiter(lines[0].text, first_row, file, lines[0].number);
  const auto cells = [&](std::size_t i) { return cells_of(lines[i].text, layout.delimiter, 100000); };

  std::size_t first_data = top + 1;
  std::string_view heading_text = lines[top].text;
  layout.heading_line = lines[top].number;
  if (!options.names.empty()) {
    for (const std::string& name : options.names) layout.headings.push_back(split_heading(name));
    first_data = 0;
  } else if (layout.is_paired) {
    layout.headings =
        paired_headings(cells(top), preamble->units ? cells(*preamble->units) : std::vector<std::string_view>{});
  } else if (all_numbers(cells(top))) {
    std::string_view said = trimmed(comment.text);
    while (!said.empty() && (said.front() == '#' || said.front() == '%' || said.front() == '/')) said.remove_prefix(1);
    said = trimmed(said);
    if (said.empty() || heading_cells(said, layout.delimiter).size() != cells(0).size())
      refuse_at(file, lines[0].number, 1,
                "numbers instead of headings; name the columns with --columns time_s,force_N,...");
    heading_text = said;
    layout.heading_line = comment.number;
    first_data = 0;
    layout.notes.push_back(
        {"comment_headings", comment.number, 0, "headings taken from the comment above the numbers"});
  }
  if (layout.headings.empty()) {
    const auto found = heading_cells(heading_text, layout.delimiter);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto plain = unquoted(found[i]);
      if (!plain)
        refuse_at(file, layout.heading_line, i + 1, "a stray quote in the name " + in_quotes(one_line(found[i], 60)));
      layout.headings.push_back(plain->size() > longest_heading ? Heading{*plain, *plain, ""} : split_heading(*plain));
    }
  }
  check_headings(layout, file);
  if (preamble && preamble->unit_labels && layout.headings.front().name == "X_Value") {
    take_unit_labels(layout, cells(*preamble->unit_labels));
    layout.notes.push_back({"units_row", lines[*preamble->unit_labels].number, 0, "taken as the units of the columns"});
  }
  if (first_data < lines.size() && options.names.empty() && !layout.is_paired &&
      take_units_row(layout, cells(first_data))) {
    layout.notes.push_back({"units_row", lines[first_data].number, 0, "taken as the units of the columns"});
    ++first_data;
  }
  if (preamble) first_data = preamble->data;
  if (first_data >= lines.size()) refuse_at(file, layout.heading_line, 1, "no data: no rows below the headings");
  layout.data_start = lines[first_data].start;
  layout.data_line = lines[first_data].number;

  if (options.decimal)
    layout.decimal = options.decimal;
  else if (layout.delimiter != ',' && has_decimal_comma(lines, first_data, layout.delimiter))
    layout.decimal = ',';
  if (layout.decimal == layout.delimiter)
    refuse_at(file, layout.heading_line, 1, "delimiter and decimal mark cannot both be ','");
  const std::string how = "cells are separated by " + delimiter_name(layout.delimiter);
  if (layout.decimal == ',' && !options.decimal)
    layout.notes.push_back({"decimal_comma", layout.data_line, 0, "numbers have a decimal comma, " + how});
  else if (layout.delimiter != ',' && !options.delimiter)
    layout.notes.push_back({"delimiter", layout.heading_line, 0, how});
  return layout;
}

}  // namespace stickslip::inline recordings
