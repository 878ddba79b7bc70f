/// The logs of a job; see log_files.hpp.
#include "files/log_files.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platform/folder.hpp"
#include "platform/path.hpp"

namespace stickslip::inline files {
namespace {

bool is_pattern(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

/// * is any run of characters, ? is one.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++n, ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++, from = n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Files by their stems, by their paths where two have the same.
void name_by_stem(std::vector<LogFile>& files) {
  for (LogFile& file : files) file.name = stem_of(file.path);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (files[i].name == files[k].name) {
        if (files[i].path == files[k].path) throw Error(one_line(files[i].path) + ": is listed twice");
        for (LogFile& file : files) file.name = file.path;
        return;
      }
}

std::vector<std::string> paths_of(const Section& s, const std::vector<std::string>& instead) {
  std::vector<std::string> given = instead, paths;
  if (instead.empty()) {
    const TomlValue& value = s.value("file", "\"axis.csv\"");
    if (value.kind == TomlValue::Kind::list) {
      if (value.items.empty()) s.fail(value, "file is an empty list");
      for (const TomlValue& item : value.items) {
        if (item.kind != TomlValue::Kind::text) s.fail(item, "file: names in quotes are needed");
        given.push_back(beside(s.file(), item.text));
      }
    } else {
      given.push_back(beside(s.file(), s.text("file", "axis.csv")));
    }
  }
  for (const std::string& one : given) {
    try {
      for (const std::string& path : matching_files(one)) paths.push_back(path);
    } catch (const Error& problem) {
      if (!instead.empty()) throw;
      s.fail(s.value("file"), problem.what());
    }
  }
  return paths;
}

/// [recording] logs: as written in the column.
std::vector<std::string> asked_logs(const Section& s) {
  std::vector<std::string> names;
  const TomlValue& list = s.value("logs");
  if (list.kind != TomlValue::Kind::list || list.items.empty()) s.fail(list, "logs must be a list like [0, 1, 2]");
  for (const TomlValue& item : list.items) {
    if (item.kind != TomlValue::Kind::text && item.kind != TomlValue::Kind::number)
      s.fail(item, "logs lists numbers or words as they appear in the column");
    names.push_back(item.text);
  }
  return names;
}

/// All values of the column of a file, of whatever else it holds.
std::vector<std::string> all_logs(const Section& s, const std::string& path) {
  ReadOptions options;
  options.needed = {};
  options.only_named = true;
  try {
    return values_in(read_recording(path, options), s.text("log", "log_id"));
  } catch (const Error& problem) {
    s.fail(s.value("log"), problem.what());
  }
}

}  // namespace

std::vector<std::string> matching_files(const std::string& pattern) {
  const std::string name = file_name_of(pattern);
  if (!is_pattern(name)) {
    if (is_pattern(pattern))
      throw Error(one_line(pattern) + ": * and ? are allowed in the file name, not in a folder name");
    return {pattern};
  }
  std::vector<std::string> found;
  for (const std::string& file : files_in(folder_of(pattern)))
    if (matches(file, name)) found.push_back(parent_of(pattern).empty() ? file : joined_path(parent_of(pattern), file));
  std::sort(found.begin(), found.end());
  if (found.empty()) throw Error(one_line(pattern) + ": no file matches");
  return found;
}

std::vector<std::string> values_in(const Recording& recording, const std::string& column) {
  std::vector<std::string> found, names;
  const auto add = [&](const std::string& value) {
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  };
  for (const Labels& labels : recording.labels) {
    names.push_back(labels.name);
    if (labels.name == column)
      for (const auto i : labels.index) add(labels.words[i]);
  }
  for (const Column& c : recording.others) {
    names.push_back(c.name);
    const bool is_it = c.name == column || c.name + "_" + c.unit == column;
    if (!is_it || !found.empty()) continue;
    double last = 0;
    for (std::size_t i = 0; i < c.values.size(); ++i)
      if (i == 0 || c.values[i] != last) add(shortest(last = c.values[i]));
  }
  if (found.empty()) throw Error(one_line(recording.file) + ": " + no_such("column", column, names));
  return found;
}

std::string single_value(const Recording& recording, const std::string& column) {
  const std::vector<std::string> values = values_in(recording, column);
  if (values.size() > 1)
    throw Error(one_line(recording.file) + ": " + in_quotes(column) + " changes from " + values[0] + " to " +
                values[1] + " within a log");
  return values.front();
}

std::vector<LogFile> list_log_files(const Section& s, const std::vector<std::string>& instead) {
  std::vector<LogFile> files;
  const std::vector<std::string> paths = paths_of(s, instead);
  if (!s.has("log")) {
    if (s.has("logs")) s.fail(s.value("logs"), "logs are values of a column: name it with log = \"log_id\"");
    for (const std::string& path : paths) files.push_back({path, "", ""});
    name_by_stem(files);
    return files;
  }
  if (paths.size() > 1) s.fail(s.value("log"), "log divides one file; there are " + std::to_string(paths.size()));
  const std::string column = s.text("log", "log_id");
  for (const std::string& value : s.has("logs") ? asked_logs(s) : all_logs(s, paths.front())) {
    if (std::any_of(files.begin(), files.end(), [&](const LogFile& f) { return f.name == value; }))
      s.fail(s.value("logs"), "log " + value + " is listed twice");
    files.push_back({paths.front(), value, column + " = " + value});
  }
  return files;
}

LogFiles read_log_files(const Section& s, const ReadOptions& reading, const std::vector<std::string>& instead) {
  LogFiles logs;
  logs.files = list_log_files(s, instead);
  logs.are_several = logs.files.size() > 1 || s.has("log");
  for (const LogFile& file : logs.files) {
    ReadOptions options = reading;
    if (!file.where.empty()) options.where.push_back({s.text("log", "log_id"), file.name});
    try {
      logs.recordings.push_back(read_recording(file.path, options));
    } catch (const Error& problem) {
      if (!instead.empty()) throw;
      s.fail(s.value("file"), problem.what());
    }
  }
  return logs;
}

}  // namespace stickslip::inline files
