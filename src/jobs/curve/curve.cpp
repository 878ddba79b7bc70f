/// Friction over speed from recordings at constant speed; see curve.hpp.
#include "jobs/curve/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/table.hpp"

namespace stickslip::inline jobs {
namespace {

/// The different values of a column, in the order of the file.
std::vector<std::string> values_of(const RecordingSource& source, const ReadOptions& reading,
                                   const std::string& column) {
  ReadOptions options = reading;
  options.needed.clear();
  options.rate = 1;  // the time of joined recordings goes back: it is not used here
  options.columns.time.clear();
  const Recording all = source.read(options);
  std::vector<std::string> found, names;
  const auto add = [&](const std::string& value) {
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  };
  for (const Labels& labels : all.labels)
    if (labels.name == column)
      for (const auto i : labels.index) add(labels.words[i]);
  for (const Column& c : all.others) {
    names.push_back(c.name);
    const bool same = c.name == column || column.starts_with(c.name + "_") || c.name.starts_with(column + "(");
    if (!same || !found.empty()) continue;
    double last = 0;
    for (std::size_t i = 0; i < c.values.size(); ++i)
      if (i == 0 || c.values[i] != last) add(shortest(last = c.values[i]));
  }
  for (const Labels& labels : all.labels) names.push_back(labels.name);
  if (found.empty()) throw Error(source.file + ": --each: " + no_such("column", column, names));
  return found;
}

std::vector<SteadyPoint> points_of(const CurveRequest& a, CurveResult& result, const Warn& warn) {
  std::vector<SteadyPoint> points;
  std::vector<std::string> refused;
  const auto take = [&](const RecordingSource& source, const ReadOptions& options, const std::string& name) {
    Recording recording = read_window(source, options, a.window);
    if (a.steady.force_drives) drop_sign_note(recording.notes);
    if (a.each.empty())
      for (const Note& note : recording.notes) warn(to_text(note, recording.file));
    if (result.first.file.empty()) result.first = recording;
    if (recording.rotary != result.first.rotary)
      throw Error(one_line(source.file, 100) + ": rotary and linear recordings cannot be mixed");
    SteadyPoints found;
    try {
      found = steady_points(recording, a.steady);
    } catch (const Error& none) {  // the others may have one
      refused.emplace_back(none.what());
      return;
    }
    for (const std::string& note : found.notes) warn(note);
    for (SteadyPoint& p : found.points) p.where = name, points.push_back(p);
  };
  for (const RecordingSource& source : a.recordings) {
    if (a.each.empty()) {
      take(source, a.reading, source.file);
      continue;
    }
    for (const std::string& value : values_of(source, a.reading, a.each)) {
      ReadOptions options = a.reading;
      options.where.push_back({a.each, value});
      take(source, options, a.each + "=" + value);
    }
  }
  if (points.empty() && !refused.empty()) throw Error(refused.front());
  for (const std::string& problem : refused) warn("left out: " + problem);
  std::stable_sort(points.begin(), points.end(),
                   [](const SteadyPoint& p, const SteadyPoint& q) { return p.speed < q.speed; });
  result.is_rotary = result.first.rotary;
  return points;
}

CurveOptions options_of(const CurveRequest& a) {
  CurveOptions options;
  options.degree = a.degree;
  options.constant_load = a.constant_load;
  for (const Quantity quantity : {Quantity::load, Quantity::pressure, Quantity::temperature})
    if (a.over == quantity_name(quantity)) options.over = quantity;
  if (a.forms.empty()) return options;
  const std::vector<CurveShape> all = options.shapes;
  options.shapes.clear();
  for (const std::string& form : a.forms)
    for (const CurveShape& shape : all)
      if (name_of(shape).starts_with(form)) options.shapes.push_back(shape);
  return options;
}

MotionKind motion_of(const CurveResult& r) { return r.is_rotary ? MotionKind::rotary : MotionKind::linear; }

/// The law of a direction in numbers: "F_C 12 N, F_S 15 N, v_S 2 mm/s, F_v 30 N s/m".
std::string in_numbers(const CurveFit& f, const MotionUnits& unit) {
  std::string text = "F_C " + with_unit(f.coulomb, unit("N"), 4);
  if (f.stribeck_velocity > 0)
    text += ", F_S " + with_unit(f.stiction, unit("N"), 4) + ", v_S " + with_unit(f.stribeck_velocity, unit("m/s"), 4);
  if (f.shape.form != CurveForm::constant) text += ", F_v " + with_unit(f.viscosity, unit("N s/m"), 4);
  return text;
}

std::string direction_word(const DirectionCurve& curve) {
  return curve.direction == Direction::forward ? "forward" : "backward";
}

/// What the recommended curve says at a point, with the sign of its direction and the constant load [N].
double modelled_force(const StaticCurve& curve, const SteadyPoint& p) {
  const auto& direction = p.speed > 0 ? curve.forward : curve.backward;
  const double q = !curve.over ? 0 : recorded_at(p, *curve.over) - curve.reference;
  if (!direction) return 0;
  return curve.constant_load + number(direction->direction) * direction->best().at(std::fabs(p.speed), q);
}

/// Signed over signed speed, and both directions over the logarithm of the speed, where a Stribeck curve shows its shape.
Figure curve_figure(const CurveResult& r) {
  const MotionUnits unit{r.is_rotary};
  Panel plain{.title = "friction over speed", .x = {"speed", unit("m/s")}, .y = {"friction", unit("N")}};
  Panel decades{.title = "the same over the logarithm of the speed",
                .x = {.label = "speed, without sign", .unit = unit("m/s"), .logarithmic = true},
                .y = {"friction, without sign", unit("N")}};
  int colour = 0;
  for (const auto* direction : {&r.curve.forward, &r.curve.backward}) {
    if (!*direction) continue;
    const DirectionCurve& curve = **direction;
    const double sign = number(curve.direction);
    DataSeries measured{.name = direction_word(curve) + ", measured", .style = Style::points, .colour = colour};
    DataSeries model{.name = direction_word(curve) + ", model", .colour = ink, .dashed = true, .width = 2};
    double slowest = std::numeric_limits<double>::infinity(), fastest = 0, q = 0;
    for (const SteadyPoint& p : curve.points) {  // the constant load is subtracted
      measured.x.push_back(p.speed), measured.y.push_back(p.force);
      slowest = std::min(slowest, std::fabs(p.speed)), fastest = std::max(fastest, std::fabs(p.speed));
      if (r.curve.over) q += (recorded_at(p, *r.curve.over) - r.curve.reference) / double(curve.points.size());
    }
    if (r.curve.over) model.name += " at the mean " + std::string(quantity_name(*r.curve.over));
    constexpr int steps = 120;
    for (int i = 0; i <= steps; ++i) {
      const double speed = slowest * std::pow(fastest / slowest, double(i) / steps);
      model.x.push_back(sign * speed), model.y.push_back(sign * curve.best().at(speed, q));
    }
    plain.series.push_back(measured), plain.series.push_back(model);
    for (DataSeries* series : {&measured, &model}) {
      for (double& x : series->x) x = std::fabs(x);
      for (double& y : series->y) y *= sign;
      decades.series.push_back(*series);
    }
    ++colour;
  }
  return {.title = "Friction over speed", .panels = {plain, decades}, .columns = 2};
}

Table curve_points(const CurveResult& r) {
  const MotionUnits unit{r.is_rotary};
  Table table{{{"speed", unit("m/s"), {}},
               {"force", unit("N"), {}},
               {"standard_error", unit("N"), {}},
               {"model", unit("N"), {}},
               {"drift", unit("N"), {}},
               {"load", "N", {}},
               {"pressure", "Pa", {}},
               {"from", "s", {}},
               {"to", "s", {}}}};
  for (const SteadyPoint& p : r.points) {
    const double row[] = {p.speed, p.force, p.standard_error, modelled_force(r.curve, p), p.drift, p.load, p.pressure,
                          p.from,  p.to};
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].values.push_back(row[i]);
  }
  if (std::all_of(r.points.begin(), r.points.end(), [](const SteadyPoint& p) { return p.temperature > 0; })) {
    table.columns.push_back({"temperature", "K", {}});
    for (const SteadyPoint& p : r.points) table.columns.back().values.push_back(p.temperature);
  }
  return table;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void add_direction(std::vector<FindingTable>& out, const DirectionCurve& curve, const CurveResult& r) {
  const MotionUnits unit{r.is_rotary};
  const auto or_dash = [&](double value, const char* of, bool has) {
    return has && std::isfinite(value) ? with_unit(value, unit(of), 4) : std::string("-");
  };
  FindingTable fits{.heading = direction_word(curve) + ", " + std::to_string(curve.points.size()) +
                               (curve.points.size() == 1 ? " steady stretch, " : " steady stretches, ") +
                               counted(curve.conditions, "condition")};
  fits.table.columns = {"curve", "parameters", "error rms", "held-out rms", "F_C", "F_S", "v_S", "F_v", ""};
  for (const CurveFit& f : curve.fits) {
    const bool curved = f.stribeck_velocity > 0;
    fits.table.rows.push_back({name_of(f.shape), std::to_string(f.parameters), with_unit(f.rms, unit("N"), 3),
                               or_dash(f.held_out_rms, "N", true), with_unit(f.coulomb, unit("N"), 4),
                               or_dash(f.stiction, "N", curved), or_dash(f.stribeck_velocity, "m/s", curved),
                               or_dash(f.viscosity, "N s/m", f.shape.form != CurveForm::constant),
                               &f == &curve.best() ? "recommended" : ""});
  }
  out.push_back(std::move(fits));
  out.push_back({.table = estimates_table(curve.best().estimates, "stribeck", motion_of(r))});
}

/// Measured and model at every speed, in order.
void add_points(std::vector<FindingTable>& out, const CurveResult& r) {
  constexpr std::size_t most_rows = 40;
  const MotionUnits unit{r.is_rotary};
  if (r.points.size() > most_rows) return;
  FindingTable all{.heading = "steady stretches by speed"};
  all.table.columns = {"speed", "force", "standard error", "model", "residual", "recording"};
  for (const SteadyPoint& p : r.points) {
    const double model = modelled_force(r.curve, p);
    all.table.rows.push_back({with_unit(p.speed, unit("m/s"), 4), with_unit(p.force, unit("N"), 4),
                              with_unit(p.standard_error, unit("N"), 2), with_unit(model, unit("N"), 4),
                              with_unit(p.force - model, unit("N"), 2), one_line(p.where, 30)});
  }
  out.push_back(std::move(all));
}

/// A load, a pressure, or a temperature in degC.
std::string quantity_text(Quantity over, double value) {
  if (over == Quantity::temperature) return significant(value - 273.15, 3) + " degC";
  return with_unit(value, quantity_unit(over, MotionKind::linear), 3);
}

void add_pairs(std::vector<FindingTable>& out, const CurveResult& r) {
  const StaticCurve& curve = r.curve;
  const MotionUnits unit{r.is_rotary};
  if (curve.pairs.empty()) return;
  FindingTable pairs{.heading = "both directions"};
  pairs.table.columns = {"speed", "half difference", "model", "deviation", "half sum"};
  if (curve.over) pairs.table.columns.insert(pairs.table.columns.begin() + 1, std::string(quantity_name(*curve.over)));
  std::vector<CurvePair> sorted = curve.pairs;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CurvePair& a, const CurvePair& b) { return a.speed < b.speed; });
  for (const CurvePair& p : sorted) {
    pairs.table.rows.push_back({with_unit(p.speed, unit("m/s"), 3), with_unit(p.half_difference, unit("N"), 4),
                                with_unit(p.modelled, unit("N"), 4),
                                significant(100 * (p.modelled / p.half_difference - 1), 2) + " %",
                                with_unit(p.offset, unit("N"), 3)});
    std::vector<std::string>& row = pairs.table.rows.back();
    if (curve.over) row.insert(row.begin() + 1, quantity_text(*curve.over, p.q + curve.reference));
  }
  if (curve.constant_load == 0) {
    pairs.text = "Friction forward minus friction backward: " + with_unit(curve.asymmetry, unit("N"), 3);
    if (std::isfinite(curve.asymmetry_error))
      pairs.text += " ± " + with_unit(curve.asymmetry_error, unit("N"), 2) + " (standard error)";
    pairs.text += ".";
  }
  if (curve.friction) {
    pairs.text +=
        " Friction, half the difference of both directions: " + with_unit(curve.friction->coulomb, unit("N"), 4);
    for (std::size_t k = 0; k < curve.friction->slopes.size(); ++k)
      pairs.text += " + " + significant(curve.friction->slopes[k], 4) + " q" + (k ? "^" + std::to_string(k + 1) : "");
    pairs.text += " [" + unit("N") + "], q the " + std::string(quantity_name(*curve.over)) +
                  (*curve.over == Quantity::temperature ? " less " + temperature_text(curve.reference) : "") + " [" +
                  quantity_unit(*curve.over, motion_of(r)) + "]" + "; held-out rms " +
                  with_unit(curve.friction->held_out_rms, unit("N"), 3) + ".";
  }
  out.push_back(std::move(pairs));
}

