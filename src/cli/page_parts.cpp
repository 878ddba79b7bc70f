/// What the HTML reports of all commands share; see page_parts.hpp.
#include "page_parts.hpp"

#include <unistd.h>

#include <filesystem>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "recording/tables/raw_table.hpp"
#include "stickslip/version.hpp"

namespace stickslip {

void check_report_place(const std::string& path) {
  namespace fs = std::filesystem;
  check_file_name(path);
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  std::error_code problem;
  if (!fs::is_directory(folder, problem))
    throw Error("there is no directory " + in_quotes(folder.string()) + " to write the report to; create it first");
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error("cannot write the report to the directory " + in_quotes(folder.string()) + ": no permission");
  if (fs::is_directory(path, problem))
    throw Error("cannot write the report " + in_quotes(path) + ": it is a directory; name a file, such as report.html");
  if (was_read(path)) throw Error("the report would replace " + in_quotes(path) + ", which this run reads");
}

SourceFile fingerprinted(const std::string& path) {
  const std::string bytes = bytes_of(path);
  return {path, fingerprint_of(crc_of(0, bytes), bytes.size())};
}

void add_how_to_repeat(Page& page, const std::vector<SourceFile>& files) {
  const std::string program = "stickslip " + std::string(version());
  page.blocks.push_back(PageHeading{"How to repeat"});
  page.blocks.push_back(Code{command_line()});
  KeyValues facts{{{"program", PageCell(program)}}};
  for (const SourceFile& file : files) facts.rows.push_back({one_line(file.path), PageCell(file.fingerprint)});
  page.blocks.push_back(facts);
  page.footer = "Made by " + program + ". The same command on the same files gives the same numbers.";
}

}  // namespace stickslip
