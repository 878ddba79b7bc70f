#include "identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/candidate_fit.hpp"
#include "identification/judging/breakaway_bound.hpp"
#include "identification/judging/cutoff_spread.hpp"
#include "identification/judging/discrepancy.hpp"
#include "identification/judging/exploration.hpp"
#include "identification/judging/law_remarks.hpp"
#include "identification/judging/low_pass_ranking.hpp"
#include "identification/judging/mass_share.hpp"
#include "identification/judging/next_test.hpp"
#include "identification/judging/one_way.hpp"
#include "identification/judging/ranking.hpp"
#include "identification/judging/twin.hpp"
#include "identification/set_forces.hpp"
#include "platform/mutex.hpp"
#include "platform/number.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t unbounded_order = 1000;
constexpr double most_profile_work = 3e6;  // samples times squared number of parameters: some seconds for all profiles

std::string words_of(Quantity q) { return std::string(name_of(q)); }

std::string labelled(const Candidate& c, std::size_t elements, const IdentifyOptions& o) {
  std::string label = c.label;
  if (c.kernel == Kernel::none && c.has_lists && c.elements == 0) label += "(" + std::to_string(elements) + ")";
  if (o.per_direction) label += " per direction";
  for (const auto& v : o.variations) label += " over " + words_of(v.over);
  if (o.find_backlash) label += " with backlash";
  return label;
}

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

/// Relative cost of fitting a candidate, in which progress is counted. Seconds on one core for 10 000 samples, between those of a servo
/// axis and those of a presliding rig; only the ratios matter. `elements` is how many parallel elements such laws are given.
double expected_cost(const Candidate& c, std::size_t elements) {
  const double operators = static_cast<double>(std::max<std::size_t>(c.order.operators, 1));
  if (c.kernel == Kernel::dnlrx) return 0.03 * operators;
  if (c.kernel == Kernel::nlr) return 0.02 * operators;
  if (c.model == "leuven") return 0.02 * std::pow(static_cast<double>(elements), 3.3);
  constexpr std::pair<std::string_view, double> costly[] = {
      {"elastoplastic", 0.6},    {"modified-lugre", 0.4},           {"new-modified-lugre", 0.4},
      {"lugre-bristle", 0.1},    {"generalized-maxwell-slip", 0.1}, {"asymmetric-maxwell-slip", 0.1},
      {"bristle-sawtooth", 0.1}, {"hybrid-hysteresis", 0.1}};
  for (const auto& [model, cost] : costly)
    if (c.model == model) return cost;
  return 0.03;
}
constexpr double concluding_cost = 0.15;   // intervals of the recommended model
constexpr std::size_t usual_elements = 4;  // until the recording has told

/// One candidate in progress: its fit and the texts about it.
struct Entry {
  Candidate candidate;
  std::string label;
  std::optional<Fitted> fitted;
  std::optional<IdentifiedModel> model;
  std::vector<double> moving_errors, clear_errors;  // on the samples that rank
  std::string failure;
  std::optional<IdentifyOptions> own = {};  // of a candidate suggested by the residuals
  std::vector<double> found = {};           // coordinates of a fit that another program made
};

/// A fit as exchanged between programs: the number of coordinates, the coordinates, and the model as text.
std::string told(const std::vector<double>& found, const std::string& text) {
  const auto count = static_cast<double>(found.size());
  std::string bytes(sizeof(double) * (1 + found.size()), '\0');
  std::memcpy(bytes.data(), &count, sizeof count);
  if (!found.empty()) std::memcpy(bytes.data() + sizeof count, found.data(), sizeof(double) * found.size());
  return bytes + text;
}
std::pair<std::vector<double>, std::string> heard(std::string_view bytes) {
  double count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  std::vector<double> found(static_cast<std::size_t>(count));
  if (!found.empty()) std::memcpy(found.data(), bytes.data() + sizeof count, sizeof(double) * found.size());
  return {std::move(found), std::string(bytes.substr(sizeof(double) * (1 + found.size())))};
}

class Identifier {
 public:
  Identifier(const Sets& sets, const IdentifyOptions& options) : sets_(sets), options_(options), data_(fit_data(sets)) {
    if (!options.own.empty()) units_ = units_with_own(sets, data_, options.own);
  }

  Identification run() {
    Identification out;
    out.seed = options_.seed;
    out.warnings = data_.warnings;
    for (std::string& warning : one_sided_sets(sets_)) out.warnings.push_back(std::move(warning));
    const bool validated = scored_count(data_, &FitPiece::validation) > 0;
    ranked_by_ = validated ? &FitPiece::validation : &FitPiece::estimation;
    if (!validated)
      out.warnings.push_back(
          "no validation samples: models are ranked on the samples they were fitted to, which "
          "favours models with more parameters");
    std::vector<Candidate> candidates = candidates_for(options_, out.skipped);
    std::vector<Entry> first, second;
    for (Candidate& c : candidates)
      (c.kernel == Kernel::nlr || c.kernel == Kernel::lg ? first : second)
          .push_back({std::move(c), {}, {}, {}, {}, {}, {}});
    total_ = concluding_cost;
    for (const auto* list : {&first, &second})
      for (const Entry& e : *list) total_ += cost_of(e);
    std::vector<Entry> later = high_orders(first), later_too = high_orders(second);
    run_all(first);
    go_on(first, later, out);
    const auto cost_of_second = [&] {
      double sum = 0;
      for (const auto* list : {&second, &later_too})
        for (const Entry& e : *list) sum += cost_of(e);
      return sum;
    };
    const double assumed = cost_of_second();
    choose_starts(first, second);
    total_ += cost_of_second() - assumed;  // the number of elements is known now
    run_all(second);
    go_on(second, later_too, out);
    std::vector<Entry> entries;
    for (auto* list : {&first, &second})
      for (Entry& e : *list) {
        if (e.model)
          entries.push_back(std::move(e));
        else
          out.skipped.push_back(e.label + ": " + e.failure);
      }
    conclude(entries, validated, out);
    return out;
  }

