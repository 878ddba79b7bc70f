/// How a reader of an HTML report repeats the run; see how_to_repeat.hpp.
#include "report/how_to_repeat.hpp"

#include <cstdint>
#include <limits>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/file.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline reports {

SourceFile fingerprinted(const std::string& path) {
  std::string bytes;
  FileIdentity ignored;
  const std::string problem = read_file(path, std::numeric_limits<std::uint64_t>::max(), bytes, ignored);
  if (!problem.empty()) throw Error(one_line(path) + ": " + problem);
  return {path, fingerprint_of(bytes)};
}

void add_how_to_repeat(Page& page, const Provenance& provenance) {
  const std::string program = "stickslip " + std::string(version());
  page.blocks.push_back(PageHeading{"How to repeat"});
  page.blocks.push_back(Code{provenance.command});
  KeyValues facts{{{"program", PageCell(program)}}};
  for (const SourceFile& file : provenance.files)
    facts.rows.push_back({one_line(file.path), PageCell(file.fingerprint)});
  page.blocks.push_back(facts);
  page.footer = "Made by " + program + ". The same command on the same files gives the same numbers.";
}

}  // namespace stickslip::inline reports
