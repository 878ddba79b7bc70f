/// stickslip merge SWEEP: the shards of a sweep put together, with the files that one run of all would have written.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "number_options.hpp"
#include "platform/folder.hpp"
#include "platform/path.hpp"
#include "sweep_results.hpp"

namespace stickslip::inline cli {
namespace {

struct MergeArguments {
  std::string sweep;
  std::vector<std::string> journals;
  SweepResultArguments results;
  std::size_t shards = 0;
  bool no_lanes = false, clean = false;
};

/// The journals beside the results; only those of `a.shards` shards if that is given.
std::vector<std::string> journals_beside(const std::string& prefix, const MergeArguments& a) {
  std::vector<std::string> found;
  for (const std::string& name : files_in(folder_of(prefix))) {
    const std::string path = parent_of(prefix).empty() ? name : joined_path(parent_of(prefix), name);
    const Shard shard = shard_of_name(path);
    if (shard.number == 0 || path != shard_prefix(prefix, shard) + ".journal") continue;
    if (a.shards > 0 && shard.count != a.shards) continue;
    if (facts_of(path).kind == FileKind::device)  // a pipe would wait for a writer
      throw Error(one_line(path, 100) +
                  ": is a device or a pipe, not the journal of a shard; remove it, or name the journals");
    found.push_back(path);
  }
  if (found.empty())
    throw Error("there is no " + in_quotes(prefix + ".shard-1-of-N.journal") +
                (a.shards > 0 ? " of " + std::to_string(a.shards) + " shards" : "") +
                "; run the shards with stickslip sweep --shard and the same --output, or name their journals");
  std::sort(found.begin(), found.end());
  return found;
}

/// A journal may be named twice: it is only read.
std::vector<std::string> named_once(const std::vector<std::string>& journals) {
  std::vector<std::string> once;
  std::vector<FilePlace> places;
  for (const std::string& path : journals) {
    const FilePlace place = final_place(path);
    if (std::find(places.begin(), places.end(), place) != places.end()) continue;
    places.push_back(place);
    once.push_back(path);
  }
  return once;
}

/// What is missing, and how to make it: runs, and shards as an array expression. Of several numbers of shards the one that repeats the
/// least part of the sweep.
Outcome say_missing(const std::vector<std::string>& journals, const SweepRun& run) {
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (!run.rows.is_done[i]) runs.push_back(i + 1);
  std::cerr << runs.size() << " of " << run.rows.size()
            << " runs are missing: " << one_line(array_expression(runs), 400) << "\n";
  std::set<std::size_t> counts;
  for (const std::string& path : journals) counts.insert(shard_of_name(path).count);
  counts.erase(0);
  std::vector<std::size_t> again;
  std::size_t of = 0;
  for (const std::size_t count : counts) {
    std::set<std::size_t> shards;
    for (const std::size_t i : runs) shards.insert(shard_with(i - 1, run.rows.size(), count));
    if (of > 0 && double(shards.size()) * double(of) >= double(again.size()) * double(count)) continue;
    again.assign(shards.begin(), shards.end());
    of = count;
  }
  if (of == 0) return Outcome::failed;
  std::cerr << "run again with --shard auto/" << of << ":\n";
  std::cout << array_expression(again) << "\n";
  return Outcome::failed;
}

Outcome merge_all(const MergeArguments& a) {
  Sweep sweep = read_sweep(a.sweep);
  if (a.no_lanes) sweep.lanes = false;
  const std::string prefix = output_prefix(a.results.output, a.sweep);
  const std::vector<std::string> journals = a.journals.empty() ? journals_beside(prefix, a) : a.journals;
  check_sweep_places(a.results, prefix, named_once(journals));
  for (const auto& warning : sweep.warnings) warn(warning);
  SweepRun run = merged_sweep(sweep, journals, 0);
  if (!run.is_complete) return say_missing(journals, run);
  return write_sweep_results(a.results, prefix, sweep, run, [&] {
    if (!a.clean) return;
    for (const std::string& path : journals)
      if (const std::string problem = remove_file(path); !problem.empty())
        warn("the results are written, but the journal " + in_quotes(path) + " stays: " + problem);
  });
}

}  // namespace

void add_merge(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<MergeArguments>();
  auto* command = app.add_subcommand("merge", "Merge the shards of a sweep");
  command->add_option("sweep", a->sweep, "TOML file of the sweep, unchanged since the shards were run")->required();
  command->add_option("journals", a->journals, "journals of the shards (default: all beside the results)");
  add_sweep_results(*command, a->results);
  add_count(*command, "--shards", a->shards, {1, double(most_shards), "the number of parts of the sweep"},
            "use only journals of a sweep split into this many shards");
  command->add_flag("--no-lanes", a->no_lanes, "the shards were run with --no-lanes");
  command->add_flag("--clean", a->clean, "remove the journals of the shards once the results are written");
  command->add_flag("--json", a->results.json, "print a summary as JSON");
  command->footer(
      "Example\n  stickslip sweep map.toml -o results/ --shard 1/2\n  stickslip sweep map.toml -o results/ --shard "
      "2/2\n"
      "  stickslip merge map.toml -o results/\n\n"
      "If runs are missing, nothing is written and the exit code is 1: standard output lists the array jobs to repeat\n"
      "(3,5-7), standard error the missing runs.");
  command->callback([a, &outcome] { outcome = merge_all(*a); });
}

}  // namespace stickslip::inline cli
