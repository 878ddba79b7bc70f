/// What a terminal can show: whether there is one, whether it wants colour, and how wide a text will be on it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace stickslip {

/// True for a standard output (or error) a person looks at.
bool is_terminal_output();
bool is_terminal_error();

/// True if standard output is a terminal that shows colour; NO_COLOR (set and not empty) and TERM=dumb say no.
bool wants_colour();

/// Width of the terminal in characters; 80 where there is none.
std::size_t terminal_width();

/// Columns a text takes: UTF-8 characters, combining ones none, East Asian wide ones and emoji two.
std::size_t display_width(std::string_view text);

enum class Ink { plain, bold, faint, red, green, yellow, blue, magenta, cyan };

/// The text in that colour, or as it is.
std::string coloured(std::string_view text, Ink ink, bool colour);

}  // namespace stickslip
