#include "fitting/fit_results.hpp"

#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline fitting {
namespace {

Json estimates(const Confidence& confidence, const std::vector<std::string>& units) {
  Json list = Json::array();
  for (std::size_t i = 0; i < confidence.estimates.size(); ++i) {
    const Estimate& e = confidence.estimates[i];
    Json one = Json::object({{"path", e.key},
                             {"value", e.value},
                             {"unit", i < units.size() ? units[i] : ""},
                             {"standard_error", e.standard_error},
                             {"low", e.low},
                             {"high", e.high},
                             {"verdict", name_of(e.verdict)}});
    if (!e.partner.empty()) one["partner"] = e.partner;
    list.push_back(one);
  }
  return list;
}

Json log_summary(const Recording& log) {
  return Json::object({{"file", file_name_of(log.file)}, {"fingerprint", log.fingerprint}, {"samples", log.size()}});
}

Json quality(const OutputQuality& q) {
  return Json::object({{"simulated", q.column},
                       {"unit", q.unit},
                       {"rms", q.rms},
                       {"mean_size", q.mean_size},
                       {"estimation_rms", q.estimation_rms},
                       {"validation_rms", q.is_validated ? Json(q.validation_rms) : Json()},
                       {"relative", q.relative},
                       {"estimation_relative", q.estimation_relative},
                       {"validation_relative", q.is_validated ? Json(q.validation_relative) : Json()}});
}

Json logs_summary(const FittedMachine& m) {
  Json logs = Json::array();
  for (const LogQuality& log : m.logs) {
    Json outputs = Json::array();
    for (std::size_t k = 0; k < log.outputs.size(); ++k) {
      Json one = quality(log.outputs[k]);
      if (!log.left_out_rms.empty()) {
        one["left_out_rms"] = log.left_out_rms[k];
        one["left_out_relative"] = log.left_out_relative[k];
        one["left_out_mean_size"] = log.left_out_mean[k];
      }
      outputs.push_back(one);
    }
    logs.push_back(Json::object({{"log", log.name}, {"outputs", outputs}}));
  }
  return logs;
}

Json spreads_summary(const std::vector<Spread>& spreads) {
  Json list = Json::array();
  for (const Spread& s : spreads)
    list.push_back(Json::object({{"path", s.key},
                                 {"unit", s.unit},
                                 {"mean", s.mean},
                                 {"standard_deviation", s.deviation},
                                 {"low", s.low},
                                 {"high", s.high},
                                 {"expected_from_errors", s.expected},
                                 {"of_units", s.own}}));
  return list;
}

}  // namespace

Json fit_summary(const FitJob& job, const MachineFit& fit) {
  Json candidates = Json::array();
  for (const auto& m : fit.candidates) {
    Json outputs = Json::array();
    for (const auto& q : m.outputs) outputs.push_back(quality(q));
    candidates.push_back(Json::object({{"name", m.name},
                                       {"parameters", estimates(m.confidence, m.units)},
                                       {"outputs", outputs},
                                       {"logs", logs_summary(m)},
                                       {"spreads", spreads_summary(m.spreads)},
                                       {"ended", name_of(m.end)},
                                       {"steps", m.steps},
                                       {"simulations", m.simulations},
                                       {"given_up", m.given_up}}));
  }
  Json recordings = Json::array();
  for (const Recording& log : job.recordings) recordings.push_back(log_summary(log));
  return Json::object({{"job", file_name_of(job.file)},
                       {"title", job.title},
                       {"method", "simulation"},
                       {"recording", log_summary(job.recordings.front())},
                       {"recordings", recordings},
                       {"estimation_share", job.machine.estimation_share},
                       {"left_out", job.machine.leaves_out},
                       {"loss", job.machine.loss == Loss::robust ? "robust" : "squares"},
                       {"recommended", fit.candidates[fit.recommended].name},
                       {"why", fit.why},
                       {"complete", fit.complete},
                       {"candidates", candidates}});
}

std::vector<std::string> inverse_units(const FitJob& job) {
  std::vector<std::string> units;
  const auto add = [&](const std::string& unit) {
    units.push_back(job.recordings.front().rotary ? rotary(unit) : unit);
  };
  bool searches = false;
  for (const auto& r : job.regressors) {
    add(r.term == Term::mass ? "kg" : r.term == Term::viscosity ? "N s/m" : "N");
    searches = searches || (r.term == Term::stribeck && r.at == 0);
  }
  if (searches) add("m/s");
  return units;
}

