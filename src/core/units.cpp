/// Units as people write them; see units.hpp. A unit text is first read into factors ("N", 1) ("s", 1) ("m", -1);
/// their symbols are then looked up, replaced (rotary) or given a prefix (readable).
#include "core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/number.hpp"

namespace stickslip {
namespace {

struct Symbol {
  std::string_view name;
  Unit unit;
  bool takes_prefix = false;
};

constexpr double pound = 0.45359237, inch = 0.0254, gravity = 9.80665;  // exact by definition [kg], [m], [m/s^2]
constexpr double degree = std::numbers::pi / 180, turn = 2 * std::numbers::pi;
constexpr double freezing = 273.15, fahrenheit = 5.0 / 9;
constexpr bool prefixes = true;

/// The dimensions that have a symbol of their own.
namespace dim {
constexpr Dimension none{}, mass{1}, length{0, 1}, time{0, 0, 1}, frequency{0, 0, -1}, volume{0, 3}, force{1, 1, -2},
    pressure{1, -1, -2}, energy{1, 2, -2}, power{1, 2, -3}, current{0, 0, 0, 1}, voltage{1, 2, -3, -1},
    resistance{1, 2, -3, -2}, inductance{1, 2, -2, -2}, capacitance{-1, -2, 4, 2}, field{1, 0, -2, -1},
    temperature{0, 0, 0, 0, 1};
}

constexpr std::array symbols{
    // base units and what SI derives from them
    Symbol{"m", {1, 0, dim::length}, prefixes}, Symbol{"g", {1e-3, 0, dim::mass}, prefixes},
    Symbol{"s", {1, 0, dim::time}, prefixes}, Symbol{"A", {1, 0, dim::current}, prefixes},
    Symbol{"K", {1, 0, dim::temperature}, prefixes}, Symbol{"N", {1, 0, dim::force}, prefixes},
    Symbol{"Nm", {1, 0, dim::energy}, prefixes}, Symbol{"Pa", {1, 0, dim::pressure}, prefixes},
    Symbol{"J", {1, 0, dim::energy}, prefixes}, Symbol{"W", {1, 0, dim::power}, prefixes},
    Symbol{"V", {1, 0, dim::voltage}, prefixes}, Symbol{"Hz", {1, 0, dim::frequency, 0, 1}, prefixes},
    Symbol{"ohm", {1, 0, dim::resistance}, prefixes}, Symbol{"Ω", {1, 0, dim::resistance}, prefixes},
    Symbol{"H", {1, 0, dim::inductance}, prefixes}, Symbol{"F", {1, 0, dim::capacitance}, prefixes},
    Symbol{"T", {1, 0, dim::field}, prefixes}, Symbol{"rad", {1, 0, dim::none, 1}, prefixes},
    // in daily use beside SI
    Symbol{"bar", {1e5, 0, dim::pressure}, prefixes}, Symbol{"L", {1e-3, 0, dim::volume}, prefixes},
    Symbol{"l", {1e-3, 0, dim::volume}, prefixes}, Symbol{"min", {60, 0, dim::time}}, Symbol{"h", {3600, 0, dim::time}},
    Symbol{"%", {0.01, 0, dim::none}}, Symbol{"1", {1, 0, dim::none}}, Symbol{"count", {1, 0, dim::none}},
    Symbol{"deg", {degree, 0, dim::none, 1}}, Symbol{"°", {degree, 0, dim::none, 1}},
    Symbol{"turn", {turn, 0, dim::none, 1}}, Symbol{"rev", {turn, 0, dim::none, 1}},
    Symbol{"rpm", {turn / 60, 0, dim::frequency, 1}}, Symbol{"degC", {1, freezing, dim::temperature}},
    Symbol{"°C", {1, freezing, dim::temperature}}, Symbol{"Nmm", {1e-3, 0, dim::energy}},
    Symbol{"in", {inch, 0, dim::length}}, Symbol{"ft", {12 * inch, 0, dim::length}},
    Symbol{"lb", {pound, 0, dim::mass}}, Symbol{"lbf", {pound * gravity, 0, dim::force}},
    Symbol{"psi", {pound * gravity / (inch * inch), 0, dim::pressure}}};

/// Other spellings, as logs have them.
constexpr std::array spellings{Symbol{"degF", {fahrenheit, 459.67 * fahrenheit, dim::temperature}},
                               Symbol{"°F", {fahrenheit, 459.67 * fahrenheit, dim::temperature}},
                               Symbol{"ºC", {1, freezing, dim::temperature}},  // the sign of ordinal numbers
                               Symbol{"℃", {1, freezing, dim::temperature}},
                               Symbol{"Celsius", {1, freezing, dim::temperature}},
                               Symbol{"sec", {1, 0, dim::time}, prefixes},
                               Symbol{"secs", {1, 0, dim::time}},
                               Symbol{"second", {1, 0, dim::time}},
                               Symbol{"seconds", {1, 0, dim::time}},
                               Symbol{"meter", {1, 0, dim::length}},
                               Symbol{"meters", {1, 0, dim::length}},
                               Symbol{"metre", {1, 0, dim::length}},
                               Symbol{"metres", {1, 0, dim::length}},
                               Symbol{"inch", {inch, 0, dim::length}},
                               Symbol{"inches", {inch, 0, dim::length}},
                               Symbol{"degree", {degree, 0, dim::none, 1}},
                               Symbol{"degrees", {degree, 0, dim::none, 1}},
                               Symbol{"mdeg", {1e-3 * degree, 0, dim::none, 1}},
                               Symbol{"arcmin", {degree / 60, 0, dim::none, 1}},
                               Symbol{"arcsec", {degree / 3600, 0, dim::none, 1}},
                               Symbol{"radian", {1, 0, dim::none, 1}},
                               Symbol{"radians", {1, 0, dim::none, 1}},
                               Symbol{"newton", {1, 0, dim::force}},
                               Symbol{"newtons", {1, 0, dim::force}},
                               Symbol{"kgf", {gravity, 0, dim::force}},
                               Symbol{"gf", {1e-3 * gravity, 0, dim::force}},
                               Symbol{"ozf", {pound * gravity / 16, 0, dim::force}},
                               Symbol{"N.m", {1, 0, dim::energy}, prefixes},
                               Symbol{"N-m", {1, 0, dim::energy}, prefixes},
                               Symbol{"Ncm", {1e-2, 0, dim::energy}},
                               Symbol{"in-lb", {pound * gravity * inch, 0, dim::energy}},
                               Symbol{"lb-in", {pound * gravity * inch, 0, dim::energy}},
                               Symbol{"lbf-in", {pound * gravity * inch, 0, dim::energy}},
                               Symbol{"ft-lb", {12 * pound * gravity * inch, 0, dim::energy}},
                               Symbol{"lb-ft", {12 * pound * gravity * inch, 0, dim::energy}},
                               Symbol{"oz-in", {pound * gravity * inch / 16, 0, dim::energy}}};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr std::array all_prefixes{Prefix{"p", 1e-12}, Prefix{"n", 1e-9}, Prefix{"u", 1e-6}, Prefix{"µ", 1e-6},
                                  Prefix{"μ", 1e-6},  // Greek mu and the micro sign look the same
                                  Prefix{"m", 1e-3},  Prefix{"c", 1e-2}, Prefix{"d", 1e-1}, Prefix{"h", 1e2},
                                  Prefix{"k", 1e3},   Prefix{"M", 1e6},  Prefix{"G", 1e9}};

struct Factor {
  std::string symbol;
  int power = 1;
};

struct Name {
  std::string_view words, unit;
  Dimension dimension;
  int angle = 0;
};
/// The name of a dimension; the first match wins, so those with an angle come before those without.
constexpr std::array names{Name{"an angle", "rad", dim::none, 1},
                           Name{"an angular velocity", "rad/s", dim::frequency, 1},
                           Name{"an angular acceleration", "rad/s^2", {0, 0, -2}, 1},
                           Name{"a rotary stiffness", "N m/rad", dim::energy, -1},
                           Name{"a rotary damping", "N m s/rad", {1, 2, -1}, -1},
                           Name{"a length", "m", dim::length},
                           Name{"a mass", "kg", dim::mass},
                           Name{"a time", "s", dim::time},
                           Name{"a velocity", "m/s", {0, 1, -1}},
                           Name{"an acceleration", "m/s^2", {0, 1, -2}},
                           Name{"a force", "N", dim::force},
                           Name{"a torque or energy", "N m", dim::energy},
                           Name{"a stiffness", "N/m", {1, 0, -2}},
                           Name{"a damping", "N s/m", {1, 0, -1}},
                           Name{"a force rate", "N/s", {1, 1, -3}},
                           Name{"an inertia", "kg m^2", {1, 2}},
                           Name{"a rotary damping", "N m s", {1, 2, -1}},
                           Name{"a pressure", "Pa", dim::pressure},
                           Name{"an area", "m^2", {0, 2}},
                           Name{"a volume", "m^3", dim::volume},
                           Name{"a flow", "m^3/s", {0, 3, -1}},
                           Name{"a density", "kg/m^3", {1, -3}},
                           Name{"a frequency", "1/s", dim::frequency},
                           Name{"a power", "W", dim::power},
                           Name{"a current", "A", dim::current},
                           Name{"a voltage", "V", dim::voltage},
                           Name{"a resistance", "ohm", dim::resistance},
                           Name{"a temperature", "K", dim::temperature}};

/// A superscript digit or minus ("²") at the start of `text`: the plain character and its length in bytes.
std::optional<std::pair<char, std::size_t>> superscript(std::string_view text) {
  constexpr std::array<std::string_view, 11> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
  for (std::size_t i = 0; i < raised.size(); ++i)
    if (text.starts_with(raised[i])) return std::pair{i < 10 ? char('0' + i) : '-', raised[i].size()};
  return std::nullopt;
}

/// Reads a unit text from left to right:  unit = factor { [" " | "*" | "·"] factor } [ "/" (factor | "(" product ")") ]...
class UnitReader {
 public:
  explicit UnitReader(std::string_view text) : whole_(text), rest_(text) {}

