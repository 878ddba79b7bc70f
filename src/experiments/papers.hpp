/// The papers whose experiments are reproduced: what they are, which of their figures are here, and where their print is
/// not followed (docs/misprints.md).
#pragma once
#include <string>
#include <vector>

namespace stickslip {

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
  std::string key;    // "P0"
  std::string title;  // as docs/papers.md gives it
  std::vector<PaperFigure> figures;
  std::vector<Misprint> misprints;
};

/// P0 to P4.
std::vector<Paper> papers();

}  // namespace stickslip
