/// See doubts.hpp.
#include "machines/friction/doubts.hpp"

#include <array>

#include "core/units.hpp"

namespace stickslip {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The unit at the beginning of the text, "" if there is none. Longer units first.
std::string_view unit_at(std::string_view text) {
  constexpr std::array<std::string_view, 8> known{"N s/m", "N s", "N/m", "m/s", "kg", "N", "m", "m^2"};
  std::string_view found;
  for (const std::string_view unit : known)
    if (unit.size() > found.size() && text.starts_with(unit) &&
        (text.size() == unit.size() || (!is_letter(text[unit.size()]) && !is_digit(text[unit.size()]))))
      found = unit;
  return found;
}

}  // namespace

std::string with_rotary_units(std::string_view sentence) {
  std::string out;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    out += sentence[i];
    if (sentence[i] != ' ' || i == 0 || !is_digit(sentence[i - 1])) continue;
    const std::string_view unit = unit_at(sentence.substr(i + 1));
    if (unit.empty()) continue;
    out += rotary(unit);
    i += unit.size();
  }
  return out;
}

std::vector<std::string> doubts_about(const Friction& friction, const Use& use, MotionKind motion) {
  std::vector<std::string> found = friction.doubts(use);
  if (motion == MotionKind::rotary)
    for (std::string& sentence : found) sentence = with_rotary_units(sentence);
  return found;
}

}  // namespace stickslip
