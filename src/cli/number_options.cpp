/// Numbers on the command line; see number_options.hpp.
#include "number_options.hpp"

#include <charconv>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip {
namespace {

/// "NUMBER [kg]": what the help shows, and what tests of hostile values read.
std::string type_of(std::string_view unit) {
  return unit.empty() || unit == "1" ? "NUMBER" : "NUMBER [" + std::string(unit) + "]";
}

std::string first_name(const std::string& names) { return names.substr(names.find("--")); }

double checked(double value, const std::string& name, std::string_view unit, const Range& range) {
  const std::string problem = refusal(value, unit, range);
  if (!problem.empty()) throw Error(first_name(name) + " " + problem);
  return value;
}

double parsed(const std::string& text, const std::string& name, std::string_view unit) {
  try {
    return parse_quantity(text, unit);
  } catch (const Error& problem) {
    throw Error(first_name(name) + ": " + problem.what());
  }
}

}  // namespace

double QuantityOption::value(bool is_rotary) const {
  const std::string needed = is_rotary ? rotary(unit) : std::string(unit);
  return checked(parsed(text, name, needed), name, needed, range.value_or(range_of(needed, sign)));
}

CLI::Option* add_quantity(CLI::App& command, QuantityOption& option, const std::string& help) {
  return command
      .add_option_function<std::string>(
          option.name,
          [&option](const std::string& text) {
            if (trimmed(text).empty())
              throw Error(std::string(option.name) + " is empty; write for example '1 " + std::string(option.unit) +
                          "'");
            option.text = text;
          },
          help)
      ->type_name(type_of(option.unit));
}

double number_option(const std::string& text, const std::string& name, std::string_view unit, const Range& range) {
  const bool has_unit = text.find_first_of("abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ%/") != std::string::npos;
  if (has_unit || unit.empty() || unit == "1") return checked(parsed(text, name, unit), name, unit, range);
  return checked(parsed(text, name, "1"), name, unit, range);
}

CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit,
                        const Range& range, const std::string& help) {
  return command
      .add_option_function<std::string>(
          name, [=, &into](const std::string& text) { into = number_option(text, name, unit, range); }, help)
      ->type_name(type_of(unit));
}
CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit, Sign sign,
                        const std::string& help) {
  return add_number(command, name, into, unit, range_of(unit, sign), help);
}

std::uint64_t count_option(const std::string& text, const std::string& name, const Counts& counts) {
  const std::string problem = refusal_of_count(text, counts);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (!problem.empty()) throw Error(first_name(name) + " " + problem);
  if (failed != std::errc() || stop != end)
    throw Error(first_name(name) + " is " + in_quotes(one_line(text, 40)) + "; it has more than 64 bits");
  return value;
}

void add_long(CLI::App& command, bool& is_long) {
  command.add_flag("--long", is_long, "allow what may take hours or gigabytes and is refused otherwise");
}

}  // namespace stickslip
