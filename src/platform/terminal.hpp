/// The terminal, if there is one: who looks at standard output, and how wide it is.
#pragma once
#include <cstddef>

namespace stickslip::inline platform {

/// True for a standard output (or error) a person looks at.
bool is_terminal_output();
bool is_terminal_error();

/// From now on there is none: what looks like one belongs to another program, such as mpirun.
void ignore_terminal();

/// True if the terminal of standard output supports colours, which are switched on for Windows' console.
bool terminal_takes_colour();

/// Width of the terminal in characters; 80 where there is none.
std::size_t terminal_width();

}  // namespace stickslip::inline platform
