/// '20 +- 1 kg': a value and its standard deviation, as two texts that each have the unit.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace stickslip {

struct UncertainText {
  std::string value, error;  // "20 kg", "1 kg"
};
/// Nothing where the text has none of '+-', '+/-', '±'.
inline std::optional<UncertainText> uncertain_text(std::string_view text) {
  constexpr std::string_view number = "0123456789.eE+-";
  for (const std::string_view mark : {"+/-", "+-", "±"}) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) continue;
    UncertainText both{std::string(trimmed(text.substr(0, at))), std::string(trimmed(text.substr(at + mark.size())))};
    const auto unit = both.error.find_first_not_of(number);
    if (both.value.find_first_not_of(number) == std::string::npos && unit != std::string::npos)
      both.value += " " + std::string(trimmed(std::string_view(both.error).substr(unit)));
    return both;
  }
  return std::nullopt;
}

}  // namespace stickslip
