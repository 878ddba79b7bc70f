/// The fit requested in a servo's own file; see servo_job.hpp.
#include "fitting/servo_job.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/toml_section.hpp"
#include "platform/parallel.hpp"
#include "platform/path.hpp"

namespace stickslip::inline fitting {
namespace {

/// The servo's parameters: key, unit, whether a fit may free them.
std::vector<ParameterInfo> parameter_infos() {
  std::vector<ParameterInfo> all;
  std::apply([&](const auto&... rows) { (all.push_back(rows.info), ...); }, ServoPendulum<double>::parameters());
  return all;
}

const ParameterInfo& info_of(const Section& s, const TomlValue& value, const std::string& key,
                             const std::vector<ParameterInfo>& all) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : all) {
    if (p.key == key) return p;
    names.emplace_back(p.key);
  }
  s.fail(value, no_such("parameter of the servo", key, names));
}

std::vector<std::string> free_keys(const Section& file, const std::optional<Section>& identify,
                                   const std::vector<ParameterInfo>& all) {
  const Section machine = *file.inner("machine");
  std::vector<std::string> keys;
  if (!identify || !identify->has("free")) {
    for (const ParameterInfo& p : all)
      if (p.fit != Fit::fixed && machine.has(p.key)) keys.emplace_back(p.key);
    return keys;
  }
  const TomlValue& list = identify->value("free");
  if (list.kind != TomlValue::Kind::list || list.items.empty())
    identify->fail(list, "free must be a list like [\"torque_constant\", \"load_factor\"]");
  for (const TomlValue& item : list.items) {
    if (item.kind != TomlValue::Kind::text) identify->fail(item, "free lists keys of [machine] in quotes");
    info_of(*identify, item, item.text, all);
    if (!machine.has(item.text))
      identify->fail(item, item.text + " is free; write where it starts in [machine], " + item.text + " = ...");
    if (std::find(keys.begin(), keys.end(), item.text) != keys.end())
      identify->fail(item, item.text + " is listed twice");
    keys.push_back(item.text);
  }
  return keys;
}

void read_priors(const Section& identify, const std::vector<ParameterInfo>& all, ServoFitOptions& options) {
  const auto priors = identify.inner("prior");
  if (!priors) return;
  for (const auto& member : priors->table().members) {
    const ParameterInfo& p = info_of(*priors, member.value, member.key, all);
    if (std::find(options.free.begin(), options.free.end(), member.key) == options.free.end())
      priors->fail(member.value, member.key + " has a prior but is not free");
    try {
      const ValueAndError known =
          parse_value_and_error(priors->text(member.key, "3 +- 0.5 ohm"), p.unit, std::string(member.key));
      options.priors.push_back({std::string(member.key), known.value, known.error});
    } catch (const Error& problem) {
      priors->fail(member.value, problem.what());
    }
  }
}

/// A number of the groups' names for every log.
std::vector<int> group_numbers(const ServoScenario& scenario) {
  std::map<std::string, int> numbers;
  std::vector<int> groups;
  for (std::size_t l = 0; l < scenario.logs.size(); ++l) {
    const std::string name = scenario.groups[l].empty() ? "log " + scenario.logs[l].name : scenario.groups[l];
    groups.push_back(numbers.try_emplace(name, static_cast<int>(numbers.size())).first->second);
  }
  return groups;
}

OutputQuality quality_of(std::span<const double> reading, std::span<const double> measured) {
  OutputQuality q{.column = "reading", .unit = "rad"};
  double error = 0, size = 0, sum = 0;
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const double e = reading[i] - measured[i];
    error += e * e, size += measured[i] * measured[i], sum += std::fabs(e);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, reading.size()));
  q.rms = q.estimation_rms = std::sqrt(error / n);
  q.relative = q.estimation_relative = size > 0 ? std::sqrt(error / size) : 0;
  q.mean_size = sum / n;
  return q;
}