  /// See fit_own().
  IdentifiedModel adapted(const IdentifiedModel& known, const std::vector<std::string>& names) {
    std::vector<std::string> skipped;
    const std::vector<Candidate> candidates = candidates_for(options_, skipped);
    if (candidates.empty()) throw Error(skipped.empty() ? "no such law here" : skipped.front());
    std::vector<std::pair<std::string, double>> values;  // of private ones the mean
    std::vector<double> counts;
    for (const Estimate& e : known.confidence.estimates) {
      const std::string key = shared_key(e.key);
      auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
      if (at == values.end()) at = values.insert(at, {key, 0}), counts.push_back(0);
      const auto k = static_cast<std::size_t>(at - values.begin());
      at->second = (at->second * counts[k] + e.value) / (counts[k] + 1);
      ++counts[k];
    }
    Entry e{candidates.front(), known.label, {}, {}, {}, {}, {}};
    if (e.candidate.kernel == Kernel::none) choose_starts({}, {e});
    const Fitted f = fit_named_only(fitted(e), e.candidate, data_, options_, values, names);
    if (!std::isfinite(f.found.cost)) throw Error("its shared numbers are not possible here");
    IdentifiedModel m;
    m.model = known.model, m.label = known.label;
    take_law(m, f.space, f.found.y);
    return m;
  }

 private:
  double cost_of(const Entry& e) const {
    return expected_cost(e.candidate, points_.thresholds.empty() ? usual_elements : points_.thresholds.size());
  }
  bool is_cancelled() const { return options_.watch && options_.watch->cancel.load(std::memory_order_relaxed); }

  /// Removes the orders of Maxwell-slip models beyond `first_orders`, if no model was requested by name.
  std::vector<Entry> high_orders(std::vector<Entry>& entries) const {
    std::vector<Entry> later;
    if (!options_.models.empty()) return later;
    for (Entry& e : entries)
      if (e.candidate.order.operators > first_orders(e.candidate.kernel)) later.push_back(std::move(e));
    std::erase_if(entries, [](const Entry& e) { return e.candidate.model.empty(); });
    return later;
  }
  static std::size_t first_orders(Kernel kernel) {
    return kernel == Kernel::nlr ? 5 : kernel == Kernel::dnlrx ? 3 : unbounded_order;
  }
  /// One more operator at a time, as long as the last one reduced the squared error by more than 1 %.
  void go_on(std::vector<Entry>& entries, std::vector<Entry>& later, Identification& out) {
    std::stable_sort(later.begin(), later.end(), [](const Entry& a, const Entry& b) {
      return a.candidate.order.operators < b.candidate.order.operators;
    });
    const auto error_of = [&](const Entry& like, std::size_t operators) {
      for (const Entry& done : entries)
        if (done.model && done.candidate.kernel == like.candidate.kernel && done.candidate.order.operators == operators)
          return done.model->estimation.cost;
      return unbounded;
    };
    std::vector<std::pair<Kernel, std::size_t>> ended;  // including the first order that did not help
    for (Entry& e : later) {
      const Kernel kernel = e.candidate.kernel;
      const std::size_t last = e.candidate.order.operators - 1;
      e.label = labelled(e.candidate, points_.thresholds.size(), options_);
      auto end = std::find_if(ended.begin(), ended.end(), [&](const auto& k) { return k.first == kernel; });
      if (end == ended.end() && error_of(e, last) > 0.99 * error_of(e, last - 1))
        end = ended.insert(ended.end(), {kernel, last});
      if (end != ended.end()) {
        total_ -= cost_of(e);
        out.skipped.push_back(e.label + ": " + std::to_string(end->second) + " operators are no better than " +
                              std::to_string(end->second - 1) + "; name the model to try it");
        continue;
      }
      std::vector<Entry> one;
      one.push_back(std::move(e));
      run_all(one);
      entries.push_back(std::move(one.front()));
    }
  }

  void run_all(std::vector<Entry>& entries) {
    for (Entry& e : entries)
      if (e.label.empty()) e.label = labelled(e.candidate, points_.thresholds.size(), options_);
    const std::size_t programs = options_.workers ? options_.workers->count() : 1;
    if (programs == 1) {
      parallel_for(entries.size(), options_.threads, [&](std::size_t i) {
        tell_start(entries[i]);
        run_one(entries[i]), tell(entries[i]);
      });
    } else if (options_.bootstrap > 0 && entries.size() < programs) {
      // Few candidates, each costly: every program fits all of them, and they share the repetitions.
      for (Entry& e : entries) tell_start(e), run_one(e), tell(e);
    } else {
      share(entries);
    }
  }

