/// stickslip export FILE --c out.h ...: a friction model for other programs, with what each format loses.
#include "export.hpp"

#include <iostream>
#include <optional>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct Arguments {
  std::string file, report;
  bool json = false;
  std::vector<ExportFormat> formats;
};

void print_export(const Export& made, const std::string& path, bool colour) {
  std::cout << coloured(path, Ink::bold, colour) << "  " << made.what << "\n";
  if (!made.measured.rows.empty()) std::cout << to_text(made.measured, {.colour = colour, .indent = "  "});
  for (const auto& loss : made.losses) std::cout << "  lost: " << loss << "\n";
  for (const auto& note : made.notes) std::cout << "  " << note << "\n";
}

Page export_page(const Arguments& a, const std::vector<Export>& made, const std::vector<std::string>& paths) {
  Page page{.title = "Exported from " + a.file};
  page.subtitle = "what each file carries and what it lost, measured against the source";
  for (std::size_t i = 0; i < made.size(); ++i) {
    page.blocks.push_back(PageHeading{paths[i]});
    page.blocks.push_back(Paragraph{made[i].what + "."});
    if (!made[i].losses.empty()) page.blocks.push_back(Warnings{made[i].losses});
    if (!made[i].measured.rows.empty()) page.blocks.push_back(page_table(made[i].measured));
    for (const Figure& figure : made[i].figures) page.blocks.push_back(FigureBlock{figure, made[i].format});
    if (!made[i].notes.empty()) page.blocks.push_back(Remarks{made[i].notes});
  }
  add_how_to_repeat(page, {command_line()});
  return page;
}

void export_file(const Arguments& a) {
  std::optional<ExportSource> source;
  const ExportRequest request{a.file, [&]() -> const ExportSource& {
                                if (!source) source = read_export_source(a.file);
                                return *source;
                              }};
  std::vector<Export> made;
  std::vector<std::string> paths;
  for (const ExportFormat& format : a.formats) {
    if (format.path->empty()) continue;
    check_report_place(*format.path);
    paths.push_back(*format.path);
    made.push_back(format.make(request));
  }
  if (made.empty()) throw Error("nothing to write; name at least one format, such as --c axis.h");
  if (!a.report.empty()) check_report_place(a.report);
  for (std::size_t i = 0; i < made.size(); ++i) write_whole(paths[i], made[i].content);
  if (!a.report.empty()) write_whole(a.report, to_html(export_page(a, made, paths)));
  if (a.json) {
    Json all = Json::object({{"source", a.file}, {"exports", Json::array()}});
    for (std::size_t i = 0; i < made.size(); ++i) {
      Json one = Json::object({{"file", paths[i]}, {"format", made[i].format}, {"what", made[i].what}});
      one["lost"] = made[i].losses;
      one["notes"] = made[i].notes;
      one["details"] = made[i].details;
      all["exports"].push_back(std::move(one));
    }
    std::cout << all.text() << "\n";
    return;
  }
  const bool colour = wants_colour();
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (i > 0) std::cout << "\n";
    print_export(made[i], paths[i], colour);
  }
  if (!a.report.empty()) print_written({{a.report, "report"}});
}

}  // namespace

void add_export(CLI::App& app, Outcome&) {
  auto a = std::make_shared<Arguments>();
  auto* command = app.add_subcommand("export", "Write a model for other programs, and say what each format loses");
  command->add_option("file", a->file, "a model file (TOML)")->required();
  a->formats = {
      // --fmu: add_fmu_export(*command),
  };
  command->add_option("--report", a->report, "write an HTML report of what was lost: FILE.html");
  command->add_flag("--json", a->json, "machine-readable, on standard output");
  command->callback([a] { export_file(*a); });
}

}  // namespace stickslip
