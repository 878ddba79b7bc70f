/// A machine file of the servo with a pendulum: [machine] kind = "servo-pendulum" with its parameters, and what the servo
/// inputs of the servo, either
///   [recording]: goal, voltage, torque switch, firmware gain and reported angle from columns of a recorded file, one log
///                or many (files/log_files.hpp), or
///   [goal], [voltage], [firmware], [run]: signals given in the file.
/// docs/machines/servo_pendulum.md is its reference.
///   const ServoScenario scenario = parse_servo(read_whole("xl330.toml"), "xl330.toml");
///   for (const ServoLog& log : scenario.logs) roll_out(scenario.servo, log, reading);
/// Not here: the fit and its options in [identify] (fitting/servo_job.hpp), except which logs are left out together.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"
#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "machines/run_events.hpp"
#include "machines/servo_pendulum/servo_pendulum.hpp"

namespace stickslip::inline machines {

struct ServoScenario {
  std::string file, title;
  ServoPendulum<double> servo{};
  std::vector<ServoLog> logs;
  std::size_t substeps = 1;
  std::vector<std::string> warnings;
  std::vector<std::string> groups = {};  // of every recorded log: those left out together; "": alone
  struct Source {
    std::string file, fingerprint;
  };
  std::vector<Source> sources = {};  // of every recorded log
};

/// Throws Error, one line that begins "file:line: " wherever a line is to blame.
/// `file` names the text in messages, and recordings are looked for beside it.
ServoScenario parse_servo(std::string_view text, const std::string& file);
/// The same from text in memory: a sweep changes numbers in it and builds the machine again.
ServoScenario servo_from(const TomlValue& document, const std::string& file);

/// log, time, goal, voltage, angle, reading, measured (where there is one), speed, duty, motor torque, friction, stuck; the
/// logs one below the other.
Table servo_samples(const ServoScenario& scenario, const std::vector<ServoRun>& runs);
/// Sticks and releases with the angle; the part is the log.
RunEvents servo_events(const ServoScenario& scenario, const std::vector<ServoRun>& runs);
/// Sums over all logs.
Ledger servo_ledger(const std::vector<ServoRun>& runs);
/// What was run: title, parameters [SI], logs.
Json servo_scenario_summary(const ServoScenario& scenario);
/// Per log and in all: mean |reading − measured| [rad], energies [J], sticks and releases.
Json servo_run_summary(const ServoScenario& scenario, const std::vector<ServoRun>& runs);

/// Mean |reading − measured| of each log [rad]; empty unless all logs have a measured angle.
std::vector<double> servo_errors(const ServoScenario& scenario, const std::vector<ServoRun>& runs);

}  // namespace stickslip::inline machines
