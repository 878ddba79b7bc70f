/// TOML 1.0 (toml.io/en/v1.0.0) as the tree of toml_document.hpp. One pass; every character is looked at a bounded number of times, every loop passes at
/// least one, and tables and lists deeper than `deepest` are refused, so that any text ends in a tree or in an Error.
/// Not here: dates and times as values; their form is checked, and none of our files asks for one.
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/toml_document.hpp"
#include "platform/number.hpp"

namespace stickslip::inline files {
namespace {

/// Tables, lists and parts of dotted keys are followed by recursive calls. No file of ours needs ten.
constexpr int deepest = 32;
/// [bytes]
constexpr std::size_t longest_text = std::size_t(16) << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_bare(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// --- Numbers and dates: words without quotes ---

/// Digits with single underscores between them, from `at` on; false if there is none.
bool pass_digits(std::string_view word, std::size_t& at, bool (*is_one)(char) = is_digit) {
  if (at >= word.size() || !is_one(word[at])) return false;
  while (at < word.size()) {
    if (is_one(word[at]))
      ++at;
    else if (word[at] == '_' && at + 1 < word.size() && is_one(word[at + 1]))
      at += 2;
    else
      break;
  }
  return true;
}

enum class Form { none, whole, fractional };

/// Of a decimal number with its sign.
Form form_of_number(std::string_view word) {
  std::size_t at = !word.empty() && (word[0] == '+' || word[0] == '-');
  const std::size_t first = at;
  if (!pass_digits(word, at) || (word[first] == '0' && at > first + 1)) return Form::none;
  Form form = Form::whole;
  if (at < word.size() && word[at] == '.') {
    form = Form::fractional;
    if (!pass_digits(word, ++at)) return Form::none;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    form = Form::fractional;
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (!pass_digits(word, at)) return Form::none;
  }
  return at == word.size() ? form : Form::none;
}

/// 16, 8 or 2 for "0x1f", "0o17", "0b11", otherwise 0.
int base_of(std::string_view word) {
  if (word.size() < 3 || word[0] != '0') return 0;
  const int base = word[1] == 'x' ? 16 : word[1] == 'o' ? 8 : word[1] == 'b' ? 2 : 0;
  const auto is_one = base == 16  ? is_hexadecimal
                      : base == 8 ? +[](char c) { return c >= '0' && c <= '7'; }
                                  : +[](char c) { return c == '0' || c == '1'; };
  std::size_t at = 2;
  return base != 0 && pass_digits(word, at, is_one) && at == word.size() ? base : 0;
}

/// The digits at these places as a number, or -1.
int digits_at(std::string_view word, std::size_t at, std::size_t count) {
  if (at + count > word.size()) return -1;
  int number = 0;
  for (const char c : word.substr(at, count)) {
    if (!is_digit(c)) return -1;
    number = 10 * number + (c - '0');
  }
  return number;
}
bool is_between(int low, int value, int high) { return low <= value && value <= high; }
bool has(std::string_view word, std::size_t at, char c) { return at < word.size() && word[at] == c; }

bool is_date(std::string_view word) {
  if (word.size() != 10 || word[4] != '-' || word[7] != '-') return false;
  const int year = digits_at(word, 0, 4), month = digits_at(word, 5, 2), day = digits_at(word, 8, 2);
  if (year < 0 || !is_between(1, month, 12)) return false;
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap_year = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return is_between(1, day, days[std::size_t(month - 1)] + (month == 2 && is_leap_year ? 1 : 0));
}
/// "10:11:12", "10:11:12.123"; a zone behind it ("Z", "+02:00") only where a date is in front.
bool is_time(std::string_view word, bool may_have_zone) {
  if (!is_between(0, digits_at(word, 0, 2), 23) || !has(word, 2, ':') || !is_between(0, digits_at(word, 3, 2), 59) ||
      !has(word, 5, ':') || !is_between(0, digits_at(word, 6, 2), 60))
    return false;
  std::size_t at = 8;
  if (has(word, at, '.')) {
    const std::size_t first = ++at;
    while (at < word.size() && is_digit(word[at])) ++at;
    if (at == first) return false;
  }
  if (at == word.size()) return true;
  const std::string_view zone = word.substr(at);
  return may_have_zone &&
         (zone == "Z" || zone == "z" ||
          (zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && is_between(0, digits_at(zone, 1, 2), 23) &&
           zone[3] == ':' && is_between(0, digits_at(zone, 4, 2), 59)));
}
bool is_date_or_time(std::string_view word) {
  if (is_date(word) || is_time(word, false)) return true;
  return word.size() > 11 && is_date(word.substr(0, 10)) && (word[10] == 'T' || word[10] == 't' || word[10] == ' ') &&
         is_time(word.substr(11), true);
}

// --- Tables while they are read ---

struct Table;

/// What a key stands for: a value, a table, or a list of tables ([[key]]).
struct Entry {
  std::size_t number = 0;  // in the order of the file
  int line = 0, column = 0;
  TomlValue value;
  std::unique_ptr<Table> table;
  std::vector<std::unique_ptr<Table>> tables;
};

/// A table may be written once. One that a longer [header] or a dotted key needs exists before, or without, its own header.
struct Table {
  enum class Made { by_header, on_the_way, by_dots };
  Made made = Made::by_header;
  int depth = 0, line = 0, column = 0;
  std::map<std::string, Entry, std::less<>> entries;
};

TomlValue finished(Table&& table) {
  TomlValue value;
  value.line = table.line;
  value.column = table.column;
  std::vector<decltype(table.entries)::iterator> in_order(table.entries.size());
  for (auto entry = table.entries.begin(); entry != table.entries.end(); ++entry)
    in_order[entry->second.number] = entry;
  value.members.reserve(in_order.size());
  for (const auto& place : in_order) {
    Entry& entry = place->second;
    TomlValue& member = value.members.emplace_back(TomlMember{place->first, std::move(entry.value)}).value;
    if (entry.table) {
      member = finished(std::move(*entry.table));
    } else if (!entry.tables.empty()) {
      member.kind = TomlValue::Kind::list;
      member.line = entry.line;
      member.column = entry.column;
      for (auto& item : entry.tables) member.items.push_back(finished(std::move(*item)));
    }
  }
  return value;
}

// --- The text ---

class TomlParser {
 public:
  TomlParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  TomlValue document() {
    refuse_what_no_toml_holds();
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3, counted_to_ = 3;
    Table root;
    root.line = root.column = 1;
    Table* table = &root;
    while (true) {
      pass_blanks();
      if (is_at('[')) {
        table = &header(root);
      } else if (!is_at_line_end()) {
        key_and_value(*table);
      }
      if (!pass_line_end()) return finished(std::move(root));
    }
  }

 private:
  using Key = std::vector<std::string>;
  struct Place {
    int line, column;
  };

  [[noreturn]] void refuse(const std::string& what) const { refuse(what, line_); }
  [[noreturn]] void refuse(const std::string& what, int line) const {
    const bool is_recording = file_.ends_with(".csv") || file_.ends_with(".mat") || file_.ends_with(".npz");
    throw Error(one_line(file_) + ":" + std::to_string(line) + ": not TOML: " +
                (is_recording ? "it looks like a recording; `stickslip inspect` shows what it holds" : what));
  }
  [[noreturn]] void refuse_depth() const {
    throw Error(one_line(file_) + ":" + std::to_string(line_) + ": keys, tables and lists are nested more than " +
                std::to_string(deepest) + " levels deep; the limit protects against damaged files");
  }

  /// Bytes that are no UTF-8, control characters, and carriage returns that end no line.
  void refuse_what_no_toml_holds() const {
    int line = 1;
    for (std::size_t at = 0; at < text_.size();) {
      const auto byte = static_cast<unsigned char>(text_[at]);
      const std::size_t length = byte < 0x80 ? 1 : character_length(text_.substr(at));
      const std::string shown = in_quotes(text_.substr(at, 1));
      if (length == 0) refuse("the byte " + shown + " is no UTF-8; save the file as UTF-8", line);
      const bool is_return = byte == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n';
      if ((byte < 0x20 && byte != '\t' && byte != '\n' && !is_return) || byte == 0x7f)
        refuse("the control character " + shown, line);
      line += byte == '\n';
      at += length;
    }
  }

  // Where the text is. The line break \r\n counts as one character.
  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool is_at_end() const { return at_ >= text_.size(); }
  bool is_at_break() const { return is_at('\n') || is_at('\r'); }
  bool is_at_line_end() const { return is_at_end() || is_at_break() || is_at('#'); }
  void pass_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void pass_break() {
    at_ += is_at('\r') ? 2 : 1;
    ++line_;
    column_ = 1;
    counted_to_ = at_;
  }
  /// Blanks, a comment and the end of the line; false at the end of the text.
  bool pass_line_end() {
    pass_blanks();
    if (!is_at_line_end()) refuse_rest_of_line();
    while (!is_at_end() && !is_at_break()) ++at_;
    if (is_at_end()) return false;
    pass_break();
    return true;
  }
  /// The same as often as there is such: between the values of a list.
  void pass_blank_lines() {
    for (pass_blanks(); !is_at_end() && is_at_line_end(); pass_blanks()) pass_line_end();
  }
  Place here() {
    for (; counted_to_ < at_; ++counted_to_)
      column_ += (static_cast<unsigned char>(text_[counted_to_]) & 0xc0u) != 0x80u;
    return {line_, column_};
  }

  /// What is here, as far as people take it for one thing; for messages.
  std::string_view rest_of_line() const {
    const std::string_view rest = text_.substr(at_);
    return trimmed(rest.substr(0, std::min(rest.find_first_of("\r\n#"), rest.size())));
  }
  std::string seen() const {
    if (is_at_end()) return "the end of the file";
    if (is_at_line_end()) return "the end of the line";
    return in_quotes(text_.substr(at_, character_length(text_.substr(at_))));
  }
  [[noreturn]] void refuse_rest_of_line() const {
    const std::string rest(rest_of_line());
    refuse_behind_number(rest);
    refuse(in_quotes(rest) + " where the line should end");
  }
  /// 1 kg, 1,5
  void refuse_behind_number(const std::string& rest) const {
    if (last_number_.empty() || rest.empty() || is_digit(rest[0])) return;
    if (rest[0] == ',')
      refuse(in_quotes(rest) +
             " behind a number; decimals have a point: " + one_line(last_number_ + "." + rest.substr(1)));
    refuse(in_quotes(rest) + " behind a number; a number with its unit needs quotes: \"" +
           one_line(last_number_ + " " + rest) + "\"");
  }

  // --- Keys ---

  std::string key_part(std::string_view where) {
    if (is_at('"') || is_at('\'')) {
      if (is_at("\"\"\"") || is_at("'''")) refuse("a key in three quotes; a key takes one pair");
      return quoted();
    }
    const std::size_t first = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ > first) return std::string(text_.substr(first, at_ - first));
    const bool is_character =
        !is_at_line_end() && std::string_view("=.[]{},").find(text_[at_]) == std::string_view::npos;
    refuse(std::string(where) + (is_character ? " has " : " is missing in front of ") + seen() +
           (is_character ? "; without quotes it takes letters, digits, - and _" : ""));
  }
  Key key(std::string_view where) {
    Key parts;
    while (true) {
      pass_blanks();
      parts.push_back(key_part(where));
      if (parts.size() > deepest) refuse_depth();
      pass_blanks();
      if (!is_at('.')) return parts;
      ++at_;
    }
  }
  static std::string shown(const Key& key) { return in_quotes(joined(key, ".")); }

  Entry& new_entry(Table& table, const std::string& key, Place place) const {
    Entry& entry = table.entries[key];
    entry.number = table.entries.size() - 1;
    entry.line = place.line;
    entry.column = place.column;
    return entry;
  }
  Table& new_table(Entry& entry, const Table& parent, Place place, Table::Made made) const {
    if (parent.depth >= deepest) refuse_depth();
    auto made_table = std::make_unique<Table>();
    made_table->made = made;
    made_table->depth = parent.depth + 1;
    made_table->line = place.line;
    made_table->column = place.column;
    return *(entry.table = std::move(made_table));
  }

  /// [a.b] or [[a.b]]: the table that the lines below it fill.
  Table& header(Table& root) {
    last_number_.clear();
    const Place place = here();
    const bool is_list = is_at("[[");
    at_ += is_list ? 2 : 1;
    const Key name = key("the name of a table");
    const std::string_view end = is_list ? "]]" : "]";
    if (!is_at(end)) refuse("the name of a table ends with '" + std::string(end) + "', not " + seen());
    at_ += end.size();
    Table* table = &root;
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
      const auto found = table->entries.find(name[i]);
      if (found == table->entries.end())
        table = &new_table(new_entry(*table, name[i], place), *table, place, Table::Made::on_the_way);
      else if (found->second.table)
        table = found->second.table.get();
      else if (!found->second.tables.empty())
        table = found->second.tables.back().get();
      else
        refuse(in_quotes(name[i]) + " is a value since line " + std::to_string(found->second.line) + ", not a table");
    }
    const auto found = table->entries.find(name.back());
    const bool is_new = found == table->entries.end();
    if (is_list) {
      if (!is_new && found->second.tables.empty()) refuse_again(name, found->second);
      Entry& entry = is_new ? new_entry(*table, name.back(), place) : found->second;
      Table& item = new_table(entry, *table, place, Table::Made::by_header);
      entry.tables.push_back(std::move(entry.table));
      return item;
    }
    if (is_new) return new_table(new_entry(*table, name.back(), place), *table, place, Table::Made::by_header);
    Table* same = found->second.table.get();
    if (!same || same->made != Table::Made::on_the_way) refuse_again(name, found->second);
    same->made = Table::Made::by_header;
    same->line = place.line;
    same->column = place.column;
    return *same;
  }
  [[noreturn]] void refuse_again(const Key& name, const Entry& first) const {
    refuse(shown(name) + " is there already, since line " + std::to_string(first.line));
  }