/// The text with the names of the logs as they are found from another folder: absolute ones.
std::string with_absolute_logs(const MachineText& machine, std::string text, const std::string& result_file) {
  if (result_file.empty() || absolute_path(folder_of(result_file)) == absolute_path(folder_of(machine.file())))
    return text;
  const TomlValue* recording = machine.document().find("recording");
  const TomlValue* file = recording ? recording->find("file") : nullptr;
  if (!file) return text;
  std::size_t at = 0;
  for (int line = 1; line < file->line && at != std::string::npos; ++line) at = text.find('\n', at) + 1;
  at = text.find('=', at);
  const bool is_list = file->kind == TomlValue::Kind::list;
  for (std::size_t left = is_list ? file->items.size() : 1; left > 0 && at != std::string::npos; --left) {
    const std::size_t begin = text.find_first_of("\"'", at);
    const std::size_t end = begin == std::string::npos ? begin : text.find(text[begin], begin + 1);
    if (end == std::string::npos) break;
    const std::string moved =
        json_string(normal_path(absolute_path(beside(machine.file(), text.substr(begin + 1, end - begin - 1)))));
    text.replace(begin, end + 1 - begin, moved);
    at = begin + moved.size();
  }
  return text;
}

}  // namespace

bool is_servo_file(const TomlValue& document) {
  const TomlValue* machine = document.find("machine");
  const TomlValue* kind = machine && machine->kind == TomlValue::Kind::table ? machine->find("kind") : nullptr;
  return kind && kind->text == "servo-pendulum";
}

ServoJob parse_servo_job(std::string_view text, const std::string& file_name) {
  const MachineText machine{std::string(text), file_name};
  const Section file(machine.document(), "", file_name);
  ServoJob job;
  job.scenario = servo_from(machine.document(), file_name);
  if (!file.has("recording"))
    throw Error(one_line(file_name) + ": a fit needs recorded logs; name them in [recording]");
  const std::vector<ParameterInfo> all = parameter_infos();
  const auto identify = file.inner("identify");
  job.options.substeps = job.scenario.substeps;
  job.leaves_out = job.scenario.logs.size() > 1;
  job.options.free = free_keys(file, identify, all);
  job.options.starts = 8;
  if (job.options.free.empty())
    throw Error(one_line(file_name) + ": no parameter is free; [machine] has no parameter that a fit may change");
  if (identify) {
    identify->knows({"free", "prior", "leave_out", "corner", "starts"});
    job.options.starts = identify->count("starts", {1, 1000, "each costs a search"}).value_or(job.options.starts);
    read_priors(*identify, all, job.options);
    if (identify->has("corner")) job.options.corner = identify->positive("corner", "rad");
    if (identify->has("leave_out")) {
      job.leaves_out = identify->text("leave_out", "gain") != "none";
      const std::vector<int> groups = group_numbers(job.scenario);
      if (job.leaves_out && *std::max_element(groups.begin(), groups.end()) == 0)
        identify->fail(identify->value("leave_out"), "all logs are one group; none can be left out");
    }
  }
  job.job.file = file_name;
  job.job.title = job.scenario.title;
  job.job.machine.title = job.scenario.title;
  job.job.machine.outputs = {{.column = "reading", .unit = "rad"}};
  job.job.machine.estimation_share = 1;
  job.job.machine.leaves_out = job.leaves_out;
  job.job.machine.loss = Loss::robust;
  job.job.machine.corner = job.options.corner;
  FitCandidate candidate{"servo-pendulum", {machine}, {}, {}};
  for (const std::string& key : job.options.free) {
    const Place place = machine.place("machine." + key);
    candidate.free.push_back({.key = place.path, .places = {place}, .start = place.value});
  }
  job.job.machine.candidates = {std::move(candidate)};
  for (std::size_t l = 0; l < job.scenario.logs.size(); ++l) {
    const ServoLog& log = job.scenario.logs[l];
    if (log.position.empty())
      throw Error(one_line(file_name) + ": a fit needs a measured position; name the column with position = in " +
                  "[recording]");
    MachineLog one{.name = log.name, .time = {}, .measured = {log.position}, .group = job.scenario.groups[l]};
    for (std::size_t i = 0; i < log.size(); ++i) one.time.push_back(log.interval * static_cast<double>(i));
    job.job.machine.logs.push_back(std::move(one));
    Recording source;
    source.file = job.scenario.sources[l].file;
    source.fingerprint = job.scenario.sources[l].fingerprint;
    source.time = job.job.machine.logs.back().time;
    job.job.recordings.push_back(std::move(source));
  }
  return job;
}

