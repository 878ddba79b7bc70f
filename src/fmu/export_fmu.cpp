/// The FMU as a file; see export_fmu.hpp.
#include "fmu/export_fmu.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "files/zip.hpp"
#include "fmu/fmu_rerun.hpp"
#include "fmu/model_description.hpp"
#include "platform/path.hpp"
#include "platform/program_path.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline fmu {
namespace {

struct Platform {
  std::string_view folder, file, in_fmi_2, in_fmi_3, extension, name;
};
constexpr std::array<Platform, 2> platforms{
    {{"x86_64-linux", "stickslip.so", "linux64", "x86_64-linux", ".so", "linux64"},
     {"x86_64-windows", "stickslip.dll", "win64", "x86_64-windows", ".dll", "win64"}}};

/// Where the binaries lie: beside the program where it is built, in lib/stickslip/fmu where it is installed.
std::string binaries_folder() {
  const std::string here = folder_of(program_path());
  std::vector<std::string> places{here + "/fmu"};
  for (const char* lib : {"lib", "lib64", "lib/x86_64-linux-gnu"})
    places.push_back(here + "/../" + lib + "/stickslip/fmu");
  for (const auto& place : places)
    for (const Platform& p : platforms)
      if (is_file(place + "/" + std::string(p.folder) + "/" + std::string(p.file))) return place;
  throw Error("there is no FMU binary in " + in_quotes(normal_path(places[0])) + " or " +
              in_quotes(normal_path(places[1])) +
              "; it is built with the program (target stickslip_fmu_binary) and installed with it");
}

std::string identifier_of(const std::string& file) {
  std::string name = stem_of(file);
  if (name.ends_with(".model")) name = name.substr(0, name.size() - 6);
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "m" + name;
  return name.substr(0, 50);
}

std::string page_row(const std::vector<std::string>& cells, const char* kind) {
  std::string out = "<tr>";
  for (const auto& cell : cells) out += std::string("<") + kind + ">" + attribute_text(cell) + "</" + kind + ">";
  return out + "</tr>\n";
}

/// documentation/index.html
std::string page_of(const FmuModel& model, const FmuHeading& heading, const std::vector<std::string>& losses) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + attribute_text(heading.name) +
      "</title>\n<style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
      "table{border-collapse:collapse}td,th{text-align:left;padding:.1em .8em .1em 0;border-bottom:1px solid #ccc}"
      "</style></head><body>\n";
  out +=
      "<h1>" + attribute_text(model.content().title) + "</h1>\n<p>" +
      (model.is_element() ? "A friction element: velocity in, friction force out."
                          : "A machine with friction: every stick and slip is located, and at rest nothing creeps.") +
      " Exported from " + attribute_text(model.content().file) + " by stickslip " + std::string(version()) + ", FMI " +
      std::to_string(heading.version) + ".0.</p>\n";
  out +=
      "<p>Friction is positive against positive velocity. All numbers are SI. In Co-Simulation an input holds its "
      "value over a step"
      " (FMI 2.0: with a slope, if the importer gives one); events inside a step are located wherever they lie.</p>\n";
  if (!losses.empty()) {
    out += "<h2>What it does not carry</h2>\n<ul>\n";
    for (const auto& loss : losses) out += "<li>" + attribute_text(loss) + "</li>\n";
    out += "</ul>\n";
  }
  const auto table = [&](const char* title, auto&& chosen) {
    std::string rows;
    for (const auto& v : model.variables())
      if (chosen(v))
        rows +=
            page_row({v.name,
                      v.type == FmuType::real      ? fmi_unit(v.unit)
                      : v.type == FmuType::integer ? "whole number"
                                                   : "true or false",
                      v.role == FmuRole::output || v.role == FmuRole::state ? "" : shortest(v.start), v.description},
                     "td");
    if (!rows.empty())
      out += std::string("<h2>") + title + "</h2>\n<table>\n" + page_row({"name", "unit", "start", "what"}, "th") +
             rows + "</table>\n";
  };
  table("Inputs", [](const auto& v) { return v.role == FmuRole::input; });
  table("Outputs", [](const auto& v) { return v.role == FmuRole::output; });
  table("Parameters to change at any event",
        [](const auto& v) { return v.role == FmuRole::parameter && v.is_tunable; });
  table("Parameters to set before the start",
        [](const auto& v) { return (v.role == FmuRole::parameter && !v.is_tunable) || v.role == FmuRole::from_file; });
  return out + "</body></html>\n";
}

