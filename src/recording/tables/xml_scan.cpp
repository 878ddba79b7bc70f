/// XML as tags and texts; see xml_scan.hpp.
#include "recording/tables/xml_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view without_prefix(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// The character of that number as UTF-8; false if there is none.
bool add_character(std::uint32_t code, std::string& to) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  if (code < 0x80) {
    to += char(code);
  } else if (code < 0x800) {
    to += char(0xc0 | (code >> 6));
  } else if (code < 0x10000) {
    to += char(0xe0 | (code >> 12));
    to += char(0x80 | ((code >> 6) & 0x3f));
  } else {
    to += char(0xf0 | (code >> 18));
    to += char(0x80 | ((code >> 12) & 0x3f));
    to += char(0x80 | ((code >> 6) & 0x3f));
  }
  if (code >= 0x80) to += char(0x80 | (code & 0x3f));
  return true;
}

bool add_entity(std::string_view entity, std::string& to) {
  constexpr std::array<std::pair<std::string_view, char>, 5> named{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : named)
    if (entity == name) {
      to += character;
      return true;
    }
  if (!entity.starts_with('#')) return false;
  entity.remove_prefix(1);
  const bool hexadecimal = entity.starts_with('x');
  if (hexadecimal) entity.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, problem] =
      std::from_chars(entity.data(), entity.data() + entity.size(), code, hexadecimal ? 16 : 10);
  return problem == std::errc() && end == entity.data() + entity.size() && add_character(code, to);
}

}  // namespace

std::optional<std::string> XmlScan::plain(std::string_view text) {
  std::string result;
  for (;;) {
    const auto at = text.find('&');
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    const auto end = text.substr(0, std::min(text.size(), at + 12)).find(';', at);
    if (end == std::string_view::npos || !add_entity(text.substr(at + 1, end - at - 1), result)) return std::nullopt;
    text.remove_prefix(end + 1);
  }
}

XmlScan::Token XmlScan::next() {
  if (closes_) {
    closes_ = false;
    return Token::close;
  }
  while (at_ < text_.size()) {
    if (text_[at_] != '<') {
      const auto end = std::min(text_.find('<', at_), text_.size());
      content_ = text_.substr(at_, end - at_);
      at_ = end;
      return Token::text;
    }
    const std::string_view rest = text_.substr(at_);
    const bool is_comment = rest.starts_with("<!--");
    if (is_comment || rest.starts_with("<?")) {
      const std::string_view mark = is_comment ? "-->" : "?>";
      const auto end = rest.find(mark, is_comment ? 4 : 2);
      if (end == std::string_view::npos) return Token::damaged;
      at_ += end + mark.size();
      continue;
    }
    if (rest.starts_with("<!")) return Token::damaged;
    std::size_t end = 1;
    for (char quote = 0; end < rest.size() && (quote || rest[end] != '>'); ++end) {
      const char c = rest[end];
      if (c == '<') return Token::damaged;
      if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? char(0) : c;
    }
    if (end >= rest.size()) return Token::damaged;
    std::string_view tag = rest.substr(1, end - 1);
    at_ += end + 1;
    const bool is_close = tag.starts_with('/');
    if (is_close) tag.remove_prefix(1);
    if (!is_close && tag.ends_with('/')) closes_ = true, tag.remove_suffix(1);
    const auto name_end = std::min(tag.find_first_of(blanks), tag.size());
    name_ = without_prefix(tag.substr(0, name_end));
    attributes_ = tag.substr(name_end);
    if (name_.empty()) return Token::damaged;
    return is_close ? Token::close : Token::open;
  }
  return Token::end;
}

std::optional<std::string> XmlScan::attribute(std::string_view wanted) const {
  std::string_view rest = attributes_;
  for (;;) {
    const auto from = rest.find_first_not_of(blanks);
    if (from == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(from);
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = trimmed(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return std::nullopt;
    const auto end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    if (without_prefix(name) == wanted && !name.starts_with("xmlns")) return plain(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
  }
}

}  // namespace stickslip::inline recordings
