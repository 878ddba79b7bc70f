/// stickslip slider as a function; see slider.hpp.
#include "jobs/bench_tests/slider.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/experiments/stick_slip_fit.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr double followed = 0.1;  // of the drop: a law that misses the mean slip by more does not describe it

/// What the levels of the first recordings say of another one.
struct SliderPrediction {
  std::string file;
  PulledBody body;
  double closed_form = 0, simulated = 0;
  StickSlipRecord measured = {};
};

StickSlipRecord record_of(const Recording& r, const PulledBody& body, const SliderRequest& a) {
  if (r.rotary)
    throw Error(one_line(r.file, 100) + ": the recording is rotary; slider needs the force of a pulled body");
  return stick_slip_record(r.time, r.force, body, a.options);
}

/// The law that is found: fitted to the slips, or two levels where that is not possible.
struct SliderLaw {
  StickSlipRecord record;
  StickSlipFit fit;
  FrictionSettings settings = {};
  bool is_fitted = false;
  double level(const char* key) const {
    for (const auto& [name, value] : settings.values)
      if (name == key) return std::get<double>(value);
    return 0;
  }
  double kinetic() const { return level("coulomb_force"); }
  double stiction() const { return level("stiction_force"); }
};

SliderLaw law_of(const StickSlipRecord& record, const std::vector<PulledRecording>& recordings,
                 const PulledBody& body) {
  SliderLaw law{.record = record, .fit = fit_stick_slip(recordings, body)};
  law.is_fitted = law.fit.why_none.empty() && law.fit.rms <= followed * record.drop;
  if (law.fit.why_none.empty() && !law.is_fitted)
    law.fit.why_none = "the best law, a " + law.fit.form + ", misses the mean slip by " +
                       significant(100 * law.fit.rms / record.drop, 2) + " % of its drop";
  law.settings = law.is_fitted ? law.fit.settings : levels_of(record, body);
  return law;
}

std::vector<SliderPrediction> predictions(const SliderRequest& a, const SliderLaw& found) {
  std::vector<SliderPrediction> all;
  for (const SliderComparison& c : a.compare) {
    SliderPrediction p{.file = c.recording.file, .body = c.body};
    p.measured = record_of(read_window(c.recording, a.reading, {}), c.body, a);
    p.closed_form = stick_slip_period(found.stiction(), found.kinetic(), c.body);
    p.simulated = simulated_period(found.settings, c.body);
    all.push_back(std::move(p));
  }
  return all;
}

/// What a deviation says, from the numbers.
std::string verdict_of(const SliderPrediction& p, const SliderLaw& found) {
  if (!p.measured.why_none.empty()) return "no stick-slip there: " + p.measured.why_none;
  const double shortest_one = shortest_period(p.body), off = p.simulated / p.measured.period - 1;
  if (p.measured.period < shortest_one)
    return "cannot be predicted: " + with_unit(p.measured.period, "s", 3) + " is below " +
           with_unit(shortest_one, "s", 3) +
           ", the free period of this mass and spring, which is the least for a rigid slider with two levels. Its "
           "slips take " +
           with_unit(p.measured.slip_time, "s", 3) + " where half a free period is " +
           with_unit(0.5 * shortest_one, "s", 3) +
           ": friction rises again during the slip, with position or slip distance";
  if (std::abs(off) <= 0.1) return "predicted within 10 %";
  const double then = p.measured.static_level - p.measured.kinetic_level, now = found.stiction() - found.kinetic();
  return "off by " + significant(100 * off, 2) + " %: static minus kinetic level is " + significant(then / now, 3) +
         " times that of the first recording; a model with levels that do not change between the recordings cannot "
         "predict it";
}

std::string body_text(const PulledBody& b) {
  return with_unit(b.speed, "m/s", 3) + ", " + with_unit(b.stiffness, "N/m", 3) + ", " + with_unit(b.mass, "kg", 3);
}

