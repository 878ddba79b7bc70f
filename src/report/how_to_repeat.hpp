/// How a reader of an HTML report repeats the run: the command, the program's version and the files read.
#pragma once
#include <string>
#include <vector>

#include "report/page.hpp"

namespace stickslip::inline reports {

/// A file a result came from; its fingerprint is the CRC-32 and the length, "crc32 8de4f21c, 626039 bytes".
struct SourceFile {
  std::string path = {}, fingerprint = {};
};
/// Reads the file once more. Throws Error if that fails.
SourceFile fingerprinted(const std::string& path);

/// Where a result comes from.
struct Provenance {
  std::string command = {};  // as typed in a shell
  std::vector<SourceFile> files = {};
};

/// The section "How to repeat". Also sets the page's footer.
void add_how_to_repeat(Page& page, const Provenance& provenance);

}  // namespace stickslip::inline reports