MachineFit fit_servo_job(const ServoJob& job, const MachineFitOptions& options) {
  const ServoScenario& scenario = job.scenario;
  const FitCandidate& candidate = job.job.machine.candidates.front();
  const std::vector<int> groups = group_numbers(scenario);
  const int group_count = job.leaves_out ? 1 + *std::max_element(groups.begin(), groups.end()) : 0;
  // All logs, and without each group: these fits do not depend on each other.
  ServoLeftOut left;
  ServoFit fit;
  std::vector<ServoFit> fits(static_cast<std::size_t>(group_count) + 1);
  parallel_for(fits.size(), options.threads, [&](std::size_t k) {
    if (k == 0) {
      fits[0] = fit_servo(scenario.servo, scenario.logs, job.options);
      return;
    }
    std::vector<ServoLog> seen;
    for (std::size_t l = 0; l < scenario.logs.size(); ++l)
      if (groups[l] != static_cast<int>(k) - 1) seen.push_back(scenario.logs[l]);
    fits[k] = fit_servo(scenario.servo, seen, job.options);
  });
  fit = fits.front();
  left.fits.assign(fits.begin() + 1, fits.end());

  FittedMachine m;
  m.name = candidate.name;
  m.free = candidate.free;
  m.confidence = fit.confidence;
  m.corner = job.options.corner;
  m.simulations = fit.evaluations * scenario.logs.size();
  const std::vector<double> between = left.jackknife();
  std::vector<std::pair<Place, double>> values;
  for (std::size_t i = 0; i < candidate.free.size(); ++i) {
    const Place& place = candidate.free[i].places.front();
    const Unit unit = parse_unit(place.unit);
    Estimate& e = m.confidence.estimates[i];
    if (!between.empty() && e.verdict != Determination::at_bound) {  // from log to log, where that is more
      const double wider = std::max(1.0, e.standard_error > 0 ? between[i] / e.standard_error : 1.0);
      for (std::size_t k = 0; k < m.confidence.covariance.size(); ++k)
        m.confidence.covariance(i, k) *= wider, m.confidence.covariance(k, i) *= wider;
    }
    m.units.push_back(place.unit);
    values.emplace_back(place, fit.x[i] / unit.factor);
  }
  judge(m.confidence);
  const MachineText& machine = candidate.machines.front();
  m.text = with_absolute_logs(machine, machine.with(values), job.result_file);
  for (std::size_t i = 0; i < candidate.free.size(); ++i) {
    const double factor = parse_unit(candidate.free[i].places.front().unit).factor;
    Estimate& e = m.confidence.estimates[i];
    e.key = candidate.free[i].key;
    e.value /= factor, e.standard_error /= factor, e.low /= factor, e.high /= factor;
    for (std::size_t k = 0; k < m.confidence.estimates.size(); ++k)
      m.confidence.covariance(i, k) /= factor, m.confidence.covariance(k, i) /= factor;
    if (!e.partner.empty()) e.partner = "machine." + e.partner;
  }
  double sum = 0, left_sum = 0, squares = 0, size = 0;
  for (std::size_t l = 0; l < scenario.logs.size(); ++l) {
    const ServoLog& log = scenario.logs[l];
    LogQuality q{.name = log.name, .outputs = {}};
    q.note = "gain " + shortest(log.firmware_gain);
    std::vector<double> reading(log.size());
    roll_out(fit.servo, log, reading, scenario.substeps);
    q.outputs.push_back(quality_of(reading, log.position));
    q.predicted.push_back(reading);
    sum += q.outputs.front().mean_size;
    for (std::size_t i = 0; i < log.size(); ++i)
      squares += (reading[i] - log.position[i]) * (reading[i] - log.position[i]),
          size += log.position[i] * log.position[i];
    if (job.leaves_out) {
      roll_out(left.fits[static_cast<std::size_t>(groups[l])].servo, log, reading, scenario.substeps);
      const OutputQuality out = quality_of(reading, log.position);
      q.left_out_rms = {out.rms}, q.left_out_relative = {out.relative}, q.left_out_mean = {out.mean_size};
      left_sum += out.mean_size;
    }
    m.logs.push_back(std::move(q));
  }
  const auto count = static_cast<double>(scenario.logs.size());
  double rows = 0;
  for (const ServoLog& log : scenario.logs) rows += static_cast<double>(log.size());
  OutputQuality all{.column = "reading", .unit = "rad"};
  all.rms = all.estimation_rms = std::sqrt(squares / rows);
  all.relative = all.estimation_relative = size > 0 ? std::sqrt(squares / size) : 0;
  all.mean_size = sum / count;
  m.outputs = {all};
  m.left_out_mean = job.leaves_out ? left_sum / count : 0;
  MachineFit result;
  result.why = "the only candidate";
  result.candidates.push_back(std::move(m));
  return result;
}

}  // namespace stickslip::inline fitting