void add_tables(TestFinding& f, const SliderRequest& a, const SliderLaw& law,
                const std::vector<SliderPrediction>& all) {
  const StickSlipRecord& r = law.record;
  FindingTable found;
  found.table.columns = {"quantity", "value"};
  found.table.rows = {
      {"cycles", std::to_string(r.cycles)},
      {"period, mean", with_unit(r.period, "s", 4)},
      {"period, quartiles", with_unit(r.early_period, "s", 4) + " to " + with_unit(r.late_period, "s", 4)},
      {"static level from highest and lowest forces", with_unit(r.static_level, "N", 4)},
      {"kinetic level from highest and lowest forces", with_unit(r.kinetic_level, "N", 4)},
      {"force drop in a slip", with_unit(r.drop, "N", 4)},
      {"duration of a slip", with_unit(r.slip_time, "s", 3)},
      {"stiffness from the slope", with_unit(r.measured_stiffness, "N/m", 4)},
      {"shortest period possible", with_unit(shortest_period(a.body), "s", 4)}};
  f.tables.push_back(std::move(found));
  if (law.is_fitted)
    f.tables.push_back({.heading = "Law fitted to the course of " + std::to_string(law.fit.slips) + " slips: " +
                                   law.fit.form + ", residual of the mean slip " + with_unit(law.fit.rms, "N", 2),
                        .table = estimates_table(law.fit.estimates, "stribeck", MotionKind::linear)});
  else
    f.tables.back().text = "No law was fitted to the course of the slips: " + law.fit.why_none +
                           ". The levels above assume that friction has two levels only; no intervals are given.";
  if (all.empty()) return;
  FindingTable table{.heading = "Predicted for other recordings"};
  table.table.columns = {"speed", "stiffness", "measured", "quartiles", "closed form", "simulated", "deviation"};
  for (const SliderPrediction& p : all) {
    const bool slips = p.measured.why_none.empty();
    table.table.rows.push_back(
        {with_unit(p.body.speed, "m/s", 3), with_unit(p.body.stiffness, "N/m", 3),
         slips ? with_unit(p.measured.period, "s", 4) : "-",
         slips ? with_unit(p.measured.early_period, "s", 3) + " to " + with_unit(p.measured.late_period, "s", 3) : "-",
         with_unit(p.closed_form, "s", 4), with_unit(p.simulated, "s", 4),
         slips ? significant(100 * (p.simulated / p.measured.period - 1), 2) + " %" : "-"});
    table.text += (table.text.empty() ? "" : " ") + with_unit(p.body.speed, "m/s", 3) + ": " + verdict_of(p, law) + ".";
    if (!p.measured.remark.empty()) table.text += " In that recording " + p.measured.remark + ".";
  }
  f.tables.push_back(std::move(table));
}

Figure figure_of(const SliderRequest& a, const Recording& first, const SliderLaw& law,
                 const std::vector<SliderPrediction>& all) {
  const StickSlipRecord& r = law.record;
  constexpr double cycles_shown = 8;
  Panel time{.title = "force of the spring", .x = {"time", "s"}, .y = {"force", "N"}};
  DataSeries measured{.name = "measured"};
  const double begin = r.slips.front().time, end = begin + cycles_shown * r.period;
  for (std::size_t i = 0; i < first.time.size(); ++i)
    if (first.time[i] >= begin - 0.5 * r.period && first.time[i] <= end)
      measured.x.push_back(first.time[i]), measured.y.push_back(first.force[i]);
  const SimulatedForce run = simulated_force(law.settings, a.body, end - begin);
  DataSeries model{.name = law.is_fitted ? law.fit.form : "model of two levels",
                   .y = run.force,
                   .colour = ink,
                   .dashed = true,
                   .width = 2};
  for (const double t : run.time) model.x.push_back(begin + t);
  time.series = {measured, model};
  time.references = {{.at = law.stiction(), .label = "static level"}, {.at = law.kinetic(), .label = "kinetic level"}};

  Panel periods{.title = "period over speed",
                .x = {.label = "speed", .unit = "m/s", .logarithmic = true},
                .y = {.label = "period", .unit = "s", .logarithmic = true}};
  double slowest = a.body.speed, fastest = a.body.speed;
  for (const SliderPrediction& p : all)
    slowest = std::min(slowest, p.body.speed), fastest = std::max(fastest, p.body.speed);
  slowest /= 3, fastest *= 3;
  DataSeries curve{.name = "closed form, this spring and mass", .colour = ink, .dashed = true, .width = 2};
  for (int i = 0; i <= 100; ++i) {
    PulledBody body = a.body;
    body.speed = slowest * std::pow(fastest / slowest, i / 100.0);
    curve.x.push_back(body.speed), curve.y.push_back(stick_slip_period(law.stiction(), law.kinetic(), body));
  }
  DataSeries here{.name = "measured, first recording", .x = {a.body.speed}, .y = {r.period}, .style = Style::points};
  DataSeries there{.name = "measured, compared", .style = Style::points};
  DataSeries predicted{.name = "simulated for these", .style = Style::points};
  for (const SliderPrediction& p : all) {
    if (p.measured.why_none.empty()) there.x.push_back(p.body.speed), there.y.push_back(p.measured.period);
    if (p.simulated > 0) predicted.x.push_back(p.body.speed), predicted.y.push_back(p.simulated);
  }
  periods.series = {curve, here};
  if (!there.x.empty()) periods.series.push_back(there);
  if (!predicted.x.empty()) periods.series.push_back(predicted);
  Figure figure{
      .title = "Stick-slip of a pulled body", .subtitle = body_text(a.body), .panels = {time, periods}, .columns = 1};
  if (law.fit.time.empty()) return figure;
  Panel slip{.title = "mean of all slips", .x = {"time since the middle of the fall", "s"}, .y = {"force", "N"}};
  slip.series = {
      {.name = "measured", .x = law.fit.time, .y = law.fit.measured},
      {.name = law.fit.form, .x = law.fit.time, .y = law.fit.predicted, .colour = ink, .dashed = true, .width = 2}};
  figure.panels.insert(figure.panels.begin() + 1, slip);
  return figure;
}

