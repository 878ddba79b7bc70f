/// The contents of the axes of an SVG panel; see svg_series.hpp.
#include "report/svg_series.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "report/outline.hpp"
#include "report/svg_text.hpp"

namespace stickslip::inline reports {
namespace {

constexpr double far_away =
    1e5;                     // [px] points beyond are pulled in: slopes inside change by less than a tenth of a pixel
constexpr double grain = 6;  // [px] of the map of inked places that labels avoid
constexpr double note_size = 11;  // [px]

int colour_of(int wanted, int order) { return wanted == by_order ? order % ordered_colours : wanted % palette_size; }

/// Draws one panel; coordinates are those of the plotted area, origin at its top left.
class Drawing {
 public:
  Drawing(const Panel& panel, const AxisScale& x, const AxisScale& y, const Box& plot)
      : panel_(panel),
        x_(x),
        y_(y),
        width_(plot.width),
        height_(plot.height),
        columns_(std::size_t(width_ / grain) + 1),
        inked_(columns_ * (std::size_t(height_ / grain) + 1), false) {}

  std::string content() {
    for (const auto& shade : panel_.shades) draw(shade);
    for (const auto& region : panel_.regions) draw(region);
    for (const auto& reference : panel_.references) draw_line(reference);
    int order = 0;
    for (const auto& series : panel_.series) draw(series, colour_of(series.colour, order++));
    for (const auto& mark : panel_.marks) draw_dot(mark);
    for (const auto& mark : panel_.marks) label(mark);
    for (const auto& reference : panel_.references) label(reference);
    return std::move(out_);
  }

 private:
  /// Where a value lies; not finite for a gap.
  Point at(double x, double y) const {
    const double right = place(x_, x) * width_, down = (1 - place(y_, y)) * height_;
    if (!std::isfinite(right) || !std::isfinite(down)) return {NAN, NAN};
    return {std::clamp(right, -far_away, far_away), std::clamp(down, -far_away, far_away)};
  }
  double across(double x) const { return std::clamp(place(x_, x) * width_, -far_away, far_away); }
  bool is_visible(const Point& p) const { return p.x >= 0 && p.x <= width_ && p.y >= 0 && p.y <= height_; }

  /// The stretches of a series between its gaps.
  std::vector<Path> stretches(const DataSeries& series) const {
    assert(series.x.size() == series.y.size());
    std::vector<Path> all;
    bool pen_is_down = false;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      const Point p = at(series.x[i], series.y[i]);
      if (!std::isfinite(p.x)) {
        pen_is_down = false;
        continue;
      }
      if (!pen_is_down)
        all.emplace_back();
      else if (series.style == Style::steps)
        all.back().push_back({p.x, all.back().back().y});
      all.back().push_back(p);
      pen_is_down = true;
    }
    return all;
  }

  void ink(const Point& a, const Point& b) {
    const int steps = std::min(2000, 1 + int(std::hypot(b.x - a.x, b.y - a.y) / grain));
    for (int i = 0; i <= steps; ++i) {
      const double s = double(i) / steps;
      const Point p{a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
      if (is_visible(p)) inked_[std::size_t(p.y / grain) * columns_ + std::size_t(p.x / grain)] = true;
    }
  }

  static std::string data(const Path& path) {
    std::string d;
    for (std::size_t i = 0; i < path.size(); ++i)
      d += (i == 0 ? "M" : i == 1 ? "L" : " ") + px(path[i].x) + " " + px(path[i].y);
    return d;
  }

  void dots(const Path& points, int colour, double radius) {
    // One path of zero-length strokes with round ends is far smaller than as many circles.
    std::string d;
    for (const auto& p : points) d += "M" + px(p.x) + " " + px(p.y) + "h0", ink(p, p);
    out_ +=
        "<path class=\"s" + std::to_string(colour) + "\" stroke-width=\"" + px(2 * radius) + "\" d=\"" + d + "\"/>\n";
  }

  void draw_cells(const DataSeries& series, int colour) {
    assert(series.edges.left.size() == series.x.size() && series.edges.top.size() == series.x.size());
    std::string d;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const Point low = at(series.edges.left[i], series.edges.bottom[i]),
                  high = at(series.edges.right[i], series.edges.top[i]);
      if (!std::isfinite(low.x) || !std::isfinite(high.x)) continue;
      d += "M" + px(low.x) + " " + px(high.y) + "H" + px(high.x) + "V" + px(low.y) + "H" + px(low.x) + "z";
    }
    if (!d.empty()) out_ += "<path style=\"stroke:none\" class=\"f" + std::to_string(colour) + "\" d=\"" + d + "\"/>\n";
  }

