/// Numbers inside the text of a machine file, found by path and replaced in place, so that any parameter of any
/// machine can be fitted and the fitted file keeps its comments, units and layout.
///   MachineText machine(read_whole("axis.toml"), "axis.toml");
///   const Place mass = machine.place("machine.mass");
///   const std::string heavier = machine.with({{mass, 2 * mass.value}});
/// A path is the keys from the file's top, with dots; [2] is the second of a list, [flywheel] the table of a list whose
/// name is "flywheel": friction.stribeck_velocity, body[flywheel].inertia, friction.thresholds[2].
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/toml_document.hpp"

namespace stickslip::inline fitting {

/// One number in the text.
struct Place {
  std::string path;
  std::size_t begin = 0, end = 0;  // of the digits, in bytes
  double value = 0;                // as written there, in `unit`
  std::string unit;                // "" for a plain number
  int line = 0, column = 0;        // where the value begins that holds the digits
  std::size_t within = 0;          // of a text: how far into it the digits begin
};

class MachineText {
 public:
  /// Throws Error "file:line: ..." for a text that is no TOML.
  MachineText(std::string text, std::string file);

  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  const TomlValue& document() const { return document_; }

  /// Throws Error naming the nearest key for a path that leads nowhere, or to something that is no number.
  Place place(const std::string& path) const;
  /// The text with other numbers; they are written with as many digits as they need.
  std::string with(std::vector<std::pair<Place, double>> values) const;
  /// The text with the table `path` ("input") replaced by other lines. Throws Error if there is no [path] in it.
  MachineText with_table(const std::string& path, const std::string& lines) const;

 private:
  std::size_t offset_of(int line, int column) const;

  std::string text_, file_;
  TomlValue document_;
  std::vector<std::size_t> line_starts_;
};

/// Sets the number at `place` [in its unit] in a copy of the document it was found in: what with() does to the text,
/// without writing and reading it. Throws Error for a document that has nothing there.
void set_number(TomlValue& document, const Place& place, double value);

}  // namespace stickslip::inline fitting