std::vector<FindingTable> tables_of(const CurveResult& r) {
  std::vector<FindingTable> out;
  for (const auto* direction : {&r.curve.forward, &r.curve.backward})
    if (*direction) add_direction(out, **direction, r);
  add_points(out, r);
  add_pairs(out, r);
  return out;
}

/// The constant load, and what cannot be separated from it.
std::string load_words(const CurveResult& r) {
  const MotionUnits unit{r.is_rotary};
  const StaticCurve& c = r.curve;
  return "A constant load of " + with_unit(c.constant_load, unit("N"), 4) +
         (std::isfinite(c.constant_load_error)
              ? " ± " + with_unit(c.constant_load_error, unit("N"), 2) + " (standard error)"
              : std::string()) +
         " is subtracted: half the sum of both directions at the same speed. Friction that differs with the direction "
         "cannot be separated from it.";
}

std::string summary_of(const CurveResult& r) {
  std::string text;
  const MotionUnits unit{r.is_rotary};
  for (const auto* direction : {&r.curve.forward, &r.curve.backward})
    if (*direction)
      text += std::string(text.empty() ? "" : " ") + (direction == &r.curve.forward ? "Forward" : "Backward") + ": " +
              name_of((*direction)->best().shape) + ", " + in_numbers((*direction)->best(), unit) + ", residual " +
              with_unit((*direction)->best().rms, unit("N"), 2) + " rms.";
  return text + (r.curve.constant_load == 0 ? "" : " " + load_words(r));
}

