/// Names, units and roles of columns; see raw_table.hpp.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip {
namespace {

/// Units that may follow a name after an underscore: position_mm, speed_rad_per_s, velocity_m_s. Minutes and hours are
/// not among them, since t_min and q_h mean other things.
constexpr std::array suffix_units{
    "m/s^2", "mm/s^2", "rad/s^2", "deg/s^2", "m/s", "mm/s", "um/s", "cm/s", "rad/s", "mrad/s", "deg/s", "rev/s",
    "rpm",   "N m",    "mN m",    "kN m",    "Nm",  "mNm",  "kNm",  "Nmm",  "uNm",   "N",      "kN",    "mN",
    "uN",    "MN",     "lbf",     "m",       "mm",  "um",   "nm",   "cm",   "in",    "rad",    "mrad",  "deg",
    "rev",   "s",      "ms",      "us",      "ns",  "Pa",   "kPa",  "MPa",  "hPa",   "bar",    "mbar",  "psi",
    "V",     "mV",     "A",       "mA",      "kg",  "degC", "K",    "W",    "Hz",    "kHz"};

struct Alias {
  Role role;
  std::string_view name;
  bool rotary = false;
};
constexpr std::array aliases{Alias{Role::time, "time"},
                             Alias{Role::time, "t"},
                             Alias{Role::time, "timestamp"},
                             Alias{Role::time, "zeit"},
                             Alias{Role::time, "elapsed"},
                             Alias{Role::time, "elapsed_time"},
                             Alias{Role::position, "position"},
                             Alias{Role::position, "pos"},
                             Alias{Role::position, "x"},
                             Alias{Role::position, "q"},
                             Alias{Role::position, "q_meas"},
                             Alias{Role::position, "x_meas"},
                             Alias{Role::position, "position_meas"},
                             Alias{Role::position, "measured_position"},
                             Alias{Role::position, "displacement"},
                             Alias{Role::position, "weg"},
                             Alias{Role::position, "angle", true},
                             Alias{Role::position, "theta", true},
                             Alias{Role::position, "phi", true},
                             Alias{Role::velocity, "velocity"},
                             Alias{Role::velocity, "vel"},
                             Alias{Role::velocity, "v"},
                             Alias{Role::velocity, "speed"},
                             Alias{Role::velocity, "dq"},
                             Alias{Role::velocity, "qd"},
                             Alias{Role::velocity, "sliding_velocity"},
                             Alias{Role::velocity, "motor_velocity", true},
                             Alias{Role::velocity, "omega", true},
                             Alias{Role::velocity, "angular_velocity", true},
                             Alias{Role::force, "force"},
                             Alias{Role::force, "f"},
                             Alias{Role::force, "friction"},
                             Alias{Role::force, "friction_force"},
                             Alias{Role::force, "kraft"},
                             Alias{Role::force, "torque", true},
                             Alias{Role::force, "tau", true},
                             Alias{Role::force, "motor_torque", true},
                             Alias{Role::force, "friction_torque", true},
                             Alias{Role::load, "load"},
                             Alias{Role::load, "normal"},
                             Alias{Role::load, "normal_force"},
                             Alias{Role::load, "normal_load"},
                             Alias{Role::load, "fn"},
                             Alias{Role::load, "f_n"},
                             Alias{Role::pressure, "pressure"},
                             Alias{Role::pressure, "p"}};

std::string lower(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return word;
}

std::optional<Unit> unit_or_nothing(std::string_view text) {
  try {
    return parse_unit(text == "-" ? "1" : text);
  } catch (const Error&) {
    return std::nullopt;
  }
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

const Alias* alias_of(const std::string& name) {
  std::string word = lower(name);
  std::replace(word.begin(), word.end(), ' ', '_');
  for (const Alias& alias : aliases)
    if (alias.name == word) return &alias;
  return nullptr;
}

std::vector<std::string> texts_of(const std::vector<Heading>& headings) {
  std::vector<std::string> texts;
  for (const Heading& heading : headings) texts.push_back(one_line(heading.text, 40));
  return texts;
}

/// Finds the column an option names: by its whole heading, by its name, or as "name [unit]", which states the unit.
std::size_t chosen_column(std::vector<Assigned>& columns, const std::vector<Heading>& headings, const std::string& wish,
                          const std::string& file, std::size_t line) {
  const Heading wished = split_heading(wish);
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (headings[i].text == wish) return i;
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (headings[i].name == wish) return i;
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (!wished.unit.empty() && (headings[i].name == wished.name || headings[i].text == wished.name)) {
      columns[i].heading.unit = wished.unit;
      return i;
    }
  refuse_at(file, line, 1, no_such("column", wish, texts_of(headings)));
}

struct GainUnit {
  Unit whole, numerator;  // N/V, N
};

/// "35.15 N/V" as a factor and a unit.
std::pair<double, GainUnit> parse_gain(const std::string& text, Role role) {
  const std::string_view trimmed_text = trimmed(text);
  double value = 0;
  const char* const end = trimmed_text.data() + trimmed_text.size();
  const auto [after, problem] = read_number(trimmed_text.data(), end, value);
  if (problem != std::errc() || !std::isfinite(value) || value == 0)
    throw Error("gain of " + std::string(role_name(role)) + " is " + in_quotes(text) +
                "; a number with or without unit is needed, such as '35.15 N/V'");
  const std::string_view unit = trimmed({after, std::size_t(end - after)});
  return {value, {parse_unit(unit), parse_unit(unit.substr(0, unit.find('/')))}};
}

Unit product(const Unit& a, const Unit& b) {
  Unit c;
  c.factor = a.factor * b.factor;
  const Dimension &x = a.dimension, &y = b.dimension;
  c.dimension = {x.kg + y.kg, x.m + y.m, x.s + y.s, x.ampere + y.ampere, x.kelvin + y.kelvin};
  c.angle = a.angle + b.angle, c.cycle = a.cycle + b.cycle;
  return c;
}

/// Words that name a torque, also as a part of a name: motor_torque, tau_load.
bool names_torque(const std::string& name) {
  std::string word;
  for (const char c : lower(name) + " ") {
    if ((c >= 'a' && c <= 'z')) {
      word += c;
      continue;
    }
    for (const std::string_view torque : {"torque", "torques", "tau", "moment", "drehmoment", "trq", "couple"})
      if (word == torque) return true;
    word.clear();
  }
  return false;
}

/// "motor_torque_nm": in lower case nm may be nanometre or newton metre. A torque, or whatever takes the role of a force,
/// is no length; a position stays one.
bool means_newton_metre(const Assigned& column) {
  return column.heading.unit == "nm" && (column.role == Role::force || names_torque(column.heading.name));
}

bool may_be_rotary(Role role) { return role == Role::position || role == Role::velocity || role == Role::force; }

}  // namespace

std::string_view role_name(Role role) {
  constexpr std::array<std::string_view, 6> names{"time", "position", "velocity", "force", "load", "pressure"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view si_unit(Role role, bool rotary) {
  constexpr std::array<std::string_view, 6> linear{"s", "m", "m/s", "N", "N", "Pa"};
  constexpr std::array<std::string_view, 6> about_an_axis{"s", "rad", "rad/s", "N m", "N", "Pa"};
  return (rotary ? about_an_axis : linear)[static_cast<std::size_t>(role)];
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
    cut(open, all.size() - 1);
    return heading;
  }
  if (const auto open = all.find('('); open != std::string_view::npos && open > 0 && all.ends_with(')')) {
    if (unit_or_nothing(trimmed(all.substr(open + 1, all.size() - open - 2)))) {
      cut(open, all.size() - 1);
      return heading;
    }
  }
  if (const auto slash = all.find('/'); slash != std::string_view::npos && slash > 0 && slash + 1 < all.size()) {
    std::string_view unit = trimmed(all.substr(slash + 1));
    if (unit.size() > 2 && unit.front() == '(' && unit.back() == ')') unit = unit.substr(1, unit.size() - 2);
    if (!unit.empty() && unit_or_nothing(unit)) {
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
  split_suffix(heading);
  return heading;
}

Assignment assign_roles(const std::vector<Heading>& headings, const ReadOptions& options, const std::string& file,
                        std::size_t line) {
  Assignment found;
  for (const Heading& heading : headings) found.columns.push_back({heading});
  std::array<std::size_t, all_roles.size()> column_of{};  // from 1; 0: none
  const auto index = [](Role role) { return static_cast<std::size_t>(role); };

  for (const Role role : all_roles)
    if (!of(options.columns, role).empty()) {
      const std::size_t i = chosen_column(found.columns, headings, of(options.columns, role), file, line);
      if (found.columns[i].role)
        refuse_at(file, line, i + 1,
                  "column " + in_quotes(headings[i].text) + " cannot be both " +
                      std::string(role_name(*found.columns[i].role)) + " and " + std::string(role_name(role)));
      found.columns[i].role = role;
      column_of[index(role)] = i + 1;
    }
  for (const Role role : all_roles) {
    if (options.only_named || column_of[index(role)] || (role == Role::time && options.rate > 0)) continue;
    std::size_t named = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < headings.size(); ++i) {
      const Alias* alias = alias_of(headings[i].name);
      if (found.columns[i].role || !alias || alias->role != role) continue;
      if (lower(headings[i].name) == role_name(role) && !named) named = i + 1;
      (first ? second : first) = i + 1;
    }
    if (!first) continue;
    if (!named && second)
      refuse_at(file, line, second,
                "columns " + in_quotes(one_line(headings[first - 1].text, 30)) + " and " +
                    in_quotes(one_line(headings[second - 1].text, 30)) + " may both be the " +
                    std::string(role_name(role)) + "; choose with --" + std::string(role_name(role)));
    column_of[index(role)] = named ? named : first;
    found.columns[column_of[index(role)] - 1].role = role;
  }

  for (const Role role : options.needed) {
    if (column_of[index(role)] || (role == Role::time && options.rate > 0)) continue;
    std::vector<std::string> words{std::string(role_name(role))}, free;
    std::size_t near = 0, left_over = 0, only = 0;
    for (std::size_t i = 0; i < headings.size(); ++i) {
      if (found.columns[i].role) continue;
      free.push_back(one_line(headings[i].text, 30));
      ++left_over, only = i + 1;
      if (!near && nearest(headings[i].name, words)) near = i + 1;
    }
    std::string text = "no column " + in_quotes(role_name(role));
    if (near) text += "; did you mean " + in_quotes(one_line(headings[near - 1].text, 40));
    text +=
        "; there is " + one_line(joined(texts_of(headings)), 70) + "; choose with --" + std::string(role_name(role));
    if (role == Role::time) text += " or give --rate";
    refuse_at(file, line, near ? near : left_over == 1 ? only : 1, text);
  }

  for (std::size_t i = 0; i < found.columns.size(); ++i)
    if (means_newton_metre(found.columns[i])) {
      found.columns[i].heading.unit = "N m";
      found.notes.push_back(
          {"newton_metre", line, i + 1,
           "'nm' at " + in_quotes(one_line(headings[i].text, 40)) + " is read as N m, not as nanometre"});
    }

  // Linear or about an axis: the first column that says so decides, the others must agree.
  std::size_t decided_by = 0;
  std::vector<std::string> without_unit;
  std::size_t first_without = 0;
  std::array<Unit, all_roles.size()> units{};
  std::array<bool, all_roles.size()> stated{};
  for (const Role role : all_roles) {
    const std::size_t column = column_of[index(role)];
    if (!column) continue;
    const Heading& heading = found.columns[column - 1].heading;
    if (!heading.unit.empty()) {
      const auto unit = unit_or_nothing(heading.unit);
      if (!unit) {
        try {
          parse_unit(heading.unit);
        } catch (const Error& problem) {
          refuse_at(file, line, column, std::string(role_name(role)) + ": " + problem.what());
        }
      }
      units[index(role)] = *unit, stated[index(role)] = true;
    }
    if (!of(options.gains, role).empty()) {
      const auto [gain, gain_unit] = parse_gain(of(options.gains, role), role);
      Unit with_gain = product(units[index(role)], gain_unit.whole);
      if (heading.unit.empty()) with_gain = gain_unit.numerator;  // "N/V": the column is taken to be in V
      with_gain.factor *= gain;
      units[index(role)] = with_gain;
      if (with_gain.dimension != Dimension{} || with_gain.angle != 0) stated[index(role)] = true;
    }
    if (!stated[index(role)]) {
      without_unit.push_back(one_line(heading.text, 30));
      if (!first_without) first_without = column;
      continue;
    }
    if (!may_be_rotary(role)) continue;
    const bool linear = fits(units[index(role)], parse_unit(si_unit(role, false)));
    const bool rotary = fits(units[index(role)], parse_unit(si_unit(role, true)));
    if (!linear && !rotary) continue;  // refused below
    if (!decided_by) {
      found.rotary = rotary && !linear, decided_by = column;
    } else if (found.rotary ? !rotary : !linear) {
      const Heading& other_heading = found.columns[decided_by - 1].heading;
      refuse_at(file, line, column,
                in_quotes(one_line(other_heading.text, 30)) + " with " + in_quotes(one_line(heading.text, 30)) +
                    ": rotary and linear mixed; rad with rad/s and N m, or m with m/s and N");
    }
  }
  if (!decided_by)
    for (std::size_t i = 0; i < headings.size(); ++i)
      if (found.columns[i].role)
        if (const Alias* alias = alias_of(headings[i].name)) found.rotary = found.rotary || alias->rotary;
  for (const Role role : all_roles) {
    const std::size_t column = column_of[index(role)];
    if (!column) continue;
    if (stated[index(role)] && !fits(units[index(role)], parse_unit(si_unit(role, found.rotary))))
      refuse_at(file, line, column,
                std::string(role_name(role)) + " is " + unit_kind(units[index(role)]) + " where " +
                    unit_kind(parse_unit(si_unit(role, found.rotary))) + " is needed; --" +
                    std::string(role_name(role)) + "-gain converts, as in '2.5 N/V'");
    found.columns[column - 1].factor = units[index(role)].factor;
  }
  if (!without_unit.empty())
    found.notes.push_back({"unit_assumed", line, without_unit.size() == 1 ? first_without : 0,
                           "no unit at " + joined(without_unit) + "; SI assumed"});
  return found;
}

}  // namespace stickslip
