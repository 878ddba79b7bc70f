/// All runs of a sweep; see run_sweep.hpp.
#include "sweep/run_sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "core/text.hpp"
#include "files/csv.hpp"
#include "platform/parallel.hpp"
#include "stickslip/version.hpp"
#include "sweep/sweep_lanes.hpp"

namespace stickslip::inline sweeps {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t runs_in_lanes = 2048;  // at once: some ten milliseconds, thousands of refilled lanes

/// Of those that are still to be made, the ones side by side, up to `size` at a time.
std::vector<SweepBlock> blocks_of(const std::vector<bool>& is_wanted, std::size_t size) {
  std::vector<SweepBlock> blocks;
  for (std::size_t i = 0; i < is_wanted.size(); ++i) {
    if (!is_wanted[i]) continue;
    const bool goes_on = !blocks.empty() && blocks.back().first + blocks.back().count == i;
    if (goes_on && blocks.back().count < size)
      ++blocks.back().count;
    else
      blocks.push_back({i, 1});
  }
  return blocks;
}

std::string packed(const std::vector<bool>& bits) {
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | (1 << (i % 8)));
  return bytes;
}
std::vector<bool> unpacked(const std::string& bytes, std::size_t count) {
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count && i / 8 < bytes.size(); ++i) bits[i] = (bytes[i / 8] >> (i % 8)) & 1;
  return bits;
}

/// Makes runs from their points. Knows no journal and no other run: a thread, a rank or a shard has one.
class BlockRunner {
 public:
  BlockRunner(const Sweep& sweep, const SweepLanes* lanes, const std::vector<double>& points, RunWatch* watch)
      : sweep_(sweep), lanes_(lanes), points_(points), watch_(watch) {}

  /// As a block of the journal; nothing if it was cancelled.
  std::optional<std::string> run_block(const SweepBlock& block) const {
    if (is_cancelled()) return std::nullopt;
    const std::size_t width = sweep_.outputs.size() + 1;
    std::vector<double> rows(block.count * width);
    std::map<std::size_t, std::string> remarks;
    if (!lanes_ || !run_together(block, rows.data())) {
      for (std::size_t k = 0; k < block.count; ++k)
        if (!run_alone(block.first + k, rows.data() + k * width, remarks))
          return std::nullopt;  // cancelled in its midst
    }
    return sweep_block(block.first, block.count, width, rows.data(), remarks);
  }

 private:
  bool is_cancelled() const { return watch_ && watch_->cancel; }
  const double* point(std::size_t number) const { return points_.data() + number * sweep_.plan.parameters.size(); }

  /// False if one of them makes no machine: then each is tried alone.
  bool run_together(const SweepBlock& block, double* rows) const {
    try {
      lanes_->run(point(block.first), block.count, rows);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// False if it was cancelled.
  bool run_alone(std::size_t number, double* row, std::map<std::size_t, std::string>& remarks) const {
    try {
      if (lanes_) {
        lanes_->run(point(number), 1, row);
        return true;
      }
      return simulate(number, row);
    } catch (const Error& problem) {
      for (std::size_t k = 0; k < sweep_.outputs.size(); ++k) row[k] = nothing;
      row[sweep_.outputs.size()] = stop_refused;
      remarks[number] = problem.what();
      return true;
    }
  }

  bool simulate(std::size_t number, double* row) const {
    const MachineRun trace = run_machine_document(with_values(sweep_, point(number)), sweep_.scenario,
                                                  std::numeric_limits<double>::infinity(), watch_);
    if (trace.stop == Stop::cancelled) return false;
    const bool is_whole = trace.stop == Stop::finished;
    for (std::size_t k = 0; k < sweep_.outputs.size(); ++k)
      row[k] = is_whole ? measure(sweep_.outputs[k], trace, sweep_.observation) : nothing;
    row[sweep_.outputs.size()] = static_cast<double>(trace.stop);
    return true;
  }

  const Sweep& sweep_;
  const SweepLanes* lanes_;
  const std::vector<double>& points_;
  RunWatch* watch_;
};

/// Runs of a block: in lanes thousands, of which some are refilled while others end. Alone one at a time here; what is sent
/// to another program should take some ten milliseconds.
std::size_t block_size(const Sweep& sweep, bool in_lanes, std::size_t programs) {
  if (programs == 1) return in_lanes ? runs_in_lanes : 1;
  const std::size_t each = std::max<std::size_t>(1, sweep.plan.runs / (8 * programs));
  if (in_lanes) return std::min(runs_in_lanes, each);
  return std::clamp<std::size_t>(static_cast<std::size_t>(0.03 / std::max(sweep.example_seconds, 1e-5)), 1, each);
}

/// A journal may hold what no run can end with, if somebody wrote it by hand: such runs are made again.
void drop_senseless(SweepRows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double stop = rows.row(i)[rows.width - 1];
    const bool is_stop = stop >= 0 && stop <= static_cast<double>(Stop::no_progress) && stop == std::floor(stop);
    if (!is_stop) rows.is_done[i] = false, rows.remarks.erase(i);
  }
}

std::unique_ptr<SweepJournal> open_journal(const Sweep& sweep, const std::string& path, SweepRun& run) {
  if (path.empty()) return nullptr;
  auto journal = std::make_unique<SweepJournal>(path, journal_fingerprint(sweep_description(sweep, run.in_lanes)),
                                                run.rows, journal_fingerprint(number_signature()));
  drop_senseless(run.rows);
  return journal;
}

/// Makes what the journal lacks. Where several programs work together all of them come here; the first has journal and rows.
void make_runs(const Sweep& sweep, const SweepRunOptions& options, const SweepLanes* lanes, SweepRun& run) {
  Threads here(options.threads);
  Workers& workers = options.workers ? *options.workers : here;
  const std::unique_ptr<SweepJournal> journal =
      workers.is_first() ? open_journal(sweep, options.journal, run) : nullptr;
  // How long a run takes is measured, and differs from program to program: the first one's size of a block is used by all.
  const std::string first_has = workers.from_first(
      std::to_string(block_size(sweep, lanes != nullptr, workers.count())) + "\n" + packed(run.rows.is_done));
  const std::size_t line = first_has.find('\n'), size = std::stoul(first_has.substr(0, line));
  const std::vector<bool> is_done = unpacked(first_has.substr(line + 1), run.rows.size());
  std::vector<bool> is_wanted(run.rows.size());
  std::size_t done = 0, all = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const bool is_ours = has_run(options.shard, i, run.rows.size());
    is_wanted[i] = is_ours && !is_done[i];
    all += is_ours, done += is_ours && is_done[i];
  }
  run.taken = done;
  const auto blocks = blocks_of(is_wanted, size);
  const BlockRunner runner(sweep, lanes, run.points, options.watch);
  workers.share(
      blocks.size(), Audience::first, [&](std::size_t i) { return runner.run_block(blocks[i]); },
      [&](std::size_t i, std::string_view block) {
        take_sweep_block(block, run.rows);
        if (journal) journal->add(block);
        done += blocks[i].count;
        if (options.progress) options.progress({done, all, run.taken});
      });
  run.is_complete = done == all;
}