Json json_of(const DirectionCurve& curve) {
  Json out = Json::object();
  out["conditions"] = curve.conditions;
  out["recommended"] = name_of(curve.best().shape);
  out["fits"] = Json::array();
  for (const CurveFit& f : curve.fits) {
    Json item = Json::object();
    item["curve"] = name_of(f.shape);
    item["parameters"] = f.parameters;
    item["rms"] = f.rms;
    item["left_out_rms"] = std::isfinite(f.held_out_rms) ? Json(f.held_out_rms) : Json();
    for (const Estimate& e : f.estimates) {
      item[e.key] = estimate_json(e);
    }
    out["fits"].push_back(item);
  }
  return out;
}

Json json_of(const StaticCurve& curve, const std::vector<SteadyPoint>& points) {
  Json out = Json::object();
  if (curve.forward) out["forward"] = json_of(*curve.forward);
  if (curve.backward) out["backward"] = json_of(*curve.backward);
  out["constant_load"] = curve.constant_load;
  out["pairs"] = Json::array();
  for (const CurvePair& p : curve.pairs) {
    Json item = Json::object();
    item["speed"] = p.speed, item["q"] = p.q, item["half_difference"] = p.half_difference;
    item["modelled"] = p.modelled, item["same_in_both"] = p.offset;
    out["pairs"].push_back(item);
  }
  if (curve.friction) {
    out["friction"] = Json::object();
    out["friction"]["level"] = curve.friction->coulomb;
    if (curve.over == Quantity::temperature) out["friction"]["q_from"] = curve.reference;
    out["friction"]["over_q"] = Json::array();
    for (const double c : curve.friction->slopes) out["friction"]["over_q"].push_back(c);
    out["friction"]["left_out_rms"] = curve.friction->held_out_rms;
  }
  out["points"] = Json::array();
  for (const SteadyPoint& p : points) {
    Json item = Json::object();
    item["where"] = p.where, item["speed"] = p.speed, item["force"] = p.force;
    item["standard_error"] = p.standard_error, item["drift"] = p.drift;
    item["load"] = p.load, item["pressure"] = p.pressure, item["from"] = p.from, item["to"] = p.to;
    if (p.temperature > 0) item["temperature"] = p.temperature;
    out["points"].push_back(item);
  }
  return out;
}

}  // namespace

