#include "fitting/machine_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/toml_path.hpp"
#include "files/toml_section.hpp"
#include "platform/number.hpp"

namespace stickslip::inline fitting {

namespace {

std::vector<std::string> keys_of(const TomlValue& table) {
  std::vector<std::string> keys;
  for (const auto& member : table.members) keys.push_back(member.key);
  return keys;
}

bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E' || c == '_';
}

struct Digits {
  std::size_t begin = 0, end = 0;
  double value = 0;
};

/// The number that begins at `at`, white space passed over; `end` equals `begin` if there is none.
Digits digits_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  Digits d{at, at, 0};
  std::size_t end = at;
  while (end < text.size() && is_number_character(text[end])) ++end;
  std::string plain(text.substr(at, end - at));
  std::erase(plain, '_');
  const char* first = plain.data() + (plain.starts_with('+') ? 1 : 0);
  const auto [stop, error] = read_number(first, plain.data() + plain.size(), d.value);
  if (error == std::errc() && stop == plain.data() + plain.size()) d.end = end;
  return d;
}

/// The number or text that begins there; nullptr if none does.
TomlValue* leaf_at(TomlValue& tree, int line, int column) {
  const bool is_leaf = tree.kind == TomlValue::Kind::number || tree.kind == TomlValue::Kind::text;
  if (is_leaf) return tree.line == line && tree.column == column ? &tree : nullptr;
  for (TomlValue& item : tree.items)
    if (TomlValue* found = leaf_at(item, line, column)) return found;
  for (TomlMember& member : tree.members)
    if (TomlValue* found = leaf_at(member.value, line, column)) return found;
  return nullptr;
}

}  // namespace

MachineText::MachineText(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)), document_(parse_toml(text_, file_)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::size_t MachineText::offset_of(int line, int column) const {
  std::size_t at = line_starts_[static_cast<std::size_t>(line - 1)];
  for (int i = 1; i < column && at < text_.size(); ++i)
    at += std::max<std::size_t>(1, character_length(std::string_view(text_).substr(at)));
  return at;
}

Place MachineText::place(const std::string& path) const {
  std::vector<std::size_t> inner;
  const TomlValue& value = value_at(document_, path, file_, &inner);
  const auto refuse = [&](const std::string& what) {
    throw Error(at_line(file_, value.line, "path " + in_quotes(path) + " leads to " + what + "; expected a number"));
  };
  if (value.kind != TomlValue::Kind::number && value.kind != TomlValue::Kind::text)
    refuse(std::string(kind_words(value.kind)) +
           (value.kind == TomlValue::Kind::table ? " with " + joined(keys_of(value)) : ""));
  std::size_t at = offset_of(value.line, value.column);
  std::size_t close = text_.size();
  if (value.kind == TomlValue::Kind::text) {
    const char quote = text_[at];
    close = std::min(text_.find(quote, at + 1), text_.size());
    ++at;
    if (!inner.empty()) {
      at = std::min(text_.find('[', at), close) + 1;
      for (std::size_t i = 1; i < inner.front(); ++i) at = std::min(text_.find(',', at), close) + 1;
      if (at > close) refuse("a list of fewer numbers");
    }
  }
  const Digits d = digits_at(text_, at);
  if (d.end == d.begin) refuse(value.kind == TomlValue::Kind::text ? in_quotes(value.text) : "something else");
  Place p{path, d.begin, d.end, d.value, "", value.line, value.column, 0};
  if (value.kind == TomlValue::Kind::text) {
    p.within = d.begin - offset_of(value.line, value.column) - 1;
    const std::size_t unit = inner.empty() ? d.end : std::min(text_.find(']', d.end), close - 1) + 1;
    p.unit = std::string(trimmed(std::string_view(text_).substr(unit, close - unit)));
  }
  return p;
}

std::string MachineText::with(std::vector<std::pair<Place, double>> values) const {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  std::string changed = text_;
  for (const auto& [place, value] : values) {
    std::string digits = shortest(value);
    // TOML distinguishes 1 from 1.0, and a reader may require the latter.
    changed.replace(place.begin, place.end - place.begin, digits);
  }
  return changed;
}

MachineText MachineText::with_table(const std::string& path, const std::string& lines) const {
  const std::string heading = "[" + path + "]";
  for (std::size_t i = 0; i < line_starts_.size(); ++i) {
    const std::string_view rest = std::string_view(text_).substr(line_starts_[i]);
    if (!trimmed(rest.substr(0, rest.find('\n'))).starts_with(heading)) continue;
    std::size_t last = i + 1;
    while (last < line_starts_.size() && (line_starts_[last] >= text_.size() || text_[line_starts_[last]] != '['))
      ++last;
    const std::size_t end = last < line_starts_.size() ? line_starts_[last] : text_.size();
    std::string changed = text_;
    changed.replace(line_starts_[i], end - line_starts_[i], heading + "\n" + lines + "\n");
    return {changed, file_};
  }
  std::vector<std::string> tables;
  for (const auto& member : document_.members)
    if (member.value.kind == TomlValue::Kind::table) tables.push_back(member.key);
  throw Error(one_line(file_) + ": no table " + heading + "; " + did_you_mean(path, tables));
}

void set_number(TomlValue& document, const Place& place, double value) {
  TomlValue* found = leaf_at(document, place.line, place.column);
  if (!found) throw Error("path " + in_quotes(place.path) + " does not exist in this document");
  if (found->kind == TomlValue::Kind::text) {
    found->text.replace(place.within, digits_at(found->text, place.within).end - place.within, shortest(value));
    return;
  }
  found->number = value;
  found->text = shortest(value);
  found->is_whole = value == std::floor(value);
}

}  // namespace stickslip::inline fitting
