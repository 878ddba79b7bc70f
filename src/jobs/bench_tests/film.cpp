/// stickslip film-test as a function; see film.hpp.
#include "jobs/bench_tests/film.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/motion_force.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr double most_unexplained = 50;  // [%]

struct FilmRecording {
  std::string file = {};
  Recording read = {};
  FilmRecord record = {};
};

FilmRecording read_film(const RecordingSource& source, const FilmRequest& a, const Warn& warn) {
  ReadOptions reading = a.reading;
  reading.needed = {Role::time, Role::position, Role::force};
  FilmRecording r{.file = one_line(source.file, 40), .read = read_window(source, reading, {})};
  const Prepared data = prepare(r.read, a.preparation ? a.preparation(r.read.rotary) : Preparation{});
  for (const Note& note : data.notes) warn(to_text(note, r.read.file));
  r.record = film_record(data);
  return r;
}

void refuse_mixed(const FilmRecording& r, bool is_rotary) {
  if (r.read.rotary != is_rotary) throw Error(r.file + ": rotary and linear recordings cannot be mixed");
}

bool has_key(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Every key that can be freed or fixed: a parameter of the model, forward or backward.
std::vector<std::string> film_parameters() {
  std::vector<std::string> keys;
  for (const auto& p : find_model(film_model).description().parameters) {
    keys.push_back(p.key);
    keys.push_back("backward." + p.key);
  }
  return keys;
}
void refuse_unknown(const char* option, const std::string& key) {
  const std::vector<std::string> keys = film_parameters();
  if (!has_key(keys, key)) throw Error(std::string(option) + ": " + no_such("parameter", key, keys));
}

/// A separate value backward, starting with the forward one.
void put(FrictionSettings& settings, const std::string& key, const double* value) {
  if (double* there = film_number(settings, key)) {
    if (value) *there = *value;
    return;
  }
  const bool back = key.starts_with("backward.");
  const std::string name = back ? key.substr(9) : key;
  const double* forward = film_number(settings, name);
  (back ? settings.backward : settings.values).emplace_back(name, value ? *value : forward ? *forward : 0.0);
}

/// What is fitted and from where.
struct FilmPlan {
  FilmStart start = {};
  std::vector<std::string> free = {};
  std::vector<std::string> notes = {};
};

FilmPlan plan_of(const FilmRequest& a, const std::vector<SteadyPoint>& points, MotionKind motion) {
  FilmPlan plan;
  if (!points.empty()) {
    FrictionSettings known = film_curve(points);
    if (a.friction)  // what an earlier result knows beside the static curve
      for (const auto& [key, value] : film_start(a.friction->model, a.friction->settings).settings.values)
        if (!has_key(film_static_keys, key)) known.values.emplace_back(key, value);
    plan.start = film_start(film_model, known);
  } else if (a.friction) {
    plan.start = film_start(a.friction->model, a.friction->settings);
  } else {
    throw Error(
        "the static curve is not known; give runs at constant speeds with --speeds or a model file with --friction");
  }
  plan.free = film_keys;
  const auto add = [&plan](const std::string& key) {
    if (!has_key(plan.free, key)) plan.free.push_back(key);
  };
  const bool is_film = points.empty() && a.friction->model.find("modified-lugre") != std::string::npos;
  bool frees_static = !points.empty();
  for (const std::string& key : a.free) {
    if (key == "static") {
      frees_static = true;
    } else {
      refuse_unknown("--free", key);
      add(key);
    }
  }
  if (!is_film && !frees_static) {
    frees_static = true;
    plan.notes.push_back("the static curve is of the model " + a.friction->model +
                         ", whose level does not depend on a film: its levels, Stribeck curve and viscosity are "
                         "fitted, too");
  }
  if (frees_static)
    for (const std::string& key : film_static_keys) add(key), add("backward." + key);
  for (const std::string& text : a.fixed) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error("--fix is " + in_quotes(text) + "; write for example thinning_time='1.5 s'");
    const std::string key = text.substr(0, equals);
    refuse_unknown("--fix", key);
    const std::string unit = unit_of_key(find_model(film_model).description(), key, motion);
    const double value = parse_quantity(text.substr(equals + 1), unit.empty() ? "1" : unit);
    put(plan.start.settings, key, &value);
    std::erase(plan.free, key);
    std::erase(plan.start.guessed, key);
  }
  if (plan.free.empty()) throw Error("--fix: no parameter is left to be fitted");
  for (const std::string& key : plan.free) put(plan.start.settings, key, nullptr);
  std::erase_if(plan.free, [&](const std::string& key) {  // on a logarithmic scale zero is not reached
    const double* value = film_number(plan.start.settings, key);
    if (value && *value > 0) return false;
    plan.notes.push_back(key + " is zero in the model file and stays so; give a positive start to fit it");
    return true;
  });
  return plan;
}

