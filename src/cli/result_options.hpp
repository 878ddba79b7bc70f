/// What becomes of the result of a test on recordings, in the same words for every such command: --json, -o, --report, --plot, and
/// the part of the recording that is used, --from and --until.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "jobs/bench_tests/finding.hpp"
#include "number_options.hpp"

namespace stickslip::inline cli {

struct ResultArguments {
  std::vector<std::string> outputs;
  std::string report;
  bool json = false, plot = false;
};

enum class ResultModel { yes, none };
/// --json, -o, --report, --plot. `points` says what -o FILE.csv contains; `model`, whether the command finds one.
void add_result_options(CLI::App& command, ResultArguments& arguments, const std::string& points,
                        ResultModel model = ResultModel::yes);
/// Refuses places that cannot be written to, before the work begins. Throws Error.
void check_result_places(const ResultArguments& arguments);
/// Prints and writes all that was asked for; `text`, where there is one, instead of summary and tables, warnings included. The exit
/// code is 1 where nothing was found.
Outcome deliver(const TestFinding& finding, const ResultArguments& arguments, const std::string& text = "");

/// The figure on the terminal, panel by panel.
void draw(const Figure& figure);

struct WindowArguments {
  QuantityOption from{"--from", "s"}, until{"--until,--to", "s"};
  TimeWindow window() const;
};
void add_window_options(CLI::App& command, WindowArguments& arguments);

}  // namespace stickslip::inline cli
