/// What a test on recordings found (curve, contact, slider, breakaway-test, sine-test), in every form that a command offers:
/// words and tables, JSON, a figure, the points as a table, a model file, a report.
/// Not here: what is found (identification/experiments) and how it is put together (the other files of this folder).
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.hpp"
#include "files/json.hpp"
#include "identification/judging/estimates.hpp"
#include "jobs/recording_source.hpp"
#include "jobs/warn.hpp"
#include "machines/friction/model_file.hpp"
#include "report/how_to_repeat.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {

/// A table below its heading, with what else is to be said there.
struct FindingTable {
  std::string heading = {};
  TextTable table = {};
  std::string text = {};  // below it
};

struct TestFinding {
  std::string title = {};    // of report and model file: "Breakaway test of ramps.csv"
  std::string summary = {};  // what was found, in a sentence or two
  std::vector<Highlight> highlights = {};
  std::vector<FindingTable> tables = {};
  std::vector<std::string> warnings = {};
  Json json = Json::object();
  Figure figure = {};
  std::string figure_heading = "Measured and model";
  Table points = {};  // one row per stretch, cycle, ramp or swing; SI
  std::optional<ModelFile> model = {};
  std::string why_no_model = {};  // where there is none
  std::vector<SourceFile> files = {};
  bool is_found = true;  // false: the answer is that there is nothing to find
};

/// Summary and tables for a terminal, no wider than that.
std::string finding_text(const TestFinding& finding, std::size_t width, bool colour);
Page finding_page(const TestFinding& finding, const Provenance& provenance);

/// What of a finding a file holds, as its ending says.
enum class FindingFileKind { model, points, figure, report, json };
inline constexpr std::string_view finding_file_endings =
    "its extension selects what is written: .toml the model, .csv the points, .svg the figure, .html the report, .json "
    "the results";
std::optional<FindingFileKind> finding_file_kind(const std::string& path);
struct FindingFile {
  std::string what, text;
};
/// Throws Error for a model where there is none. `command` is how to repeat it; `path` is named in the message.
FindingFile finding_file(const TestFinding& finding, FindingFileKind kind, const std::string& path,
                         const std::string& command);

/// The part of a recording that a test looks at [s].
struct TimeWindow {
  double from = -unlimited, until = unlimited;
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  bool is_whole() const { return from == -unlimited && until == unlimited; }
};
/// Reads a recording and keeps what lies in the window. Throws Error where nothing does.
Recording read_window(const RecordingSource& source, const ReadOptions& reading, const TimeWindow& window);

/// A model file with all that a test knows beside the friction itself. `recording` is the first one read.
ModelFile model_of_test(const std::string& title, const std::string& model, const FrictionSettings& settings,
                        const std::vector<Estimate>& estimates, const Recording& recording, const ReadOptions& reading);

/// Rows "parameter, value, ± (95 %), verdict" with units.
TextTable estimates_table(const std::vector<Estimate>& estimates, const std::string& model, MotionKind motion);
/// An estimate from a mean and its standard error: 95 % is 1.96 of it either way.
Estimate estimate_of_mean(const std::string& key, double value, double standard_error);
Json estimate_json(const Estimate& e);

/// Units of a linear or of a rotary machine.
struct MotionUnits {
  bool is_rotary = false;
  std::string operator()(std::string_view linear) const;
};

}  // namespace stickslip::inline jobs
