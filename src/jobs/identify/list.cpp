/// A list of recordings; see list.hpp.
#include "jobs/identify/list.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "files/toml_section.hpp"
#include "files/whole_file.hpp"
#include "jobs/identify/state.hpp"
#include "platform/number.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {
namespace {

// --- results as text -------------------------------------------------------------------------------------------------

std::string words_text(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const std::string& word : words) texts.push_back(json_string(word));
  return "[" + joined(texts) + "]";
}

/// `contents`, of the files, only on the way from one program to the other.
std::string result_text(const ListedResult& r, const std::vector<std::string>& contents) {
  std::vector<std::string> paths, whats;
  for (const WrittenFile& file : r.files) paths.push_back(file.path), whats.push_back(file.what);
  return "[[recording]]\nfile = " + json_string(r.recording) + "\nkey = " + json_string(r.key) +
         "\nmodel = " + json_string(r.model) + "\nparameters = " + json_string(r.parameters) +
         "\nunexplained = " + json_string(r.unexplained) + "\nrms = " + json_string(r.rms) +
         "\nrms_unit = " + json_string(r.rms_unit) + "\njudged_on = " + json_string(r.judged_on) +
         "\nverdict = " + json_string(r.verdict) + "\nis_explained = " + (r.is_explained ? "true" : "false") +
         "\npaths = " + words_text(paths) + "\nwhats = " + words_text(whats) +
         (contents.empty() ? "" : "\ncontents = " + words_text(contents)) + "\n";
}

/// A state is a file, and may hold anything.
const TomlValue& value_in(const Section& s, const char* key, TomlValue::Kind kind) {
  const TomlValue* value = s.table().find(key);
  if (!value || value->kind != kind)
    s.fail(value ? *value : s.table(),
           "the state is damaged at " + in_quotes(key) + "; leave out --resume to start over");
  return *value;
}
std::vector<std::string> words_in(const Section& s, const char* key) {
  std::vector<std::string> words;
  for (const TomlValue& item : value_in(s, key, TomlValue::Kind::list).items) {
    if (item.kind != TomlValue::Kind::text)
      s.fail(item, "the state is damaged at " + in_quotes(key) + "; leave out --resume to start over");
    words.push_back(item.text);
  }
  return words;
}
std::string word_in(const Section& s, const char* key) { return value_in(s, key, TomlValue::Kind::text).text; }

ListedResult result_in(const Section& s) {
  ListedResult r{word_in(s, "file"),
                 word_in(s, "key"),
                 word_in(s, "model"),
                 word_in(s, "parameters"),
                 word_in(s, "unexplained"),
                 word_in(s, "rms"),
                 word_in(s, "rms_unit"),
                 word_in(s, "judged_on"),
                 word_in(s, "verdict"),
                 {},
                 false};
  r.is_explained = value_in(s, "is_explained", TomlValue::Kind::boolean).is_true;
  const auto paths = words_in(s, "paths"), whats = words_in(s, "whats");
  if (paths.size() != whats.size())
    s.fail(s.table(), "the state is damaged: not as many 'whats' as 'paths'; leave out --resume to start over");
  for (std::size_t i = 0; i < paths.size(); ++i) r.files.push_back({paths[i], whats[i]});
  return r;
}

/// A number as result_text() wrote it.
double number_in(const std::string& text) {
  double value = std::nan("");
  read_number(text.data(), text.data() + text.size(), value);
  return value;
}

/// Nothing for no state.
std::vector<ListedResult> results_in(const std::string& text, const std::string& path) {
  std::vector<ListedResult> all;
  if (text.empty()) return all;
  const TomlValue document = parse_toml(text, path);
  const Section file(document, "", path);
  file.knows({"machine", "recording"});
  check_numbers(file);
  if (!file.has("recording")) return all;
  for (const TomlValue& item : value_in(file, "recording", TomlValue::Kind::list).items) {
    if (item.kind != TomlValue::Kind::table)
      file.fail(item, "no result of a recording; leave out --resume to start over");
    all.push_back(result_in(Section(item, "recording", path)));
  }
  return all;
}