  std::vector<Factor> factors() {
    skip_spaces();
    if (rest_.empty()) return {};
    product(1);
    while (take("/")) {
      skip_spaces();
      if (take("(")) {
        product(-1);
        if (!take(")")) fail("the bracket is not closed");
      } else {
        factor(-1);
      }
      skip_spaces();
      if (!rest_.empty() && rest_.front() != '/') fail("a product after '/' is ambiguous; write 'N s/m' or 'N/(m s)'");
    }
    if (!rest_.empty()) fail("cannot read " + in_quotes(rest_));
    return std::move(found_);
  }

 private:
  static constexpr std::string_view separators = " \t*/^()";

  [[noreturn]] void fail(const std::string& reason) const { throw Error("unit " + in_quotes(whole_) + ": " + reason); }

  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void product(int sign) {
    do {
      factor(sign);
      skip_spaces();
      if (take("*") || take("·") || take("⋅")) skip_spaces();
    } while (!rest_.empty() && rest_.front() != '/' && rest_.front() != ')');
  }

  void factor(int sign) {
    skip_spaces();
    std::size_t length = 0;
    while (length < rest_.size() && separators.find(rest_[length]) == std::string_view::npos &&
           !rest_.substr(length).starts_with("·") && !rest_.substr(length).starts_with("⋅") &&
           !superscript(rest_.substr(length)))
      ++length;
    if (length == 0) fail("a unit is missing");
    const std::string symbol(rest_.substr(0, length));
    rest_.remove_prefix(length);
    found_.push_back({symbol, sign * power()});
  }

