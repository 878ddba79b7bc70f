/// Numbers on the command line; see number_options.hpp.
#include "number_options.hpp"

#include <charconv>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline cli {
namespace {

/// "NUMBER [kg]": what the help shows, and what tests of hostile values read.
std::string type_of(std::string_view unit) {
  return unit.empty() || unit == "1" ? "NUMBER" : "NUMBER [" + std::string(unit) + "]";
}

std::string first_name(const std::string& names) {
  const auto begin = names.find("--");
  return names.substr(begin, names.find(',', begin) - begin);
}

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
  return number_option(text, name, needed, range.value_or(range_of(needed, sign)));
}

CLI::Option* add_quantity(CLI::App& command, QuantityOption& option, const std::string& help) {
  return command
      .add_option_function<std::string>(
          option.name,
          [&option](const std::string& text) {
            if (trimmed(text).empty())
              throw Error(first_name(option.name) + " is empty; write for example '1 " + std::string(option.unit) +
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

std::vector<double> numbers_option(const std::string& text, const std::string& name, std::string_view unit,
                                   const Range& range) {
  std::vector<double> values;
  std::string list(trimmed(text)), written;
  const auto close = list.find(']');
  if (list.starts_with('[')) {
    if (close == std::string::npos)
      throw Error(first_name(name) + ": " + in_quotes(one_line(text, 40)) + " has no closing ]");
    written = trimmed(std::string_view(list).substr(close + 1));
    list = list.substr(1, close - 1);
  } else if (const auto last = list.find_last_of(','); last != std::string::npos) {
    const std::string end(trimmed(std::string_view(list).substr(last + 1)));
    const auto blank = end.find(' ');
    if (blank != std::string::npos)
      written = trimmed(std::string_view(end).substr(blank)), list = list.substr(0, last + 1) + end.substr(0, blank);
  }
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    const std::string item(trimmed(std::string_view(list).substr(at, comma - at)));
    values.push_back(number_option(written.empty() ? item : item + " " + written, name, unit, range));
    at = comma + 1;
  }
  return values;
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

CLI::Option* add_percent(CLI::App& command, const std::string& name, double& into, const Range& range,
                         const std::string& help) {
  return command
      .add_option_function<std::string>(
          name,
          [=, &into](const std::string& text) {
            std::string_view number = trimmed(text);
            if (number.ends_with('%')) number = trimmed(number.substr(0, number.size() - 1));
            into = number_option(std::string(number), name, "1", range);
          },
          help)
      ->type_name(type_of("%"));
}

double RateOption::value() const {
  if (rate.is_given() && sampling_time.is_given())
    throw Error("--rate and --sampling-time say the same; give one of them");
  return rate.is_given() ? 1 / rate.value() : sampling_time.value();
}
std::string RateOption::text() const {
  return rate.is_given() ? "--rate " + in_quotes(rate.text) : "--sampling-time " + in_quotes(sampling_time.text);
}

void add_rate(CLI::App& command, RateOption& option, double shortest, double longest, std::string_view why,
              const std::string& help) {
  option.rate.range = Range{1 / longest, 1 / shortest, false, why};
  option.sampling_time.range = Range{shortest, longest, false, why};
  add_quantity(command, option.rate, help);
  add_quantity(command, option.sampling_time, "the same as a time: '1 ms'")->group("");
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
  command.add_flag("--long", is_long, "allow runs that may take hours or gigabytes and are refused otherwise");
}

}  // namespace stickslip::inline cli
