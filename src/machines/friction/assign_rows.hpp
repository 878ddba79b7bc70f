/// Values by key into a model, by the rows of its table.
#pragma once

#include <string>
#include <tuple>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

/// Fills a model from checked values; missing ones keep their default, and those without a default are required.
template <template <class> class Model>
void assign(const ModelDescription& d, const ParameterValues& values, Model<double>& model, bool only_given) {
  constexpr auto rows = Model<double>::parameters();
  std::size_t index = 0;
  const auto set = [&](const auto& row) {
    const ParameterDescription& p = d.parameters[index++];
    auto& member = model.*(row.member);
    const ParameterValue* given = nullptr;
    for (const auto& [key, value] : values)
      if (key == p.key) given = &value;
    if (given) check_value(d, p, *given);
    if (!given && only_given) return;
    if (!given && p.is_required())
      throw Error(d.name + ": " + p.key + " is missing (" + p.symbol + ", " + p.meaning +
                  (p.unit.empty() ? "" : ", in " + p.unit) + ")");
    using RowType = std::remove_cvref_t<decltype(row)>;
    if constexpr (RowType::kind == ParameterKind::number) {
      member = given ? std::get<double>(*given) : p.preset;
    } else if constexpr (RowType::kind == ParameterKind::list) {
      member.count = 0;
      if (given)
        for (double x : std::get<std::vector<double>>(*given)) member.push_back(x);
    } else {
      std::size_t choice = static_cast<std::size_t>(p.preset);
      if (given)
        for (choice = 0; p.choices[choice] != std::get<std::string>(*given);) ++choice;
      member = static_cast<std::remove_cvref_t<decltype(member)>>(choice);
    }
  };
  std::apply([&](const auto&... row) { (set(row), ...); }, rows);
}

/// Relations between parameters that make no sense are refused by the model itself.
template <template <class> class Model>
void refuse_senseless(const Model<double>& model, std::string_view name) {
  if constexpr (requires { refusal(model); }) {
    const std::string reason = refusal(model);
    if (!reason.empty()) throw Error(std::string(name) + ": " + reason);
  }
}

}  // namespace stickslip::inline machines
