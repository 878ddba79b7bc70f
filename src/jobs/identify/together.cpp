/// Several recordings of one friction; see together.hpp.
#include "jobs/identify/together.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/laws/model_space.hpp"
#include "jobs/identify/own_numbers.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {
namespace {

/// What a law leaves of a recording.
struct Left {
  double rms = 0, unexplained = 0, offset = 0, rms_with_offset = 0;
};

Left left_of(const Prepared& data, const std::vector<double>& predicted) {
  const auto n = static_cast<double>(data.size());
  double mean = 0;
  for (const double f : data.force) mean += f / n;
  double square = 0, size = 0;
  std::array<double, 2> sum{}, count{};  // forward, backward
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double e = data.force[i] - predicted[i];
    square += e * e, size += (data.force[i] - mean) * (data.force[i] - mean);
    if (data.velocity[i] == 0) continue;
    const std::size_t way = data.velocity[i] > 0 ? 0 : 1;
    sum[way] += e, ++count[way];
  }
  Left left{std::sqrt(square / n), size > 0 ? 100 * square / size : 0};
  // Each direction counts the same: friction that is a little off cancels, an offset does not.
  if (count[0] > 0 && count[1] > 0) left.offset = 0.5 * (sum[0] / count[0] + sum[1] / count[1]);
  double rest = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double e = data.force[i] - predicted[i] - left.offset;
    rest += e * e;
  }
  left.rms_with_offset = std::sqrt(rest / n);
  return left;
}

/// By the law that all recordings share, or its means where some numbers are private.
Left left_of(const IdentifiedModel& model, const Prepared& data) {
  return left_of(data, predicted_force(*make_friction(model.model, model.settings), model.chain, data));
}

/// The name that identify() takes for a label: "stribeck per direction" is stribeck with the same options.
std::string name_in(const std::string& label) { return label.substr(0, label.find(' ')); }

/// Fits of one law, without the costly steps that only the common law needs. A cancelled watch ends them, too.
IdentifyOptions options_for(const IdentifyJob& job, const IdentifiedModel& law, IdentifyWatch* watch) {
  IdentifyOptions options = job.options;
  options.models = {name_in(law.label)};
  options.bootstrap = 0;
  options.profile.clear(), options.known.clear();
  options.done = {}, options.watch = watch, options.workers = nullptr;
  return options;
}

/// The law of a fit; cancelled before it was made there is none.
const IdentifiedModel& law_of(const Identification& found) {
  if (found.models.empty()) throw Error("interrupted");
  return found.models.at(found.recommended);
}

/// (1), (2), (4) of the k-th recording.
void fit_without_and_alone(const IdentifyJob& job, std::size_t k, const IdentifyOptions& options, RecordingAlone& one) {
  const Piece& piece = job.sets.pieces[k];
  Sets others = job.sets;
  others.pieces.erase(others.pieces.begin() + static_cast<std::ptrdiff_t>(k));
  for (std::size_t i = 0; i < others.pieces.size(); ++i) others.pieces[i].unit = i;
  IdentifyOptions of_others = options;
  if (others.pieces.size() < 2) of_others.own.clear();  // what is private to one is shared by all that are left
  const Identification without = identify(others, of_others);
  const IdentifiedModel& by_others = law_of(without);
  const Left left = left_of(by_others, piece.data);
  one.left_out_rms = left.rms, one.left_out_unexplained = left.unexplained;
  IdentifyOptions plain = options;
  plain.own.clear();
  Sets only{{piece}, job.sets.how};
  only.pieces.front().unit = 0;
  if (!options.own.empty()) {
    const IdentifiedModel adapted = fit_own(only, by_others, options.own, plain);
    one.adapted_rms = quality_along(piece, predicted_force(adapted, only.pieces.front())).rms;
  }
  const Identification alone = identify(only, plain);
  const IdentifiedModel& own = law_of(alone);
  one.alone_rms = left_of(own, piece.data).rms;
  one.parameters = own.confidence.estimates;
}

