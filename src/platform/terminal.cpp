/// The terminal, if there is one; see terminal.hpp.
#include "platform/terminal.hpp"

namespace stickslip::inline platform {
namespace {
bool is_ignored = false;
}  // namespace
void ignore_terminal() { is_ignored = true; }
}  // namespace stickslip::inline platform

#if defined(_WIN32)

#include <io.h>
#include <windows.h>

namespace stickslip::inline platform {

bool is_terminal_output() { return !is_ignored && ::_isatty(1) != 0; }
bool is_terminal_error() { return ::_isatty(2) != 0; }

bool terminal_takes_colour() {
  const HANDLE output = ::GetStdHandle(STD_OUTPUT_HANDLE);
  DWORD mode = 0;
  constexpr DWORD escape_codes = 0x0004;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING; older headers lack the name
  return is_terminal_output() && ::GetConsoleMode(output, &mode) && ::SetConsoleMode(output, mode | escape_codes);
}

std::size_t terminal_width() {
  CONSOLE_SCREEN_BUFFER_INFO screen{};
  if (is_ignored) return 80;
  if (!::GetConsoleScreenBufferInfo(::GetStdHandle(STD_OUTPUT_HANDLE), &screen)) return 80;
  const int width = screen.srWindow.Right - screen.srWindow.Left + 1;
  return width > 0 ? std::size_t(width) : 80;
}

}  // namespace stickslip::inline platform

#else

#include <unistd.h>

#if !defined(__wasi__)
#include <sys/ioctl.h>
#endif

namespace stickslip::inline platform {

bool is_terminal_output() { return !is_ignored && ::isatty(STDOUT_FILENO) == 1; }
bool is_terminal_error() { return ::isatty(STDERR_FILENO) == 1; }
bool terminal_takes_colour() { return is_terminal_output(); }

#if defined(__wasi__)
std::size_t terminal_width() { return 80; }
#else
std::size_t terminal_width() {
  winsize size{};
  const bool known = !is_ignored && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}
#endif

}  // namespace stickslip::inline platform

#endif