  int power() {
    std::string digits;
    if (take("^")) {
      while (!rest_.empty() && std::string_view("-.0123456789").find(rest_.front()) != std::string_view::npos) {
        digits += rest_.front();
        rest_.remove_prefix(1);
      }
    } else {
      while (const auto raised = superscript(rest_)) {
        digits += raised->first;
        rest_.remove_prefix(raised->second);
      }
      if (digits.empty()) return 1;
    }
    int value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_whole = problem == std::errc() && end == digits.data() + digits.size();
    if (!is_whole || value < -9 || value > 9) fail("a power must be a whole number between -9 and 9");
    return value;
  }

  std::string_view whole_, rest_;
  std::vector<Factor> found_;
};

const Symbol* find_symbol(std::string_view name) {
  for (const auto& symbol : symbols)
    if (symbol.name == name) return &symbol;
  for (const auto& symbol : spellings)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

/// Every symbol, the common prefixed ones and other spellings: what a mistyped unit is compared with; the first of those equally near wins.
std::vector<std::string> known_units() {
  std::vector<std::string> all;
  for (const auto& symbol : symbols) all.emplace_back(symbol.name);
  for (const auto* often : {"kg",  "um", "mm", "cm", "km",   "ms",  "us",   "kN", "mN",  "kPa", "MPa",
                            "GPa", "mA", "mV", "kW", "mrad", "kHz", "mbar", "mL", "mNm", "kNm"})
    all.emplace_back(often);
  for (const auto& symbol : spellings) all.emplace_back(symbol.name);
  return all;
}

Unit look_up(std::string_view name) {
  if (const auto* symbol = find_symbol(name)) return symbol->unit;
  for (const auto& prefix : all_prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    const auto* symbol = find_symbol(name.substr(prefix.name.size()));
    if (!symbol || !symbol->takes_prefix) continue;
    Unit unit = symbol->unit;
    unit.factor *= prefix.factor;
    return unit;
  }
  const auto near = nearest(name, known_units());
  throw Error("unknown unit " + in_quotes(name) +
              (near ? "; did you mean " + *near : std::string("; units are written like N, mm, m/s^2 or N s/m")));
}

/// "N m/rad", "1/s", "N/(m s)"
std::string written(const std::vector<Factor>& factors) {
  const auto with_power = [](const std::string& symbol, int power) {
    return power == 1 ? symbol : symbol + "^" + std::to_string(power);
  };
  std::vector<std::string> above, below;
  for (const auto& [symbol, power] : factors) {
    if (power > 0 && symbol != "1") above.push_back(with_power(symbol, power));
    if (power < 0) below.push_back(with_power(symbol, -power));
  }
  std::string text = above.empty() ? "1" : joined(above, " ");
  if (below.size() == 1) text += "/" + below.front();
  if (below.size() > 1) text += "/(" + joined(below, " ") + ")";
  return text;
}

std::string base_units(const Dimension& d) {
  return written({{"kg", d.kg}, {"m", d.m}, {"s", d.s}, {"A", d.ampere}, {"K", d.kelvin}});
}

bool is_plain_number(const Unit& unit) { return unit.dimension == dim::none && unit.angle == 0 && unit.cycle == 0; }

/// The number a text starts with; `rest` becomes what follows it. `example` is what could have been written.
double leading_number(std::string_view whole, std::string_view& rest, const std::string& example) {
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double number = 0;
  const auto [end, problem] = read_number(rest.data(), rest.data() + rest.size(), number);
  if (problem == std::errc::invalid_argument)
    throw Error(in_quotes(whole) + " does not begin with a number; write for example " + example);
  if (problem != std::errc() || !std::isfinite(number)) throw Error(in_quotes(whole) + " is not a finite number");
  rest.remove_prefix(std::size_t(end - rest.data()));
  if (rest.starts_with(',') && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9')
    throw Error(in_quotes(whole) + " has a comma in its number; write a decimal point");
  return number;
}

/// The unit of a quantity, checked against the one that is needed.
Unit checked_unit(std::string_view whole, std::string_view number, std::string_view unit, std::string_view needed) {
  const Unit wanted = parse_unit(needed);
  if (unit.empty() && !is_plain_number(wanted))
    throw Error(in_quotes(whole) + " has no unit; write for example \"" + one_line(number) + " " + std::string(needed) +
                "\"");
  const Unit found = parse_unit(unit);
  if (fits(found, wanted)) return found;
  if (is_plain_number(wanted)) throw Error(in_quotes(whole) + " is " + unit_kind(found) + "; a plain number is needed");
  std::string kind = unit_kind(wanted);
  if (const auto bracket = kind.find('['); bracket != std::string::npos) kind.resize(bracket);
  throw Error(in_quotes(whole) + " is " + unit_kind(found) + "; " + kind + "[" + std::string(needed) + "] is needed");
}

double si_value(std::string_view whole, double number, const Unit& unit) {
  const double value = unit.factor * number + unit.offset;
  if (!std::isfinite(value)) throw Error(in_quotes(whole) + " is not a finite number");
  return value;
}

}  // namespace

Unit parse_unit(std::string_view text) {
  Unit product;
  const auto factors = UnitReader(text).factors();
  for (const auto& [symbol, power] : factors) {
    const Unit unit = look_up(symbol);
    if (unit.offset != 0) {
      if (factors.size() > 1 || power != 1)
        throw Error("unit " + in_quotes(text) + ": " + symbol + " has an offset and cannot be combined; write K");
      return unit;
    }
    for (int i = 0; i < std::abs(power); ++i)
      product.factor = power > 0 ? product.factor * unit.factor : product.factor / unit.factor;
    product.dimension.kg += power * unit.dimension.kg;
    product.dimension.m += power * unit.dimension.m;
    product.dimension.s += power * unit.dimension.s;
    product.dimension.ampere += power * unit.dimension.ampere;
    product.dimension.kelvin += power * unit.dimension.kelvin;
    product.angle += power * unit.angle;
    product.cycle += power * unit.cycle;
  }
  return product;
}

bool fits(const Unit& found, const Unit& needed) {
  const bool mixes_cycles_and_rad = (found.cycle != 0 && needed.angle != 0) || (found.angle != 0 && needed.cycle != 0);
  return found.dimension == needed.dimension && !mixes_cycles_and_rad;
}

std::string unit_kind(const Unit& unit) {
  if (is_plain_number(unit)) return "a plain number";
  if (unit.cycle == 1 && unit.dimension == dim::frequency) return "a frequency [Hz]";
  for (const auto& name : names)
    if (name.dimension == unit.dimension && (name.angle == 0 || name.angle == unit.angle))
      return std::string(name.words) + " [" + std::string(name.unit) + "]";
  return "[" + base_units(unit.dimension) + "]";
}

double parse_quantity(std::string_view text, std::string_view needed_unit) {
  const std::string_view whole = trimmed(text);
  std::string_view rest = whole;
  const std::string unit = needed_unit.empty() || needed_unit == "1" ? "" : " " + std::string(needed_unit);
  const double number = leading_number(whole, rest, "\"1.5" + unit + "\"");
  const std::string_view written_number = whole.substr(0, whole.size() - rest.size());
  return si_value(whole, number, checked_unit(whole, written_number, trimmed(rest), needed_unit));
}

std::vector<double> parse_quantities(std::string_view text, std::string_view needed_unit) {
  const std::string_view whole = trimmed(text);
  if (!whole.starts_with('[')) return {parse_quantity(whole, needed_unit)};
  const auto close = whole.find(']');
  if (close == std::string_view::npos)
    throw Error(in_quotes(whole) + " has no closing ]; write for example \"[1, 2] N\"");
  const std::string_view list = whole.substr(0, close + 1);
  const Unit unit = checked_unit(whole, list, trimmed(whole.substr(close + 1)), needed_unit);

  std::vector<double> values;
  std::string_view rest = trimmed(list.substr(1, close - 1));
  while (!rest.empty()) {
    std::string_view item = trimmed(rest.substr(0, rest.find(',')));
    const auto comma = rest.find(',');
    rest = comma == std::string_view::npos ? std::string_view{} : trimmed(rest.substr(comma + 1));
    const double number = leading_number(item, item, "\"[1, 2] " + std::string(needed_unit) + "\"");
    if (!item.empty())
      throw Error(in_quotes(whole) + ": cannot read " + in_quotes(item) + " in the list; one unit follows the bracket");
    values.push_back(si_value(whole, number, unit));
  }
  if (values.empty()) throw Error(in_quotes(whole) + " is an empty list; write for example \"[1, 2] N\"");
  return values;
}

bool has_another_zero(std::string_view quantity) {
  try {
    const std::string_view whole = trimmed(quantity);
    std::string_view rest = whole;
    leading_number(whole, rest, "");
    return parse_unit(trimmed(rest)).offset != 0;
  } catch (const Error&) {
    return false;
  }
}

std::string temperature_text(double kelvin) {
  for (const double celsius : {std::round((kelvin - freezing) * 1e6) / 1e6, kelvin - freezing})
    if (celsius + freezing == kelvin) return shortest(celsius) + " degC";
  return shortest(kelvin) + " K";
}

double to_si(double value, std::string_view unit) {
  const Unit parsed = parse_unit(unit);
  return parsed.factor * value + parsed.offset;
}

std::string rotary(std::string_view unit) {
  std::vector<Factor> turned;
  const auto add = [&](const std::string& symbol, int power) {
    for (auto& factor : turned)
      if (factor.symbol == symbol) return void(factor.power += power);
    turned.push_back({symbol, power});
  };
  for (const auto& [symbol, power] : UnitReader(unit).factors()) {
    const Dimension d = look_up(symbol).dimension;
    if (symbol == "N") {
      add("N", power), add("m", power);
    } else if (symbol == "m") {
      add("rad", power);
    } else if (symbol == "kg") {
      add("kg", power), add("m", 2 * power);
    } else if ((d.kg == 0 && d.m == 0) || d == dim::energy || d == dim::power) {
      add(symbol, power);
    } else {
      throw Error("unit " + in_quotes(unit) + " has no rotary counterpart; write it in N, m, kg and s");
    }
  }
  return written(turned);
}

Readable readable(double magnitude, std::string_view unit) {
  const Readable unchanged{1, std::string(unit)};
  auto factors = UnitReader(unit).factors();
  if (factors.empty() || factors.front().power != 1 || magnitude == 0 || !std::isfinite(magnitude)) return unchanged;
  std::string& symbol = factors.front().symbol;
  double in_symbol = std::abs(magnitude);
  if (symbol == "kg" && in_symbol < 1) symbol = "g", in_symbol *= 1000;
  const auto* known = find_symbol(symbol);
  if (!known || !known->takes_prefix) return unchanged;
  const bool stays_when_large = symbol == "s" || symbol == "rad" || symbol == "K" || symbol == "L" || symbol == "g";

  const double scale = in_symbol / std::abs(magnitude);
  constexpr std::array<Prefix, 7> by_thousands{
      {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}}};
  for (const auto& [name, factor] : by_thousands) {
    if (factor > 1 && (stays_when_large || (symbol == "m" && factor > 1e3))) continue;
    if (in_symbol < factor * (1 - 1e-12) && factor > 1e-9) continue;
    if (in_symbol < 1e-9 * 1e-3)
      return unchanged;  // below a thousandth of the smallest prefix: leave it to the exponent
    symbol.insert(0, name);
    return {scale / factor, written(factors)};
  }
  return unchanged;
}

std::string with_unit(double value, std::string_view unit, int digits) {
  double rounded = value;  // so that 999.99 um, rounded, reads 1 mm
  if (std::isfinite(value)) {
    const std::string text = significant(value, digits);
    read_number(text.data(), text.data() + text.size(), rounded);
  }
  const Readable shown = readable(rounded, unit);
  const std::string number = significant(value * shown.factor, digits);
  return shown.unit.empty() || shown.unit == "1" ? number : number + " " + shown.unit;
}

}  // namespace stickslip
