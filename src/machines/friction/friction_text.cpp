/// A friction model as text; see friction_text.hpp.
#include "machines/friction/friction_text.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "files/json.hpp"

namespace stickslip::inline machines {
namespace {

std::string unit_of(const ParameterDescription& p, MotionKind motion) {
  return p.unit.empty() ? "" : unit_for(motion, p.unit);
}

bool is_plain(std::string_view unit) { return unit.empty() || unit == "1"; }

std::string list_text(const std::vector<double>& values, const std::string& unit) {
  std::vector<std::string> numbers;
  for (const double value : values) numbers.push_back(shortest(value));
  const std::string list = "[" + joined(numbers) + "]";
  return is_plain(unit) ? list : "\"" + list + " " + unit + "\"";
}

std::string value_text(const ParameterValue& value, const std::string& unit) {
  if (const auto* word = std::get_if<std::string>(&value)) return json_string(*word);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return list_text(*list, unit);
  return quantity_text(std::get<double>(value), unit);
}

/// The constant of a law joins the value: added to a number, multiplied with a list.
double constant_of(const VariationSetting& law, bool is_list) {
  return law.polynomial.empty() ? (is_list ? 1 : 0) : law.polynomial.front();
}
void take_constant(ParameterValue& value, const VariationSetting& law) {
  if (!law.knots.empty()) return;
  if (auto* list = std::get_if<std::vector<double>>(&value))
    for (double& element : *list) element *= constant_of(law, true);
  else if (auto* number = std::get_if<double>(&value))
    *number += constant_of(law, false);
}

/// The law of a parameter that follows a quantity. A constant term of the polynomial joins the value itself: it is the
/// same law, and the only form a file has.
std::string law_text(const ParameterDescription& p, const VariationSetting& law, ParameterValue value,
                     MotionKind motion) {
  const bool is_list = p.kind == ParameterKind::list;
  const std::string q = quantity_unit(law.over, motion);
  const std::string unit = is_list || p.unit.empty() ? "1" : unit_of(p, motion);
  const auto place = [&](double at) {
    return law.over == Quantity::temperature && std::isfinite(at) ? "\"" + temperature_text(at) + "\""
                                                                  : quantity_text(at, q);
  };
  std::string text = "{ ";
  std::string rest = "over = \"" + std::string(quantity_name(law.over)) + "\", ";
  if (!law.knots.empty()) {
    if (is_list) text += "value = " + value_text(value, unit_of(p, motion)) + ", ";
    std::vector<std::string> points;
    for (std::size_t i = 0; i < law.knots.size(); ++i)
      points.push_back("[" + place(law.knots[i]) + ", " + quantity_text(law.values[i], unit) + "]");
    return text + rest + "table = [" + joined(points) + "] }";
  }
  if (law.reference != 0 || law.over == Quantity::temperature) rest += "reference = " + place(law.reference) + ", ";
  const double common = is_list ? constant_of(law, true) : 1;
  take_constant(value, law);
  std::vector<std::string> factors;
  for (std::size_t j = 1; j < law.polynomial.size(); ++j)
    factors.push_back(quantity_text(law.polynomial[j] / common, polynomial_unit(unit, q, j)));
  return text + "value = " + value_text(value, unit_of(p, motion)) + ", " + rest + "polynomial = [" + joined(factors) +
         "] }";
}

struct TextLine {
  std::string text, comment;
};

std::string aligned(const std::vector<TextLine>& lines) {
  constexpr std::size_t widest_aligned = 60;  // a table over position is longer; its comment follows it
  std::size_t widest = 0;
  for (const auto& line : lines)
    if (line.text.size() <= widest_aligned) widest = std::max(widest, line.text.size());
  std::string text;
  for (const auto& line : lines)
    text += line.text + std::string(line.text.size() < widest ? widest - line.text.size() : 0, ' ') + "  # " +
            line.comment + "\n";
  return text;
}

}  // namespace

std::string quantity_text(double value, std::string_view unit) {
  if (is_plain(unit) || !std::isfinite(value)) return shortest(value);
  return "\"" + shortest(value) + " " + std::string(unit) + "\"";
}

std::string friction_text(const ModelDescription& model, const FrictionSettings& settings, MotionKind motion,
                          const std::string& table) {
  const auto lines_of = [&](const ParameterValues& values, bool has_law) {
    std::vector<TextLine> lines;
    for (const auto& p : model.parameters)
      for (const auto& [key, value] : values) {
        if (key != p.key) continue;
        const auto law = std::find_if(settings.variations.begin(), settings.variations.end(),
                                      [&](const VariationSetting& v) { return v.key == p.key; });
        const bool varies = law != settings.variations.end();
        ParameterValue shown = value;
        if (varies && !has_law)
          take_constant(shown, *law);  // the law itself is written once, with the values of forward sliding
        lines.push_back(
            {p.key + " = " +
                 (varies && has_law ? law_text(p, *law, shown, motion) : value_text(shown, unit_of(p, motion))),
             (p.symbol.empty() ? "" : p.symbol + ", ") + p.meaning});
      }
    return aligned(lines);
  };
  std::string text = "[" + table + "]\nmodel = " + json_string(model.name) + "\n" + lines_of(settings.values, true);
  if (!settings.backward.empty())
    text +=
        "\n[" + table + ".backward]  # values that differ for backward sliding\n" + lines_of(settings.backward, false);
  return text;
}

}  // namespace stickslip::inline machines
