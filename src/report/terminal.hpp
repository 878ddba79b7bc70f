/// What a terminal can show: whether it wants colour, and how wide a text will be on it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "platform/terminal.hpp"

namespace stickslip::inline reports {

/// True if standard output is a terminal that shows colour; NO_COLOR (set and not empty) and TERM=dumb say no.
bool wants_colour();

/// Columns a text takes: UTF-8 characters, combining ones none, East Asian wide ones and emoji two.
std::size_t display_width(std::string_view text);

/// Text broken into lines that fit the width, each led by `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent);

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

/// The text in that colour, or as it is.
std::string coloured(std::string_view text, Ink ink, bool colour);

}  // namespace stickslip::inline reports
