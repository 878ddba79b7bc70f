/// A model built on another one keeps its table: the same rows, now members of the new model.
#pragma once

#include <initializer_list>
#include <string_view>
#include <tuple>

#include "core/parameter.hpp"

namespace stickslip {

template <class M, class Part, class V>
constexpr Row<M, V> inherited(const Row<Part, V>& r) {
  return {static_cast<V M::*>(r.member), r.info};
}
/// All rows of the model that M derives from, in their order.
template <class M, class... R>
constexpr auto inherited(const std::tuple<R...>& rows) {
  return std::apply([](const auto&... r) { return std::tuple{inherited<M>(r)...}; }, rows);
}

/// The same rows, those with these keys found in another way (Fit).
template <class... R>
constexpr std::tuple<R...> fitted_as(Fit fit, std::tuple<R...> rows, std::initializer_list<std::string_view> keys) {
  const auto mark = [&](ParameterInfo& info) {
    for (const std::string_view key : keys)
      if (info.key == key) info.fit = fit;
  };
  std::apply([&](auto&... r) { (mark(r.info), ...); }, rows);
  return rows;
}

}  // namespace stickslip
