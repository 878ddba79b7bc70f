/// The HTML gallery of `stickslip reproduce`: a page per paper and an overview.
#pragma once
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {

struct Reproduced {
  const Experiment* experiment;
  Reproduction result;
};

struct GalleryFile {
  std::string name, html;  // "p0.html"; the overview is "index.html"
};

/// Only papers with an experiment among `all` get a page.
std::vector<GalleryFile> gallery(const std::vector<Reproduced>& all, const Provenance& provenance);

/// As the terminal shows it: "<= 1.5", and ours with ten digits.
std::string reference_text(const ComparedRow& row);
/// "7 printed in the papers, 132 independent references, 86 self-checks".
std::string origins_text(const OriginCounts& counts);
std::string ours_text(const ComparedRow& row);

}  // namespace stickslip::inline jobs
