/// The HTML report of `stickslip simulate`.
#pragma once
#include <string>

#include "machines/machine_kind.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {

/// `file` is shown whole, with its fingerprint; `command` is how to repeat it.
Page simulation_page(const std::string& file, const BuiltMachine& machine, const MachineRun& run, const RunView& view,
                     const std::string& command);

}  // namespace stickslip::inline jobs
