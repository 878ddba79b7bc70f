/// Spreadsheets of Excel and LibreOffice (.xlsx, ECMA-376): one sheet becomes a text table, one line per row of the sheet, which
/// is then read like any other (headings, units, words, missing values). Read: numbers, texts (shared, rich and inline),
/// values of formulas as the spreadsheet program stored them, dates and times of day, which become seconds. Columns in
/// which less than half as many cells are filled as in the fullest one are remarks beside the table; they are left out with a
/// note. The first visible sheet that has numbers is read; --where sheet=NAME chooses another. Not read: charts, hidden sheets (unless named), formulas without a stored value (empty cells), the old
/// .xls and the binary .xlsb.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/checksum.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"
#include "recording/tables/cell.hpp"
#include "recording/tables/text_layout.hpp"
#include "recording/tables/xml_scan.hpp"
#include "recording/tables/zip_archive.hpp"

namespace stickslip::inline recordings {
namespace {

using Token = XmlScan::Token;
constexpr std::size_t most_rows = 1048576, most_sheet_columns = 16384;  // of the format
constexpr double seconds_per_day = 86400;

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "AB12": column 28, row 12; nothing if it is no such name.
struct Place {
  std::size_t column = 0, row = 0;
};
std::optional<Place> place_of(std::string_view name) {
  Place place;
  std::size_t i = 0;
  for (; i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; ++i) {
    place.column = 26 * place.column + std::size_t(name[i] - 'A') + 1;
    if (place.column > most_sheet_columns) return std::nullopt;
  }
  const auto row = whole_number(name.substr(i));
  if (i == 0 || !row || *row == 0 || *row > most_rows) return std::nullopt;
  place.row = *row;
  return place;
}

std::string column_name(std::size_t column) {
  std::string name;
  for (; column > 0; column = (column - 1) / 26) name.insert(name.begin(), char('A' + (column - 1) % 26));
  return name;
}

/// A format code shows a date or time of day if d, m, y, h or s stand in it outside quotes and brackets. [h], [mm] and [ss] are
/// durations; other brackets hold colours and languages.
bool is_date_code(std::string_view code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == '"' || c == '[') {
      const auto end = code.find(c == '"' ? '"' : ']', i + 1);
      if (end == std::string_view::npos) return false;
      const std::string_view inside = code.substr(i + 1, end - i - 1);
      if (c == '[' && !inside.empty() && inside.find_first_not_of("hHmMsS") == std::string_view::npos) return true;
      i = end;
    } else if (std::string_view("dmyhsDMYHS").find(c) != std::string_view::npos) {
      return !code.starts_with("General") && !code.starts_with("Standard");
    }
  }
  return false;
}

enum class Content { number, time, word, missing };

struct SheetCell {
  std::size_t row = 0, column = 0;
  Content content = Content::word;
  std::string text = {};
};

struct Sheet {
  std::string name, part;
  bool is_hidden = false;
};

class Workbook {
 public:
  Workbook(std::string_view bytes, const std::string& file)
      : file_(file), archive_(bytes, file, "an .xlsx spreadsheet", "save it with the usual compression") {
    read_sheets();
    read_words();
    read_styles();
  }

  const std::vector<Sheet>& sheets() const { return sheets_; }

  /// Calls visit(SheetCell) for every filled cell, row by row.
  template <class Visit>
  void cells(const std::string& xml, const Sheet& sheet, const Visit& visit) const {
    const auto refuse = [&](const std::string& what) { refuse_file(file_, "sheet " + named(sheet) + ": " + what); };
    XmlScan scan(xml);
    SheetCell cell;
    std::string type, value;
    std::size_t row = 0, column = 0, style = 0;
    enum { nowhere, in_value, in_formula, in_words } where = nowhere;
    int phonetic = 0;
    bool in_cell = false;
    for (;;) {
      const Token token = scan.next();
      if (token == Token::end) return;
      if (token == Token::damaged) refuse("damaged XML");
      const std::string_view name = scan.name();
      if (token == Token::text) {
        if (!in_cell || where == nowhere || where == in_formula || phonetic > 0) continue;
        const auto text = scan.text();
        if (!text) refuse("an unknown entity near row " + std::to_string(row));
        value += *text;
        if (value.size() > longest_cell)
          refuse(column_name(column) + std::to_string(row) + " holds more than " + std::to_string(longest_cell) +
                 " characters");
      } else if (token == Token::open) {
        if (name == "row") {
          const auto stated = scan.attribute("r");
          const std::size_t next = stated ? whole_number(*stated).value_or(0) : row + 1;
          if (next <= row || next > most_rows) refuse("damaged: row '" + one_line(stated.value_or("?"), 20) + "'");
          row = next;
          column = 0;
        } else if (name == "c") {
          const auto stated = scan.attribute("r");
          const auto place = stated ? place_of(*stated) : Place{column + 1, row};
          if (!place || place->row != row || place->column <= column || row == 0)
            refuse("damaged: cell '" + one_line(stated.value_or("?"), 20) + "'");
          column = place->column;
          type = scan.attribute("t").value_or("n");
          style = whole_number(scan.attribute("s").value_or("0")).value_or(0);
          value.clear();
          in_cell = true, where = nowhere, phonetic = 0;
        } else if (in_cell && name == "f") {
          where = in_formula;
        } else if (in_cell && (name == "v" || name == "t")) {
          where = name == "v" ? in_value : in_words;
        } else if (in_cell && name == "rPh") {
          ++phonetic;
        }
      } else if (name == "rPh") {
        if (phonetic > 0) --phonetic;
      } else if (name == "v" || name == "t" || name == "f") {
        where = nowhere;
      } else if (name == "c" && in_cell) {
        in_cell = false;
        cell.row = row, cell.column = column;
        if (take(type, value, style, cell, sheet)) visit(cell);
      }
    }
  }

