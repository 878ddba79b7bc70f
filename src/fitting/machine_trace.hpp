/// What a machine does according to the text of its file: any kind of machine, as named columns over time, for fits and sweeps.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "core/run.hpp"
#include "files/toml_document.hpp"
#include "machines/machine_kind.hpp"

namespace stickslip::inline fitting {

/// Reads and runs it, at most to the time `until` [s]. Throws Error for a text that cannot be used.
MachineRun run_machine_text(std::string_view text, const std::string& file,
                            double until = std::numeric_limits<double>::infinity(), RunWatch* watch = nullptr);
/// The same of a text that was read before.
MachineRun run_machine_document(const TomlValue& document, const std::string& file,
                                double until = std::numeric_limits<double>::infinity(), RunWatch* watch = nullptr,
                                std::size_t most_steps = RunRequest{}.most_steps);

/// Reads it without running it. Throws Error for what cannot be used.
void check_machine_document(const TomlValue& document, const std::string& file);

}  // namespace stickslip::inline fitting
