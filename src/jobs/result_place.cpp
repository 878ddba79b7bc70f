/// Where result files go; see result_place.hpp.
#include "jobs/result_place.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "platform/file.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {

void check_file_name(const std::string& path) {
  constexpr std::size_t longest = 255;  // bytes, of all usual file systems
  if (file_name_of(path).size() > longest)
    throw Error("cannot write " + in_quotes(path) + ": the name is longer than 255 bytes");
}

void check_ending(const std::string& option, const std::string& path, const std::string& ending) {
  if (path.empty() || path.ends_with(ending) || facts_of(path).kind == FileKind::device) return;
  throw Error(option + " is " + in_quotes(one_line(path, 100)) + "; name a file that ends in " + ending);
}

void make_directory(const std::string& path) {
  const std::string plain = path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  if (exists(plain) && !is_directory(plain))
    throw Error("cannot make the directory " + in_quotes(path) + ": there is a file of that name");
  if (const std::string problem = make_directories(plain); !problem.empty())
    throw Error("cannot make the directory " + in_quotes(path) + ": " + problem);
}

void check_result_place(const std::string& path) {
  check_file_name(path);
  const std::string folder = folder_of(path);
  if (!is_directory(folder))
    throw Error("there is no directory " + in_quotes(folder) + " to write " + in_quotes(path) + " to; create it first");
  if (!write_refusal(folder).empty())
    throw Error("cannot write " + in_quotes(path) + ": no permission for the directory " + in_quotes(folder));
  if (is_directory(path)) throw Error("cannot write " + in_quotes(path) + ": it is a directory; give a file name");
  if (was_read(path)) throw Error("the result would replace " + in_quotes(path) + ", which this run reads");
}

void check_report(const std::string& path) {
  if (path.empty()) return;
  if (is_directory(path))
    throw Error("cannot write the report " + in_quotes(path) + ": it is a directory; name a file, such as report.html");
  if (was_read(path)) throw Error("the report would replace " + in_quotes(path) + ", which this run reads");
  check_result_place(path);
  if (!path.ends_with(".html") && !path.ends_with(".htm"))
    throw Error("--report is " + in_quotes(one_line(path, 100)) + "; name a file that ends in .html");
}

std::string output_prefix(const std::string& output, const std::string& input) {
  const std::string stem = stem_of(input);
  if (output.empty()) return stem;
  for (const std::string_view ending : {".csv", ".npz", ".svg"})
    if (output.ends_with(ending))
      throw Error("--output is " + in_quotes(output) + ", but it is how the names of all files begin: write " +
                  in_quotes(output.substr(0, output.size() - ending.size())));
  if (output.ends_with('/')) {
    make_directory(output);
    return output + stem;
  }
  return is_directory(output) ? joined_path(output, stem) : output;
}

void check_place(const std::string& prefix, const std::vector<std::string>& endings) {
  const std::string folder = folder_of(prefix);
  if (!is_directory(folder))
    throw Error("there is no directory " + in_quotes(folder) + " to write results to; create it first");
  if (!write_refusal(folder).empty())
    throw Error("cannot write results to the directory " + in_quotes(folder) + ": no permission");
  for (const auto& ending : endings) check_file_name(prefix + ending);
  for (const auto& ending : endings)
    if (was_read(prefix + ending))
      throw Error("results would replace " + in_quotes(prefix + ending) +
                  ", which this run reads; name another --output");
    else if (is_directory(prefix + ending))
      throw Error("cannot write " + in_quotes(prefix + ending) + ": it is a directory; name another --output");
}

std::vector<std::string> with_endings(const std::string& prefix, const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  for (const auto& ending : endings) names.push_back(prefix + ending);
  return names;
}

}  // namespace stickslip::inline jobs
