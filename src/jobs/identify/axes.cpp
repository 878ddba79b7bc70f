/// Several axes in one file; see axes.hpp.
#include "jobs/identify/axes.hpp"

#include <algorithm>
#include <cctype>

#include "core/error.hpp"
#include "core/text.hpp"
#include "jobs/identify/options.hpp"

namespace stickslip::inline jobs {
namespace {

std::string with_axis(std::string text, const std::string& axis) {
  for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + axis.size()))
    text.replace(at, 1, axis);
  return text;
}

/// The words with a # among the headings and calculations that are asked for: 'i# * 0.05 N m/A' has one.
std::vector<std::string> patterns_in(const ColumnMap& wanted) {
  std::vector<std::string> patterns;
  for (const Role role : all_roles)
    if (const std::string& text = of(wanted, role); text.find('#') != std::string::npos) {
      std::string word;
      for (const char c : text + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#' || c == '.') {
          word += c;
          continue;
        }
        if (word.find('#') != std::string::npos) patterns.push_back(word);
        word.clear();
      }
    }
  return patterns;
}

}  // namespace

std::vector<std::string> axes_in(const std::string& file, const ReadOptions& asked_reading, const std::string& asked) {
  ReadOptions reading = asked_reading;
  const std::vector<std::string> patterns = patterns_in(reading.columns);
  reading.columns = {}, reading.gains = {}, reading.drive = {}, reading.needed = {}, reading.numbers = {};
  reading.only_named = true;
  const Recording recording = read_recording(file, reading);
  std::vector<std::string> names;
  for (const Column& column : recording.others) names.push_back(column.name);
  if (patterns.empty())
    throw Error("--axis needs a # in place of the axis number, as in --position 'q#' --force 'tau#'");
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  std::vector<std::string> found;
  const std::string &first = patterns.front(), before = first.substr(0, first.find('#')),
                    after = first.substr(first.find('#') + 1);
  for (const std::string& name : names) {
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) continue;
    const std::string axis = name.substr(before.size(), name.size() - before.size() - after.size());
    const bool all =
        std::all_of(patterns.begin(), patterns.end(), [&](const auto& p) { return has(with_axis(p, axis)); });
    if (all) found.push_back(axis);
  }
  if (found.empty())
    throw Error(one_line(file) + ": no columns " + joined(patterns) + "; there is " + one_line(joined(names), 80));
  if (asked == "*") return found;
  std::vector<std::string> chosen;
  for (const std::string& axis : parts_of(asked, ',')) {
    if (std::find(found.begin(), found.end(), axis) == found.end())
      throw Error("--axis: " + no_such("axis", axis, found));
    if (std::find(chosen.begin(), chosen.end(), axis) != chosen.end())
      throw Error("--axis is " + in_quotes(one_line(asked, 60)) + ": axis " + in_quotes(axis) +
                  " is there twice; name each once");
    chosen.push_back(axis);
  }
  return chosen;
}

ReadOptions reading_of_axis(ReadOptions reading, const std::vector<std::string>& axes, std::size_t k) {
  const auto part = [&](std::string& text, const char* option) { text = part_of_axis(text, k, axes.size(), option); };
  for (const Role role : all_roles) {
    of(reading.columns, role) = with_axis(of(reading.columns, role), axes[k]);
    part(of(reading.gains, role), "a gain");
  }
  part(reading.drive.torque_constant, "--torque-constant"), part(reading.drive.gear, "--gear");
  part(reading.drive.pitch, "--pitch"), part(reading.drive.counts_per_turn, "--counts-per-turn");
  part(reading.drive.resistance, "--resistance"), part(reading.drive.back_emf, "--back-emf");
  return reading;
}

std::string part_of_axis(const std::string& text, std::size_t k, std::size_t axes, const std::string& option) {
  if (text.find(';') == std::string::npos) return text;
  const std::vector<std::string> parts = parts_of(text, ';');
  if (parts.size() != axes)
    throw Error(option + " has " + std::to_string(parts.size()) + " parts where there are " + std::to_string(axes) +
                " axes");
  return std::string(trimmed(parts[k]));
}

std::string path_of_axis(const std::string& path, const std::string& axis) {
  if (path.empty()) return path;
  const auto slash = path.rfind('/');
  const auto dot = path.find('.', slash == std::string::npos ? 0 : slash + 1);
  return path.substr(0, dot) + "-" + axis + (dot == std::string::npos ? "" : path.substr(dot));
}

}  // namespace stickslip::inline jobs
