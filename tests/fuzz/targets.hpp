/// What a fuzzer feeds: one function per kind of file: recordings (text, mat_v5, mat_v73, npz) and the program's own (scenario, machine,
/// sweep, model, job, journal, state). Each reads the bytes as the program does and looks at
/// what must hold for any bytes: they are read, or refused by an Error of one line. Anything else is a finding. The same functions
/// run in ./test over the kept inputs (corpus_test.cpp) and under libFuzzer (fuzz_main.cpp, scripts/fuzz).
#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace stickslip::fuzz {

/// A finding.
class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Target {
  std::string name;
  void (*take)(std::string_view bytes);  // throws BrokenPromise; whatever else leaves it is a finding, too
  std::vector<std::string> (*seeds)();   // valid inputs
};

const std::vector<Target>& recording_targets();
const std::vector<Target>& file_targets();
std::vector<Target> all_targets();

/// Calls `read`, which may end in an Error of one line; any other end is a finding.
template <class Read>
void reads_or_refuses(const Read& read) {
  try {
    read();
  } catch (const Error& problem) {
    const std::string text = problem.what();
    if (text.empty() || text.size() > 2000)
      throw BrokenPromise("a refusal of " + std::to_string(text.size()) + " characters");
    for (const char c : text)
      if (std::iscntrl(static_cast<unsigned char>(c))) throw BrokenPromise("a refusal of more than one line: " + text);
  }
}

}  // namespace stickslip::fuzz
