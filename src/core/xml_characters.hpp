/// Text that may stand in XML 1.0 once its marks are escaped. A byte that begins no UTF-8 character, a control character other than tab
/// and newline, U+FFFE and U+FFFF would make the whole document unreadable; U+FFFD stands in their place.
#pragma once
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace stickslip {

inline std::string xml_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    const std::string_view character = text.substr(0, length);
    const bool is_allowed = length > 0 && (c >= 0x20 || c == '\t' || c == '\n') && c != 0x7f && character != "\uFFFE" &&
                            character != "\uFFFF";
    out += is_allowed ? character : "\uFFFD";
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace stickslip