  /// One candidate at a time, for many programs: '+' and the result, or '-' and the reason of the failure. The costly ones first, so that
  /// none of them is last.
  void share(std::vector<Entry>& entries) {
    std::vector<Entry*> order;
    for (Entry& e : entries) order.push_back(&e);
    std::stable_sort(order.begin(), order.end(),
                     [&](const Entry* a, const Entry* b) { return cost_of(*a) > cost_of(*b); });
    options_.workers->share(
        entries.size(), Audience::all,
        [&](std::size_t i) -> std::optional<std::string> {
          Entry& e = *order[i];
          run_one(e);
          if (!e.model) return "-" + e.failure;
          return "+" + told(e.fitted ? e.fitted->found.y : std::vector<double>{}, options_.to_text(*e.model));
        },
        [&](std::size_t i, std::string_view text) {
          Entry& e = *order[i];
          if (!e.model && text.front() == '+') {
            auto [found, model] = heard(text.substr(1));
            e.found = std::move(found);
            e.model = options_.from_text(model);
            judge(e);
          }
          if (!e.model) e.failure = text.substr(1);
          tell(e);
        });
    for (Entry& e : entries)
      if (!e.model && e.failure.empty()) e.failure = "stopped before it was fitted";
  }

  using Predictions = std::vector<std::vector<double>>;  // forces of every piece

  void run_one(Entry& e) {
    Predictions predictions;
    if (const auto* known = known_model(e.label)) {
      e.model = *known;
    } else if (is_cancelled()) {
      e.failure = "interrupted before it started";
      return;
    } else {
      try {
        e.fitted = fitted(e);
        if (!std::isfinite(e.fitted->found.cost)) throw Error("no admissible parameter set fits these data");
        e.model = finished(e, predictions);
      } catch (const Error& error) {
        e.failure = error.what();
      }
    }
    if (e.model) judge(e, std::move(predictions));
  }

  /// The errors that rank it, from its numbers alone; or its forces, if they are known already.
  void judge(Entry& e, Predictions predictions = {}) const {
    if (predictions.empty()) predictions = predictions_of(*e.model, data_);
    SetForces ranking = forces_of(data_, through_low_pass(sets_, data_, *e.model, predictions), ranked_by_);
    e.moving_errors = std::move(ranking.moving_errors), e.clear_errors = std::move(ranking.clear_errors);
    e.model->ranked_rms = rms_error(e.moving_errors);
    e.model->estimation.samples = scored_count(data_, &FitPiece::estimation);
    e.model->validation.samples = scored_count(data_, &FitPiece::validation);
    e.model->test.samples = scored_count(data_, &FitPiece::test);
    const Evidence judges = evidence_of(predictions, held_out());
    e.model->unexplained = unexplained(judges.force, judges.error);
  }

  /// The sets that judge whether a model explains the recording.
  std::vector<SampleSet FitPiece::*> held_out() const {
    if (scored_count(data_, &FitPiece::validation) + scored_count(data_, &FitPiece::test) == 0)
      return {&FitPiece::estimation};
    return {&FitPiece::validation, &FitPiece::test};
  }
  Evidence evidence_of(const Predictions& predictions, const std::vector<SampleSet FitPiece::*>& of) const {
    Evidence e;
    for (SampleSet FitPiece::*set : of) add_evidence(e, sets_, data_, predictions, set);
    return e;
  }

  Explanation explained(const IdentifiedModel& m) const {
    const auto predictions = predictions_of(m, data_);
    const Prepared& first = sets_.pieces.front().data;
    const Evidence test = evidence_of(predictions, {&FitPiece::test});
    ExplanationContext c;
    c.label = m.label;
    c.force_unit = options_.force_unit;
    if (first.rotary) c.mass_unit = "kg m^2", c.position_unit = "rad";
    c.held_out = held_out().front() != &FitPiece::estimation;
    c.one_way = data_.scales.one_way;
    c.goes_forward = data_.scales.goes_forward;
    c.has_offset = options_.find_offset;
    c.turned = first.used.force_drives;
    c.mass = first.used.mass;
    c.resolution = first.resolution;
    std::size_t moving = 0, scored = 0;
    for (const FitPiece& p : data_.pieces)
      for (std::size_t i = p.settled; i < p.size(); ++i) ++scored, moving += !p.may_rest[i];
    c.moving = static_cast<double>(moving) / static_cast<double>(std::max<std::size_t>(scored, 1));
    c.validation_rms = m.validation_rms, c.test_rms = m.test_rms;
    c.test_unexplained = unexplained(test.force, test.error);
    return explanation(evidence_of(predictions, held_out()),
                       evidence_of(predictions, {&FitPiece::estimation, &FitPiece::validation, &FitPiece::test}), c);
  }

  Fitted fitted(const Entry& e) const {
    const IdentifyOptions& options = e.own ? *e.own : options_;
    const bool needs_springs = e.candidate.has_lists && e.candidate.elements > 0 && !has_own_start(e.candidate);
    Fitted shared = fit_candidate(e.candidate, data_, options,
                                  needs_springs ? springs_for(e.candidate.elements) : points_, e.found);
    if (options_.own.empty() || !std::isfinite(shared.found.cost)) return shared;
    return fit_own_numbers(std::move(shared), e.candidate, data_, options, units_);
  }

