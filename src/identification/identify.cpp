#include "identification/identify.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/candidate_fits.hpp"
#include "identification/judging/exploration.hpp"
#include "identification/judging/hidden_presliding.hpp"
#include "identification/judging/law_remarks.hpp"
#include "identification/judging/low_pass_ranking.hpp"
#include "identification/judging/mass_share.hpp"
#include "identification/judging/next_test.hpp"
#include "identification/judging/one_way.hpp"
#include "identification/judging/ranking.hpp"
#include "identification/judging/twin.hpp"
#include "identification/prior_rounds.hpp"
#include "identification/set_forces.hpp"
#include "identification/widening.hpp"
#include "platform/number.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline identification {

namespace {

class Identifier {
 public:
  Identifier(const Sets& sets, const IdentifyOptions& options) : task_(sets, options), fits_(task_) {}

  Identification run() {
    Identification out;
    out.seed = task_.options.seed;
    out.warnings = task_.data.warnings;
    for (std::string& warning : one_sided_sets(task_.sets)) out.warnings.push_back(std::move(warning));
    if (task_.calm)
      if (std::string spikes = spikes_remark(*task_.calm); !spikes.empty()) out.warnings.push_back(std::move(spikes));
    if (!task_.is_validated)
      out.warnings.push_back(
          "no validation samples: models are ranked on the samples they were fitted to, which "
          "favours models with more parameters");
    std::vector<Entry> entries = fits_.all(out);
    conclude(entries, out);
    return out;
  }

  /// See fit_own().
  IdentifiedModel adapted(const IdentifiedModel& known, const std::vector<std::string>& names) {
    std::vector<std::string> skipped;
    const std::vector<Candidate> candidates = candidates_for(task_.options, skipped);
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
    if (e.candidate.kernel == Kernel::none) fits_.choose_starts({}, {e});
    Fitted f = fit_named_only(fits_.fitted(e), e.candidate, task_.to_fit(), task_.options, values, names);
    if (task_.calm) f = fit_robustly(std::move(f), e.candidate, task_.sets, task_.to_fit(), task_.options);
    if (!std::isfinite(f.found.cost)) throw Error("its shared numbers are not possible here");
    IdentifiedModel m;
    m.model = known.model, m.label = known.label;
    take_law(m, f.space, f.found.y);
    return m;
  }

