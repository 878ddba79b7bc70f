/// A TOML text as a tree of values that know their line; see toml_document.hpp. The only file that sees toml++.
#include "files/toml_document.hpp"

#include <algorithm>

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip {
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

/// Line of the first place that is nested too deeply, 0 if there is none. Tells keys and brackets from texts and comments;
/// whether the text is TOML at all is for the parser to say, which stops where it is not.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  int line_too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        pass_text(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        ++at_;
        take(c);
      }
      if (header_ + inside_ + dots_ > deepest) return line_;
    }
    return 0;
  }

 private:
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
        if (is_header_)
          header_ = 0;
        else
          levels_.push_back(dots_ + 1), inside_ += levels_.back();
        dots_ = 0;
        break;
      case ']':
      case '}':
        if (is_header_)
          header_ = std::max(header_, dots_ + 1);
        else if (!levels_.empty())
          inside_ -= levels_.back(), levels_.pop_back();
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

  /// A text in one or three quotes; without an end it goes to the end of the line or of the file.
  void pass_text(char quote) {
    is_line_start_ = false;
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    at_ += is_long ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n' && !is_long) return;
      if (c == '\n') ++line_;
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        ++at_;
      } else if (is_long ? text_.substr(at_).starts_with(three) : c == quote) {
        at_ += is_long ? 3 : 1;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int header_ = 0, inside_ = 0, dots_ = 0;  // depth of the [table], of the brackets open, of the key read
  std::vector<int> levels_;                 // what each open bracket adds
  bool is_header_ = false, is_line_start_ = true;
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
  if (const int line = DepthScan(text).line_too_deep())
    throw Error(one_line(file) + ":" + std::to_string(line) + ": keys, tables and lists are nested more than " +
                std::to_string(deepest) + " levels deep; the limit protects against damaged files");
  try {
    return converted_table(toml::parse(text, file));
  } catch (const toml::parse_error& problem) {
    const int line = std::max(1, line_of(problem.source()));
    const bool is_recording = file.ends_with(".csv") || file.ends_with(".mat") || file.ends_with(".npz");
    throw Error(one_line(file) + ":" + std::to_string(line) + ": not TOML: " +
                (is_recording ? "it looks like a recording; `stickslip inspect` shows what it holds"
                              : one_line(problem.description())));
  }
}

}  // namespace stickslip
