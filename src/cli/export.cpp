/// stickslip export FILE --c out.h ...: a friction model for other programs, with what each format loses.
#include "export.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "exports/c_header.hpp"
#include "exports/formats.hpp"
#include "exports/lpv.hpp"
#include "files/whole_file.hpp"
#include "jobs/result_place.hpp"
#include "number_options.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct ExportArguments {
  std::string file, report;
  QuantityOption mass{"--mass", "kg", Sign::positive}, fastest{"--fastest", "m/s", Sign::positive};
  QuantityOption slowest{"--slowest", "m/s", Sign::positive};
  RateOption rate;
  int knots = 20;
  bool json = false, plot = false;
  std::vector<std::string> outputs;
  std::vector<ExportFormat> formats;
};

/// -o FILE is the format of its extension.
void take_outputs(const ExportArguments& a) {
  for (const std::string& path : a.outputs) {
    const auto is_of = [&](const ExportFormat& format) { return path.ends_with(format.extension); };
    const auto found = std::find_if(a.formats.begin(), a.formats.end(), is_of);
    if (found == a.formats.end()) {
      std::vector<std::string> extensions;
      for (const ExportFormat& format : a.formats) extensions.push_back(format.extension);
      throw Error("-o is " + in_quotes(one_line(path, 100)) +
                  "; its extension selects the format: " + joined(extensions));
    }
    std::string& place = *found->path;
    if (!place.empty())
      throw Error(in_quotes(one_line(place, 100)) + " and " + in_quotes(one_line(path, 100)) +
                  " are the same format; give one of them");
    place = path;
  }
}

void print_export(const Export& made, const std::string& path, bool colour) {
  std::cout << coloured(path, Ink::bold, colour) << "  " << made.what << "\n";
  if (!made.measured.rows.empty()) std::cout << to_text(made.measured, {.colour = colour, .indent = "  "});
  for (const auto& loss : made.losses) std::cout << "  lost: " << loss << "\n";
  for (const auto& note : made.notes) std::cout << "  " << note << "\n";
}

Page export_page(const ExportArguments& a, const std::vector<Export>& made, const std::vector<std::string>& paths) {
  Page page{.title = "Exported from " + a.file};
  page.subtitle = "what each file contains and what was lost, measured against the model";
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

/// The options as this source's motion means them.
CHeaderOptions c_options(const ExportArguments& a, const ExportSource& source) {
  CHeaderOptions options;
  a.mass.take(options.mass, source.motion == MotionKind::rotary);
  if (a.rate.is_given()) options.step = a.rate.value();
  return options;
}
FormatOptions curve_options(const ExportArguments& a, const ExportSource& source) {
  FormatOptions options{.knots = a.knots};
  a.mass.take(options.mass, source.motion == MotionKind::rotary);
  a.fastest.take(options.fastest, source.motion == MotionKind::rotary);
  return options;
}

/// An option that nothing of what is written depends on is not passed over in silence.
void check_used(const CLI::App& command, const ExportArguments& a) {
  struct Use {
    const char* option;
    std::vector<std::string> formats;
  };
  const std::vector<std::string> tables{"--table", "--drive", "--modelica", "--simulink"};
  const std::vector<Use> uses{
      {"--rate", {"--c"}},
      {"--knots", tables},
      {"--slowest", {"--lpv"}},
      {"--fmi", {"--fmu"}},
      {"--inputs", {"--fmu"}},
      {"--fastest", {"--table", "--drive", "--modelica", "--mjcf", "--urdf", "--sdf", "--simulink", "--lpv"}}};
  for (const Use& use : uses) {
    if (command.get_option(use.option)->count() == 0) continue;
    const auto is_written = [&](const ExportFormat& format) {
      return !format.path->empty() &&
             std::find(use.formats.begin(), use.formats.end(), format.option) != use.formats.end();
    };
    if (std::none_of(a.formats.begin(), a.formats.end(), is_written))
      throw Error(std::string(use.option) + " is for " + joined(use.formats) + "; nothing of that is written");
  }
}

void export_file(const CLI::App& command, const ExportArguments& a) {
  std::optional<ExportSource> source;
  const ExportRequest request{a.file, [&]() -> const ExportSource& {
                                if (!source) source = read_export_source(a.file);
                                return *source;
                              }};
  std::vector<Export> made;
  std::vector<std::string> paths;
  mark_read(a.file);  // no result may take its place
  take_outputs(a);
  if (a.rate.is_given()) a.rate.value();  // refused even if no format needs it
  for (const ExportFormat& format : a.formats) {
    if (format.path->empty()) continue;
    check_result_place(*format.path);
    check_ending(format.option, *format.path, format.extension.substr(format.extension.rfind('.')));
    paths.push_back(*format.path);
  }
  if (!paths.empty()) check_used(command, a);
  std::vector<std::string> places = paths;
  places.push_back(a.report);
  check_distinct(places);
  for (const ExportFormat& format : a.formats)
    if (!format.path->empty()) made.push_back(format.make(request));
  if (made.empty()) throw Error("nothing to write; name at least one file, such as -o axis.h");
  check_report(a.report);
  WholeFiles files;
  for (std::size_t i = 0; i < made.size(); ++i) files.add(paths[i], made[i].content);
  if (!a.report.empty()) files.add(a.report, to_html(export_page(a, made, paths)));
  files.keep();
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
    if (a.plot)
      for (const Figure& figure : made[i].figures) draw(figure);
  }
  if (!a.report.empty()) print_written({{a.report, "report"}});
}

}  // namespace

