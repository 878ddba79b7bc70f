/// Rows of a text table, in one pass over blocks of whole lines; see raw_table.hpp. A cell in a column with a role must
/// be a finite number of sensible size. In a column without a role a word in the first row makes it a column of words,
/// and a cell that is no number later on becomes NaN with one note per column.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "core/text.hpp"
#include "recording/tables/cell.hpp"
#include "recording/tables/text_blocks.hpp"
#include "recording/tables/text_layout.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = 1e150;  // squares must stay finite
constexpr std::size_t most_words = 100000;

struct Condition {
  std::size_t column;
  std::string text;
  double number = nan;
};

class TableReader {
 public:
  /// `blocks` are constructor arguments of TextBlocks: a path, or bytes and a name.
  template <class... Blocks>
  TableReader(const std::string& file, const ReadOptions& options, const Blocks&... blocks)
      : file_(file), options_(options), blocks_(blocks...) {}

  RawTable read() {
    if (!blocks_.next()) refuse_at(file_, 1, 1, "the file is empty");
    layout_ = find_layout(blocks_.text(), options_, file_);
    table_.assignment = assign_roles(layout_.headings, options_, file_, layout_.heading_line);
    prepare();
    line_ = layout_.data_line - 1;
    rows_in(blocks_.text().substr(layout_.data_start));
    while (blocks_.next()) rows_in(blocks_.text());
    finish();
    return std::move(table_);
  }

 private:
  void prepare() {
    const std::size_t columns = layout_.headings.size();
    table_.columns.resize(columns);
    odd_cells_.resize(columns);
    first_odd_.resize(columns);
    place_of_word_.resize(columns);
    tiny_cells_.resize(columns);
    // A guess at the number of rows from the first lines; only address space is spent if it is too large.
    const std::string_view text = blocks_.text().substr(layout_.data_start);
    const auto lines = std::size_t(std::count(text.begin(), text.end(), '\n'));
    const std::size_t guess =
        std::max(lines, lines * (blocks_.file_size() / std::max<std::size_t>(1, text.size()) + 1));
    if (lines > 0)
      for (RawColumn& column : table_.columns) column.values.reserve(std::min<std::size_t>(guess, 100000000 / columns));
    for (const auto& asked : options_.where) {
      const std::string &name = asked.first, &value = asked.second;
      const auto is_named = [&](const Heading& h) {
        return h.text == name || h.name == name || h.text.starts_with(name + "(");
      };
      const auto found = std::find_if(layout_.headings.begin(), layout_.headings.end(), is_named);
      if (found == layout_.headings.end()) {
        std::vector<std::string> names;
        for (const Heading& h : layout_.headings) names.push_back(one_line(h.text, 40));
        refuse_at(file_, layout_.heading_line, 1, no_such("column", name, names));
      }
      Condition condition{std::size_t(found - layout_.headings.begin()), value};
      if (const Cell cell = read_cell(value, '.'); cell.kind == CellKind::number) condition.number = cell.value;
      conditions_.push_back(condition);
    }
  }

