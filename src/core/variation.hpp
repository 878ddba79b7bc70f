/// Parameters that depend on direction, load, pressure, temperature or position, for any model, without a second copy of it.
///
///   p(q) = p₀ + Σ_{j≥1} c_j (q − q₀)^j    polynomial in q = position, load, pressure or temperature    (1)
///   p(q) = piecewise linear table         whose knots the solver locates as events                     (2)
/// The reference q₀ is where p₀ holds: no machine has its level at 0 K, and powers of 300 K would leave it few digits.
/// Each direction of sliding may have its own set p₀ (Tran 2014 Table 2), at v = 0 the sign of the net force decides.
/// For a list parameter (Maxwell-slip stiffnesses) the law gives one common factor instead of the value.
#pragma once

#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/contact.hpp"
#include "core/parameter.hpp"
#include "core/scalar.hpp"

namespace stickslip {

enum class Quantity { position, load, pressure, temperature };

constexpr std::string_view name_of(Quantity q) {
  switch (q) {
    case Quantity::load:
      return "load";
    case Quantity::pressure:
      return "pressure";
    case Quantity::temperature:
      return "temperature";
    case Quantity::position:
      break;
  }
  return "position";
}

/// What a contact has of a quantity.
template <class T>
const T& quantity_of(const Contact<T>& c, Quantity q) {
  switch (q) {
    case Quantity::load:
      return c.load;
    case Quantity::pressure:
      return c.pressure;
    case Quantity::temperature:
      return c.temperature;
    case Quantity::position:
      break;
  }
  return c.position;
}

struct Variation {
  std::size_t parameter = 0;  // which row of the model's table
  Quantity over = Quantity::position;
  std::vector<double> polynomial;     // c_0, c_1, ... added to (for a list: multiplied with) the constant value
  std::vector<double> knots, values;  // or a table, taken instead of (for a list: multiplied with) the constant value
  double reference = 0;               // q₀ of the polynomial
  bool is_table() const { return !knots.empty(); }
};

/// How many parameters of one model may vary.
inline constexpr std::size_t most_variations = 8;

namespace variation_detail {

template <class T>
T polynomial_at(const std::vector<double>& c, const T& q) {
  T sum = 0.0;
  for (std::size_t j = c.size(); j-- > 0;) sum = sum * q + c[j];
  return sum;
}

/// Linear between knots; outside the table its first and last values hold.
template <class T>
T table_at(const Variation& v, const T& q) {
  const double x = value_of(q);
  if (x <= v.knots.front()) return v.values.front();
  if (x >= v.knots.back()) return v.values.back();
  std::size_t i = 1;
  while (v.knots[i] < x) ++i;
  const double slope = (v.values[i] - v.values[i - 1]) / (v.knots[i] - v.knots[i - 1]);
  return v.values[i - 1] + slope * (q - v.knots[i - 1]);
}

}  // namespace variation_detail

/// A model whose parameters may vary; plain models pay one predictable branch.
template <template <class> class Model>
struct Varied {
  Model<double> forward{}, backward{};
  bool directional = false;  // backward differs from forward
  std::vector<Variation> variations;

  bool is_constant() const { return variations.empty(); }
  const Model<double>& set(Direction d) const { return directional && d == Direction::backward ? backward : forward; }

  /// False if a parameter that varies is outside its domain at this contact.
  bool is_sensible(const Contact<double>& c, Direction d) const {
    if (is_constant()) return true;
    return at(c, d, [](const auto& m) {
      return std::apply([&](const auto&... r) { return (allowed(r.info.domain, m.*(r.member)) && ...); },
                        std::remove_cvref_t<decltype(m)>::parameters());
    });
  }

  /// Calls `physics(model)` with the parameters that hold in this contact.
  template <class T, class Physics>
  decltype(auto) at(const Contact<T>& c, Direction d, Physics&& physics) const {
    if (is_constant()) return physics(set(d));
    Model<T> here = converted<Model<T>>(set(d));
    for (const Variation& v : variations) apply(v, c, here);
    return physics(std::as_const(here));
  }

 private:
  template <class V>
  static bool allowed(Domain domain, const V& value) {
    if constexpr (kind_of<V>::value == ParameterKind::number) return is_allowed(domain, value);
    return true;
  }
  template <class T>
  static void apply(const Variation& v, const Contact<T>& c, Model<T>& here) {
    const T q = quantity_of(c, v.over);
    const T found = v.is_table() ? variation_detail::table_at(v, q)
                                 : variation_detail::polynomial_at(v.polynomial, T(q - v.reference));
    constexpr auto rows = Model<T>::parameters();
    std::size_t index = 0;
    std::apply(
        [&](const auto&... r) {
          (
              [&] {
                if (index++ != v.parameter) return;
                using RowType = std::remove_cvref_t<decltype(r)>;
                if constexpr (RowType::kind == ParameterKind::list) {
                  auto& list = here.*(r.member);
                  for (std::size_t i = 0; i < list.count; ++i) list.at[i] = list.at[i] * found;
                } else if constexpr (RowType::kind == ParameterKind::number) {
                  here.*(r.member) = v.is_table() ? found : here.*(r.member) + found;
                }
              }(),
              ...);
        },
        rows);
  }
};

}  // namespace stickslip
