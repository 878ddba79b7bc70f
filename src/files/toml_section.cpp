/// One table of a scenario file, read by key, with units; see toml_section.hpp.
#include "files/toml_section.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/quantity_log.hpp"

namespace stickslip::inline files {
namespace {

using Kind = TomlValue::Kind;

/// A quantity as one would type it: "1 kg", or 1 without unit.
std::string example_of(std::string_view unit) {
  return unit.empty() || unit == "1" ? "1" : "\"1 " + std::string(unit) + "\"";
}

}  // namespace

std::string at_line(const std::string& file, int line, const std::string& message) {
  return one_line(file) + ":" + std::to_string(std::max(1, line)) + ": " + message;
}

Section::Section(const TomlValue& table, std::string name, const std::string& file)
    : table_(&table), name_(std::move(name)), file_(&file) {
  if (table.kind != Kind::table)
    fail(table, name_ + " is " + std::string(kind_words(table.kind)) + "; a table is needed, begun by [" + name_ + "]");
}

std::string Section::shown() const { return name_.empty() ? "the file" : "[" + name_ + "]"; }

void Section::fail(int line, const std::string& message) const { throw Error(at_line(*file_, line, message)); }

void Section::knows(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : table_->members)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail(value, "unknown key " + in_quotes(key) + " in " + shown() + "; " + did_you_mean(key, keys));
}

const TomlValue& Section::value(std::string_view key, std::string_view example) const {
  if (const auto* found = table_->find(key)) return *found;
  const std::string line =
      example.empty() ? "" : "; write for example " + std::string(key) + " = " + std::string(example);
  fail(table_->line, shown() + " has no " + std::string(key) + line);
}

const TomlValue& Section::first_of(const std::vector<std::string>& keys) const {
  for (const auto& key : keys)
    if (const auto* found = table_->find(key)) return *found;
  return *table_;
}

double Section::quantity_of(const TomlValue& value, const std::string& what, std::string_view unit) const {
  if (value.kind == Kind::quantity) {
    if (!value.text.empty() && value.text != unit && !fits(parse_unit(value.text), parse_unit(unit)))
      fail(value, what + ": a value in " + value.text + " is no " + std::string(unit));
    QuantityLog::note(value, unit, {value.number});
    return value.number;
  }
  if (value.kind != Kind::text && value.kind != Kind::number)
    fail(value, what + " is " + std::string(kind_words(value.kind)) + "; write for example " + example_of(unit));
  try {
    const double found = parse_quantity(value.text, unit);
    QuantityLog::note(value, unit, {found});
    return found;
  } catch (const Error& problem) {
    fail(value, what + ": " + problem.what());
  }
}

std::vector<double> Section::quantities_of(const TomlValue& value, const std::string& what,
                                           std::string_view unit) const {
  std::vector<double> found;
  if (value.kind == Kind::list) {
    for (const auto& item : value.items) found.push_back(quantity_of(item, what, unit));
    if (found.empty()) fail(value, what + " is an empty list");
    return found;
  }
  if (value.kind != Kind::text) return {quantity_of(value, what, unit)};
  try {
    auto values = parse_quantities(value.text, unit);
    QuantityLog::note(value, unit, values);
    return values;
  } catch (const Error& problem) {
    fail(value, what + ": " + problem.what());
  }
}

double Section::bounded_of(const TomlValue& value, const std::string& what, std::string_view unit,
                           const Range& range) const {
  const double found = quantity_of(value, what, unit);
  if (const auto problem = refusal(found, unit, range); !problem.empty()) fail(value, what + " " + problem);
  return found;
}
double Section::bounded_of(const TomlValue& value, const std::string& what, std::string_view unit) const {
  return bounded_of(value, what, unit, range_of(unit, Sign::any));
}

double Section::quantity(std::string_view key, std::string_view unit) const {
  return bounded_of(value(key, example_of(unit)), std::string(key), unit);
}

double Section::quantity_or(std::string_view key, std::string_view unit, double otherwise) const {
  return has(key) ? quantity(key, unit) : otherwise;
}

double Section::within(std::string_view key, std::string_view unit, const Range& range) const {
  return bounded_of(value(key, example_of(unit)), std::string(key), unit, range);
}

double Section::parameter(std::string_view key, std::string_view unit, Domain domain) const {
  return within(key, unit, range_of(magnitude_of(unit), domain));
}

double Section::positive(std::string_view key, std::string_view unit) const {
  return within(key, unit, range_of(unit, Sign::positive));
}

double Section::not_negative(std::string_view key, std::string_view unit) const {
  return within(key, unit, range_of(unit, Sign::not_negative));
}

double Section::not_negative_or(std::string_view key, std::string_view unit, double otherwise) const {
  return has(key) ? not_negative(key, unit) : otherwise;
}

std::optional<std::size_t> Section::count(std::string_view key, const Counts& counts) const {
  if (!has(key)) return std::nullopt;
  const TomlValue& found = value(key);
  if (found.kind != Kind::number || !found.is_whole || found.number < counts.low)
    fail(found, std::string(key) + " must be a whole number of at least " + significant(counts.low, 9));
  if (const auto problem = refusal_of_count(found.text, counts); !problem.empty())
    fail(found, std::string(key) + " " + problem);
  std::size_t count = 0;  // all digits, which a double does not hold
  for (const char digit : found.text) count = 10 * count + static_cast<std::size_t>(digit - '0');
  return count;
}

std::string Section::text(std::string_view key, std::string_view example) const {
  const TomlValue& found = value(key, "\"" + std::string(example) + "\"");
  if (found.kind != Kind::text)
    fail(found, std::string(key) + " is " + std::string(kind_words(found.kind)) + "; write for example \"" +
                    std::string(example) + "\"");
  return found.text;
}

std::string Section::word(std::string_view key, std::string_view what, const std::vector<std::string>& words) const {
  const std::string found = text(key, words.front());
  if (std::find(words.begin(), words.end(), found) == words.end()) fail(value(key), no_such(what, found, words));
  return found;
}

std::string Section::word_or(std::string_view key, std::string_view what, const std::vector<std::string>& words,
                             std::string_view otherwise) const {
  return has(key) ? word(key, what, words) : std::string(otherwise);
}

Section::Points Section::points(std::string_view key, std::string_view x_unit, std::string_view y_unit) const {
  const std::string what(key);
  const std::string example = "[[" + example_of(x_unit) + ", " + example_of(y_unit) + "]]";
  const TomlValue& list = value(key, example);
  if (list.kind != Kind::list || list.items.empty()) fail(list, what + " must be a list of pairs like " + example);
  Points found;
  for (const TomlValue& pair : list.items) {
    if (pair.kind != Kind::list || pair.items.size() != 2)
      fail(pair, what + " must be a list of pairs like " + example);
    found.x.push_back(bounded_of(pair.items[0], what, x_unit));
    found.y.push_back(bounded_of(pair.items[1], what, y_unit));
  }
  return found;
}

std::optional<Section> Section::inner(std::string_view key) const {
  const TomlValue* found = table_->find(key);
  if (!found) return std::nullopt;
  return Section(*found, name_.empty() ? std::string(key) : name_ + "." + std::string(key), *file_);
}

}  // namespace stickslip::inline files