  std::string xml_of(const Sheet& sheet) const {
    const ZipPart* part = archive_.find(sheet.part);
    if (!part) refuse_file(file_, "sheet " + named(sheet) + " is missing from the archive");
    return archive_.content(*part);
  }
  static std::string named(const Sheet& sheet) { return in_quotes(one_line(sheet.name, 40)); }

 private:
  /// False for an empty cell.
  bool take(const std::string& type, const std::string& value, std::size_t style, SheetCell& cell,
            const Sheet& sheet) const {
    if (type == "s") {
      const auto index = whole_number(trimmed(value));
      if (!index || *index >= words_.size())
        refuse_file(file_, "sheet " + named(sheet) + ": " + column_name(cell.column) + std::to_string(cell.row) +
                               " names a text that is not in the file; it is damaged");
      cell.text = words_[*index];
    } else {
      cell.text = value;
    }
    if (trimmed(cell.text).empty()) return false;
    if (type == "e") {
      cell.content = Content::missing;
    } else if (type == "n" || type == "b") {
      cell.content = Content::number;
      const bool is_time = type == "n" && style < dates_.size() && dates_[style];
      if (const Cell number = read_cell(cell.text, '.'); is_time && number.kind == CellKind::number) {
        cell.content = Content::time;
        cell.text = shortest(number.value * seconds_per_day);
      }
    } else {
      const CellKind kind = read_cell(cell.text, '.').kind;
      cell.content = kind == CellKind::number ? Content::number : Content::word;
    }
    return true;
  }

  void read_sheets() {
    const ZipPart* book = archive_.find("xl/workbook.xml");
    if (!book) {
      if (archive_.find("xl/workbook.bin")) refuse_file(file_, "a binary workbook (.xlsb); save it as .xlsx or CSV");
      refuse_file(file_, "is not an .xlsx spreadsheet: xl/workbook.xml is missing");
    }
    std::map<std::string, std::string> targets;
    if (const ZipPart* links = archive_.find("xl/_rels/workbook.xml.rels"))
      for_tags(archive_.content(*links), links->name, [&](const XmlScan& scan) {
        if (scan.name() == "Relationship")
          targets[scan.attribute("Id").value_or("")] = scan.attribute("Target").value_or("");
      });
    std::set<std::string> parts;
    for_tags(archive_.content(*book), book->name, [&](const XmlScan& scan) {
      if (scan.name() != "sheet") return;
      Sheet sheet{scan.attribute("name").value_or(""), "", scan.attribute("state").value_or("visible") != "visible"};
      const std::string id = scan.attribute("id").value_or("");
      if (const auto found = targets.find(id); found != targets.end())
        sheet.part = found->second.starts_with('/') ? found->second.substr(1) : "xl/" + found->second;
      if (!sheet.part.starts_with("xl/worksheets/")) return;  // charts are sheets, too
      if (!parts.insert(sheet.part).second)
        archive_.refuse(book->name, "has two sheets of one content; the spreadsheet is damaged");
      sheets_.push_back(std::move(sheet));
    });
    if (sheets_.empty()) refuse_file(file_, "the spreadsheet has no sheet of cells");
  }

