/// The tables [run] and [solver] of a scenario; see run_section.hpp.
#include "files/run_section.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline files {

Section needed_section(const Section& file, std::string_view key) {
  if (const auto found = file.inner(key)) return *found;
  throw Error(one_line(file.file()) + ": there is no [" + std::string(key) + "]");
}

void read_run(const Section& run, double most_samples, SimulationOptions& options) {
  run.knows({"start", "duration", "sample_interval"});
  options.start = run.quantity_or("start", "s", 0);
  const double duration = run.positive("duration", "s");
  options.end = options.start + duration;
  options.sample_interval = run.positive("sample_interval", "s");
  if (options.sample_interval > duration)
    run.fail(run.value("sample_interval"), "sample_interval is longer than the duration");
  if (duration / options.sample_interval > most_samples)
    run.fail(run.value("sample_interval"), significant(duration / options.sample_interval, 3) + " samples; at most " +
                                               significant(most_samples, 3) + " fit; take a longer sample_interval");
}

void read_tolerances(const Section& solver, std::string_view position_unit, SimulationOptions& options) {
  if (solver.has("relative_tolerance")) {
    options.relative_tolerance = solver.positive("relative_tolerance", "1");
    if (options.relative_tolerance > 0.01 || options.relative_tolerance < 1e-14)
      solver.fail(solver.value("relative_tolerance"), "relative_tolerance must lie between 1e-14 and 0.01");
  }
  if (solver.has("absolute_tolerance"))
    options.absolute_tolerance = solver.positive("absolute_tolerance", position_unit);
  if (solver.has("longest_step")) options.longest_step = solver.positive("longest_step", "s");
  options.most_steps = solver.count("most_steps", {1, 2e9, "more steps take days"}).value_or(options.most_steps);
  options.most_events =
      solver.count("most_events", {1, 1e8, "a longer list does not fit into memory"}).value_or(options.most_events);
}

}  // namespace stickslip::inline files
