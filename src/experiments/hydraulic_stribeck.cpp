/// The steady-state friction of the cylinder by constant-speed runs: Tran 2014 Fig 4.
/// A constant current moves the piston from one side; the last fifth before it meets an end gives mean speed and
/// friction. They must lie on the static curve of their direction, Tran 2014 eq. 1, with a film in balance eq. 12:
///   F = F_C + ((1 − h_ss) F_S − F_C) exp(−|v/v_S|ⁿ) + σ₂ v                                             (1)
/// Where the curve falls steeply, slow sliding hunts: such runs are shown, but have no steady speed to compare.

#include <algorithm>
#include <numeric>

#include "experiments/hydraulic_rig.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_hydraulic_stribeck();

namespace {

constexpr double currents_ma[]{-6,  -4.5, -3.5, -3, -2.5, -2, -1.5, -1, -0.75, -0.5, -0.25,
                               0.4, 0.5,  0.75, 1,  1.5,  2,  2.5,  3,  3.5,   4.5,  6};

struct Point {
  double velocity, friction;
  bool is_steady;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Point slide(const Friction& friction, double current) {
  HydraulicStart start = tran::start(friction);
  start.position = current > 0 ? 0.03 : 0.17;
  const HydraulicRun r = tran::simulate(friction, start, Signal::constant(current), 20);
  double end = r.time;
  for (const auto& e : r.events)
    if (is(e, HydraulicEventKind::lower_end) || is(e, HydraulicEventKind::upper_end)) {
      end = e.time;
      break;
    }
  const auto settled = [&](const char* column) {
    return within(values_of(r.samples, "time"), values_of(r.samples, column), 0.8 * end, 0.99 * end);
  };
  const auto velocity = settled("velocity");
  const auto [low, high] = std::minmax_element(velocity.begin(), velocity.end());
  const double speed = mean(velocity);
  return {speed, mean(settled("friction_force")), *high - *low < 1e-3 * std::fabs(speed)};
}

struct Curve2 {
  const char *model, *title;
  bool has_film;
  double tolerance;  // [N]; the film is not quite in balance when the fastest runs end
};
constexpr Curve2 curves[]{{"stribeck", "steady-state", false, 1e-3},
                          {"lugre", "LuGre", false, 1e-3},
                          {"modified-lugre", "modified LuGre", true, 0.1},
                          {"new-modified-lugre", "new modified LuGre", true, 0.1}};

Panel panel_of(const Curve2& curve, const std::vector<Point>& points) {
  Panel panel{.title = curve.title, .x = {.label = "velocity", .unit = "m/s"}, .y = {.label = "friction", .unit = "N"}};
  DataSeries steady{.name = "steady runs", .style = Style::points}, hunting{.name = "hunting", .style = Style::points};
  for (const Point& p : points) {
    DataSeries& into = p.is_steady ? steady : hunting;
    into.x.push_back(p.velocity);
    into.y.push_back(p.friction);
  }
  DataSeries line{.name = "static curve", .dashed = true};
  for (int i = -200; i <= 200; ++i) {
    const double v = 1e-3 * i;
    line.x.push_back(v);
    line.y.push_back(i == 0 ? NAN : tran::steady_force(v, curve.has_film));  // the jump at rest is a gap
  }
  panel.series = {line, steady};
  if (!hunting.x.empty()) panel.series.push_back(hunting);
  return panel;
}

Reproduction reproduce_hydraulic_stribeck(Progress& progress) {
  Reproduction result;
  Figure figure{.title = "Steady-state friction by constant-speed runs", .subtitle = "Tran 2014 Fig 4", .columns = 2};
  double done = 0;
  for (const Curve2& curve : curves) {
    const auto friction = tran::friction(curve.model);
    std::vector<Point> points;
    for (const double ma : currents_ma) {
      progress.at(done += 1.0 / (4 * std::size(currents_ma)), curve.title);
      points.push_back(slide(*friction, 1e-3 * ma));
    }
    for (const bool extending : {true, false}) {
      double worst = 0;
      int steady = 0;
      for (const Point& p : points) {
        if (!p.is_steady || (p.velocity > 0) != extending) continue;
        worst = std::max(worst, std::fabs(p.friction - tran::steady_force(p.velocity, curve.has_film)));
        ++steady;
      }
      const std::string name = std::string(curve.title) + (extending ? ", extending: " : ", retracting: ");
      result.rows.push_back(
          independent(below(name + "largest distance to the static curve", "N", curve.tolerance, worst)));
      result.rows.push_back(above(name + "steady runs out of 11", "", 6, steady));  // else nothing was compared
    }
    Table table{{{"velocity", "m/s", {}}, {"friction", "N", {}}, {"is_steady", "", {}}}};
    for (const Point& p : points) {
      table.columns[0].values.push_back(p.velocity);
      table.columns[1].values.push_back(p.friction);
      table.columns[2].values.push_back(p.is_steady ? 1 : 0);
    }
    result.tables.push_back({std::string("hydraulic_stribeck_") + curve.model, table});
    figure.panels.push_back(panel_of(curve, points));
  }
  result.figures = {{"hydraulic_stribeck", figure}};
  result.remarks = {
      "Friction is larger extending than retracting, as Tran 2014 measured.",
      "Under a constant current the piston hunts at low speed, where the static curve falls (steady-state friction: up "
      "to 1 mA extending, where steady sliding and hunting exist side by side and the start decides). Tran 2014 does "
      "not say "
      "how its slow points were kept steady."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_hydraulic_stribeck() {
  static const Experiment experiment{
      "hydraulic-stribeck", "Stribeck curve of the cylinder", "Tran 2014 Fig 4", reproduce_hydraulic_stribeck,
      "Tran 2014 eq 1 and Table 2: runs at constant speed, one per point and direction."};
  return experiment;
}

}  // namespace stickslip::inline experiments
