/// Names of files: taken apart, put together and looked up. Texts are UTF-8 on every system.
///   stem_of("out/axis.csv") = "axis"        beside("jobs/fit.toml", "axis.csv") = "jobs/axis.csv"
/// Results are those of std::filesystem, which WASI's library lacks.
#pragma once
#include <string>
#include <string_view>

namespace stickslip::inline platform {

/// "a/b.csv" -> "a"; "b.csv" -> "".
std::string parent_of(std::string_view path);
/// The same, but "." for a name alone: the folder a file lies in.
std::string folder_of(std::string_view path);
/// "a/b.csv" -> "b.csv".
std::string file_name_of(std::string_view path);
/// "a/b.csv" -> "b"; ".profile" stays.
std::string stem_of(std::string_view path);
/// folder/name; an absolute name stays as it is.
std::string joined_path(std::string_view folder, std::string_view name);
/// `name` as seen from the folder of `file`.
std::string beside(std::string_view file, std::string_view name);
/// "a/./b/../c" -> "a/c".
std::string normal_path(std::string_view path);
/// With the working directory in front unless it is absolute already.
std::string absolute_path(const std::string& path);

bool is_directory(const std::string& path);
/// A plain file: no directory, no device.
bool is_file(const std::string& path);
bool exists(const std::string& path);

/// Makes a directory and those above it; the reason if that failed, else "".
std::string make_directories(const std::string& path);
/// Takes a file away if there is one; the reason if that failed, else "".
std::string remove_file(const std::string& path);

}  // namespace stickslip::inline platform
