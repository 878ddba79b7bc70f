/// What a terminal can show; see terminal.hpp.
#include "report/terminal.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "core/text.hpp"

namespace stickslip::inline reports {
namespace {

struct Range {
  std::uint32_t first, last;
};
// The blocks that matter; the full tables of Unicode would be longer than this program's other text handling.
constexpr std::array combining{Range{0x0300, 0x036F}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                               Range{0xFE00, 0xFE0F}};
constexpr std::array wide{Range{0x1100, 0x115F},  Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
                          Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
                          Range{0xFFE0, 0xFFE6},  Range{0x1F300, 0x1F64F}, Range{0x1F900, 0x1F9FF},
                          Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, std::uint32_t code) {
  for (const auto& [first, last] : ranges)
    if (code >= first && code <= last) return true;
  return false;
}

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0xFFu >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

}  // namespace

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  if ((no_colour && *no_colour) || (kind && std::string_view(kind) == "dumb")) return false;
  return terminal_takes_colour();
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      ++width;
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t code = code_point(text.substr(0, length));
    width += is_in(combining, code) ? 0 : is_in(wide, code) ? 2 : 1;
    text.remove_prefix(length);
  }
  return width;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::istringstream words(text);
  std::string all, line, word;
  while (words >> word) {
    if (!line.empty() && indent.size() + display_width(line) + 1 + display_width(word) > width) {
      all += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + indent + line + "\n";
}

std::string coloured(std::string_view text, Ink ink, bool colour) {
  constexpr std::array codes{"", "1", "2", "31", "32", "33", "34", "35", "36"};
  if (!colour || ink == Ink::plain || text.empty()) return std::string(text);
  return "\x1b[" + std::string(codes[std::size_t(ink)]) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace stickslip::inline reports
