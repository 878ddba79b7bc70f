/// The words of an SVG: safe text, how wide it will be, coordinates in few characters, and the style sheet.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/svg.hpp"

namespace stickslip::inline reports {

/// With &, < and quotes escaped; control characters and broken UTF-8 become U+FFFD, so that the file stays XML.
std::string xml_text(std::string_view text);

/// Estimated on the wide side for common sans-serif fonts [px].
double text_width(std::string_view text, double font_size);

/// Broken at spaces into lines of at most this width; a word alone may be wider.
std::vector<std::string> wrapped(const std::string& text, double font_size, double width);

/// Cut to this width with "…" at the end.
std::string shortened(const std::string& text, double font_size, double width);

/// A coordinate to a tenth of a pixel: "12.3", "7".
std::string px(double value);

std::string theme_class(Theme theme);
std::string style_sheet(Theme theme);

/// The colours as custom properties of CSS: "--paper:#ffffff;--ink:#1b2430;...--s7:#6d7784".
std::string palette_properties(Theme theme);

inline constexpr int palette_size = first_of_scale + steps_of_scale,
                     ordered_colours = 8;  // by order: without ink and scale

}  // namespace stickslip::inline reports
