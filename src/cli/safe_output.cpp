/// Standard output and standard error that no text can steer; see safe_output.hpp.
#include "safe_output.hpp"

#include <iostream>

#include "core/text.hpp"
#include "platform/terminal.hpp"

namespace stickslip::inline cli {
namespace {

constexpr std::string_view colours[] = {"\x1b[0m",  "\x1b[1m",  "\x1b[2m",  "\x1b[31m", "\x1b[32m",
                                        "\x1b[33m", "\x1b[34m", "\x1b[35m", "\x1b[36m"};

/// Length of the colour that begins the text, 0 if none does.
std::size_t colour_length(std::string_view text) {
  for (const std::string_view colour : colours)
    if (text.substr(0, colour.size()) == colour) return colour.size();
  return 0;
}

/// How many bytes the character has that this byte begins, by the byte alone.
std::size_t length_by_lead(char lead) {
  const auto c = static_cast<unsigned char>(lead);
  return c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 1;
}

/// The number of a character of two or three bytes, 0 of others.
unsigned number_of(std::string_view character) {
  const auto low = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])) & 63; };
  const unsigned lead = static_cast<unsigned char>(character.front());
  if (character.size() == 2) return (lead & 31) << 6 | low(1);
  if (character.size() == 3) return (lead & 15) << 12 | low(1) << 6 | low(2);
  return 0;
}

/// Controls, and marks that turn the direction of what follows, end a line or are not seen: a name would look like another one.
bool misleads(unsigned number) {
  return (number >= 0x80 && number < 0xa0) || number == 0x61c || number == 0x200e || number == 0x200f ||
         (number >= 0x2028 && number <= 0x202e) || (number >= 0x2066 && number <= 0x2069) || number == 0xfeff;
}

std::string in_hex(std::string_view prefix, unsigned char c) {
  return std::string(prefix) + "0123456789abcdef"[c >> 4] + "0123456789abcdef"[c & 15];
}

}  // namespace

std::string SafeText::of(std::string_view text) {
  const std::string whole = character_ + std::string(text);
  character_.clear();
  std::string safe;
  for (std::size_t i = 0; i < whole.size();) {
    const std::string_view rest = std::string_view(whole).substr(i);
    const auto c = static_cast<unsigned char>(rest.front());
    std::size_t taken = 1;
    if (const std::size_t colour = colour_ ? colour_length(rest) : 0) {
      safe += rest.substr(0, colour), taken = colour;
    } else if (c == '\r') {
      safe += "\\r";
    } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      safe += in_hex("\\x", c);
    } else if (c < 0x80) {
      safe += rest.front();
    } else if (const std::size_t length = character_length(rest)) {
      const unsigned number = number_of(rest.substr(0, length));
      if (misleads(number))
        safe +=
            in_hex(in_hex("\\u", static_cast<unsigned char>(number >> 8)), static_cast<unsigned char>(number & 255));
      else
        safe += rest.substr(0, length);
      taken = length;
    } else if (rest.size() < length_by_lead(rest.front())) {
      character_ = rest;
      break;
    } else {
      safe += in_hex("\\x", c);
    }
    i += taken;
  }
  return safe;
}

/// Stands in front of a stream's own buffer.
class SafeOutput::Filter : public std::streambuf {
 public:
  Filter(std::ostream& stream, bool is_terminal) : stream_(stream), text_(is_terminal), target_(stream.rdbuf(this)) {}
  ~Filter() override { stream_.rdbuf(target_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    const std::string safe = text_.of({text, static_cast<std::size_t>(count)});
    const auto length = static_cast<std::streamsize>(safe.size());
    return target_->sputn(safe.data(), length) == length ? count : 0;
  }
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    const char one = static_cast<char>(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return target_->pubsync(); }

 private:
  std::ostream& stream_;
  SafeText text_;
  std::streambuf* target_;
};

SafeOutput::SafeOutput()
    : output_(std::make_unique<Filter>(std::cout, is_terminal_output())),
      error_(std::make_unique<Filter>(std::cerr, is_terminal_error())) {}
SafeOutput::~SafeOutput() {
  std::cout.flush();
  std::cerr.flush();
}

}  // namespace stickslip::inline cli
