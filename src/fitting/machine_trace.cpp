#include "fitting/machine_trace.hpp"

namespace stickslip::inline fitting {

MachineRun run_machine_text(std::string_view text, const std::string& file, double until, RunWatch* watch) {
  return run_machine_document(parse_toml(text, file), file, until, watch);
}

MachineRun run_machine_document(const TomlValue& document, const std::string& file, double until, RunWatch* watch,
                                std::size_t most_steps) {
  const auto machine = machine_kind_of(document, file).build(document, file);
  MachineRun run = machine->run({.watch = watch, .until = until, .most_steps = most_steps, .is_watched = false});
  run.warnings.insert(run.warnings.begin(), machine->warnings.begin(), machine->warnings.end());
  return run;
}

void check_machine_document(const TomlValue& document, const std::string& file) {
  machine_kind_of(document, file).build(document, file);
}

}  // namespace stickslip::inline fitting
