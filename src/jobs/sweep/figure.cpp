/// The figure of a sweep; see figure.hpp.
#include "jobs/sweep/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "sweep/spring_slider.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr std::size_t most_panels = 16, most_points = 20000, most_classes = 6, boundary_points_drawn = 121;

std::string shown_value(double value, const std::string& unit) {
  return unit.empty() ? significant(value, 3) : with_unit(value, unit, 3);
}

Axis axis_of(const SweptParameter& p) { return {.label = p.path, .unit = p.unit, .logarithmic = p.logarithmic}; }

/// The runs a figure shows: all, or every n-th of very many.
std::vector<std::size_t> shown_runs(const SweepRun& run) {
  const std::size_t every = (run.rows.size() + most_points - 1) / most_points;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < run.rows.size(); i += std::max<std::size_t>(1, every)) shown.push_back(i);
  return shown;
}

double point(const Sweep& sweep, const SweepRun& run, std::size_t number, std::size_t parameter) {
  return run.points[number * sweep.plan.parameters.size() + parameter];
}

std::vector<double> finite_values(const SweepRun& run, std::size_t output) {
  std::vector<double> values;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (std::isfinite(run.rows.row(i)[output])) values.push_back(run.rows.row(i)[output]);
  std::sort(values.begin(), values.end());
  return values;
}

bool is_yes_or_no(const std::vector<double>& sorted) {
  return std::all_of(sorted.begin(), sorted.end(), [](double v) { return v == 0 || v == 1; });
}

/// Classes of equal width, or of equal ratio where the values span orders of magnitude but not mere rounding: the upper end
/// of each.
std::vector<double> classes_of(const std::vector<double>& sorted) {
  if (sorted.empty()) return {};
  const double low = sorted.front(), high = sorted.back();
  if (!(high > low)) return {high};
  const bool is_wide = low > 0 && high > 20 * low && high < 1e5 * low;
  std::vector<double> ends;
  for (std::size_t k = 1; k < most_classes; ++k) {
    const double share = static_cast<double>(k) / most_classes;
    ends.push_back(is_wide ? low * std::pow(high / low, share) : low + share * (high - low));
  }
  ends.push_back(high);
  return ends;
}

/// Where the cells of a grid's values end: half way to the neighbours, on a logarithmic axis by ratio.
class GridEdges {
 public:
  GridEdges(const Sweep& sweep, const SweepRun& run, std::size_t parameter)
      : is_logarithmic_(sweep.plan.parameters[parameter].logarithmic) {
    for (std::size_t i = 0; i < run.rows.size(); ++i) values_.push_back(point(sweep, run, i, parameter));
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }
  std::size_t size() const { return values_.size(); }
  std::pair<double, double> around(double value) const {
    const auto i = static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), value) - values_.begin());
    const double below = i > 0 ? between(values_[i - 1], value) : mirrored(value, between(value, values_[i + 1]));
    const double above = i + 1 < values_.size() ? between(value, values_[i + 1]) : mirrored(value, below);
    return {below, above};
  }

 private:
  double between(double a, double b) const { return is_logarithmic_ ? std::sqrt(a * b) : 0.5 * (a + b); }
  double mirrored(double value, double edge) const { return is_logarithmic_ ? value * value / edge : 2 * value - edge; }

  bool is_logarithmic_;
  std::vector<double> values_;
};

