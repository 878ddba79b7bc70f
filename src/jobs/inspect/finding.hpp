/// A recording as a result that every command can show: figure of its signals, table in SI, JSON, report.
#pragma once
#include <string>

#include "core/table.hpp"
#include "jobs/bench_tests/finding.hpp"
#include "recording/recording.hpp"

namespace stickslip::inline jobs {

/// The signals with a role in SI units, time first if there is one.
Table recording_table(const Recording& recording);

/// One panel per column over the time, which is the first one, or over the row number if there is no time. Constant
/// columns are left out.
Figure signals_figure(const Table& table, const std::string& title);

TestFinding recording_finding(const Recording& recording);

}  // namespace stickslip::inline jobs
