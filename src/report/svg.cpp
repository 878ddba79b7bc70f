/// A figure as one self-contained SVG; see svg.hpp. First every panel is laid out (scales, boxes, legend), then drawn.
#include "report/svg.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "report/axis_scale.hpp"
#include "report/outline.hpp"
#include "report/svg_series.hpp"
#include "report/svg_text.hpp"

namespace stickslip::inline reports {
namespace {

constexpr double edge = 18, title_size = 18, subtitle_size = 13, panel_title_size = 14, label_size = 12, tick_size = 11;
constexpr double legend_row = 18, swatch = 22, legend_gap = 18;  // [px]
constexpr double tick_room_x = 74, tick_room_y = 32;             // one labelled tick per so many pixels

/// One line of a legend: a stroke, dots or a filled patch, and its words.
struct LegendEntry {
  std::string name;
  int colour;
  bool is_patch;
  const DataSeries* series;  // null for a patch
};

struct Layout {
  AxisScale x, y;
  Box plot;
  bool has_data = true, shows_x_title = true;
  double top = 0, title_height = 0, height = 0;
  std::vector<LegendEntry> legend;
  std::vector<std::vector<LegendEntry>> legend_rows;  // beneath; empty if it is beside the axis title
};

int colour_of(int wanted, int order) { return wanted == by_order ? order % ordered_colours : wanted % palette_size; }

std::string text_at(double x, double y, double size, const std::string& words, const std::string& more = "") {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" font-size=\"" + px(size) + "\"" + (more.empty() ? "" : " ") +
         more + ">" + xml_text(words) + "</text>\n";
}

std::vector<LegendEntry> legend_of(const Panel& panel) {
  std::vector<LegendEntry> entries;
  if (!panel.legend) return entries;
  int order = 0;
  for (const auto& series : panel.series) {
    const int colour = colour_of(series.colour, order++);
    if (!series.name.empty())
      entries.push_back({series.name, colour, series.style == Style::area || series.style == Style::cells, &series});
  }
  for (const auto& region : panel.regions)
    if (!region.label.empty()) entries.push_back({region.label, colour_of(region.colour, grey), true, nullptr});
  for (const auto& shade : panel.shades)
    if (!shade.label.empty() && !shade.intervals.empty())
      entries.push_back({shade.label, colour_of(shade.colour, grey), true, nullptr});
  // One series that is named like its axis or panel needs no legend.
  const bool repeats = entries.size() == 1 && (entries[0].name == panel.y.label || entries[0].name == panel.title);
  return repeats ? std::vector<LegendEntry>{} : entries;
}

double entry_width(const LegendEntry& entry) { return swatch + 6 + text_width(entry.name, label_size); }

double row_width(const std::vector<LegendEntry>& row) {
  double width = 0;
  for (const auto& entry : row) width += entry_width(entry) + (&entry == &row.front() ? 0 : legend_gap);
  return width;
}

std::vector<std::vector<LegendEntry>> rows_within(std::vector<LegendEntry> entries, double width) {
  std::vector<std::vector<LegendEntry>> rows;
  for (auto& entry : entries) {
    entry.name = shortened(entry.name, label_size, width - swatch - 6);
    auto longer = rows.empty() ? std::vector<LegendEntry>{} : rows.back();
    longer.push_back(entry);
    if (rows.empty() || row_width(longer) > width)
      rows.push_back({entry});
    else
      rows.back() = std::move(longer);
  }
  return rows;
}

std::string drawn_legend(const std::vector<LegendEntry>& row, double x, double baseline) {
  std::string out;
  for (const auto& entry : row) {
    const std::string number = std::to_string(entry.colour);
    const double middle = baseline - 4;
    if (entry.is_patch) {
      out += "<rect x=\"" + px(x) + "\" y=\"" + px(middle - 5) + "\" width=\"" + px(swatch) +
             "\" height=\"10\" rx=\"2\" class=\"f" + number +
             (entry.series && entry.series->style == Style::cells ? "\"/>" : "\" fill-opacity=\".28\"/>");
    } else if (entry.series->style == Style::points) {
      out += "<circle cx=\"" + px(x + swatch / 2) + "\" cy=\"" + px(middle) + "\" r=\"3\" class=\"f" + number + "\"/>";
    } else {
      out += "<path d=\"M" + px(x) + " " + px(middle) + "h" + px(swatch) + "\" class=\"s" + number +
             "\" stroke-width=\"" + px(std::max(2.0, entry.series->width)) + "\"" +
             (entry.series->dashed ? " stroke-dasharray=\"6 5\"" : "") + "/>";
    }
    out += text_at(x + swatch + 6, baseline, label_size, entry.name);
    x += entry_width(entry) + legend_gap;
  }
  return out;
}

bool has_data(const Panel& panel) { return !x_extent(panel).is_empty && !y_extent(panel).is_empty; }

/// Time series fill the width; loops and clouds of points get some air.
double x_margin(const Panel& panel) {
  for (const auto& series : panel.series)
    if (series.style == Style::cells)
      return 0;
    else if (series.style == Style::points || !std::is_sorted(series.x.begin(), series.x.end()))
      return 0.03;
  return panel.regions.empty() ? 0 : 0.03;
}

bool same_x_axis(const Panel& a, const Panel& b) {
  return a.x.label == b.x.label && a.x.unit == b.x.unit && a.x.logarithmic == b.x.logarithmic;
}

/// Stacked panels over nearly the same stretch of the same quantity show exactly the same stretch.
std::vector<Extent> aligned_x_extents(const Figure& figure) {
  std::vector<Extent> extents;
  for (const auto& panel : figure.panels) extents.push_back(x_extent(panel));
  if (figure.columns > 1) return extents;
  for (std::size_t i = 1; i < extents.size(); ++i) {
    Extent both = extents[i - 1];
    if (both.is_empty || extents[i].is_empty || !same_x_axis(figure.panels[i - 1], figure.panels[i])) continue;
    both.low = std::min(both.low, extents[i].low), both.high = std::max(both.high, extents[i].high);
    const double shorter = std::min(extents[i].high - extents[i].low, extents[i - 1].high - extents[i - 1].low);
    if (shorter < 0.8 * (both.high - both.low)) continue;
    for (std::size_t j = i + 1;
         j-- > 0 && extents[j].high >= both.low && same_x_axis(figure.panels[j], figure.panels[i]);) {
      if (extents[j].high - extents[j].low < 0.8 * (both.high - both.low)) break;
      extents[j] = both;
    }
  }
  return extents;
}

double automatic_height(const Figure& figure, double panel_width) {
  if (figure.columns > 1) return std::clamp(0.62 * panel_width, 150.0, 420.0);
  if (figure.panels.size() == 1) return std::clamp(0.46 * panel_width, 180.0, 420.0);
  return figure.panels.size() == 2 ? 220 : 165;
}

double widest_tick(const AxisScale& scale) {
  double widest = 0;
  for (const auto& tick : scale.ticks) widest = std::max(widest, text_width(tick.label, tick_size));
  return widest;
}

/// Values a logarithmic axis cannot show are named in its title instead of vanishing.
void mention_hidden(AxisScale& scale, const Axis& axis, const std::vector<DataSeries>& all, bool is_x) {
  if (!axis.logarithmic) return;
  std::size_t hidden = 0;
  for (const auto& series : all)
    for (const double value : is_x ? series.x : series.y) hidden += value <= 0 ? 1 : 0;
  if (hidden > 0)
    scale.title += " (" + std::to_string(hidden) + (hidden == 1 ? " value" : " values") + " ≤ 0 not shown)";
}

/// The x axis with as many ticks as its labels leave room for.
AxisScale fitting_x_scale(const Panel& panel, const Extent& extent, double width) {
  AxisScale scale;
  for (int most = std::max(2, int(width / tick_room_x)); most >= 1; --most) {
    scale = scale_for(panel.x, extent, x_margin(panel), most);
    const auto labelled =
        std::count_if(scale.ticks.begin(), scale.ticks.end(), [](const Tick& t) { return !t.label.empty(); });
    if (double(labelled) * (widest_tick(scale) + 10) <= width) break;
  }
  mention_hidden(scale, panel.x, panel.series, true);
  return scale;
}

std::vector<Layout> laid_out(const Figure& figure, const SvgOptions& options, double top) {
  const auto columns = std::size_t(std::max(1, figure.columns));
  const double cell = (options.width - 2 * edge - 24.0 * double(columns - 1)) / double(columns);
  const double height = options.panel_height > 0 ? options.panel_height : automatic_height(figure, cell);
  const auto extents = aligned_x_extents(figure);
  std::vector<Layout> all(figure.panels.size());

  std::vector<double> left(columns, 0);  // room for tick labels, shared by the panels of a column
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& panel = figure.panels[i];
    all[i].has_data = has_data(panel);
    all[i].y = scale_for(panel.y, y_extent(panel), 0.06, std::max(2, int(height / tick_room_y)));
    mention_hidden(all[i].y, panel.y, panel.series, false);
    left[i % columns] = std::max(left[i % columns], widest_tick(all[i].y) + 10);
  }
  double row_top = top;
  for (std::size_t row = 0; row * columns < all.size(); ++row) {
    double row_height = 0;
    const std::size_t begin = row * columns, end = std::min(all.size(), begin + columns);
    for (std::size_t i = begin; i < end; ++i) {
      const auto& panel = figure.panels[i];
      Layout& l = all[i];
      l.top = row_top;
      const double x = edge + double(i - begin) * (cell + 24) + left[i - begin];
      const double width = cell - left[i - begin] - 8;
      l.title_height = 18.0 * double(wrapped(panel.title, panel_title_size, cell).size());
      l.legend = legend_of(panel);
      const double beside = width - text_width(l.y.title, label_size) + left[i - begin] - legend_gap;
      if (row_width(l.legend) > beside) l.legend_rows = rows_within(l.legend, width);
      const bool is_followed = columns == 1 && i + 1 < all.size() && same_x_axis(panel, figure.panels[i + 1]);
      l.plot = {x, row_top + l.title_height + 24, width, height};
      l.x = fitting_x_scale(panel, extents[i], width);
      l.shows_x_title =
          !l.x.title.empty() && !(is_followed && l.legend_rows.empty() && all[i].has_data &&
                                  extents[i].low == extents[i + 1].low && extents[i].high == extents[i + 1].high);
      l.height = l.title_height + 24 + height + 20 + (l.shows_x_title ? 18 : 0) +
                 legend_row * double(l.legend_rows.size()) + (l.legend_rows.empty() ? 0 : 6);
      row_height = std::max(row_height, l.height);
    }
    row_top += row_height + 16;
  }
  return all;
}

std::string drawn_axes(const Layout& l) {
  const Box& b = l.plot;
  std::string major, minor, labels;
  for (const auto& tick : l.x.ticks) {
    const double x = b.left + place(l.x, tick.at) * b.width;
    (tick.label.empty() ? minor : major) += "M" + px(x) + " " + px(b.top) + "v" + px(b.height);
    if (tick.label.empty()) continue;
    labels += text_at(x, b.top + b.height + 16, tick_size, tick.label, "class=\"soft\" text-anchor=\"middle\"");
  }
  for (const auto& tick : l.y.ticks) {
    const double y = b.top + (1 - place(l.y, tick.at)) * b.height;
    (tick.label.empty() ? minor : major) += "M" + px(b.left) + " " + px(y) + "h" + px(b.width);
    if (tick.label.empty()) continue;
    labels += text_at(b.left - 7, y + 4, tick_size, tick.label, "class=\"soft\" text-anchor=\"end\"");
  }
  if (!minor.empty()) minor = "<path class=\"grid\" stroke-opacity=\".45\" d=\"" + minor + "\"/>\n";
  return minor + "<path class=\"grid\" d=\"" + major + "\"/>\n" + labels;
}

std::string drawn_panel(const Panel& panel, const Layout& l, double cell_left) {
  const Box& b = l.plot;
  std::string out = "<g>\n";
  double y = l.top + 14;
  for (const auto& line : wrapped(panel.title, panel_title_size, b.left + b.width - cell_left)) {
    out += text_at(cell_left, y, panel_title_size, line, "font-weight=\"600\"");
    y += 18;
  }
  const double header = b.top - 9;
  out += text_at(cell_left, header, label_size, shortened(l.y.title, label_size, b.left + b.width - cell_left),
                 "class=\"soft\"");
  if (l.legend_rows.empty()) out += drawn_legend(l.legend, b.left + b.width - row_width(l.legend), header);
  if (l.has_data) {
    out += drawn_axes(l);
    out += drawn_content(panel, l.x, l.y, b);
  } else {
    out += text_at(b.left + b.width / 2, b.top + b.height / 2 + 5, panel_title_size, "no data",
                   "class=\"soft\" text-anchor=\"middle\"");
  }
  out +=
      "<path class=\"frame\" d=\"M" + px(b.left) + " " + px(b.top) + "v" + px(b.height) + "h" + px(b.width) + "\"/>\n";
  double below = b.top + b.height + 20;
  if (l.shows_x_title) {
    out += text_at(b.left + b.width / 2, below + 15, label_size, shortened(l.x.title, label_size, b.width),
                   "class=\"soft\" text-anchor=\"middle\"");
    below += 18;
  }
  for (const auto& row : l.legend_rows) {
    below += legend_row;
    out += drawn_legend(row, b.left, below);
  }
  return out + "</g>\n";
}

}  // namespace