  /// Adds the effects of sensors, low-pass and mass to the intervals of the recommended model, and makes its profiles.
  void widen(Entry& e) const {
    if (is_cancelled()) return;
    if (!e.fitted) e.fitted = fitted(e);  // known from an earlier run or from another program
    IdentifiedModel& m = *e.model;
    const Confidence fit = m.confidence;
    const ModelResiduals residuals(e.fitted->space, data_);
    // A twin includes the effect of the low-pass on a law that truly sticks. Springs and bristles turn with every reversal of the smoothed
    // path, also with those that the machine had and the twin has not: other cutoffs show them, as they do without a twin.
    const auto twin = add_twin(e, fit);
    if (!twin || !residuals.truly_sticks()) add_cutoff(m, *e.fitted);
    const Discrepancy lack = twin ? discrepancy(sets_, residuals, data_, e.fitted->found, *twin) : Discrepancy{};
    add_remark(m, widen_by_discrepancy(m.confidence, residuals, e.fitted->found, lack, options_.force_unit));
    const auto lag = add_lag(m, *e.fitted, lack.repeated);
    add_remark(m, widen_by_falling_level(m.confidence, sets_, e.fitted->space, e.fitted->found, data_));
    add_remark(m, widen_by_loads(m.confidence, sets_, e.fitted->space, e.fitted->found, data_));
    add_mass(e, twin, lack.repeated);
    if (lag && !m.confidence.estimates.empty() &&
        (m.confidence.estimates.back().key == "mass" || m.confidence.estimates.back().key == "inertia"))
      widen_mass_by_lag(m.confidence, *lag);
    add_profiles(e);
    bound_breakaway(m.confidence, e.fitted->space);
    if (is_one_way()) open_levels(m, e.fitted->space);
  }

  static void add_remark(IdentifiedModel& m, std::string remark) {
    if (!remark.empty()) m.remarks.push_back(std::move(remark));
  }

  void add_cutoff(IdentifiedModel& m, const Fitted& f) const {
    const auto shifts = cutoff_shifts(sets_, f.space, f.found, m.confidence, data_);
    add_remark(m, cutoff_remark(m.confidence, shifts));
    widen_covariance(m.confidence, shifts);
    widen_intervals(m.bootstrap, shifts);
  }

  std::optional<TwinErrors> add_twin(Entry& e, const Confidence& fit) const {
    if (options_.twins == 0 || is_cancelled()) return {};
    IdentifiedModel& m = *e.model;
    std::optional<TwinErrors> errors;
    try {
      errors = twin_errors(sets_, e.fitted->space, e.fitted->found, options_.twins, options_.seed, many_fits());
    } catch (const Error&) {
      // Coefficients without an energy balance (DNLRX): the force of the twin does not stay bounded.
      add_remark(m,
                 "a machine simulated with this model does not stay bounded; what sensors and low-pass do to the "
                 "intervals is estimated from other cutoffs");
    }
    if (!errors) return {};
    add_remark(m, twin_remark(fit, *errors));
    widen_by_twin(m.confidence, fit, *errors);
    return errors;
  }

  /// For all parameters, if that takes seconds. For DNLRX only for the thresholds: given these, its
  /// force is linear in all other numbers, up to six times as many, whose profiles add little to their intervals.
  void add_profiles(Entry& e) const {
    const ModelSpace& space = e.fitted->space;
    const double work = static_cast<double>(scored_count(data_, &FitPiece::estimation)) *
                        std::pow(static_cast<double>(space.size()), 2);
    if (!options_.all_profiles || is_cancelled() || work > most_profile_work) return;
    IdentifiedModel& m = *e.model;
    std::vector<std::string> keys;
    for (std::size_t k = 0; k < space.size(); ++k) {
      const Estimate& estimate = m.confidence.estimates[k];
      const bool is_made =
          std::any_of(m.profiles.begin(), m.profiles.end(), [&](const Profile& p) { return p.key == estimate.key; });
      const bool is_told = e.candidate.kernel != Kernel::dnlrx || !space.unknowns()[k].solved;
      if (!is_made && is_told) keys.push_back(estimate.key);
    }
    const ModelResiduals residuals(space, data_);
    for (Profile& p : fit_profiles(residuals, e.fitted->found, m.confidence, keys, many_fits()))
      m.profiles.push_back(std::move(p));
    widen_to_profiles(m.confidence, m.profiles);
  }

  ManyFits many_fits() const {
    return {options_.threads, options_.workers, options_.watch ? &options_.watch->cancel : nullptr};
  }

  /// If the timing of the force is not exact, its effect is added to the intervals.
  std::optional<UncertainShare> add_lag(IdentifiedModel& m, const Fitted& f, double repeated) const {
    if (!(options_.lag_error > 0) || !(sets_.pieces.front().data.used.mass > 0) || is_cancelled()) return std::nullopt;
    auto share =
        lag_share(sets_, f.space, f.found, m.confidence, data_, options_.lag_error, options_.mass_error, repeated);
    if (!share) return share;
    // the noise that a controller feeds back shifts the lag of the fit as it shifted the one that was found (drive_lag.hpp)
    if (sets_.pieces.front().data.used.lag_is_found) share->error = std::max(share->error, options_.lag_error);
    m.lag_shift = share->shift, m.lag_error = share->error;
    add_remark(m, lag_remark(m.confidence, *share));
    widen_by_lag(m.confidence, *share);
    return share;
  }

