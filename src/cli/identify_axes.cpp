/// stickslip identify FILE --axis '*': several axes of one file.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identify.hpp"
#include "interrupt.hpp"
#include "jobs/identify/axes.hpp"
#include "jobs/identify/texts.hpp"
#include "platform/path.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

IdentifyArguments arguments_for(const IdentifyArguments& a, const std::vector<std::string>& axes, std::size_t k) {
  IdentifyArguments one = a;
  ReadOptions& reading = one.recordings.reading.options;
  reading = reading_of_axis(reading, axes, k);
  std::string& mass = one.recordings.preparation.mass.text;
  mass = part_of_axis(mass, k, axes.size(), "--mass");
  const std::string model = a.output.empty() ? stem_of(a.recordings.files.front()) + ".model.toml" : a.output;
  one.output = path_of_axis(model, axes[k]);
  one.csv = path_of_axis(a.csv, axes[k]), one.mat = path_of_axis(a.mat, axes[k]);
  one.report = path_of_axis(a.report, axes[k]);
  return one;
}

/// The numbers of a law that most laws have, for a table over axes.
std::vector<std::string> axis_row(const std::string& axis, const Identified& i) {
  const Identification& found = i.run.found;
  const IdentifiedModel& best = found.models[found.recommended];
  const bool is_explained = found.explanation.verdict != Explained::not_at_all;
  const JudgedSet judged = judged_set(best);
  std::vector<std::string> row{axis, is_explained ? best.label : "none explains it",
                               significant(judged.quality.noe, 3) + " %", judged.name + " samples"};
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"coulomb_force"}, {"viscosity"}, {"offset"}, {"mass", "inertia"}}) {
    std::string text;
    for (const ParameterRow& p : parameter_rows(best, i.job.motion))
      if (is_explained && std::find(keys.begin(), keys.end(), p.key) != keys.end()) {
        text = with_unit(p.value, p.unit, 3);
        if (p.estimate && p.estimate->verdict != Determination::at_bound && std::isfinite(p.estimate->high))
          text += " ± " + with_unit(0.5 * (p.estimate->high - p.estimate->low), p.unit, 2);
      }
    row.push_back(text);
  }
  return row;
}

/// What came of the axes, in their order.
struct AxesFound {
  TextTable table{
      .columns = {"axis", "recommended", "unexplained", "judged on", "coulomb_force", "viscosity", "offset", "inertia"},
      .rows = {}};
  Json list = Json::array();
  std::vector<WrittenFile> written;
  std::string said;                         // why laws are doubted
  std::vector<std::string> done, not_done;  // axes
  std::vector<std::string> problems;
  Outcome outcome = Outcome::done;
};

/// False: interrupted, and nothing of this axis is kept.
bool take_axis(AxesFound& all, const IdentifyArguments& one, const std::string& axis) {
  Identified i = identified(one);
  i.files.keeps_unexplained = false;
  const Identification& found = i.run.found;
  for (const std::string& warning : found.warnings) warn("axis " + axis + ": " + warning);
  if (found.models.empty() || !i.run.is_complete) return false;
  for (const WrittenFile& file : write_identified(i.job, i.run, i.files, {command_line(), i.sources}))
    all.written.push_back(file);
  all.done.push_back(axis);
  if (outcome_of(i) != Outcome::done) all.outcome = Outcome::failed;
  Json item = identification_json(i.job, found);
  item["axis"] = axis;
  all.list.push_back(item);
  all.table.rows.push_back(axis_row(axis, i));
  if (i.job.motion == MotionKind::linear) all.table.columns.back() = "mass";
  std::string line = found.explanation.headline;
  for (const std::string& reason : found.explanation.reasons) line += (line.empty() ? "" : "; ") + reason;
  if (!line.empty()) all.said += wrapped("axis " + axis + ": " + line, text_width(), "  ");
  return true;
}

/// The axis has a row that says that it has no result.
void take_failed(AxesFound& all, const std::string& axis, const std::string& problem) {
  all.not_done.push_back(axis);
  all.problems.push_back("axis " + axis + " has no result: " + problem);
  all.list.push_back(Json::object({{"axis", axis}, {"problem", problem}}));
  std::vector<std::string> row(all.table.columns.size());
  row[0] = axis, row[1] = "no result";
  all.table.rows.push_back(row);
}

void print_axes(const AxesFound& all, bool json) {
  if (json) {
    std::cout << all.list.text() << "\n";
    return;
  }
  std::cout << to_text(all.table, {.colour = wants_colour()});
  if (!all.said.empty()) std::cout << "\n" << all.said;
  print_written(all.written);
}

std::string axes_in_words(const std::vector<std::string>& axes) {
  return (axes.size() == 1 ? "axis " : "axes ") + joined(axes);
}

Outcome say_which(const AxesFound& all, const std::string& why, bool no_files) {
  for (const std::string& problem : all.problems) warn(problem);
  std::cout.flush();
  const std::string kept = no_files ? "shown" : "written";
  std::cerr << why
            << (all.done.empty() ? "there is no result; the same command starts anew"
                                 : "results of " + axes_in_words(all.done) + " are " + kept + ", none of " +
                                       axes_in_words(all.not_done))
            << "\n";
  return Outcome::failed;
}

void check_axes(const IdentifyArguments& a) {
  if (a.recordings.files.size() > 1) throw Error("--axis takes one recording; several were given");
  if (!a.search.own.empty()) throw Error("--private is for several recordings; --axis takes one");
  if (a.together) throw Error("--together is for several recordings; --axis takes one");
  if (a.resume || a.table || a.plot || a.orders || a.all)
    throw Error("--resume, --table, --plot, --orders and --all are for one axis; leave out --axis");
  check_no_job(a);
  if (const std::string option = a.search.of_one_machine(); !option.empty() && workers())
    throw Error(option + " runs on one machine");
}

}  // namespace

Outcome identify_axes(const IdentifyArguments& a) {
  check_axes(a);
  const std::vector<std::string> axes =
      axes_in(a.recordings.files.front(), reading_options(a.recordings.reading), a.axis);
  std::vector<IdentifyArguments> each;  // refused before the first is fitted
  for (std::size_t k = 0; k < axes.size(); ++k) each.push_back(arguments_for(a, axes, k));
  AxesFound all;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    bool is_whole = true;
    try {
      is_whole = take_axis(all, each[k], axes[k]);
    } catch (const Error& problem) {
      is_whole = !Interrupt::came();
      if (is_whole) take_failed(all, axes[k], problem.what());
    }
    if (is_whole) continue;
    if (!a.no_files) remove_file(state_path(each[k].output));  // --axis does not take it up again
    all.not_done.insert(all.not_done.end(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes.end());
    if (!all.done.empty()) print_axes(all, a.json);
    return say_which(all, "interrupted at axis " + axes[k] + ": ", a.no_files);
  }
  if (all.done.empty()) throw Error(all.problems.front());  // nothing to show: most likely an option
  print_axes(all, a.json);
  return all.not_done.empty() ? all.outcome : say_which(all, "", a.no_files);
}

}  // namespace stickslip::inline cli
