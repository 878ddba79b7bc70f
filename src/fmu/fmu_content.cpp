/// The flat list of an FMU's machine; see fmu_content.hpp.
#include "fmu/fmu_content.hpp"

#include <array>
#include <cstdint>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"

namespace stickslip::inline fmu {
namespace {

using Kind = TomlValue::Kind;

constexpr std::string_view first_line = "stickslip fmu 1";
constexpr std::array<std::string_view, 7> kind_marks{"text", "number", "true", "list", "table", "other", "quantity"};
constexpr int deepest_nesting = 64;

/// Tabs, line ends and backslashes would break a line.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return out;
}

void write_value(const TomlValue& value, const std::string& key, std::string& out) {
  const auto mark = value.kind == Kind::boolean && !value.is_true ? std::string_view("false")
                                                                  : kind_marks[static_cast<std::size_t>(value.kind)];
  out += std::string(mark) + "\t" + std::to_string(value.line) + "\t" + escaped(key);
  if (value.kind == Kind::text || value.kind == Kind::other) out += "\t" + escaped(value.text);
  if (value.kind == Kind::number)
    out += "\t" + shortest(value.number) + "\t" + (value.is_whole ? "whole" : "real") + "\t" + escaped(value.text);
  if (value.kind == Kind::quantity) out += "\t" + shortest(value.number) + "\t" + escaped(value.text);
  out += "\n";
  if (value.kind != Kind::table && value.kind != Kind::list) return;
  for (const TomlMember& member : value.members) write_value(member.value, member.key, out);
  for (const TomlValue& item : value.items) write_value(item, "", out);
  out += "end\n";
}

/// The lines of a content, one after the other.
class ContentReader {
 public:
  explicit ContentReader(std::string_view text) : text_(text) {}

  bool next() {
    if (text_.empty()) return false;
    const auto end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    fields_.clear();
    for (std::size_t tab = 0; tab != std::string_view::npos;) {
      tab = line.find('\t');
      fields_.push_back(line.substr(0, tab));
      line = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
    }
    return true;
  }
  std::size_t count() const { return fields_.size(); }
  std::string_view field(std::size_t i) const {
    if (i >= fields_.size()) fail("a field is missing");
    return fields_[i];
  }
  double number(std::size_t i) const {
    const std::string_view text = field(i);
    double value = 0;
    const auto [end, problem] = read_number(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) fail(in_quotes(text) + " is not a number");
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("resources/content.txt:" + std::to_string(number_) + ": " + what +
                "; the FMU is damaged, export it again");
  }

  /// The value whose line was just read.
  TomlMember value(int depth) {
    if (depth > deepest_nesting) fail("tables are nested too deeply");
    TomlMember member{unescaped(field(2)), {}};
    TomlValue& v = member.value;
    v.line = static_cast<int>(number(1));
    const std::string_view mark = field(0);
    v.kind = kind_of(mark);
    if (v.kind == Kind::text || v.kind == Kind::other) v.text = unescaped(field(3));
    if (v.kind == Kind::boolean) v.is_true = mark == "true";
    if (v.kind == Kind::number) {
      v.number = number(3);
      v.is_whole = field(4) == "whole";
      v.text = unescaped(field(5));
    }
    if (v.kind == Kind::quantity) v.number = number(3), v.text = unescaped(field(4));
    if (v.kind != Kind::table && v.kind != Kind::list) return member;
    while (true) {
      if (!next()) fail("it is truncated");
      if (field(0) == "end") return member;
      TomlMember inner = value(depth + 1);
      if (v.kind == Kind::table)
        v.members.push_back(std::move(inner));
      else
        v.items.push_back(std::move(inner.value));
    }
  }

 private:
  Kind kind_of(std::string_view mark) const {
    if (mark == "false") return Kind::boolean;
    for (std::size_t i = 0; i < kind_marks.size(); ++i)
      if (kind_marks[i] == mark) return static_cast<Kind>(i);
    fail(in_quotes(mark) + " is not a known kind of value");
  }

  std::string_view text_;
  std::size_t number_ = 0;
  std::vector<std::string_view> fields_;
};

}  // namespace

std::string content_text(const FmuContent& content) {
  std::string out = std::string(first_line) + "\n";
  out += std::string("about\t") + (content.is_element ? "element" : "machine") + "\t" +
         (content.inputs_from_file ? "file" : "outside") + "\t" + escaped(content.file) + "\t" +
         escaped(content.title) + "\n";
  out += "nominal";
  for (const double x : content.nominal) out += "\t" + shortest(x);
  out += "\n";
  write_value(content.document, "", out);
  return out;
}

FmuContent parse_content(std::string_view text) {
  ContentReader reader(text);
  if (!reader.next() || reader.field(0) != first_line)
    reader.fail("it does not begin with '" + std::string(first_line) + "'");
  FmuContent content;
  if (!reader.next() || reader.field(0) != "about") reader.fail("there is no line 'about'");
  content.is_element = reader.field(1) == "element";
  content.inputs_from_file = reader.field(2) == "file";
  content.file = unescaped(reader.field(3));
  content.title = unescaped(reader.field(4));
  if (!reader.next() || reader.field(0) != "nominal") reader.fail("there is no line 'nominal'");
  for (std::size_t i = 1; i < reader.count(); ++i) content.nominal.push_back(reader.number(i));
  if (!reader.next()) reader.fail("there is no machine");
  content.document = reader.value(0).value;
  return content;
}

std::string content_token(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::array<int, 5> groups{8, 4, 4, 4, 12};
  std::string bits;
  for (const std::uint64_t seed : {14695981039346656037ull, 0x9e3779b97f4a7c15ull}) {  // FNV-1a, begun twice
    std::uint64_t hash = seed;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    for (int i = 0; i < 16; ++i, hash >>= 4) bits += digits[hash & 15];
  }
  std::string token = "{";
  std::size_t at = 0;
  for (const int length : groups) {
    if (at > 0) token += "-";
    token += bits.substr(at, static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length);
  }
  return token + "}";
}

}  // namespace stickslip::inline fmu