  /// One line of a table, or a part of { }.
  void key_and_value(Table& table) {
    last_number_.clear();
    const Place place = here();
    const Key name = key("a key");
    if (!is_at('=')) refuse("'=' and a value are missing behind " + shown(name));
    ++at_;
    Table* in = &table;
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
      const auto found = in->entries.find(name[i]);
      if (found == in->entries.end()) {
        in = &new_table(new_entry(*in, name[i], place), *in, place, Table::Made::by_dots);
        continue;
      }
      in = found->second.table.get();
      if (!in || in->made == Table::Made::by_header)
        refuse_again({name.begin(), name.begin() + long(i) + 1}, found->second);
      in->made = Table::Made::by_dots;
    }
    if (const auto found = in->entries.find(name.back()); found != in->entries.end()) refuse_again(name, found->second);
    pass_blanks();
    if (is_at_line_end()) refuse("a value is missing behind " + shown(name) + " =");
    Entry& entry = new_entry(*in, name.back(), place);
    entry.value = value(in->depth);
  }

  // --- Values ---

  TomlValue value(int depth) {
    const Place place = here();
    TomlValue found;
    last_number_.clear();
    if (is_at('"') || is_at('\'')) {
      found.kind = TomlValue::Kind::text;
      found.text = quoted();
    } else if (is_at('[')) {
      found = list(depth + 1);
    } else if (is_at('{')) {
      found = table_in_line(depth + 1);
    } else {
      found = word();
    }
    found.line = place.line;
    found.column = place.column;
    return found;
  }

