/// The conformance scorecard: which properties of real friction each model has, measured by simulation.
///
/// Every number is what an experiment on the model gave, with the parameters of check/reference_sets.hpp; no model is
/// asked what it claims. docs/scorecard.md says how each property is measured and what counts as yes.
/// Not here: whether a model fits a given machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/similar.hpp"
#include "files/json.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"

namespace stickslip::inline checks {

enum class Verdict { no, yes, not_applicable };
/// "yes", "no", "n/a".
std::string_view name_of(Verdict v);

struct PropertyScore {
  std::string key, title;  // "drift", "no drift under vibration"
  Verdict verdict = Verdict::not_applicable;
  double number = 0;  // SI, in `unit`
  std::string unit;
  std::string text;  // what was measured, in a few words with numbers
};

struct ModelScore {
  std::string model;
  std::vector<PropertyScore> properties;  // in the order of property_keys()
  /// The score of this key; the key must be one of property_keys().
  const PropertyScore& operator[](std::string_view key) const;
};

struct Scorecard {
  std::vector<ModelScore> models;
  /// The score of this model; it must have been measured.
  const ModelScore& operator[](std::string_view model) const;
};

/// Keys of the properties, in the order of the table.
std::vector<std::string> property_keys();

/// Measures the models of these names (all registered ones if empty), on `threads` threads; the result does not depend
/// on their number. A wrong name throws Error with the nearest one before anything is measured.
Scorecard measure(const std::vector<std::string>& names, Progress& progress, unsigned threads = 2);

/// A parameter set of one's own, brought to the rig's scales by similarity (check/similar.hpp): numbers and texts are those of the
/// friction itself, in N m and rad for a rotary one.
struct SetScore {
  ModelScore score;
  Similarity scale;  // the meaning of 1 N, 1 m and 1 s of the rig
};
SetScore measure_set(const Friction& friction, Progress& progress, bool is_rotary = false);

/// Models down, properties across: a mark, and a number where it says more than the mark: how much of what is there, by how much it is
/// missed: "✓", "✓ 28 um", "✗ 1.4 um".
TextTable table_of(const Scorecard& card);
/// One model: property, verdict, number and what was measured.
TextTable table_of(const ModelScore& score);
/// The table as Markdown, as the README shows it.
std::string to_markdown(const Scorecard& card);
Json to_json(const Scorecard& card);

}  // namespace stickslip::inline checks
