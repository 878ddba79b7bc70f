/// stickslip inspect FILE: what a recording holds, how well it was sampled, and what looks wrong with it.
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "jobs/inspect/finding.hpp"
#include "jobs/inspect/texts.hpp"
#include "reading_options.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct InspectArguments {
  std::string file;
  std::vector<std::string> need;  // roles; none: whatever the file holds is shown
  ReadingArguments reading;
  ResultArguments result;
};

ReadOptions options_of(const InspectArguments& a) {
  ReadOptions options = reading_options(a.reading);
  options.needed.clear();
  std::vector<std::string> names;
  for (const Role role : all_roles) names.emplace_back(role_name(role));
  for (const std::string& name : a.need) {
    if (name == "nothing") continue;  // the default, under its former name
    bool known = false;
    for (const Role role : all_roles)
      if (role_name(role) == name) options.needed.push_back(role), known = true;
    if (!known) throw Error("--need: " + no_such("role", name, names));
  }
  return options;
}

void inspect(const InspectArguments& a) {
  check_result_places(a.result);
  const Recording recording = read_recording(a.file, options_of(a));
  mark_read(a.file);  // no result may replace it
  deliver(recording_finding(recording), a.result, recording_text(recording, wants_colour()));
  warn_of(recording);
}

}  // namespace

void add_inspect(CLI::App& app, Outcome&) {
  auto a = std::make_shared<InspectArguments>();
  auto* command = app.add_subcommand("inspect", "Show contents and problems of a recording");
  command->add_option("file", a->file, "CSV or other text table, .xlsx, MATLAB .mat, NumPy .npz")->required();
  repeatable(command->add_option("--need", a->need,
                                 "roles the file must contain, else exit code 2: time,force (default: none)"))
      ->delimiter(',');
  add_result_options(*command, a->result, "the signals in SI units", ResultModel::none);
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip inspect axis.csv --plot\n  stickslip inspect axis.csv --report axis.html\n"
      "  stickslip inspect DATA_EMPS.mat --time t --position qm --force vir --force-gain '35.15065 N/V'\n\n"
      "A file without force, time or motion is listed as well, with the columns that the other commands need; exit "
      "code 0.\n"
      "Exit code 2 if the file cannot be read or lacks a role named by --need.");
  command->callback([a] { inspect(*a); });
}

}  // namespace stickslip::inline cli