RecordingAlone examined(const IdentifyJob& job, std::size_t k, const IdentifiedModel& law,
                        const IdentifyOptions& options) {
  const Piece& piece = job.sets.pieces[k];
  RecordingAlone one{.name = file_name_of(piece.data.file)};
  const Left all = left_of(piece.data, predicted_force(law, piece));
  one.rms = all.rms, one.unexplained = all.unexplained;
  one.offset = all.offset, one.rms_with_offset = all.rms_with_offset;
  one.left_out_rms = one.left_out_unexplained = one.alone_rms = one.adapted_rms = std::nan("");
  try {
    fit_without_and_alone(job, k, options, one);
  } catch (const Error& problem) {
    one.problem = problem.what();
  }
  return one;
}

/// The progress of single fits would be told as that of all: they have none while this lives.
class WithoutProgress {
 public:
  explicit WithoutProgress(IdentifyWatch* watch) : watch_(watch) {
    if (watch_) progress_ = std::exchange(watch_->progress, {});
  }
  ~WithoutProgress() {
    if (watch_) watch_->progress = std::move(progress_);
  }
  WithoutProgress(const WithoutProgress&) = delete;
  WithoutProgress& operator=(const WithoutProgress&) = delete;
  void say(double share) const {
    if (progress_) progress_("each recording", share);
  }

 private:
  IdentifyWatch* watch_;
  std::function<void(const std::string&, double)> progress_;
};

}  // namespace

std::optional<Together> examine_together(const IdentifyJob& job, const Identification& found, IdentifyWatch* watch) {
  if (job.sets.pieces.size() < 2)
    throw Error("--together compares recordings; there is one: give several, or leave it out");
  const IdentifiedModel& law = found.models.at(found.recommended);
  Together together{law.label, {}, {}, job.options.own};
  const IdentifyOptions options = options_for(job, law, watch);
  const WithoutProgress progress(watch);
  for (std::size_t k = 0; k < job.sets.pieces.size(); ++k) {
    together.recordings.push_back(examined(job, k, law, options));
    if (watch && watch->cancel) return {};
    progress.say(static_cast<double>(k + 1) / static_cast<double>(job.sets.pieces.size()));
  }
  const ModelDescription& model = find_model(law.model).description();
  for (const Estimate& e : law.confidence.estimates) {
    if (unit_in(e.key).value_or(0) > 0) continue;  // once for all recordings
    const std::string key = shared_key(e.key);
    std::vector<Estimate> values;
    for (const RecordingAlone& one : together.recordings)
      for (const Estimate& own : one.parameters)
        if (own.key == key) values.push_back(own);
    if (values.size() == together.recordings.size())
      together.spreads.push_back(spread_of(plain_key(key), unit_of_key(model, plain_key(key), job.motion), values));
  }
  return together;
}

TextTable together_table(const Together& together, MotionKind motion) {
  const std::string force = unit_for(motion, "N");
  const auto size = [&](double v) { return std::isfinite(v) ? with_unit(v, force, 3) : std::string("-"); };
  const auto share = [](double v) { return std::isfinite(v) ? significant(v, 3) + " %" : std::string("-"); };
  TextTable table{.columns = {"recording", "rms", "unexplained", "left out: rms", "left out: unexplained",
                              "fitted alone: rms", "own offset", "rms with it"},
                  .rows = {}};
  for (const RecordingAlone& r : together.recordings)
    table.rows.push_back({r.name, size(r.rms), share(r.unexplained), size(r.left_out_rms),
                          share(r.left_out_unexplained), size(r.alone_rms), size(r.offset), size(r.rms_with_offset)});
  if (together.own.empty()) return table;
  constexpr std::ptrdiff_t behind = 5;
  table.columns.insert(table.columns.begin() + behind, "left out, private fitted: rms");
  for (std::size_t k = 0; k < table.rows.size(); ++k)
    table.rows[k].insert(table.rows[k].begin() + behind, size(together.recordings[k].adapted_rms));
  return table;
}

