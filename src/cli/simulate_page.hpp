/// The HTML report of `stickslip simulate`.
#pragma once
#include <string>

#include "machines/machine_kind.hpp"
#include "report/page.hpp"

namespace stickslip {

Page simulation_page(const std::string& file, const BuiltMachine& machine, const MachineRun& run, const RunView& view);

}  // namespace stickslip
