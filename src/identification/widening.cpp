#include "identification/widening.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "identification/judging/breakaway_bound.hpp"
#include "identification/judging/cutoff_spread.hpp"
#include "identification/judging/discrepancy.hpp"
#include "identification/judging/hidden_presliding.hpp"
#include "identification/judging/mass_share.hpp"
#include "identification/judging/one_way.hpp"
#include "identification/judging/twin.hpp"
#include "identification/judging/unseen_drop.hpp"
#include "identification/prior_rounds.hpp"
#include "platform/number.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double most_profile_work = 3e6;  // samples times squared number of parameters: some seconds for all profiles

class Widening {
 public:
  explicit Widening(const IdentifyTask& task) : task_(task) {}

  void widen(Entry& e) const {
    if (task_.is_cancelled()) return;
    IdentifiedModel& m = *e.model;
    const Confidence fit = m.confidence;
    const ModelResiduals residuals(e.fitted->space, task_.data);
    // A twin includes the effect of the low-pass on a law that truly sticks. Springs and bristles turn with every reversal of the smoothed
    // path, also with those that the machine had and the twin has not: other cutoffs show them, as they do without a twin.
    const auto twin = add_twin(e, fit);
    if (!twin || !residuals.truly_sticks()) add_cutoff(m, *e.fitted);
    const Discrepancy lack =
        twin ? discrepancy(task_.sets, residuals, task_.data, e.fitted->found, *twin) : Discrepancy{};
    add_remark(m, widen_by_discrepancy(m.confidence, residuals, e.fitted->found, lack, task_.options.force_unit));
    const auto lag = add_lag(m, *e.fitted, lack.repeated);
    add_remark(m, widen_by_falling_level(m.confidence, task_.sets, e.fitted->space, e.fitted->found, task_.data));
    add_remark(m, widen_by_loads(m.confidence, task_.sets, e.fitted->space, e.fitted->found, task_.data));
    const bool is_rotary = task_.sets.pieces.front().data.rotary;
    add_remark(m, widen_by_hidden_presliding(m, seen_motion(task_.sets, task_.data), is_rotary ? "rad" : "m"));
    const bool is_mass_contradicted = add_mass(e, twin, lack.repeated);
    if (lag && !m.confidence.estimates.empty() &&
        (m.confidence.estimates.back().key == "mass" || m.confidence.estimates.back().key == "inertia"))
      widen_mass_by_lag(m.confidence, *lag);
    add_profiles(e);
    bound_breakaway(m.confidence, e.fitted->space);
    add_remark(m, doubt_unseen_drop(m, task_.data, is_rotary ? "rad/s" : "m/s"));
    if (task_.is_one_way()) open_levels(m, e.fitted->space);
    doubt_contradicted(m.confidence, *e.fitted);
    if (is_mass_contradicted) doubt(m.confidence);
  }

 private:
  void add_cutoff(IdentifiedModel& m, const Fitted& f) const {
    const auto shifts = cutoff_shifts(task_.sets, f.space, f.found, m.confidence, task_.data);
    add_remark(m, cutoff_remark(m.confidence, shifts));
    widen_covariance(m.confidence, shifts);
    widen_intervals(m.bootstrap, shifts);
  }