std::string together_note(const Together& together) {
  std::string note =
      "errors over all samples of each recording, estimation samples and run-in included; left out: predicted by a "
      "fit to the other recordings";
  if (!together.own.empty())
    note += ", its private " + joined(together.own, " and ") +
            " taken as the mean of theirs; private fitted: the shared numbers of the others, and " +
            joined(together.own, " and ") + " fitted to its estimation samples, error over the samples that were not";
  return note;
}

TextTable together_spread_table(const Together& together) {
  TextTable table{.columns = {"parameter"}, .rows = {}};
  for (const RecordingAlone& r : together.recordings) table.columns.push_back(r.name);
  for (const char* column : {"mean", "spread", "95 %", "from errors alone"}) table.columns.emplace_back(column);
  for (const Spread& s : together.spreads) {
    std::vector<std::string> row{s.key};
    for (const RecordingAlone& r : together.recordings)
      for (const Estimate& e : r.parameters)
        if (plain_key(e.key) == s.key) row.push_back(with_unit(e.value, s.unit, 4));
    row.insert(row.end(), {with_unit(s.mean, s.unit, 4), with_unit(s.deviation, s.unit, 2),
                           with_unit(s.low, s.unit, 2) + " to " + with_unit(s.high, s.unit, 2),
                           std::isfinite(s.expected) ? with_unit(s.expected, s.unit, 2) : "not known"});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json together_json(const Together& together) {
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(); };
  Json recordings = Json::array(), spreads = Json::array();
  for (const RecordingAlone& r : together.recordings) {
    Json parameters = Json::array();
    for (const Estimate& e : r.parameters)
      parameters.push_back(
          Json::object({{"key", plain_key(e.key)}, {"value", e.value}, {"standard_error", number(e.standard_error)}}));
    Json one = Json::object({{"recording", r.name},
                             {"rms", r.rms},
                             {"unexplained_percent", r.unexplained},
                             {"offset", r.offset},
                             {"rms_with_offset", r.rms_with_offset},
                             {"left_out_rms", number(r.left_out_rms)},
                             {"left_out_unexplained_percent", number(r.left_out_unexplained)},
                             {"alone_rms", number(r.alone_rms)},
                             {"problem", r.problem},
                             {"parameters", parameters}});
    if (!together.own.empty()) one["left_out_private_fitted_rms"] = number(r.adapted_rms);
    recordings.push_back(one);
  }
  for (const Spread& s : together.spreads)
    spreads.push_back(Json::object({{"key", s.key},
                                    {"unit", s.unit},
                                    {"mean", s.mean},
                                    {"standard_deviation", s.deviation},
                                    {"low", s.low},
                                    {"high", number(s.high)},
                                    {"expected_from_errors", number(s.expected)},
                                    {"of_units", number(s.own)}}));
  return Json::object({{"law", together.label}, {"recordings", recordings}, {"spreads", spreads}});
}

std::vector<std::string> together_remarks(const Together& together, MotionKind motion) {
  const std::string force = unit_for(motion, "N");
  std::vector<std::string> remarks;
  for (const RecordingAlone& r : together.recordings)
    remarks.push_back(r.name + ": " + with_unit(r.rms, force, 3) + " rms over all samples" +
                      (std::isfinite(r.left_out_rms)
                           ? ", " + with_unit(r.left_out_rms, force, 3) + " rms predicted by the other recordings"
                           : "") +
                      (std::isfinite(r.adapted_rms)
                           ? ", " + with_unit(r.adapted_rms, force, 3) + " rms with its private numbers fitted"
                           : "") +
                      (r.problem.empty() ? "" : "; " + one_line(r.problem, 120)));
  return remarks;
}

}  // namespace stickslip::inline jobs
