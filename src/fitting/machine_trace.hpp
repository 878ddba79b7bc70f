/// What a machine does according to the text of its file: any kind of machine, as named columns over time.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "files/toml_document.hpp"

namespace stickslip {

/// Sums over a whole run [J]; what a kind of machine does not tell is NaN.
struct MachineTotals {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double events = unknown;  // of all kinds
  double work_in = unknown, friction_heat = unknown, damper_heat = unknown;
  double friction_work = unknown;  // the heat, and what the friction still stores in its bristles
};

/// What only a single body has.
struct BodyTrace {
  std::vector<double> stretch = {};  // at the samples: of its spring, or by how much it lags its target [m]
  double pull_speed = 0;             // of the far end of its spring, at the end [m/s]
  double mass = 0;
  std::vector<double> state = {};  // of the friction, at the end
};

struct MachineTrace {
  Table samples;  // "time" first
  Stop stop = Stop::finished;
  std::string message = {};  // for anything but `finished`
  MachineTotals totals = {};
  std::optional<BodyTrace> body = std::nullopt;
  std::vector<std::string> warnings = {};  // reasons to doubt it
};

/// Reads and runs it, at most to the time `until` [s]. Throws Error for a text that cannot be used.
MachineTrace run_machine_text(std::string_view text, const std::string& file,
                              double until = std::numeric_limits<double>::infinity(), RunWatch* watch = nullptr);
/// The same of a text that was read before.
MachineTrace run_machine_document(const TomlValue& document, const std::string& file,
                                  double until = std::numeric_limits<double>::infinity(), RunWatch* watch = nullptr);

/// Reads it without running it. Throws Error for what cannot be used.
void check_machine_document(const TomlValue& document, const std::string& file);

}  // namespace stickslip
