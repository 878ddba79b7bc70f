/// The HTML report of `stickslip simulate`.
#pragma once
#include <string>

#include "report/page.hpp"
#include "simulate_job.hpp"

namespace stickslip {

Page simulation_page(const std::string& file, const SimulationJob& job, const SimulationResults& results);

}  // namespace stickslip
