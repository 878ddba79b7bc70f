#include "fitting/fit_results.hpp"

#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/path.hpp"
#include "stickslip/version.hpp"

namespace stickslip {
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

Json log_summary(const FitJob& job) {
  return Json::object({{"file", file_name_of(job.recording.file)},
                       {"fingerprint", job.recording.fingerprint},
                       {"samples", job.recording.size()}});
}

}  // namespace

Json fit_summary(const FitJob& job, const MachineFit& fit) {
  Json candidates = Json::array();
  for (const auto& m : fit.candidates) {
    Json outputs = Json::array();
    for (const auto& q : m.outputs)
      outputs.push_back(Json::object({{"simulated", q.column},
                                      {"unit", q.unit},
                                      {"rms", q.rms},
                                      {"estimation_rms", q.estimation_rms},
                                      {"validation_rms", q.validation_rms},
                                      {"relative", q.relative},
                                      {"estimation_relative", q.estimation_relative},
                                      {"validation_relative", q.validation_relative}}));
    candidates.push_back(Json::object({{"name", m.name},
                                       {"parameters", estimates(m.confidence, m.units)},
                                       {"outputs", outputs},
                                       {"ended", name_of(m.end)},
                                       {"steps", m.steps},
                                       {"simulations", m.simulations}}));
  }
  return Json::object({{"job", file_name_of(job.file)},
                       {"title", job.title},
                       {"method", "simulation"},
                       {"recording", log_summary(job)},
                       {"estimation_share", job.machine.estimation_share},
                       {"recommended", fit.candidates[fit.recommended].name},
                       {"why", fit.why},
                       {"complete", fit.complete},
                       {"candidates", candidates}});
}

std::vector<std::string> inverse_units(const FitJob& job) {
  std::vector<std::string> units;
  const auto add = [&](const std::string& unit) { units.push_back(job.recording.rotary ? rotary(unit) : unit); };
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
                       {"recording", log_summary(job)},
                       {"steps", Json(found.steps)},
                       {"parameters", estimates(found.confidence, inverse_units(job))},
                       {"relative_error", found.relative_error},
                       {"validation_error", found.validation_error},
                       {"relative_error_of_all", found.relative_error_of_all}});
}

std::string fitted_file(const FitJob& job, const FittedMachine& machine) {
  std::string text = "# Numbers fitted by stickslip " + std::string(version()) + " to " +
                     one_line(file_name_of(job.recording.file)) + " (" + job.recording.fingerprint + ")\n# as " +
                     one_line(file_name_of(job.file)) + " asks, candidate " + one_line(machine.name) + ".\n";
  for (std::size_t i = 0; i < machine.free.size(); ++i) {
    const Estimate& e = machine.confidence.estimates[i];
    text += "#   " + e.key + " = " + shortest(e.value) + " +- " + significant(e.standard_error, 3) +
            (machine.units[i].empty() ? "" : " " + machine.units[i]) + ", " + std::string(name_of(e.verdict)) +
            (e.partner.empty() ? "" : " from " + e.partner) + "\n";
  }
  for (const auto& q : machine.outputs)
    text += "# Error of " + q.column + ": " + significant(100 * q.estimation_relative, 4) + " % where fitted, " +
            significant(100 * q.validation_relative, 4) + " % where validated.\n";
  return text + "\n" + machine.text;
}

Table fit_columns(const FitJob& job, const FittedMachine& machine) {
  Table table{{{"time", "s", {}}}};
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < job.machine.time.size(); ++i)
    if (machine.outputs.front().predicted[i] == machine.outputs.front().predicted[i]) kept.push_back(i);
  for (const std::size_t i : kept) table.columns[0].values.push_back(job.machine.time[i]);
  for (std::size_t k = 0; k < machine.outputs.size(); ++k) {
    const auto& q = machine.outputs[k];
    Column measured{"measured_" + q.column, q.unit, {}}, predicted{"predicted_" + q.column, q.unit, {}},
        left{"error_" + q.column, q.unit, {}};
    for (const std::size_t i : kept) {
      measured.values.push_back(job.machine.outputs[k].measured[i]);
      predicted.values.push_back(q.predicted[i]);
      left.values.push_back(q.predicted[i] - job.machine.outputs[k].measured[i]);
    }
    table.columns.insert(table.columns.end(), {measured, predicted, left});
  }
  return table;
}

Table inverse_columns(const FitJob& job, const InverseDynamics& found) {
  const std::string unit(si_unit(Role::force, job.recording.rotary));
  std::vector<double> left;
  for (std::size_t i = 0; i < found.force.size(); ++i) left.push_back(found.predicted[i] - found.force[i]);
  return {{{"time", "s", found.time},
           {"measured_force", unit, found.force},
           {"predicted_force", unit, found.predicted},
           {"error_force", unit, left}}};
}

}  // namespace stickslip