  TomlValue list(int depth) {
    if (depth > deepest) refuse_depth();
    const int first_line = line_;
    ++at_;
    TomlValue found;
    found.kind = TomlValue::Kind::list;
    while (true) {
      pass_blank_lines();
      if (is_at(']')) break;
      if (is_at_end()) refuse("the list that begins here has no ']'", first_line);
      if (is_at(',')) refuse("a value or ']' is missing in front of ','");
      found.items.push_back(value(depth));
      pass_blank_lines();
      if (is_at(']')) break;
      if (is_at_end()) refuse("the list that begins here has no ']'", first_line);
      if (!is_at(',')) refuse_item("',' or ']'");
      ++at_;
    }
    ++at_;
    last_number_.clear();
    return found;
  }
  [[noreturn]] void refuse_item(const std::string& expected) const {
    const std::string_view rest = rest_of_line();
    refuse_behind_number(std::string(trimmed(rest.substr(0, std::min(rest.find_first_of(",]}"), rest.size())))));
    refuse(expected + " is expected, not " + seen());
  }

  TomlValue table_in_line(int depth) {
    if (depth > deepest) refuse_depth();
    ++at_;
    Table table;
    table.depth = depth;
    pass_blanks();
    while (!is_at('}')) {
      if (is_at_line_end()) refuse("a table in { } ends in the line where it begins");
      key_and_value(table);
      pass_blanks();
      if (is_at('}')) break;
      if (is_at_line_end()) refuse("a table in { } ends in the line where it begins");
      if (!is_at(',')) refuse_item("',' or '}'");
      ++at_;
      pass_blanks();
      if (is_at('}')) refuse("',' in front of '}'; the last part of a table in { } has none");
    }
    ++at_;
    last_number_.clear();
    return finished(std::move(table));
  }

