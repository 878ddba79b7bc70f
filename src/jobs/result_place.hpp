/// Where result files go, checked before the work begins: a place that cannot be written to would waste the run.
#pragma once
#include <string>
#include <vector>

namespace stickslip::inline jobs {

/// A file that was written, and what it is in words.
struct WrittenFile {
  std::string path, what;
};

/// Refuses a name that no file can have. Throws Error.
void check_file_name(const std::string& path);

/// Makes a directory that is not there yet. Throws Error naming the path and the reason.
void make_directory(const std::string& path);

/// Refuses a file whose name is not of its kind, as "--csv is 'axis.toml'; name a file that ends in .csv": a result does not replace a
/// file of another kind. Devices have any name; "" is none. Throws Error.
void check_ending(const std::string& option, const std::string& path, const std::string& ending);

/// Refuses a place that cannot be written to, and a file that this run has read. Throws Error.
void check_result_place(const std::string& path);
/// The same for --report, which must be named .html. "": there is none.
void check_report(const std::string& path);

/// How the names of the files begin: "out/" or an existing directory takes the name of the input, anything else is the
/// beginning itself; without `output` the input's name, here.
std::string output_prefix(const std::string& output, const std::string& input);

/// No file may be written if another cannot. Throws Error.
void check_place(const std::string& prefix, const std::vector<std::string>& endings);

/// The names of all files of a run.
std::vector<std::string> with_endings(const std::string& prefix, const std::vector<std::string>& endings);

}  // namespace stickslip::inline jobs
