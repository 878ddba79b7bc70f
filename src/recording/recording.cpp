/// From a table of raw columns to a Recording; see recording.hpp.
#include "recording/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/file.hpp"
#include "recording/tables/expression.hpp"
#include "recording/tables/raw_table.hpp"
#include "recording/take_recording.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t longest_message = 200, longest_place = 110;
constexpr double largest_value = 1e150;
constexpr std::uint64_t most_from_device = std::uint64_t(1) << 30;  // [bytes]

std::string shown(const std::string& file) {
  const std::string plain = one_line(file, 4000);
  return plain.size() <= longest_place ? plain : "..." + plain.substr(plain.size() - longest_place + 3);
}

std::string ending_of(const std::string& path) {
  const auto dot = path.rfind('.');
  std::string ending = dot == std::string::npos ? "" : path.substr(dot + 1);
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return ending;
}

bool is_spreadsheet(const std::string& ending) { return ending == "xlsx" || ending == "xlsm"; }

/// Every row lacks a value: names a column without any.
[[noreturn]] void refuse_empty(const Recording& r, const RawTable& table) {
  const auto is_empty = [&](const Source& source) {
    const std::vector<double>& values = signal(r, source.role);
    return std::none_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  const auto empty = std::find_if(r.sources.begin(), r.sources.end(), is_empty);
  const Source& named = empty != r.sources.end() ? *empty : r.sources.front();
  const std::string role(role_name(named.role));
  refuse_at(r.file, table.lines.of(0), named.column,
            empty != r.sources.end()
                ? "the column of the " + role + " has no number in any row; choose another with --" + role
                : "no row has a number for every signal; --missing interpolate fills gaps");
}

/// Samples with a value that is not finite in a column with a role: refused, dropped or drawn straight between the
/// neighbours, as the options say. A missing time is never invented.
void treat_missing(Recording& r, RawTable& table, Missing policy) {
  std::vector<bool> missing(table.rows, false);
  std::size_t count = 0, first_row = 0, first_column = 0;
  for (const Source& source : r.sources) {
    const std::vector<double>& values = signal(r, source.role);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      if (policy == Missing::refuse)
        refuse_at(r.file, table.lines.of(i), source.column,
                  std::string(role_name(source.role)) + " is " + shortest(values[i]) +
                      "; --missing drop or --missing interpolate accepts it");
      if (source.role == Role::time && policy == Missing::interpolate)
        refuse_at(r.file, table.lines.of(i), source.column, "time is missing; --missing drop leaves the row out");
      if (count == 0 || i < first_row) first_row = i, first_column = source.column;
      if (!missing[i]) ++count;
      missing[i] = true;
    }
  }
  if (count == 0) return;
  if (policy == Missing::drop) {
    if (count == table.rows) refuse_empty(r, table);
    const auto keep = [&](auto& values) {
      std::size_t to = 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!missing[i]) values[to++] = values[i];
      values.resize(to);
    };
    LineNumbers lines;
    for (std::size_t i = 0, to = 0; i < missing.size(); ++i)
      if (!missing[i]) lines.add(to++, table.lines.of(i));
    r.notes.push_back({"dropped", table.lines.of(first_row), first_column,
                       std::to_string(count) + " rows with a missing value were dropped; the first is this"});
    table.lines = lines;
    for (const Source& source : r.sources) keep(signal(r, source.role));
    for (Column& column : r.others) keep(column.values);
    for (Labels& labels : r.labels) keep(labels.index);
    if (!source_of(r, Role::time)) keep(r.time);
    return;
  }
  for (const Source& source : r.sources) {
    std::vector<double>& values = signal(r, source.role);
    std::size_t before = values.size();  // the last finite one
    for (std::size_t i = 0; i <= values.size(); ++i) {
      const bool finite = i < values.size() && std::isfinite(values[i]);
      if (!finite && i < values.size()) continue;
      const std::size_t gap_start = before == values.size() ? 0 : before + 1;
      if (i > gap_start && (before == values.size() || i == values.size()))
        refuse_at(r.file, table.lines.of(gap_start), source.column,
                  std::string(role_name(source.role)) +
                      " is missing at an end of the recording; --missing drop leaves such rows out");
      const auto time = [&](std::size_t k) { return r.time.empty() ? double(k) : r.time[k]; };
      for (std::size_t k = gap_start; k < i; ++k)
        values[k] = values[before] + (values[i] - values[before]) * (time(k) - time(before)) / (time(i) - time(before));
      before = i;
    }
  }
  r.notes.push_back({"interpolated", table.lines.of(first_row), first_column,
                     std::to_string(count) + " rows have a value drawn between its neighbours; the first is this"});
}