  /// A value without quotes: true, a number, a date.
  TomlValue word() {
    const std::string_view rest = text_.substr(at_);
    std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t\r\n,]}#"), rest.size()));
    if (is_date(word) && digits_at(rest, word.size() + 1, 2) >= 0 && has(rest, word.size(), ' ') &&
        has(rest, word.size() + 3, ':'))
      word = rest.substr(0, std::min(rest.find_first_of(" \t\r\n,]}#", word.size() + 1), rest.size()));
    TomlValue found;
    const std::string_view unsigned_word = word.substr(!word.empty() && (word[0] == '+' || word[0] == '-'));
    if (word == "true" || word == "false") {
      found.kind = TomlValue::Kind::boolean;
      found.is_true = word == "true";
      found.text = word;
    } else if (unsigned_word == "inf" || unsigned_word == "nan" || form_of_number(word) != Form::none ||
               base_of(word) != 0) {
      found = number(word);
      last_number_ = word;
    } else if (is_date_or_time(word)) {
      found.kind = TomlValue::Kind::other;
    } else {
      refuse_word(word);
    }
    at_ += word.size();
    return found;
  }

  TomlValue number(std::string_view word) const {
    std::string digits;
    for (const char c : word)
      if (c != '_') digits += c;
    const int base = base_of(word);
    const bool is_whole = base != 0 || form_of_number(word) == Form::whole;
    const char* const first = digits.data() + (base != 0 ? 2 : digits[0] == '+' ? 1 : 0);
    const char* const last = digits.data() + digits.size();
    TomlValue found;
    found.kind = TomlValue::Kind::number;
    found.is_whole = is_whole;
    if (is_whole) {
      std::int64_t whole = 0;
      if (std::from_chars(first, last, whole, base != 0 ? base : 10).ec != std::errc())
        refuse(in_quotes(word) + " is a whole number beyond 64 bits; with a point or an exponent it may be larger");
      found.number = static_cast<double>(whole);
      found.text = std::to_string(whole);
    } else {
      if (read_number(first, last, found.number).ec != std::errc())
        refuse(in_quotes(word) + " is beyond what a number can hold (5e-324 to 1.8e308)");
      found.text = shortest(found.number);
    }
    return found;
  }

  [[noreturn]] void refuse_word(std::string_view word) const {
    const auto has_only = [&](std::string_view characters) {
      return word.find_first_not_of(characters) == std::string_view::npos;
    };
    if (word.empty()) refuse("a value is expected, not " + seen());
    if (word.find_first_of("\"'") != std::string_view::npos)
      refuse(in_quotes(word) + " has quotes inside; a text in quotes stands alone");
    if (is_digit(word[0]) && has_only("0123456789+-.:TtZz ") &&
        (word.find(':') != std::string_view::npos || has(word, 4, '-')))
      refuse(in_quotes(word) + " is no date or time");
    if (has_only("0123456789+-._eE") && word.find_first_of("0123456789") != std::string_view::npos)
      refuse(in_quotes(word) + " is no number; digits stand on both sides of a point, and there are no leading zeros");
    for (const std::string_view right : {"true", "false"})
      if (edits_between(word, right) == 0) refuse(in_quotes(word) + "; write " + std::string(right));
    refuse("a text needs quotes: \"" + one_line(word.substr(0, word.find('='))) + "\"");
  }

  // --- Texts ---

  std::string quoted() {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool is_long = is_at(three);
    const std::string end = is_long ? three : std::string(1, quote);
    const int first_line = line_;
    at_ += end.size();
    if (is_long && is_at_break()) pass_break();
    std::string text;
    while (true) {
      if (is_at_end() || (!is_long && is_at_break()))
        refuse("the text that begins here has no " + std::string(is_long ? three : std::string("quote at its end")),
               first_line);
      if (is_at(end)) {
        at_ += end.size();
        for (int more = 0; is_long && more < 2 && is_at(quote); ++more, ++at_) text += quote;
        return text;
      }
      if (is_at_break()) {
        pass_break();
        text += '\n';
      } else if (quote == '"' && is_at('\\')) {
        ++at_;
        escaped(text, is_long);
      } else {
        text += text_[at_++];
      }
    }
  }

  /// Behind a backslash.
  void escaped(std::string& text, bool is_long) {
    constexpr std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
    if (is_long && !is_at_end()) {
      const std::size_t here = at_;
      pass_blanks();
      if (is_at_break()) {  // the text goes on at its next character that is no white space
        while (is_at_break() || is_at(' ') || is_at('\t')) is_at_break() ? pass_break() : pass_blanks();
        return;
      }
      at_ = here;
    }
    const std::size_t letter = is_at_end() ? std::string_view::npos : letters.find(text_[at_]);
    if (letter != std::string_view::npos) {
      text += meanings[letter];
      ++at_;
    } else if (is_at('u') || is_at('U')) {
      const std::size_t digits = is_at('u') ? 4 : 8;
      const std::string_view code = text_.substr(at_ + 1, digits);
      std::uint32_t character = 0;
      const auto [stop, problem] = std::from_chars(code.data(), code.data() + code.size(), character, 16);
      if (code.size() < digits || problem != std::errc() || stop != code.data() + digits || character > 0x10ffff ||
          (character >= 0xd800 && character < 0xe000))
        refuse(in_quotes("\\" + std::string(text_.substr(at_, 1 + code.size()))) +
               " is no character: \\u takes four hexadecimal digits, \\U eight");
      append_character(text, character);
      at_ += 1 + digits;
    } else {
      refuse("a backslash in front of " + seen() + "; write two of them, or put the text in single quotes");
    }
  }
  static void append_character(std::string& text, std::uint32_t code) {
    const auto following = [&](int shift) { text += static_cast<char>(0x80u | (code >> shift & 0x3fu)); };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0u | code >> 6);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xe0u | code >> 12);
      following(6);
    } else {
      text += static_cast<char>(0xf0u | code >> 18);
      following(12);
      following(6);
    }
    if (code >= 0x80) following(0);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  std::size_t counted_to_ = 0;  // column_ is that of this place
  std::string last_number_;     // the value just read, if it was a number: what stands behind it may be its unit
};

}  // namespace

TomlValue parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > longest_text)
    throw Error(one_line(file) + ": " + std::to_string(text.size() >> 20) + " MB are no TOML file; at most " +
                std::to_string(longest_text >> 20) + " MB are read, recordings belong into a file of their own");
  return TomlParser(text, file).document();
}

}  // namespace stickslip::inline files
