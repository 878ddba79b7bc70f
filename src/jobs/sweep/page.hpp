/// The HTML report of `stickslip sweep`.
#pragma once
#include "report/page.hpp"
#include "report/table.hpp"
#include "sweep/run_sweep.hpp"

namespace stickslip::inline jobs {

/// "4092 of 4096 runs lie on the side of the boundary that theory says; the others within 0.8 % of it".
std::string boundary_text(const BoundaryAgreement& agreement);

/// Least, middle and largest of every output, and how many runs have none.
TextTable output_table(const Sweep& sweep, const SweepRun& run);

/// `command` as typed in a shell; the files read are the sweep's own.
Page sweep_page(const Sweep& sweep, const SweepRun& run, const std::string& command);

}  // namespace stickslip::inline jobs
