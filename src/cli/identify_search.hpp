/// Options of `stickslip identify` that say what is searched and how.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "identification/identify.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline cli {

struct SearchArguments {
  IdentifyOptions options;
  std::string search = "standard", loss = "squares";
  std::vector<std::string> over, fix, priors, start_from, own;
  bool no_offset = false, quick = false;
  /// The option that is for one machine; "" for none.
  std::string of_one_machine() const { return !priors.empty() ? "--prior" : loss != "squares" ? "--loss robust" : ""; }
};

void add_search_options(CLI::App& command, SearchArguments& arguments);

/// What they ask of an identification. Throws Error.
IdentifyOptions options_of(const SearchArguments& arguments, MotionKind motion);

}  // namespace stickslip::inline cli
