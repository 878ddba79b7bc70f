/// A TOML text as a tree of values that know their line; see toml_document.hpp. The only file that sees toml++.
#include "files/toml_document.hpp"

#include <algorithm>
#include <cstdint>

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline files {
namespace {

int line_of(const toml::source_region& region) { return static_cast<int>(region.begin.line); }

TomlValue converted(const toml::node& node);

/// toml++ sorts by key; the order of the file is that of line and column.
TomlValue converted_table(const toml::table& table) {
  struct Placed {
    toml::source_position at;
    TomlMember member;
  };
  std::vector<Placed> placed;
  for (const auto& [key, node] : table)
    placed.push_back({key.source().begin, {std::string(key.str()), converted(node)}});
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.at < b.at; });
  TomlValue value;
  value.kind = TomlValue::Kind::table;
  for (auto& p : placed) {
    // [a.b] without [a] makes a table `a` without a line of its own: it begins where its first member does.
    if (p.member.value.line == 0) p.member.value.line = static_cast<int>(p.at.line);
    value.members.push_back(std::move(p.member));
  }
  return value;
}

TomlValue converted(const toml::node& node) {
  TomlValue value;
  value.kind = TomlValue::Kind::other;
  if (const auto* table = node.as_table()) {
    value = converted_table(*table);
  } else if (const auto* list = node.as_array()) {
    value.kind = TomlValue::Kind::list;
    for (const auto& item : *list) value.items.push_back(converted(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::text;
    value.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value.kind = TomlValue::Kind::number;
    value.number = static_cast<double>(whole->get());
    value.text = std::to_string(whole->get());
    value.is_whole = true;
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = TomlValue::Kind::number;
    value.number = number->get();
    value.text = shortest(number->get());
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = TomlValue::Kind::boolean;
    value.is_true = boolean->get();
    value.text = boolean->get() ? "true" : "false";
  }
  value.line = line_of(node.source());
  value.column = static_cast<int>(node.source().begin.column);
  return value;
}

/// toml++ follows every table within a table, list within a list and part of a dotted key by a recursive call; where they
/// are too many the stack ends. No file of ours needs ten.
constexpr int deepest = 32;
/// [bytes]; a text takes up to sixty times its size while it is parsed.
constexpr std::size_t longest_text = std::size_t(16) << 20;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// A text as toml++ 3.3 can take it. Its behaviour is undefined for characters between U+00A0 and U+0499 in a key, in quotes or
/// not, for tables whose name begins with a character that no name has and for a } inside of [ ]: the characters are escaped
/// within quotes and refused outside them, the others are refused. Tells keys and brackets from texts and comments; whether the rest is TOML is for the
/// parser to say, which stops where it is not.
class TomlScan {
 public:
  TomlScan(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The columns of what was read from the safe text become those of the file.
  void restore_columns(TomlValue& value) const {
    if (shifts_.empty()) return;
    const auto after = std::upper_bound(shifts_.begin(), shifts_.end(), Shift{value.line, value.column, 0});
    if (after != shifts_.begin() && (after - 1)->line == value.line) value.column -= (after - 1)->by;
    for (TomlValue& item : value.items) restore_columns(item);
    for (TomlMember& member : value.members) restore_columns(member.value);
  }

  /// Throws Error, one line with file and line.
  std::string safe_text() {
    safe_.reserve(text_.size() + text_.size() / 16);
    if (text_.starts_with("\xef\xbb\xbf")) keep(3);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (begins_name_ && c != ' ' && c != '\t') {
        if (!is_bare(c) && c != '"' && c != '\'' && c != ']' && (c != '[' || brackets_ > 1))
          refuse("not TOML: the name of a table begins with " + in_quotes(c == '\n' ? "" : text_.substr(at_, 1)) +
                 "; letters, digits, - and _ need no quotes");
        begins_name_ = c == '[';
      }
      if (c == '"' || c == '\'') {
        refuse_within_value(c);
        pass_quoted(c);
      } else if (c == '#') {
        keep(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else {
        refuse_unless_plain(c);
        if (c == ' ') refuse_half_a_date();
        keep(1);
        take(c);
      }
      if (header_ + inside_ + dots_ > deepest)
        refuse("keys, tables and lists are nested more than " + std::to_string(deepest) +
               " levels deep; the limit protects against damaged files");
    }
    return std::move(safe_);
  }

 private:
  struct Shift {
    int line, column, by;
    bool operator<(const Shift& other) const { return line != other.line ? line < other.line : column < other.column; }
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(one_line(file_) + ":" + std::to_string(line_) + ": " + what);
  }
  void keep(std::size_t count) {
    append(text_.substr(at_, count));
    at_ += count;
  }
  void refuse_unless_plain(char c) const {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte < 0x7f) || c == '\t' || c == '\n' || c == '\r') return;
    const std::size_t length = std::max<std::size_t>(1, character_length(text_.substr(at_)));
    refuse("not TOML: " + in_quotes(text_.substr(at_, length)) + " outside quotes; keys and texts with it need quotes");
  }

  /// Behind a value without quotes the parser takes quotes for a part of it.
  void refuse_within_value(char quote) const {
    const bool is_behind_mark = at_ > 0 && text_[at_ - 1] == '\xbf';  // of the order of bytes
    if (at_ == 0 || is_behind_mark ||
        std::string_view(" \t\r\n=[]{},.\"'").find(text_[at_ - 1]) != std::string_view::npos)
      return;
    refuse("not TOML: " + in_quotes({&quote, 1}) + " behind " + in_quotes(text_.substr(at_ - 1, 1)) +
           "; a text in quotes stands alone");
  }
  /// What looks like a date, a space and one digit: toml++ reads on for the time that is not there.
  void refuse_half_a_date() const {
    constexpr std::string_view ends = " \t\r\n]},#";
    std::string word;
    for (std::size_t i = at_; i-- > 0 && ends.find(text_[i]) == std::string_view::npos && word.size() <= 10;)
      if (text_[i] != '_') word += text_[i];
    if (word.size() < 10 || word[2] != '-' || word[5] != '-' || at_ + 2 >= text_.size()) return;
    const char digit = text_[at_ + 1];
    if (digit >= '0' && digit <= '9' && ends.find(text_[at_ + 2]) != std::string_view::npos)
      refuse("not TOML: a date with half a time; quantities need quotes, '1 N'");
  }

  void take(char c) {
    switch (c) {
      case '\n':
        ++line_, dots_ = 0, is_header_ = false, is_line_start_ = true;
        return;
      case ' ':
      case '\t':
      case '\r':
        return;
      case '[':
      case '{':
        is_header_ = is_header_ || (levels_.empty() && is_line_start_);
        brackets_ = begins_name_ && is_header_ ? brackets_ + 1 : 1;
        begins_name_ = is_header_;
        if (is_header_)
          header_ = 0;
        else
          levels_.push_back(dots_ + 1), inside_ += levels_.back(), open_ += c;
        dots_ = 0;
        break;
      case ']':
      case '}':
        if (is_header_)
          header_ = std::max(header_, dots_ + 1);
        else if (!levels_.empty())
          close(c);
        dots_ = 0;
        break;
      case ',':
        dots_ = 0;
        break;
      case '.':
        ++dots_;
        break;
      default:
        break;
    }
    is_line_start_ = false;
  }

  void close(char c) {
    const char expected = open_.back() == '[' ? ']' : '}';
    if (c != expected)
      refuse("not TOML: " + in_quotes({&c, 1}) + " where " + in_quotes({&expected, 1}) + " or a value is expected");
    inside_ -= levels_.back();
    levels_.pop_back();
    open_.pop_back();
  }

  /// A text in one or three quotes; without an end it goes to the end of the line or of the file. One in single quotes, where
  /// nothing can be escaped, goes on in double quotes if it has to: behind what is no TOML the parser may take it for a value without quotes.
  void pass_quoted(char quote) {
    is_line_start_ = false;
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string end = is_long ? three : std::string(1, quote);
    const bool is_rewritten = quote == '\'' && !is_ascii_until(end);
    const auto pass_end = [&] { is_rewritten ? put(std::string(end.size(), '"')) : keep(end.size()); };
    pass_end();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !is_long) return;
      if (text_.substr(at_).starts_with(end)) {
        for (int more = 0; is_long && more < 2 && text_.substr(at_ + end.size()).starts_with(quote); ++more) keep(1);
        return pass_end();
      }
      if (c == '\n') ++line_;
      if (is_rewritten && (c == '"' || c == '\\')) {
        append("\\");
        keep(1);
        note_growth(1);
      } else if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        if (!is_ascii(text_[at_ + 1])) refuse("not TOML: a \\ before a character that it cannot escape");
        keep(2);
      } else if (is_ascii(c)) {
        keep(1);
      } else {
        put_escaped();
      }
    }
  }

  /// Of the text in single quotes that begins here; looking further, once for each text of a long line, would take quadratic time.
  bool is_ascii_until(const std::string& end) const {
    for (std::size_t i = at_ + end.size(); i < text_.size() && !text_.substr(i).starts_with(end); ++i) {
      if (text_[i] == '\n' && end.size() == 1) break;
      if (!is_ascii(text_[i])) return false;
    }
    return true;
  }
  static bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
  /// Instead of as many characters here.
  void put(const std::string& text) {
    append(text);
    at_ += text.size();
  }
  /// The character here as \uXXXX or \UXXXXXXXX; a byte that begins none stays, for the parser to refuse.
  void put_escaped() {
    const std::size_t length = character_length(text_.substr(at_));
    if (length < 2) return keep(1);
    std::uint32_t code = static_cast<unsigned char>(text_[at_]) & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text_[at_ + i]) & 0x3fu);
    const int digits = code < 0x10000 ? 4 : 8;
    append(digits == 4 ? "\\u" : "\\U");
    for (int digit = digits; digit-- > 0;) append({&"0123456789ABCDEF"[code >> 4 * digit & 0xf], 1});
    note_growth(digits + 1);
    at_ += length;
  }

  void append(std::string_view text) {
    safe_ += text;
    for (const char c : text) column_ = c == '\n' ? 1 : column_ + ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u);
  }
  /// From here to the end of its line the safe text is so many characters further right.
  void note_growth(int by) {
    const bool goes_on = !shifts_.empty() && shifts_.back().line == line_;
    shifts_.push_back({line_, column_, by + (goes_on ? shifts_.back().by : 0)});
  }

  std::string_view text_;
  std::string file_, safe_;
  std::vector<Shift> shifts_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;               // column: of the safe text
  int brackets_ = 0;                        // in front of the name of a table
  int header_ = 0, inside_ = 0, dots_ = 0;  // depth of the [table], of the brackets open, of the key read
  std::vector<int> levels_;                 // what each open bracket adds
  std::string open_;                        // these brackets
  bool is_header_ = false, is_line_start_ = true, begins_name_ = false;
};

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

