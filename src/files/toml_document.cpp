/// What the tree of a TOML text offers; see toml_document.hpp. toml_parser.cpp reads it.
#include "files/toml_document.hpp"

namespace stickslip::inline files {

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

std::string_view kind_words(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::text:
      return "a text";
    case TomlValue::Kind::number:
    case TomlValue::Kind::quantity:
      return "a number";
    case TomlValue::Kind::boolean:
      return "true or false";
    case TomlValue::Kind::list:
      return "a list";
    case TomlValue::Kind::table:
      return "a table";
    case TomlValue::Kind::other:
      return "a date or time";
  }
  return "";
}

TomlValue quantity(double value, std::string unit, int line) {
  TomlValue made;
  made.kind = TomlValue::Kind::quantity;
  made.line = line;
  made.number = value;
  made.text = std::move(unit);
  return made;
}

}  // namespace stickslip::inline files
