#include "identification/identify_task.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/prior_rounds.hpp"
#include "identification/set_forces.hpp"
#include "platform/number.hpp"

namespace stickslip::inline identification {

namespace {

/// How many recordings have numbers of their own. Each needs samples that they are fitted to.
std::size_t units_with_own(const Sets& sets, const FitData& data, const std::vector<std::string>& own) {
  constexpr std::size_t fewest = 16;
  std::vector<std::size_t> samples;
  for (const FitPiece& p : data.pieces) {
    samples.resize(std::max(samples.size(), p.unit + 1), 0);
    samples[p.unit] += p.estimation.count();
  }
  for (std::size_t k = 0; k < sets.pieces.size(); ++k)
    if (const std::size_t count = samples[sets.pieces[k].unit]; count < fewest)
      throw Error(one_line(sets.pieces[k].data.file) + ": " + std::to_string(count) + " samples to fit its private " +
                  joined(own, " and ") + "; at least " + std::to_string(fewest) +
                  " are needed: give it among the recordings that are fitted, or leave nothing private");
  if (samples.size() < 2) throw Error("identify: private numbers are those of several recordings; there is one");
  return samples.size();
}

/// Private numbers must be free ones that some law has.
void check_own(const IdentifyOptions& o, std::vector<std::string> keys) {
  if (o.own.empty()) return;
  if (o.search == SearchMethod::published)
    throw Error("identify: private numbers are found by the standard search, not by the published one");
  const std::pair<const char*, bool> of_chain[] = {
      {"offset", o.find_offset}, {"lag", o.find_lag}, {"backlash", o.find_backlash}};
  for (const auto& [name, is_free] : of_chain) {
    keys.emplace_back(name);
    if (!is_free && std::find(o.own.begin(), o.own.end(), name) != o.own.end())
      throw Error("identify: " + std::string(name) + " is private to each recording, but it is not estimated at all");
  }
  for (const VariationRequest& v : o.variations)
    keys.push_back((v.key.empty() ? "level" : v.key) + "(" + std::string(name_of(v.over)) + ")");
  for (std::size_t i = 0; i < o.own.size(); ++i) {
    std::string key = o.own[i].substr(0, o.own[i].find('['));
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: private: " + no_such_parameter(o.own[i], keys));
    if (std::find(o.own.begin(), o.own.begin() + static_cast<std::ptrdiff_t>(i), o.own[i]) !=
        o.own.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error("identify: private: " + o.own[i] + " is named twice");
    for (const auto& [fixed, value] : o.fixed)
      if (fixed == key) throw Error("identify: " + key + " is fixed; it cannot be private to each recording");
  }
}

}  // namespace

std::string no_such_parameter(const std::string& key, const std::vector<std::string>& keys) {
  const auto near = nearest(key, keys);
  return "no parameter " + in_quotes(key) + "; " +
         (near ? "did you mean " + in_quotes(*near)
               : "most laws have coulomb_force and viscosity, `stickslip models NAME` lists those of a law");
}

IdentifyTask::IdentifyTask(const Sets& recordings, const IdentifyOptions& asked)
    : calm(asked.loss == Loss::robust ? std::optional(without_spikes(recordings)) : std::nullopt),
      sets(calm ? calm->sets : recordings),
      options(asked),
      data(fit_data(sets)) {
  if (calm) as_read = with_forces_of(data, sets, recordings);
  if (!options.own.empty()) units = units_with_own(sets, data, options.own);
  is_validated = scored_count(data, &FitPiece::validation) > 0;
  if (!is_validated) ranked_by = &FitPiece::estimation;
}

IdentifyTask::IdentifyTask(const IdentifyTask& task, const RobustForces& forces)
    : sets(forces.sets),
      options(task.options),
      data(forces.data),
      is_validated(task.is_validated),
      ranked_by(task.ranked_by),
      units(task.units) {}

bool IdentifyTask::is_cancelled() const {
  return options.watch && options.watch->cancel.load(std::memory_order_relaxed);
}

ManyFits IdentifyTask::many_fits() const {
  return {options.threads, options.workers, options.watch ? &options.watch->cancel : nullptr};
}

std::vector<SampleSet FitPiece::*> IdentifyTask::held_out() const {
  if (scored_count(data, &FitPiece::validation) + scored_count(data, &FitPiece::test) == 0)
    return {&FitPiece::estimation};
  return {&FitPiece::validation, &FitPiece::test};
}

Evidence IdentifyTask::evidence_of(const Predictions& predictions, const std::vector<SampleSet FitPiece::*>& of) const {
  Evidence e;
  for (SampleSet FitPiece::*set : of) add_evidence(e, sets, data, predictions, set);
  return e;
}

void check_options(const IdentifyOptions& o) {
  std::vector<std::string> keys;
  for (const auto* model : registered_models())
    for (const auto& p : model->description().parameters)
      if (std::find(keys.begin(), keys.end(), p.key) == keys.end()) keys.push_back(p.key);
  for (const auto& [key, value] : o.fixed) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: " + no_such_parameter(key, keys));
    if (!std::isfinite(value))
      throw Error("identify: " + key + " is fixed at " + shortest(value) + "; it must be finite");
  }
  for (std::size_t i = 0; i < o.fixed.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (o.fixed[i].first == o.fixed[k].first) throw Error("identify: " + o.fixed[i].first + " is fixed twice");
  for (const auto& [key, value] : o.start)
    if (!std::isfinite(value))
      throw Error("identify: " + key + " starts from " + shortest(value) + "; it must be finite");
  if (!o.start.empty() && o.search == SearchMethod::published)
    throw Error("identify: the published search has starts of its own; leave out those that are given");
  if (o.loss == Loss::robust && o.search == SearchMethod::published)
    throw Error("identify: the published search knows no robust loss; take the standard search");
  check_own(o, keys);
  check_priors(o);
  // Of a profile also one of several ("thresholds[2]"), one direction ("backward.viscosity"), and the path to the force.
  for (const char* const more : {"offset", "backlash", "lag"}) keys.push_back(more);
  for (const std::string& name : o.profile) {
    std::string key = name.substr(0, name.find('['));
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: profile: " + no_such_parameter(name, keys));
    for (const auto& [fixed, value] : o.fixed)
      if (fixed == key) throw Error("identify: " + key + " is fixed; it has no profile");
  }
}

}  // namespace stickslip::inline identification
