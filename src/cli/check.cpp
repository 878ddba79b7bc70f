/// stickslip check MODEL|all|FILE [--json] [--markdown]: the conformance scorecard, measured now.
#include <iostream>
#include <memory>

#include "check/reference_sets.hpp"
#include "check/scorecard.hpp"
#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "jobs/check/page.hpp"
#include "jobs/result_place.hpp"
#include "machines/friction/model_file.hpp"
#include "report/svg.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct CheckArguments {
  std::string model, report, output;
  bool json = false, markdown = false, plot = false;
};

/// The table, split between columns into as many tables as the terminal's width requires; each keeps the model's name.
void print_to_width(const TextTable& table, bool colour) {
  const auto width_of = [](const std::string& text) {  // of its longest line: cells may be longer than their heading
    std::size_t widest = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      widest = std::max(widest, display_width(text.substr(at, end - at)));
      at = end + 1;
    }
    return widest;
  };
  const auto columns = [&](std::size_t from, std::size_t to) {
    TextTable part;
    const auto take = [&](const std::vector<std::string>& row) {
      std::vector<std::string> cut{row.front()};
      cut.insert(cut.end(), row.begin() + static_cast<std::ptrdiff_t>(from),
                 row.begin() + static_cast<std::ptrdiff_t>(to));
      return cut;
    };
    part.columns = take(table.columns);
    for (const auto& row : table.rows) part.rows.push_back(take(row));
    return part;
  };
  const std::size_t all = table.columns.size();
  const std::size_t room = is_terminal_output() ? terminal_width() : std::size_t(-1);
  for (std::size_t from = 1; from < all;) {
    std::size_t to = from + 1;
    while (to < all && width_of(to_text(columns(from, to + 1), {.width = 100000})) <= room) ++to;
    std::cout << (from > 1 ? "\n" : "") << to_text(columns(from, to), {.colour = colour, .width = 100000});
    from = to;
  }
}

void warn_of_unmeasured(const ModelScore& model, Outcome& outcome) {
  for (const PropertyScore& s : model.properties)
    if (s.verdict == Verdict::not_applicable) {
      warn(model.model + ", " + s.title + ": " + s.text);
      outcome = Outcome::failed;
    }
}

bool names_a_file(const std::string& what) { return what.ends_with(".toml") || what.find('/') != std::string::npos; }

void write_figure(const CheckArguments& a, const Figure& figure, std::vector<WrittenFile>& written) {
  if (a.output.empty()) return;
  write_whole(a.output, to_svg(figure));
  written.push_back({a.output, "figure"});
}

/// The parameter set of a model file.
void check_set(const CheckArguments& a, Outcome& outcome) {
  if (a.markdown) throw Error("--markdown is for `all`; a model file is shown as a table or as --json");
  const ModelFile file = read_model_file(a.model);
  const auto friction = make_friction(file.model, file.settings);
  const bool is_rotary = file.motion == MotionKind::rotary;
  SetScore found;
  {
    Progress progress("check");
    found = measure_set(*friction, progress, is_rotary);
  }
  warn_of_unmeasured(found.score, outcome);
  const std::string title = file.model + " of " + one_line(a.model);
  std::vector<WrittenFile> written;
  if (!a.report.empty()) {
    write_whole(a.report,
                to_html(set_page(found, *friction, title, is_rotary, {command_line(), {fingerprinted(a.model)}})));
    written.push_back({a.report, "report, opens in a browser"});
  }
  const Figure figure = model_figure(*friction, found.scale, is_rotary);
  write_figure(a, figure, written);
  if (a.json) {
    found.score.model = title;
    std::cout << to_json(Scorecard{{found.score}}).text() << "\n";
    return;
  }
  const bool colour = wants_colour();
  std::cout << coloured(title, Ink::bold, colour) << "\n" << to_text(table_of(found.score), {.colour = colour});
  if (a.plot) draw(figure);
  print_written(written);
}

void check(const CheckArguments& a, Outcome& outcome) {
  if (names_a_file(a.model)) return check_set(a, outcome);
  const bool all = a.model == "all";
  Scorecard card;
  {
    Progress progress("check");
    card = measure(all ? std::vector<std::string>{} : std::vector<std::string>{a.model}, progress);
  }
  for (const ModelScore& model : card.models) warn_of_unmeasured(model, outcome);
  const bool colour = wants_colour();
  if (a.json) {
    std::cout << to_json(card).text() << "\n";
  } else if (a.markdown) {
    std::cout << to_markdown(card);
  } else if (all) {
    print_to_width(table_of(card), colour);
    std::cout << "\nWhat was measured: `stickslip check MODEL`. What it means: docs/scorecard.md.\n";
  } else {
    const ModelScore& score = card.models.front();
    std::cout << coloured(score.model, Ink::bold, colour) << "\n" << to_text(table_of(score), {.colour = colour});
  }
  std::vector<WrittenFile> written;
  if (!a.report.empty()) {
    write_whole(a.report, to_html(scorecard_page(card, {command_line()})));
    written.push_back({a.report, "report, opens in a browser"});
  }
  if (!all && (a.plot || !a.output.empty())) {
    const ModelDescription& model = find_model(a.model).description();
    const Figure figure = model_figure(*make_friction(model.name, reference_values(model)));
    write_figure(a, figure, written);
    if (a.plot && !a.json && !a.markdown) draw(figure);
  }
  if (!a.json && !a.markdown) print_written(written);
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<CheckArguments>();
  auto* command = app.add_subcommand("check", "Measure the friction properties of a model");
  command
      ->add_option("model", a->model,
                   "name of a model, `all`, or a model file, which is checked with its own parameters")
      ->required();
  auto* json = command->add_flag("--json", a->json, "print the results as JSON");
  command->add_flag("--markdown", a->markdown, "print the table as Markdown")->excludes(json);
  command->add_option("--report", a->report, "write an HTML report with a figure of each model: FILE.html");
  command->add_option("-o,--output", a->output, "write the figure of one model: FILE.svg");
  command->add_flag("--plot", a->plot, "draw that figure on the terminal");
  command->footer("Example\n  stickslip check lugre\n  stickslip check all\n  stickslip check axis.model.toml");
  command->callback([a, &outcome] {
    check_report(a->report);
    if (!a->output.empty()) check_result_place(a->output);
    check_distinct({a->report, a->output});
    if (a->model == "all" && (a->plot || !a->output.empty()))
      throw Error("-o and --plot show one model; --report shows all");
    if (!a->output.empty() && !a->output.ends_with(".svg"))
      throw Error("-o is " + in_quotes(one_line(a->output, 100)) +
                  "; the figure is an SVG, name a file that ends in .svg");
    check(*a, outcome);
  });
}

}  // namespace stickslip::inline cli
