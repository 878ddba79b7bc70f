#include "recording/tables/role_names.hpp"

#include <algorithm>
#include <array>

namespace stickslip::inline recordings {
namespace {

struct Alias {
  Role role;
  std::string_view name;
  bool rotary = false;
  Given given = Given::always;
};

constexpr bool about_an_axis = true, along_a_line = false;  // along_a_line: or either

constexpr std::array aliases{
    Alias{Role::time, "time"}, Alias{Role::time, "__time"}, Alias{Role::time, "t"}, Alias{Role::time, "timestamp"},
    Alias{Role::time, "zeit"}, Alias{Role::time, "elapsed"}, Alias{Role::time, "elapsed_time"},
    Alias{Role::position, "position"}, Alias{Role::position, "pos"}, Alias{Role::position, "x"},
    Alias{Role::position, "q"}, Alias{Role::position, "q_meas"}, Alias{Role::position, "x_meas"},
    Alias{Role::position, "position_meas"}, Alias{Role::position, "measured_position"},
    Alias{Role::position, "displacement"}, Alias{Role::position, "weg"}, Alias{Role::position, "angle", about_an_axis},
    Alias{Role::position, "theta", about_an_axis}, Alias{Role::position, "phi", about_an_axis},
    Alias{Role::velocity, "velocity"}, Alias{Role::velocity, "vel"}, Alias{Role::velocity, "v"},
    Alias{Role::velocity, "speed"}, Alias{Role::velocity, "dq"}, Alias{Role::velocity, "qd"},
    Alias{Role::velocity, "sliding_velocity"}, Alias{Role::velocity, "motor_velocity", about_an_axis},
    Alias{Role::velocity, "omega", about_an_axis}, Alias{Role::velocity, "angular_velocity", about_an_axis},
    Alias{Role::force, "force"}, Alias{Role::force, "f"}, Alias{Role::force, "friction"},
    Alias{Role::force, "friction_force"}, Alias{Role::force, "kraft"}, Alias{Role::force, "torque", about_an_axis},
    Alias{Role::force, "tau", about_an_axis}, Alias{Role::force, "motor_torque", about_an_axis},
    Alias{Role::force, "friction_torque", about_an_axis}, Alias{Role::load, "load"}, Alias{Role::load, "normal"},
    Alias{Role::load, "normal_force"}, Alias{Role::load, "normal_load"}, Alias{Role::load, "fn"},
    Alias{Role::load, "f_n"}, Alias{Role::pressure, "pressure"}, Alias{Role::pressure, "p"},
    Alias{Role::temperature, "temperature"}, Alias{Role::temperature, "temperatur"}, Alias{Role::temperature, "temp"},
    // other languages, LabVIEW, robots, test machines
    Alias{Role::time, "temps", along_a_line, Given::where_no_other},
    Alias{Role::time, "tiempo", along_a_line, Given::where_no_other},
    Alias{Role::time, "tempo", along_a_line, Given::where_no_other},
    Alias{Role::time, "sec", along_a_line, Given::where_no_other},
    Alias{Role::time, "seconds", along_a_line, Given::where_no_other},
    Alias{Role::time, "time_stamp", along_a_line, Given::where_no_other},
    Alias{Role::time, "datetime", along_a_line, Given::where_no_other},
    Alias{Role::time, "date_time", along_a_line, Given::where_no_other},
    Alias{Role::time, "date/time", along_a_line, Given::where_no_other},
    Alias{Role::time, "zeitstempel", along_a_line, Given::where_no_other},
    Alias{Role::time, "uhrzeit", along_a_line, Given::where_no_other},
    Alias{Role::time, "header_stamp", along_a_line, Given::where_no_other},
    Alias{Role::time, "x_value", along_a_line, Given::where_no_other},
    Alias{Role::position, "posicion", along_a_line, Given::where_no_other},
    Alias{Role::position, "encoder", along_a_line, Given::where_no_other},
    Alias{Role::position, "enc", along_a_line, Given::where_no_other},
    Alias{Role::position, "enc_pos", along_a_line, Given::where_no_other},
    Alias{Role::position, "encoder_position", along_a_line, Given::where_no_other},
    Alias{Role::position, "stroke", along_a_line, Given::where_no_other},
    Alias{Role::position, "lageistwert", along_a_line, Given::where_no_other},
    Alias{Role::position, "lage", along_a_line, Given::where_no_other},
    Alias{Role::position, "winkel", about_an_axis, Given::where_no_other},
    Alias{Role::velocity, "velo", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "q_dot", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "qdot", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "vitesse", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "velocidad", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "geschwindigkeit", along_a_line, Given::where_no_other},
    Alias{Role::velocity, "drehzahl", about_an_axis, Given::where_no_other},
    Alias{Role::force, "drehmoment", about_an_axis, Given::where_no_other},
    Alias{Role::force, "moment", about_an_axis, Given::where_no_other},
    Alias{Role::force, "trq", about_an_axis, Given::where_no_other},
    Alias{Role::force, "couple", about_an_axis, Given::where_no_other},
    Alias{Role::force, "effort", along_a_line, Given::where_no_other},
    Alias{Role::force, "fuerza", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "t_motor", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "t_oil", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "t_oel", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "motor_temperature", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "motor_temp", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "temp_motor", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "motortemperatur", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "oil_temperature", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "temperatura", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "température", along_a_line, Given::where_no_other},
    Alias{Role::temperature, "ϑ", along_a_line, Given::where_no_other},
    Alias{Role::force, "load_cell", along_a_line, Given::where_no_other},
    Alias{Role::force, "loadcell", along_a_line, Given::where_no_other},
    // what a motor takes
    Alias{Role::force, "current", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "motor_current", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "iq", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "i", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "strom", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "motorstrom", along_a_line, Given::with_torque_constant},
    Alias{Role::force, "voltage", along_a_line, Given::with_resistance},
    Alias{Role::force, "motor_voltage", along_a_line, Given::with_resistance},
    Alias{Role::force, "u", along_a_line, Given::with_resistance},
    Alias{Role::force, "spannung", along_a_line, Given::with_resistance}};

/// Words around a name that say where a measured value comes from.
constexpr std::array<std::string_view, 7> words_before{"act_",      "actual_", "meas_", "measured_",
                                                       "feedback_", "joint_",  "axis_"};
constexpr std::array<std::string_view, 9> words_after{"_act",      "_actual", "_meas",  "_measured", "_fbk",
                                                      "_feedback", "_sensor", "_value", "_ist"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// "ActPos", "Act Pos", "act-pos", "header.stamp": words in lower case, joined by '_'.
std::string in_words(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i > 0 && is_upper(c) && text[i - 1] >= 'a' && text[i - 1] <= 'z') words += '_';
    const bool is_gap = c == ' ' || c == '.' || c == '-';
    words += is_gap ? '_' : is_upper(c) ? char(c - 'A' + 'a') : c;
  }
  return words;
}

const Alias* alias_of(std::string_view word) {
  for (const Alias& alias : aliases)
    if (alias.name == word) return &alias;
  return nullptr;
}

/// Leaves out one number or word around the name; false if there is none.
bool shorten(std::string& word) {
  if (word.ends_with(']')) {  // effort[0]
    const auto open = word.rfind('[');
    if (open == std::string::npos || open == 0 ||
        !std::all_of(word.begin() + std::ptrdiff_t(open) + 1, word.end() - 1, is_digit))
      return false;
    word.resize(open);
    return true;
  }
  if (word.size() > 1 && is_digit(word.back())) {  // q1, tau_2
    while (word.size() > 1 && is_digit(word.back())) word.pop_back();
    if (word.size() > 1 && word.back() == '_') word.pop_back();
    return true;
  }
  for (const std::string_view before : words_before)
    if (word.starts_with(before) && word.size() > before.size()) {
      word.erase(0, before.size());
      for (std::size_t digits = 0; digits < word.size(); ++digits) {  // joint_1_position
        if (is_digit(word[digits])) continue;
        if (digits > 0 && word[digits] == '_' && digits + 1 < word.size()) word.erase(0, digits + 1);
        break;
      }
      return true;
    }
  for (const std::string_view after : words_after)
    if (word.ends_with(after) && word.size() > after.size()) {
      word.resize(word.size() - after.size());
      return true;
    }
  for (const std::string_view before : {std::string_view("ist"), std::string_view("act")})  // Istposition, actpos
    if (word.starts_with(before) && word.size() > before.size() + 2 && word[before.size()] != '_') {
      word.erase(0, before.size());
      return true;
    }
  return false;
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string word(text);
  for (char& c : word)
    if (is_upper(c)) c = char(c - 'A' + 'a');
  return word;
}

namespace {

std::optional<NamedRole> role_of_word(const std::string& name) {
  std::string plain = in_lower_case(name);
  std::replace(plain.begin(), plain.end(), ' ', '_');
  std::string word = in_words(name);
  const Alias* alias = alias_of(plain);
  if (!alias) alias = alias_of(word);
  bool is_numbered = false, is_shortened = false;
  for (std::string before = word; !alias; before = word) {
    if (!shorten(word)) return std::nullopt;
    is_shortened = true;
    const char last = before.back();
    is_numbered =
        is_numbered || is_digit(last) || last == ']' || before.find_first_of("0123456789") != std::string::npos;
    alias = alias_of(word);
  }
  // Numbers tell instants, pressures and loads apart that are not one axis' (p1, p2; t1, t2).
  if (is_numbered && alias->role != Role::position && alias->role != Role::velocity && alias->role != Role::force)
    return std::nullopt;
  const Given given = is_shortened && alias->given == Given::always ? Given::where_no_other : alias->given;
  return NamedRole{alias->role, alias->rotary, given, is_numbered};
}

/// What a path ends with: "/joint_states/joint_1/position", "MAIN.fbAxis.ActPos", "rec.Y.Position.Data"; the name itself if it is none.
std::string end_of_path(const std::string& name) {
  std::string path = name;
  for (const std::string_view ending : {".Data", ".data", ".Value", ".value"})
    if (path.ends_with(ending) && path.size() > ending.size()) path.resize(path.size() - ending.size());
  const auto at = path.find_last_of("/.");
  return at == std::string::npos || at + 1 == path.size() ? path : path.substr(at + 1);
}

}  // namespace

std::optional<NamedRole> role_named(const std::string& name) {
  if (const auto found = role_of_word(name)) return found;
  const std::string end = end_of_path(name);
  if (end == name) return std::nullopt;
  auto found = role_of_word(end);
  if (!found) return std::nullopt;
  if (found->given == Given::always) found->given = Given::where_no_other;
  const bool may_be_an_axis =
      found->role == Role::position || found->role == Role::velocity || found->role == Role::force;
  if (may_be_an_axis && name.find_first_of("0123456789") != std::string::npos) found->is_numbered = true;
  return found;
}

}  // namespace stickslip::inline recordings