/// Of what a signal has become by its unit, a gain or a calculation, in files of any kind.
void check_magnitudes(const Recording& r, const RawTable& table) {
  for (const Source& source : r.sources) {
    const std::vector<double>& values = signal(r, source.role);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::fabs(values[i]) > largest_value)
        refuse_at(
            r.file, table.lines.of(i), source.column,
            std::string(role_name(source.role)) + " is " + shortest(values[i]) + "; beyond 1e150 its square overflows");
  }
}

/// A column that nobody chose becomes the temperature if it is one in every row; other readings do not depend on it.
void take_temperature(Recording& r, RawTable& table, std::size_t c) {
  Assigned& assigned = table.assignment.columns[c];
  const RawColumn& column = table.columns[c];
  std::size_t row = 0;
  if (!column.is_text)
    while (row < column.values.size() && column.values[row] * assigned.factor + assigned.offset > 0) ++row;
  if (!column.is_text && row == column.values.size()) {
    assigned.role = Role::temperature;
    return;
  }
  r.notes.push_back(
      {"no_temperature", table.lines.of(row), c + 1,
       in_quotes(one_line(assigned.heading.text, 40)) + " has " +
           (column.is_text || std::isnan(column.values[row]) ? "no number here" : "a number below absolute zero here") +
           " and is not taken as the temperature; --temperature chooses a column"});
}

/// Of a temperature: above absolute zero, and a remark where its numbers are more likely those of degC.
void check_temperature(Recording& r, const RawTable& table) {
  const Source* source = source_of(r, Role::temperature);
  if (!source || r.temperature.empty()) return;
  constexpr double coldest_machine = 100;  // [K]
  for (std::size_t i = 0; i < r.temperature.size(); ++i)
    if (!(r.temperature[i] > 0))
      refuse_at(r.file, table.lines.of(i), source->column,
                "temperature is " + significant(r.temperature[i], 4) + " K, below absolute zero; --temperature '" +
                    one_line(split_heading(source->heading).name, 30) + " [degC]' states another unit");
  constexpr double hottest_laboratory = 1e6;  // docs/ranges.md
  for (std::size_t i = 0; i < r.temperature.size(); ++i)
    if (!(r.temperature[i] <= hottest_laboratory))
      refuse_at(r.file, table.lines.of(i), source->column,
                "temperature is " + significant(r.temperature[i], 4) +
                    " K; it must be at most 1e6 K; --temperature chooses another column or unit");
  const double warmest = *std::max_element(r.temperature.begin(), r.temperature.end());
  if (warmest < coldest_machine)
    r.notes.push_back({"cold", 0, source->column,
                       "temperature is at most " + significant(warmest, 4) +
                           " K; if its numbers are degC, write "
                           "--temperature '" +
                           one_line(split_heading(source->heading).name, 30) + " [degC]'"});
}

