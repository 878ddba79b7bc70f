/// Equilibria and hysteresis maps of the bristle models: Drincic 2011 III.D and IV, Fig 5 and 10.
/// Under a constant input u the body may rest at every x with
///   −F_left(x) ≤ u − K x ≤ F_right(x)                                                                (1)
/// F_right and F_left: the friction of sliding slowly right and left from x; where a bristle releases, the larger value.
///   sawtooth       F_right = F_l + (F_h − F_l) mod(x, Δ)/Δ, F_left = F_right(−x)                      (2)  Drincic 2011 eq 16-17
///   bristles       sums of κ θ cos²θ/h over those with 0 ≤ y < d, y from the leading edge              (3)  Drincic 2011 eq 3-7
///   LuGre-bristle  F_right = F_left = σ κ θ cos²θ/h at θ = g(0)/σ                                       (4)  Drincic 2011 eq 29-33
/// (2)-(4) are written out here again, apart from the models, so that the models are checked against them.
/// A rest point of the first two is any instant spent at rest; LuGre-bristle never rests exactly, so its input is held
/// and the position, which keeps trembling a little, is averaged. Every rest point lies inside the set.

#include <algorithm>
#include <cmath>
#include <functional>

#include "experiments/drincic_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_bristle_equilibria();

namespace {

constexpr double rounding = 1e-9;             // of forces that are equal at breakaway [N]
using Force = std::function<double(double)>;  // of the position, moving right; moving left is the mirror image

/// Eq. (2) [N].
Force sawtooth_force(double low, double high, double spacing) {
  return [=](double x) { return low + (high - low) * (x / spacing - std::floor(x / spacing)); };
}
/// Eq. (3) [N].
Force bristle_force(double width) {
  const double angle = drincic::mass * drincic::gravity * drincic::bristle_length /
                       (drincic::bristle_count * drincic::torsional_stiffness);
  const double h = drincic::bristle_length * std::cos(angle), d = drincic::bristle_length * std::sin(angle);
  const double spacing = width / (drincic::bristle_count - 1);
  return [=](double x) {
    double sum = 0;
    const double edge = x + 0.5 * width;
    for (double y = edge - spacing * std::floor(edge / spacing); y < d; y += spacing) {
      const double theta = std::atan2(y, h);
      sum += drincic::torsional_stiffness * theta * std::cos(theta) * std::cos(theta) / h;
    }
    return sum;
  };
}
/// Eq. (4) [N].
double lugre_bristle_force(double angle) {
  const double theta = angle / 1e3;
  return 1e3 * drincic::torsional_stiffness * theta * std::cos(theta) * std::cos(theta) / 0.1;
}

/// The larger value where the force jumps.
double upper(const Force& f, double x) { return std::max(f(x - 1e-12), f(x + 1e-12)); }

/// How far a rest point lies inside the set (1) [N]; negative outside.
double margin(const Force& f, double u, double x) {
  const double held = u - drincic::stiffness * x;
  return std::min(upper(f, x) - held, held + upper(f, -x));
}

/// The border of (1): right branch upwards, left branch back.
Region border(const Force& f, double x_from, double x_to, std::size_t count) {
  Region region{.label = "equilibria"};
  const auto at = [&](std::size_t i) {
    return x_from + (x_to - x_from) * static_cast<double>(i) / static_cast<double>(count);
  };
  for (std::size_t i = 0; i <= count; ++i) {
    region.x.push_back(drincic::stiffness * at(i) + f(at(i)));
    region.y.push_back(at(i));
  }
  for (std::size_t i = count + 1; i-- > 0;) {
    region.x.push_back(drincic::stiffness * at(i) - f(-at(i)));
    region.y.push_back(at(i));
  }
  return region;
}

Table border_table(const Region& r) { return {{{"input", "N", r.x}, {"position", "m", r.y}}}; }

struct Map {
  std::vector<double> u, x;
  std::vector<double> rest_u, rest_x;
};
Map slow_map(const Friction& friction, double amplitude, double angular_frequency, std::size_t samples) {
  const double period = 2 * std::numbers::pi / angular_frequency;
  SimulationOptions options;
  options.end = 1.25 * period;
  options.sample_interval = options.end / static_cast<double>(samples);
  const Run run = finished(friction, drincic::on_wall_spring(amplitude, angular_frequency), options);
  Map map{drincic::input(run.samples, amplitude, angular_frequency), run.samples.position, {}, {}};
  if (run.mode_names.front() != "stuck") return map;
  for (std::size_t i = 0; i < map.u.size(); ++i)
    if (run.samples.mode[i] == 0) map.rest_u.push_back(map.u[i]), map.rest_x.push_back(map.x[i]);
  for (const Event& e : run.events) {
    if (e.kind != EventKind::stick && e.kind != EventKind::release) continue;
    map.rest_u.push_back(amplitude * std::sin(angular_frequency * e.time));
    map.rest_x.push_back(e.position);
  }
  return map;
}

void compare(const std::string& name, const Map& map, const Force& f, std::vector<ComparedRow>& rows) {
  double least = HUGE_VAL;
  std::size_t outside = 0;
  for (std::size_t i = 0; i < map.rest_u.size(); ++i) {
    const double inside = margin(f, map.rest_u[i], map.rest_x[i]);
    least = std::min(least, inside);
    outside += inside < -rounding;
  }
  rows.push_back(self_check(near(name + ": rest points outside the set", "", 0, static_cast<double>(outside), 0)));
  rows.push_back(above(name + ": least distance of a rest point from the boundary", "N", -rounding, least));
  rows.push_back(above(name + ": number of rest points", "", 1000, static_cast<double>(map.rest_u.size())));
}

Panel map_panel(const std::string& title, const Map& map, const Region& region) {
  Panel panel{.title = title, .x = {"input u", "N"}, .y = {"position", "m"}};
  panel.regions = {region};
  panel.series = {{.name = "hysteresis map", .x = map.u, .y = map.x, .colour = 0, .width = 1.3}};
  return panel;
}

/// Where LuGre-bristle comes to rest when the slow input is held at twelve phases of a period.
Map held_points(const Friction& friction, double amplitude, double angular_frequency, Progress& progress) {
  Map map;
  constexpr int phases = 12;
  constexpr double wait = 60, average = 20;
  const double period = 2 * std::numbers::pi / angular_frequency;
  Body body = drincic::on_wall_spring(amplitude, angular_frequency);
  SimulationOptions options;
  for (int i = 0; i < phases; ++i) {
    options.start = i == 0 ? 0 : (0.25 + static_cast<double>(i) / phases) * period;
    options.end = (0.25 + static_cast<double>(i + 1) / phases) * period;
    const Run run = finished(friction, body, options);
    body.position = run.position;
    body.velocity = run.velocity;
    body.state = run.state;
    Body held = body;
    const double u = amplitude * std::sin(angular_frequency * run.time);
    held.drive.input = Signal::constant(u);
    SimulationOptions waiting;
    waiting.end = wait;
    waiting.sample_interval = 5e-3;
    const Run rest = finished(friction, held, waiting);
    const auto tail = within(rest.samples.time, rest.samples.position, wait - average, wait);
    double mean = 0;
    for (const double x : tail) mean += x / static_cast<double>(tail.size());
    map.rest_u.push_back(u);
    map.rest_x.push_back(mean);
    progress.at(0.5 + 0.5 * (i + 1) / phases, "LuGre-bristle");
  }
  return map;
}

Reproduction reproduce_bristle_equilibria(Progress& progress) {
  Reproduction result;
  const Force teeth = sawtooth_force(0.5, 0.7, 0.005), bristles = bristle_force(0.5);
  const Map sawtooth = slow_map(*drincic::sawtooth(0.5, 0.7, 0.005), 2, 0.001, 40'000);
  progress.at(0.1, "bristles");
  const Map bristle = slow_map(*drincic::bristles(0.5), 1, 0.001, 40'000);
  progress.at(0.2, "LuGre-bristle");
  const auto hybrid = drincic::lugre_bristle();
  Map lugre_bristle = slow_map(*hybrid, 2, 0.01, 20'000);
  const Map held = held_points(*hybrid, 2, 0.01, progress);

  compare("sawtooth", sawtooth, teeth, result.rows);
  compare("bristles", bristle, bristles, result.rows);
  const double level = lugre_bristle_force(1.0);
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < held.rest_u.size(); ++i)
    least = std::min(least, level - std::fabs(held.rest_u[i] - drincic::stiffness * held.rest_x[i]));
  result.rows.push_back(
      above("LuGre-bristle: least distance of a held rest point from the boundary", "N", -rounding, least));

  const Region teeth_set = border(teeth, -1.6, 1.6, 6400), bristle_set = border(bristles, -1.05, 1.05, 8400);
  Panel close = map_panel("Sawtooth, close up", sawtooth, border(teeth, 1.2, 1.26, 2400));
  close.x.from = 0.5, close.x.to = 2.0, close.y.from = 1.2, close.y.to = 1.26;
  Panel bristle_close = map_panel("Bristles, close up", bristle, border(bristles, 0.2, 0.26, 2400));
  bristle_close.x.from = 0.05, bristle_close.x.to = 0.45, bristle_close.y.from = 0.2, bristle_close.y.to = 0.26;
  const Region level_set{
      .label = "equilibria", .x = {-3 - level, -3 + level, 3 + level, 3 - level}, .y = {-3, -3, 3, 3}};
  Panel hybrid_panel = map_panel("", lugre_bristle, level_set);
  hybrid_panel.x.from = -2.2, hybrid_panel.x.to = 2.2, hybrid_panel.y.from = -2.2, hybrid_panel.y.to = 2.2;
  hybrid_panel.series.push_back(
      {.name = "rest under a held input", .x = held.rest_u, .y = held.rest_x, .style = Style::points, .colour = 1});
  result.figures = {
      {"equilibria_bristles",
       {.title = "Equilibria and hysteresis maps of the bristle model",
        .subtitle =
            "Drincic 2011 Fig 5: sawtooth 0.5 to 0.7 N, spacing 5 mm, u = 2 sin(0.001 t) N; bristles with w 0.5 m, u = "
            "sin(0.001 t) N",
        .panels = {map_panel("Sawtooth", sawtooth, teeth_set), close, map_panel("Bristles", bristle, bristle_set),
                   bristle_close},
        .columns = 2}},
      {"equilibria_lugre_bristle",
       {.title = "Equilibria and hysteresis map of the LuGre-bristle hybrid",
        .subtitle = "Drincic 2011 Fig 10: u = 2 sin(0.01 t) N",
        .panels = {hybrid_panel}}}};
  const auto map_table = [](const Map& m) { return Table{{{"input", "N", m.u}, {"position", "m", m.x}}}; };
  result.tables = {{"equilibria_sawtooth_map", map_table(sawtooth)},
                   {"equilibria_sawtooth_border", border_table(teeth_set)},
                   {"equilibria_bristle_map", map_table(bristle)},
                   {"equilibria_bristle_border", border_table(bristle_set)},
                   {"equilibria_lugre_bristle_map", map_table(lugre_bristle)},
                   {"equilibria_lugre_bristle_held", {{{"input", "N", held.rest_u}, {"position", "m", held.rest_x}}}}};
  result.remarks = {
      "\"The hysteresis map is a subset of the equilibria\": its rest points are; while it slips it crosses the gaps "
      "between the teeth.",
      "Drincic 2011 eq 32 lacks a factor: the bristle angle at rest lies within g(0)/sigma, not within g(0).",
      "kappa = 10 N m/rad of Fig 10 must be 0.1, as in Fig 9."};
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_bristle_equilibria() {
  static const Experiment experiment{
      "bristle-equilibria", "Equilibria and hysteresis maps of the bristle models", "Drincic 2011 Fig 5 and 10",
      reproduce_bristle_equilibria,
      "Drincic 2011 eqs 13-18 and 30-34: all (u, x) with -F_left(x) <= u - K x <= F_right(x) are "
      "equilibria (shaded); the map of a very slow input runs inside."};
  return experiment;
}

}  // namespace stickslip::inline experiments
