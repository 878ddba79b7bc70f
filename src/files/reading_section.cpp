/// How a recording is read; see reading_section.hpp.
#include "files/reading_section.hpp"

#include <array>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/json.hpp"

namespace stickslip::inline files {
namespace {

struct DriveKey {
  const char* key;
  std::string DriveTrain::*text;
  const char* example;
};
constexpr std::array<DriveKey, 7> drive_keys{{{"torque_constant", &DriveTrain::torque_constant, "0.05 N m/A"},
                                              {"gear", &DriveTrain::gear, "50"},
                                              {"pitch", &DriveTrain::pitch, "5 mm"},
                                              {"counts_per_turn", &DriveTrain::counts_per_turn, "4096"},
                                              {"resistance", &DriveTrain::resistance, "1.2 ohm"},
                                              {"back_emf", &DriveTrain::back_emf, "0.05 V s/rad"},
                                              {"encoder", &DriveTrain::encoder, "motor"}}};

/// A text, or a number where one needs no quotes.
std::string text_or_number(const Section& section, const char* key, const char* example) {
  const TomlValue& value = section.value(key);
  return value.kind == TomlValue::Kind::number ? shortest(value.number) : section.text(key, example);
}

std::vector<std::string> list_of(const Section& section, const char* key, const char* example) {
  const TomlValue& value = section.value(key);
  if (value.kind == TomlValue::Kind::text) return {value.text};
  std::vector<std::string> texts;
  if (value.kind != TomlValue::Kind::list)
    section.fail(value, std::string(key) + " must be a list of texts, as in [" + json_string(example) + "]");
  for (const TomlValue& item : value.items) {
    if (item.kind != TomlValue::Kind::text)
      section.fail(item, std::string(key) + " must be a list of texts, as in [" + json_string(example) + "]");
    texts.push_back(item.text);
  }
  return texts;
}

void read_pairs(const Section& section, const char* key, const char* example,
                std::vector<std::pair<std::string, std::string>>& into) {
  if (!section.has(key)) return;
  for (const std::string& text : list_of(section, key, example)) {
    std::pair<std::string, std::string> pair;
    if (!split_at_equals(text, pair))
      section.fail(section.value(key),
                   std::string(key) + ": " + in_quotes(text) + " has no =; write " + json_string(example));
    into.push_back(std::move(pair));
  }
}

char character_of(const Section& section, const char* key) {
  if (!section.has(key)) return 0;
  const std::string text = section.text(key, ";");
  if (text == "tab" || text == "\t") return '\t';
  if (text == "blank") return ' ';
  if (text.size() != 1)
    section.fail(section.value(key), std::string(key) + " is " + in_quotes(text) + "; one character, tab or blank");
  return text[0];
}

std::string character_text(char c) { return c == '\t' ? "tab" : c == ' ' ? "blank" : std::string(1, c); }

std::string list_text(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + json_string(text);
  return "[" + list + "]";
}

std::string pairs_text(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : pairs) texts.push_back(name + " = " + value);
  return list_text(texts);
}

}  // namespace

bool split_at_equals(const std::string& text, std::pair<std::string, std::string>& into) {
  const auto equals = text.rfind('=');  // a column may have one in its name, 'drive(1=screw)'; a value has none
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty()) return false;
  into = {std::string(trimmed(std::string_view(text).substr(0, equals))),
          std::string(trimmed(std::string_view(text).substr(equals + 1)))};
  return true;
}

std::vector<std::string> reading_keys() {
  std::vector<std::string> keys;
  for (const Role role : all_roles) {
    keys.emplace_back(role_name(role));
    keys.push_back(std::string(role_name(role)) + "_gain");
  }
  for (const DriveKey& drive : drive_keys) keys.emplace_back(drive.key);
  for (const char* key : {"let", "rate", "columns", "where", "missing", "delimiter", "decimal", "skip_lines"})
    keys.emplace_back(key);
  return keys;
}

ReadOptions read_reading(const Section& section) {
  ReadOptions options;
  for (const Role role : all_roles) {
    const std::string name(role_name(role));
    if (section.has(name)) of(options.columns, role) = section.text(name, name + "_column");
    if (section.has(name + "_gain")) of(options.gains, role) = section.text(name + "_gain", "2 N/V");
  }
  for (const DriveKey& drive : drive_keys)
    if (section.has(drive.key)) options.drive.*drive.text = text_or_number(section, drive.key, drive.example);
  read_pairs(section, "let", "A1 = 12.3 cm^2", options.numbers);
  read_pairs(section, "where", "log_id = 3", options.where);
  if (section.has("rate")) options.rate = section.positive("rate", "Hz");
  if (section.has("columns")) options.names = list_of(section, "columns", "time_s");
  const std::string missing = section.word_or("missing", "policy", {"refuse", "drop", "interpolate"}, "refuse");
  options.missing = missing == "drop"          ? Missing::drop
                    : missing == "interpolate" ? Missing::interpolate
                                               : Missing::refuse;
  options.delimiter = character_of(section, "delimiter");
  options.decimal = character_of(section, "decimal");
  if (const auto lines = section.count("skip_lines")) options.skip_lines = *lines;
  return options;
}

std::vector<std::pair<std::string, std::string>> reading_entries(const ReadOptions& options) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto put = [&](const std::string& key, const std::string& text) {
    if (!text.empty()) entries.emplace_back(key, json_string(text));
  };
  for (const Role role : all_roles) {
    put(std::string(role_name(role)), of(options.columns, role));
    put(std::string(role_name(role)) + "_gain", of(options.gains, role));
  }
  for (const DriveKey& drive : drive_keys) put(drive.key, options.drive.*drive.text);
  if (!options.numbers.empty()) entries.emplace_back("let", pairs_text(options.numbers));
  if (options.rate > 0) put("rate", shortest(options.rate) + " Hz");
  if (!options.names.empty()) entries.emplace_back("columns", list_text(options.names));
  if (!options.where.empty()) entries.emplace_back("where", pairs_text(options.where));
  if (options.missing != Missing::refuse) put("missing", options.missing == Missing::drop ? "drop" : "interpolate");
  if (options.delimiter) put("delimiter", character_text(options.delimiter));
  if (options.decimal) put("decimal", character_text(options.decimal));
  if (options.skip_lines > 0) entries.emplace_back("skip_lines", std::to_string(options.skip_lines));
  return entries;
}

}  // namespace stickslip::inline files
