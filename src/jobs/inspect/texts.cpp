/// What a recording holds, in words and for programs; see texts.hpp.
#include "jobs/inspect/texts.hpp"

#include "core/text.hpp"
#include "core/units.hpp"
#include "recording/summary.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline jobs {
namespace {

std::string resolution_of(const SignalSummary& s, std::string_view unit) {
  if (s.smallest_step == 0) return "constant";
  return (s.is_quantised ? "" : "< ") + with_unit(s.smallest_step, unit, 3);
}

}  // namespace

std::size_t rows_of(const Recording& r) {
  for (const Role role : all_roles)
    if (!signal(r, role).empty()) return signal(r, role).size();
  if (!r.others.empty()) return r.others.front().values.size();
  return r.labels.empty() ? 0 : r.labels.front().index.size();
}

std::vector<MissingRole> missing_roles(const Recording& r) {
  const std::string any_motion = "identify, validate, curve",
                    position = "breakaway-test, sine-test, film-test, contact";
  const std::string all = any_motion + ", " + position + ", slider";
  std::vector<MissingRole> missing;
  if (r.time.empty()) missing.push_back({"time", "--time HEADING, or --rate '1 kHz'", all});
  if (r.force.empty()) missing.push_back({"force", "--force HEADING", all});
  if (r.position.empty() && r.velocity.empty())
    missing.push_back({"position or velocity", "--position HEADING or --velocity HEADING", any_motion});
  if (r.position.empty()) missing.push_back({"position", "--position HEADING", position});
  return missing;
}

TextTable missing_table(const std::vector<MissingRole>& missing) {
  TextTable table{.columns = {"missing", "choose it with", "needed by"}};
  for (const MissingRole& m : missing) table.rows.push_back({m.name, m.how, m.commands});
  return table;
}

std::string sampling_text(const Recording& r) {
  if (r.time.empty()) {
    const std::size_t rows = rows_of(r);
    return std::to_string(rows) + (rows == 1 ? " row" : " rows") + ", no time column";
  }
  std::string text = std::to_string(r.size()) + " samples";
  if (r.size() > 1) {
    const Sampling sampling = sampling_of(r.time);
    text += ", " + with_unit(r.time.back() - r.time.front(), "s") + ", every " + with_unit(sampling.step, "s") + " (" +
            significant(1 / sampling.step, 4) + " Hz), ";
    if (sampling.deviation < 1e-3 && sampling.gaps == 0)
      text += "regular";
    else
      text += "time steps deviate by up to " + significant(100 * sampling.deviation, 2) + " %, " +
              std::to_string(sampling.gaps) + (sampling.gaps == 1 ? " gap" : " gaps");
  }
  return text;
}

TextTable recording_columns(const Recording& r) {
  TextTable table{.columns = {"role", "column", "heading", "unit", "lowest", "highest", "resolution"}};
  for (const Source& source : r.sources) {
    const SignalSummary s = summary_of(signal(r, source.role));
    const std::string_view unit = si_unit(source.role, r.rotary);
    table.rows.push_back({std::string(role_name(source.role)), std::to_string(source.column),
                          one_line(source.heading, 40), source.unit.empty() ? "SI assumed" : source.unit,
                          with_unit(s.low, unit), with_unit(s.high, unit), resolution_of(s, unit)});
  }
  for (const Column& column : r.others) {
    const SignalSummary s = summary_of(column.values);
    table.rows.push_back(
        {"", "", one_line(column.name, 40), column.unit, significant(s.low, 4), significant(s.high, 4),
         s.smallest_step == 0 ? "constant" : (s.is_quantised ? "" : "< ") + significant(s.smallest_step, 3)});
  }
  for (const Labels& labels : r.labels)
    table.rows.push_back({"", "", one_line(labels.name, 40), "words",
                          labels.words.size() == 1 ? one_line(labels.words[0], 20)
                                                   : std::to_string(labels.words.size()) + " different"});
  for (const auto& [name, value] : r.constants)
    table.rows.push_back({"", "", one_line(name, 40), "constant", significant(value, 7)});
  return table;
}

std::string recording_text(const Recording& r, bool colour) {
  std::string text = coloured(one_line(r.file), Ink::bold, colour) + "  " + r.fingerprint + "\n" + sampling_text(r) +
                     "\n\n" + to_text(recording_columns(r), {.colour = colour});
  if (const auto missing = missing_roles(r); !missing.empty())
    text += "\n" + to_text(missing_table(missing), {.colour = colour});
  return text;
}

Json recording_json(const Recording& r) {
  Json out = Json::object();
  out["file"] = r.file;
  out["fingerprint"] = r.fingerprint;
  out["samples"] = rows_of(r);
  out["rotary"] = r.rotary;
  const Sampling sampling = sampling_of(r.time);
  out["step_s"] = sampling.step;
  out["step_deviation"] = sampling.deviation;
  out["gaps"] = sampling.gaps;
  out["time_offset_s"] = r.time_offset;
  out["signals"] = Json::array();
  for (const Source& source : r.sources) {
    const SignalSummary s = summary_of(signal(r, source.role));
    Json item = Json::object();
    item["role"] = role_name(source.role);
    item["column"] = source.column;
    item["heading"] = source.heading;
    item["unit"] = source.unit;
    item["si_unit"] = si_unit(source.role, r.rotary);
    item["factor"] = source.factor;
    if (source.offset != 0) item["offset"] = source.offset;
    item["lowest"] = s.low;
    item["highest"] = s.high;
    item["smallest_step"] = s.smallest_step;
    item["quantised"] = s.is_quantised;
    out["signals"].push_back(item);
  }
  out["others"] = Json::array();
  for (const Column& column : r.others) {
    Json item = Json::object();
    item["name"] = column.name;
    item["unit"] = column.unit;
    out["others"].push_back(item);
  }
  out["missing"] = Json::array();
  for (const MissingRole& m : missing_roles(r)) {
    Json item = Json::object();
    item["role"] = m.name;
    item["choose_with"] = m.how;
    item["needed_by"] = m.commands;
    out["missing"].push_back(item);
  }
  out["warnings"] = Json::array();
  for (const Note& note : r.notes) {
    Json item = Json::object();
    item["code"] = note.code;
    item["line"] = note.line;
    item["column"] = note.column;
    item["text"] = note.text;
    out["warnings"].push_back(item);
  }
  return out;
}

}  // namespace stickslip::inline jobs
