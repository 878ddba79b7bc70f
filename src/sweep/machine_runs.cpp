/// One machine run many times with other numbers; see machine_runs.hpp.
#include "sweep/machine_runs.hpp"

#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/mutex.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline sweeps {

MachineRuns run_machines(const Machine& machine, const MachineRunsRequest& request) {
  if (request.paths.empty()) throw Error("no swept parameter; give the path of a number and its values");
  if (request.outputs.empty()) throw Error("no outputs; name some, like \"period\" or \"max velocity\"");
  const std::size_t width = request.paths.size(), runs = request.values.size() / width;
  for (const std::string& path : request.paths) machine.number(path);
  MachineRuns found;
  const MachineRun example = machine.run({.watch = request.watch, .is_watched = false});
  std::vector<SweepOutput> outputs;
  for (const std::string& text : request.outputs) {
    outputs.push_back(parse_output(text, example));
    if (needs_slip_speed(outputs.back()) && !(request.observation.slip_speed > 0) &&
        !(example.body && example.body->pull_speed > 0))
      throw Error("output " + in_quotes(text) + " needs a slip speed: this machine is not driven at a constant speed");
    found.outputs.push_back({outputs.back().name, outputs.back().unit,
                             std::vector<double>(runs, std::numeric_limits<double>::quiet_NaN())});
  }
  found.failures.resize(runs);
  Mutex mutex;
  std::size_t done = 0;
  parallel_for(runs, request.threads, [&](std::size_t i) {
    if (request.watch && request.watch->cancel) return;
    Machine changed = machine;
    std::vector<std::pair<std::string, double>> values;
    for (std::size_t j = 0; j < width; ++j) values.emplace_back(request.paths[j], request.values[i * width + j]);
    found.failures[i] = changed.try_set(values);
    if (found.failures[i].empty()) {
      const MachineRun run = changed.run({.watch = request.watch, .is_watched = false});
      if (run.stop != Stop::finished) found.failures[i] = run.message.empty() ? name_of(run.stop) : run.message;
      if (run.stop == Stop::finished)
        for (std::size_t k = 0; k < outputs.size(); ++k)
          found.outputs[k].values[i] = measure(outputs[k], run, request.observation);
    }
    const Lock lock(mutex);
    ++done;
    if (request.progress) request.progress(done, runs);
  });
  found.is_complete = !(request.watch && request.watch->cancel);
  return found;
}

}  // namespace stickslip::inline sweeps