Json json_of(const SliderRequest& a, const SliderLaw& law, const std::vector<SliderPrediction>& all) {
  const StickSlipRecord& found = law.record;
  Json out = Json::object();
  out["stick_slip"] = true, out["noise"] = found.noise, out["least_drop"] = found.least_drop;
  out["cycles"] = found.cycles, out["period"] = found.period;
  out["early_period"] = found.early_period, out["late_period"] = found.late_period;
  out["static_level"] = found.static_level, out["kinetic_level"] = found.kinetic_level, out["drop"] = found.drop;
  out["slip_time"] = found.slip_time, out["shortest_period"] = shortest_period(a.body);
  out["measured_stiffness"] = found.measured_stiffness, out["rise_rate"] = found.rise_rate;
  out["cutoff"] = found.cutoff_hz;
  if (!found.remark.empty()) out["remark"] = found.remark;
  if (law.is_fitted) {
    out["law"] = Json::object({{"form", law.fit.form}, {"slips", law.fit.slips}, {"rms", law.fit.rms}});
    out["law"]["parameters"] = Json::object();
    for (const Estimate& e : law.fit.estimates) out["law"]["parameters"][e.key] = estimate_json(e);
  } else {
    out["why_no_law"] = law.fit.why_none;
  }
  out["predictions"] = Json::array();
  for (const SliderPrediction& p : all) {
    Json item = Json::object();
    item["file"] = p.file, item["speed"] = p.body.speed, item["stiffness"] = p.body.stiffness,
    item["mass"] = p.body.mass;
    item["measured"] = p.measured.why_none.empty() ? Json(p.measured.period) : Json();
    item["simulated"] = p.simulated;
    item["closed_form"] = p.closed_form, item["verdict"] = verdict_of(p, law);
    out["predictions"].push_back(item);
  }
  return out;
}

}  // namespace