Recording recording_of(RawTable&& table, const ReadOptions& options, const std::string& file) {
  Recording r;
  r.file = file;
  r.fingerprint = table.fingerprint;
  r.rotary = table.assignment.rotary;
  r.constants = std::move(table.constants);
  r.notes = std::move(table.notes);
  r.notes.insert(r.notes.end(), table.assignment.notes.begin(), table.assignment.notes.end());
  r.back_emf = table.assignment.back_emf;
  for (const Computed& computed : table.assignment.computed) {
    std::vector<double> values = computed.expression->values(table.columns, table.rows);
    for (double& value : values) value *= computed.factor;
    signal(r, computed.role) = std::move(values);
    r.sources.push_back({computed.role, computed.expression->text(), "calculated", 0, computed.factor});
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Assigned& assigned = table.assignment.columns[c];
    RawColumn& column = table.columns[c];
    if (c + 1 == table.assignment.offered_temperature) take_temperature(r, table, c);
    if (column.is_text) {
      if (!column.labels.index.empty()) r.labels.push_back(std::move(column.labels));
    } else if (!assigned.role) {
      r.others.push_back({assigned.heading.name, assigned.heading.unit, std::move(column.values)});
    } else {
      if (assigned.factor != 1 || assigned.offset != 0)
        for (double& value : column.values) value = value * assigned.factor + assigned.offset;
      signal(r, *assigned.role) = std::move(column.values);
      r.sources.push_back(
          {*assigned.role, assigned.heading.text, assigned.heading.unit, c + 1, assigned.factor, assigned.offset});
    }
  }
  if (!source_of(r, Role::time) && options.rate > 0) {
    r.time.resize(table.rows);
    for (std::size_t i = 0; i < table.rows; ++i) r.time[i] = double(i) / options.rate;
  }
  if (table.rows < 2)
    refuse_at(file, table.last_line, 1, std::to_string(table.rows) + " sample; a recording needs at least 2");
  treat_missing(r, table, options.missing);
  if (r.size() == 1) refuse_at(file, table.last_line, 1, "1 sample left; a recording needs at least 2");
  check_magnitudes(r, table);
  check_temperature(r, table);
  r.first_line = table.lines.of(0);
  if (!r.time.empty()) check_time(r, table.lines);
  unwrap_position(r, table.lines);
  if (!r.time.empty()) check_signals(r, table.lines);
  return r;
}

}  // namespace

const std::string& of(const ColumnMap& map, Role role) {
  const std::array<const std::string*, all_roles.size()> texts{&map.time, &map.position, &map.velocity,   &map.force,
                                                               &map.load, &map.pressure, &map.temperature};
  return *texts[static_cast<std::size_t>(role)];
}
std::string& of(ColumnMap& map, Role role) { return const_cast<std::string&>(of(std::as_const(map), role)); }

const std::vector<double>& signal(const Recording& r, Role role) {
  const std::array<const std::vector<double>*, all_roles.size()> signals{&r.time, &r.position, &r.velocity,   &r.force,
                                                                         &r.load, &r.pressure, &r.temperature};
  return *signals[static_cast<std::size_t>(role)];
}
std::vector<double>& signal(Recording& r, Role role) {
  return const_cast<std::vector<double>&>(signal(std::as_const(r), role));
}

const Source* source_of(const Recording& recording, Role role) {
  for (const Source& source : recording.sources)
    if (source.role == role) return &source;
  return nullptr;
}

std::vector<double> other(const Recording& recording, const std::string& name, std::string_view unit) {
  std::vector<std::string> names;
  for (const Column& column : recording.others) {
    names.push_back(column.name);
    if (column.name != name) continue;
    const Unit found = parse_unit(column.unit.empty() ? unit : std::string_view(column.unit));
    if (!fits(found, parse_unit(unit)))
      throw Error(one_line(recording.file, 100) + ": column " + in_quotes(name) + " is " + unit_kind(found) + "; " +
                  unit_kind(parse_unit(unit)) + " is needed");
    std::vector<double> values = column.values;
    for (double& value : values) value = found.factor * value + found.offset;
    return values;
  }
  throw Error(one_line(recording.file, 100) + ": " + no_such("column", name, names));
}

