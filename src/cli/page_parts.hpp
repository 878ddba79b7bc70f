/// What the HTML reports of all commands share: where they may go, and how a reader repeats the run.
#pragma once
#include <string>
#include <vector>

#include "report/page.hpp"

namespace stickslip {

/// Before long work: refuses a place that cannot be written to, and a file that this run has read.
void check_report_place(const std::string& path);

/// A file a result came from; its fingerprint is the CRC-32 and the length, "crc32 8de4f21c, 626039 bytes".
struct SourceFile {
  std::string path = {}, fingerprint = {};
};
SourceFile fingerprinted(const std::string& path);

/// "How to repeat": the command as typed, the program's version and the files read. Also sets the page's footer.
void add_how_to_repeat(Page& page, const std::vector<SourceFile>& files);

}  // namespace stickslip