/// What is done, and what was done before and has not been looked at yet.
std::string state_text(const std::vector<ListedResult>& results, const std::vector<ListedResult>& known) {
  std::string text = "# State for `stickslip identify --each --resume`; written by the program.\nmachine = " +
                     json_string(number_signature()) + "\n";
  std::set<std::string> done;
  for (const ListedResult& r : results)
    if (!r.recording.empty()) text += result_text(r, {}), done.insert(r.recording);
  for (const ListedResult& r : known)
    if (!done.contains(r.recording)) text += result_text(r, {});
  return text;
}

// --- one recording ---------------------------------------------------------------------------------------------------

/// The first of the known results that is this recording with these options, and whose files are there.
const ListedResult* known_result(const std::vector<ListedResult>& known, const ListedResult& wanted) {
  for (const ListedResult& r : known) {
    const bool has_files = std::all_of(r.files.begin(), r.files.end(), [](const auto& f) { return exists(f.path); });
    if (r.recording == wanted.recording && r.key == wanted.key && !r.key.empty() && has_files) return &r;
  }
  return nullptr;
}

std::string identified_text(const std::string& recording, const std::function<ListedJob(const std::string&)>& prepare,
                            const std::vector<ListedResult>& known, const ListOptions& options) {
  ListedResult r;
  r.recording = recording;
  std::vector<std::string> contents;
  try {
    const ListedJob listed = prepare(recording);
    r.key = list_key(listed.job);
    if (const ListedResult* before = known_result(known, r)) return result_text(*before, {});
    const IdentifyRun run = run_identify(listed.job, {}, {.watch = options.watch});
    const Identification& found = run.found;
    if (!run.is_complete || found.models.empty()) return "";
    const IdentifiedModel& best = found.models[found.recommended];
    r.model = best.label;
    r.parameters = std::to_string(best.parameters);
    const JudgedSet judged = judged_set(best);
    r.unexplained = shortest(judged.quality.noe);
    r.rms = shortest(judged.rms);
    r.rms_unit = unit_for(listed.job.motion, "N");
    r.judged_on = judged.name;
    r.is_explained = found.explanation.verdict != Explained::not_at_all;
    r.verdict = !r.is_explained                                ? "not explained"
                : found.explanation.verdict == Explained::well ? "explained"
                                                               : "partly";
    for (IdentifiedFile& file : identified_files(listed.job, run, listed.files, {options.command, listed.sources})) {
      r.files.push_back(file.written);
      contents.push_back(std::move(file.content));
    }
  } catch (const Error& problem) {
    if (options.watch && options.watch->cancel) return "";  // what is cut short says nothing of the recording
    r.key.clear();                                          // tried again when the list is resumed
    r.verdict = one_line(problem.what(), 400);
  }
  return result_text(r, contents);
}

}  // namespace

std::string list_key(const IdentifyJob& job) {
  return state_key(job) + (job.options.explore ? " explore " : " ") + joined(job.options.models, " ");
}

std::vector<ListedResult> identify_list(const std::vector<std::string>& recordings,
                                        const std::function<ListedJob(const std::string&)>& prepare,
                                        const ListOptions& options) {
  Threads here(1);  // each recording has all threads
  Workers& workers = options.workers ? *options.workers : here;
  std::string state;
  if (workers.is_first() && options.resume) {
    if (exists(options.state))
      state = read_whole(options.state);
    else
      options.warn(nothing_to_resume(options.state));
  }
  state = workers.from_first(state);
  const std::vector<ListedResult> known = results_in(state, options.state);
  std::vector<ListedResult> results(recordings.size());
  std::size_t done = 0;
  workers.share(
      recordings.size(), Audience::first,
      [&](std::size_t i) -> std::optional<std::string> {
        if (options.watch && options.watch->cancel) return std::nullopt;
        const std::string text = identified_text(recordings[i], prepare, known, options);
        if (text.empty()) return std::nullopt;
        return text;
      },
      [&](std::size_t i, std::string_view text) {
        const std::string name = "result";  // sections keep where it is
        const TomlValue document = parse_toml(std::string(text), name);
        const Section table(document.find("recording")->items.at(0), "recording", name);
        results[i] = result_in(table);
        const std::vector<std::string> contents =
            table.has("contents") ? words_in(table, "contents") : std::vector<std::string>();
        WholeFiles files;
        for (std::size_t k = 0; k < contents.size() && k < results[i].files.size(); ++k)
          files.add(results[i].files[k].path, contents[k]);
        files.keep();
        if (!options.state.empty()) write_whole(options.state, state_text(results, known));
        ++done;
        if (options.watch && options.watch->progress)
          options.watch->progress(recordings[i], static_cast<double>(done) / static_cast<double>(recordings.size()));
      });
  return results;
}