 private:
  /// An offset near zero does not count among the parameters that a recording determines; nor do levels in motion in one direction, which
  /// no law can tell from a load.
  bool counts(const IdentifiedModel& m, const Estimate& e) const {
    return e.key.find("offset") == std::string::npos && !(task_.is_one_way() && is_level_key(m.model, e.key));
  }
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
        has_no_level = e.verdict != Determination::not_separable &&
                       e.high <= (e.low <= 0 ? little : nothing) * task_.data.scales.force;
      if (e.key == "viscosity") has_viscosity = e.verdict == Determination::well_determined;
    }
    return has_no_level && has_viscosity;
  }
  std::string position_unit() const { return task_.sets.pieces.front().data.rotary ? "rad" : "m"; }
  static bool truly_sticks(const IdentifiedModel& m) {
    return RestLevel(*find_model(m.model).make(m.settings)).exists();
  }

  Explanation explained(const IdentifiedModel& m) const {
    const auto predictions = predictions_of(m, task_.data);
    const Prepared& first = task_.sets.pieces.front().data;
    const Evidence test = task_.evidence_of(predictions, {&FitPiece::test});
    ExplanationContext c;
    c.label = m.label;
    c.force_unit = task_.options.force_unit;
    if (first.rotary) c.mass_unit = "kg m^2", c.position_unit = position_unit();
    c.held_out = task_.held_out().front() != &FitPiece::estimation;
    c.one_way = task_.data.scales.one_way;
    c.goes_forward = task_.data.scales.goes_forward;
    c.has_offset = task_.options.find_offset;
    c.turned = first.used.force_drives;
    c.mass = first.used.mass;
    c.resolution = first.resolution;
    std::size_t moving = 0, scored = 0;
    for (const FitPiece& p : task_.data.pieces)
      for (std::size_t i = p.settled; i < p.size(); ++i) ++scored, moving += !p.may_rest[i];
    c.moving = static_cast<double>(moving) / static_cast<double>(std::max<std::size_t>(scored, 1));
    c.validation_rms = m.validation_rms, c.test_rms = m.test_rms;
    c.test_unexplained = unexplained(test.force, test.error);
    return explanation(task_.evidence_of(predictions, task_.held_out()),
                       task_.evidence_of(predictions, {&FitPiece::estimation, &FitPiece::validation, &FitPiece::test}),
                       c);
  }

  /// Whether dependences are looked for: on request, or where no law explains the recording and something was recorded that friction may follow.
  bool is_to_explore(const Entry& best) const {
    if (task_.is_cancelled() || task_.options.per_direction || !task_.options.variations.empty()) return false;
    const bool is_law_open = task_.options.models.empty() || task_.options.models == usual_laws();
    return task_.options.explore || (is_law_open && best.model->unexplained > weak_above);
  }
  /// Without a request only what has a column of its own is looked for.
  bool is_looked_for(const Question& q) const {
    return task_.options.explore || (q.is_asked && q.over && q.over->over != Quantity::position);
  }

  /// Fits the recommended law once more with the dependence that its residuals suggest, and the plainest one, which a missing dependence made
  /// look too plain; true if there is a new candidate.
  bool explore(std::vector<Entry>& entries, std::size_t recommended, Identification& out) {
    const Entry& best = entries[recommended];
    if (!is_to_explore(best)) return false;
    std::vector<Candidate> laws{best.candidate};
    for (const Entry& e : entries)
      if (e.candidate.model == "coulomb-viscous" && best.candidate.model != "coulomb-viscous")
        laws.push_back(e.candidate);
    const auto predictions = predictions_of(*best.model, task_.data);
    std::vector<Entry> asked;
    for (const Question& q : questions(task_.data, predictions)) {
      if (is_looked_for(q)) out.explored.push_back(q.sentence);
      if (!q.is_asked || !is_looked_for(q)) continue;
      for (const Candidate& law : laws) {
        Entry e{law, {}, {}, {}, {}, {}, {}};
        e.own = task_.options;
        e.own->known.clear();
        e.own->per_direction = q.per_direction;
        if (q.over) e.own->variations = {*q.over};
        e.label = fits_.label_of(e.candidate, *e.own);
        asked.push_back(std::move(e));
      }
    }
    fits_.also(asked);
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
    if (task_.options.twins == 0 || task_.is_cancelled()) return false;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (may_replace(contenders[i], contenders[now]) || is_clearer(contenders[i], contenders[now]))
        others.push_back(i);
    parallel_for(others.size(), task_.options.threads, [&](std::size_t k) {
      contenders[others[k]].own_error =
          own_error(task_.sets, *entries[others[k]].model, task_.ranked_by, task_.options.seed);
    });
    return !others.empty();
  }

  /// (9) of mass_share.hpp, for the recommended law and the simpler ones that may be the true one; true if there are any.
  bool settle_each(std::vector<Contender>& contenders, const std::vector<Entry>& entries, std::size_t now) const {
    constexpr double far = 10;  // times the error of the recommended law: no error of a mass or lag
    const bool is_uncertain =
        task_.options.mass_error > 0 || (task_.options.lag_error > 0 && task_.sets.pieces.front().data.used.mass > 0);
    if (!is_uncertain || task_.is_cancelled()) return false;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (i == now || (contenders[i].parameters < contenders[now].parameters && !contenders[i].is_black_box &&
                       rms_error(contenders[i].errors) <= far * rms_error(contenders[now].errors)))
        asked.push_back(i);
    if (asked.size() < 2) return false;
    parallel_for(asked.size(), task_.options.threads,
                 [&](std::size_t k) { settle(contenders[asked[k]], entries[asked[k]]); });
    return true;
  }
  void settle(Contender& c, const Entry& e) const {
    constexpr int few_steps = 10;
    try {
      const Fitted f = e.fitted ? *e.fitted : fits_.fitted(e);
      const auto settled =
          settled_with(task_.sets, f.space, f.found, e.model->confidence, task_.data, task_.options.mass_error,
                       task_.sets.pieces.front().data.used.mass > 0 ? task_.options.lag_error : 0);
      if (!settled) return;
      const ModelFit fit = follow(ModelResiduals(f.space, settled->data), f.found.y, {.most_steps = few_steps});
      if (!std::isfinite(fit.cost)) return;
      IdentifiedModel m;
      m.model = e.model->model;
      take_law(m, f.space, fit.y);
      const Predictions forces = predictions_of(m, settled->data);
      SetForces ranking =
          forces_of(settled->data, through_low_pass(settled->sets, settled->data, m, forces), task_.ranked_by);
      if (ranking.moving_errors.size() != c.errors.size() || !(rms_error(ranking.moving_errors) < rms_error(c.errors)))
        return;
      c.errors = std::move(ranking.moving_errors), c.clear_errors = std::move(ranking.clear_errors);
      c.unexplained = quality_of(forces_of(settled->data, forces, task_.ranked_by)).noe;
    } catch (const Error&) {  // it stays as it was fitted
    }
  }

  /// Well determined numbers of a law that does not explain the recording say little about the machine.
  static void doubt_all(IdentifiedModel& m, double unexplained) {
    if (doubt(m.confidence) && std::isfinite(unexplained))
      m.remarks.push_back(
          m.label + " leaves " + significant(unexplained, 3) +
          " % of the force's variance in motion: the intervals are those of the fit, not of the law, and "
          "no parameter counts as well determined");
  }

  void conclude(std::vector<Entry>& entries, Identification& out) {
    if (entries.empty() && task_.is_cancelled()) return;  // nobody knows whether one could be fitted
    if (entries.empty()) {
      std::string reasons;
      for (const auto& s : out.skipped) reasons += "; " + s;
      throw Error("identify: no model could be fitted" + reasons);
    }
    const auto ranked = [&] {
      std::vector<Contender> contenders;
      for (const Entry& e : entries) {
        contenders.push_back({e.label, e.model->parameters, e.moving_errors, undetermined(*e.model),
                              determined(*e.model), e.candidate.kernel == Kernel::dnlrx, e.clear_errors,
                              (task_.is_validated ? e.model->validation : e.model->estimation).noe,
                              is_viscous(*e.model), task_.is_one_way() && truly_sticks(*e.model)});
        contenders.back().has_unseen_drop = stribeck_beyond_speeds(*e.model, task_.data) > 0;
      }
      const auto once = [&] {
        return rank(contenders, 1e-7 * task_.data.scales.force, task_.is_validated ? "validation" : "estimation",
                    task_.options.force_unit);
      };
      Ranking first = once();
      if (add_own_errors(contenders, entries, first.recommended)) first = once();
      if (!settle_each(contenders, entries, first.recommended)) return first;
      Ranking settled = once();
      if (contenders[settled.recommended].parameters >= contenders[first.recommended].parameters) return first;
      settled.why += "; every law with the mass, timing and load that suit it";
      return settled;
    };
    const auto fitted = [&] {
      std::vector<const IdentifiedModel*> all;
      for (const Entry& e : entries) all.push_back(&*e.model);
      return all;
    };
    for (std::string& unused : unused_priors(fitted(), task_.options.priors)) out.warnings.push_back(std::move(unused));
    Ranking r = ranked();
    if (explore(entries, r.recommended, out)) r = ranked();
    Entry& chosen = entries[r.recommended];
    if (!chosen.fitted && !task_.is_cancelled())
      chosen.fitted = fits_.fitted(chosen);  // known from before, or from another program
    const auto of_its_forces = [&](const auto& say) {
      if (chosen.fitted && chosen.fitted->forces)
        say(IdentifyTask(task_, *chosen.fitted->forces));
      else
        say(task_);
    };
    of_its_forces([&](const IdentifyTask& task) { widen(task, chosen); });
    std::vector<const IdentifiedModel*> alike;
    const std::vector<const IdentifiedModel*> all = fitted();
    for (const std::size_t i : r.alike) alike.push_back(all[i]);
    for (const std::size_t i : r.clearer)
      if (std::find(r.alike.begin(), r.alike.end(), i) == r.alike.end()) alike.push_back(all[i]);
    widen_by_other_laws(*entries[r.recommended].model, all, alike);
    IdentifiedModel& best = *entries[r.recommended].model;
    const auto predictions = predictions_of(best, task_.data);
    if (is_viscous(best))
      for (Estimate& e : best.confidence.estimates)
        if (e.key == "coulomb_force") {  // its logarithm is searched, which has no zero
          e.low = std::min(e.low, 0.0);
          add_remark(best, "the Coulomb level is next to nothing beside the viscous force; zero is possible, too");
        }
    doubt_offset(best, direction_asked(questions(task_.data, predictions)), task_.options.force_unit);
    const SeenMotion seen = seen_motion(task_.sets, task_.data);
    std::vector<std::size_t> hidden;
    std::vector<const IdentifiedModel*> hidden_models;
    for (const std::size_t i : r.order)
      if (r.group[i] != r.recommended && only_presliding_differs(best, *all[i], seen))
        hidden.push_back(i), hidden_models.push_back(all[i]);
    if (!hidden.empty()) add_remark(best, hidden_remark(hidden_models, seen, position_unit()));
    // last, so that it refers to the intervals that are shown
    if (const auto& fit = entries[r.recommended].fitted; fit && !task_.is_cancelled())
      of_its_forces([&](const IdentifyTask& task) {
        best.advice = test_advice(task.sets, fit->space, fit->found, best.confidence, task.data);
      });
    for (const std::size_t i : r.order) {
      if (i == r.recommended) out.recommended = out.models.size();
      out.models.push_back(*entries[i].model);
      out.models.back().group = entries[r.group[i]].label;
      if (i != r.recommended && r.group[i] == r.recommended) out.equivalent.push_back(entries[i].label);
    }
    for (const std::size_t i : r.alike)
      if (r.group[i] != r.recommended) out.not_separable.push_back(entries[i].label);
    for (const std::size_t i : hidden)
      if (std::find(r.alike.begin(), r.alike.end(), i) == r.alike.end()) out.not_separable.push_back(entries[i].label);
    out.why = r.why;
    out.explanation = explained(out.models[out.recommended]);
    if (IdentifiedModel& m = out.models[out.recommended]; !m.complete) {
      doubt(m.confidence);
      m.remarks.push_back(
          "the fit was interrupted: the numbers and their intervals are those of an unfinished search, "
          "and no parameter counts as well determined");
    }
    if (!(out.explanation.unexplained <= weak_above))
      doubt_all(out.models[out.recommended], out.explanation.unexplained);
    for (const Entry& e : entries)
      if (e.candidate.kernel == Kernel::nlr || e.candidate.kernel == Kernel::dnlrx)
        out.orders.push_back({e.label, e.candidate.order.operators, e.model->parameters, e.model->estimation,
                              e.model->validation, e.model->test});
    if (task_.is_cancelled()) out.warnings.push_back("interrupted: results found so far");
  }

  const IdentifyTask task_;
  CandidateFits fits_;
};

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
