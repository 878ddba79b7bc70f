/// Computed columns: a role's value calculated from columns of the file, with units.
///   --force 'p1 * 12.3 cm2 - p2 * 8.1 cm2'       --force '{Motor current [A]} * 0.05 N m/A * 50'
///   sum     = product { (+ | -) product }
///   product = signed { (* | /) signed },  signed = [+ | -] power,  power = value [ ^ whole number ]
///   value   = number [unit] | column | {any heading} | name of a number | pi | function ( sum ) | ( sum )
///   functions: abs, sign, sqrt, sin, cos
/// A unit may follow a number only: 2 cm^2, 2 cm2, 0.05 N m/A, 3 [mm]. Everything is calculated in SI; sums need equal
/// dimensions, sin and cos an angle or a plain number. So a temperature in degC enters in K, and a number in degC is no factor. A column without unit is a plain number; {i [A]} states its unit.
/// Errors are one line with the character of the text at which it stops making sense.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline recordings {

/// Whether a text that is no heading may be an expression: it has an operator, a brace or a call.
bool may_be_expression(std::string_view text);

/// A unit as written after a number: "cm2" is cm^2, unless it is a unit itself. Nothing if it is none.
std::optional<Unit> written_unit(std::string_view text);

/// Numbers with a name, in SI.
struct NamedNumber {
  std::string name;
  double value = 0;
  Unit unit = {};
};

class Expression {
 public:
  /// Columns are found by heading or name. Throws Error: "'p1*A1 -', character 8: ...".
  Expression(std::string_view text, const std::vector<Heading>& headings, const std::vector<NamedNumber>& numbers);

  const std::string& text() const { return text_; }
  /// SI: its factor is 1.
  const Unit& unit() const { return unit_; }
  /// False where nothing in it has a unit.
  bool has_unit() const { return has_unit_; }
  /// The columns it uses, from 0.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Columns among them that state no unit.
  const std::vector<std::size_t>& without_unit() const { return without_unit_; }
  /// Its value in every row, in SI.
  std::vector<double> values(const std::vector<RawColumn>& columns, std::size_t rows) const;

 private:
  friend class ExpressionReader;
  enum class Kind { number, column, add, subtract, multiply, divide, negate, power, abs, sign, sqrt, sin, cos };
  /// One step of a calculation on a stack.
  struct Step {
    Kind kind = Kind::number;
    double factor = 1, offset = 0;  // of a number its value, of a column what makes it SI
    std::size_t column = 0;
    int power = 1;
  };
  std::string text_;
  std::vector<Step> steps_;
  std::vector<std::size_t> columns_, without_unit_;
  Unit unit_;
  bool has_unit_ = false;
};

}  // namespace stickslip::inline recordings
