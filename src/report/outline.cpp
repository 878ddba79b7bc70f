/// The fewest points that still draw the same picture; see outline.hpp.
#include "report/outline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace stickslip::inline reports {
namespace {

constexpr double ink_cell = 0.8;    // [px] half the width of a usual line
constexpr double point_cell = 0.5;  // [px]
constexpr std::size_t piece = 1000;
constexpr std::size_t enough = 400;  // shorter paths are simplified at most, never rasterised

std::uint64_t cell_of(const Point& p, double size) {
  const auto column = std::uint32_t(std::int32_t(std::floor(p.x / size)));
  const auto row = std::uint32_t(std::int32_t(std::floor(p.y / size)));
  return std::uint64_t(column) << 32 | row;
}

double distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along = square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

/// Without points that lie within `radius` of the last one kept.
Path without_crowding(const Path& path, double radius) {
  Path kept;
  for (const auto& p : path)
    if (kept.empty() || std::hypot(p.x - kept.back().x, p.y - kept.back().y) > radius) kept.push_back(p);
  if (!path.empty() && (kept.back().x != path.back().x || kept.back().y != path.back().y)) kept.push_back(path.back());
  return kept;
}

}  // namespace

bool runs_left_to_right(const Path& path) {
  return std::is_sorted(path.begin(), path.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
}

Path thin_columns(const Path& path) {
  Path kept;
  for (std::size_t begin = 0; begin < path.size();) {
    const double column = std::floor(path[begin].x);
    std::size_t end = begin, low = begin, high = begin;
    for (; end < path.size() && std::floor(path[end].x) == column; ++end) {
      if (path[end].y < path[low].y) low = end;
      if (path[end].y > path[high].y) high = end;
    }
    std::size_t previous = path.size();
    for (const std::size_t i : {begin, std::min(low, high), std::max(low, high), end - 1}) {
      if (i != previous) kept.push_back(path[i]);
      previous = i;
    }
    begin = end;
  }
  return kept;
}

Path simplified(const Path& path, double tolerance) {
  if (path.size() < 3) return path;
  std::vector<bool> keep(path.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open;
  for (std::size_t first = 0; first + 1 < path.size(); first += piece) {  // pieces bound the quadratic worst case
    const std::size_t last = std::min(first + piece, path.size() - 1);
    keep[last] = true;
    open.emplace_back(first, last);
  }
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    double farthest = tolerance;
    std::size_t split = first;
    for (std::size_t i = first + 1; i < last; ++i)
      if (const double d = distance_to_segment(path[i], path[first], path[last]); d > farthest) farthest = d, split = i;
    if (split == first) continue;
    keep[split] = true;
    open.emplace_back(first, split);
    open.emplace_back(split, last);
  }
  Path kept;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (keep[i]) kept.push_back(path[i]);
  return kept;
}

std::vector<Path> thin_loops(const Path& path, bool redraw) {
  const Path sparse = without_crowding(path, tolerance / 2);
  if (redraw || sparse.size() < enough) return {simplified(sparse, tolerance / 2)};

  std::unordered_set<std::uint64_t> inked;
  /// Inks the stroke; true if any of its cells was still blank.
  const auto ink = [&](const Point& a, const Point& b) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const int steps = std::clamp(int(std::ceil(length / ink_cell)), 1, 10000);
    bool is_new = false;
    for (int i = 0; i <= steps; ++i) {
      const double s = double(i) / steps;
      is_new |= inked.insert(cell_of({a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)}, ink_cell)).second;
    }
    return is_new;
  };

  std::vector<Path> strokes;
  bool pen_is_down = false;
  for (std::size_t i = 1; i < sparse.size(); ++i) {
    const bool draws = ink(sparse[i - 1], sparse[i]);
    if (draws && !pen_is_down) strokes.push_back({sparse[i - 1]});
    if (draws) strokes.back().push_back(sparse[i]);
    pen_is_down = draws;
  }
  for (auto& stroke : strokes) stroke = simplified(stroke, tolerance / 2);
  return strokes;
}

Path thin_points(const Path& points) {
  Path kept;
  std::unordered_set<std::uint64_t> taken;
  for (const auto& p : points)
    if (taken.insert(cell_of(p, point_cell)).second) kept.push_back(p);
  return kept;
}

}  // namespace stickslip::inline reports
