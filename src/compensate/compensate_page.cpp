/// See compensate_page.hpp.
#include "compensate/compensate_page.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline compensation {
namespace {

std::string length_of(const Compensation& c) { return unit_for(c.plan.motion, "m"); }

std::string rest_words(const Compensation& c, const Rival& r) {
  const std::string unit = length_of(c);
  if (!std::isfinite(r.rest.swing)) return "diverges";
  if (r.rest.hunts)
    return std::string(r.axis.gains.dither_amplitude > 0 ? "oscillates" : "hunts") + ", ± " +
           with_unit(r.rest.swing, unit, 3) + " every " + with_unit(r.rest.period, "s", 3);
  return "rests, off by " + with_unit(r.rest.error, unit, 3);
}

std::string radius(double r) { return r > 0 ? significant(r, 4) : "-"; }

Figure map_figure(const Compensation& c) {
  const StairMap& m = c.map;
  Figure figure;
  figure.title = "Stick-slip from rest, with integral action, without compensation";
  Panel panel{.x = {.label = "speed", .unit = unit_for(c.plan.motion, "m/s"), .logarithmic = true},
              .y = {.label = "bandwidth factor", .unit = "", .logarithmic = true}};
  const auto edges = [](const std::vector<double>& at, std::size_t i) {
    const auto between = [&](std::size_t a, std::size_t b) { return std::sqrt(at[a] * at[b]); };
    const double low = i > 0 ? between(i - 1, i) : at[0] * at[0] / between(0, 1);
    const double high = i + 1 < at.size() ? between(i, i + 1) : at[i] * at[i] / between(i - 1, i);
    return std::pair(low, high);
  };
  struct Look {
    Moves moves;
    const char* name;
    int colour;
  };
  for (const Look& look :
       {Look{Moves::smoothly, "smooth", 2}, Look{Moves::in_stairs, "stick-slip", 1},
        Look{Moves::unstable, "oscillates", 3}, Look{Moves::undecided, "too slow to decide", grey}}) {
    DataSeries s;
    s.name = look.name;
    s.style = Style::cells;
    s.colour = look.colour;
    for (std::size_t i = 0; i < m.speeds.size(); ++i)
      for (std::size_t j = 0; j < m.factors.size(); ++j) {
        const StairCell& cell = m.cells[i * m.factors.size() + j];
        if (cell.moves != look.moves) continue;
        const auto [left, right] = edges(m.speeds, i);
        const auto [bottom, top] = edges(m.factors, j);
        s.x.push_back(cell.speed), s.y.push_back(cell.factor);
        s.edges.left.push_back(left), s.edges.right.push_back(right);
        s.edges.bottom.push_back(bottom), s.edges.top.push_back(top);
      }
    if (!s.x.empty()) panel.series.push_back(std::move(s));
  }
  DataSeries low{.name = "sliding stable above, predicted", .colour = ink},
      high{.name = "and below", .colour = ink, .dashed = true};
  for (const StairBoundary& b : m.boundary) {
    const bool has_low = b.is_any && b.low > 0;
    low.x.push_back(b.speed), low.y.push_back(has_low ? b.low : NAN);
    high.x.push_back(b.speed), high.y.push_back(b.is_any && b.high < 2 ? b.high : NAN);
  }
  panel.series.push_back(std::move(low));
  panel.series.push_back(std::move(high));
  for (const StairCheck& check : m.checks)
    if (std::isfinite(check.seen)) panel.marks.push_back({check.speed, check.seen, "seen", ink});
  figure.panels = {panel};
  return figure;
}

}  // namespace

Figure tracking_figure(const Compensation& c) {
  const Rival &none = c.results.rivals.front(), &best = c.results.rivals[c.results.best];
  Figure figure;
  figure.title = "Tracking error with and without compensation";
  const auto error = [](const Rival& r, const std::string& name, bool dashed) {
    DataSeries s;
    s.name = name;
    s.dashed = dashed;
    s.x = r.trace.time;
    for (std::size_t i = 0; i < r.trace.time.size(); ++i) s.y.push_back(r.trace.reference[i] - r.trace.position[i]);
    return s;
  };
  Panel path{.x = {"time", "s"}, .y = {"reference", length_of(c)}};
  path.series = {{.name = "", .x = none.trace.time, .y = none.trace.reference}};
  Panel errors{.x = {"time", "s"}, .y = {"tracking error", length_of(c)}};
  errors.series = {error(none, none.name, false)};
  if (c.results.best > 0) errors.series.push_back(error(best, best.name, false));
  figure.panels = {path, errors};
  return figure;
}

