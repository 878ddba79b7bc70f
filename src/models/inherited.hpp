/// A model built on another one keeps its table: the same rows, now members of the new model.
#pragma once

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

}  // namespace stickslip
