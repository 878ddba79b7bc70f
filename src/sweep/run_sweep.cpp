/// All runs of a sweep; see run_sweep.hpp.
#include "sweep/run_sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "platform/mutex.hpp"
#include "platform/parallel.hpp"
#include "stickslip/version.hpp"
#include "sweep/sweep_lanes.hpp"

namespace stickslip {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t runs_in_lanes = 2048;  // at once: some ten milliseconds, thousands of refilled lanes

/// Runs that are made together.
struct Chunk {
  std::size_t first, count;
};
std::vector<Chunk> chunks_of(const std::vector<bool>& is_done, std::size_t size) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < is_done.size(); ++i) {
    if (is_done[i]) continue;
    const bool goes_on = !chunks.empty() && chunks.back().first + chunks.back().count == i;
    if (goes_on && chunks.back().count < size)
      ++chunks.back().count;
    else
      chunks.push_back({i, 1});
  }
  return chunks;
}

class Runner {
 public:
  Runner(const Sweep& sweep, const SweepRunOptions& options, SweepRun& run, const SweepLanes* lanes)
      : sweep_(sweep), options_(options), run_(run), lanes_(lanes) {
    if (!options.journal.empty()) {
      journal_ =
          std::make_unique<SweepJournal>(options.journal, journal_fingerprint(sweep_description(sweep, run.in_lanes)),
                                         run.rows, journal_fingerprint(number_signature()));
      for (const bool done : run.rows.is_done) run.taken += done;
    }
    done_ = run.taken;
  }

  void run() {
    const auto chunks = chunks_of(run_.rows.is_done, lanes_ ? runs_in_lanes : 1);
    parallel_for(chunks.size(), options_.threads, [&](std::size_t i) {
      if (is_cancelled()) return;
      const auto [first, count] = chunks[i];
      if (!lanes_ || !run_together(first, count)) {
        for (std::size_t n = first; n < first + count; ++n)
          if (!run_alone(n)) return;  // cancelled in its midst
      }
      keep(first, count);
    });
  }

 private:
  bool is_cancelled() const { return options_.watch && options_.watch->cancel; }
  const double* point(std::size_t number) const { return run_.points.data() + number * sweep_.plan.parameters.size(); }