CurveResult find_curve(const CurveRequest& request, const Warn& warn) {
  CurveResult result;
  result.points = points_of(request, result, warn);
  result.curve = static_curve(result.points, options_of(request));
  return result;
}

std::string curve_text(const CurveResult& result, bool colour) {
  return finding_text({.title = "Friction over speed", .summary = summary_of(result), .tables = tables_of(result)}, 100,
                      colour);
}

Json curve_json(const CurveResult& result) { return json_of(result.curve, result.points); }

TestFinding curve_finding(const CurveRequest& request, const CurveResult& r) {
  TestFinding f;
  f.title = "Friction over speed, from " + one_line(file_name_of(r.first.file), 60) +
            (request.recordings.size() > 1 ? " and " + counted(request.recordings.size() - 1, "other recording") : "");
  f.summary = summary_of(r);
  f.tables = tables_of(r);
  f.json = curve_json(r);
  f.figure = curve_figure(r);
  f.points = curve_points(r);
  const MotionUnits unit{r.is_rotary};
  for (const auto* direction : {&r.curve.forward, &r.curve.backward})
    if (*direction)
      f.highlights.push_back(
          {with_unit((*direction)->best().coulomb, unit("N"), 3), "Coulomb level, " + direction_word(**direction)});
  f.highlights.push_back({std::to_string(r.points.size()), "steady stretches"});
  try {
    std::vector<Estimate> estimates;
    if (r.curve.friction)
      estimates = r.curve.friction->estimates;
    else
      for (const auto* direction : {&r.curve.forward, &r.curve.backward})
        if (*direction)
          for (Estimate e : (*direction)->best().estimates) {
            if (!r.curve.forward && e.key.starts_with("backward."))
              e.key = e.key.substr(9);  // the only direction is the model
            estimates.push_back(std::move(e));
          }
    f.model = model_of_test(f.title, "stribeck", settings_of(r.curve), estimates, r.first, request.reading);
    f.model->preparation.force_drives = request.steady.force_drives;
    f.model->measurement.offset = r.curve.constant_load;
  } catch (const Error& problem) {
    f.why_no_model = problem.what();
  }
  for (const RecordingSource& source : request.recordings)
    if (!source.recording) f.files.push_back(fingerprinted(source.file));
  return f;
}

}  // namespace stickslip::inline jobs
