/// Numbers on the command line. Name, unit and range of one stand at one place, where it is declared; what is outside is
/// refused in one line that says the option, what was found, what would do and why.
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

#include "core/error.hpp"
#include "core/range.hpp"

namespace stickslip {

/// A number with unit, '20 kg'. Kept as text until it is known whether the machine is rotary: then '20 kg m^2'.
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

/// A plain number in `unit`, or with a unit that fits: '--rate 1000' and '--rate "1 kHz"'.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit,
                        const Range& range, const std::string& help);
CLI::Option* add_number(CLI::App& command, const std::string& name, double& into, std::string_view unit, Sign sign,
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
inline constexpr Counts thread_counts{0, 1024, "more threads than cores only wait for each other"};

/// What one step of a position sensor may be, and the same where 0 says that there is none [m], [rad].
inline constexpr Range encoder_step{1e-15, 1, false, "from below an atom to a coarse switch"};
inline constexpr Range encoder_step_or_none{1e-15, 1, true, encoder_step.why};

/// --long: one meaning in every command that has it.
void add_long(CLI::App& command, bool& is_long);

}  // namespace stickslip
