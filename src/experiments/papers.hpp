/// The papers whose experiments are reproduced: what they are, which of their figures are here, and where their print is
/// not followed (docs/misprints.md).
#pragma once
#include <string>
#include <vector>

namespace stickslip::inline experiments {

/// A figure or table of a paper: drawn by an experiment, or the reason why not.
struct PaperFigure {
  std::string number;       // "Fig 4"
  std::string what;         // what it shows
  std::string experiment;   // "stick-slip"; "" if it is not drawn
  std::string remark = {};  // why not, or how ours differs
};

struct Misprint {
  std::string place, print, here;
};

struct Paper {
  std::string name;  // "Nouailletas 2010": how texts cite it
  std::string title;
  std::string reference;  // authors, where and when it appeared, as far as known
  std::vector<PaperFigure> figures;
  std::vector<Misprint> misprints;
};

std::vector<Paper> papers();
/// The paper that "Nouailletas 2010 Fig 3-4" cites. Throws std::logic_error if there is none.
const Paper& cited_paper(const std::string& citation);

}  // namespace stickslip::inline experiments