  std::optional<TwinErrors> add_twin(Entry& e, const Confidence& fit) const {
    if (task_.options.twins == 0 || task_.is_cancelled()) return {};
    IdentifiedModel& m = *e.model;
    std::optional<TwinErrors> errors;
    try {
      errors = twin_errors(task_.sets, e.fitted->space, e.fitted->found, task_.options.twins, task_.options.seed,
                           task_.many_fits());
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
    const double work = static_cast<double>(scored_count(task_.data, &FitPiece::estimation)) *
                        std::pow(static_cast<double>(space.size()), 2);
    IdentifiedModel& m = *e.model;
    const bool is_short = work <= most_profile_work;
    // What is extrapolated gets its profiles also where those of all parameters would take too long.
    const bool is_needed =
        may_hide_a_drop(m, task_.data) && work <= most_profile_work * static_cast<double>(space.size());
    if (!task_.options.all_profiles || task_.is_cancelled() || !(is_short || is_needed)) return;
    std::vector<std::string> keys;
    for (std::size_t k = 0; k < space.size(); ++k) {
      const Estimate& estimate = m.confidence.estimates[k];
      const bool is_made =
          std::any_of(m.profiles.begin(), m.profiles.end(), [&](const Profile& p) { return p.key == estimate.key; });
      const bool is_told = e.candidate.kernel != Kernel::dnlrx || !space.unknowns()[k].solved;
      const bool is_extrapolated = estimate.key == "coulomb_force" || estimate.key == "stribeck_velocity";
      if (!is_made && is_told && (is_short || is_extrapolated)) keys.push_back(estimate.key);
    }
    const ModelResiduals residuals(space, task_.data);
    for (Profile& p : fit_profiles(residuals, e.fitted->found, m.confidence, keys, task_.many_fits()))
      m.profiles.push_back(std::move(p));
    widen_to_profiles(m.confidence, m.profiles);
  }

  /// If the timing of the force is not exact, its effect is added to the intervals.
  std::optional<UncertainShare> add_lag(IdentifiedModel& m, const Fitted& f, double repeated) const {
    if (!(task_.options.lag_error > 0) || !(task_.sets.pieces.front().data.used.mass > 0) || task_.is_cancelled())
      return std::nullopt;
    auto share = lag_share(task_.sets, f.space, f.found, m.confidence, task_.data, task_.options.lag_error,
                           task_.options.mass_error, repeated);
    if (!share) return share;
    // the noise that a controller feeds back shifts the lag of the fit as it shifted the one that was found (drive_lag.hpp)
    if (task_.sets.pieces.front().data.used.lag_is_found)
      share->error = std::max(share->error, task_.options.lag_error);
    m.lag_shift = share->shift, m.lag_error = share->error;
    add_remark(m, lag_remark(m.confidence, *share));
    widen_by_lag(m.confidence, *share);
    return share;
  }

  /// If the mass is not exact, its effect is added to the intervals, and the mass gets an interval itself. Whether the recording contradicts it;
  /// one that was stated without an error is not widened, and believed to a hundredth.
  bool add_mass(Entry& e, const std::optional<TwinErrors>& twin, double repeated) const {
    constexpr double exact_to = 0.01;
    const Prepared& first = task_.sets.pieces.front().data;
    const bool is_exact = !(task_.options.mass_error > 0);
    if ((is_exact && !(first.used.mass > 0)) || task_.is_cancelled()) return false;
    const double stated_error = is_exact ? exact_to * first.used.mass : task_.options.mass_error;
    IdentifiedModel& m = *e.model;
    auto share =
        mass_share(task_.sets, e.fitted->space, e.fitted->found, m.confidence, task_.data, stated_error, repeated);
    if (!share && is_exact) return false;
    if (!share) {
      m.remarks.push_back(
          "the mass is not identifiable from this recording with this model: the intervals assume an exact mass");
      return false;
    }
    const std::string contradiction =
        contradicted_mass(*share, stated_error, task_.options.lag_error,
                          {task_.sets, e.fitted->space, e.fitted->found, m.confidence, task_.data, repeated});
    if (is_exact) {
      add_remark(m, contradiction);
      return !contradiction.empty();
    }
    m.mass_shift = share->shift;
    if (twin)
      share->error =
          std::hypot(std::max(share->error, share->weight * twin->mass_scatter), share->weight * twin->mass_bias);
    widen_by_mass(m.confidence, *share, first.used.mass, first.rotary);
    add_remark(m, contradiction);
    return !contradiction.empty();
  }

  const IdentifyTask& task_;
};

}  // namespace

void widen(const IdentifyTask& task, Entry& e) { Widening(task).widen(e); }

}  // namespace stickslip::inline identification
