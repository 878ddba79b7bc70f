/// A machine file of the servo with a pendulum; see servo_file.hpp.
#include "machines/servo_pendulum/servo_file.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "files/log_files.hpp"
#include "files/run_section.hpp"
#include "machines/friction/friction.hpp"
#include "platform/path.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 5e6;  // times a dozen columns

template <class With>
void each_parameter(const With& with) {
  std::apply([&](const auto&... rows) { (with(rows), ...); }, ServoPendulum<double>::parameters());
}

ServoPendulum<double> read_servo(const Section& machine) {
  std::vector<std::string> keys{"kind", "start"};
  each_parameter([&](const auto& row) { keys.emplace_back(row.info.key); });
  machine.knows(keys);
  ServoPendulum<double> servo{};
  each_parameter([&](const auto& row) {
    const ParameterInfo& info = row.info;
    double& x = servo.*(row.member) = info.preset;
    if (!machine.has(info.key) && info.preset == info.preset) return;
    x = machine.parameter(info.key, info.unit.empty() ? "1" : info.unit, info.domain);
  });
  return servo;
}

// ---- logs that were recorded ----------------------------------------------------------------------------------------

/// A column by its heading, with or without the unit at its end, in SI.
std::vector<double> column_of(const Recording& r, const std::string& heading, std::string_view unit) {
  for (const Column& column : r.others)
    if (column.name == heading || column.name + "_" + column.unit == heading) return other(r, column.name, unit);
  return other(r, heading, unit);
}

/// A column by its heading, or the same quantity at all times.
std::vector<double> column_or_constant(const Section& s, const char* key, const char* unit, const Recording& r) {
  const TomlValue& value = s.value(key, "\"column\"");
  if (value.kind != TomlValue::Kind::text) return std::vector<double>(r.size(), s.quantity(key, unit));
  try {
    parse_quantity(value.text, unit);
  } catch (const Error&) {
    return column_of(r, value.text, unit);
  }
  return std::vector<double>(r.size(), s.quantity(key, unit));
}

/// Values at uniform instants, straight between samples.
std::vector<double> resampled(const std::vector<double>& time, const std::vector<double>& values, double step,
                              std::size_t count) {
  std::vector<double> made;
  std::size_t i = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double t = time.front() + step * static_cast<double>(k);
    while (i + 2 < time.size() && time[i + 1] <= t) ++i;
    const double share = (t - time[i]) / (time[i + 1] - time[i]);
    made.push_back(values[i] + share * (values[i + 1] - values[i]));
  }
  return made;
}

/// The interval between samples: all the same, or `step` to resample to.
double interval_of(const Section& s, const Recording& r, double step) {
  if (r.size() < 2) s.fail(s.line(), "the recording has " + std::to_string(r.size()) + " samples; a run needs two");
  if (step > 0) return step;
  const double mean = (r.time.back() - r.time.front()) / static_cast<double>(r.size() - 1);
  for (std::size_t i = 1; i < r.size(); ++i)
    if (std::fabs(r.time[i] - r.time[i - 1] - mean) > 1e-3 * mean)
      s.fail(s.line(), "the recording is not sampled uniformly: " + with_unit(r.time[i] - r.time[i - 1], "s", 4) +
                           " after " + with_unit(r.time[i - 1], "s", 6) + " where the mean is " +
                           with_unit(mean, "s", 4) + "; resample it with step = \"5 ms\"");
  return mean;
}

/// The firmware's gain: a number, or a column that does not change within a log.
double gain_of(const Section& s, const Recording& r) {
  const std::vector<double> gains = column_or_constant(s, "gain", "1", r);
  for (const double g : gains)
    if (g != gains.front())
      s.fail(s.value("gain"), "the firmware's gain changes from " + shortest(gains.front()) + " to " + shortest(g) +
                                  " within a log; split the file by log and logs");
  return gains.front();
}

ReadOptions reading_options(const Section& s) {
  ReadOptions options;
  options.only_named = true;  // a fit ignores torques in the file
  options.needed = {Role::time};
  options.columns.time = s.text("time", "t_s");
  if (s.has("position")) {
    options.columns.position = s.text("position", "position_rad");
    options.needed.push_back(Role::position);
  }
  return options;
}

/// False for a note about a column that was not requested, and about irregular sampling that is resampled anyway.
bool concerns(const Section& s, const Recording& r, const Note& note) {
  if (note.code == "jitter" && s.has("step")) return false;
  for (const Column& column : r.others) {
    if (note.text.find(in_quotes(column.name)) != 0) continue;
    for (const char* key : {"goal", "voltage", "gain", "enabled"})
      if (s.has(key) && s.value(key).text.find(column.name) == 0) return true;
    return false;
  }
  return true;
}

/// How logs are left out together, [identify] leave_out: each alone, those of one gain, or those that agree in a column.
std::string group_of(const Section& file, const ServoLog& log, const Recording& r) {
  const auto identify = file.inner("identify");
  if (!identify || !identify->has("leave_out")) return "";
  const std::string by = identify->text("leave_out", "gain");
  if (by == "none" || by == "log") return "";
  if (by == "gain") return "gain " + shortest(log.firmware_gain);
  try {
    return by + " " + single_value(r, by);
  } catch (const Error& problem) {
    identify->fail(identify->value("leave_out"), problem.what());
  }
}

