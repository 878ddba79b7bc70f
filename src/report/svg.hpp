/// A figure as one self-contained SVG: no script, no outside font, no identifiers that could clash when several figures
/// are placed in one HTML page. It follows the reader's light or dark setting unless a theme is named. Titles wrap, axes
/// share the left edge, legends are beside the axis title or beneath the panel, so no text covers another.
#pragma once
#include <string>

#include "report/figure.hpp"

namespace stickslip::inline reports {

enum class Theme { automatic, light, dark, page };  // page: the colours of the HTML page that contains it

struct SvgOptions {
  double width = 820;       // [px]
  double panel_height = 0;  // of the plotted area [px]; 0 chooses by number and width of the panels
  Theme theme = Theme::automatic;
};

/// A panel without data says "no data". Throws Error only for an axis unit that cannot be read.
std::string to_svg(const Figure& figure, const SvgOptions& options = {});

}  // namespace stickslip::inline reports