  void read_words() {
    const ZipPart* part = archive_.find("xl/sharedStrings.xml");
    if (!part) return;
    const std::string xml = archive_.content(*part);
    XmlScan scan(xml);
    int phonetic = 0;
    bool in_text = false;
    for (Token token = scan.next(); token != Token::end; token = scan.next()) {
      if (token == Token::damaged) refuse_file(file_, "the texts of the spreadsheet are damaged");
      if (token == Token::text) {
        if (!in_text || phonetic > 0 || words_.empty()) continue;
        const auto text = scan.text();
        if (!text) refuse_file(file_, "the texts of the spreadsheet have an unknown entity");
        words_.back() += *text;
        continue;
      }
      const bool opens = token == Token::open;
      if (scan.name() == "si" && opens) words_.emplace_back();
      if (scan.name() == "t") in_text = opens;
      if (scan.name() == "rPh") phonetic = opens ? phonetic + 1 : std::max(0, phonetic - 1);
    }
  }

  /// Which styles show a number as a date or time.
  void read_styles() {
    const ZipPart* part = archive_.find("xl/styles.xml");
    if (!part) return;
    const std::string xml = archive_.content(*part);
    std::set<std::size_t> date_formats;
    for (std::size_t i = 14; i <= 22; ++i) date_formats.insert(i);  // built in: dates and times
    for (std::size_t i = 45; i <= 47; ++i) date_formats.insert(i);  // mm:ss, [h]:mm:ss, mm:ss.0
    XmlScan scan(xml);
    bool in_cells = false;
    for (Token token = scan.next(); token != Token::end; token = scan.next()) {
      if (token == Token::damaged) refuse_file(file_, "the formats of the spreadsheet are damaged");
      if (token == Token::text) continue;
      const bool opens = token == Token::open;
      if (scan.name() == "cellXfs") in_cells = opens;
      if (opens && scan.name() == "numFmt" && is_date_code(scan.attribute("formatCode").value_or("")))
        if (const auto id = whole_number(scan.attribute("numFmtId").value_or(""))) date_formats.insert(*id);
      if (opens && in_cells && scan.name() == "xf") {
        const auto id = whole_number(scan.attribute("numFmtId").value_or("0"));
        dates_.push_back(id && date_formats.contains(*id));
      }
    }
  }

  template <class Visit>
  void for_tags(const std::string& xml, const std::string& part, const Visit& visit) const {
    XmlScan scan(xml);
    for (Token token = scan.next(); token != Token::end; token = scan.next()) {
      if (token == Token::damaged) archive_.refuse(part, "is damaged XML");
      if (token == Token::open) visit(scan);
    }
  }

  std::string file_;
  ZipArchive archive_;
  std::vector<Sheet> sheets_;
  std::vector<std::string> words_;
  std::vector<bool> dates_;
};

/// What a column of a sheet holds.
struct ColumnCount {
  std::size_t numbers = 0, times = 0, words = 0;
  std::size_t filled() const { return numbers + times + words; }
};

struct SheetCounts {
  std::vector<ColumnCount> columns;
  std::size_t most_numbers = 0;
};

SheetCounts count(const Workbook& book, const std::string& xml, const Sheet& sheet) {
  SheetCounts found;
  book.cells(xml, sheet, [&](const SheetCell& cell) {
    if (cell.column > found.columns.size()) found.columns.resize(cell.column);
    ColumnCount& column = found.columns[cell.column - 1];
    ++(cell.content == Content::time ? column.times : cell.content == Content::word ? column.words : column.numbers);
    found.most_numbers = std::max(found.most_numbers, column.numbers + column.times);
  });
  return found;
}