/// A sweep without any run: points, rows and how they would be made.
SweepRun begun(const Sweep& sweep, std::unique_ptr<SweepLanes>& lanes) {
  SweepRun run;
  if (sweep.lanes) lanes = lanes_for(sweep, run.why_not_lanes);
  run.in_lanes = lanes != nullptr;
  run.points = plan_points(sweep.plan);
  run.rows = SweepRows(sweep.plan.runs, sweep.outputs.size() + 1);
  return run;
}

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
  std::unique_ptr<SweepLanes> lanes;
  SweepRun run = begun(sweep, lanes);
  make_runs(sweep, options, lanes.get(), run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool is_first = !options.workers || options.workers->is_first();
  if (sweep.compares && run.is_complete && is_first) run.boundary = boundary_points(sweep, run.points, options.threads);
  return run;
}

SweepRun merged_sweep(const Sweep& sweep, const std::vector<std::string>& journals, unsigned threads) {
  std::unique_ptr<SweepLanes> lanes;
  SweepRun run = begun(sweep, lanes);
  for (const std::string& path : journals)
    take_sweep_journal(path, journal_fingerprint(sweep_description(sweep, run.in_lanes)),
                       journal_fingerprint(number_signature()), run.rows);
  drop_senseless(run.rows);
  for (const bool done : run.rows.is_done) run.taken += done;
  run.is_complete = run.taken == run.rows.size();
  if (sweep.compares && run.is_complete) run.boundary = boundary_points(sweep, run.points, threads);
  return run;
}

std::string plan_hash(const Sweep& sweep) {
  std::string why_not, text;
  const bool in_lanes = sweep.lanes && lanes_for(sweep, why_not);
  std::uint64_t hash = journal_fingerprint(sweep_description(sweep, in_lanes));
  for (int i = 0; i < 16; ++i, hash <<= 4) text += "0123456789abcdef"[hash >> 60];
  return text;
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

std::string shard_csv(const Sweep& sweep, const SweepRun& run, const Shard& shard) {
  const Table all = outputs_table(sweep, run);
  const std::string plan = plan_hash(sweep);
  Table table;
  table.columns.push_back({"run", "", {}});
  for (const Column& column : all.columns) table.columns.push_back({column.name, column.unit, {}});
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (!has_run(shard, i, run.rows.size()) || !run.rows.is_done[i]) continue;
    table.columns[0].values.push_back(static_cast<double>(i + 1));
    for (std::size_t k = 0; k < all.columns.size(); ++k)
      table.columns[k + 1].values.push_back(all.columns[k].values[i]);
    const std::string reason = failure_of(run, i);
    ends.push_back(reason.empty() ? std::string(name_of(Stop::finished)) : reason);
  }
  std::string text, last = ",plan\n";
  for (const char c : to_csv(table, "stop", {ends.begin(), ends.end()}))  // reasons have one line each
    if (c == '\n')
      text += last, last = "," + plan + "\n";
    else
      text += c;
  return text;
}

std::string sweep_csv(const Sweep& sweep, const SweepRun& run) {
  std::vector<std::string> reasons;  // of those that failed, where the views below point to
  std::vector<std::string_view> words(run.rows.size(), name_of(Stop::finished));
  reasons.reserve(failures(run));
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (stop_of(run, i) != 0) words[i] = reasons.emplace_back(failure_of(run, i));
  return to_csv(outputs_table(sweep, run), "stop", words);
}

}  // namespace stickslip::inline sweeps