Json inverse_summary(const FitJob& job, const InverseDynamics& found) {
  return Json::object({{"job", file_name_of(job.file)},
                       {"title", job.title},
                       {"method", "inverse-dynamics"},
                       {"recording", log_summary(job.recordings.front())},
                       {"steps", Json(found.steps)},
                       {"parameters", estimates(found.confidence, inverse_units(job))},
                       {"relative_error", found.relative_error},
                       {"validation_error", job.inverse.estimation_share < 1 ? Json(found.validation_error) : Json()},
                       {"relative_error_of_all", found.relative_error_of_all}});
}

std::string fitted_file(const FitJob& job, const FittedMachine& machine) {
  std::string text = "# Fitted by stickslip " + std::string(version()) + " to ";
  for (std::size_t l = 0; l < job.recordings.size(); ++l) {
    const Recording& log = job.recordings[l];
    if (l > 0 && log.fingerprint == job.recordings[l - 1].fingerprint) continue;
    text += (l > 0 ? "\n#   and " : "") + one_line(file_name_of(log.file)) + " (" + log.fingerprint + ")";
  }
  text += "\n# as " + one_line(file_name_of(job.file)) + " asks, candidate " + one_line(machine.name) + ".\n";
  for (std::size_t i = 0; i < machine.confidence.estimates.size(); ++i) {
    const Estimate& e = machine.confidence.estimates[i];
    text += "#   " + one_line(e.key) + " = " + shortest(e.value) + " +- " + significant(1.96 * e.standard_error, 3) +
            (machine.units[i].empty() ? "" : " " + machine.units[i]) + " (95 %), " + std::string(name_of(e.verdict)) +
            (e.partner.empty() ? "" : " from " + one_line(e.partner)) + "\n";
  }
  for (const Spread& s : machine.spreads)
    text += "# " + s.key + " from log to log: " + significant(s.mean, 5) + ", standard deviation " +
            significant(s.deviation, 3) + (s.unit.empty() ? "" : " " + s.unit) + "; the file has the mean.\n";
  for (std::size_t k = 0; k < machine.outputs.size(); ++k) {
    const OutputQuality& q = machine.outputs[k];
    text +=
        "# Error of " + q.column + ": " + significant(100 * q.estimation_relative, 4) + " % on the estimation samples";
    if (q.is_validated) text += ", " + significant(100 * q.validation_relative, 4) + " % on the validation samples";
    text += ".\n";
    for (const LogQuality& log : machine.logs)
      if (machine.logs.size() > 1)
        text += "#   " + one_line(log.name) + ": " + significant(100 * log.outputs[k].relative, 4) + " %" +
                (log.left_out_relative.empty()
                     ? ""
                     : ", " + significant(100 * log.left_out_relative[k], 4) + " % when left out") +
                "\n";
  }
  return text + "\n" + machine.text;
}

Table fit_columns(const FitJob& job, const FittedMachine& machine) {
  Table table;
  const bool has_several = machine.logs.size() > 1;
  if (has_several) table.columns.push_back({"log", "", {}});
  table.columns.push_back({"time", "s", {}});
  for (const auto& q : machine.outputs)
    for (const char* what : {"measured_", "predicted_", "error_"})
      table.columns.push_back({what + q.column, q.unit, {}});
  for (std::size_t l = 0; l < machine.logs.size(); ++l) {
    const MachineLog& log = job.machine.logs[l];
    const auto& predicted = machine.logs[l].predicted;
    for (std::size_t i = 0; i < log.time.size(); ++i) {
      if (predicted.front()[i] != predicted.front()[i]) continue;
      std::size_t c = 0;
      if (has_several) table.columns[c++].values.push_back(static_cast<double>(l + 1));
      table.columns[c++].values.push_back(log.time[i]);
      for (std::size_t k = 0; k < predicted.size(); ++k) {
        table.columns[c++].values.push_back(log.measured[k][i]);
        table.columns[c++].values.push_back(predicted[k][i]);
        table.columns[c++].values.push_back(predicted[k][i] - log.measured[k][i]);
      }
    }
  }
  return table;
}

Table inverse_columns(const FitJob& job, const InverseDynamics& found) {
  const std::string unit(si_unit(Role::force, job.recordings.front().rotary));
  std::vector<double> left;
  for (std::size_t i = 0; i < found.force.size(); ++i) left.push_back(found.predicted[i] - found.force[i]);
  return {{{"time", "s", found.time},
           {"measured_force", unit, found.force},
           {"predicted_force", unit, found.predicted},
           {"error_force", unit, left}}};
}

}  // namespace stickslip::inline fitting