TextTable list_table(const std::vector<ListedResult>& results) {
  TextTable table{.columns = {"recording", "model", "parameters", "unexplained", "rms error", "judged on", "verdict"}};
  for (const ListedResult& r : results)
    table.rows.push_back({r.recording, r.model, r.parameters,
                          r.unexplained.empty() ? "" : significant(number_in(r.unexplained), 3) + " %",
                          r.rms.empty() ? "" : with_unit(number_in(r.rms), r.rms_unit, 3),
                          r.judged_on.empty() ? "" : r.judged_on + " samples", r.verdict});
  return table;
}

std::string list_csv(const std::vector<ListedResult>& results) {
  const auto field = [](const std::string& written) {
    const std::string text = one_line(written, std::string::npos);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  };
  std::string text = "recording,model,parameters,unexplained_percent,rms,rms_unit,judged_on,verdict\n";
  for (const ListedResult& r : results)
    text += field(r.recording) + "," + field(r.model) + "," + r.parameters + "," + r.unexplained + "," + r.rms + "," +
            r.rms_unit + "," + r.judged_on + "," + field(r.verdict) + "\n";
  return text;
}

Json list_json(const std::vector<ListedResult>& results) {
  const auto number = [](const std::string& text) { return text.empty() ? Json() : Json(number_in(text)); };
  Json list = Json::array();
  for (const ListedResult& r : results) {
    Json files = Json::array();
    for (const WrittenFile& file : r.files) files.push_back(file.path);
    list.push_back(Json::object({{"recording", r.recording},
                                 {"recommended", r.is_explained ? Json(r.model) : Json()},
                                 {"best", r.model.empty() ? Json() : Json(r.model)},
                                 {"parameters", number(r.parameters)},
                                 {"unexplained_percent", number(r.unexplained)},
                                 {"rms", number(r.rms)},
                                 {"rms_unit", r.rms_unit},
                                 {"judged_on", r.judged_on},
                                 {"verdict", r.verdict},
                                 {"written", files}}));
  }
  return list;
}

ListedPlaces::ListedPlaces(const std::vector<std::string>& recordings, std::string folder)
    : folder_(std::move(folder)), recordings_(recordings) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  for (const std::string& file : recordings) {
    if (std::find(stems_.begin(), stems_.end(), stem_of(file)) != stems_.end())
      throw Error("two recordings are called " + in_quotes(stem_of(file)) +
                  "; their results would have the same file name");
    stems_.push_back(stem_of(file));
  }
}

std::string ListedPlaces::of(const std::string& name) const {
  return folder_.empty() || folder_ == "." ? name : joined_path(folder_, name);
}

void ListedPlaces::check_result(const std::string& path) const {
  check_file_name(path);
  if (is_directory(path)) throw Error("cannot write " + in_quotes(path) + ": it is a directory");
  if (was_read(path))
    throw Error("the result would replace " + in_quotes(path) + ", which this run reads; name another folder with -o");
}

void ListedPlaces::make() const {
  for (const std::string& recording : recordings_) mark_read(recording);
  check_result(summary());
  for (const std::string& recording : recordings_) {
    const IdentifyFiles files = files_of(recording);
    check_result(files.model), check_result(files.report);
  }
  check_state_place(state());
  make_directory(folder_.empty() ? "." : folder_);
}

IdentifyFiles ListedPlaces::files_of(const std::string& recording) const {
  const std::string stem = of(stem_of(recording));
  return {.model = stem + ".model.toml", .report = stem + ".html"};
}

void ListedPlaces::conclude(const std::vector<ListedResult>& results) const {
  write_whole(summary(), list_csv(results));
  remove_file(state());
}

}  // namespace stickslip::inline jobs