std::string placed(const std::string& file, std::size_t line, std::size_t column, const std::string& text) {
  std::string place = shown(file) + ":";
  if (line) place += std::to_string(line) + ":";
  if (line && column) place += std::to_string(column) + ":";
  place += " ";
  return place + one_line(text, longest_message - std::min(place.size(), longest_message - 60));
}

void refuse_at(const std::string& file, std::size_t line, std::size_t column, const std::string& text) {
  throw Error(placed(file, line, column, text));
}
void refuse_file(const std::string& file, const std::string& text) { throw Error(placed(file, 0, 0, text)); }

std::string to_text(const Note& note, const std::string& file) {
  if (!note.line && note.column) return placed(file, 0, 0, "column " + std::to_string(note.column) + ": " + note.text);
  return placed(file, note.line, note.column, note.text);
}

std::string bytes_of(const std::string& path) {
  const FileKind kind = facts_of(path).kind;
  if (kind == FileKind::directory) refuse_file(path, "is a directory; a recording is a file");
  // A file has an end; a device or a pipe need not have one.
  const std::uint64_t most = kind == FileKind::device ? most_from_device : std::numeric_limits<std::uint64_t>::max();
  std::string bytes;
  FileIdentity ignored;
  const std::string problem = read_file(path, most, bytes, ignored);
  if (!problem.empty()) refuse_file(path, problem);
  if (bytes.size() > most) refuse_file(path, "is a device or a pipe with more than 1 GiB; save it to a file first");
  return bytes;
}

namespace {

/// Calls read() and makes a recording of its table.
template <class Read>
Recording recording_from(const Read& read, const std::string& name, const ReadOptions& options) {
  try {
    return recording_of(read(), options, name);
  } catch (const std::bad_alloc&) {
    refuse_file(name, "does not fit into the memory that is free");
  }
}

}  // namespace

Recording read_recording(const std::string& path, const ReadOptions& options) {
  const auto read = [&] {
    const std::string ending = ending_of(path);
    if (ending == "mat") return read_mat(bytes_of(path), path, options);
    if (ending == "npz") return read_npz(bytes_of(path), path, options);
    if (is_spreadsheet(ending)) return read_xlsx(bytes_of(path), path, options);
    return read_text_table(path, options);
  };
  return recording_from(read, path, options);
}

Recording read_recording(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  const auto read = [&] {
    const std::string ending = ending_of(name);
    if (ending == "mat") return read_mat(bytes, name, options);
    if (ending == "npz") return read_npz(bytes, name, options);
    if (is_spreadsheet(ending)) return read_xlsx(bytes, name, options);
    return read_text_table(bytes, name, options);
  };
  return recording_from(read, name, options);
}

Recording take_recording(std::vector<Column> columns, const ReadOptions& options, const std::string& name) {
  const auto table = [&] {
    std::vector<NamedArray> arrays;
    std::uint32_t crc = 0;
    std::size_t bytes = 0;
    const std::size_t length = columns.empty() ? 0 : columns.front().values.size();
    for (Column& column : columns) {
      if (column.values.size() != length)
        refuse_file(name, "column " + in_quotes(column.name) + " has " + std::to_string(column.values.size()) +
                              " values, " + in_quotes(columns.front().name) + " has " + std::to_string(length) +
                              "; all need the same number");
      arrays.push_back(
          {column.unit.empty() ? column.name : column.name + " [" + column.unit + "]", std::move(column.values)});
      const std::vector<double>& own = arrays.back().values;
      const std::string_view values(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(double));
      crc = crc32(values, crc32(arrays.back().name, crc));
      bytes += values.size();
    }
    RawTable made = table_of_arrays(std::move(arrays), {}, options, name);
    made.fingerprint = fingerprint_of(crc, bytes);
    return made;
  };
  return recording_from(table, name, options);
}

Recording make_recording(const std::vector<Column>& columns, const ReadOptions& options, const std::string& name) {
  return take_recording(columns, options, name);
}

}  // namespace stickslip::inline recordings
