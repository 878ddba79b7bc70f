/// The name and the unit of a heading; see raw_table.hpp.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "recording/tables/raw_table.hpp"
#include "recording/tables/role_names.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

/// Units that may follow a name after an underscore: position_mm, speed_rad_per_s, velocity_m_s. Minutes and hours are
/// not among them, since t_min and q_h mean other things.
constexpr std::array suffix_units{
    "m/s^2", "mm/s^2", "rad/s^2", "deg/s^2", "m/s", "mm/s", "um/s", "cm/s", "rad/s", "mrad/s", "deg/s", "rev/s",
    "rpm",   "N m",    "mN m",    "kN m",    "Nm",  "mNm",  "kNm",  "Nmm",  "uNm",   "N",      "kN",    "mN",
    "uN",    "MN",     "lbf",     "m",       "mm",  "um",   "nm",   "cm",   "in",    "rad",    "mrad",  "deg",
    "rev",   "s",      "ms",      "us",      "ns",  "Pa",   "kPa",  "MPa",  "hPa",   "bar",    "mbar",  "psi",
    "V",     "mV",     "A",       "mA",      "kg",  "degC", "K",    "W",    "Hz",    "kHz"};

/// What drives print where a unit belongs; a gain says what one of them is.
bool is_drive_unit(std::string_view text) {
  for (const std::string_view unit : {"inc", "incr", "Inc", "Inkr", "inkr", "counts", "cts", "pulses", "ticks",
                                      "digits", "Aeff", "Arms", "Apk", "A rms", "A eff", "Veff", "Vrms", "uu"})
    if (text == unit) return true;
  return false;
}

std::string suffix_of(std::string_view unit, std::string_view slash) {
  std::string word = "_";
  for (const char c : unit) {
    if (c == '/')
      word += slash;
    else if (c == ' ')
      word += '_';
    else if (c != '^')
      word += c;
  }
  return word;
}

/// "force_N": the longest unit that the name ends with.
bool split_suffix(Heading& heading) {
  std::size_t longest = 0;
  for (const std::string_view unit : suffix_units)
    for (const std::string_view slash : {"_per_", "_", "p"}) {
      if (slash == "p" && unit.find('/') == std::string_view::npos) continue;
      const std::string ending = suffix_of(unit, slash);
      if (ending.size() <= longest || ending.size() >= heading.text.size() || !heading.text.ends_with(ending)) continue;
      longest = ending.size();
      heading.unit = unit;
    }
  if (heading.text.ends_with("_C") && heading.text.size() > 2) heading.unit = "degC", longest = 2;
  heading.name = heading.text.substr(0, heading.text.size() - longest);
  return longest > 0;
}

}  // namespace

bool is_unit_heading(std::string_view text) {
  return std::find(suffix_units.begin(), suffix_units.end(), text) != suffix_units.end();
}

Heading split_heading(std::string_view text) {
  Heading heading;
  heading.text = heading.name = trimmed(text);
  const std::string_view all = heading.text;
  const auto cut = [&](std::size_t open, std::size_t close) {
    heading.unit = trimmed(all.substr(open + 1, close - open - 1));
    if (heading.unit.empty() || heading.unit == "-") heading.unit = "1";
    heading.name = std::string(trimmed(all.substr(0, open)));
    if (heading.name.size() > 1 && heading.name.back() == '/') heading.name.pop_back();  // "v/(m/s)"
  };
  if (const auto open = all.rfind('['); open != std::string_view::npos && open > 0 && all.ends_with(']')) {
    const std::string_view inside = all.substr(open + 1, all.size() - open - 2);
    const bool is_number = !inside.empty() && inside.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number && all[open - 1] != ' ' && role_named(std::string(all.substr(0, open)))) return heading;  // effort[0]
    cut(open, all.size() - 1);
    return heading;
  }
  if (const auto open = all.find('('); open != std::string_view::npos && open > 0 && all.ends_with(')')) {
    const std::string_view inside = trimmed(all.substr(open + 1, all.size() - open - 2));
    if (unit_or_nothing(inside) || is_drive_unit(inside)) {
      cut(open, all.size() - 1);
      return heading;
    }
  }
  if (const auto comma = all.rfind(','); comma != std::string_view::npos && comma > 0) {  // "Velocity, in/s"
    const std::string_view unit = trimmed(all.substr(comma + 1));
    if (!unit.empty() && (unit_or_nothing(unit) || is_drive_unit(unit))) {
      heading.unit = unit;
      heading.name = std::string(trimmed(all.substr(0, comma)));
      return heading;
    }
  }
  if (const auto under = all.rfind('_'); under != std::string_view::npos && under > 0) {  // "velocity_m/s"
    const std::string_view unit = all.substr(under + 1);
    if (unit.find('/') != std::string_view::npos && unit_or_nothing(unit)) {
      heading.unit = unit;
      heading.name = std::string(all.substr(0, under));
      return heading;
    }
  }
  if (const auto slash = all.find('/'); slash != std::string_view::npos && slash > 0 && slash + 1 < all.size()) {
    std::string_view unit = trimmed(all.substr(slash + 1));
    if (unit.size() > 2 && unit.front() == '(' && unit.back() == ')') unit = unit.substr(1, unit.size() - 2);
    if (!unit.empty() && (unit_or_nothing(unit) || is_drive_unit(unit))) {
      heading.unit = unit;
      heading.name = std::string(trimmed(all.substr(0, slash)));
      return heading;
    }
  }
  if (const auto in = all.rfind(" in ");
      in != std::string_view::npos && in > 0 && unit_or_nothing(all.substr(in + 4))) {
    heading.unit = trimmed(all.substr(in + 4));
    heading.name = std::string(trimmed(all.substr(0, in)));
    return heading;
  }
  // "ms", "mm": a heading that is a unit. One letter is a name (m, s, A), and so is "in".
  if (!split_suffix(heading) && heading.text.size() > 1 && heading.text != "in" && is_unit_heading(heading.text))
    heading.unit = heading.text;
  return heading;
}

}  // namespace stickslip::inline recordings
