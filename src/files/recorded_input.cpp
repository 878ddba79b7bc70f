/// A recorded input: two columns of a recording in any format; see input_section.hpp.
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "files/reading_section.hpp"
#include "files/whole_file.hpp"
#include "platform/mutex.hpp"
#include "recording/tables/raw_table.hpp"

namespace stickslip::inline files {
namespace {

/// The role whose unit this is: as a role a column gets every check of a recording.
std::optional<Role> role_of(std::string_view unit) {
  const Unit wanted = parse_unit(unit);
  for (const Role role : {Role::position, Role::velocity, Role::force, Role::pressure, Role::temperature})
    for (const bool rotary : {false, true}) {
      const Unit found = parse_unit(si_unit(role, rotary));
      if (found.dimension == wanted.dimension && found.angle == wanted.angle && found.cycle == wanted.cycle)
        return role;
    }
  return std::nullopt;
}

std::string with_its_unit(const std::string& heading, const std::string& unit) {
  return unit.empty() ? heading : heading + " [" + unit + "]";
}

/// A column that means nothing to friction (a current, a share): its unit and its numbers are checked here.
std::vector<double> side_column(const Recording& r, const RecordedColumns& columns, std::string_view unit) {
  for (const Note& note : r.notes)
    if (note.code == "duplicate_sample") throw Error(to_text(note, r.file) + "; times must rise");
  const std::string name = split_heading(columns.value).name;
  Recording one;
  one.file = r.file;
  for (const Column& column : r.others)
    one.others.push_back({column.name == name ? columns.value : column.name,
                          column.name == name && !columns.value_unit.empty() ? columns.value_unit : column.unit,
                          column.values});
  std::vector<double> values = other(one, columns.value, unit);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(one_line(r.file, 100) + ": sample " + std::to_string(i + 1) + ": " + columns.value + " is " +
                  shortest(values[i]) + "; a finite number is needed");
  return values;
}

/// Kept while it is in use.
struct Shelf {
  using Key =
      std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, std::string, bool>;
  Mutex mutex;
  std::size_t wanted_by = 0;
  std::map<Key, RecordedInput> inputs;
};
Shelf& shelf() {
  static Shelf one;
  return one;
}

RecordedInput read_from_file(const std::string& path, const RecordedColumns& columns, std::string_view unit) {
  const std::optional<Role> role = role_of(unit);
  ReadOptions options;
  options.only_named = true;
  options.columns.time = with_its_unit(columns.time, columns.time_unit);
  options.needed = {Role::time};
  if (role) {
    of(options.columns, *role) = with_its_unit(columns.value, columns.value_unit);
    options.needed.push_back(*role);
  }
  if (!columns.where.empty()) {
    std::pair<std::string, std::string> row;
    if (!split_at_equals(columns.where, row))
      throw Error("where is " + in_quotes(columns.where) + "; write \"log_id = 3\"");
    options.where.push_back(std::move(row));
  }
  const Recording r = read_recording(path, options);
  mark_read(path);
  RecordedInput found;
  found.value = role ? signal(r, *role) : side_column(r, columns, unit);
  found.time = r.time;
  if (columns.from_first) {
    const double first = found.time.empty() ? 0 : found.time.front();
    for (double& t : found.time) t -= first;
  } else {
    for (double& t : found.time) t += r.time_offset;
  }
  for (const Note& note : r.notes)
    if (note.code != "time_offset") found.warnings.push_back(to_text(note, r.file));
  return found;
}

}  // namespace

KeptInputs::KeptInputs() {
  const Lock lock(shelf().mutex);
  ++shelf().wanted_by;
}
KeptInputs::~KeptInputs() {
  const Lock lock(shelf().mutex);
  if (--shelf().wanted_by == 0) shelf().inputs.clear();
}

RecordedInput read_recorded_input(const std::string& path, const RecordedColumns& columns, std::string_view unit) {
  const Shelf::Key key{
      path,          columns.time,      columns.value, columns.time_unit, columns.value_unit, std::string(unit),
      columns.where, columns.from_first};
  {
    const Lock lock(shelf().mutex);
    if (const auto kept = shelf().inputs.find(key); kept != shelf().inputs.end()) return kept->second;
  }
  RecordedInput found = read_from_file(path, columns, unit);
  const Lock lock(shelf().mutex);
  if (shelf().wanted_by > 0) shelf().inputs.insert_or_assign(key, found);
  return found;
}

}  // namespace stickslip::inline files
