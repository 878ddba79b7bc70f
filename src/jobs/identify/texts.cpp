/// What `stickslip identify` says; see texts.hpp.
#include "jobs/identify/texts.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/identify/own_numbers.hpp"
#include "report/terminal.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline jobs {
namespace {

std::string percent(double noe) { return significant(noe, 3) + " %"; }

/// Half of the interval, "open" where the recording sets no end to it.
std::string half_width(const IdentifiedModel& model, const Estimate* e, const std::string& unit) {
  if (!e) return "";
  if (is_open_above(model, *e)) return "open";
  if (e->verdict == Determination::at_bound) {  // a bound is no interval; its profile may end on the other side
    if (e->high > e->value && std::isfinite(e->high)) return "< " + with_unit(e->high, unit, 2);
    return "-";
  }
  const double half = 0.5 * (e->high - e->low);
  return std::isfinite(half) ? with_unit(half, unit, 2) : "open";
}

std::string verdict_words(const Estimate* e) {
  if (!e) return "as given";
  if (!e->partner.empty()) return std::string(name_of(e->verdict)) + " from " + plain_key(e->partner);
  return std::string(name_of(e->verdict)) + (e->companion.empty() ? "" : ", moves with " + plain_key(e->companion));
}

std::string recording_words(const IdentifyJob& job) {
  std::string text = job.recording;
  const SetCounts c = counts_of(job.sets);
  std::size_t all = 0;
  for (const Piece& piece : job.sets.pieces) all += piece.data.size();
  text += ": " + std::to_string(all) + " samples";
  if (job.sets.pieces.size() == 1)
    text += " at " + with_unit(1 / job.sets.pieces.front().data.sampling_time, "Hz");
  else
    text += " in " + std::to_string(job.sets.pieces.size()) + " pieces";
  return text + "; " + std::to_string(c.estimation) + " estimate, " + std::to_string(c.validation) + " validate, " +
         std::to_string(c.test) + " test (" + job.sets.how + ")\n";
}

/// What inverse dynamics found beforehand, with 95 % intervals.
std::string settled_words(const IdentifyJob& job) {
  std::string text;
  const auto add = [&](const std::string& name, const Estimate& e, const std::string& unit) {
    text += (text.empty() ? "" : ", ") + name + " " + with_unit(e.value, unit, 4) + " ± " +
            with_unit(0.5 * (e.high - e.low), unit, 2);
  };
  const std::string force = unit_for(job.motion, "N");
  for (const Estimate& e : job.settled->terms) {
    if (e.key == "mass") add(job.motion == MotionKind::rotary ? "inertia" : "mass", e, unit_for(job.motion, "kg"));
    if (e.key.starts_with("gravity") || e.key.starts_with("cogging")) {
      std::string name = e.key;
      std::replace(name.begin(), name.end(), '_', ' ');
      add(name, e, force);
    }
  }
  if (!job.settled->load.knots.empty())
    text += (text.empty() ? "" : ", ") + std::string("a load over position at ") +
            std::to_string(job.settled->load.knots.size()) + " places";
  return "by inverse dynamics of the " + std::to_string(job.settled->samples) + " samples that slide: " + text +
         " (95 %)";
}

/// How many samples of the sets lie in the run-in, where the states of a law are not known, and are not compared.
std::size_t run_in_samples(const IdentifiedModel& m, const SetCounts& counts) {
  const std::size_t all = counts.estimation + counts.validation + counts.test;
  const std::size_t compared = m.estimation.samples + m.validation.samples + m.test.samples;
  return all > compared ? all - compared : 0;
}

/// The headline, without the words that are already above it.
std::string below_title(const Explanation& explained, bool is_recommended) {
  std::string text = explained.headline + ".";
  const auto colon = text.find(": ");
  if (is_recommended || colon == std::string::npos) return text;
  text.erase(0, colon + 2);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// What sets a candidate apart; errors that are not white, and the low-pass, are said of the recommended one only.
std::string short_remark(const IdentifiedModel& m) {
  if (!m.complete) return "interrupted";
  for (const std::string& remark : m.remarks)
    if (!remark.starts_with("the residuals are not white") && !remark.starts_with("the low-pass") &&
        !remark.starts_with("the cutoff of the position") && !remark.starts_with("sensors and low-pass") &&
        !remark.starts_with("robust loss"))
      return one_line(remark, 60);
  return "";
}

/// The other laws of its group, which have the same force here: "= karnopp, hybrid".
std::string group_words(const Identification& found, const IdentifiedModel& m) {
  std::string text;
  for (const IdentifiedModel& other : found.models)
    if (other.group == m.group && other.label != m.label) text += (text.empty() ? "= " : ", ") + other.label;
  return text;
}

/// The meaning of the labels of the first `most` models, if a label is not the model's name.
std::string label_words(const Identification& found, std::size_t most) {
  std::string text;
  const std::pair<const char*, const char*> meanings[] = {
      {"LG", "LG: lugre with the rational Stribeck curve, fitted by regression"},
      {"NLR(", "NLR(n): maxwell-slip with n springs"},
      {"DNLRX(", "DNLRX(n,...): extended-maxwell-slip"}};
  for (const auto& [label, meaning] : meanings)
    for (std::size_t i = 0; i < std::min(most, found.models.size()); ++i)
      if (found.models[i].label.starts_with(label)) {
        text += std::string("; ") + meaning;
        break;
      }
  return text;
}

bool has_groups(const Identification& found) {
  return std::any_of(found.models.begin(), found.models.end(),
                     [](const IdentifiedModel& m) { return !m.group.empty() && m.group != m.label; });
}

/// A row per group of laws with the same force; with `apart` one for each law.
TextTable ranking(const Identification& found, const SetCounts& counts, std::size_t most, const std::string& unit,
                  bool apart) {
  TextTable table{.columns = {"", "model", "parameters", "ranked by rms", "NOE estimation"}, .rows = {}};
  if (counts.validation > 0) table.columns.push_back("NOE validation");
  if (counts.test > 0) table.columns.push_back("NOE test");
  table.columns.push_back("remark");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    const IdentifiedModel& m = found.models[i];
    if (!apart && m.label != m.group && !m.group.empty()) continue;
    if (shown >= most && i != found.recommended) continue;
    ++shown;
    std::vector<std::string> row{i != found.recommended                               ? ""
                                 : found.explanation.verdict == Explained::not_at_all ? "?"
                                                                                      : ">",
                                 m.label, std::to_string(m.parameters), with_unit(m.ranked_rms, unit, 3),
                                 percent(m.estimation.noe)};
    if (counts.validation > 0) row.push_back(percent(m.validation.noe));
    if (counts.test > 0) row.push_back(percent(m.test.noe));
    const std::string same = apart ? "" : group_words(found, m), remark = short_remark(m);
    row.push_back(same + (same.empty() || remark.empty() ? "" : "; ") + remark);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json quality_json(const FitQuality& q, double rms, std::size_t samples) {
  if (samples == 0) return Json();
  return Json::object({{"samples", samples},
                       {"compared_samples", q.samples},
                       {"noe_percent", q.noe},
                       {"largest_error", q.largest_error},
                       {"rms", rms},
                       {"cost", q.cost}});
}

Json estimates_json(const Confidence& confidence) {
  Json list = Json::array();
  for (const Estimate& e : confidence.estimates) {
    Json one = Json::object({{"key", plain_key(e.key)},
                             {"value", e.value},
                             {"standard_error", e.standard_error},
                             {"low", e.low},
                             {"high", e.high},
                             {"verdict", name_of(e.verdict)},
                             {"not_separable_from", e.partner.empty() ? Json() : Json(plain_key(e.partner))},
                             {"moves_with", e.companion.empty() ? Json() : Json(plain_key(e.companion))},
                             {"correlation", e.companion.empty() ? Json() : Json(e.companion_correlation)}});
    if (e.prior_error > 0) one["prior"] = Json::object({{"value", e.prior}, {"standard_deviation", e.prior_error}});
    list.push_back(one);
  }
  return list;
}

Json settings_json(const ParameterValues& values) {
  Json out = Json::object();
  for (const auto& [key, value] : values) std::visit([&, &name = key](const auto& v) { out[name] = Json(v); }, value);
  return out;
}

double value_of(const IdentifiedModel& m, const std::string& key) {
  for (const Estimate& e : m.confidence.estimates)
    if (e.key == key) return e.value;
  return 0;
}

/// One line for all that are parabolas, one for each other.
std::vector<std::string> profile_words(const IdentifiedModel& m) {
  std::vector<std::string> lines;
  std::size_t parabolas = 0;
  for (const Profile& p : m.profiles) {
    const std::string shape = shape_of(p, value_of(m, p.key));
    if (shape == "a parabola")
      ++parabolas;
    else
      lines.push_back(plain_key(p.key) + ": " + shape);
  }
  const std::string all = std::to_string(m.profiles.size());
  if (parabolas > 0)
    lines.insert(lines.begin(), parabolas == m.profiles.size()
                                    ? "all " + all + " are parabolic: the intervals are symmetric"
                                    : std::to_string(parabolas) + " of " + all + " are parabolic");
  return lines;
}

Json model_json(const IdentifiedModel& m, const SetCounts& counts) {
  Json profiles = Json::array();
  for (const Profile& p : m.profiles) {
    Json points = Json::array();
    for (const ProfilePoint& point : p.points)
      points.push_back(Json::object({{"value", point.value}, {"cost", point.cost}}));
    profiles.push_back(Json::object({{"key", plain_key(p.key)},
                                     {"low", p.low},
                                     {"high", p.high},
                                     {"shape", shape_of(p, value_of(m, p.key))},
                                     {"points", points}}));
  }
  return Json::object({{"model", m.model},
                       {"label", m.label},
                       {"group", m.group},
                       {"complete", m.complete},
                       {"parameters", m.parameters},
                       {"settings", settings_json(m.settings.values)},
                       {"backward", settings_json(m.settings.backward)},
                       {"offset", m.chain.offset},
                       {"lag_s", m.chain.lag},
                       {"backlash", m.chain.backlash},
                       {"estimation", quality_json(m.estimation, m.estimation_rms, counts.estimation)},
                       {"validation", quality_json(m.validation, m.validation_rms, counts.validation)},
                       {"test", quality_json(m.test, m.test_rms, counts.test)},
                       {"unexplained_percent", judged_set(m).quality.noe},
                       {"unexplained_in_motion_percent", m.unexplained},
                       {"ranked_rms", m.ranked_rms},
                       {"estimates", estimates_json(m.confidence)},
                       {"bootstrap", estimates_json(m.bootstrap)},
                       {"profiles", profiles},
                       {"left_out_samples", m.left_out},
                       {"whiteness_p", m.whiteness},
                       {"remarks", Json(m.remarks)},
                       {"advice", Json(m.advice)}});
}

}  // namespace

std::string quality_words(const FitQuality& quality, double rms, MotionKind motion) {
  return with_unit(rms, unit_for(motion, "N"), 3) + " rms, " + percent(quality.noe) +
         " of the force's variance, at most " + with_unit(quality.largest_error, unit_for(motion, "N"), 3);
}

TextTable parameter_text_table(const IdentifiedModel& model, MotionKind motion) {
  TextTable table{.columns = {"parameter", "value", "± (95 %)", "verdict", "meaning"}, .rows = {}};
  for (const ParameterRow& row : parameter_rows(model, motion))
    table.rows.push_back({row.key, with_unit(row.value, row.unit, 4), half_width(model, row.estimate, row.unit),
                          verdict_words(row.estimate) + (row.estimate ? prior_words(*row.estimate, row.unit) : ""),
                          (row.symbol.empty() ? "" : row.symbol + ", ") + row.meaning});
  return table;
}

/// Intervals of the bootstrap, and of the profiles that were asked for or are no parabolas.
static TextTable interval_text_table(const IdentifiedModel& model, MotionKind motion,
                                     const std::vector<std::string>& asked) {
  TextTable table{.columns = {"parameter", "95 % from", "to", "by"}, .rows = {}};
  struct Ends {
    bool below = true, above = true;  // the interval ends on that side
  };
  const auto add = [&](const std::string& key, double low, double high, const char* by, Ends ends = {}) {
    std::string unit;
    for (const ParameterRow& row : parameter_rows(model, motion))
      if (row.key == key) unit = row.unit;
    const auto end = [&](double x, bool is_end) {
      return is_end && std::isfinite(x) ? with_unit(x, unit, 4) : std::string("open");
    };
    table.rows.push_back({key, end(low, ends.below), end(high, ends.above), by});
  };
  for (const Estimate& e : model.bootstrap.estimates) add(plain_key(e.key), e.low, e.high, "bootstrap");
  for (const Profile& p : model.profiles)
    if (std::find(asked.begin(), asked.end(), plain_key(p.key)) != asked.end() ||
        shape_of(p, value_of(model, p.key)) != "a parabola")
      add(plain_key(p.key), p.low, p.high, "profile likelihood", {p.ends_below, p.ends_above});
  return table;
}

TextTable published_table(const IdentifyJob& job, const Identification& found) {
  TextTable table{.columns = {"method", "NOE", "MAX", "parameters"}, .rows = {}};
  for (const IdentifiedModel& m : found.models) {
    const JudgedSet judged = judged_set(m);
    table.rows.push_back({m.label, percent(judged.quality.noe),
                          with_unit(judged.quality.largest_error, unit_for(job.motion, "N"), 3),
                          std::to_string(m.parameters)});
  }
  return table;
}

TextTable order_table(const Identification& found) {
  TextTable table{.columns = {"order", "operators", "parameters", "NOE estimation", "NOE validation", "NOE test"},
                  .rows = {}};
  for (const OrderPoint& p : found.orders)
    table.rows.push_back({p.label, std::to_string(p.operators), std::to_string(p.parameters), percent(p.estimation.noe),
                          percent(p.validation.noe), percent(p.test.noe)});
  return table;
}

std::string identification_text(const IdentifyJob& job, const Identification& found,
                                const IdentificationTextOptions& options) {
  const std::size_t most = options.most, width = options.width;
  const bool colour = options.colour;
  const SetCounts counts = counts_of(job.sets);
  const IdentifiedModel& best = found.models.at(found.recommended);
  const JudgedSet last = judged_set(best);
  const Explanation& explained = found.explanation;
  const bool is_recommended = explained.verdict != Explained::not_at_all;
  std::string text = recording_words(job);
  if (job.settled) text += wrapped(settled_words(job), width, "");
  text += "\n";
  if (is_recommended)
    text +=
        coloured((explained.verdict == Explained::weakly ? "Recommended, but weak: " : "Recommended: ") + best.label,
                 Ink::bold, colour) +
        ", " + find_model(best.model).description().title + "\n";
  else
    text += coloured("No model explains this recording", Ink::bold, colour) + "\n";
  if (!explained.headline.empty()) text += wrapped(below_title(explained, is_recommended), width, "  ");
  if (!explained.reasons.empty()) text += "\n" + coloured("Diagnosis of the residuals", Ink::bold, colour) + "\n";
  for (const std::string& reason : explained.reasons) text += wrapped(reason, width, "  ");
  if (!explained.reasons.empty()) text += "\n";
  text += wrapped((is_recommended ? "It leaves " : best.label + " leaves ") +
                      quality_words(last.quality, last.rms, job.motion) +
                      (last.is_held_out() ? ", on the " + last.name + " samples, which were not used for the fit."
                                          : ", on the samples used for the fit: none were held out."),
                  width, "  ");
  if (!found.why.empty()) text += wrapped(found.why, width, "  ");
  if (is_recommended && !found.equivalent.empty())
    text += wrapped("The same force on this recording: " + joined(found.equivalent) + ".", width, "  ");
  if (is_recommended && !found.not_separable.empty())
    text += wrapped("Not separable on this recording from " + joined(found.not_separable) + ".", width, "  ");
  if (is_recommended) {
    text += "\n" + to_text(parameter_text_table(best, job.motion), {.colour = colour});
    if (const auto lines = profile_words(best); !lines.empty()) {
      text += "\n" + coloured("Likelihood profiles", Ink::bold, colour) + "\n";
      for (const std::string& line : lines) text += wrapped(line, width, "  ");
    }
    if (const TextTable intervals = interval_text_table(best, job.motion, job.options.profile); !intervals.rows.empty())
      text += "\n" + to_text(intervals, {.colour = colour});
    if (const OwnNumbers own = own_numbers(job.sets, best, job.motion); !own.numbers.empty())
      text += "\n" + coloured("Private numbers of each recording", Ink::bold, colour) + "\n" +
              to_text(own_table(own, job.motion), {.colour = colour}) + "\nSpread from recording to recording\n" +
              to_text(own_spread_table(own), {.colour = colour}) + wrapped(own_note(own), width, "");
  }
  const bool apart = most >= found.models.size();
  text += "\n" + to_text(ranking(found, counts, most, unit_for(job.motion, "N"), apart), {.colour = colour});
  text += wrapped("ranked by rms: error in motion on the " +
                      std::string(best.validation.samples > 0 ? "validation" : "estimation") +
                      " samples; NOE: share of the force's variance left unexplained" +
                      (!apart && has_groups(found) ? "; =: models with the same force on these samples" : "") +
                      label_words(found, most),
                  width, "");
  if (const std::size_t run_in = run_in_samples(best, counts); run_in > 0)
    text += run_in == 1 ? "1 sample of the run-in is excluded from the errors\n"
                        : std::to_string(run_in) + " samples of the run-in are excluded from the errors\n";
  if (found.models.size() > most)
    text += std::to_string(found.models.size()) + " models were fitted: --all lists them\n";
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text += "\n" + coloured(title, Ink::bold, colour) + "\n";
    for (const std::string& line : lines) text += wrapped(line, width, "  ");
  };
  list("Explored", found.explored);
  list("Remarks", best.remarks);
  if (is_recommended) list("Suggested tests", best.advice);
  return text;
}

Json identification_json(const IdentifyJob& job, const Identification& found) {
  const SetCounts counts = counts_of(job.sets);
  Json models = Json::array();
  for (const IdentifiedModel& m : found.models) models.push_back(model_json(m, counts));
  Json orders = Json::array();
  for (const OrderPoint& p : found.orders)
    orders.push_back(Json::object({{"label", p.label},
                                   {"operators", p.operators},
                                   {"parameters", p.parameters},
                                   {"estimation_noe_percent", p.estimation.noe},
                                   {"validation_noe_percent", p.validation.noe},
                                   {"test_noe_percent", p.test.noe}}));
  Json steps = Json::array();
  if (!job.sets.pieces.empty())
    for (const auto& step : job.sets.pieces.front().data.steps) steps.push_back(step);
  Json out = Json::object(
      {{"program", "stickslip " + std::string(version())},
       {"command", job.command},
       {"recording", job.recording},
       {"fingerprint", job.fingerprint},
       {"motion", motion_name(job.motion)},
       {"split", job.sets.how},
       {"preparation", steps},
       {"seed", std::to_string(found.seed)},
       {"recommended", found.explanation.verdict == Explained::not_at_all || found.models.empty()
                           ? Json()
                           : Json(found.models[found.recommended].label)},
       {"best", found.models.empty() ? Json() : Json(found.models[found.recommended].label)},
       {"verdict", name_of(found.explanation.verdict)},
       {"judged_on", found.models.empty() ? Json() : Json(judged_set(found.models[found.recommended]).name)},
       {"unexplained_percent",
        found.models.empty() ? Json() : Json(judged_set(found.models[found.recommended]).quality.noe)},
       {"unexplained_in_motion_percent", found.explanation.unexplained},
       {"headline", found.explanation.headline},
       {"reasons", Json(found.explanation.reasons)},
       {"why", found.why},
       {"equivalent", Json(found.equivalent)},
       {"not_separable_from", Json(found.not_separable)},
       {"explored", Json(found.explored)},
       {"models", models},
       {"orders", orders},
       {"skipped", Json(found.skipped)},
       {"warnings", Json(found.warnings)}});
  if (job.options.loss == Loss::robust) out["loss"] = "robust";
  if (!found.models.empty() && !found.models[found.recommended].own.empty())
    out["private"] = own_json(own_numbers(job.sets, found.models[found.recommended], job.motion));
  return out;
}

}  // namespace stickslip::inline jobs