std::string to_svg(const Figure& figure, const SvgOptions& options) {
  std::string head;
  double y = edge;
  for (const auto& line : wrapped(figure.title, title_size, options.width - 2 * edge))
    head += text_at(edge, y += 16, title_size, line, "font-weight=\"700\""), y += 8;
  for (const auto& line : wrapped(figure.subtitle, subtitle_size, options.width - 2 * edge))
    head += text_at(edge, y += 13, subtitle_size, line, "class=\"soft\""), y += 5;
  if (!head.empty()) y += 8;

  const auto layouts = laid_out(figure, options, y);
  double bottom = y + (layouts.empty() ? 40 : 0);
  const auto columns = std::size_t(std::max(1, figure.columns));
  const double cell = (options.width - 2 * edge - 24.0 * double(columns - 1)) / double(columns);
  std::string body;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    body += drawn_panel(figure.panels[i], layouts[i], edge + double(i % columns) * (cell + 24));
    bottom = std::max(bottom, layouts[i].top + layouts[i].height);
  }
  if (layouts.empty())
    body += text_at(options.width / 2, y + 20, panel_title_size, "no data", "class=\"soft\" text-anchor=\"middle\"");

  const std::string size = px(options.width) + " " + px(bottom + edge);
  const std::string name = xml_text(figure.title.empty() ? "figure" : figure.title);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" + px(options.width) +
         "\" height=\"" + px(bottom + edge) + "\" class=\"" + theme_class(options.theme) +
         "\" role=\"img\" aria-label=\"" + name + "\">\n<title>" + name + "</title>\n<style>" +
         style_sheet(options.theme) + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + head +
         body + "</svg>\n";
}

}  // namespace stickslip::inline reports
