/// A ready [friction] table for a model; see friction_snippet.hpp.
#include "machines/friction/friction_snippet.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace stickslip::inline machines {
namespace {

double middle(const ParameterDescription& p) {
  if (p.scale == Scale::logarithmic && p.low > 0) return std::sqrt(p.low * p.high);
  return 0.5 * (p.low + p.high);
}

std::string number_text(double value, const std::string& unit) {
  const std::string number = significant(value, 6);
  return unit.empty() || unit == "1" ? number : "\"" + number + " " + unit + "\"";
}

std::string value_text(const ParameterDescription& p, const ParameterValue* typical) {
  if (p.kind == ParameterKind::choice) {
    if (typical) return "\"" + std::get<std::string>(*typical) + "\"";
    return "\"" + p.choices[p.is_required() ? 0 : static_cast<std::size_t>(p.preset)] + "\"";
  }
  if (p.kind == ParameterKind::list) {
    const std::vector<double> values =
        typical ? std::get<std::vector<double>>(*typical) : std::vector<double>{middle(p) / 3, middle(p)};
    std::vector<std::string> numbers;
    for (const double value : values) numbers.push_back(significant(value, 6));
    const std::string list = "[" + joined(numbers) + "]";
    return p.unit.empty() || p.unit == "1" ? list : "\"" + list + " " + p.unit + "\"";
  }
  if (typical) return number_text(std::get<double>(*typical), p.unit);
  return number_text(p.is_required() ? middle(p) : p.preset, p.unit);
}

}  // namespace

std::string friction_snippet(const ModelDescription& model, const ParameterValues& typical) {
  struct Line {
    std::string text, comment;
  };
  std::vector<Line> lines;
  std::size_t widest = 0;
  for (const auto& p : model.parameters) {
    const auto given =
        std::find_if(typical.begin(), typical.end(), [&](const auto& value) { return value.first == p.key; });
    const ParameterValue* value = given == typical.end() ? nullptr : &given->second;
    const bool is_default = !value && !p.is_required();
    lines.push_back({(is_default ? "# " : "") + p.key + " = " + value_text(p, value),
                     (p.symbol.empty() ? "" : p.symbol + ", ") + p.meaning});
    widest = std::max(widest, lines.back().text.size());
  }
  std::string snippet = "[friction]\nmodel = \"" + model.name + "\"\n";
  for (const auto& [text, comment] : lines)
    snippet += text + std::string(widest - text.size(), ' ') + "  # " + comment + "\n";
  return snippet;
}

}  // namespace stickslip::inline machines