/// A cell of the text table: one line, no tab, quoted where it would be taken for something else.
std::string cell_text(const SheetCell& cell) {
  if (cell.content == Content::missing) return "N/A";
  std::string text = cell.text;
  for (char& c : text)
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  if (cell.content != Content::word || text.find_first_of("\"#%/") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

struct SheetText {
  std::string text;
  std::vector<std::size_t> time_columns;  // of the text, from 0: dates, or times of day
  std::string left_out;                   // "F, H"
};

SheetText text_of(const Workbook& book, const std::string& xml, const Sheet& sheet, const SheetCounts& counts,
                  const std::string& file) {
  SheetText made;
  constexpr std::size_t none = std::size_t(-1);
  std::vector<std::size_t> place(counts.columns.size(), none);
  std::size_t width = 0;
  for (std::size_t c = 0; c < counts.columns.size(); ++c) {
    const ColumnCount& column = counts.columns[c];
    if (column.filled() == 0) continue;
    if (2 * column.filled() < counts.most_numbers) {
      made.left_out += (made.left_out.empty() ? "" : ", ") + column_name(c + 1);
      continue;
    }
    if (column.times > 0) made.time_columns.push_back(width);
    place[c] = width++;
  }
  if (width > most_columns)
    refuse_file(file, "sheet " + Workbook::named(sheet) + " has " + std::to_string(width) + " columns; at most " +
                          std::to_string(most_columns) + " are read");
  const std::size_t most_text = xml.size() + (std::size_t(2) << 20);  // a cell takes more in XML; 1 MB of empty rows
  std::size_t line = 1;
  std::vector<std::string> cells(width);
  bool has_number = false;
  const auto finish = [&] {
    std::size_t last = has_number ? width : 0;  // a row of words ends with its last one, as a preamble does
    for (std::size_t c = last; c < width; ++c)
      if (!cells[c].empty()) last = c + 1;
    for (std::size_t c = 0; c < last; ++c) {
      if (c > 0) made.text += '\t';
      made.text += cells[c];
      cells[c].clear();
    }
    made.text += '\n';
    if (made.text.size() > most_text)
      refuse_file(file, "sheet " + Workbook::named(sheet) + " is no table: hardly a cell of its rows is filled");
    ++line;
    has_number = false;
  };
  book.cells(xml, sheet, [&](const SheetCell& cell) {
    while (line < cell.row) finish();
    const std::size_t at = place[cell.column - 1];
    if (at == none) return;
    cells[at] = cell_text(cell);
    has_number = has_number || cell.content != Content::word;
  });
  finish();
  return made;
}

}  // namespace

RawTable read_xlsx(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  if (bytes.starts_with("\xd0\xcf\x11\xe0"))
    refuse_file(file, "an old or encrypted spreadsheet (.xls inside); save it as .xlsx without a password, or as CSV");
  const Workbook book(bytes, file);
  ReadOptions as_text = options;
  std::string wanted;
  for (auto at = as_text.where.begin(); at != as_text.where.end(); ++at)
    if (at->first == "sheet") {
      wanted = at->second;
      as_text.where.erase(at);
      break;
    }
  std::vector<std::string> names;
  for (const Sheet& sheet : book.sheets()) names.push_back(one_line(sheet.name, 40));
  const Sheet* chosen = nullptr;
  std::string xml;
  SheetCounts counts;
  for (const Sheet& sheet : book.sheets()) {
    if (wanted.empty() ? sheet.is_hidden : sheet.name != wanted) continue;
    xml = book.xml_of(sheet);
    counts = count(book, xml, sheet);
    if (counts.most_numbers < 2) continue;
    chosen = &sheet;
    break;
  }
  if (!chosen) {
    if (!wanted.empty() &&
        std::none_of(book.sheets().begin(), book.sheets().end(), [&](const Sheet& s) { return s.name == wanted; }))
      refuse_file(file, no_such("sheet", wanted, names));
    refuse_file(file, wanted.empty() ? "no visible sheet has a column of numbers"
                                     : "sheet " + in_quotes(one_line(wanted, 40)) + " has no column of numbers");
  }
  const SheetText sheet = text_of(book, xml, *chosen, counts, file);
  xml = {};
  as_text.delimiter = '\t';
  as_text.decimal = '.';
  RawTable table = read_text_table(sheet.text, file, as_text);
  table.fingerprint = fingerprint_of(bytes);
  for (const std::size_t c : sheet.time_columns) {
    if (c >= table.assignment.columns.size()) continue;  // without a heading at the right edge
    Heading& heading = table.assignment.columns[c].heading;
    if (!heading.unit.empty() && heading.unit != "s")
      refuse_at(file, 1, c + 1,
                in_quotes(one_line(heading.text, 40)) + " holds dates or times of day, which are no number of " +
                    one_line(heading.unit, 20) + "; format its cells as numbers");
    heading.unit = "s";
    table.notes.push_back({"clock_time", 0, c + 1, "dates or times of day; read as seconds"});
  }
  if (wanted.empty() && names.size() > 1) {
    std::string others;
    for (const std::string& name : names)
      if (name != one_line(chosen->name, 40)) others += (others.empty() ? "" : ", ") + in_quotes(name);
    table.notes.push_back(
        {"sheet", 0, 0,
         "sheet " + Workbook::named(*chosen) + " is read; --where sheet=... chooses another: " + one_line(others, 80)});
  }
  if (!sheet.left_out.empty())
    table.notes.push_back(
        {"left_out", 0, 0, "columns less than half filled are left out: " + one_line(sheet.left_out, 80)});
  return table;
}

}  // namespace stickslip::inline recordings