  /// False if one of them makes no machine: then each is tried alone.
  bool run_together(std::size_t first, std::size_t count) {
    try {
      lanes_->run(point(first), count, run_.rows.row(first));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// False if it was cancelled.
  bool run_alone(std::size_t number) {
    double* row = run_.rows.row(number);
    try {
      if (lanes_) {
        lanes_->run(point(number), 1, row);
        return true;
      }
      return simulate(number, row);
    } catch (const Error& problem) {
      for (std::size_t k = 0; k < sweep_.outputs.size(); ++k) row[k] = nothing;
      row[sweep_.outputs.size()] = stop_refused;
      const Lock lock(mutex_);
      run_.rows.remarks[number] = problem.what();
      return true;
    }
  }

  bool simulate(std::size_t number, double* row) {
    const MachineRun trace = run_machine_document(with_values(sweep_, point(number)), sweep_.scenario,
                                                  std::numeric_limits<double>::infinity(), options_.watch);
    if (trace.stop == Stop::cancelled) return false;
    const bool is_whole = trace.stop == Stop::finished;
    for (std::size_t k = 0; k < sweep_.outputs.size(); ++k)
      row[k] = is_whole ? measure(sweep_.outputs[k], trace, sweep_.observation) : nothing;
    row[sweep_.outputs.size()] = static_cast<double>(trace.stop);
    return true;
  }

  void keep(std::size_t first, std::size_t count) {
    const Lock lock(mutex_);
    for (std::size_t n = first; n < first + count; ++n) run_.rows.is_done[n] = true;
    if (journal_) journal_->add(run_.rows, first, count);
    done_ += count;
    if (options_.progress) options_.progress({done_, run_.rows.size(), run_.taken});
  }

  const Sweep& sweep_;
  const SweepRunOptions& options_;
  SweepRun& run_;
  const SweepLanes* lanes_;
  std::unique_ptr<SweepJournal> journal_;
  std::size_t done_ = 0;
  Mutex mutex_;
};

Table outputs_table(const Sweep& sweep, const SweepRun& run) {
  Table table;
  const std::size_t width = sweep.plan.parameters.size(), runs = run.rows.size();
  for (std::size_t j = 0; j < width; ++j) {
    Column column{sweep.plan.parameters[j].path, sweep.plan.parameters[j].unit, std::vector<double>(runs)};
    for (std::size_t i = 0; i < runs; ++i) column.values[i] = run.points[i * width + j];
    table.columns.push_back(std::move(column));
  }
  for (std::size_t k = 0; k < sweep.outputs.size(); ++k) {
    Column column{sweep.outputs[k].name, sweep.outputs[k].unit, std::vector<double>(runs)};
    for (std::size_t i = 0; i < runs; ++i) column.values[i] = run.rows.row(i)[k];
    table.columns.push_back(std::move(column));
  }
  if (sweep.compares && !run.boundary.empty()) {
    Column critical{"critical_speed", "m/s", {}};
    for (const BoundaryPoint& b : run.boundary) critical.values.push_back(b.critical_speed);
    table.columns.push_back(std::move(critical));
  }
  return table;
}

int stop_of(const SweepRun& run, std::size_t number) {
  return static_cast<int>(run.rows.row(number)[run.rows.width - 1]);
}

}  // namespace

std::string sweep_description(const Sweep& sweep, bool in_lanes) {
  std::string all = std::string(version()) + "|" + plan_names[static_cast<std::size_t>(sweep.plan.kind)] + "|" +
                    std::to_string(sweep.plan.runs) + "|" + std::to_string(sweep.plan.seed);
  const auto add = [&](auto... values) { ((all += "|" + shortest(static_cast<double>(values))), ...); };
  for (const auto& p : sweep.plan.parameters) {
    all += "|" + p.path;
    add(p.low, p.high, p.count, p.logarithmic);
    for (const double value : p.values) add(value);
  }
  for (const auto& o : sweep.outputs) all += "|" + o.text;
  add(sweep.observation.from, sweep.observation.slip_speed, sweep.relative_tolerance, in_lanes);
  return all + sweep.read_files + "|" + sweep.scenario_text;
}

double expected_seconds(const Sweep& sweep, unsigned threads) {
  std::string why_not;
  const bool in_lanes = sweep.lanes && lanes_for(sweep, why_not);
  return static_cast<double>(sweep.plan.runs) * sweep.example_seconds / thread_count(threads) /
         (in_lanes ? lanes_are_faster_by : 1);
}

SweepRun run_sweep(const Sweep& sweep, const SweepRunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  SweepRun run;
  std::unique_ptr<SweepLanes> lanes;
  if (sweep.lanes) lanes = lanes_for(sweep, run.why_not_lanes);
  run.in_lanes = lanes != nullptr;
  run.points = plan_points(sweep.plan);
  run.rows = SweepRows(sweep.plan.runs, sweep.outputs.size() + 1);
  Runner(sweep, options, run, lanes.get()).run();
  for (const bool done : run.rows.is_done) run.is_complete = run.is_complete && done;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (sweep.compares && run.is_complete) run.boundary = boundary_points(sweep, run.points, options.threads);
  return run;
}

std::size_t failures(const SweepRun& run) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) count += run.rows.is_done[i] && stop_of(run, i) != 0;
  return count;
}

std::string failure_of(const SweepRun& run, std::size_t number) {
  const int stop = stop_of(run, number);
  if (stop == 0) return "";
  const auto remark = run.rows.remarks.find(number);
  return remark != run.rows.remarks.end() ? "refused: " + remark->second
                                          : std::string(name_of(static_cast<Stop>(stop)));
}

BoundaryAgreement boundary_agreement(const Sweep& sweep, const SweepRun& run) {
  BoundaryAgreement found;
  const auto sticks = std::find_if(sweep.outputs.begin(), sweep.outputs.end(),
                                   [](const auto& o) { return o.kind == OutputKind::sticks; });
  const auto column = static_cast<std::size_t>(sticks - sweep.outputs.begin());
  for (std::size_t i = 0; i < run.boundary.size(); ++i) {
    const double answer = run.rows.row(i)[column];
    if (std::isnan(answer)) continue;
    const BoundaryPoint& b = run.boundary[i];
    ++found.runs;
    if ((answer == 1) == b.should_stick())
      ++found.right;
    else
      found.furthest_wrong = std::max(found.furthest_wrong, std::fabs(b.pull_speed / b.critical_speed - 1));
  }
  return found;
}

Table sweep_table(const Sweep& sweep, const SweepRun& run) {
  Table table = outputs_table(sweep, run);
  Column stop{"stop", "", {}};
  for (std::size_t i = 0; i < run.rows.size(); ++i) stop.values.push_back(stop_of(run, i));
  table.columns.push_back(std::move(stop));
  return table;
}

std::string sweep_csv(const Sweep& sweep, const SweepRun& run) {
  std::vector<std::string> reasons;  // of those that failed, where the views below point to
  std::vector<std::string_view> words(run.rows.size(), name_of(Stop::finished));
  reasons.reserve(failures(run));
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (stop_of(run, i) != 0) words[i] = reasons.emplace_back(failure_of(run, i));
  return to_csv(outputs_table(sweep, run), "stop", words);
}

}  // namespace stickslip