  /// If the mass is not exact, its effect is added to the intervals, and the mass gets an interval itself.
  void add_mass(Entry& e, const std::optional<TwinErrors>& twin, double repeated) const {
    if (!(options_.mass_error > 0) || is_cancelled()) return;
    IdentifiedModel& m = *e.model;
    const Prepared& first = sets_.pieces.front().data;
    auto share =
        mass_share(sets_, e.fitted->space, e.fitted->found, m.confidence, data_, options_.mass_error, repeated);
    if (!share) {
      m.remarks.push_back(
          "the mass is not identifiable from this recording with this model: the intervals assume an exact mass");
      return;
    }
    m.mass_shift = share->shift;
    if (twin)
      share->error =
          std::hypot(std::max(share->error, share->weight * twin->mass_scatter), share->weight * twin->mass_bias);
    widen_by_mass(m.confidence, *share, first.used.mass, first.rotary);
  }

  void tell_start(const Entry& e) {
    const Lock lock(telling_);
    running_.emplace_back(e.label, cost_of(e));
    tell_progress(e.label);
  }

  void tell(const Entry& e) {
    const Lock lock(telling_);
    done_ += cost_of(e);
    std::erase_if(running_, [&](const auto& r) { return r.first == e.label; });
    if (e.model && !known_model(e.label) && e.model->complete && options_.done) options_.done(*e.model);
    tell_progress(e.label);
  }

  /// Names the candidate that has been running longest: it is the one to wait for.
  void tell_progress(const std::string& otherwise) const {
    if (!options_.watch || !options_.watch->progress) return;
    double running = 0;
    for (const auto& [label, cost] : running_) running += cost;
    options_.watch->running = running / total_;
    options_.watch->progress(running_.empty() ? otherwise : running_.front().first, done_ / total_);
  }

  const IdentifiedModel* known_model(const std::string& label) const {
    for (const IdentifiedModel& m : options_.known)
      if (m.label == label && m.complete) return &m;
    return nullptr;
  }

  static void take_law(IdentifiedModel& m, const ModelSpace& space, const std::vector<double>& y) {
    const Realised made = space.at(y);
    m.settings = space.make(made)->settings();
    m.chain = made.chain;
    for (std::size_t unit = 0; unit < space.units() && space.units() > 1; ++unit) {
      const Realised own = space.at(y, unit);
      m.own.push_back({space.make(own)->settings(), own.chain});
    }
  }

  /// Quality, confidence and remarks of a fitted model.
  IdentifiedModel finished(const Entry& e, Predictions& predictions) const {
    const Fitted& f = *e.fitted;
    IdentifiedModel m;
    m.model = e.candidate.model;
    m.label = e.label;
    take_law(m, f.space, f.found.y);
    m.parameters = f.space.size();
    m.complete = f.found.complete;
    predictions = predictions_of(m, data_);
    const SetForces estimation = forces_of(data_, predictions, &FitPiece::estimation);
    const SetForces validation = forces_of(data_, predictions, &FitPiece::validation);
    const SetForces test = forces_of(data_, predictions, &FitPiece::test);
    m.estimation = quality_of(estimation), m.validation = quality_of(validation), m.test = quality_of(test);
    m.estimation_rms = rms_of(m.estimation, estimation);
    m.validation_rms = rms_of(m.validation, validation);
    m.test_rms = rms_of(m.test, test);
    const ModelResiduals residuals(f.space, data_);
    double white_noise = 0;
    for (const FitPiece& p : data_.pieces) white_noise = std::max(white_noise, p.force_noise);
    m.confidence = fit_confidence(residuals, f.found, white_noise);
    const auto& errors = estimation.moving_errors;
    m.whiteness = whiteness(Eigen::Map<const Eigen::VectorXd>(errors.data(), static_cast<Eigen::Index>(errors.size())));
    if (options_.bootstrap > 0)
      m.bootstrap = fit_bootstrap(residuals, f.found, options_.bootstrap, options_.seed, many_fits());
    std::vector<std::string> profiled;
    for (const std::string& key : options_.profile)
      for (const std::string& name : {key, "chain." + key})
        if (f.space.find(name)) profiled.push_back(name);
    m.profiles = fit_profiles(residuals, f.found, m.confidence, profiled, many_fits());
    m.remarks = remarks_on(m, data_);
    if (residuals.truly_sticks()) {
      m.left_out = data_.blur.left_out;
      add_remark(m, blur_remark(data_.blur));
    }
    return m;
  }