  void draw(const DataSeries& series, int colour) {
    if (series.style == Style::cells) return draw_cells(series, colour);
    std::string line, area;
    Path lonely;
    for (const auto& stretch : stretches(series)) {
      if (series.style == Style::points || stretch.size() == 1) {
        lonely.insert(lonely.end(), stretch.begin(), stretch.end());
        continue;
      }
      const bool is_graph = runs_left_to_right(stretch);
      const auto strokes = is_graph ? std::vector<Path>{simplified(thin_columns(stretch), tolerance / 4)}
                                    : thin_loops(stretch, series.dashed || series.style == Style::area);
      for (const auto& stroke : strokes) {
        line += data(stroke);
        for (std::size_t i = 1; i < stroke.size(); ++i) ink(stroke[i - 1], stroke[i]);
        if (series.style != Style::area) continue;
        const double zero = y_.logarithmic ? height_ : std::clamp(at(series.x[0], 0).y, -far_away, far_away);
        area += data(stroke) + "L" + px(stroke.back().x) + " " + px(zero) + " " + px(stroke.front().x) + " " +
                px(zero) + "Z";
      }
    }
    const std::string number = std::to_string(colour);
    if (!area.empty())
      out_ += "<path style=\"stroke:none;fill-opacity:.25\" class=\"f" + number + "\" d=\"" + area + "\"/>\n";
    if (!line.empty())
      out_ += "<path class=\"s" + number + "\" stroke-width=\"" + px(series.width) + "\"" +
              (series.dashed ? " stroke-dasharray=\"6 5\"" : "") + " d=\"" + line + "\"/>\n";
    if (!lonely.empty()) dots(thin_points(lonely), colour, series.style == Style::points ? 2 : 2.5);
  }

  /// Neighbours closer than a pixel become one, so that a hundred thousand short sticks stay a small file.
  void draw(const Shade& shade) {
    std::vector<Interval> shown;
    for (const auto& [from, to] : shade.intervals) {
      const double left = std::max(across(std::min(from, to)), -1.0),
                   right = std::min(across(std::max(from, to)), width_ + 1);
      if (!(left < right)) continue;
      if (!shown.empty() && left >= shown.back().from && left < shown.back().to + 0.5)
        shown.back().to = std::max(shown.back().to, right);
      else
        shown.push_back({left, right});
    }
    std::string d;
    for (const auto& [from, to] : shown)
      d += "M" + px(from) + " 0h" + px(std::max(0.5, to - from)) + "v" + px(height_) + "h" +
           px(-std::max(0.5, to - from)) + "z";
    if (!d.empty())
      out_ += "<path style=\"stroke:none;fill-opacity:.17\" class=\"f" + std::to_string(colour_of(shade.colour, grey)) +
              "\" d=\"" + d + "\"/>\n";
  }

  void draw(const Region& region) {
    Path outline;
    for (std::size_t i = 0; i < std::min(region.x.size(), region.y.size()); ++i)
      if (const Point p = at(region.x[i], region.y[i]); std::isfinite(p.x)) outline.push_back(p);
    if (outline.size() < 3) return;
    const std::string number = std::to_string(colour_of(region.colour, grey));
    out_ += "<path style=\"fill-opacity:.2;stroke-opacity:.45\" class=\"f" + number + " s" + number +
            "\" stroke-width=\"0.8\" d=\"" + data(simplified(outline, tolerance / 2)) + "Z\"/>\n";
  }

  void draw_line(const Reference& reference) {
    const bool is_horizontal = reference.across == Across::horizontal;
    const double p = is_horizontal ? (1 - place(y_, reference.at)) * height_ : place(x_, reference.at) * width_;
    if (!std::isfinite(p) || std::abs(p) > far_away) return;
    out_ += "<path class=\"ref\" stroke-dasharray=\"2 4\" stroke-width=\"1.2\" d=\"" +
            (is_horizontal ? "M0 " + px(p) + "h" + px(width_) : "M" + px(p) + " 0v" + px(height_)) + "\"/>\n";
  }

