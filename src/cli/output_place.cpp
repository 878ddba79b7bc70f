/// Where result files go; see output_place.hpp.
#include "output_place.hpp"

#include <unistd.h>

#include <filesystem>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"

namespace stickslip {

namespace fs = std::filesystem;

std::string output_prefix(const std::string& output, const std::string& input) {
  const std::string stem = fs::path(input).stem().string();
  if (output.empty()) return stem;
  for (const std::string_view ending : {".csv", ".npz", ".svg"})
    if (output.ends_with(ending))
      throw Error("--output is " + in_quotes(output) + ", but it is how the names of all files begin: write " +
                  in_quotes(output.substr(0, output.size() - ending.size())));
  std::error_code problem;
  if (output.ends_with('/')) {
    make_directory(output);
    return output + stem;
  }
  return fs::is_directory(output, problem) ? (fs::path(output) / stem).string() : output;
}

void check_place(const std::string& prefix, const std::vector<std::string>& endings) {
  const fs::path folder = fs::path(prefix).has_parent_path() ? fs::path(prefix).parent_path() : fs::path(".");
  std::error_code problem;
  if (!fs::is_directory(folder, problem))
    throw Error("there is no directory " + in_quotes(folder.string()) + " to write results to; create it first");
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error("cannot write results to the directory " + in_quotes(folder.string()) + ": no permission");
  for (const auto& ending : endings) check_file_name(prefix + ending);
  for (const auto& ending : endings)
    if (was_read(prefix + ending))
      throw Error("results would replace " + in_quotes(prefix + ending) +
                  ", which this run reads; name another --output");
    else if (fs::is_directory(prefix + ending, problem))
      throw Error("cannot write " + in_quotes(prefix + ending) + ": it is a directory; name another --output");
}

}  // namespace stickslip