constexpr std::string_view terminals_and_icons =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
    "  <GraphicalRepresentation>\n"
    "    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\" suggestedScalingFactorTo_mm=\"0.1\"/>\n"
    "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n"
    "  </GraphicalRepresentation>\n"
    "</fmiTerminalsAndIcons>\n";

}  // namespace

std::string fmu_icon_png() {
  constexpr int side = 64;
  std::array<std::array<std::array<unsigned char, 3>, side>, side> pixel{};
  for (auto& row : pixel) row.fill({255, 255, 255});
  const auto dot = [&](int x, int y, std::array<unsigned char, 3> colour) {
    if (x >= 0 && x < side && y >= 0 && y < side)
      pixel[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = colour;
  };
  const std::array<unsigned char, 3> ink{40, 60, 90}, warm{200, 80, 30};
  for (int x = 2; x < 62; ++x) dot(x, 56, ink), dot(x, 57, ink);  // the ground
  for (int x = 4; x < 62; x += 5)
    for (int k = 0; k < 4; ++k) dot(x - k, 58 + k, ink);
  for (int x = 8; x < 30; ++x)
    for (int y = 36; y < 56; ++y) dot(x, y, ink);  // the block
  for (int x = 30; x < 60; ++x) {                  // its spring
    const int phase = (x - 30) % 8, y = 46 + (phase < 4 ? phase - 2 : 6 - phase) * 2;
    dot(x, y, ink), dot(x, y + 1, ink);
  }
  for (int x = 4; x < 60; ++x) {  // force over time: stick, slip
    const int phase = (x - 4) % 19, y = phase < 16 ? 28 - phase : 12 + (phase - 15) * 5;
    for (int k = 0; k < 2; ++k) dot(x, y + k, warm), dot(x + 1, y + k, warm);
  }
  std::string rows;
  for (const auto& row : pixel) {
    rows += '\0';  // no filter
    for (const auto& p : row)
      for (const unsigned char c : p) rows += static_cast<char>(c);
  }
  const auto big = [](std::size_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xff);
    return out;
  };
  std::string png("\x89PNG\r\n\x1a\n", 8);
  const auto chunk = [&](const std::string& kind, const std::string& data) {
    png += big(data.size()) + kind + data + big(stickslip::crc32(kind + data));
  };
  chunk("IHDR", big(side) + big(side) + std::string("\x08\x02\x00\x00\x00", 5));
  chunk("IDAT", zlib_stream(rows));
  chunk("IEND", "");
  return png;
}

FmuFile export_fmu(const std::string& file, const FmuOptions& options) {
  return export_fmu(read_whole(file), file, options);
}

