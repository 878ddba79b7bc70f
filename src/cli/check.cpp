/// stickslip check MODEL|all [--json] [--markdown]: the conformance scorecard, measured now.
#include <iostream>
#include <memory>

#include "check/scorecard.hpp"
#include "check_page.hpp"
#include "command.hpp"
#include "files/whole_file.hpp"
#include "page_parts.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct Arguments {
  std::string model, report;
  bool json = false, markdown = false;
};

/// The table, cut between columns into as many tables as the terminal's width asks for; each keeps the model's name.
void print_to_width(const TextTable& table, bool colour) {
  const auto width_of = [](const std::string& text) { return display_width(text.substr(0, text.find('\n'))); };
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
    while (to < all && width_of(to_text(columns(from, to + 1))) <= room) ++to;
    std::cout << (from > 1 ? "\n" : "") << to_text(columns(from, to), {.colour = colour});
    from = to;
  }
}

void check(const Arguments& a, Outcome& outcome) {
  const bool all = a.model == "all";
  Scorecard card;
  {
    Progress progress("check");
    card = measure(all ? std::vector<std::string>{} : std::vector<std::string>{a.model}, progress);
  }
  for (const ModelScore& model : card.models)
    for (const PropertyScore& s : model.properties)
      if (s.verdict == Verdict::not_applicable) {
        warn(model.model + ", " + s.title + ": " + s.text);
        outcome = Outcome::failed;
      }
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
  if (!a.report.empty()) {
    write_whole(a.report, to_html(scorecard_page(card)));
    if (!a.json && !a.markdown) std::cout << "\nwrote " << a.report << " (report)\n";
  }
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("check", "Measure which properties of real friction a model has");
  command->add_option("model", a->model, "a model's name, or `all`")->required();
  auto* json = command->add_flag("--json", a->json, "machine-readable, on standard output");
  command->add_flag("--markdown", a->markdown, "the table as the README shows it")->excludes(json);
  command->footer("Example\n  stickslip check lugre\n  stickslip check all");
  command->add_option("--report", a->report, "write an HTML report with the models drawn: FILE.html");
  command->callback([a, &outcome] {
    if (!a->report.empty()) check_report_place(a->report);
    check(*a, outcome);
  });
}

}  // namespace stickslip
