#include "fitting/fit_job.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/log_files.hpp"
#include "files/reading_section.hpp"
#include "files/run_section.hpp"
#include "files/toml_path.hpp"
#include "files/toml_section.hpp"
#include "files/whole_file.hpp"
#include "platform/path.hpp"
#include "recording/preparation/even_grid.hpp"
#include "recording/summary.hpp"

namespace stickslip::inline fitting {
namespace {

constexpr Range estimation_shares{0.01, 1, false, "the share of the time that is fitted"};
constexpr Range delays{-10, 10, false, "a log that starts later belongs to another motion"};

/// [recording]: the files, and how they are read.
LogFiles read_logs(const Section& s, const FitJobOptions& options) {
  std::vector<std::string> keys = reading_keys();
  keys.insert(keys.begin(), {"file", "log", "logs"});
  s.knows(keys);
  ReadOptions reading = read_reading(s);
  reading.needed = {Role::time};
  return read_log_files(s, reading, options.recordings);
}

/// Inverse dynamics differentiates over even steps: an uneven log is brought to its mean rate, with a note.
void even_out(Recording& r) {
  const Sampling sampling = sampling_of(r.time);
  if (sampling.gaps == 0 && sampling.deviation <= 0.01) return;
  const double step =
      sampling.gaps > 0 ? sampling.step : (r.time.back() - r.time.front()) / static_cast<double>(r.size() - 1);
  const double steps = (r.time.back() - r.time.front()) / step;
  if (!(steps < 5e7))
    throw Error(one_line(r.file) + ": the gaps are so long that a uniform grid has " + significant(steps, 3) +
                " samples");
  const std::vector<double> even = even_times(r.time.front(), step, static_cast<std::size_t>(steps * (1 + 1e-12)) + 1);
  const double gap = 2.5 * sampling.step;
  r.position = values_at(r.time, r.position, even, Between::cubic, gap);
  r.force = values_at(r.time, r.force, even, Between::line, gap);
  r.time = even;
  r.notes.push_back({"resampled", 0, 0,
                     "time steps deviate by up to " + significant(100 * sampling.deviation, 2) + " %, " +
                         std::to_string(sampling.gaps) + " gaps: resampled evenly, every " + with_unit(step, "s")});
}

/// A bound or start in the unit used in the machine file.
double in_unit_of(const Section& s, std::string_view key, const Place& place) {
  const TomlValue& value = s.value(key);
  if (value.kind == TomlValue::Kind::number) {
    const auto problem = refusal(value.number, place.unit, range_of(any_magnitude(), Sign::any));
    if (!problem.empty()) s.fail(value, std::string(key) + " " + problem);
    return value.number;
  }
  const Unit unit = parse_unit(place.unit);
  if (unit.factor == 0) s.fail(value, "the unit " + place.unit + " cannot be used here");
  return (s.quantity_of(value, std::string(key), place.unit.empty() ? "1" : place.unit) - unit.offset) / unit.factor;
}

std::vector<std::string> texts_of(const Section& s, const TomlValue& value) {
  std::vector<std::string> texts;
  if (value.kind == TomlValue::Kind::text) return {value.text};
  if (value.kind != TomlValue::Kind::list) s.fail(value, "a path in quotes is needed, or a list of them");
  for (const auto& item : value.items) {
    if (item.kind != TomlValue::Kind::text)
      s.fail(item, "a path in quotes is needed, not " + std::string(kind_words(item.kind)));
    texts.push_back(item.text);
  }
  return texts;
}

bool is_on(const Section& s, std::string_view key) {
  if (!s.has(key)) return false;
  const TomlValue& value = s.value(key);
  if (value.kind != TomlValue::Kind::boolean) s.fail(value, std::string(key) + ": true or false is needed");
  return value.is_true;
}

/// "table[*][2]": the paths of every row, table[1][2], table[2][2], ...; one without [*] is itself.
std::vector<std::string> every_path(const Section& s, const TomlValue& paths, const std::string& path,
                                    const MachineText& machine) {
  const auto star = path.find("[*]");
  if (star == std::string::npos) return {path};
  const std::string list = path.substr(0, star), rest = path.substr(star + 3);
  std::vector<std::string> all;
  try {
    const TomlValue& value = value_at(machine.document(), list, machine.file());
    if (value.kind != TomlValue::Kind::list)
      s.fail(paths, "[*] stands for every item of a list, but " + in_quotes(list) + " is " +
                        std::string(kind_words(value.kind)));
    for (std::size_t i = 1; i <= value.items.size(); ++i)
      for (const std::string& one : every_path(s, paths, list + "[" + std::to_string(i) + "]" + rest, machine))
        all.push_back(one);
  } catch (const Error& problem) {
    const std::string text = problem.what();
    if (text.starts_with(one_line(s.file()))) throw;
    s.fail(paths, text);
  }
  return all;
}

FreePlace read_free(const Section& s, const MachineText& machine, const std::vector<std::string>& texts) {
  FreePlace free;
  const TomlValue& paths = s.value("path", "path = \"friction.coulomb_force\"");
  for (const auto& path : texts) {
    try {
      free.places.push_back(machine.place(path));
    } catch (const Error& problem) {
      s.fail(paths, problem.what());
    }
  }
  if (free.places.empty()) s.fail(paths, "there is no path");
  const Place& first = free.places.front();
  free.key = first.path;
  free.start = s.has("start") ? in_unit_of(s, "start", first) : first.value;
  const double wide = std::numeric_limits<double>::infinity();
  free.low = s.has("low") ? in_unit_of(s, "low", first) : free.start > 0 ? 0 : -wide;
  free.high = s.has("high") ? in_unit_of(s, "high", first) : wide;
  if (!(free.low <= free.start && free.start <= free.high))
    s.fail(s.line(), free.key + ": the start " + shortest(free.start) + " " + first.unit + " lies outside " +
                         shortest(free.low) + " to " + shortest(free.high));
  free.is_private = is_on(s, "private");
  if (s.has("prior")) {
    try {
      const Unit unit = parse_unit(first.unit);
      const ValueAndError known = parse_value_and_error(s.text("prior", "20 +- 1 kg"), first.unit, free.key);
      free.prior = ValueAndError{(known.value - unit.offset) / unit.factor, known.error / unit.factor};
    } catch (const Error& problem) {
      s.fail(s.value("prior"), problem.what());
    }
  }
  return free;
}

/// One number for a path or for a list of paths; with [*] in it a number of its own for every item.
void add_free(const Section& s, const MachineText& machine, std::vector<FreePlace>& all) {
  s.knows({"path", "start", "low", "high", "prior", "private"});
  const TomlValue& paths = s.value("path", "path = \"friction.coulomb_force\"");
  const std::vector<std::string> texts = texts_of(s, paths);
  const bool has_star =
      std::any_of(texts.begin(), texts.end(), [](const auto& t) { return t.find("[*]") != std::string::npos; });
  if (!has_star) return all.push_back(read_free(s, machine, texts));
  if (texts.size() > 1)
    s.fail(paths, "[*] makes many numbers of one path; a list of paths is one number: give one path");
  for (const std::string& path : every_path(s, paths, texts.front(), machine))
    all.push_back(read_free(s, machine, {path}));
}

/// Lists of tables: [[output]], [[free]], [[candidate]].
std::vector<Section> tables_of(const Section& s, const std::string& key) {
  std::vector<Section> tables;
  if (!s.has(key)) return tables;
  const TomlValue& list = s.value(key);
  if (list.kind == TomlValue::Kind::table) return {Section(list, key, s.file())};
  for (const auto& item : list.items) {
    if (item.kind != TomlValue::Kind::table) s.fail(item, "[[" + key + "]] must be a table");
    tables.emplace_back(item, key, s.file());
  }
  return tables;
}

/// The machine's [key] follows a column of the log instead of what its file says.
std::string input_lines(const Section& inputs, const std::string& key, const Recording& log,
                        const LogFile* of_several) {
  std::string column, unit;
  const TomlValue& value = inputs.value(key);
  if (value.kind == TomlValue::Kind::table) {
    const Section s(value, "inputs." + key, inputs.file());
    s.knows({"column", "unit"});
    column = s.text("column", "q_ref_m");
    unit = s.text("unit", "m");
  } else {
    column = inputs.text(key, "q_ref_m");
  }
  const Source* time = source_of(log, Role::time);
  if (!time) inputs.fail(value, "the recording has no time column");
  const auto quoted = [](const std::string& text) { return json_string(text); };
  std::string lines = "kind = \"file\"\npath = " + quoted(absolute_path(log.file)) +
                      "\ntime = " + quoted(time->heading) +
                      "\ntime_unit = " + quoted(time->unit.empty() ? "s" : time->unit) + "\nvalue = " + quoted(column) +
                      (unit.empty() ? "" : "\nvalue_unit = " + quoted(unit));
  if (of_several) {
    lines += "\ntime_from = \"first-row\"";
    if (!of_several->where.empty()) lines += "\nwhere = " + quoted(of_several->where);
  }
  return lines;
}

FitCandidate read_candidate(const std::string& name, const Section& machine, const std::optional<Section>& inputs,
                            const LogFiles& logs) {
  const std::string path = beside(machine.file(), machine.text("file", "axis.toml"));
  std::string text;
  try {
    text = read_whole(path);
  } catch (const Error& problem) {
    machine.fail(machine.value("file"), problem.what());
  }
  const MachineText original(text, path);
  FitCandidate found{name, {}, {}, {}};
  if (inputs) found.original = original;
  for (std::size_t l = 0; l < logs.recordings.size(); ++l) {
    found.machines.push_back(original);
    if (!inputs) continue;
    for (const auto& member : inputs->table().members) {
      try {
        const LogFile* of_several = logs.are_several ? &logs.files[l] : nullptr;
        found.machines.back() = found.machines.back().with_table(
            member.key, input_lines(*inputs, member.key, logs.recordings[l], of_several));
      } catch (const Error& problem) {
        inputs->fail(member.value, problem.what());
      }
    }
  }
  return found;
}

/// What a log has of a role or column, with the unit of the role in `unit`; empty if it is no role.
std::vector<double> measured_in(const Section& s, const std::string& measured, const Recording& log,
                                std::string& unit) {
  for (const Role role : all_roles)
    if (measured == role_name(role)) {
      unit = si_unit(role, log.rotary);
      std::vector<double> values = signal(log, role);
      if (values.empty())
        s.fail(s.value("measured"), "the recording has no " + measured + "; name its column in [recording]");
      return values;
    }
  unit = s.text("unit", "m/s");
  try {
    return other(log, measured, unit);
  } catch (const Error& problem) {
    s.fail(s.value("measured"), problem.what());
  }
}

void read_outputs(const Section& file, FitJob& job) {
  for (const Section& s : tables_of(file, "output")) {
    s.knows({"simulated", "measured", "unit", "weight", "offset"});
    ComparedOutput out;
    out.column = s.text("simulated", "position");
    const std::string measured = s.text("measured", "position");
    for (std::size_t l = 0; l < job.recordings.size(); ++l)
      job.machine.logs[l].measured.push_back(measured_in(s, measured, job.recordings[l], out.unit));
    if (s.has("weight")) {
      const TomlValue& weight = s.value("weight");
      if (weight.kind != TomlValue::Kind::number || !(weight.number > 0))
        s.fail(weight, "weight: a positive number is needed");
      if (const auto problem =
              refusal(weight.number, "1", {1e-9, 1e9, false, "the other outputs would have no weight"});
          !problem.empty())
        s.fail(weight, "weight " + problem);
      out.weight = weight.number;
    }
    if (s.has("offset")) {
      const std::string word = s.word("offset", "offset", {"free", "per-log", "none"});
      out.offset = word == "free"      ? SensorOffset::shared
                   : word == "per-log" ? SensorOffset::per_log
                                       : SensorOffset::none;
    }
    job.machine.outputs.push_back(std::move(out));
  }
  if (job.machine.outputs.empty()) throw Error(one_line(file.file()) + ": there is no [[output]] to compare");
}

void read_candidates(const Section& file, const LogFiles& logs, FitJob& job) {
  const auto inputs = file.inner("inputs");
  const auto add = [&](const std::string& name, const Section& machine, const Section& with_free) {
    FitCandidate candidate = read_candidate(name, machine, inputs, logs);
    for (const Section& s : tables_of(with_free, "free")) add_free(s, candidate.machines.front(), candidate.free);
    if (candidate.free.empty() && !job.machine.delay)
      with_free.fail(with_free.line(), "no parameter is free; add [[free]] with a path");
    job.machine.candidates.push_back(std::move(candidate));
  };
  if (file.has("candidate")) {
    for (const Section& s : tables_of(file, "candidate")) {
      s.knows({"name", "file", "free"});
      add(s.text("name", "Stribeck"), s, s);
    }
    return;
  }
  const Section machine = needed_section(file, "machine");
  machine.knows({"file"});
  add(stem_of(machine.text("file", "axis.toml")), machine, file);
}

/// Which logs are left out together: each alone, or those that agree in a column.
void read_leave_out(const Section& fit, FitJob& job) {
  if (!fit.has("leave_out")) return;
  const std::string by = fit.text("leave_out", "log");
  job.machine.leaves_out = by != "none";
  if (job.recordings.size() < 2 && by != "none")
    fit.fail(fit.value("leave_out"), "leaving one log out needs at least two logs");
  if (by == "none" || by == "log") return;
  for (std::size_t l = 0; l < job.recordings.size(); ++l) {
    try {
      job.machine.logs[l].group = single_value(job.recordings[l], by);
    } catch (const Error& problem) {
      fit.fail(fit.value("leave_out"), problem.what());
    }
  }
}

void read_fit(const Section& file, FitJob& job) {
  if (const auto fit = file.inner("fit")) {
    fit->knows({"estimation", "skip", "delay", "leave_out", "loss", "corner"});
    if (fit->has("estimation")) job.machine.estimation_share = fit->within("estimation", "1", estimation_shares);
    read_leave_out(*fit, job);
    if (fit->word_or("loss", "loss", {"squares", "robust"}, "squares") == "robust") job.machine.loss = Loss::robust;
    if (fit->has("corner")) {
      if (job.machine.loss != Loss::robust) fit->fail(fit->value("corner"), "corner belongs to loss = \"robust\"");
      job.machine.corner = fit->within("corner", "1", {1e-9, 1e9, false, "a share of the measured rms"});
    }
    job.machine.skip = fit->not_negative_or("skip", "s", 0);
    if (const auto delay = fit->inner("delay")) {
      delay->knows({"start", "low", "high"});
      job.machine.delay = FreeNumber{.key = "delay",
                                     .start = delay->has("start") ? delay->within("start", "s", delays) : 0,
                                     .low = delay->has("low") ? delay->within("low", "s", delays) : 0,
                                     .high = delay->within("high", "s", delays)};
      const FreeNumber& d = *job.machine.delay;
      if (!(d.low <= d.start && d.start <= d.high && d.low < d.high))
        delay->fail(delay->line(), "delay: the start " + with_unit(d.start, "s", 6) + " must lie between low, " +
                                       with_unit(d.low, "s", 6) + ", and high, " + with_unit(d.high, "s", 6));
      job.machine.delay->size = job.machine.delay->high - job.machine.delay->low;
    }
  }
}

std::size_t count_or(const Section& s, std::string_view key, std::size_t otherwise) {
  return s.count(key).value_or(otherwise);
}

/// [inverse_dynamics]: how derivatives are made, and which terms.
void read_inverse(const Section& s, FitJob& job) {
  s.knows({"cutoff", "order", "border", "decimation", "lag", "estimation", "friction", "offset", "stribeck",
           "stribeck_velocity", "gravity", "position_knots", "harmonics", "period"});
  auto& o = job.inverse;
  o.cutoff_hz = s.not_negative_or("cutoff", "Hz", 0);
  o.order = static_cast<int>(s.count("order", {1, 20, "a steeper filter rings"}).value_or(4));
  o.border = count_or(s, "border", 49);
  o.decimation = count_or(s, "decimation", 1);
  o.lag = s.quantity_or("lag", "s", 0);
  if (s.has("estimation")) o.estimation_share = s.within("estimation", "1", estimation_shares);
  const bool directional =
      s.word_or("friction", "friction", {"symmetric", "per-direction"}, "symmetric") == "per-direction";
  auto& terms = job.regressors = directional ? directional_friction() : symmetric_friction();
  if (s.has("offset") && !directional && !is_on(s, "offset")) terms.pop_back();
  if (is_on(s, "stribeck") || s.has("stribeck_velocity"))
    terms.push_back({.key = "stribeck",
                     .term = Term::stribeck,
                     .at = s.has("stribeck_velocity") ? s.positive("stribeck_velocity", "m/s") : 0});
  const auto add = [&](const std::vector<Regressor>& more) { terms.insert(terms.end(), more.begin(), more.end()); };
  if (is_on(s, "gravity")) add(gravity());
  const Recording& log = job.recordings.front();
  const auto& x = log.position;
  if (const auto knots = s.count("position_knots", {2, 1000, "a finer table would fit the noise"})) {
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    add(position_table(*low, *high, *knots, true));
  }
  if (const auto waves = s.count("harmonics", {1, 1000, "higher harmonics fit the noise"}))
    add(position_harmonics(s.positive("period", log.rotary ? "rad" : "m"), *waves, true));
}

}  // namespace

FitJob parse_fit_job(std::string_view text, const std::string& file_name, const FitJobOptions& options) {
  const TomlValue document = parse_toml(text, file_name);
  const Section file(document, "", file_name);
  FitJob job;
  job.file = file_name;
  job.is_inverse = file.word_or("method", "method", {"simulation", "inverse-dynamics"}, "simulation") != "simulation";
  if (job.is_inverse)
    file.knows({"title", "method", "recording", "inverse_dynamics"});
  else
    file.knows({"title", "method", "recording", "machine", "inputs", "output", "free", "candidate", "fit"});
  if (file.has("title")) job.title = file.text("title", "Axis in closed loop");
  LogFiles logs = read_logs(needed_section(file, "recording"), options);
  if (job.is_inverse) {
    if (logs.recordings.size() > 1)
      file.fail(file.inner("recording")->line(),
                "inverse dynamics takes one log; there are " + std::to_string(logs.recordings.size()));
    job.recordings = std::move(logs.recordings);
    Recording& log = job.recordings.front();
    if (log.position.empty() || log.force.empty())
      file.fail(file.inner("recording")->line(), "inverse dynamics needs a position and a force column");
    even_out(log);
    read_inverse(needed_section(file, "inverse_dynamics"), job);
    return job;
  }
  job.recordings = logs.recordings;
  job.machine.title = job.title;
  for (std::size_t l = 0; l < job.recordings.size(); ++l) {
    MachineLog log{.name = logs.files[l].name, .time = job.recordings[l].time, .measured = {}};
    if (logs.are_several) {
      const double first = log.time.front();
      for (double& t : log.time) t -= first;
    }
    job.machine.logs.push_back(std::move(log));
  }
  if (job.recordings.size() > 1) job.machine.leaves_out = true, job.machine.estimation_share = 1;
  read_outputs(file, job);
  read_fit(file, job);
  read_candidates(file, logs, job);
  return job;
}

FitJob read_fit_job(const std::string& file, const FitJobOptions& options) {
  return parse_fit_job(read_whole(file), file, options);
}

}  // namespace stickslip::inline fitting
