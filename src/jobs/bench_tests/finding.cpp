/// What a test on recordings found, in every form; see finding.hpp.
#include "jobs/bench_tests/finding.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline jobs {

std::string finding_text(const TestFinding& f, std::size_t width, bool colour) {
  std::string out = coloured(f.title, Ink::bold, colour) + "\n" + wrapped(f.summary, width, "");
  for (const FindingTable& part : f.tables) {
    out += "\n";
    if (!part.heading.empty()) out += coloured(part.heading, Ink::bold, colour) + "\n";
    out += to_text(part.table, {.colour = colour});
    if (!part.text.empty()) out += wrapped(part.text, width, "");
  }
  return out;
}

Page finding_page(const TestFinding& f, const Provenance& provenance) {
  Page page{.title = f.title, .subtitle = f.summary};
  if (!f.highlights.empty()) page.blocks.push_back(Highlights{f.highlights});
  if (!f.warnings.empty()) page.blocks.push_back(Warnings{f.warnings});
  if (!f.figure.panels.empty()) {
    page.blocks.push_back(PageHeading{f.figure_heading});
    page.blocks.push_back(FigureBlock{f.figure, "test"});
  }
  page.blocks.push_back(PageHeading{"Results"});
  for (const FindingTable& part : f.tables) {
    if (!part.heading.empty()) page.blocks.push_back(PageHeading{part.heading, 3});
    page.blocks.push_back(page_table(part.table));
    if (!part.text.empty()) page.blocks.push_back(Paragraph{part.text});
  }
  if (f.model) {
    page.blocks.push_back(PageHeading{"Model file"});
    page.blocks.push_back(Code{model_file_text(*f.model)});
  } else if (!f.why_no_model.empty()) {
    page.blocks.push_back(Paragraph{"There is no model file: " + f.why_no_model + "."});
  }
  add_how_to_repeat(page, provenance);
  return page;
}

std::optional<FindingFileKind> finding_file_kind(const std::string& path) {
  if (path.ends_with(".toml")) return FindingFileKind::model;
  if (path.ends_with(".csv")) return FindingFileKind::points;
  if (path.ends_with(".svg")) return FindingFileKind::figure;
  if (path.ends_with(".html")) return FindingFileKind::report;
  if (path.ends_with(".json")) return FindingFileKind::json;
  return std::nullopt;
}

FindingFile finding_file(const TestFinding& f, FindingFileKind kind, const std::string& path,
                         const std::string& command) {
  switch (kind) {
    case FindingFileKind::model: {
      if (!f.model) throw Error("there is no model for " + in_quotes(one_line(path, 100)) + ": " + f.why_no_model);
      ModelFile model = *f.model;
      model.command = command;
      return {"the model, for simulate, check, validate", model_file_text(model)};
    }
    case FindingFileKind::points:
      return {"the points", to_csv(f.points)};
    case FindingFileKind::figure:
      return {"figure", to_svg(f.figure)};
    case FindingFileKind::report:
      return {"report, opens in a browser", to_html(finding_page(f, {command, f.files}))};
    case FindingFileKind::json:
      return {"the results as JSON", f.json.text() + "\n"};
  }
  throw Error("no such result");
}

Recording read_window(const RecordingSource& source, const ReadOptions& reading, const TimeWindow& window) {
  if (!(window.until > window.from)) throw Error("--until must come after --from");
  if (!source.recording) mark_read(source.file);  // no result may take its place
  Recording whole = source.read(reading);
  if (window.is_whole()) return whole;
  const auto first = std::lower_bound(whole.time.begin(), whole.time.end(), window.from);
  const auto end = std::upper_bound(first, whole.time.end(), window.until);
  if (first == end)
    throw Error(one_line(source.file, 100) + ": no sample between --from and --until; it goes from " +
                with_unit(whole.time.front(), "s", 6) + " to " + with_unit(whole.time.back(), "s", 6));
  Recording part = part_of(whole, {std::size_t(first - whole.time.begin()), std::size_t(end - first)});
  part.notes = whole.notes;
  return part;
}

ModelFile model_of_test(const std::string& title, const std::string& model, const FrictionSettings& settings,
                        const std::vector<Estimate>& estimates, const Recording& recording,
                        const ReadOptions& reading) {
  ModelFile file;
  file.title = title;
  file.label = model;
  file.motion = recording.rotary ? MotionKind::rotary : MotionKind::linear;
  file.model = model;
  file.settings = make_friction(model, settings)->settings();  // refuses what a machine file would refuse
  for (const Estimate& e : estimates)
    file.uncertainty.push_back({e.key, e.standard_error, e.low, e.high, std::string(name_of(e.verdict)), e.partner});
  file.recording = recording.file;
  file.fingerprint = recording.fingerprint;
  file.reading = reading;
  file.program = "stickslip " + std::string(version());
  return file;
}

TextTable estimates_table(const std::vector<Estimate>& estimates, const std::string& model, MotionKind motion) {
  const ModelDescription& described = find_model(model).description();
  TextTable table{.columns = {"parameter", "value", "± (95 %)", "verdict"}, .rows = {}};
  for (const Estimate& e : estimates) {
    const std::string unit = unit_of_key(described, e.key, motion);
    const bool has_interval = std::isfinite(e.standard_error) && e.verdict != Determination::at_bound;
    table.rows.push_back({e.key, with_unit(e.value, unit, 4),
                          has_interval ? with_unit(1.96 * e.standard_error, unit, 2) : "-",
                          std::string(name_of(e.verdict)) + (e.partner.empty() ? "" : " from " + e.partner)});
  }
  return table;
}

Estimate estimate_of_mean(const std::string& key, double value, double standard_error) {
  const double half = 1.96 * standard_error;
  const bool is_weak = !(standard_error <= 0.1 * std::fabs(value));
  return {key,
          value,
          standard_error,
          value - half,
          value + half,
          is_weak ? Determination::weak : Determination::well_determined,
          {}};
}

Json estimate_json(const Estimate& e) {
  Json item =
      Json::object({{"value", e.value}, {"standard_error", e.standard_error}, {"low", e.low}, {"high", e.high}});
  item["verdict"] = std::string(name_of(e.verdict));
  if (!e.partner.empty()) item["partner"] = e.partner;
  return item;
}

std::string MotionUnits::operator()(std::string_view linear) const {
  if (!is_rotary) return std::string(linear);
  if (linear == "N/s") return "N m/s";
  return rotary(linear);
}

}  // namespace stickslip::inline jobs