  /// Springs and bristles for the candidates that start with them.
  void choose_starts(const std::vector<Entry>& first, const std::vector<Entry>& second) {
    bool lists = false, bristles = false;
    for (const Entry& e : second) {
      lists = lists || (e.candidate.kernel == Kernel::none && e.candidate.has_lists &&
                        !(has_own_start(e.candidate) && e.candidate.elements > 0));
      const auto& parameters = find_model(e.candidate.model).description().parameters;
      bristles = bristles || std::any_of(parameters.begin(), parameters.end(),
                                         [](const auto& p) { return p.key == "bristle_stiffness"; });
    }
    const IdentifiedModel *springs = nullptr, *best = nullptr;
    for (const Entry& e : first) {
      if (!e.model) continue;
      if (e.candidate.kernel == Kernel::lg) points_.bristle = e.model->settings.values;
      if (e.candidate.kernel == Kernel::nlr && (!best || judged(*e.model) < judged(*best))) best = &*e.model;
    }
    for (const Entry& e : first)  // the fewest springs that are nearly as good, but no more than six
      if (!springs && e.model && e.candidate.kernel == Kernel::nlr &&
          (judged(*e.model) <= 1.05 * judged(*best) || e.candidate.order.operators == 6))
        springs = &*e.model;
    if (springs) {
      take_springs(points_, springs->settings.values);
    } else if (lists) {
      try {
        points_ = springs_for(4);
      } catch (const Error&) {  // models with lists of springs then report this themselves
      }
    }
    if (bristles && points_.bristle.empty()) try {
        points_.bristle = bristle_start();
      } catch (const Error&) {  // no start from there: the orders of magnitude of the data must do
      }
  }
  /// LG's numbers by key; computed by one program for all.
  ParameterValues bristle_start() const {
    const auto fit = [&] {
      ParameterValues values = values_in(fit_candidate({"lugre", "LG", Kernel::lg, {}, 0, false}, data_, plain(), {}));
      std::erase_if(values, [](const auto& v) { return !std::holds_alternative<double>(v.second); });
      return values;
    };
    if (!options_.workers || options_.workers->count() == 1) return fit();
    ParameterValues values;
    options_.workers->share(
        1, Audience::all,
        [&](std::size_t) -> std::optional<std::string> {
          std::string lines;
          for (const auto& [key, value] : fit()) lines += key + "\t" + shortest(std::get<double>(value)) + "\n";
          return lines;
        },
        [&](std::size_t, std::string_view lines) {
          for (; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1)) {
            const std::size_t tab = lines.find('\t');
            double value = 0;
            read_number(lines.data() + tab + 1, lines.data() + lines.find('\n'), value);
            values.emplace_back(std::string(lines.substr(0, tab)), value);
          }
        });
    return values;
  }
  /// An offset near zero does not count among the parameters that a recording determines; nor do levels in motion in one direction, which
  /// no law can tell from a load.
  bool counts(const IdentifiedModel& m, const Estimate& e) const {
    return e.key.find("offset") == std::string::npos && !(is_one_way() && is_level_key(m.model, e.key));
  }
  bool is_one_way() const { return data_.scales.one_way && options_.find_offset; }
  /// Parameters that the recording does not determine.
  std::size_t undetermined(const IdentifiedModel& m) const {
    const auto& estimates = m.confidence.estimates;
    return static_cast<std::size_t>(std::count_if(estimates.begin(), estimates.end(), [&](const Estimate& e) {
      return counts(m, e) && (e.verdict == Determination::not_separable || e.verdict == Determination::at_bound);
    }));
  }
  /// Fraction of the parameters that the recording determines well.
  double determined(const IdentifiedModel& m) const {
    double well = 0, all = 0;
    for (const Estimate& e : m.confidence.estimates)
      if (counts(m, e)) well += e.verdict == Determination::well_determined ? 1 : 0, all += 1;
    return all > 0 ? well / all : 1;
  }
  /// ranking.hpp (10).
  bool is_viscous(const IdentifiedModel& m) const {
    constexpr double nothing = 0.01, little = 0.1;  // of the force
    if (m.model != "coulomb-viscous" || !m.settings.backward.empty()) return false;
    bool has_no_level = false, has_viscosity = false;
    for (const Estimate& e : m.confidence.estimates) {
      if (e.key == "coulomb_force")  // an interval that is open says nothing of the level
        has_no_level =
            e.verdict != Determination::not_separable && e.high <= (e.low <= 0 ? little : nothing) * data_.scales.force;
      if (e.key == "viscosity") has_viscosity = e.verdict == Determination::well_determined;
    }
    return has_no_level && has_viscosity;
  }
  static bool truly_sticks(const IdentifiedModel& m) {
    return RestLevel(*find_model(m.model).make(m.settings)).exists();
  }
  double judged(const IdentifiedModel& m) const {
    return ranked_by_ == &FitPiece::validation ? m.validation.noe : m.estimation.noe;
  }
  static void take_springs(StartingPoints& points, const ParameterValues& values) {
    for (const auto& [key, value] : values) {
      if (key == "thresholds") points.thresholds = std::get<std::vector<double>>(value);
      if (key == "stiffnesses") points.stiffnesses = std::get<std::vector<double>>(value);
    }
  }
  StartingPoints springs_for(std::size_t elements) const {
    StartingPoints points = springs_of(elements, data_, options_);
    points.bristle = points_.bristle;
    return points;
  }
  /// Options for a start: nothing but the springs or bristles themselves.
  IdentifyOptions plain() const {
    IdentifyOptions o;
    o.seed = options_.seed;
    o.watch = options_.watch;
    return o;
  }

  /// Fits the recommended law once more with the dependence that its residuals suggest; true if there is a new candidate.
  bool explore(std::vector<Entry>& entries, std::size_t recommended, Identification& out) {
    if (is_cancelled() || options_.per_direction || !options_.variations.empty()) return false;
    const Entry& best = entries[recommended];
    const auto predictions = predictions_of(*best.model, data_);
    std::vector<Entry> asked;
    for (const Question& q : questions(data_, predictions)) {
      out.explored.push_back(q.sentence);
      if (!q.is_asked) continue;
      Entry e{best.candidate, {}, {}, {}, {}, {}, {}};
      e.own = options_;
      e.own->known.clear();
      e.own->per_direction = q.per_direction;
      if (q.over) e.own->variations = {*q.over};
      e.label = labelled(e.candidate, points_.thresholds.size(), *e.own);
      asked.push_back(std::move(e));
    }
    for (const Entry& e : asked) total_ += cost_of(e);
    run_all(asked);
    bool any = false;
    for (Entry& e : asked) {
      if (e.model)
        entries.push_back(std::move(e)), any = true;
      else
        out.skipped.push_back(e.label + ": " + e.failure);
    }
    return any;
  }

  /// For laws that may replace the recommended one: their own errors on a twin; true if there are any.
  bool add_own_errors(std::vector<Contender>& contenders, const std::vector<Entry>& entries, std::size_t now) const {
    if (options_.twins == 0 || is_cancelled()) return false;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (may_replace(contenders[i], contenders[now]) || is_clearer(contenders[i], contenders[now]))
        others.push_back(i);
    parallel_for(others.size(), options_.threads, [&](std::size_t k) {
      contenders[others[k]].own_error = own_error(sets_, *entries[others[k]].model, ranked_by_, options_.seed);
    });
    return !others.empty();
  }

  /// (9) of mass_share.hpp, for the recommended law and the simpler ones that may be the true one; true if there are any.
  bool settle_each(std::vector<Contender>& contenders, const std::vector<Entry>& entries, std::size_t now) const {
    constexpr double far = 10;  // times the error of the recommended law: no error of a mass or lag
    const bool is_uncertain =
        options_.mass_error > 0 || (options_.lag_error > 0 && sets_.pieces.front().data.used.mass > 0);
    if (!is_uncertain || is_cancelled()) return false;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (i == now || (contenders[i].parameters < contenders[now].parameters && !contenders[i].is_black_box &&
                       rms_error(contenders[i].errors) <= far * rms_error(contenders[now].errors)))
        asked.push_back(i);
    if (asked.size() < 2) return false;
    parallel_for(asked.size(), options_.threads,
                 [&](std::size_t k) { settle(contenders[asked[k]], entries[asked[k]]); });
    return true;
  }
  void settle(Contender& c, const Entry& e) const {
    constexpr int few_steps = 10;
    try {
      const Fitted f = e.fitted ? *e.fitted : fitted(e);
      const auto settled = settled_with(sets_, f.space, f.found, e.model->confidence, data_, options_.mass_error,
                                        sets_.pieces.front().data.used.mass > 0 ? options_.lag_error : 0);
      if (!settled) return;
      const ModelFit fit = follow(ModelResiduals(f.space, settled->data), f.found.y, {.most_steps = few_steps});
      if (!std::isfinite(fit.cost)) return;
      IdentifiedModel m;
      m.model = e.model->model;
      take_law(m, f.space, fit.y);
      const Predictions forces = predictions_of(m, settled->data);
      SetForces ranking =
          forces_of(settled->data, through_low_pass(settled->sets, settled->data, m, forces), ranked_by_);
      if (ranking.moving_errors.size() != c.errors.size() || !(rms_error(ranking.moving_errors) < rms_error(c.errors)))
        return;
      c.errors = std::move(ranking.moving_errors), c.clear_errors = std::move(ranking.clear_errors);
      c.unexplained = quality_of(forces_of(settled->data, forces, ranked_by_)).noe;
    } catch (const Error&) {  // it stays as it was fitted
    }
  }

  /// Well determined numbers of a law that does not explain the recording say little about the machine.
  static void doubt_all(IdentifiedModel& m, double unexplained) {
    bool any = false;
    for (Estimate& e : m.confidence.estimates)
      if (e.verdict == Determination::well_determined) e.verdict = Determination::weak, any = true;
    if (any && std::isfinite(unexplained))
      m.remarks.push_back(
          m.label + " leaves " + significant(unexplained, 3) +
          " % of the force's variance in motion: the intervals are those of the fit, not of the law, and "
          "no parameter counts as well determined");
  }

  void conclude(std::vector<Entry>& entries, bool validated, Identification& out) {
    if (entries.empty()) {
      std::string reasons;
      for (const auto& s : out.skipped) reasons += "; " + s;
      throw Error("identify: no model could be fitted" + reasons);
    }
    const auto ranked = [&] {
      std::vector<Contender> contenders;
      for (const Entry& e : entries)
        contenders.push_back({e.label, e.model->parameters, e.moving_errors, undetermined(*e.model),
                              determined(*e.model), e.candidate.kernel == Kernel::dnlrx, e.clear_errors,
                              (validated ? e.model->validation : e.model->estimation).noe, is_viscous(*e.model),
                              is_one_way() && truly_sticks(*e.model)});
      const auto once = [&] {
        return rank(contenders, 1e-7 * data_.scales.force, validated ? "validation" : "estimation",
                    options_.force_unit);
      };
      Ranking first = once();
      if (add_own_errors(contenders, entries, first.recommended)) first = once();
      if (!settle_each(contenders, entries, first.recommended)) return first;
      Ranking settled = once();
      if (contenders[settled.recommended].parameters >= contenders[first.recommended].parameters) return first;
      settled.why += "; every law with the mass, timing and load that suit it";
      return settled;
    };
    Ranking r = ranked();
    if (options_.explore && explore(entries, r.recommended, out)) r = ranked();
    widen(entries[r.recommended]);
    std::vector<const IdentifiedModel*> all, alike;
    for (const Entry& e : entries) all.push_back(&*e.model);
    for (const std::size_t i : r.alike) alike.push_back(all[i]);
    for (const std::size_t i : r.clearer)
      if (std::find(r.alike.begin(), r.alike.end(), i) == r.alike.end()) alike.push_back(all[i]);
    widen_by_other_laws(*entries[r.recommended].model, all, alike);
    IdentifiedModel& best = *entries[r.recommended].model;
    const auto predictions = predictions_of(best, data_);
    if (is_viscous(best))
      for (Estimate& e : best.confidence.estimates)
        if (e.key == "coulomb_force") {  // its logarithm is searched, which has no zero
          e.low = std::min(e.low, 0.0);
          add_remark(best, "the Coulomb level is next to nothing beside the viscous force; zero is possible, too");
        }
    doubt_offset(best, direction_asked(questions(data_, predictions)), options_.force_unit);
    // last, so that it refers to the intervals that are shown
    if (const auto& fit = entries[r.recommended].fitted; fit && !is_cancelled())
      best.advice = test_advice(sets_, fit->space, fit->found, best.confidence, data_);
    for (const std::size_t i : r.order) {
      if (i == r.recommended) out.recommended = out.models.size();
      out.models.push_back(*entries[i].model);
      out.models.back().group = entries[r.group[i]].label;
      if (i != r.recommended && r.group[i] == r.recommended) out.equivalent.push_back(entries[i].label);
    }
    for (const std::size_t i : r.alike)
      if (r.group[i] != r.recommended) out.not_separable.push_back(entries[i].label);
    out.why = r.why;
    out.explanation = explained(out.models[out.recommended]);
    if (!(out.explanation.unexplained <= weak_above))
      doubt_all(out.models[out.recommended], out.explanation.unexplained);
    for (const Entry& e : entries)
      if (e.candidate.kernel == Kernel::nlr || e.candidate.kernel == Kernel::dnlrx)
        out.orders.push_back({e.label, e.candidate.order.operators, e.model->parameters, e.model->estimation,
                              e.model->validation, e.model->test});
    if (is_cancelled()) out.warnings.push_back("interrupted: results found so far");
  }

  const Sets& sets_;
  const IdentifyOptions& options_;
  FitData data_;
  std::size_t units_ = 1;  // recordings with private numbers
  SampleSet FitPiece::*ranked_by_ = &FitPiece::validation;
  StartingPoints points_;
  Mutex telling_;
  double done_ = 0, total_ = 0;                          // as expected_cost() counts
  std::vector<std::pair<std::string, double>> running_;  // labels and costs, in the order of their start
};

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
    keys.push_back((v.key.empty() ? "level" : v.key) + "(" + words_of(v.over) + ")");
  for (std::size_t i = 0; i < o.own.size(); ++i) {
    std::string key = o.own[i].substr(0, o.own[i].find('['));
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: private: " + no_such("parameter", o.own[i], keys));
    if (std::find(o.own.begin(), o.own.begin() + static_cast<std::ptrdiff_t>(i), o.own[i]) !=
        o.own.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error("identify: private: " + o.own[i] + " is named twice");
    for (const auto& [fixed, value] : o.fixed)
      if (fixed == key) throw Error("identify: " + key + " is fixed; it cannot be private to each recording");
  }
}