TextTable rival_table(const Compensation& c) {
  const std::string unit = length_of(c);
  TextTable table{.columns = {"", "against friction", "rms error", "after a reversal", "at rest"}, .rows = {}};
  for (std::size_t i = 0; i < c.results.rivals.size(); ++i) {
    const Rival& r = c.results.rivals[i];
    std::vector<std::string> row{i == c.results.best ? ">" : "", r.name};
    if (!r.was_run)
      row.insert(row.end(), {"-", "-",
                             "not run: unstable in small motions, spectral radius " +
                                 radius(std::max(r.presliding_radius, r.sliding_radius))});
    else if (r.trace.stop != Stop::finished)
      row.insert(row.end(), {"-", "-", "diverges"});
    else
      row.insert(row.end(),
                 {with_unit(r.tracking.rms, unit, 3),
                  r.tracking.reversals > 0 ? with_unit(r.tracking.at_reversal, unit, 3) : "-", rest_words(c, r)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable hunting_table(const Compensation& c) {
  const std::string unit = length_of(c);
  const HuntingFound& h = c.results.hunting;
  TextTable table{.columns = {"hunting under the integral", "predicted", "seen"}, .rows = {}};
  const bool is_seen = h.seen.hunts && std::isfinite(h.seen.swing);
  table.rows.push_back({"period", h.predicted ? with_unit(h.predicted->period, "s", 4) : "none",
                        is_seen ? with_unit(h.seen.period, "s", 4) : "none"});
  table.rows.push_back({"amplitude", h.predicted ? with_unit(h.predicted->amplitude, unit, 4) : "none",
                        is_seen ? with_unit(h.seen.swing, unit, 4) : "none"});
  if (is_seen)
    table.rows.push_back(
        {"dead zone that ends it", "-", h.is_dead_zone_found ? with_unit(h.dead_zone_seen, unit, 3) : "none found"});
  return table;
}

TextTable hunting_boundary_table(const Compensation& c) {
  const HuntingBoundary& b = c.results.hunting.boundary;
  TextTable table{.columns = {"hunting at bandwidth factor", "predicted", "seen"}, .rows = {}};
  const auto cycle = [&](double amplitude, double period) {
    return "± " + with_unit(amplitude, length_of(c), 3) + " every " + with_unit(period, "s", 3);
  };
  if (b.hunts_at > 0)
    table.rows.push_back({significant(b.hunts_at, 3),
                          b.predicted ? cycle(b.predicted->amplitude, b.predicted->period) : "none",
                          cycle(b.seen.swing, b.seen.period)});
  if (b.rests_at > 0)
    table.rows.push_back(
        {significant(b.rests_at, 3), b.stable_from > 0 && b.rests_at >= b.stable_from ? "none" : "possible", "rests"});
  if (b.stable_from > 0) table.rows.push_back({significant(b.stable_from, 3) + " and above", "none", "-"});
  return table;
}

TextTable boundary_table(const Compensation& c) {
  TextTable table{.columns = {"steady sliding at", "stable above, predicted", "seen"}, .rows = {}};
  for (const StairCheck& check : c.map.checks)
    table.rows.push_back({with_unit(check.speed, unit_for(c.plan.motion, "m/s"), 3), significant(check.predicted, 4),
                          std::isfinite(check.seen) ? significant(check.seen, 4) : "not found"});
  return table;
}

std::vector<std::string> findings(const Compensation& c) {
  const auto unit = [&](std::string_view linear) { return unit_for(c.plan.motion, linear); };
  const Rival& best = c.results.rivals[c.results.best];
  const ServoGains& g = best.axis.gains;
  std::vector<std::string> lines;
  lines.push_back("Recommended: " + best.name + (best.chosen.empty() ? "" : " (" + best.chosen + ")") + ": " +
                  c.results.why + ".");
  std::string gains = "Gains: proportional " + with_unit(g.proportional, unit("N/m"), 4) + ", derivative " +
                      with_unit(g.derivative, unit("N s/m"), 4);
  if (g.integral > 0) gains += ", integral " + with_unit(g.integral, unit("N/(m s)"), 4);
  if (g.dead_zone > 0) gains += ", dead zone " + with_unit(g.dead_zone, unit("m"), 3);
  lines.push_back(gains + ".");
  lines.push_back("Small motions: spectral radius per sample " + radius(best.presliding_radius) + " in presliding, " +
                  radius(best.sliding_radius) + " while sliding; below 1 is stable.");
  const HuntingFound& h = c.results.hunting;
  if (h.unstable_at == 0)
    lines.push_back("Hunting: none predicted, since sliding is stable at every slow speed with the integral; " +
                    std::string(h.seen.hunts ? "it occurred in simulation nevertheless."
                                             : "none seen in " + with_unit(h.seen.duration, "s", 3) + "."));
  else if (h.predicted)
    lines.push_back(
        "Hunting: sliding at " + with_unit(h.unstable_at, unit("m/s"), 3) +
        " is unstable with the integral. The closed form assumes ideal stiction" +
        (h.is_slow ? "; its slip of " + with_unit(h.predicted->fastest, unit("m/s"), 3) +
                         " is hardly faster than the falling part of the Stribeck curve, so it is only approximate here"
                   : std::string()) +
        (h.seen.hunts ? "." : "; none was seen in " + with_unit(h.seen.duration, "s", 3) + "."));
  if (const HuntingBoundary& b = h.boundary; b.hunts_at > 0 && b.rests_at > 0) {
    const ServoGains rests = with_bandwidth(c.results.rivals[1].axis, b.rests_at).gains;
    lines.push_back("Hunting over the gains: the axis hunts at a bandwidth factor of " + significant(b.hunts_at, 3) +
                    " and comes to rest at " + significant(b.rests_at, 3) + " (proportional " +
                    with_unit(rests.proportional, unit("N/m"), 3) + ", derivative " +
                    with_unit(rests.derivative, unit("N s/m"), 3) + ", integral " +
                    with_unit(rests.integral, unit("N/(m s)"), 3) + "). " +
                    (b.stable_from > 0
                         ? "From " + significant(b.stable_from, 3) +
                               " on sliding is stable at all slow speeds that were tried: no hunting is predicted."
                         : "Sliding is unstable at some slow speed at all factors up to 64."));
  }
  for (const Rival& r : c.results.rivals)
    if (r.name == "observer")
      lines.push_back(
          "Observer: " +
          (c.results.positive_real > 0
               ? "sigma_1 D/(sigma_0 m) is " + significant(c.results.positive_real, 3) +
                     (c.results.positive_real > 1
                          ? "; above 1 a continuous loop without delay is stable for any motion. "
                          : "; a value above 1 would prove stability for any motion, here it is shown for small "
                            "motions only. ")
               : std::string("the law has no bristle damping, so stability is not proved for large motions. ")) +
          "The spectral radius per sample is " + radius(std::max(r.presliding_radius, r.sliding_radius)) +
          " at worst.");
  std::size_t stairs = 0;
  for (const StairCell& cell : c.map.cells) stairs += cell.moves == Moves::in_stairs;
  lines.push_back("Stick-slip: seen in " + std::to_string(stairs) + " of " + std::to_string(c.map.cells.size()) +
                  " cells of the map, " + with_unit(c.map.speeds.front(), unit("m/s"), 3) + " to " +
                  with_unit(c.map.speeds.back(), unit("m/s"), 3) + ".");
  double needed = 0, allowed = HUGE_VAL;
  bool has_all = true;
  for (const StairBoundary& b : c.map.boundary) {
    has_all = has_all && b.is_any;
    if (b.is_any) needed = std::max(needed, b.low), allowed = std::min(allowed, b.high);
  }
  if (!has_all || needed >= allowed) {
    lines.push_back(
        "No bandwidth factor from 1/64 to 4 makes sliding stable at every one of these speeds without compensation.");
  } else if (needed > 1) {
    const ServoGains better = with_bandwidth(c.results.rivals[1].axis, needed).gains;
    lines.push_back("Without compensation sliding is stable at all of them from a bandwidth factor of " +
                    significant(needed, 3) + " on: proportional " + with_unit(better.proportional, unit("N/m"), 3) +
                    ", derivative " + with_unit(better.derivative, unit("N s/m"), 3) + ", integral " +
                    with_unit(better.integral, unit("N/(m s)"), 3) + "; sampling and delay allow up to " +
                    significant(allowed, 3) + (allowed >= 4 ? " or more." : "."));
  } else {
    lines.push_back("With these gains sliding is stable at all of them, from a bandwidth factor of " +
                    significant(needed, 3) + " to " + significant(allowed, 3) + (allowed >= 4 ? " or more." : "."));
  }
  return lines;
}

Json to_json(const Compensation& c) {
  const ServoAxis& axis = c.plan.axis;
  Json all = Json::object({{"model", c.model.file}, {"axis", c.plan.source}});
  all["mass"] = axis.body.mass;
  all["sampling_time_s"] = axis.gains.sampling_time;
  all["delay_s"] = axis.delay;
  all["lag_s"] = axis.lag;
  all["resolution"] = axis.gains.resolution;
  all["assumed"] = c.plan.assumed;
  Json rivals = Json::array();
  for (const Rival& r : c.results.rivals) {
    const ServoGains& g = r.axis.gains;
    Json one = Json::object({{"name", r.name}, {"chosen", r.chosen}, {"was_run", r.was_run}});
    one["gains"] = Json::object({{"proportional", g.proportional},
                                 {"derivative", g.derivative},
                                 {"integral", g.integral},
                                 {"dead_zone", g.dead_zone}});
    Json radii = Json::object();
    if (r.presliding_radius > 0) radii["presliding"] = r.presliding_radius;  // a law without bristles has none
    radii["sliding"] = r.sliding_radius;
    one["spectral_radius"] = radii;
    const bool diverges = r.was_run && r.trace.stop != Stop::finished;
    one["diverges"] = diverges || (r.was_run && !std::isfinite(r.rest.swing));
    if (r.was_run && !diverges) {
      Json tracking = Json::object({{"rms", r.tracking.rms}, {"largest", r.tracking.largest}});
      if (r.tracking.reversals > 0) tracking["at_reversal"] = r.tracking.at_reversal;
      tracking["reversals"] = r.tracking.reversals;
      one["tracking_error"] = tracking;
      one["command_rms"] = r.effort;
      Json rest = Json::object({{"hunts", r.rest.hunts}, {"watched_s", r.rest.duration}});
      if (std::isfinite(r.rest.swing)) rest["swing"] = r.rest.swing, rest["error"] = r.rest.error;
      if (r.rest.hunts) rest["period_s"] = r.rest.period;
      one["at_rest"] = rest;
    }
    rivals.push_back(std::move(one));
  }
  all["rivals"] = rivals;
  all["recommended"] = c.results.rivals[c.results.best].name;
  all["why"] = c.results.why;
  const HuntingFound& h = c.results.hunting;
  Json hunting = Json::object();
  if (h.predicted)
    hunting["predicted"] = Json::object({{"period_s", h.predicted->period}, {"amplitude", h.predicted->amplitude}});
  if (h.seen.hunts && std::isfinite(h.seen.swing))
    hunting["seen"] = Json::object({{"period_s", h.seen.period}, {"amplitude", h.seen.swing}});
  if (h.is_dead_zone_found) hunting["dead_zone_that_ends_it"] = h.dead_zone_seen;
  if (const HuntingBoundary& b = h.boundary; b.hunts_at > 0 || b.stable_from > 0) {
    Json over_gains = Json::object();
    if (b.hunts_at > 0) {
      over_gains["hunts_at"] = b.hunts_at;
      over_gains["seen"] = Json::object({{"period_s", b.seen.period}, {"amplitude", b.seen.swing}});
      if (b.predicted)
        over_gains["predicted"] =
            Json::object({{"period_s", b.predicted->period}, {"amplitude", b.predicted->amplitude}});
    }
    if (b.rests_at > 0) over_gains["rests_at"] = b.rests_at;
    if (b.stable_from > 0) over_gains["stable_from"] = b.stable_from;
    hunting["over_bandwidth"] = over_gains;
  }
  all["hunting"] = hunting;
  if (c.results.positive_real > 0) all["observer_positive_real_margin"] = c.results.positive_real;
  Json cells = Json::array(), boundary = Json::array(), checks = Json::array();
  for (const StairCell& cell : c.map.cells)
    cells.push_back(Json::object({{"speed", cell.speed},
                                  {"factor", cell.factor},
                                  {"moves", cell.moves == Moves::smoothly    ? "smoothly"
                                            : cell.moves == Moves::in_stairs ? "stick-slip"
                                            : cell.moves == Moves::unstable  ? "unstable"
                                                                             : "undecided"}}));
  for (const StairBoundary& b : c.map.boundary) {
    Json one = Json::object({{"speed", b.speed}, {"any_stable", b.is_any}});
    if (b.is_any) one["stable_above"] = b.low, one["stable_below"] = b.high;
    boundary.push_back(std::move(one));
  }
  for (const StairCheck& check : c.map.checks) {
    Json one = Json::object({{"speed", check.speed}, {"predicted", check.predicted}});
    if (std::isfinite(check.seen)) one["seen"] = check.seen;
    checks.push_back(std::move(one));
  }
  all["stairs"] = Json::object({{"cells", cells}, {"boundary", boundary}, {"checked", checks}});
  return all;
}

Page compensation_page(const Compensation& c, const Provenance& provenance) {
  const auto unit = [&](std::string_view linear) { return unit_for(c.plan.motion, linear); };
  const Rival &none = c.results.rivals.front(), &best = c.results.rivals[c.results.best];
  const ServoAxis& axis = c.plan.axis;
  const bool turns = none.tracking.reversals > 0;
  Page page{.title = "A controller for " + c.model.file};
  page.subtitle = best.name + (best.chosen.empty() ? "" : ", " + best.chosen);
  const auto score = [&](const Rival& r) {
    return with_unit(turns ? r.tracking.at_reversal : r.tracking.rms, length_of(c), 3);
  };
  page.blocks.push_back(Highlights{
      {{score(none), turns ? "error after a reversal, no compensation" : "rms error, no compensation", Tone::doubtful},
       {score(best), "with " + best.name, Tone::good},
       {best.rest.hunts ? "hunts" : "rests", "at standstill", best.rest.hunts ? Tone::bad : Tone::good}}});
  page.blocks.push_back(Remarks{findings(c)});
  if (c.plan.is_another_friction)
    page.blocks.push_back(
        Paragraph{"The true friction is that of " + c.plan.source + "; the controller knows " + c.model.file + "."});
  page.blocks.push_back(PageHeading{"Controllers compared in the closed loop"});
  page.blocks.push_back(page_table(rival_table(c)));
  page.blocks.push_back(FigureBlock{tracking_figure(c), "tracking"});
  page.blocks.push_back(PageHeading{"Hunting at standstill"});
  page.blocks.push_back(page_table(hunting_table(c)));
  if (const TextTable over_gains = hunting_boundary_table(c); !over_gains.rows.empty())
    page.blocks.push_back(page_table(over_gains));
  page.blocks.push_back(
      Paragraph{"Predicted: closed form of a continuous PID loop with ideal stiction. Seen: the axis with its encoder, "
                "sampling and delay, "
                "watched for " +
                with_unit(c.results.hunting.seen.duration, "s", 3) + " after a stroke."});
  page.blocks.push_back(PageHeading{"Stick-slip at constant speed"});
  page.blocks.push_back(FigureBlock{map_figure(c), "stairs"});
  page.blocks.push_back(Paragraph{
      "A bandwidth factor k changes the gains to P k^2, D k, I k^3. Below the line steady sliding is unstable; above "
      "it, stick-slip may still occur "
      "from rest. Each check is a bisection between a small disturbance that grows and one that decays."});
  if (!c.map.checks.empty()) page.blocks.push_back(page_table(boundary_table(c)));
  page.blocks.push_back(PageHeading{"The axis"});
  KeyValues facts;
  facts.rows = {{c.plan.motion == MotionKind::rotary ? "inertia" : "mass", with_unit(axis.body.mass, unit("kg"), 4)},
                {"true friction", axis.friction->description().title},
                {"friction model of the controller", c.known->description().title},
                {"sampling time", with_unit(axis.gains.sampling_time, "s", 4)},
                {"delay", with_unit(axis.delay, "s", 4)},
                {"lag of the motor", with_unit(axis.lag, "s", 4)},
                {"encoder resolution",
                 axis.gains.resolution > 0 ? with_unit(axis.gains.resolution, unit("m"), 4) : std::string("exact")}};
  page.blocks.push_back(facts);
  if (!c.plan.assumed.empty()) {
    page.blocks.push_back(PageHeading{"Assumptions", 3});
    page.blocks.push_back(Remarks{c.plan.assumed});
  }
  add_how_to_repeat(page, provenance);
  return page;
}

}  // namespace stickslip::inline compensation