/// Points at constant speed of all such recordings; the mass has no part in them.
std::vector<SteadyPoint> speeds_of(const FilmRequest& a, bool is_rotary, const Warn& warn) {
  const Preparation how = a.preparation ? a.preparation(is_rotary) : Preparation{};
  std::vector<SteadyPoint> points;
  for (const RecordingSource& source : a.speeds) {
    const Recording recording = read_window(source, a.reading, {how.from, how.to});
    if (recording.rotary != is_rotary)
      throw Error(one_line(source.file, 100) + ": rotary and linear recordings cannot be mixed");
    const SteadyPoints found = steady_points(recording, {.force_drives = how.force_drives});
    for (const std::string& note : found.notes) warn(note);
    for (SteadyPoint p : found.points) {
      p.force -= how.offset;
      points.push_back(p);
    }
  }
  return points;
}

struct FilmFit {
  std::string file = {};
  bool is_test = false;
  double rms = 0, noe = 0, largest = 0;
  std::size_t samples = 0;
  std::vector<double> time = {}, position = {}, force = {}, predicted = {};
};

FilmFit judged(const FilmRecording& r, const FrictionSettings& settings, bool is_test) {
  FilmFit f{.file = r.file, .is_test = is_test};
  const std::vector<double> all = film_force(settings, r.record);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!r.record.is_scored(i)) continue;
    f.time.push_back(r.record.motion.time[i]), f.position.push_back(r.record.motion.position[i]);
    f.force.push_back(r.record.force[i]), f.predicted.push_back(all[i]);
  }
  f.samples = f.force.size();
  const FitQuality q = fit_quality(f.force, f.predicted);
  f.noe = q.noe, f.largest = q.largest_error, f.rms = std::sqrt(q.cost / double(std::max<std::size_t>(f.samples, 1)));
  return f;
}

SetQuality quality_of(const char* set, const std::vector<FilmFit>& fits, bool is_test) {
  std::vector<double> force, predicted;
  for (const FilmFit& f : fits)
    if (f.is_test == is_test) {
      force.insert(force.end(), f.force.begin(), f.force.end());
      predicted.insert(predicted.end(), f.predicted.begin(), f.predicted.end());
    }
  const FitQuality q = fit_quality(force, predicted);
  return {set, q.noe, q.largest_error, std::sqrt(q.cost / double(std::max<std::size_t>(force.size(), 1)))};
}

void add_panels(Figure& figure, const FilmFit& f, const MotionUnits& unit) {
  Panel time{.title = "force over time, " + f.file, .x = {"time", "s"}, .y = {"friction", unit("N")}};
  time.series = {{.name = "measured", .x = f.time, .y = f.force},
                 {.name = "model", .x = f.time, .y = f.predicted, .colour = ink, .dashed = true, .width = 2}};
  Panel loop{.title = "force over position", .x = {"position", unit("m")}, .y = {"friction", unit("N")}};
  loop.series = {{.name = "measured", .x = f.position, .y = f.force},
                 {.name = "model", .x = f.position, .y = f.predicted, .colour = ink, .dashed = true, .width = 2}};
  figure.panels.push_back(std::move(time)), figure.panels.push_back(std::move(loop));
}

std::string percent(double noe) { return significant(noe, 3) + " %"; }

}  // namespace

