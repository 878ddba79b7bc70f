/// A TOML text as a tree of values that know their line, so that every later complaint can name it.
/// Not here: what the values mean (toml_section.hpp reads them with units, machines/ builds machines of them).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::inline files {

struct TomlMember;

struct TomlValue {
  enum class Kind {
    text,
    number,
    boolean,
    list,
    table,
    other,
    quantity
  };  // other: dates and times; quantity: made in code
  Kind kind = Kind::table;
  int line = 0, column = 0;  // where it begins, from 1; the column counts characters
  std::string
      text;  // of a text; of a number, as short as it reads back; of a quantity, its SI unit ("": whatever is asked)
  double number = 0;  // of a number; of a quantity in SI
  bool is_whole = false;
  bool is_true = false;
  std::vector<TomlValue> items;     // of a list
  std::vector<TomlMember> members;  // of a table, in the order of the file

  /// The member of this name, or nullptr.
  const TomlValue* find(std::string_view key) const;
};

struct TomlMember {
  std::string key;
  TomlValue value;
};

/// "a text", "a number", "a list", ...
std::string_view kind_words(TomlValue::Kind kind);

/// A number in SI that needs no text: what a machine set in code is made of.
TomlValue quantity(double value, std::string unit, int line = 0);

/// `file` is the name for messages. Throws Error "file:line: ..." for a text that is no TOML.
TomlValue parse_toml(std::string_view text, const std::string& file);

}  // namespace stickslip::inline files