TestFinding slider_finding(const SliderRequest& a, const Warn& warn) {
  TestFinding f;
  std::vector<StickSlipRecord> records;
  std::vector<Recording> read;
  Recording first;
  std::size_t used = 0;
  for (std::size_t i = 0; i < a.recordings.size(); ++i) {
    Recording r = read_window(a.recordings[i], a.reading, a.window);
    records.push_back(record_of(r, a.body, a));
    if (!records.back().remark.empty()) f.warnings.push_back(one_line(r.file, 100) + ": " + records.back().remark);
    if (records.back().why_none.empty() && (used++ == 0)) first = r;
    if (i == 0 && used == 0) first = r;
    if (!records.back().why_none.empty() && a.recordings.size() > 1)
      warn(one_line(r.file, 100) + ": no stick-slip found: " + records.back().why_none);
    if (!a.recordings[i].recording) f.files.push_back(fingerprinted(a.recordings[i].file));
    read.push_back(std::move(r));
  }
  const StickSlipRecord found = records.size() == 1 ? records.front() : joined_records(records, a.body);
  f.title = "Stick-slip of a pulled body, " + one_line(file_name_of(first.file), 60);
  if (!found.why_none.empty()) {
    f.is_found = false;
    f.summary = "No stick-slip found: " + found.why_none + ".";
    f.json = Json::object(
        {{"stick_slip", false}, {"why", found.why_none}, {"noise", found.noise}, {"least_drop", found.least_drop}});
    Panel time{.title = "force of the spring", .x = {"time", "s"}, .y = {"force", "N"}};
    time.series = {{.name = "measured", .x = first.time, .y = first.force}};
    f.figure = {.title = "No stick-slip found", .panels = {time}};
    f.points = {
        {{"time", "s", {}}, {"highest", "N", {}}, {"drop", "N", {}}, {"slip_time", "s", {}}, {"period", "s", {}}}};
    f.why_no_model = "without stick-slip there are no two levels";
    return f;
  }
  std::vector<PulledRecording> pulled;
  for (std::size_t i = 0; i < read.size(); ++i) pulled.push_back({read[i].time, read[i].force, &records[i]});
  const SliderLaw law = law_of(found, pulled, a.body);
  const std::vector<SliderPrediction> all = predictions(a, law);
  for (const SliderComparison& c : a.compare)
    if (!c.recording.recording) f.files.push_back(fingerprinted(c.recording.file));
  const auto level = [&](double value, const char* key) {
    std::string text = with_unit(value, "N", 4);
    for (const Estimate& e : law.fit.estimates)
      if (law.is_fitted && e.key == key) text += " ± " + with_unit(0.5 * (e.high - e.low), "N", 2);
    return text;
  };
  f.summary = "Static level " + level(law.stiction(), "stiction_force") + ", kinetic level " +
              level(law.kinetic(), "coulomb_force") + ", period " + with_unit(found.period, "s", 3) + " (" +
              std::to_string(found.cycles) + " cycles)" + (law.is_fitted ? ", 95 % intervals" : "") + ".";
  f.highlights = {{with_unit(law.stiction(), "N", 3), "static level"},
                  {with_unit(law.kinetic(), "N", 3), "kinetic level"},
                  {with_unit(found.period, "s", 3), "period"}};
  add_tables(f, a, law, all);
  f.json = json_of(a, law, all);
  f.figure = figure_of(a, first, law, all);
  f.points = {
      {{"time", "s", {}}, {"highest", "N", {}}, {"drop", "N", {}}, {"slip_time", "s", {}}, {"period", "s", {}}}};
  for (const StickSlipCycle& c : found.slips) {
    const double row[] = {c.time, c.highest, c.drop, c.slip_time, c.period};
    for (std::size_t i = 0; i < 5; ++i) f.points.columns[i].values.push_back(row[i]);
  }
  std::vector<Estimate> estimates = law.fit.estimates;
  if (!law.is_fitted) {
    double scatter = 0;
    for (const StickSlipCycle& c : found.slips) scatter += std::pow(c.drop - found.drop, 2);
    const double n = double(found.slips.size()), error = 0.5 * std::sqrt(scatter / std::max(n - 1, 1.0) / n);
    estimates = {estimate_of_mean("coulomb_force", found.kinetic_level, error),
                 estimate_of_mean("stiction_force", found.static_level, error)};
    for (Estimate& e : estimates) e.verdict = Determination::weak;  // the scatter alone; two levels are an assumption
  }
  f.model = model_of_test(f.title, "stribeck", law.settings, estimates, first, a.reading);
  if (!law.is_fitted) f.model->remarks.push_back("no law follows the course of the slips: " + law.fit.why_none);
  if (!law.is_fitted || law.fit.form == "two levels")
    f.model->remarks.push_back(
        "two levels: the Stribeck velocity is not measured; it is set to 1e-4 of the slip speed");
  for (const std::string& text : f.warnings) f.model->remarks.push_back(text);
  return f;
}

}  // namespace stickslip::inline jobs
