/// Content of a figure, independent of how it is drawn: panels with axes, series, shaded times, regions, marks and
/// reference lines. svg.hpp draws it for paper, page.hpp for a browser, terminal_plot.hpp for a terminal; none computes
/// anything but places.
///   const Figure figure{.title = "Stick-slip", .panels = {{.x = {"time", "s"}, .y = {"velocity", "m/s"},
///                       .series = {{.name = "lugre", .x = t, .y = v}}}}};
/// Values are in the unit of their axis, best SI: the drawing chooses the prefix. What is not finite is a gap.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace stickslip::inline reports {

struct Axis {
  std::string label = {};
  std::string unit = {};  // as core/units.hpp reads it; "" for a plain number
  bool logarithmic = false;
  std::optional<double> from = std::nullopt, to = std::nullopt;  // otherwise all data are shown
  std::string link = {};  // panels of a page with the same word zoom together; those of one figure do so anyway
};

/// Steps hold a value until the next; an area reaches down to zero; cells are rectangles, see `DataSeries::edges`.
enum class Style { line, points, steps, area, cells };

/// Where the cell around each point ends; as long as x.
struct CellEdges {
  std::vector<double> left = {}, right = {}, bottom = {}, top = {};
};

/// Colours are numbers in the palette of eight; `by_order` gives each series the next one. `ink` is the colour of the text;
/// from `first_of_scale` on there are six steps from little to much.
inline constexpr int by_order = -1, grey = 7, ink = 8, first_of_scale = 9, steps_of_scale = 6;

struct DataSeries {
  std::string name = {};  // in the legend; "" stays out of it
  std::vector<double> x = {}, y = {};
  Style style = Style::line;
  int colour = by_order;
  bool dashed = false;
  double width = 1.6;             // [px]
  std::vector<double> tint = {};  // colours the line along its way, best by time; as long as x, or empty
  CellEdges edges = {};           // of Style::cells
};

struct Interval {
  double from = 0, to = 0;
};

/// Highlighted ranges of x, such as the times of sticking.
struct Shade {
  std::string label = {};
  std::vector<Interval> intervals = {};
  int colour = grey;
};

/// A filled polygon, such as the set of equilibria; it closes itself.
struct Region {
  std::string label = {};
  std::vector<double> x = {}, y = {};
  int colour = grey;
};

struct Mark {
  double x = 0, y = 0;
  std::string label = {};
  int colour = grey;
};

enum class Across { horizontal, vertical };
struct Reference {
  Across across = Across::horizontal;
  double at = 0;
  std::string label = {};
};

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<DataSeries> series = {};
  std::vector<Shade> shades = {};
  std::vector<Region> regions = {};
  std::vector<Mark> marks = {};
  std::vector<Reference> references = {};
  bool legend = true;
  Axis tint = {"time", "s"};  // of the series that have one
};

struct Figure {
  std::string title = {}, subtitle = {};
  std::vector<Panel> panels = {};
  int columns = 1;
};

}  // namespace stickslip::inline reports