/// Everything at which the two parameters are, coloured by what came out: cells of a grid, points of any other plan.
void add_classes(const Sweep& sweep, const SweepRun& run, std::size_t output, Panel& panel) {
  const auto sorted = finite_values(run, output);
  const std::string& unit = sweep.outputs[output].unit;
  const bool is_yes = is_yes_or_no(sorted);
  const auto ends = is_yes ? std::vector<double>{0, 1} : classes_of(sorted);
  const GridEdges across(sweep, run, 0), up(sweep, run, 1);
  const bool is_grid = sweep.plan.kind == PlanKind::grid && across.size() > 1 && up.size() > 1 &&
                       shown_runs(run).size() == run.rows.size();
  const Style style = is_grid ? Style::cells : Style::points;
  std::vector<DataSeries> classes;
  double from = sorted.empty() ? 0 : sorted.front();
  for (const double end : ends) {
    DataSeries s{.name = is_yes ? sweep.outputs[output].name + (end == 0 ? ": no" : ": yes")
                                : shown_value(from, unit) + " to " + shown_value(end, unit),
                 .style = style,
                 .colour = first_of_scale + static_cast<int>(is_yes ? 3 * classes.size() + 1 : classes.size())};
    classes.push_back(std::move(s));
    from = end;
  }
  DataSeries failed{.name = "none", .style = style, .colour = grey};
  for (const std::size_t i : shown_runs(run)) {
    const double value = run.rows.row(i)[output];
    const auto k = std::lower_bound(ends.begin(), ends.end(), value) - ends.begin();
    DataSeries& s =
        std::isfinite(value) ? classes[std::min<std::size_t>(static_cast<std::size_t>(k), ends.size() - 1)] : failed;
    s.x.push_back(point(sweep, run, i, 0));
    s.y.push_back(point(sweep, run, i, 1));
    if (!is_grid) continue;
    const auto [left, right] = across.around(s.x.back());
    const auto [bottom, top] = up.around(s.y.back());
    s.edges.left.push_back(left), s.edges.right.push_back(right);
    s.edges.bottom.push_back(bottom), s.edges.top.push_back(top);
  }
  for (DataSeries& s : classes) panel.series.push_back(std::move(s));
  if (!failed.x.empty()) panel.series.push_back(std::move(failed));
}

/// Least and largest value.
std::pair<double, double> ends_of(const SweptParameter& p) {
  if (p.values.empty()) return std::minmax(p.low, p.high);
  const auto [low, high] = std::minmax_element(p.values.begin(), p.values.end());
  return {*low, *high};
}

/// V_c, and where steady sliding becomes stable, along the parameter that is not the pull speed.
void add_boundary(const Sweep& sweep, Panel& panel) {
  const auto& parameters = sweep.plan.parameters;
  const std::size_t speed = sweep.places[0].path == "input.rate" ? 0 : 1;
  if (sweep.places[speed].path != "input.rate") return;
  const SweptParameter& other = parameters[1 - speed];
  SweptParameter range = other;
  range.values.clear();
  if (!other.values.empty()) range.low = other.values.front(), range.high = other.values.back();
  DataSeries end{.name = "end of stick-slip, closed form", .colour = 3, .width = 2.2};
  DataSeries local{.name = "steady sliding is stable above this speed", .colour = 4, .dashed = true};
  const auto speeds = ends_of(parameters[speed]);
  for (std::size_t i = 0; i < boundary_points_drawn; ++i) {
    const double along = value_at(range, static_cast<double>(i) / (boundary_points_drawn - 1));
    std::array<double, 2> values{};
    values[speed] = speeds.second;
    values[1 - speed] = along;
    const ScenarioSlider s = slider_of(with_values(sweep, values.data()), sweep.scenario);
    const auto add = [&](DataSeries& series, double at) {
      const double shown = at >= speeds.first && at <= speeds.second ? at : std::nan("");
      series.x.push_back(speed == 0 ? shown : along);
      series.y.push_back(speed == 0 ? along : shown);
    };
    add(end, critical_speed(s.slider));
    if (s.stribeck_velocity > 0) add(local, stable_sliding_speed(s.slider, s.stribeck_velocity, s.exponent));
  }
  panel.series.push_back(std::move(end));
  const auto& across = speed == 0 ? local.x : local.y;
  if (std::any_of(across.begin(), across.end(), [](double v) { return std::isfinite(v); }))
    panel.series.push_back(std::move(local));
}

Panel map_panel(const Sweep& sweep, const SweepRun& run, std::size_t output) {
  Panel panel{.title = sweep.outputs[output].name,
              .x = axis_of(sweep.plan.parameters[0]),
              .y = axis_of(sweep.plan.parameters[1])};
  add_classes(sweep, run, output, panel);
  if (sweep.compares && sweep.outputs[output].kind == OutputKind::sticks) add_boundary(sweep, panel);
  return panel;
}

Panel line_panel(const Sweep& sweep, const SweepRun& run, std::size_t output) {
  const SweepOutput& o = sweep.outputs[output];
  const bool is_line = sweep.plan.parameters.size() == 1 && sweep.plan.kind == PlanKind::grid;
  DataSeries s{.style = is_line ? Style::line : Style::points};
  for (const std::size_t i : shown_runs(run)) {
    s.x.push_back(point(sweep, run, i, 0));
    s.y.push_back(run.rows.row(i)[output]);
  }
  return {.x = axis_of(sweep.plan.parameters[0]), .y = {.label = o.name, .unit = o.unit}, .series = {std::move(s)}};
}

