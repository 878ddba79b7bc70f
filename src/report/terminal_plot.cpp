/// A panel drawn with braille characters; see terminal_plot.hpp.
#include "report/terminal_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/axis_scale.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline reports {
namespace {

constexpr std::array series_inks{Ink::blue,   Ink::red,  Ink::green, Ink::magenta,
                                 Ink::yellow, Ink::cyan, Ink::plain, Ink::faint};

Ink ink_of(int colour, int order) {
  return series_inks[std::size_t(colour == by_order ? order : colour) % series_inks.size()];
}

/// Dots, two wide and four high per character, with the colour of the last one drawn.
class Canvas {
 public:
  Canvas(int columns, int rows) : columns_(columns), rows_(rows), cells_(std::size_t(columns * rows)) {}

  int width() const { return 2 * columns_; }
  int height() const { return 4 * rows_; }

  void dot(int x, int y, Ink ink) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    constexpr std::uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    auto& cell = cells_[std::size_t(y / 4 * columns_ + x / 2)];
    cell.dots = std::uint8_t(cell.dots | bits[y % 4][x % 2]);
    cell.ink = ink;
  }

  /// Bresenham by sampling: as many dots as the longer side needs. Ends beyond the canvas are cut off first.
  void line(double x0, double y0, double x1, double y1, Ink ink) {
    double from = 0, to = 1;
    const auto cut = [&](double start, double change, double limit) {
      if (change == 0) return start >= -1 && start <= limit;
      const double a = (-1 - start) / change, b = (limit - start) / change;
      from = std::max(from, std::min(a, b)), to = std::min(to, std::max(a, b));
      return from <= to;
    };
    if (!cut(x0, x1 - x0, width()) || !cut(y0, y1 - y0, height())) return;
    const double length = (to - from) * std::max(std::abs(x1 - x0), std::abs(y1 - y0));
    const int steps = std::max(1, int(std::ceil(length)));
    for (int i = 0; i <= steps; ++i) {
      const double s = from + (to - from) * i / steps;
      dot(int(std::floor(x0 + s * (x1 - x0))), int(std::floor(y0 + s * (y1 - y0))), ink);
    }
  }

  std::string row(int which, bool colour) const {
    std::string text;
    for (int column = 0; column < columns_; ++column) {
      const auto& [dots, ink] = cells_[std::size_t(which * columns_ + column)];
      if (dots == 0) {
        text += ' ';
        continue;
      }
      // U+2800 plus the dots, as UTF-8.
      const std::array<char, 3> braille{char(0xE2), char(0xA0 | (dots >> 6)), char(0x80 | (dots & 0x3F))};
      text += coloured({braille.data(), 3}, ink, colour);
    }
    return text;
  }

 private:
  struct Cell {
    std::uint8_t dots = 0;
    Ink ink = Ink::plain;
  };
  int columns_, rows_;
  std::vector<Cell> cells_;
};

void draw(Canvas& canvas, const DataSeries& series, Ink ink, const AxisScale& x, const AxisScale& y) {
  const double right = canvas.width() - 1e-6, bottom = canvas.height() - 1e-6;
  bool pen_is_down = false;
  double last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    const double px = place(x, series.x[i]) * right, py = (1 - place(y, series.y[i])) * bottom;
    if (!std::isfinite(px) || !std::isfinite(py)) {
      pen_is_down = false;
      continue;
    }
    const bool connects = pen_is_down && series.style != Style::points && series.style != Style::cells;
    if (connects && series.style == Style::steps) {
      canvas.line(last_x, last_y, px, last_y, ink);
      canvas.line(px, last_y, px, py, ink);
    } else {
      canvas.line(connects ? last_x : px, connects ? last_y : py, px, py, ink);
    }
    last_x = px, last_y = py, pen_is_down = true;
  }
}

std::string shade_bar(const Panel& panel, const AxisScale& x, int columns) {
  std::string bar;
  for (int column = 0; column < columns; ++column) {
    const double left = double(column) / columns, right = double(column + 1) / columns;
    bool is_shaded = false;
    for (const auto& shade : panel.shades)
      for (const auto& [from, to] : shade.intervals) is_shaded |= place(x, from) < right && place(x, to) > left;
    bar += is_shaded ? "▀" : " ";
  }
  return bar;
}

