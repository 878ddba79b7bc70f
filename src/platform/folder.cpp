/// What lies in a folder; see folder.hpp.
#include "platform/folder.hpp"

#if defined(_WIN32)

#include <system_error>

#include "platform/wide_path.hpp"

namespace stickslip::inline platform {

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(wide_path(folder), none))
    names.push_back(plain_path(entry.path().filename()));
  return names;
}

}  // namespace stickslip::inline platform

#else

#include <dirent.h>

#include <memory>

namespace stickslip::inline platform {

std::vector<std::string> files_in(const std::string& folder) {
  struct CloseFolder {
    void operator()(DIR* open) const { ::closedir(open); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

}  // namespace stickslip::inline platform

#endif
