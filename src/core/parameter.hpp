/// Parameter tables: the one place a parameter is declared.
///
/// A model lists its parameters once as rows (member, key, symbol, unit, meaning, domain, search range, scale). Files,
/// command line, documentation, refusal of senseless values and identification all read that list.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace stickslip {

enum class Scale { linear, logarithmic };
/// How identification finds a parameter: by search, by linear least squares inside, or not at all.
enum class Fit { searched, solved, fixed };
/// The values a parameter may have to make sense at all.
enum class Domain { positive, non_negative, fraction, real };

/// Whether a value makes sense.
inline bool is_allowed(Domain d, double x) {
  if (!std::isfinite(x)) return false;
  switch (d) {
    case Domain::positive:
      return x > 0;
    case Domain::non_negative:
      return x >= 0;
    case Domain::fraction:
      return x >= 0 && x <= 1;
    case Domain::real:
      return true;
  }
  return false;
}

inline constexpr double required = std::numeric_limits<double>::quiet_NaN();

struct ParameterInfo {
  std::string_view key, symbol, unit, meaning;
  Domain domain = Domain::positive;
  double low = 0, high = 0;  // where a search looks
  Scale scale = Scale::linear;
  Fit fit = Fit::searched;
  double preset = required;                     // the value when none is given; `required`: one must be given
  std::span<const std::string_view> choices{};  // for a choice: the words, in the order of its values
};

enum class ParameterKind { number, list, choice };

/// The most elements a Maxwell-slip-like model may have; states live in fixed arrays.
inline constexpr std::size_t max_elements = 16;

/// A short list of numbers without allocation.
template <class P>
struct List {
  std::array<P, max_elements> at{};
  std::size_t count = 0;

  const P& operator[](std::size_t i) const { return at[i]; }
  P& operator[](std::size_t i) { return at[i]; }
  std::size_t size() const { return count; }
  void push_back(const P& value) {
    assert(count < max_elements);
    at[count++] = value;
  }
};

template <class V>
struct kind_of {
  static constexpr ParameterKind value = std::is_enum_v<V> ? ParameterKind::choice : ParameterKind::number;
};
template <class P>
struct kind_of<List<P>> {
  static constexpr ParameterKind value = ParameterKind::list;
};

template <class M, class V>
struct Row {
  V M::*member;
  ParameterInfo info;
  static constexpr ParameterKind kind = kind_of<V>::value;
};

/// A row of the table; the member may live in a part the model is built from (its Stribeck level, say).
template <class M, class Part, class V>
constexpr Row<M, V> row_in(V Part::*member, const ParameterInfo& info) {
  return {static_cast<V M::*>(member), info};
}
template <class M, class V>
constexpr Row<M, V> row(V M::*member, const ParameterInfo& info) {
  return {member, info};
}

/// The same model on another scalar type; the tables of both list the same rows in the same order.
template <class To, class From>
To converted(const From& from) {
  To to{};
  constexpr auto source = From::parameters();
  constexpr auto target = To::parameters();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto copy = [](auto& into, const auto& value) {
      using V = std::remove_cvref_t<decltype(value)>;
      if constexpr (kind_of<V>::value == ParameterKind::list) {
        into.count = value.count;
        for (std::size_t i = 0; i < value.count; ++i) into.at[i] = value.at[i];
      } else {
        into = value;
      }
    };
    (copy(to.*(std::get<I>(target).member), from.*(std::get<I>(source).member)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(source)>>{});
  return to;
}

}  // namespace stickslip