/// The title of the axis and what each colour is, on as many lines as the width requires.
std::string legend(const Panel& panel, const std::string& title, const TerminalPlotOptions& options) {
  std::string text = title;
  std::size_t used = display_width(title);
  const auto add = [&](const char* mark, Ink ink, const std::string& name) {
    const std::size_t width = 5 + display_width(name);  // two blanks, the mark, one blank
    if (used > 0 && used + width > static_cast<std::size_t>(std::max(0, options.columns))) text += "\n", used = 0;
    text += "  " + coloured(mark, ink, options.colour) + " " + name;
    used += width;
  };
  int order = 0;
  for (const auto& series : panel.series) {
    const Ink ink = ink_of(series.colour, order++);
    if (!series.name.empty()) add("━━", ink, series.name);
  }
  for (const auto& shade : panel.shades)
    if (!shade.label.empty() && !shade.intervals.empty()) add("▀▀", Ink::faint, shade.label);
  return text;
}

}  // namespace

std::string to_terminal(const Panel& panel, const TerminalPlotOptions& options) {
  const std::string heading = panel.title.empty() ? "" : coloured(panel.title, Ink::bold, options.colour) + "\n";
  const Extent across = x_extent(panel), up = y_extent(panel);
  if (across.is_empty || up.is_empty) return heading + "no data\n";
  const int rows = std::max(4, options.rows - 4);  // axis titles, axis, tick labels
  const AxisScale y = scale_for(panel.y, up, 0.03, std::max(3, rows / 3));

  // Tick labels per row; two ticks on one row keep the first.
  std::vector<std::string> labels(std::size_t(rows), "");
  std::size_t gutter = 0;
  for (const auto& tick : y.ticks) {
    const int row = std::clamp(int((1 - place(y, tick.at)) * rows), 0, rows - 1);
    if (labels[std::size_t(row)].empty()) labels[std::size_t(row)] = tick.label;
    gutter = std::max(gutter, display_width(tick.label));
  }
  const int columns = std::max(10, std::max(20, options.columns) - int(gutter) - 2);
  const AxisScale x = scale_for(panel.x, across, 0, std::max(2, columns / 12));

  Canvas canvas(columns, rows);
  for (const auto& reference : panel.references) {
    const bool is_horizontal = reference.across == Across::horizontal;
    const double at =
        is_horizontal ? (1 - place(y, reference.at)) * canvas.height() : place(x, reference.at) * canvas.width();
    const int end = is_horizontal ? canvas.width() : canvas.height();
    for (int i = 0; std::isfinite(at) && std::abs(at) < 1e6 && i < end; i += 4)
      is_horizontal ? canvas.dot(i, int(at), Ink::faint) : canvas.dot(int(at), i, Ink::faint);
  }
  int order = 0;
  for (const auto& series : panel.series) draw(canvas, series, ink_of(series.colour, order++), x, y);

  std::string out = heading + legend(panel, y.title, options) + "\n";
  for (int row = 0; row < rows; ++row) {
    const auto& label = labels[std::size_t(row)];
    out += std::string(gutter - display_width(label), ' ') + label + (label.empty() ? " │" : " ┤") +
           canvas.row(row, options.colour) + "\n";
  }
  std::string axis, numbers;
  std::vector<std::size_t> tick_columns;
  for (const auto& tick : x.ticks) {
    const auto column = std::size_t(std::clamp(int(place(x, tick.at) * columns), 0, columns - 1));
    tick_columns.push_back(column);
    // A label starts under its tick; one that would run past the edge ends there instead.
    const std::size_t width = display_width(tick.label);
    const std::size_t start = std::min(column, std::size_t(columns) > width ? std::size_t(columns) - width : 0);
    const std::size_t used = display_width(numbers);
    if (tick.label.empty() || (used > 0 && start < used + 1)) continue;
    numbers += std::string(start - used, ' ') + tick.label;
  }
  for (std::size_t i = 0; i < std::size_t(columns); ++i)
    axis += std::find(tick_columns.begin(), tick_columns.end(), i) != tick_columns.end() ? "┬" : "─";
  out += std::string(gutter, ' ') + " └" + axis + "\n";
  if (!panel.shades.empty())
    out += std::string(gutter + 2, ' ') + coloured(shade_bar(panel, x, columns), Ink::faint, options.colour) + "\n";
  out += std::string(gutter + 2, ' ') + numbers + "\n";
  if (!x.title.empty()) out += std::string(gutter + 2, ' ') + x.title + "\n";
  return out;
}

}  // namespace stickslip::inline reports