  void rows_in(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) at = row(at);
  }

  bool divides(char c) const { return c == layout_.delimiter || (blanks_() && c == '\t'); }
  bool blanks_() const { return layout_.delimiter == ' '; }

  static const char* line_end(const char* at) {
    while (*at != '\n') ++at;
    return at;
  }

  /// Reads the line at `at`; the start of the next one.
  const char* row(const char* at) {
    ++line_;
    if (*at <= ' ' || *at == '#' || *at == '%' || *at == '/') {  // perhaps nothing but blanks or a comment
      const char* const end = line_end(at);
      if (is_passed_over({at, std::size_t(end - at)})) return end + 1;
      if (blanks_())
        while (*at == ' ' || *at == '\t') ++at;
    }
    const std::size_t columns = table_.columns.size();
    row_start_ = at;
    const char delimiter = layout_.delimiter, decimal = layout_.decimal;
    for (std::size_t c = 0; c < columns; ++c) {
      RawColumn& column = table_.columns[c];
      const bool last = c + 1 == columns;
      double value;
      const char* after = column.is_text ? nullptr : quick_number(at, decimal, value);
      if (after && (last ? ends_line(after) : *after == delimiter && !blanks_())) {
        column.values.push_back(value);
        at = after + 1;
        continue;
      }
      at = slow_cell(at, c);
    }
    if (at[-1] != '\n') at = line_end(at) + 1;  // the \n after \r
    table_.lines.add(table_.rows, line_);
    ++table_.rows;
    if (!conditions_.empty() && !is_wanted()) {
      for (std::size_t c = 0; c < columns; ++c) {
        RawColumn& column = table_.columns[c];
        if (column.is_text) {
          column.labels.index.pop_back();
          continue;
        }
        if (std::isnan(column.values.back())) --odd_cells_[c];
        column.values.pop_back();
      }
      --table_.rows;
    }
    return at;
  }

  static bool ends_line(const char* at) { return *at == '\n' || (*at == '\r' && at[1] == '\n'); }

  /// A cell that is not a plain number followed by what belongs there; returns the place behind its delimiter.
  const char* slow_cell(const char* at, std::size_t c) {
    const char* end = at;
    bool quoted = false;
    const char* first = at;
    while (*first == ' ') ++first;
    for (; *end != '\n' && (quoted || !divides(*end)); ++end)
      if (*end == '"' && (quoted || end == first)) quoted = !quoted;
    const std::string_view cell(at, std::size_t(end - at));
    if (cell.size() > longest_cell)
      refuse_at(file_, line_, c + 1,
                "a cell of " + std::to_string(cell.size()) + " characters; at most " + std::to_string(longest_cell) +
                    " are read");
    const char* behind = end;
    if (blanks_())
      while (*behind == ' ' || *behind == '\t') ++behind;
    else if (*end != '\n')
      ++behind;
    const bool line_ends = ends_line(behind - (blanks_() || *end == '\n' ? 0 : 1));
    const bool last = c + 1 == table_.columns.size();
    if (last != line_ends) {
      const bool one_more_empty = last && layout_.trailing_delimiter && ends_line(behind);
      if (!one_more_empty) check_count();
    }
    store(cell, c);
    return line_ends ? line_end(behind) + 1 : behind;
  }

  /// Refuses the row if it has too few or too many cells.
  void check_count() const {
    const char* const end = line_end(row_start_);
    std::string_view text(row_start_, std::size_t(end - row_start_));
    const std::size_t found = cells_of(text, layout_.delimiter, std::string_view::npos).size();
    const std::size_t wanted = table_.columns.size();
    if (found == wanted || (layout_.trailing_delimiter && found == wanted + 1)) return;
    text = trimmed(text);
    std::string hint;
    if (found == wanted + 1 && text.ends_with(layout_.delimiter))
      hint = "; one delimiter too many at the end of the line";
    else if (layout_.delimiter == ',' && found > wanted)
      hint = "; if the numbers have a decimal comma, separate them by ';'";
    refuse_at(file_, line_, std::min(found, wanted) + 1,
              std::to_string(found) + " cells where the headings have " + std::to_string(wanted) + hint);
  }

  /// A cell that cannot be used, unless the whole row is at fault.
  [[noreturn]] void refuse_cell(std::size_t c, const std::string& what) const {
    check_count();
    refuse_at(file_, line_, c + 1, what);
  }

  void store(std::string_view cell, std::size_t c) {
    RawColumn& column = table_.columns[c];
    const auto text = unquoted(cell);
    if (!text) refuse_cell(c, "a stray quote in " + in_quotes(one_line(trimmed(cell), 40)));
    if (column.is_text) return add_word(column, *text, c);
    const Cell read = read_cell(*text, layout_.decimal);
    const bool has_role = table_.assignment.columns[c].role.has_value() || table_.assignment.columns[c].is_used;
    switch (read.kind) {
      case CellKind::number:
        column.values.push_back(read.value);
        return;
      case CellKind::underflow:
        if (tiny_cells_[c].count++ == 0) tiny_cells_[c] = {1, line_, *text};
        column.values.push_back(0);
        return;
      case CellKind::empty:
      case CellKind::missing:
      case CellKind::not_finite:
        if (has_role && options_.missing == Missing::refuse)
          refuse_cell(c, name_of(c) + ": " + cell_problem(*text, read.kind, layout_.decimal));
        break;
      default:
        if (has_role) refuse_cell(c, name_of(c) + ": " + cell_problem(*text, read.kind, layout_.decimal));
        if (table_.rows == 0 && column.values.empty() && !column.is_text) {
          column.is_text = true;
          column.labels.name = layout_.headings[c].text;
          return add_word(column, *text, c);
        }
    }
    column.values.push_back(nan);
    if (odd_cells_[c]++ == 0) first_odd_[c] = line_;
  }

  void add_word(RawColumn& column, const std::string& text, std::size_t c) {
    Labels& labels = column.labels;
    // Neighbours mostly say the same word.
    if (labels.index.empty() || labels.words[labels.index.back()] != text) {
      auto found = place_of_word_[c].find(text);
      if (found == place_of_word_[c].end()) {
        for (std::size_t i = 0; i < text.size();) {
          const std::size_t length = character_length(std::string_view(text).substr(i));
          if (length == 0) refuse_at(file_, line_, c + 1, "text that is not UTF-8; convert the file to UTF-8");
          i += length;
        }
        if (labels.words.size() >= most_words || (labels.words.size() > 1000 && labels.words.size() > table_.rows / 2))
          return keep_nothing(column, c);
        found = place_of_word_[c].emplace(text, std::uint32_t(labels.words.size())).first;
        labels.words.push_back(text);
      }
      labels.index.push_back(found->second);
    } else {
      labels.index.push_back(labels.index.back());
    }
  }

  /// A column with a new word in nearly every row (time of day, say) is no label; only its first word stays.
  void keep_nothing(RawColumn& column, std::size_t c) {
    if (odd_cells_[c]++ == 0) first_odd_[c] = line_;
    column.labels.index.push_back(0);
  }

  /// Words of rows that were not wanted.
  static void forget_unused_words(Labels& labels) {
    std::vector<std::uint32_t> now(labels.words.size(), std::uint32_t(-1));
    std::vector<std::string> words;
    for (std::uint32_t& i : labels.index) {
      if (now[i] == std::uint32_t(-1)) now[i] = std::uint32_t(words.size()), words.push_back(labels.words[i]);
      i = now[i];
    }
    labels.words = std::move(words);
  }

  std::string name_of(std::size_t c) const {
    const auto role = table_.assignment.columns[c].role;
    return role ? std::string(role_name(*role)) : in_quotes(one_line(layout_.headings[c].text, 40));
  }

  bool is_wanted() const {
    for (const Condition& condition : conditions_) {
      const RawColumn& column = table_.columns[condition.column];
      const bool same = column.is_text ? column.labels.words[column.labels.index.back()] == condition.text
                                       : column.values.back() == condition.number;
      if (!same) return false;
    }
    return true;
  }

  void finish() {
    table_.fingerprint = blocks_.fingerprint();
    table_.last_line = line_;
    const auto note = [&](const char* code, std::size_t line, std::size_t column, const std::string& text) {
      table_.notes.push_back({code, line, column, text});
    };
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      RawColumn& column = table_.columns[c];
      column.values.shrink_to_fit();
      forget_unused_words(column.labels);
      if (const TinyCells& tiny = tiny_cells_[c]; tiny.count > 0)
        note("underflow", tiny.first_line, c + 1,
             in_quotes(one_line(tiny.first, 40)) +
                 (tiny.count == 1 ? " is read as 0"
                                  : " and " + std::to_string(tiny.count - 1) + " more of this column are read as 0"));
      if (odd_cells_[c] == 0) continue;
      if (column.is_text) {
        note("words", first_odd_[c], c + 1, "too many different words in " + name_of(c) + "; the column was left out");
        column.labels.index.clear();
      } else if (!table_.assignment.columns[c].role) {
        note("missing", first_odd_[c], c + 1,
             name_of(c) + " has " + std::to_string(odd_cells_[c]) + " cells without a number, kept as NaN");
      }
    }
    check_magnitudes();
    if (layout_.is_paired) check_pairs();
    if (blocks_.has_cr_only()) note("cr_line_ends", 1, 0, "lines end with CR alone");
    if (blocks_.lacks_final_line_end())
      note("no_final_line_end", line_, 0, "the last line has no line end; its last number may be truncated");
    if (!conditions_.empty() && table_.rows == 0) {
      std::string wish;
      for (const auto& [name, value] : options_.where) wish += (wish.empty() ? "" : ", ") + name + "=" + value;
      refuse_at(file_, line_, 1, "no row has " + one_line(wish, 80));
    }
    if (blocks_.is_windows_1252()) note("encoding", blocks_.odd_line(), 0, "not UTF-8; read as Windows-1252 (Latin-1)");
    table_.notes.insert(table_.notes.begin(), layout_.notes.begin(), layout_.notes.end());
  }

  /// The first time column is used for all: they must agree.
  void check_pairs() const {
    const std::vector<double>& first = table_.columns[0].values;
    for (std::size_t c = 2; c < table_.columns.size(); c += 2)
      for (std::size_t r = 0; r < std::min(first.size(), table_.columns[c].values.size()); ++r)
        if (!(std::fabs(table_.columns[c].values[r] - first[r]) <= 1e-6 * (1 + std::fabs(first[r]))))
          refuse_at(file_, table_.lines.of(r), c + 1,
                    "the channels have different times, " + shortest(table_.columns[c].values[r]) + " and " +
                        shortest(first[r]) + "; export them with one sample time");
  }

  void check_magnitudes() const {
    for (std::size_t r = 0, c = 0; c < table_.columns.size(); ++c, r = 0) {
      if (!table_.assignment.columns[c].role) continue;
      for (const double value : table_.columns[c].values) {
        if (std::abs(value) > largest)
          refuse_at(file_, table_.lines.of(r), c + 1,
                    name_of(c) + " is " + shortest(value) + "; beyond 1e150 its square overflows");
        ++r;
      }
    }
  }

  std::string file_;
  const ReadOptions& options_;
  TextBlocks blocks_;
  TextLayout layout_;
  RawTable table_;
  std::vector<Condition> conditions_;
  std::vector<std::size_t> odd_cells_, first_odd_;
  struct TinyCells {
    std::size_t count = 0, first_line = 0;
    std::string first = {};
  };
  std::vector<TinyCells> tiny_cells_;                                          // of every column: read as 0
  std::vector<std::unordered_map<std::string, std::uint32_t>> place_of_word_;  // of every column of words
  std::size_t line_ = 0;
  const char* row_start_ = nullptr;
};

}  // namespace

RawTable read_text_table(const std::string& path, const ReadOptions& options) {
  return TableReader(path, options, path).read();
}
RawTable read_text_table(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return TableReader(name, options, bytes, name).read();
}

}  // namespace stickslip::inline recordings
