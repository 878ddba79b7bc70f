#include "platform/program_path.hpp"

#if defined(_WIN32)
#include <windows.h>

#include <array>
#elif defined(__linux__)
#include <unistd.h>

#include <array>
#endif

namespace stickslip::inline platform {

std::string program_path() {
#if defined(_WIN32)
  std::array<wchar_t, 4096> wide{};
  const DWORD length = ::GetModuleFileNameW(nullptr, wide.data(), static_cast<DWORD>(wide.size()));
  std::array<char, 3 * 4096> narrow{};
  const int bytes = ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), static_cast<int>(length), narrow.data(),
                                          static_cast<int>(narrow.size()), nullptr, nullptr);
  return std::string(narrow.data(), static_cast<std::size_t>(bytes > 0 ? bytes : 0));
#elif defined(__linux__)
  std::array<char, 4096> path{};
  const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
#else
  return {};
#endif
}

}  // namespace stickslip::inline platform
