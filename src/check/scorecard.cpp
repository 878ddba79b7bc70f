#include "check/scorecard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>

#include "check/rig.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/mutex.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline checks {

namespace {

/// In the order of the table.
struct Property {
  std::string_view key, heading;
  PropertyScore (*measure)(const Rig&);
  Verdict told_where = Verdict::yes;  // the number says how much of it there is, or by how much it is missed
};
constexpr std::array properties{
    Property{"stiction", "rests under constant load", true_stiction, Verdict::no},
    Property{"presliding", "presliding", presliding},
    Property{"rate", "breakaway falls with rate", breakaway_against_rate},
    Property{"dwell", "rises with dwell time", rising_static_friction},
    Property{"lag", "lag", frictional_lag},
    Property{"memory", "non-local memory", nonlocal_memory, Verdict::no},
    Property{"stribeck", "Stribeck", stribeck_curve},
    Property{"viscous", "viscous", viscous_slope},
    Property{"drift", "rests under vibration", no_drift, Verdict::no},
    Property{"dissipation", "dissipates", dissipation, Verdict::no},
    Property{"symmetry", "odd", odd_symmetry, Verdict::no},
    Property{"step", "step-independent", step_independence, Verdict::no},
};

ModelScore measure_friction(const Friction& friction, const std::atomic<bool>& abandoned, auto&& tell,
                            const Similarity& scale = {}, bool is_rotary = false) {
  const ModelDescription& d = friction.description();
  const Rig rig = put_on_rig(friction, scale, is_rotary);
  ModelScore score{d.name, {}};
  for (const Property& p : properties) {
    if (abandoned) break;
    try {
      score.properties.push_back(p.measure(rig));
    } catch (const Error& e) {  // a run that did not finish is a finding, not the end of the table
      score.properties.push_back({std::string(p.key), std::string(p.heading), Verdict::not_applicable, std::nan(""), "",
                                  "not measured: " + std::string(e.what())});
    }
    tell(d.name);
  }
  return score;
}

ModelScore measure_model(const RegisteredModel& model, const std::atomic<bool>& abandoned, auto&& tell) {
  FrictionSettings settings;
  settings.values = reference_values(model.description());
  return measure_friction(*model.make(settings), abandoned, tell);
}

/// Two digits, as many as the same on every machine. What is smaller than anybody asks (0.01 %, 1 pm, 0.01 N s/m), rounding
/// too, is left out: the mark says it; the JSON has it in full.
std::string number_text(const PropertyScore& s) {
  const auto property =
      std::find_if(properties.begin(), properties.end(), [&](const Property& p) { return p.key == s.key; });
  if (s.verdict == Verdict::not_applicable || property == properties.end() || s.verdict != property->told_where)
    return "";
  const double least = s.unit == "m" || s.unit == "rad" ? 1e-12 : 0.01;
  if (std::fabs(s.number) < least) return "";
  if (s.unit == "%") return significant(s.number, 2) + " %";
  return with_unit(s.number, s.unit, 2);
}

std::string_view mark_of(Verdict v) {
  constexpr std::array<std::string_view, 3> marks{"✗", "✓", "?"};
  return marks[static_cast<std::size_t>(v)];
}

std::string cell(const PropertyScore& s) {
  const std::string number = number_text(s);
  return std::string(mark_of(s.verdict)) + (number.empty() ? "" : " " + number);
}

}  // namespace

std::string_view name_of(Verdict v) {
  constexpr std::array<std::string_view, 3> names{"no", "yes", "n/a"};
  return names[static_cast<std::size_t>(v)];
}

const PropertyScore& ModelScore::operator[](std::string_view key) const {
  const auto found = std::find_if(properties.begin(), properties.end(), [&](const auto& p) { return p.key == key; });
  assert(found != properties.end());
  return *found;
}
const ModelScore& Scorecard::operator[](std::string_view model) const {
  const auto found = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.model == model; });
  assert(found != models.end());
  return *found;
}

std::vector<std::string> property_keys() {
  std::vector<std::string> keys;
  for (const Property& p : properties) keys.emplace_back(p.key);
  return keys;
}

Scorecard measure(const std::vector<std::string>& names, Progress& progress, unsigned threads) {
  std::vector<const RegisteredModel*> models;
  for (const std::string& name : names) models.push_back(&find_model(name));
  if (names.empty()) models = registered_models();

  Scorecard card;
  card.models.resize(models.size());
  const double all = static_cast<double>(models.size() * properties.size());
  std::size_t done = 0;
  std::atomic<bool> abandoned{false};
  Mutex telling;
  const auto tell = [&](const std::string& name) {
    const Lock lock(telling);
    progress.at(static_cast<double>(++done) / all, name);
  };
  parallel_for(models.size(), threads, [&](std::size_t i) {
    if (abandoned) return;
    try {
      card.models[i] = measure_model(*models[i], abandoned, tell);
    } catch (...) {
      abandoned = true;  // the others end early
      throw;
    }
  });
  return card;
}

SetScore measure_set(const Friction& friction, Progress& progress, bool is_rotary) {
  const Similarity scale = similarity_of(friction);
  const auto similar = make_friction(friction.description().name, on_the_rig(friction, scale));
  const std::atomic<bool> abandoned{false};
  double done = 0;
  ModelScore score = measure_friction(
      *similar, abandoned,
      [&](const std::string& name) { progress.at(++done / static_cast<double>(properties.size()), name); }, scale,
      is_rotary);
  for (PropertyScore& s : score.properties) {
    if (s.unit == "m") s.number *= scale.length;
    if (s.unit == "N s/m") s.number *= scale.force * scale.time / scale.length;
    if (is_rotary && s.unit != "%") s.unit = rotary(s.unit);
  }
  return {std::move(score), scale};
}

TextTable table_of(const Scorecard& card) {
  TextTable table;
  table.columns.emplace_back("model");
  for (const Property& p : properties) table.columns.emplace_back(p.heading);
  for (const ModelScore& score : card.models) {
    std::vector<std::string> row{score.model};
    for (const PropertyScore& s : score.properties) row.push_back(cell(s));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable table_of(const ModelScore& score) {
  TextTable table{.columns = {"property", "has it", "number", "what was measured"}, .rows = {}};
  for (const PropertyScore& s : score.properties)
    table.rows.push_back({s.title, std::string(name_of(s.verdict)), number_text(s), s.text});
  return table;
}

std::string to_markdown(const Scorecard& card) { return to_markdown(table_of(card)); }

Json to_json(const Scorecard& card) {
  Json models = Json::array();
  for (const ModelScore& score : card.models) {
    Json list = Json::array();
    for (const PropertyScore& s : score.properties)
      list.push_back(Json::object({{"key", s.key},
                                   {"title", s.title},
                                   {"verdict", name_of(s.verdict)},
                                   {"number", s.number},
                                   {"unit", s.unit},
                                   {"text", s.text}}));
    models.push_back(Json::object({{"model", score.model}, {"properties", std::move(list)}}));
  }
  return Json::object({{"models", std::move(models)}});
}

}  // namespace stickslip::inline checks
