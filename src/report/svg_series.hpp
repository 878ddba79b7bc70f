/// The contents of the axes of an SVG panel: shades, regions, series, reference lines and marks, with labels that
/// keep clear of each other and, where they can, of the curves. Everything is cut off at the panel's edge.
#pragma once
#include <string>

#include "report/axis_scale.hpp"

namespace stickslip::inline reports {

struct Box {
  double left = 0, top = 0, width = 0, height = 0;  // [px]
};

std::string drawn_content(const Panel& panel, const AxisScale& x, const AxisScale& y, const Box& plot);

}  // namespace stickslip::inline reports