void add_export(CLI::App& app, Outcome&) {
  auto a = std::make_shared<ExportArguments>();
  auto* command = app.add_subcommand("export", "Export a model for other programs");
  command->add_option("file", a->file, "a model file (TOML); for an FMU also a machine file")->required();
  add_quantity(*command, a->mass,
               "mass of the body, for models that depend on it and for the check by simulation: '2 kg'");
  add_rate(*command, a->rate, 1e-9, 1e3, "1 GHz to one in a while",
           "sampling rate at which the C code is checked: '1 kHz'");
  add_quantity(*command, a->fastest, "highest speed of curves and tables: '0.5 m/s'");
  add_count(*command, "--knots", a->knots, {2, 100, "as many as a drive or a lookup table uses"},
            "knots of a table, per direction (default 20)");
  repeatable(
      command->add_option("-o,--output", a->outputs,
                          "file to write; its extension selects the format, as in the options below; may be repeated"));
  const auto format = [&](const std::string& option, const std::string& help, auto make) {
    auto path = std::make_shared<std::string>();
    command->add_option(option, *path, help);
    // Not a share in the arguments, which hold this function.
    a->formats.push_back({option, help.substr(help.rfind(": FILE") + 6), path,
                          [all = a.get(), make](const ExportRequest& r) { return make(r.friction(), *all); }});
  };
  format("--c", "C99 header, float or double: FILE.h",
         [](const ExportSource& s, const ExportArguments& b) { return export_c(s, c_options(b, s)); });
  format("--table", "friction over speed as CSV: FILE.csv",
         [](const ExportSource& s, const ExportArguments& b) { return export_table(s, curve_options(b, s)); });
  format("--drive", "compensation parameters for drives, with their meaning: FILE.txt",
         [](const ExportSource& s, const ExportArguments& b) { return export_drive(s, curve_options(b, s)); });
  format("--modelica", "Modelica friction element: FILE.mo",
         [](const ExportSource& s, const ExportArguments& b) { return export_modelica(s, curve_options(b, s)); });
  format("--mjcf", "MuJoCo joint: FILE.xml",
         [](const ExportSource& s, const ExportArguments& b) { return export_mjcf(s, curve_options(b, s)); });
  format("--urdf", "URDF robot joint: FILE.urdf",
         [](const ExportSource& s, const ExportArguments& b) { return export_urdf(s, curve_options(b, s)); });
  format("--sdf", "SDF robot joint: FILE.sdf",
         [](const ExportSource& s, const ExportArguments& b) { return export_sdf(s, curve_options(b, s)); });
  auto lpv = std::make_shared<std::string>();
  command->add_option("--lpv", *lpv,
                      "clutch-by-wire as a parameter-varying system with bounds, for MATLAB and Octave: FILE_lpv.m");
  add_quantity(*command, a->slowest, "lowest speed of that system: '5 rad/s' (default: a hundredth of --fastest)");
  a->formats.push_back({"--lpv", "_lpv.m", lpv, [all = a.get(), path = lpv.get()](const ExportRequest& r) {
                          LpvOptions options;
                          all->slowest.take(options.slowest, true);
                          all->fastest.take(options.fastest, true);
                          const std::string stem = path->ends_with(".m") ? path->substr(0, path->size() - 2) : *path;
                          return export_lpv(r.file, program_name(stem), options);
                        }});
  format("--simulink", "MATLAB function with lookup table and S-function: FILE.m",
         [](const ExportSource& s, const ExportArguments& b) { return export_simulink(s, curve_options(b, s)); });
  a->formats.push_back(add_fmu_export(*command));
  command->add_option("--report", a->report, "write an HTML report of the losses: FILE.html");
  command->add_flag("--plot", a->plot, "draw source and export on the terminal");
  command->add_flag("--json", a->json, "print the results as JSON");
  command->footer(
      "Example\n  stickslip export axis.model.toml -o axis.h --report axis.html\n"
      "  stickslip export axis.model.toml --table axis.csv --knots 12 --fastest '0.2 m/s'\n\n"
      "Every export is run and compared with its source; the losses are printed.");
  command->callback([a, command] { export_file(*command, *a); });
}

}  // namespace stickslip::inline cli
