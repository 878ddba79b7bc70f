/// Names, units and roles of columns; see raw_table.hpp.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"
#include "recording/tables/drive_train.hpp"
#include "recording/tables/expression.hpp"
#include "recording/tables/raw_table.hpp"
#include "recording/tables/role_names.hpp"
#include "recording/tables/unit_algebra.hpp"

namespace stickslip::inline recordings {
namespace {

std::vector<std::string> texts_of(const std::vector<Heading>& headings) {
  std::vector<std::string> texts;
  for (const Heading& heading : headings) texts.push_back(one_line(heading.text, 40));
  return texts;
}

/// Finds the column an option names: by its whole heading, by its name, or as "name [unit]", which states the unit.
std::optional<std::size_t> chosen_column(std::vector<Assigned>& columns, const std::vector<Heading>& headings,
                                         const std::string& wish) {
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
  return std::nullopt;
}

/// --let and the single numbers of the file, for expressions.
std::vector<NamedNumber> named_numbers(const ReadOptions& options,
                                       const std::vector<std::pair<std::string, double>>& constants) {
  std::vector<NamedNumber> named;
  for (const auto& [name, text] : options.numbers) {
    const std::string_view whole = trimmed(text);
    double value = 0;
    const char* const end = whole.data() + whole.size();
    const auto [after, problem] = read_number(whole.data(), end, value);
    if (problem != std::errc() || !std::isfinite(value))
      throw Error("--let " + one_line(name, 30) + "=" + in_quotes(one_line(text, 40)) +
                  ": a number with or without unit is needed, as in A1='12.3 cm^2'");
    const std::string_view unit_text = trimmed({after, std::size_t(end - after)});
    Unit unit = written_unit(unit_text).value_or(Unit{});
    if (!written_unit(unit_text))
      throw Error("--let " + one_line(name, 30) + "=" + in_quotes(one_line(text, 40)) + ": " +
                  in_quotes(one_line(unit_text, 20)) + " is not a known unit");
    value = unit.factor * value + unit.offset;
    unit.factor = 1, unit.offset = 0;
    named.push_back({name, value, unit});
  }
  for (const auto& [name, value] : constants) {
    const Heading heading = split_heading(name);
    const auto unit = unit_or_nothing(heading.unit);
    Unit si = unit.value_or(Unit{});
    const double in_si = si.factor * value + si.offset;
    si.factor = 1, si.offset = 0;
    named.push_back({name, in_si, si});
    if (heading.name != name) named.push_back({heading.name, in_si, si});
  }
  return named;
}

struct Gain {
  double value = 1;
  std::optional<Unit> whole;     // N/V; nothing if the denominator is no unit: um/Inkr
  Unit numerator;                // N
  std::string_view denominator;  // "V"
  bool has_unit = false;
};

/// "35.15 N/V" as a factor and a unit.
Gain parse_gain(const std::string& text, Role role) {
  const std::string_view trimmed_text = trimmed(text);
  Gain gain;
  const char* const end = trimmed_text.data() + trimmed_text.size();
  const auto [after, problem] = read_number(trimmed_text.data(), end, gain.value);
  if (problem != std::errc() || !std::isfinite(gain.value) || gain.value == 0)
    throw Error("gain of " + std::string(role_name(role)) + " is " + in_quotes(text) +
                "; a number with or without unit is needed, such as '35.15 N/V'");
  const std::string_view unit = trimmed({after, std::size_t(end - after)});
  gain.has_unit = !unit.empty();
  gain.whole = unit_or_nothing(unit);
  const auto slash = gain.whole ? unit.find('/') : unit.rfind('/');
  gain.numerator = parse_unit(unit.substr(0, slash));
  if (slash != std::string_view::npos) gain.denominator = unit.substr(slash + 1);
  return gain;
}

/// Words that name a torque, also as a part of a name: motor_torque, tau_load.
bool names_torque(const std::string& name) {
  std::string word;
  for (const char c : in_lower_case(name) + " ") {
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

/// Words of columns that are no measured motion or friction: set values, errors, normal loads.
bool has_word_of_another_role(const std::string& name) {
  const std::string word = in_lower_case(name);
  for (const std::string_view other : {"set", "ref", "soll", "target", "command", "cmd", "desired", "demand", "goal",
                                       "error", "fehler", "normal", "load", "limit", "max", "min"})
    if (word.find(other) != std::string::npos && !(other == "load" && word.find("cell") != std::string::npos))
      return true;
  return false;
}

/// "motor_torque_nm": in lower case nm may be nanometre or newton metre. A torque, or whatever takes the role of a force,
/// is no length; a position stays one.
bool means_newton_metre(const Assigned& column) {
  return column.heading.unit == "nm" && (column.role == Role::force || names_torque(column.heading.name));
}

/// "tau1" as --axis takes it: "tau#".
std::string numbered_pattern(const std::string& heading) {
  const auto first = heading.find_first_of("0123456789");
  const auto after = heading.find_first_not_of("0123456789", first);
  return one_line(heading.substr(0, first) + "#" + (after == std::string::npos ? "" : heading.substr(after)), 30);
}

/// A temperature, and nothing else.
bool is_kelvin(const Unit& unit) { return unit.dimension == parse_unit("K").dimension; }
bool is_kelvin(const Heading& heading) {
  const auto unit = heading.unit.empty() ? std::nullopt : unit_or_nothing(heading.unit);
  return unit && is_kelvin(*unit);
}

/// What stands for degC at a temperature.
bool is_celsius(std::string_view unit) { return unit == "C" || unit == "deg C" || unit == "° C"; }

bool may_be_rotary(Role role) { return role == Role::position || role == Role::velocity || role == Role::force; }

}  // namespace

std::string_view role_name(Role role) {
  constexpr std::array<std::string_view, all_roles.size()> names{"time", "position", "velocity",   "force",
                                                                 "load", "pressure", "temperature"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view si_unit(Role role, bool rotary) {
  constexpr std::array<std::string_view, all_roles.size()> linear{"s", "m", "m/s", "N", "N", "Pa", "K"};
  constexpr std::array<std::string_view, all_roles.size()> about_an_axis{"s", "rad", "rad/s", "N m", "N", "Pa", "K"};
  return (rotary ? about_an_axis : linear)[static_cast<std::size_t>(role)];
}

namespace {

/// Gives roles to headings; one object per table.
class RoleGiver {
 public:
  RoleGiver(const std::vector<Heading>& headings, const ReadOptions& options, const std::string& file, std::size_t line,
            const std::vector<std::pair<std::string, double>>& constants)
      : headings_(headings), options_(options), file_(file), line_(line), constants_(constants), drive_(options.drive) {
    for (const Heading& heading : headings) found_.columns.push_back({heading});
    read_headings_of_units();
  }

  /// "s,mm,N": where every heading is a unit, a single letter is one, too.
  void read_headings_of_units() {
    for (const Heading& heading : headings_)
      if (!is_unit_heading(heading.text)) return;
    for (Assigned& column : found_.columns) column.heading.unit = column.heading.text;
  }

  Assignment given() {
    for (const Role role : all_roles)
      if (!of(options_.columns, role).empty()) choose(role);
    for (const Role role : all_roles) find_by_name(role);
    for (const Role role : {Role::time, Role::position, Role::velocity, Role::force}) find_by_unit(role);
    take_load_for_force();
    find_temperature();
    for (const Role role : options_.needed) require(role);
    for (std::size_t i = 0; i < found_.columns.size(); ++i) read_newton_metre(i), read_turns_per_minute(i);
    for (const Role role : all_roles)
      if (has(role)) find_unit(role);
    if (options_.drive.is_given()) drive_.check_used();
    decide_motion();
    for (const Role role : all_roles)
      if (has(role)) set_factor(role);
    finish();
    return std::move(found_);
  }

 private:
  static std::size_t index(Role role) { return static_cast<std::size_t>(role); }
  [[noreturn]] void refuse(std::size_t column, const std::string& text) const { refuse_at(file_, line_, column, text); }
  bool has(Role role) const { return column_of_[index(role)] > 0 || computed_of_[index(role)] > 0; }
  std::string option(Role role) const { return "--" + std::string(role_name(role)); }
  /// What a role's column is called.
  const std::string& name_of(Role role) const {
    return column_of_[index(role)] ? found_.columns[column_of_[index(role)] - 1].heading.text
                                   : found_.computed[computed_of_[index(role)] - 1].expression->text();
  }
  /// For messages: that of the column, or the first of an expression's.
  std::size_t place_of(Role role) const {
    if (column_of_[index(role)]) return column_of_[index(role)];
    const auto& used = found_.computed[computed_of_[index(role)] - 1].expression->columns();
    return used.empty() ? 1 : used.front() + 1;
  }

  void choose(Role role) {
    const std::string& wish = of(options_.columns, role);
    if (const auto column = chosen_column(found_.columns, headings_, wish)) {
      const std::size_t i = *column;
      if (found_.columns[i].role)
        refuse(i + 1, "column " + in_quotes(headings_[i].text) + " cannot be both " +
                          std::string(role_name(*found_.columns[i].role)) + " and " + std::string(role_name(role)));
      found_.columns[i].role = role;
      column_of_[index(role)] = i + 1;
      return;
    }
    if (!may_be_expression(wish)) refuse(1, no_such("column", wish, texts_of(headings_)));
    const std::vector<NamedNumber> numbers = named_numbers(options_, constants_);
    try {
      found_.computed.push_back({role, std::make_shared<const Expression>(wish, headings_, numbers)});
    } catch (const Error& problem) {
      throw Error(option(role) + " " + problem.what());
    }
    for (const std::size_t i : found_.computed.back().expression->columns()) found_.columns[i].is_used = true;
    computed_of_[index(role)] = found_.computed.size();
  }

  /// Whether a column of this name and unit may have the role.
  bool applies(const NamedRole& named, const Heading& heading) const {
    const bool has_gain = !of(options_.gains, named.role).empty();
    if (is_kelvin(heading) && !has_gain) return false;  // T [degC] is no time
    if (named.given == Given::with_torque_constant)
      return (!options_.drive.torque_constant.empty() && options_.drive.resistance.empty()) || has_gain;
    if (named.given == Given::with_resistance) return !options_.drive.resistance.empty() || has_gain;
    if (named.given == Given::always || has_gain || heading.unit.empty()) return true;
    const auto unit = unit_or_nothing(heading.unit);  // of a name that is no more than likely the unit has to fit
    return !unit || has_no_dimension(*unit) || is_of(*unit, named.role) || means_newton_metre({heading, named.role});
  }

  static bool is_of(const Unit& unit, Role role) {
    return fits(unit, parse_unit(si_unit(role, false))) || fits(unit, parse_unit(si_unit(role, true)));
  }

  void find_by_name(Role role) {
    if (role == Role::temperature) return;  // see find_temperature()
    if (options_.only_named || has(role) || (role == Role::time && options_.rate > 0)) return;
    for (const bool is_second_choice : {false, true}) {
      std::size_t named = 0, first = 0, second = 0;
      bool is_numbered = true;
      for (std::size_t i = 0; i < headings_.size(); ++i) {
        const auto found = role_named(headings_[i].name);
        if (found_.columns[i].role || !found || found->role != role) continue;
        if ((found->given != Given::always) != is_second_choice || !applies(*found, headings_[i])) continue;
        if (in_lower_case(headings_[i].name) == role_name(role) && !named) named = i + 1;
        is_numbered = is_numbered && found->is_numbered;
        (first ? second : first) = i + 1;
      }
      if (!first) continue;
      if (is_numbered && second) {  // several axes: the message asks which one, if the role is needed
        of_several_axes_[index(role)] = first;
        continue;
      }
      if (is_numbered)
        note("role_from_name", first,
             in_quotes(one_line(headings_[first - 1].text, 40)) + " is taken as the " + std::string(role_name(role)) +
                 "; " + option(role) + " chooses another");
      if (!named && second)
        refuse(second, "columns " + in_quotes(one_line(headings_[first - 1].text, 30)) + " and " +
                           in_quotes(one_line(headings_[second - 1].text, 30)) + " may both be the " +
                           std::string(role_name(role)) + "; choose with " + option(role));
      column_of_[index(role)] = named ? named : first;
      found_.columns[column_of_[index(role)] - 1].role = role;
      return;
    }
  }

  /// The only column with such a unit, where no name tells; not what was asked of a machine, and no normal load.
  void find_by_unit(Role role) {
    const bool is_motion = role == Role::position || role == Role::velocity;
    if (options_.only_named || has(role) || (role == Role::time && options_.rate > 0)) return;
    if (is_motion && (has(Role::position) || has(Role::velocity))) return;
    std::size_t only = 0;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      const Assigned& column = found_.columns[i];
      if (column.role || column.is_used || has_word_of_another_role(column.heading.name)) continue;
      if (nearest(column.heading.name, {std::string(role_name(role))})) return;  // misspelled: the user is asked
      const auto unit = column.heading.unit.empty() ? std::nullopt : unit_or_nothing(column.heading.unit);
      if (!unit || (has_no_dimension(*unit) && unit->angle == 0) ||
          (!fits(*unit, parse_unit(si_unit(role, false))) && !fits(*unit, parse_unit(si_unit(role, true)))))
        continue;
      if (only) return;  // several: the user chooses
      only = i + 1;
    }
    if (!only) return;
    column_of_[index(role)] = only;
    found_.columns[only - 1].role = role;
    note("role_from_unit", only,
         in_quotes(one_line(headings_[only - 1].text, 40)) + " is taken as the " + std::string(role_name(role)) +
             ", the only column with such a unit; " + option(role) + " chooses another");
  }

  /// On a test machine "load" is the measured force. If friction over a normal load is recorded, the force has a separate column.
  void take_load_for_force() {
    const std::size_t load = column_of_[index(Role::load)];
    if (has(Role::force) || load == 0 || !of(options_.columns, Role::load).empty() || options_.only_named) return;
    if (std::find(options_.needed.begin(), options_.needed.end(), Role::force) == options_.needed.end()) return;
    const std::string name = in_lower_case(found_.columns[load - 1].heading.name);
    if (name.starts_with("n") || name.starts_with("f")) return;  // normal_force, fn
    for (const Heading& heading : headings_)                     // a tribometer: the load is normal to the friction
      for (const std::string_view word : {"cof", "mu", "coefficient", "friction", "reibung"})
        if (const std::string other = in_lower_case(heading.name);
            other == word || (word.size() > 3 && other.find(word) != std::string::npos))
          return;
    found_.columns[load - 1].role = Role::force;
    column_of_[index(Role::force)] = load, column_of_[index(Role::load)] = 0;
    note("load_is_force", load,
         in_quotes(one_line(headings_[load - 1].text, 40)) +
             " is taken as the force, since no other column is; --force chooses another");
  }

  /// Logs have temperatures that nothing follows, often several and with gaps: none is taken without a unit, and none is a reason to refuse
  /// a recording.
  void find_temperature() {
    if (options_.only_named || has(Role::temperature)) return;
    std::vector<std::size_t> by_name, likely, without_unit, of_another_unit;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      Heading& heading = found_.columns[i].heading;
      if (found_.columns[i].role || has_word_of_another_role(heading.name)) continue;
      const auto named = role_named(heading.name);
      const bool is_named = named && named->role == Role::temperature;
      if (is_named && is_celsius(heading.unit)) heading.unit = "degC";
      const std::string word = in_lower_case(heading.name);
      if (is_named && heading.unit.empty())
        without_unit.push_back(i);
      else if (!is_kelvin(heading) && is_named && named->given == Given::always)
        of_another_unit.push_back(i);
      else if (!is_kelvin(heading))
        continue;
      else if (is_named && named->given == Given::always)
        by_name.push_back(i);
      else if (is_named || word == "t" || word.starts_with("t_") || word.find("temp") != std::string::npos)
        likely.push_back(i);
    }
    const std::vector<std::size_t>& found = !by_name.empty() ? by_name : likely;
    if (found.size() == 1) {
      offer_temperature(found.front());
    } else if (found.size() > 1) {
      note("several_temperatures", found[1] + 1,
           "columns " + in_quotes(one_line(headings_[found[0]].text, 30)) + " and " +
               in_quotes(one_line(headings_[found[1]].text, 30)) +
               " may both be the temperature; none is taken, --temperature chooses one");
    } else if (!without_unit.empty()) {
      const std::string name = one_line(headings_[without_unit.front()].name, 30);
      note("no_temperature_unit", without_unit.front() + 1,
           in_quotes(name) + " has no unit and is not taken as the temperature; --temperature '" + name +
               " [degC]' or '" + name + " [K]' takes it");
    } else if (!of_another_unit.empty()) {
      const Heading& heading = found_.columns[of_another_unit.front()].heading;
      const std::string name = one_line(heading.name, 30), unit = one_line(heading.unit, 10);
      note("no_temperature_unit", of_another_unit.front() + 1,
           in_quotes(name) + " is in " + unit + ", no unit of a temperature, and is not taken; --temperature '" + name +
               " [degC]' states another, --temperature-gain '10 degC/" + unit + "' beside it converts");
    }
  }
  void offer_temperature(std::size_t i) {
    Assigned& column = found_.columns[i];
    if (std::find(options_.needed.begin(), options_.needed.end(), Role::temperature) != options_.needed.end()) {
      column.role = Role::temperature;
      column_of_[index(Role::temperature)] = i + 1;
      return;
    }
    const Unit unit = parse_unit(column.heading.unit);
    column.factor = unit.factor, column.offset = unit.offset;
    found_.offered_temperature = i + 1;
  }

  /// The first column that is a current, by its unit or its name; 0: none.
  std::size_t current() const {
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      const auto found = role_named(headings_[i].name);
      const auto unit = headings_[i].unit.empty() ? std::nullopt : unit_or_nothing(headings_[i].unit);
      if (found_.columns[i].role || has_word_of_another_role(headings_[i].name)) continue;
      if ((found && found->given == Given::with_torque_constant) ||
          (unit && unit->dimension == parse_unit("A").dimension))
        return i + 1;
    }
    return 0;
  }

  void require(Role role) const {
    if (has(role) || (role == Role::time && options_.rate > 0)) return;
    if (const std::size_t first = of_several_axes_[index(role)])
      refuse(first, "columns of several axes may be the " + std::string(role_name(role)) + ", the first is " +
                        in_quotes(one_line(headings_[first - 1].text, 30)) + "; choose with " + option(role) +
                        ", or all with --axis '*' --" + std::string(role_name(role)) + " '" +
                        numbered_pattern(headings_[first - 1].text) + "'");
    if (const std::size_t i = role == Role::force ? current() : 0)
      refuse(i, "no column 'force', but " + in_quotes(one_line(headings_[i - 1].text, 30)) +
                    " is a current: --torque-constant '0.05 N m/A' makes a torque of it, on a screw with --pitch '10 "
                    "mm'; or choose with --force");
    std::vector<std::string> words{std::string(role_name(role))};
    std::size_t near = 0, left_over = 0, only = 0;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (found_.columns[i].role) continue;
      ++left_over, only = i + 1;
      if (!near && nearest(headings_[i].name, words)) near = i + 1;
    }
    std::string text = "no column " + in_quotes(role_name(role));
    if (near) text += "; did you mean " + in_quotes(one_line(headings_[near - 1].text, 40));
    text += "; there is " + one_line(joined(texts_of(headings_)), 70) + "; choose with " + option(role);
    if (role == Role::time) text += " or give --rate";
    refuse(near ? near : left_over == 1 ? only : 1, text);
  }

  void read_newton_metre(std::size_t i) {
    if (!means_newton_metre(found_.columns[i])) return;
    found_.columns[i].heading.unit = "N m";
    note("newton_metre", i + 1,
         "'nm' at " + in_quotes(one_line(headings_[i].text, 40)) + " is read as N m, not as nanometre");
  }

  /// "Drehzahl [1/min]": revolutions, as drives print them; as an angular velocity in rad it would be 6 times too slow.
  void read_turns_per_minute(std::size_t i) {
    Assigned& column = found_.columns[i];
    std::string unit = in_lower_case(column.heading.unit);
    if (column.role != Role::velocity) return;
    if (unit != "1/min" && unit != "min-1" && unit != "min^-1" && unit != "min⁻¹" && unit != "u/min" && unit != "r/min")
      return;
    note("turns_per_minute", i + 1,
         in_quotes(column.heading.unit) + " at " + in_quotes(one_line(headings_[i].text, 40)) +
             " is read as revolutions per minute");
    column.heading.unit = "rpm";
  }

  void note(const char* code, std::size_t column, const std::string& text) {
    found_.notes.push_back({code, line_, column, text});
  }

  /// The unit with which a role's column becomes SI: its own, times a gain, times the drive's numbers.
  void find_unit(Role role) {
    ColumnUnit& column = units_[index(role)];
    if (computed_of_[index(role)]) {
      const Expression& expression = *found_.computed[computed_of_[index(role)] - 1].expression;
      column.unit = expression.unit(), column.is_stated = expression.has_unit();
      if (column.is_stated && !expression.without_unit().empty()) {
        std::vector<std::string> plain;
        for (const std::size_t i : expression.without_unit()) plain.push_back(one_line(headings_[i].text, 30));
        note("plain_number", plain.size() == 1 ? expression.without_unit().front() + 1 : 0,
             "no unit at " + joined(plain) + "; a plain number in the " + std::string(role_name(role)));
      }
    } else {
      std::string& written = found_.columns[column_of_[index(role)] - 1].heading.unit;
      if (role == Role::temperature && is_celsius(written)) written = "degC";
      column.text = written;
      if (const auto unit = column.text.empty() ? std::nullopt : unit_or_nothing(column.text))
        column.unit = *unit, column.is_stated = true;
    }
    if (!of(options_.gains, role).empty()) take_gain(role, column);
    try {
      drive_.apply(role, column);
    } catch (const Error& problem) {
      refuse(place_of(role), std::string(role_name(role)) + ": " + problem.what());
    }
    if (!column.is_stated && !column.text.empty()) {
      try {
        parse_unit(column.text);
      } catch (const Error& problem) {
        refuse(place_of(role), std::string(role_name(role)) + ": " + problem.what() +
                                   "; or define it: " + option(role) + "-gain '2 " + std::string(si_unit(role, false)) +
                                   "/" + one_line(column.text, 20) + "'");
      }
    }
    if (!column.is_stated && role == Role::temperature)
      refuse(place_of(role), computed_of_[index(role)]
                                 ? in_quotes(one_line(name_of(role), 60)) +
                                       " has no unit; state that of its columns, as in --temperature '{T [degC]} + 2 K'"
                                 : "temperature: " + in_quotes(one_line(name_of(role), 30)) +
                                       " has no unit; write --temperature '" + one_line(name_of(role), 30) +
                                       " [degC]', or [K] or [degF]");
    if (!column.is_stated) without_unit_.push_back(role);
  }

  void take_gain(Role role, ColumnUnit& column) {
    const Gain gain = parse_gain(of(options_.gains, role), role);
    const bool is_unknown = !column.is_stated && !column.text.empty();
    if (is_unknown && !gain.has_unit)
      refuse(place_of(role), std::string(role_name(role)) + ": the unit " + in_quotes(one_line(column.text, 20)) +
                                 " is unknown; the gain must define it, as in '2 " + std::string(si_unit(role, false)) +
                                 "/" + one_line(column.text, 20) + "'");
    if (column.unit.offset != 0)
      throw Error("gain of " + std::string(role_name(role)) + ": the column is in " + in_quotes(column.text) +
                  ", whose zero is elsewhere; calculate instead, as in --temperature '1.02 * {" +
                  one_line(name_of(role), 30) + "}', in K");
    const auto per = unit_or_nothing(gain.denominator);
    if (column.is_stated && gain.numerator.offset != 0 && per && fits(column.unit, *per)) {  // 10 degC/V of volts
      column.unit = {gain.value * gain.numerator.factor * column.unit.factor / per->factor, gain.numerator.offset,
                     gain.numerator.dimension};
      column.has_gain = true;
      return;
    }
    if (column.is_stated && !gain.whole)
      throw Error("gain of " + std::string(role_name(role)) + " is " +
                  in_quotes(one_line(of(options_.gains, role), 40)) + "; the column is in " + in_quotes(column.text));
    const bool takes_numerator = !column.is_stated && (gain.has_unit || is_unknown);
    Unit with_gain = takes_numerator ? gain.numerator  // "N/V": the column is taken to be in V
                                     : product_of(column.unit, gain.whole.value_or(Unit{}));
    with_gain.factor *= gain.value;
    column.unit = with_gain, column.has_gain = true;
    if (!has_no_dimension(with_gain) || with_gain.angle != 0) column.is_stated = true;
    if (is_unknown)
      note("unit_from_gain", place_of(role),
           "the unit " + in_quotes(one_line(column.text, 20)) + " is defined by the gain, " +
               in_quotes(one_line(of(options_.gains, role), 40)));
    if (is_unknown && !column.is_stated) column.text.clear();
  }

  /// Linear or rotary: the first column that shows it decides, the others must agree.
  void decide_motion() {
    std::optional<Role> decided_by;
    for (const Role role : all_roles) {
      const ColumnUnit& column = units_[index(role)];
      if (!has(role) || !column.is_stated || !may_be_rotary(role)) continue;
      const bool linear = fits(column.unit, parse_unit(si_unit(role, false)));
      const bool rotary = fits(column.unit, parse_unit(si_unit(role, true)));
      if (!linear && !rotary) continue;  // refused below
      if (!decided_by) {
        found_.rotary = rotary && !linear, decided_by = role;
      } else if (found_.rotary ? !rotary : !linear) {
        refuse(place_of(role), in_quotes(one_line(name_of(*decided_by), 30)) + " with " +
                                   in_quotes(one_line(name_of(role), 30)) +
                                   ": rotary and linear mixed; rad with rad/s and N m, or m with m/s and N" +
                                   (role == Role::force && !found_.rotary && rotary
                                        ? "; the torque on a screw becomes a force with --pitch '10 mm'"
                                        : ""));
      }
    }
    if (decided_by) return;
    for (std::size_t i = 0; i < headings_.size(); ++i)
      if (found_.columns[i].role)
        if (const auto named = role_named(headings_[i].name)) found_.rotary = found_.rotary || named->rotary;
  }

  /// What would make the column fit.
  std::string gain_hint(Role role) const {
    if (role == Role::time) return "--time chooses another column";
    const std::string gain = role == Role::temperature ? "10 degC/V"
                             : role == Role::pressure  ? "10 bar/V"
                                                       : "2.5 " + std::string(si_unit(role, found_.rotary)) + "/V";
    return "--" + std::string(role_name(role)) + "-gain converts, as in '" + gain + "'";
  }

  void set_factor(Role role) {
    const ColumnUnit& column = units_[index(role)];
    const std::string name(role_name(role));
    if (column.is_stated && !fits(column.unit, parse_unit(si_unit(role, found_.rotary))))
      refuse(place_of(role), name + " is " + unit_kind(column.unit) + " where " +
                                 unit_kind(parse_unit(si_unit(role, found_.rotary))) + " is needed; " +
                                 gain_hint(role) +
                                 (role == Role::force && column.unit.dimension == parse_unit("A").dimension
                                      ? ", or --torque-constant '0.05 N m/A'"
                                      : ""));
    if (column_of_[index(role)])
      found_.columns[column_of_[index(role)] - 1].factor = column.unit.factor,
                                               found_.columns[column_of_[index(role)] - 1].offset = column.unit.offset;
    else
      found_.computed[computed_of_[index(role)] - 1].factor = column.unit.factor;
  }

  void finish() {
    if (!without_unit_.empty()) {
      std::vector<std::string> names;
      for (const Role role : without_unit_) names.push_back(one_line(name_of(role), 30));
      note("unit_assumed", names.size() == 1 ? place_of(without_unit_.front()) : 0,
           "no unit at " + joined(names) + "; SI assumed");
    }
    found_.back_emf = drive_.back_emf();
    if (!drive_.said().empty()) note("drive", 0, drive_.said());
  }

  const std::vector<Heading>& headings_;
  const ReadOptions& options_;
  const std::string& file_;
  std::size_t line_;
  const std::vector<std::pair<std::string, double>>& constants_;
  DriveGains drive_;
  Assignment found_;
  std::array<std::size_t, all_roles.size()> column_of_{}, computed_of_{};  // from 1; 0: none
  std::array<ColumnUnit, all_roles.size()> units_{};
  std::array<std::size_t, all_roles.size()> of_several_axes_{};  // the first column, from 1; 0: none
  std::vector<Role> without_unit_;
};

}  // namespace

Assignment assign_roles(const std::vector<Heading>& headings, const ReadOptions& options, const std::string& file,
                        std::size_t line, const std::vector<std::pair<std::string, double>>& constants) {
  return RoleGiver(headings, options, file, line, constants).given();
}

}  // namespace stickslip::inline recordings