/// The first output of a grid of two parameters, as characters.
class CharacterMap {
 public:
  CharacterMap(const Sweep& sweep, const SweepRun& run)
      : sweep_(sweep),
        run_(run),
        across_(grid_count(sweep.plan.parameters[0])),
        up_(grid_count(sweep.plan.parameters[1])),
        sorted_(finite_values(run, 0)),
        is_yes_(is_yes_or_no(sorted_)) {}

  bool has_something() const { return !sorted_.empty() && across_ > 1 && up_ > 1; }
  std::string text(std::size_t width) const {
    const std::size_t columns = std::min({across_, width > 24 ? width - 20 : 4, std::size_t{72}}),
                      lines = std::min(up_, std::size_t{24});
    std::string map = heading();
    for (std::size_t line = lines; line-- > 0;) {
      const std::size_t j = place(line, lines, up_);
      map += label(line + 1 == lines || line == 0 ? value_text(1, j) : "");
      for (std::size_t c = 0; c < columns; ++c) map += cell(place(c, columns, across_), j);
      map += "\n";
    }
    const std::string left = value_text(0, 0), right = value_text(0, across_ - 1);
    const std::size_t gap = columns > left.size() + right.size() ? columns - left.size() - right.size() : 1;
    return map + label("") + left + std::string(gap, ' ') + right + "\n";
  }

 private:
  std::string heading() const {
    const auto& p = sweep_.plan.parameters;
    const SweepOutput& o = sweep_.outputs[0];
    return o.name + " over " + p[0].path + " (across) and " + p[1].path + " (up): " +
           (is_yes_ ? std::string("█ yes, · no")
                    : "· " + shown_value(sorted_.front(), o.unit) + " to █ " + shown_value(sorted_.back(), o.unit)) +
           "\n";
  }
  std::string cell(std::size_t i, std::size_t j) const {
    static const std::array<std::string, 5> shades{"·", "░", "▒", "▓", "█"};
    const double value = run_.rows.row(i * up_ + j)[0], low = sorted_.front(), high = sorted_.back();
    if (!std::isfinite(value)) return "?";
    if (is_yes_) return value == 1 ? shades.back() : shades.front();
    const double share = high > low ? (value - low) / (high - low) : 0;
    return shades[std::min(shades.size() - 1, static_cast<std::size_t>(share * shades.size()))];
  }
  std::string value_text(std::size_t parameter, std::size_t k) const {
    return shown_value(run_.points[(parameter == 0 ? k * up_ : k) * 2 + parameter],
                       sweep_.plan.parameters[parameter].unit);
  }
  static std::string label(const std::string& text) {
    const std::size_t margin = 14;
    return std::string(text.size() < margin ? margin - text.size() : 0, ' ') + text + " ";
  }
  /// Which of `all` values is at place k of `shown`.
  static std::size_t place(std::size_t k, std::size_t shown, std::size_t all) {
    return shown == 1 ? 0 : k * (all - 1) / (shown - 1);
  }

  const Sweep& sweep_;
  const SweepRun& run_;
  std::size_t across_, up_;
  std::vector<double> sorted_;
  bool is_yes_;
};

}  // namespace

Figure sweep_figure(const Sweep& sweep, const SweepRun& run) {
  Figure figure{.title = sweep.title.empty() ? sweep.file : sweep.title};
  const std::size_t shown = shown_runs(run).size();
  figure.subtitle = shown == run.rows.size()
                        ? std::to_string(shown) + " runs"
                        : std::to_string(shown) + " of " + std::to_string(run.rows.size()) + " runs are drawn";
  const bool is_map = sweep.plan.parameters.size() == 2;
  for (std::size_t k = 0; k < std::min(most_panels, sweep.outputs.size()); ++k)
    figure.panels.push_back(is_map ? map_panel(sweep, run, k) : line_panel(sweep, run, k));
  return figure;
}

SvgOptions sweep_svg_options(const Sweep& sweep) {
  SvgOptions options;
  if (sweep.plan.parameters.size() == 2) options.width = 640, options.panel_height = 330;
  return options;
}

std::string terminal_map(const Sweep& sweep, const SweepRun& run, std::size_t width) {
  if (sweep.plan.kind != PlanKind::grid || sweep.plan.parameters.size() != 2 || !run.is_complete) return "";
  const CharacterMap map(sweep, run);
  return map.has_something() ? map.text(width) : "";
}

}  // namespace stickslip::inline jobs
