/// Thinned paths must look the same: peaks stay, nothing moves by a visible amount, ink is where it was.
#include "report/outline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace stickslip::outline_test {
namespace {

double distance_to(const Path& path, const Point& p) {
  double least = INFINITY;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point a = path[i - 1], b = path[i];
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double s = square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
    least = std::min(least, std::hypot(p.x - a.x - s * dx, p.y - a.y - s * dy));
  }
  return least;
}

double distance_to(const std::vector<Path>& strokes, const Point& p) {
  double least = INFINITY;
  for (const auto& stroke : strokes) least = std::min(least, distance_to(stroke, p));
  return least;
}

TEST(Outline, AMillionNoisySamplesKeepEveryColumnsPeaks) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  Path path;
  for (int i = 0; i < 1000000; ++i) path.push_back({i * 7e-4, noise(random)});
  path[123456].y = 100;  // one sample alone
  path[654321].y = -100;
  const Path kept = thin_columns(path);
  EXPECT_LE(kept.size(), 4u * 700u);
  std::vector<double> high(700, -INFINITY), low(700, INFINITY), kept_high = high, kept_low = low;
  for (const auto& [x, y] : path)
    high[std::size_t(x)] = std::max(high[std::size_t(x)], y), low[std::size_t(x)] = std::min(low[std::size_t(x)], y);
  for (const auto& [x, y] : kept)
    kept_high[std::size_t(x)] = std::max(kept_high[std::size_t(x)], y),
    kept_low[std::size_t(x)] = std::min(kept_low[std::size_t(x)], y);
  EXPECT_EQ(high, kept_high);
  EXPECT_EQ(low, kept_low);
  EXPECT_TRUE(runs_left_to_right(kept));
}

TEST(Outline, SimplifiedPathsStayWithinTheirTolerance) {
  Path circle;
  for (int i = 0; i <= 5000; ++i) circle.push_back({300 * std::cos(i * 2e-3), 300 * std::sin(i * 2e-3)});
  const Path kept = simplified(circle, 0.25);
  EXPECT_LT(kept.size(), 400u);
  for (const auto& p : circle) EXPECT_LE(distance_to(kept, p), 0.25 + 1e-9);
  EXPECT_EQ(kept.front().x, circle.front().x);
  EXPECT_EQ(kept.back().y, circle.back().y);
}

// A straight line needs its two ends; a path of one or two points is itself.
TEST(Outline, SimpleCasesAreExact) {
  Path line;
  for (int i = 0; i <= 100; ++i) line.push_back({double(i), 2.0 * i});
  EXPECT_EQ(simplified(line, 0.1).size(), 2u);
  EXPECT_EQ(simplified({{1, 1}}, 0.1).size(), 1u);
  EXPECT_TRUE(simplified({}, 0.1).empty());
  EXPECT_TRUE(thin_columns({}).empty());
  EXPECT_FALSE(runs_left_to_right({{1, 0}, {0, 0}}));
}

TEST(Outline, AThousandEqualLoopsCostAsMuchAsOneAndLoseNoInk) {
  Path loops;
  for (int i = 0; i < 1000000; ++i) {
    const double phase = 2 * std::numbers::pi * i / 1000;
    loops.push_back({350 + 300 * std::cos(phase), 150 + 120 * std::sin(phase)});
  }
  const auto strokes = thin_loops(loops);
  std::size_t points = 0;
  for (const auto& stroke : strokes) points += stroke.size();
  EXPECT_LT(points, 2000u);
  for (std::size_t i = 0; i < 2000; ++i) EXPECT_LE(distance_to(strokes, loops[i * 499]), 1.0);
}

// A jump inside a loop is a straight stroke that must be drawn although both its ends are inked already.
TEST(Outline, ALongStrokeBetweenInkedPlacesIsDrawn) {
  Path path;
  for (int i = 0; i <= 1000; ++i) path.push_back({double(i % 500), i < 500 ? 0.0 : 200.0});
  path.push_back({0, 0});
  path.push_back({499, 200});
  EXPECT_LE(distance_to(thin_loops(path), {249.5, 100}), 1.0);
}

TEST(Outline, CrowdedPointsShareACell) {
  Path points(1000, {3.1, 4.1});
  points.push_back({10, 10});
  EXPECT_EQ(thin_points(points).size(), 2u);
}

}  // namespace
}  // namespace stickslip::outline_test
