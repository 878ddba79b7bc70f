/// A reproduced experiment in words, for programs and as files.
#pragma once
#include <string>
#include <vector>

#include "files/json.hpp"
#include "jobs/reproduce/page.hpp"

namespace stickslip::inline jobs {

/// Every row with reference, ours and tolerance; `written` are the files that go with it.
Json reproduction_json(const Experiment& experiment, const Reproduction& found,
                       const std::vector<std::string>& written);
/// The same as a table, and the remarks.
std::string reproduction_text(const Experiment& experiment, const Reproduction& found, bool colour = false);

/// Figures as SVG and tables as CSV, in a folder that exists. Returns their paths.
std::vector<std::string> write_reproduction(const std::string& folder, const Reproduction& found);
/// The pages of the gallery, in a folder that exists.
void write_gallery(const std::string& folder, const std::vector<Reproduced>& all, const Provenance& provenance);

}  // namespace stickslip::inline jobs