std::string_view kind_words(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::text:
      return "a text";
    case TomlValue::Kind::number:
    case TomlValue::Kind::quantity:
      return "a number";
    case TomlValue::Kind::boolean:
      return "true or false";
    case TomlValue::Kind::list:
      return "a list";
    case TomlValue::Kind::table:
      return "a table";
    case TomlValue::Kind::other:
      return "a date or time";
  }
  return "";
}

TomlValue quantity(double value, std::string unit, int line) {
  TomlValue made;
  made.kind = TomlValue::Kind::quantity;
  made.line = line;
  made.number = value;
  made.text = std::move(unit);
  return made;
}

TomlValue parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > longest_text)
    throw Error(one_line(file) + ": " + std::to_string(text.size() >> 20) + " MB are no TOML file; at most " +
                std::to_string(longest_text >> 20) + " MB are read, recordings belong into a file of their own");
  TomlScan scan(text, file);
  const std::string safe = scan.safe_text();
  try {
    TomlValue document = converted_table(toml::parse(std::string_view(safe), file));
    scan.restore_columns(document);
    return document;
  } catch (const toml::parse_error& problem) {
    const int line = std::max(1, line_of(problem.source()));
    const bool is_recording = file.ends_with(".csv") || file.ends_with(".mat") || file.ends_with(".npz");
    throw Error(one_line(file) + ":" + std::to_string(line) + ": not TOML: " +
                (is_recording ? "it looks like a recording; `stickslip inspect` shows what it holds"
                              : one_line(problem.description())));
  }
}

}  // namespace stickslip::inline files
