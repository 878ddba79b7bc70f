/// A machine behind sliders: declared once, then run anew for every change of its numbers, as fast as the page asks. What comes back
/// is the figure that `stickslip simulate` would put into its report.
///   page_live_open(toml)            what it is made of: title, numbers by path
///   page_live_run("path\tvalue\n")  these numbers set (SI), run to its end: figure, events, ending
/// Both return JSON; "error" in it is the one line of the command line. The text is valid until the next call.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "machines/machine.hpp"
#include "platform/number.hpp"
#include "report/page_figure.hpp"

namespace stickslip {
namespace {

/// A run behind a slider that would take longer than some seconds is ended and shown as far as it came.
constexpr std::size_t most_live_steps = 2'000'000;

struct Live {
  std::unique_ptr<Machine> machine;
  std::string answer;
};
Live& live() {
  static Live held;
  return held;
}

template <class Work>
const char* answered(const Work& work) {
  std::string& answer = live().answer;
  try {
    answer = work();
  } catch (const std::exception& problem) {
    answer = Json::object({{"error", problem.what()}}).text(-1);
  }
  return answer.c_str();
}

/// "path\tvalue\n" for each number.
std::vector<std::pair<std::string, double>> numbers_in(std::string_view lines) {
  std::vector<std::pair<std::string, double>> numbers;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size()), tab = lines.find('\t');
    if (tab >= end) throw Error("a number needs a path and a value");
    double value = 0;
    const auto [after, problem] = read_number(lines.data() + tab + 1, lines.data() + end, value);
    if (problem != std::errc() || after != lines.data() + end)
      throw Error(std::string(lines.substr(0, tab)) + " is " + in_quotes(lines.substr(tab + 1, end - tab - 1)) +
                  "; a number is needed");
    numbers.emplace_back(lines.substr(0, tab), value);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return numbers;
}

std::string opened(const char* toml) {
  live().machine = std::make_unique<Machine>(parse_machine_text(toml, "machine"));
  const Machine& machine = *live().machine;
  Json numbers = Json::array();
  for (const MachineNumber& n : machine.numbers())
    numbers.push_back(Json::object({{"path", n.path}, {"value", n.value}, {"unit", n.unit}}));
  return Json::object({{"title", machine.title()},
                       {"subject", machine.built().subject},
                       {"kind", std::string(machine.kind().name)},
                       {"warnings", machine.built().warnings},
                       {"numbers", std::move(numbers)}})
      .text(-1);
}

std::string run_of(std::string_view numbers) {
  if (!live().machine) throw Error("no machine was opened");
  Machine& machine = *live().machine;
  machine.set(numbers_in(numbers));
  const MachineRun run = machine.run({.most_steps = most_live_steps});
  const RunView view = run.view();
  std::vector<std::string> warnings = machine.built().warnings;
  warnings.insert(warnings.end(), run.warnings.begin(), run.warnings.end());
  ColumnPool pool;
  const std::string figure = figure_json(view.figure, "simulation", pool);
  const Json out = Json::object({{"stop", std::string(name_of(run.stop))},
                                 {"message", run.message},
                                 {"ending", run.ending},
                                 {"steps", run.work.steps},
                                 {"warnings", warnings}});
  std::string text = out.text(-1);
  text.pop_back();  // figure and columns are JSON already
  return text + ",\"figure\":" + figure + ",\"columns\":" + json_text(pool.html()) + "}";
}

}  // namespace
}  // namespace stickslip

#define STICKSLIP_FOR_PAGE(name) extern "C" __attribute__((export_name(#name)))

STICKSLIP_FOR_PAGE(page_live_open) const char* page_live_open(const char* toml) {
  return stickslip::answered([&] { return stickslip::opened(toml); });
}
STICKSLIP_FOR_PAGE(page_live_run) const char* page_live_run(const char* numbers) {
  return stickslip::answered([&] { return stickslip::run_of(numbers); });
}
STICKSLIP_FOR_PAGE(page_live_length) std::size_t page_live_length() { return stickslip::live().answer.size(); }