  void draw_dot(const Mark& mark) {
    const Point p = at(mark.x, mark.y);
    if (!std::isfinite(p.x)) return;
    out_ += "<circle cx=\"" + px(p.x) + "\" cy=\"" + px(p.y) +
            "\" r=\"4\" stroke-width=\"1.5\" class=\"paper-stroke f" + std::to_string(colour_of(mark.colour, grey)) +
            "\"/>\n";
    taken_.push_back({p.x - 5, p.y - 5, 10, 10});
  }

  /// How badly a label would sit there: on other labels, outside, or on curves.
  double trouble(const Box& b) const {
    double sum = 0;
    for (const auto& other : taken_) {
      const double wide = std::min(b.left + b.width, other.left + other.width) - std::max(b.left, other.left);
      const double high = std::min(b.top + b.height, other.top + other.height) - std::max(b.top, other.top);
      if (wide > 0 && high > 0) sum += 100 + wide * high;
    }
    if (b.left < 1 || b.top < 1 || b.left + b.width > width_ - 1 || b.top + b.height > height_ - 1) sum += 1000;
    for (double y = std::max(0.0, b.top); y < std::min(height_, b.top + b.height); y += grain)
      for (double x = std::max(0.0, b.left); x < std::min(width_, b.left + b.width); x += grain)
        if (inked_[std::size_t(y / grain) * columns_ + std::size_t(x / grain)]) sum += 3;
    return sum;
  }

  /// Writes words at the least troubled of the given left upper corners; the first of equals wins.
  void write(const std::string& words, const std::vector<Point>& corners) {
    const double width = text_width(words, note_size), height = note_size + 3;
    Box best{corners.front().x, corners.front().y, width, height};
    double least = trouble(best);
    for (const auto& [left, top] : corners)
      if (const Box box{left, top, width, height}; trouble(box) < least - 1e-9) best = box, least = trouble(box);
    taken_.push_back(best);
    out_ += "<text class=\"halo\" x=\"" + px(best.left) + "\" y=\"" + px(best.top + note_size) + "\" font-size=\"" +
            px(note_size) + "\">" + xml_text(words) + "</text>\n";
  }

  void label(const Mark& mark) {
    const Point p = at(mark.x, mark.y);
    if (mark.label.empty() || !std::isfinite(p.x) || !is_visible(p)) return;
    const double w = text_width(mark.label, note_size), h = note_size + 3;
    std::vector<Point> corners;
    for (const double away : {0.0, 10.0, 24.0})
      for (const Point offset : {Point{8 + away, -h - 4 - away},
                                 {-w - 8 - away, -h - 4 - away},
                                 {8 + away, 4 + away},
                                 {-w - 8 - away, 4 + away},
                                 {-w / 2, -h - 8 - away},
                                 {-w / 2, 8 + away}})
        corners.push_back({p.x + offset.x, p.y + offset.y});
    write(mark.label, corners);
  }

  void label(const Reference& reference) {
    if (reference.label.empty()) return;
    const double w = text_width(reference.label, note_size), h = note_size + 3;
    std::vector<Point> corners;
    if (reference.across == Across::horizontal) {
      const double y = (1 - place(y_, reference.at)) * height_;
      if (!(y >= 0 && y <= height_)) return;
      for (const double part : {1.0, 0.0, 0.75, 0.5, 0.25})
        for (const double top : {y - h - 2, y + 2}) corners.push_back({3 + part * (width_ - w - 6), top});
    } else {
      const double x = place(x_, reference.at) * width_;
      if (!(x >= 0 && x <= width_)) return;
      for (double top = 3; top + h < height_; top += h)
        for (const double left : {x + 4, x - w - 4}) corners.push_back({left, top});
    }
    if (!corners.empty()) write(reference.label, corners);
  }

  const Panel& panel_;
  const AxisScale &x_, &y_;
  double width_, height_;
  std::size_t columns_;
  std::vector<bool> inked_;
  std::vector<Box> taken_;
  std::string out_;
};

}  // namespace

std::string drawn_content(const Panel& panel, const AxisScale& x, const AxisScale& y, const Box& plot) {
  // A nested svg cuts off at its edges without an id that could clash in a page of several figures.
  return "<svg x=\"" + px(plot.left) + "\" y=\"" + px(plot.top) + "\" width=\"" + px(plot.width) + "\" height=\"" +
         px(plot.height) + "\" overflow=\"hidden\">\n" + Drawing(panel, x, y, plot).content() + "</svg>\n";
}

}  // namespace stickslip::inline reports