FmuFile describe_fmu(std::string_view text, const std::string& file, const FmuOptions& options) {
  if (options.version != 2 && options.version != 3)
    throw Error("there is no FMI " + std::to_string(options.version) + "; supported are 2 and 3");
  FmuFile fmu;
  fmu.mass = options.mass;
  FmuContent content = fmu_content(text, file, options);
  content.inputs_from_file = options.inputs_from_file;
  fmu.resource = content_text(content);
  fmu.token = content_token(fmu.resource);
  fmu.model = std::make_shared<const FmuModel>(std::move(content));
  const FmuModel& model = *fmu.model;
  const std::string identifier = identifier_of(file);
  const FmuHeading heading{options.version, identifier, identifier, fmu.token};
  fmu.description = model_description(model, heading);

  if (!model.can_be_integrated())
    fmu.losses.push_back("no Model Exchange: this machine uses its own time steps and exposes no continuous states");
  if (!model.has_exact_slopes() && model.can_be_integrated())
    fmu.losses.push_back(
        "directional derivatives are difference quotients; they are exact for one body and for elements");
  if (std::none_of(model.variables().begin(), model.variables().end(), [](const auto& v) { return v.is_tunable; }))
    fmu.losses.push_back("parameters are fixed after initialization");
  if (model.is_element())
    fmu.losses.push_back(
        "an element at rest does not know the applied force: couple it stiffly, or export a body with --mass");
  const auto cut = std::count_if(model.variables().begin(), model.variables().end(),
                                 [](const auto& v) { return v.whole_name.size() > longest_fmu_name; });
  if (cut > 0)
    fmu.losses.push_back(std::to_string(cut) + " names are longer than " + std::to_string(longest_fmu_name) +
                         " characters and are cut; the descriptions have them whole");
  fmu.losses.push_back("event list, energy balance and figures are not included; events go to the importer's log");
  const bool is_body = !model.is_element() && options.mass > 0;
  fmu.what = "FMI " + std::to_string(options.version) + ".0 FMU of " +
             (model.is_element() ? "a friction element"
              : is_body          ? "a body with friction"
                                 : "a machine") +
             ", " + (model.can_be_integrated() ? "Model Exchange and Co-Simulation" : "Co-Simulation");
  for (const auto& v : model.variables())
    if (v.role == FmuRole::from_file)
      fmu.notes.push_back("input " + in_quotes(model.variable(FmuRole::input, v.index).name) +
                          (v.start != 0 ? " follows the file; set " : " is the importer's; set ") + v.name +
                          (v.start != 0 ? " to false to drive it from outside" : " to true to have it as in the file"));
  return fmu;
}

FmuFile export_fmu(std::string_view text, const std::string& file, const FmuOptions& options) {
  FmuFile fmu = describe_fmu(text, file, options);
  const FmuModel& model = *fmu.model;
  const FmuRerun rerun = rerun_fmu(fmu, text, file);
  fmu.notes.push_back(words_for(rerun));
  if (rerun.outputs == 0) fmu.losses.push_back("no output could be compared with `simulate`");
  if (rerun.apart > same_motion)
    fmu.losses.push_back(rerun.output + " differs from `simulate` by " + significant(rerun.apart, 2) +
                         " of its range at " + with_unit(rerun.time, "s", 4));
  const std::string identifier = identifier_of(file);
  const FmuHeading heading{options.version, identifier, identifier, fmu.token};
  const std::string folder = options.binaries.empty() ? binaries_folder() : options.binaries;
  ZipWriter zip;
  const auto add = [&](const std::string& name, std::string_view bytes) {
    zip.add(name, bytes, ZipWriter::Packing::deflated);
  };
  add("modelDescription.xml", fmu.description);
  std::string names;
  for (const Platform& p : platforms) {
    const std::string path = folder + "/" + std::string(p.folder) + "/" + std::string(p.file);
    if (!is_file(path)) continue;
    const std::string_view place = options.version == 2 ? p.in_fmi_2 : p.in_fmi_3;
    add("binaries/" + std::string(place) + "/" + identifier + std::string(p.extension), read_whole(path));
    names += (names.empty() ? "" : " and ") + std::string(p.name);
  }
  if (names.empty()) throw Error("there is no FMU binary in " + in_quotes(folder));
  add("resources/content.txt", fmu.resource);
  const std::string source = file_name_of(file);
  add("resources/" + (source == "content.txt" ? "source_" + source : source), text);
  add("documentation/index.html", page_of(model, heading, fmu.losses));
  if (options.version == 2) {
    add("model.png", fmu_icon_png());
  } else {
    add("terminalsAndIcons/terminalsAndIcons.xml", terminals_and_icons);
    add("terminalsAndIcons/icon.png", fmu_icon_png());
  }
  fmu.content = zip.take();
  fmu.what += ", " + names;
  return fmu;
}

}  // namespace stickslip::inline fmu