ServoLog read_log(const Section& file, const Section& s, const std::string& path, const ReadOptions& options,
                  const std::string& name, ServoScenario& scenario) {
  const Recording r = read_recording(path, options);
  for (const Note& note : r.notes)
    if (concerns(s, r, note)) scenario.warnings.push_back(to_text(note, path));
  const double step = s.has("step") ? s.positive("step", "s") : 0;
  ServoLog log;
  log.name = name;
  log.interval = interval_of(s, r, step);
  log.firmware_gain = gain_of(s, r);
  const double span = r.time.back() - r.time.front();
  if (step > 0 && span / step > most_samples)
    s.fail(s.value("step"), significant(span / step, 3) + " samples; at most " + significant(most_samples, 3) +
                                " fit; take a longer step");
  const auto count = step > 0 ? static_cast<std::size_t>(span / step * (1 + 1e-12)) + 1 : r.size();
  const auto uniform = [&](std::vector<double> values) {
    return step > 0 ? resampled(r.time, values, step, count) : std::move(values);
  };
  log.goal = uniform(column_of(r, s.text("goal", "goal_position_rad"), "rad"));
  log.voltage = running_mean(uniform(column_or_constant(s, "voltage", "V", r)), log.interval,
                             s.not_negative_or("voltage_mean", "s", 0));
  log.enabled = std::vector<double>(count, 1.0);
  if (s.has("enabled")) log.enabled = uniform(column_of(r, s.text("enabled", "torque_enable"), "1"));
  for (double& on : log.enabled) on = on >= 0.5 ? 1 : 0;  // resampled between off and on
  if (s.has("position")) log.position = uniform(r.position);
  if (!log.position.empty()) log.start_angle = log.position.front();
  scenario.groups.push_back(group_of(file, log, r));
  scenario.sources.push_back({path, r.fingerprint});
  return log;
}

void read_logs(const Section& whole, const Section& s, ServoScenario& scenario) {
  s.knows({"file", "time", "goal", "voltage", "voltage_mean", "gain", "enabled", "position", "step", "log", "logs"});
  const ReadOptions options = reading_options(s);
  for (const LogFile& file : list_log_files(s)) {
    ReadOptions one = options;
    if (!file.where.empty()) one.where = {{s.text("log", "log_id"), file.name}};
    scenario.logs.push_back(read_log(whole, s, file.path, one, file.name, scenario));
  }
  for (const ServoLog& log : scenario.logs) {
    try {
      check(log);
    } catch (const Error& problem) {
      s.fail(s.line(), problem.what());
    }
  }
}

// ---- a log that is written down -------------------------------------------------------------------------------------

ServoLog written_log(const Section& file, const Section& machine) {
  const Section firmware = needed_section(file, "firmware");
  firmware.knows({"gain", "torque_off"});
  SimulationOptions options;
  const Section run = needed_section(file, "run");
  read_run(run, most_samples, options);
  if (!(options.sample_interval > 0)) run.fail(run.line(), "sample_interval is missing; the servo steps by it");
  ServoLog log;
  log.name = "run";
  log.interval = options.sample_interval;
  log.firmware_gain = firmware.not_negative("gain", "1");
  const double off = firmware.has("torque_off") ? firmware.not_negative("torque_off", "s") : INFINITY;
  const Signal goal = read_input(file, "goal", "rad"), voltage = read_input(file, "voltage", "V");
  const auto steps = static_cast<std::size_t>(std::lround((options.end - options.start) / log.interval));
  for (std::size_t i = 0; i <= steps; ++i) {
    const double t = options.start + log.interval * static_cast<double>(i);
    log.goal.push_back(goal(t));
    log.voltage.push_back(voltage(t));
    log.enabled.push_back(t < off - 1e-9 * log.interval ? 1 : 0);
  }
  if (const auto start = machine.inner("start")) {
    start->knows({"angle", "speed"});
    log.start_angle = start->quantity_or("angle", "rad", 0);
    log.start_speed = start->quantity_or("speed", "rad/s", 0);
  }
  check(log);
  return log;
}

}  // namespace

ServoScenario parse_servo(std::string_view text, const std::string& file_name) {
  return servo_from(parse_toml(text, file_name), file_name);
}

ServoScenario servo_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  file.knows({"title", "machine", "recording", "goal", "voltage", "firmware", "run", "solver", "identify"});
  ServoScenario scenario;
  scenario.file = file_name;
  if (file.has("title")) scenario.title = file.text("title", "Servo lifting a pendulum");
  const Section machine = needed_section(file, "machine");
  scenario.servo = read_servo(machine);
  if (const auto recording = file.inner("recording")) {
    for (const char* key : {"goal", "voltage", "firmware", "run"})
      if (file.has(key))
        file.fail(file.value(key),
                  "the commands of the servo come from [recording]; leave out [" + std::string(key) + "]");
    if (machine.has("start"))
      machine.fail(machine.value("start"), "the initial state comes from the recording; leave out start");
    read_logs(file, *recording, scenario);
  } else {
    scenario.logs.push_back(written_log(file, machine));
  }
  if (const auto solver = file.inner("solver")) {
    solver->knows({"substeps"});
    scenario.substeps = solver->count("substeps").value_or(1);
    if (scenario.substeps > 1000) solver->fail(solver->value("substeps"), "more than 1000 substeps");
  }
  if (file.has("identify") && !file.has("recording"))
    file.fail(file.value("identify"),
              "[identify] needs a [recording] with a measured angle; prescribed signals have none");
  return scenario;
}

}  // namespace stickslip::inline machines
