/// Numbers on the command line. Name, unit and range are declared in one place; values outside the range are
/// refused in one line with the option, the value, the allowed range and the reason. One rule for all: a number may have a unit
/// that fits ('1 mm/s'), and a plain number is in the unit that the help shows; files, which others read later, need units.
/// Of several names, "--until,--to", help shows the first; the others are words that it had before.
///   QuantityOption mass{"--mass", "kg", Sign::positive};            // 'kg': the range of masses (core/range.hpp)
///   add_quantity(*command, arguments.mass, "that moves: '1 kg'");
///   arguments.mass.take(body.mass);                                 // nothing happens if it was not given
#pragma once
#include <CLI/CLI.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/range.hpp"

namespace stickslip::inline cli {

/// Kept as text until it is known whether the machine is rotary: then '20 kg m^2', and a plain 20 is in kg m^2.
struct QuantityOption {
  const char* name;
  std::string_view unit;  // of a linear machine
  Sign sign = Sign::any;
  std::optional<Range> range = {};  // narrower than that of the unit
  std::string text = {};

  bool is_given() const { return !text.empty(); }
  /// SI. Throws Error that names the option.
  double value(bool is_rotary = false) const;
  void take(double& into, bool is_rotary = false) const {
    if (is_given()) into = value(is_rotary);
  }
  bool operator==(const QuantityOption& other) const { return text == other.text; }
};

CLI::Option* add_quantity(CLI::App& command, QuantityOption& option, const std::string& help);

/// '--rate 1000' and '--rate "1 kHz"'.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit,
                        const Range& range, const std::string& help);
CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit, Sign sign,
                        const std::string& help);
/// '5' and '5 %' are both 5.
CLI::Option* add_percent(CLI::App& command, const std::string& name, double& into, const Range& range,
                         const std::string& help);
/// What add_number reads. Throws Error that names the option.
double number_option(const std::string& text, const std::string& name, std::string_view unit, const Range& range);

/// A whole number.
std::uint64_t count_option(const std::string& text, const std::string& name, const Counts& counts);
template <class Whole>
CLI::Option* add_count(CLI::App& command, const std::string& name, Whole& into, const Counts& counts,
                       const std::string& help) {
  static_assert(std::is_integral_v<Whole>);
  return command
      .add_option_function<std::string>(
          name,
          [name, &into, counts](const std::string& text) {
            into = static_cast<Whole>(count_option(text, name, counts));
          },
          help)
      ->type_name("COUNT");
}

/// Seeds: every number of 64 bits.
inline constexpr Counts seeds{0, 18446744073709551615.0, "a seed has 64 bits"};
/// More threads than a large machine has cores only wait for each other.
inline constexpr Counts thread_counts{0, 1024, "more threads than cores gain nothing"};

/// What one step of a position sensor may be, and the same where 0 says that there is none [m], [rad].
inline constexpr Range encoder_step{1e-15, 1, false, "from below an atom to a coarse switch"};
inline constexpr Range encoder_step_or_none{1e-15, 1, true, encoder_step.why};

/// How often something is sampled: --rate '1 kHz', or as a time, --sampling-time '1 ms', which it was called before.
struct RateOption {
  QuantityOption rate{"--rate", "Hz", Sign::positive};
  QuantityOption sampling_time{"--sampling-time", "s", Sign::positive};

  bool is_given() const { return rate.is_given() || sampling_time.is_given(); }
  /// Of one sample [s]. Throws Error that names the option.
  double value() const;
  /// "--rate '1 kHz'", as it was given.
  std::string text() const;
};
/// `shortest` to `longest` of one sample [s].
void add_rate(CLI::App& command, RateOption& option, double shortest, double longest, std::string_view why,
              const std::string& help);

/// Several, '[1, 2] m/s', '1, 2 m/s' or '1,2'. Throws Error that names the option.
std::vector<double> numbers_option(const std::string& text, const std::string& name, std::string_view unit,
                                   const Range& range);

/// --long: one meaning in every command that has it.
void add_long(CLI::App& command, bool& is_long);

}  // namespace stickslip::inline cli
