/// A machine behind sliders: declared once, then run again for every change of its numbers, as fast as the page asks. What comes back
/// is the figure that `stickslip simulate` would put into its report, or that of `stickslip check` for its friction.
///   page_live_open(toml)             what it is made of: title, numbers by path
///   page_live_run("path\tvalue\n")   these numbers set (SI), run to its end: figure, events, ending
///   page_live_law("path\tvalue\n")   these numbers set (SI), its friction along prescribed motions: figure
///   page_live_svg()                  the last figure as a drawing
/// All but the last return JSON; "error" in it is the one line of the command line. The figure's columns are numbers in memory:
/// page_live_columns() of them, page_live_column(i) with page_live_column_size(i) values. All is valid until the next call.
#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>

#include "check/reference_sets.hpp"
#include "check/similar.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "jobs/check/page.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/machine.hpp"
#include "platform/number.hpp"
#include "report/page_figure.hpp"
#include "report/svg.hpp"

namespace stickslip::inline page {
namespace {

/// A run behind a slider that would take longer than some seconds is ended and shown as far as it came.
constexpr std::size_t most_live_steps = 2'000'000;

struct Live {
  std::unique_ptr<Machine> machine;
  std::unique_ptr<Friction> friction;  // of the machine, for page_live_law
  Similarity scale;                    // of its prescribed motions: the same for all positions of the sliders
  Figure figure;
  ColumnPool columns;  // of the figure
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

bool is_rotary(const Machine& machine) {
  const TomlValue* const body = machine.document().find("machine");
  const TomlValue* const motion = body ? body->find("motion") : nullptr;
  return motion && motion->text == "rotary";
}

/// The friction of the machine with its present numbers; a machine of several has none that is its own.
std::unique_ptr<Friction> friction_of(const Machine& machine) {
  const TomlValue* const table = machine.document().find("friction");
  if (!table) throw Error("this machine has no friction model of its own to be drawn");
  return read_friction(Section(*table, "friction", machine.file()),
                       is_rotary(machine) ? MotionKind::rotary : MotionKind::linear)
      .friction;
}

/// Whether one may be the other, written with six digits (machines/friction/friction_snippet.hpp).
bool is_same(const ParameterValue& a, const ParameterValue& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-5 * std::abs(y); };
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<double>(&a)) return near(*x, std::get<double>(b));
  if (const auto* x = std::get_if<std::vector<double>>(&a)) {
    const auto& y = std::get<std::vector<double>>(b);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), near);
  }
  return a == b;
}

/// As the model's page in the documentation draws it; another parameter set is drawn in its own units.
Similarity scale_of(const Friction& friction) {
  const ParameterValues& values = friction.settings().values;
  for (const auto& reference : reference_values(friction.description()))
    if (std::none_of(values.begin(), values.end(),
                     [&](const auto& v) { return v.first == reference.first && is_same(v.second, reference.second); }))
      return similarity_of(friction);
  return {};
}

std::string opened(const char* toml) {
  live().friction.reset();
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

Machine& machine_with(std::string_view numbers) {
  if (!live().machine) throw Error("no machine was opened");
  live().machine->set(numbers_in(numbers));
  return *live().machine;
}

/// `facts` and the figure as one JSON text.
std::string shown(Figure figure, const Json& facts) {
  Live& l = live();
  l.columns = {};
  l.figure = std::move(figure);
  std::string text = facts.text(-1);
  text.pop_back();  // the figure is JSON already
  return text + ",\"figure\":" + figure_json(l.figure, "simulation", l.columns) + "}";
}

std::string run_of(std::string_view numbers) {
  Machine& machine = machine_with(numbers);
  const MachineRun run = machine.run({.most_steps = most_live_steps});
  std::vector<std::string> warnings = machine.built().warnings;
  warnings.insert(warnings.end(), run.warnings.begin(), run.warnings.end());
  return shown(run.view().figure, Json::object({{"stop", std::string(name_of(run.stop))},
                                                {"message", run.message},
                                                {"ending", run.ending},
                                                {"steps", run.work.steps},
                                                {"warnings", warnings}}));
}

std::string law_of(std::string_view numbers) {
  const bool is_first = !live().friction;
  if (is_first) live().scale = live().machine ? scale_of(*friction_of(*live().machine)) : Similarity{};
  const Machine& machine = machine_with(numbers);
  live().friction = friction_of(machine);
  return shown(model_figure(*live().friction, live().scale, is_rotary(machine)), Json::object({{"stop", "finished"}}));
}

}  // namespace
}  // namespace stickslip::inline page

#define STICKSLIP_FOR_PAGE(name) extern "C" __attribute__((export_name(#name)))

STICKSLIP_FOR_PAGE(page_live_open) const char* page_live_open(const char* toml) {
  return stickslip::answered([&] { return stickslip::opened(toml); });
}
STICKSLIP_FOR_PAGE(page_live_run) const char* page_live_run(const char* numbers) {
  return stickslip::answered([&] { return stickslip::run_of(numbers); });
}
STICKSLIP_FOR_PAGE(page_live_law) const char* page_live_law(const char* numbers) {
  return stickslip::answered([&] { return stickslip::law_of(numbers); });
}
STICKSLIP_FOR_PAGE(page_live_svg) const char* page_live_svg() {
  return stickslip::answered([&] { return stickslip::to_svg(stickslip::live().figure); });
}
STICKSLIP_FOR_PAGE(page_live_length) std::size_t page_live_length() { return stickslip::live().answer.size(); }
STICKSLIP_FOR_PAGE(page_live_columns) std::size_t page_live_columns() { return stickslip::live().columns.size(); }
STICKSLIP_FOR_PAGE(page_live_column) const double* page_live_column(std::size_t i) {
  return stickslip::live().columns[i].data();
}
STICKSLIP_FOR_PAGE(page_live_column_size) std::size_t page_live_column_size(std::size_t i) {
  return stickslip::live().columns[i].size();
}
