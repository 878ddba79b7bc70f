/// The fewest points that still draw the same picture: a million samples become a few thousand without losing a peak.
/// Everything here is in pixels.
///  - left to right (time series): per pixel column the first, lowest, highest and last point stay; exact on screen
///  - loops: strokes that fall on ink already drawn are left out, then the path is simplified; nothing drawn moves by
///    more than `tolerance` and no ink is missing by more than one cell
///  - points: one per cell of half a pixel
#pragma once
#include <vector>

namespace stickslip::inline reports {

struct Point {
  double x, y;
};
using Path = std::vector<Point>;  // drawn without lifting the pen

inline constexpr double tolerance = 0.25;  // [px]

bool runs_left_to_right(const Path& path);

/// For a path that runs left to right.
Path thin_columns(const Path& path);

/// The fewest of its own points whose path stays within `tolerance` of every dropped one (Douglas and Peucker).
Path simplified(const Path& path, double tolerance);

/// For any path, such as a hysteresis loop run through a thousand times; `redraw` keeps repeated strokes.
std::vector<Path> thin_loops(const Path& path, bool redraw = false);

/// For scattered points.
Path thin_points(const Path& points);

}  // namespace stickslip::inline reports