TestFinding film_finding(const FilmRequest& a, const Warn& warn) {
  constexpr std::size_t most_drawn = 4;
  std::vector<FilmRecording> fitted, test;
  for (const RecordingSource& source : a.recordings) {
    fitted.push_back(read_film(source, a, warn));
    refuse_mixed(fitted.back(), fitted.front().read.rotary);
  }
  const Recording& first = fitted.front().read;
  for (const RecordingSource& source : a.test) {
    test.push_back(read_film(source, a, warn));
    refuse_mixed(test.back(), first.rotary);
  }
  const MotionKind motion = first.rotary ? MotionKind::rotary : MotionKind::linear;
  if (a.friction && a.friction->motion != motion)
    throw Error(one_line(a.friction->file, 100) + ": a model of a " + std::string(motion_name(a.friction->motion)) +
                " machine; " + fitted.front().file + " is of a " + std::string(motion_name(motion)) + " one");
  const MotionUnits unit{first.rotary};
  const std::vector<SteadyPoint> points = speeds_of(a, first.rotary, warn);
  const FilmPlan plan = plan_of(a, points, motion);
  std::vector<FilmRecord> records;
  for (const FilmRecording& r : fitted) records.push_back(r.record);
  FilmDynamics found = fit_film_dynamics(records, scan_film_start(records, plan.start), plan.free, points);
  const std::size_t left_out = leave_out_jumps(records, found.settings);
  if (left_out > 0) {
    found = fit_film_dynamics(records, found.settings, plan.free, points);
    warn(std::to_string(left_out) + " of " + std::to_string(found.scored + left_out) +
         " samples are left out: beside jumps of the speed the force is not known from the samples of the motion");
    for (std::size_t i = 0; i < fitted.size(); ++i) fitted[i].record = records[i];
  }

  std::vector<FilmFit> fits;
  for (const FilmRecording& r : fitted) fits.push_back(judged(r, found.settings, false));
  for (const FilmRecording& r : test) fits.push_back(judged(r, found.settings, true));
  const SetQuality estimation = quality_of("estimation", fits, false);

  TestFinding f;
  for (const auto* list : {&a.recordings, &a.speeds, &a.test})
    for (const RecordingSource& source : *list)
      if (!source.recording) f.files.push_back(fingerprinted(source.file));
  f.title = "Film dynamics of " + fitted.front().file +
            (fitted.size() > 1 ? " and " + std::to_string(fitted.size() - 1) + " other recordings" : "");
  f.is_found = estimation.noe <= most_unexplained;
  const std::string residual = "residual " + with_unit(estimation.rms, unit("N"), 3) + " rms, " +
                               percent(estimation.noe) + " of the force's variance unexplained on " +
                               std::to_string(found.scored) + " fitted samples";
  f.summary = f.is_found ? std::string(film_model) + ", " + std::to_string(plan.free.size()) +
                               " parameters fitted: " + residual + "."
                         : "No film explains these recordings: " + residual + ".";
  f.highlights = {{percent(estimation.noe), "of the force's variance unexplained, fitted samples"},
                  {with_unit(estimation.rms, unit("N"), 3), "residual rms, fitted samples"}};
  if (!test.empty()) {
    const SetQuality q = quality_of("test", fits, true);
    f.summary +=
        " Test recordings, not fitted: " + with_unit(q.rms, unit("N"), 3) + " rms, " + percent(q.noe) + " unexplained.";
    f.highlights.push_back({percent(q.noe), "unexplained, test recordings"});
  }
  const auto& estimates = found.confidence.estimates;
  f.tables.push_back({.table = estimates_table(estimates, film_model, motion)});
  FindingTable quality;
  quality.table.columns = {"recording", "samples", "residual rms", "unexplained", ""};
  f.json = Json::object({{"model", film_model}, {"rotary", first.rotary}, {"is_found", f.is_found}});
  f.json["parameters"] = Json::object();
  for (const Estimate& e : estimates) f.json["parameters"][e.key] = estimate_json(e);
  f.json["recordings"] = Json::array();
  f.figure = {.title = f.title, .columns = 2};
  f.points = {{{"recording", "", {}},
               {"time", "s", {}},
               {"position", unit("m"), {}},
               {"measured", unit("N"), {}},
               {"predicted", unit("N"), {}}}};
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const FilmFit& r = fits[i];
    quality.table.rows.push_back({r.file, std::to_string(r.samples), with_unit(r.rms, unit("N"), 3), percent(r.noe),
                                  r.is_test ? "test, not fitted" : "fitted"});
    f.json["recordings"].push_back(Json::object(
        {{"file", r.file}, {"is_test", r.is_test}, {"samples", double(r.samples)}, {"rms", r.rms}, {"noe", r.noe}}));
    if (i < most_drawn) add_panels(f.figure, r, unit);
    auto& columns = f.points.columns;
    columns[0].values.insert(columns[0].values.end(), r.samples, double(i + 1));
    const std::vector<double>* parts[]{&r.time, &r.position, &r.force, &r.predicted};
    for (std::size_t k = 0; k < 4; ++k)
      columns[k + 1].values.insert(columns[k + 1].values.end(), parts[k]->begin(), parts[k]->end());
  }
  f.tables.push_back(std::move(quality));
  f.warnings = plan.notes;
  if (!f.is_found) {
    f.why_no_model = "no model explains the recordings";
    return f;
  }
  f.model = model_of_test(f.title, film_model, found.settings, estimates, first, a.reading);
  f.model->preparation = a.preparation ? a.preparation(first.rotary) : Preparation{};
  f.model->quality = {estimation};
  if (!test.empty()) f.model->quality.push_back(quality_of("test", fits, true));
  return f;
}

}  // namespace stickslip::inline jobs
