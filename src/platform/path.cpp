/// Names of files; see path.hpp.
#include "platform/path.hpp"

#include "platform/file.hpp"
#include "platform/wide_path.hpp"

#if defined(_WIN32)

#include <system_error>

namespace stickslip::inline platform {

namespace fs = std::filesystem;

std::string parent_of(std::string_view path) { return plain_path(wide_path(path).parent_path()); }
std::string file_name_of(std::string_view path) { return plain_path(wide_path(path).filename()); }
std::string stem_of(std::string_view path) { return plain_path(wide_path(path).stem()); }
std::string joined_path(std::string_view folder, std::string_view name) {
  return plain_path(wide_path(folder) / wide_path(name));
}
std::string normal_path(std::string_view path) { return plain_path(wide_path(path).lexically_normal()); }
std::string absolute_path(const std::string& path) {
  std::error_code problem;
  return plain_path(fs::absolute(wide_path(path), problem));
}
std::string make_directories(const std::string& path) {
  std::error_code problem;
  fs::create_directories(wide_path(path), problem);
  return problem ? problem.message() : "";
}
std::string remove_file(const std::string& path) {
  std::error_code problem;
  fs::remove(wide_path(path), problem);
  return problem ? problem.message() : "";
}

}  // namespace stickslip::inline platform

#else

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace stickslip::inline platform {

std::string parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  std::size_t end = slash;
  while (end > 0 && path[end - 1] == '/') --end;
  return std::string(end == 0 ? path.substr(0, 1) : path.substr(0, end));
}

std::string file_name_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string stem_of(std::string_view path) {
  const std::string name = file_name_of(path);
  const auto dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 || name == ".." ? name : name.substr(0, dot);
}

std::string joined_path(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

std::string normal_path(std::string_view path) {
  if (path.empty()) return "";
  const bool is_absolute = path.front() == '/';
  std::vector<std::string_view> parts;
  bool ends_open = false;  // the last part names a directory for sure: "a/", "a/."
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    ends_open = part.empty() || part == ".";
    if (part == "..") {
      if (!parts.empty() && parts.back() != "..")
        parts.pop_back(), ends_open = true;
      else if (!is_absolute)
        parts.push_back(part);
    } else if (!ends_open) {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string normal = is_absolute ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) normal += (i > 0 ? "/" : "") + std::string(parts[i]);
  if (parts.empty()) return is_absolute ? "/" : ".";
  return ends_open && parts.back() != ".." ? normal + "/" : normal;
}

std::string absolute_path(const std::string& path) {
  if (path.empty() || path.starts_with('/')) return path;
  std::string here(256, '\0');
  while (::getcwd(here.data(), here.size()) == nullptr) {
    if (errno != ERANGE) return path;
    here.resize(2 * here.size());
  }
  here.resize(std::strlen(here.c_str()));
  return joined_path(here, path);
}

std::string make_directories(const std::string& path) {
  if (path.empty() || is_directory(path)) return "";
  std::string plain = path;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  if (const std::string above = parent_of(plain); !above.empty() && above != plain) {
    if (std::string reason = make_directories(above); !reason.empty()) return reason;
  }
  if (::mkdir(plain.c_str(), 0777) == 0 || (errno == EEXIST && is_directory(plain))) return "";
  return std::strerror(errno == EEXIST ? ENOTDIR : errno);
}

std::string remove_file(const std::string& path) {
  return ::unlink(path.c_str()) == 0 || errno == ENOENT ? "" : std::strerror(errno);
}

}  // namespace stickslip::inline platform

#endif

namespace stickslip::inline platform {

std::string folder_of(std::string_view path) {
  std::string parent = parent_of(path);
  return parent.empty() ? "." : parent;
}
std::string beside(std::string_view file, std::string_view name) { return joined_path(parent_of(file), name); }

bool is_directory(const std::string& path) { return facts_of(path).kind == FileKind::directory; }
bool is_file(const std::string& path) { return facts_of(path).kind == FileKind::file; }
bool exists(const std::string& path) { return facts_of(path).kind != FileKind::none; }

}  // namespace stickslip::inline platform
