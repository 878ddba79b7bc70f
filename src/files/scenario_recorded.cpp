/// A recorded input: two columns of a CSV file with one line of headings; see scenario_input.hpp.
/// Fields are separated by commas, semicolons or tabs (whichever the heading uses) and may stand in double quotes;
/// lines that are empty or begin with # are passed over.
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/scenario_input.hpp"
#include "files/scenario_section.hpp"

namespace stickslip {
namespace {

char separator_of(std::string_view heading) {
  for (const char c : {',', ';', '\t'})
    if (heading.find(c) != std::string_view::npos) return c;
  return ',';
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const auto end = line.find(separator);
    std::string_view field = trimmed(line.substr(0, end));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// Walks over the lines that hold something.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // a byte order mark, as spreadsheets write it
  }
  bool next() {
    while (!rest_.empty()) {
      const auto end = rest_.find('\n');
      line = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number;
      const std::string_view content = trimmed(line);
      if (!content.empty() && content.front() != '#') return true;
    }
    return false;
  }
  std::string_view line;
  int number = 0;

 private:
  std::string_view rest_;
};

}  // namespace

RecordedInput read_recorded_input(std::string_view text, const std::string& file, const RecordedColumns& columns) {
  Lines lines(text);
  const auto fail = [&](const std::string& message) { throw Error(at_line(file, lines.number, message)); };
  if (!lines.next()) fail("no line of headings");
  const char separator = separator_of(lines.line);
  const auto fields_here = [&] {
    return fields_of(lines.line.ends_with('\r') ? lines.line.substr(0, lines.line.size() - 1) : lines.line, separator);
  };
  const std::vector<std::string_view> found = fields_here();
  const std::vector<std::string> headings(found.begin(), found.end());
  const auto index_of = [&](const std::string& heading) {
    std::size_t i = 0;
    while (i < headings.size() && headings[i] != heading) ++i;
    if (i == headings.size()) fail(no_such("column", heading, headings));
    return i;
  };
  const std::size_t time_index = index_of(columns.time), value_index = index_of(columns.value);

  RecordedInput recorded;
  while (lines.next()) {
    const auto fields = fields_here();
    if (fields.size() != headings.size())
      fail(std::to_string(fields.size()) + " fields where the heading has " + std::to_string(headings.size()));
    const auto number = [&](std::size_t i) {
      double x = 0;
      const std::string_view field = fields[i];
      const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), x);
      if (problem != std::errc() || end != field.data() + field.size() || !std::isfinite(x))
        fail(headings[i] + " is " + in_quotes(field) + "; a finite number is needed");
      return x;
    };
    const double t = number(time_index), y = number(value_index);
    if (!recorded.time.empty() && !(t > recorded.time.back()))
      fail(columns.time + " is " + shortest(t) + ", which does not come after " + shortest(recorded.time.back()));
    recorded.time.push_back(t);
    recorded.value.push_back(y);
  }
  if (recorded.time.empty()) fail("no rows after the headings");
  return recorded;
}

}  // namespace stickslip
