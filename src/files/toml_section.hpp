/// One table of a scenario file, read by key, with units. Every problem is an Error "file:line: ..." that says what was
/// found and a suggested fix. A section first names the keys it knows; any other key is refused with the nearest one.
///   Section machine(document, "machine", file);
///   machine.knows({"kind", "mass"});
///   const double mass = machine.positive("mass", "kg");
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"
#include "core/range.hpp"
#include "files/toml_document.hpp"

namespace stickslip::inline files {

class Section {
 public:
  /// `name` is the table's full name as in the file, without brackets; "" for the file itself.
  Section(const TomlValue& table, std::string name, const std::string& file);

  const std::string& name() const { return name_; }
  const std::string& file() const { return *file_; }
  int line() const { return table_->line; }
  const TomlValue& table() const { return *table_; }

  /// Refuses every other key.
  void knows(const std::vector<std::string>& keys) const;

  bool has(std::string_view key) const { return table_->find(key) != nullptr; }
  /// The value, or an Error that says what is missing and, with `example`, how it would be written.
  const TomlValue& value(std::string_view key, std::string_view example = "") const;
  /// The first of these that is there, to be blamed; the table itself if none is.
  const TomlValue& first_of(const std::vector<std::string>& keys) const;

  /// "0.1 m/s" as SI; a plain number needs no quotes. The range is that of the unit (core/range.hpp), or a given one.
  double quantity(std::string_view key, std::string_view unit) const;
  double quantity_or(std::string_view key, std::string_view unit, double otherwise) const;
  double positive(std::string_view key, std::string_view unit) const;
  double not_negative_or(std::string_view key, std::string_view unit, double otherwise) const;
  double not_negative(std::string_view key, std::string_view unit) const;
  double within(std::string_view key, std::string_view unit, const Range& range) const;
  /// A row of a parameter table: the range of its unit and its domain.
  double parameter(std::string_view key, std::string_view unit, Domain domain) const;
  /// A whole number of at least 1.
  std::optional<std::size_t> count(std::string_view key,
                                   const Counts& counts = {1, 1e9, "more cannot be worked on"}) const;
  std::string text(std::string_view key, std::string_view example) const;
  /// One of some words; `what` names them in the message: "no machine 'puled-spring'; did you mean ...".
  std::string word(std::string_view key, std::string_view what, const std::vector<std::string>& words) const;
  std::string word_or(std::string_view key, std::string_view what, const std::vector<std::string>& words,
                      std::string_view otherwise) const;
  /// [["0 s", "1 N"], ["2 s", "3 N"]] as two columns.
  struct Points {
    std::vector<double> x, y;
  };
  Points points(std::string_view key, std::string_view x_unit, std::string_view y_unit) const;

  /// A table inside this one.
  std::optional<Section> inner(std::string_view key) const;

  /// "[machine]", or "the file".
  std::string shown() const;
  [[noreturn]] void fail(int line, const std::string& message) const;
  [[noreturn]] void fail(const TomlValue& value, const std::string& message) const { fail(value.line, message); }

  /// One value with unit, in any position; `what` names it in messages. Any finite number: the caller has its range.
  double quantity_of(const TomlValue& value, const std::string& what, std::string_view unit) const;
  /// The same in a range; without one, of either sign in the range of its unit.
  double bounded_of(const TomlValue& value, const std::string& what, std::string_view unit, const Range& range) const;
  double bounded_of(const TomlValue& value, const std::string& what, std::string_view unit) const;
  /// "[1, 2] N", ["1 N", "2 N"], or one quantity as a list of one.
  std::vector<double> quantities_of(const TomlValue& value, const std::string& what, std::string_view unit) const;

 private:
  const TomlValue* table_;
  std::string name_;
  const std::string* file_;
};

/// "file:line: message".
std::string at_line(const std::string& file, int line, const std::string& message);

}  // namespace stickslip::inline files
