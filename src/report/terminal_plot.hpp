/// A panel drawn with braille characters, two by four dots each, for a look without leaving the terminal.
/// Shaded intervals become a bar under the axis. Regions, marks and labels of reference lines are left to the SVG.
#pragma once
#include <string>

#include "report/figure.hpp"

namespace stickslip::inline reports {

struct TerminalPlotOptions {
  int columns = 80, rows = 16;  // characters, all included; at least 20 and 4 are used
  bool colour = false;
};

/// Ends with a line feed; without data it says "no data".
std::string to_terminal(const Panel& panel, const TerminalPlotOptions& options = {});

}  // namespace stickslip::inline reports
