/// Names of files on Windows: UTF-8 in the program, UTF-16 in the system. For this folder alone.
#pragma once
#if defined(_WIN32)
#include <filesystem>
#include <string>
#include <string_view>

namespace stickslip::inline platform {

inline std::filesystem::path wide_path(std::string_view text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}
/// With '/', which Windows takes too.
inline std::string plain_path(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

}  // namespace stickslip::inline platform

#endif
