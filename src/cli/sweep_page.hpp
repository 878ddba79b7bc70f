/// The HTML report of `stickslip sweep`.
#pragma once
#include "report/page.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip {

/// "4092 of 4096 runs lie on the side of the boundary that theory says; the others within 0.8 % of it".
std::string boundary_text(const BoundaryAgreement& agreement);

Page sweep_page(const Sweep& sweep, const SweepRun& run);

}  // namespace stickslip
