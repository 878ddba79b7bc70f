/// stickslip contact as a function; see contact.hpp.
#include "jobs/bench_tests/contact.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/motion_force.hpp"
#include "platform/path.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline jobs {
namespace {

double rms_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / double(values.size()));
}

/// Friction as the fit takes it from a recording, and the model's answer to the motion.
struct OtherRecording {
  std::string file;
  std::vector<double> time = {}, position = {}, force = {}, predicted = {};
  double rms = 0, force_rms = 0;  // [N]
};

OtherRecording predicted(const Recording& r, const SlipContact& found, bool force_drives) {
  if (r.position.empty())
    throw Error(one_line(r.file, 100) + ": a position is needed; choose a column with --position");
  OtherRecording o{.file = r.file, .time = r.time, .position = r.position, .force = r.force};
  if (force_drives)
    for (double& f : o.force) f = -f;
  o.predicted = make_friction(slip_contact_model, found.settings)
                    ->respond({r.time, r.position, r.load, r.pressure, r.temperature});
  std::vector<double> error(o.force.size());
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = o.force[i] - o.predicted[i];
  o.rms = rms_of(error), o.force_rms = rms_of(o.force);
  return o;
}

/// Force over time and over position, measured and model.
void add_panels(Figure& figure, const OtherRecording& o, const MotionUnits& unit) {
  Panel time{.title = "force over time, " + one_line(file_name_of(o.file), 40),
             .x = {"time", "s"},
             .y = {"friction", unit("N")}};
  time.series = {{.name = "measured", .x = o.time, .y = o.force},
                 {.name = "model", .x = o.time, .y = o.predicted, .colour = ink, .dashed = true, .width = 2}};
  Panel loop{.title = "force over position", .x = {"position", unit("m")}, .y = {"friction", unit("N")}};
  loop.series = {{.name = "measured", .x = o.position, .y = o.force},
                 {.name = "model", .x = o.position, .y = o.predicted, .colour = ink, .dashed = true, .width = 2}};
  figure.panels.push_back(std::move(time)), figure.panels.push_back(std::move(loop));
}

/// Of the samples from `first` to `end`.
SetQuality quality_of(const char* set, const SlipContact& found, std::size_t first, std::size_t end) {
  const auto part = [&](const std::vector<double>& all) {
    return std::vector<double>(all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(end));
  };
  const FitQuality q = fit_quality(part(found.force), part(found.predicted));
  return {set, q.noe, q.largest_error, std::sqrt(q.cost / double(std::max<std::size_t>(end - first, 1)))};
}

}  // namespace

TestFinding contact_finding(const ContactRequest& a, const Warn& warn) {
  constexpr std::size_t most_drawn = 3;
  std::vector<Recording> recordings;
  for (const RecordingSource& source : a.recordings) {
    Recording r = read_window(source, a.reading, a.window);
    if (a.fit.force_drives) drop_sign_note(r.notes);
    for (const Note& note : r.notes) warn(to_text(note, r.file));
    if (!recordings.empty() && r.rotary != recordings.front().rotary)
      throw Error(one_line(r.file, 100) + ": rotary and linear recordings cannot be mixed");
    recordings.push_back(std::move(r));
  }
  const Recording& first = recordings.front();
  const MotionUnits unit{first.rotary};
  const SlipContact found = fit_slip_contact(first, a.fit);
  TestFinding f;
  for (const RecordingSource& source : a.recordings)
    if (!source.recording) f.files.push_back(fingerprinted(source.file));
  const auto share = [](double error, double force) { return significant(100 * error / force, 3) + " %"; };
  const std::string model(slip_contact_model);
  f.title = "Slipping springs (Maxwell-slip elements), " + one_line(file_name_of(first.file), 60);
  f.summary = model + ", " + found.how + ": residual " + with_unit(found.held_out_rms, unit("N"), 3) + " rms, " +
              share(found.held_out_rms, found.held_out_force_rms) + " of the force's rms, on held-out samples.";
  f.highlights = {
      {share(found.held_out_rms, found.held_out_force_rms), "of the force's rms unexplained, held-out samples"},
      {with_unit(found.held_out_rms, unit("N"), 3), "residual rms, held-out samples"},
      {std::to_string(a.fit.elements), a.fit.elements == 1 ? "spring" : "springs"}};
  const auto& estimates = found.confidence.estimates;
  f.tables.push_back(
      {.table = estimates_table(estimates, model, first.rotary ? MotionKind::rotary : MotionKind::linear)});
  FindingTable quality;
  quality.table.columns = {"samples", "residual rms", "of the force's rms"};
  const auto row = [&](const std::string& name, double error, double force) {
    quality.table.rows.push_back({name, with_unit(error, unit("N"), 4), share(error, force)});
  };
  row("fitted", found.fitted_rms, found.fitted_force_rms);
  row("held out", found.held_out_rms, found.held_out_force_rms);
  row("both", found.rms, found.force_rms);
  f.json = Json::object({{"model", model}, {"rotary", first.rotary}});
  f.json["parameters"] = Json::object();
  for (const Estimate& e : estimates) f.json["parameters"][e.key] = estimate_json(e);
  f.json["fitted_rms"] = found.fitted_rms, f.json["held_out_rms"] = found.held_out_rms, f.json["rms"] = found.rms;
  f.json["held_out_share"] = found.held_out_rms / found.held_out_force_rms;
  f.json["share"] = found.rms / found.force_rms;
  f.figure = {.title = f.title, .columns = 2};
  add_panels(f.figure, {first.file, first.time, first.position, found.force, found.predicted}, unit);
  f.json["others"] = Json::array();
  for (std::size_t i = 1; i < recordings.size(); ++i) {
    const OtherRecording other = predicted(recordings[i], found, a.fit.force_drives);
    row(one_line(other.file, 40) + ", held out", other.rms, other.force_rms);
    f.json["others"].push_back(
        Json::object({{"file", other.file}, {"rms", other.rms}, {"share", other.rms / other.force_rms}}));
    if (i < most_drawn) add_panels(f.figure, other, unit);
  }
  f.tables.push_back(std::move(quality));
  f.points = {{{"time", "s", first.time},
               {"position", unit("m"), first.position},
               {"measured", unit("N"), found.force},
               {"predicted", unit("N"), found.predicted}}};
  std::vector<Estimate> known;  // a model file holds what the model has: the factor of a table is in the table
  for (const Estimate& e : estimates)
    if (e.key.find('/') == std::string::npos && !e.key.starts_with("position_table")) known.push_back(e);
  f.model = model_of_test(f.title, model, found.settings, known, first, a.reading);
  f.model->preparation.force_drives = a.fit.force_drives;
  f.model->quality = {quality_of("estimation", found, found.first_fitted, found.first_held_out),
                      quality_of("test", found, found.first_held_out, found.force.size())};
  return f;
}

}  // namespace stickslip::inline jobs