/// A name in `fixed` or `profile` that no model has is a typing error.
void check_options(const IdentifyOptions& o) {
  std::vector<std::string> keys;
  for (const auto* model : registered_models())
    for (const auto& p : model->description().parameters)
      if (std::find(keys.begin(), keys.end(), p.key) == keys.end()) keys.push_back(p.key);
  for (const auto& [key, value] : o.fixed) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: " + no_such("parameter", key, keys));
    if (!std::isfinite(value))
      throw Error("identify: " + key + " is fixed at " + shortest(value) + "; it must be finite");
  }
  check_own(o, keys);
  // Of a profile also one of several ("thresholds[2]"), one direction ("backward.viscosity"), and the path to the force.
  for (const char* const more : {"offset", "backlash", "lag"}) keys.push_back(more);
  for (const std::string& name : o.profile) {
    std::string key = name.substr(0, name.find('['));
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error("identify: profile: " + no_such("parameter", name, keys));
  }
}

}  // namespace

Identification identify(const Sets& sets, const IdentifyOptions& options) {
  check_options(options);
  return Identifier(sets, options).run();
}

IdentifiedModel fit_own(const Sets& one, const IdentifiedModel& known, const std::vector<std::string>& names,
                        const IdentifyOptions& options) {
  IdentifyOptions shared = options;
  shared.own.clear();
  check_options(shared);
  return Identifier(one, shared).adapted(known, names);
}

}  // namespace stickslip::inline identification
