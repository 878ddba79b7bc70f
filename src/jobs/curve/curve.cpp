/// Friction over speed from recordings at constant speed; see curve.hpp.
#include "jobs/curve/curve.hpp"

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

/// The different values of a column, in the order of the file.
std::vector<std::string> values_of(const RecordingSource& source, const ReadOptions& reading,
                                   const std::string& column) {
  ReadOptions options = reading;
  options.needed.clear();
  options.rate = 1;  // the time of joined recordings goes back: it is not looked at here
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

std::vector<SteadyPoint> points_of(const CurveRequest& a, bool& rotary, const Warn& warn) {
  std::vector<SteadyPoint> points;
  const auto take = [&](const RecordingSource& source, const ReadOptions& options, const std::string& name) {
    Recording recording = source.read(options);
    if (a.steady.force_drives) drop_sign_note(recording.notes);
    if (a.each.empty())
      for (const Note& note : recording.notes) warn(to_text(note, recording.file));
    rotary = recording.rotary;
    SteadyPoints found = steady_points(recording, a.steady);
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
  return points;
}

CurveOptions options_of(const CurveRequest& a) {
  CurveOptions options;
  options.degree = a.degree;
  if (a.over == "load") options.over = Quantity::load;
  if (a.over == "pressure") options.over = Quantity::pressure;
  if (a.forms.empty()) return options;
  const std::vector<CurveShape> all = options.shapes;
  options.shapes.clear();
  for (const std::string& form : a.forms)
    for (const CurveShape& shape : all)
      if (name_of(shape).starts_with(form)) options.shapes.push_back(shape);
  return options;
}

std::string number_or_dash(double value, std::string_view unit, bool has) {
  return has ? with_unit(value, unit, 4) : "-";
}

void print_direction(std::ostream& out, const DirectionCurve& curve, bool rotary, bool colour) {
  const std::string_view newton = rotary ? "N m" : "N", speed = rotary ? "rad/s" : "m/s",
                         slope = rotary ? "N m s/rad" : "N s/m";
  out << coloured(curve.direction == Direction::forward ? "forward" : "backward", Ink::bold, colour) << ", "
      << curve.points.size() << " steady stretches, " << curve.conditions << " conditions\n";
  TextTable table{.columns = {"curve", "parameters", "error rms", "left out", "F_C", "F_S", "v_S", "F_v", ""}};
  for (const CurveFit& f : curve.fits) {
    const bool curved = f.stribeck_velocity > 0;
    table.rows.push_back({name_of(f.shape), std::to_string(f.parameters), with_unit(f.rms, newton, 3),
                          with_unit(f.held_out_rms, newton, 3), with_unit(f.coulomb, newton, 4),
                          number_or_dash(f.stiction, newton, curved),
                          number_or_dash(f.stribeck_velocity, speed, curved),
                          number_or_dash(f.viscosity, slope, f.shape.form != CurveForm::constant),
                          &f == &curve.best() ? "recommended" : ""});
  }
  out << to_text(table, {.colour = colour}) << "\n";
  TextTable parameters{.columns = {"parameter", "value", "standard error", "95 %", ""}};
  for (const Estimate& e : curve.best().estimates)
    parameters.rows.push_back({e.key, significant(e.value, 5), significant(e.standard_error, 2),
                               significant(e.low, 4) + " to " + significant(e.high, 4),
                               std::string(name_of(e.verdict)) + (e.partner.empty() ? "" : " from " + e.partner)});
  out << to_text(parameters, {.colour = colour}) << "\n";
}

void print(std::ostream& out, const StaticCurve& curve, bool rotary, bool colour) {
  const std::string_view newton = rotary ? "N m" : "N", speed = rotary ? "rad/s" : "m/s";
  for (const auto* direction : {&curve.forward, &curve.backward})
    if (*direction) print_direction(out, **direction, rotary, colour);
  if (curve.pairs.empty()) return;
  TextTable pairs{.columns = {"speed", "at", "half difference", "model", "off", "same in both"}};
  for (const CurvePair& p : curve.pairs)
    pairs.rows.push_back({with_unit(p.speed, speed, 3),
                          !curve.over ? "-" : with_unit(p.q, *curve.over == Quantity::pressure ? "Pa" : "N", 3),
                          with_unit(p.half_difference, newton, 4), with_unit(p.modelled, newton, 4),
                          significant(100 * (p.modelled / p.half_difference - 1), 2) + " %",
                          with_unit(p.offset, newton, 3)});
  out << coloured("both directions", Ink::bold, colour) << "\n" << to_text(pairs, {.colour = colour});
  out << "friction forward minus friction backward: " << with_unit(curve.asymmetry, newton, 3) << " +- "
      << with_unit(curve.asymmetry_error, newton, 2) << "\n";
  if (!curve.friction) return;
  out << "friction, half the difference of both directions: " << with_unit(curve.friction->coulomb, newton, 4);
  for (std::size_t k = 0; k < curve.friction->slopes.size(); ++k)
    out << " + " << significant(curve.friction->slopes[k], 4) << " q" << (k ? "^" + std::to_string(k + 1) : "");
  out << " [" << newton << "], q the " << (*curve.over == Quantity::pressure ? "pressure [Pa]" : "load [N]")
      << "; conditions left out: " << with_unit(curve.friction->held_out_rms, newton, 3) << "\n";
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
    item["left_out_rms"] = f.held_out_rms;
    for (const Estimate& e : f.estimates) {
      Json estimate = Json::object();
      estimate["value"] = e.value, estimate["standard_error"] = e.standard_error;
      estimate["low"] = e.low, estimate["high"] = e.high, estimate["verdict"] = std::string(name_of(e.verdict));
      item[e.key] = estimate;
    }
    out["fits"].push_back(item);
  }
  return out;
}

Json json_of(const StaticCurve& curve, const std::vector<SteadyPoint>& points) {
  Json out = Json::object();
  if (curve.forward) out["forward"] = json_of(*curve.forward);
  if (curve.backward) out["backward"] = json_of(*curve.backward);
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
    out["points"].push_back(item);
  }
  return out;
}

}  // namespace

CurveResult find_curve(const CurveRequest& request, const Warn& warn) {
  CurveResult result;
  result.points = points_of(request, result.is_rotary, warn);
  result.curve = static_curve(result.points, options_of(request));
  return result;
}

std::string curve_text(const CurveResult& result, bool colour) {
  std::ostringstream out;
  print(out, result.curve, result.is_rotary, colour);
  return out.str();
}

Json curve_json(const CurveResult& result) { return json_of(result.curve, result.points); }

}  // namespace stickslip
