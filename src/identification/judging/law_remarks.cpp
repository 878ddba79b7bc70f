#include "identification/judging/law_remarks.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline identification {

namespace {

/// Between two columns of one length; 0 where one never changes.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i] / n, mean_b += b[i] / n;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] - mean_a, y = b[i] - mean_b;
    aa += x * x, bb += y * y, ab += x * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/// What a law over temperature cannot know: other temperatures, and what changed together with this one.
void remark_on_temperature(const IdentifiedModel& m, const FitData& data, std::vector<std::string>& remarks) {
  const auto& laws = m.settings.variations;
  if (std::none_of(laws.begin(), laws.end(), [](const auto& law) { return law.over == Quantity::temperature; })) return;
  constexpr double narrow = 5, together = 0.98;  // [K], of a correlation
  const double span = data.scales.high_temperature - data.scales.low_temperature;
  if (span < narrow)
    remarks.push_back("the temperature spans only " + significant(span, 2) +
                      " K: the law over it says nothing about other temperatures");
  if (data.pieces.size() != 1) return;
  const PrescribedMotion& motion = data.pieces.front().motion;
  const auto look = [&](const std::vector<double>& other, const std::string& words) {
    if (other.size() == motion.temperature.size() && std::fabs(correlation(motion.temperature, other)) > together)
      remarks.push_back("the temperature changes " + words + " would look the same");
  };
  look(motion.time, "steadily with time: run-in or wear");
  look(motion.load, "together with the load: its effect");
}

}  // namespace

double stribeck_beyond_speeds(const IdentifiedModel& m, const FitData& data) {
  double level = 0, speed = 0;
  for (const Estimate& e : m.confidence.estimates) {
    if (e.key == "coulomb_force") level = e.value;
    if (e.key == "stribeck_velocity") speed = e.value;
  }
  return level > 0 && speed > data.scales.fastest ? speed / data.scales.fastest : 0;
}

std::vector<std::string> remarks_on_start(const ModelSpace& space, const IdentifyOptions& options) {
  constexpr double rounding = 1e-9;
  const MotionKind motion = options.force_unit == "N" ? MotionKind::linear : MotionKind::rotary;
  std::vector<std::string> remarks;
  for (const auto& [key, value] : options.start) {
    const auto at = space.find(key);
    if (!at) continue;
    const Unknown& u = space.unknowns()[*at];
    if (value >= u.low - rounding * std::fabs(u.low) && value <= u.high + rounding * std::fabs(u.high)) continue;
    const std::string unit = u.unit.empty() ? "" : unit_for(motion, u.unit);
    remarks.push_back("the given start of " + key + ", " + with_unit(value, unit, 3) +
                      ", is outside of what is searched, " + with_unit(u.low, unit, 3) + " to " +
                      with_unit(u.high, unit, 3) + "; the nearest value was taken");
  }
  return remarks;
}

std::vector<std::string> remarks_on(const IdentifiedModel& m, const FitData& data) {
  std::vector<std::string> remarks;
  std::vector<double> thresholds, statics;
  for (const auto& [key, value] : m.settings.values) {
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (!list) continue;
    if (key == "thresholds") thresholds = *list;
    if (key == "stiffnesses" || key.starts_with("deflection_coefficients")) {
      statics.resize(list->size());
      for (std::size_t i = 0; i < list->size(); ++i) statics[i] += (*list)[i];
    }
  }
  for (std::size_t i = 0; i < statics.size(); ++i)
    if (statics[i] < 0)
      remarks.push_back("the stiffness of operator " + std::to_string(i + 1) + " is negative, " +
                        significant(statics[i], 3) + " N/m: not a physical spring");
  for (std::size_t i = 0; i < thresholds.size(); ++i)
    if (thresholds[i] > data.scales.half_range)
      remarks.push_back("threshold " + std::to_string(i + 1) + " exceeds half the range of the motion, " +
                        significant(thresholds[i], 3) + " m: it never slips in this recording");
  if (m.validation.noe > 10 * std::max(m.estimation.noe, 0.1))
    remarks.push_back("the validation error is " + significant(m.validation.noe / m.estimation.noe, 2) +
                      " times the estimation error: NOE " + significant(m.validation.noe, 3) + " % against " +
                      significant(m.estimation.noe, 3) + " %");
  if (m.whiteness < 0.05 && m.estimation_rms > 1e-7 * data.scales.force)
    remarks.push_back(
        "the residuals are not white (Ljung-Box p = " + significant(m.whiteness, 2) +
        "): a systematic part remains; the intervals account for its correlation, not for a bias of the model");
  if (const double ratio = stribeck_beyond_speeds(m, data); ratio > 0)
    remarks.push_back("stribeck_velocity is " + significant(ratio, 3) +
                      " times the fastest speed of the recording: coulomb_force is extrapolated; a faster motion would "
                      "measure it");
  remark_on_temperature(m, data, remarks);
  for (const char* key : {"damping_ratio"})
    for (const Estimate& e : m.confidence.estimates)
      if (e.key == key)
        remarks.push_back(e.key + " refers to a mass of 1 kg: the mass is not identifiable from a prescribed motion");
  return remarks;
}

namespace {

/// The law in `others` whose value of this parameter lies farthest from this one; nothing where it is within half of the interval.
struct Farthest {
  const IdentifiedModel* law = nullptr;
  double value = 0;
  double reach = 0;  // to the far end of its interval, where it determines the parameter
};
Farthest farthest_from(const Estimate& mine, const std::vector<const IdentifiedModel*>& others, bool only_determined) {
  Farthest found{nullptr, mine.value, 0};
  for (const IdentifiedModel* law : others)
    for (const Estimate& other : law->confidence.estimates) {
      if (other.key != mine.key || (only_determined && other.verdict != Determination::well_determined)) continue;
      const double away = std::fabs(other.value - mine.value);
      if (away <= std::fabs(found.value - mine.value)) continue;
      found = {law, other.value, away + (only_determined ? 1.96 * other.standard_error : 0)};
    }
  const double half = 0.5 * std::min(mine.high - mine.value, mine.value - mine.low);
  if (std::fabs(found.value - mine.value) <= half) found.law = nullptr;
  return found;
}

}  // namespace

void widen_by_other_laws(IdentifiedModel& m, const std::vector<const IdentifiedModel*>& all,
                         const std::vector<const IdentifiedModel*>& alike) {
  constexpr double nearly = 1.5;  // times the error of the recommended one
  std::vector<const IdentifiedModel*> near;
  for (const IdentifiedModel* law : all)
    if (law->ranked_rms <= nearly * m.ranked_rms) near.push_back(law);
  for (std::size_t k = 0; k < m.confidence.estimates.size(); ++k) {
    Estimate& mine = m.confidence.estimates[k];
    const bool is_of_machine = mine.key == "chain.backlash" || mine.key == "chain.lag";
    const std::string shared = shared_key(mine.key);
    const bool is_common = shared == "coulomb_force" || shared == "stiction_force" || shared == "viscosity";
    if (!is_of_machine && (!is_common || mine.verdict == Determination::at_bound)) continue;
    const Farthest other = farthest_from(mine, is_of_machine ? near : alike, !is_of_machine);
    const double reach = other.reach;
    if (!other.law || (mine.value - reach >= mine.low && mine.value + reach <= mine.high)) continue;
    const double factor = reach / std::max(1.96 * std::sqrt(m.confidence.covariance(k, k)), 1e-300);
    for (std::size_t j = 0; j < m.confidence.covariance.size(); ++j)
      m.confidence.covariance(k, j) *= factor, m.confidence.covariance(j, k) *= factor;
    mine.standard_error = reach / 1.96, mine.low = mine.value - reach, mine.high = mine.value + reach;
    if (mine.standard_error > 0.1 * std::fabs(mine.value)) mine.verdict = Determination::weak;
    const std::string name = is_of_machine ? mine.key.substr(6) : mine.key;
    m.remarks.push_back(name + " depends on the law: " + other.law->label + ", which fits nearly as well, finds " +
                        significant(other.value, 3) + " where " + m.label + " finds " + significant(mine.value, 3) +
                        " [SI]; the interval covers both");
  }
}

void doubt_offset(IdentifiedModel& m, double by_direction, const std::string& unit) {
  Estimate* offset = nullptr;
  double level = 0;
  for (Estimate& e : m.confidence.estimates) {
    if (e.key == "chain.offset") offset = &e;
    if (e.key == "coulomb_force") level = e.value;
  }
  if (!offset || offset->verdict == Determination::at_bound || !m.settings.backward.empty()) return;
  const double value = offset->value, half = 0.5 * (offset->high - offset->low);
  if (!(std::fabs(value) > half) || !(std::fabs(value) < level)) return;
  std::string remark = "an offset of " + with_unit(value, unit, 3) +
                       " cannot be separated from friction that depends on the direction: without an offset the level "
                       "would be " +
                       with_unit(level + value, unit, 3) + " forward and " + with_unit(level - value, unit, 3) +
                       " backward";
  if (by_direction > 0) {
    const double reach = std::fabs(value) + half, factor = reach / std::max(half, 1e-300);
    const auto k = static_cast<std::size_t>(offset - m.confidence.estimates.data());
    for (std::size_t j = 0; j < m.confidence.covariance.size(); ++j)
      m.confidence.covariance(k, j) *= factor, m.confidence.covariance(j, k) *= factor;
    offset->standard_error = reach / 1.96, offset->low = value - reach, offset->high = value + reach;
    offset->verdict = Determination::weak;
    remark += "; the residuals suggest that (the direction explains " + significant(by_direction, 2) +
              " % of their squares): try --per-direction; the interval of the offset reaches to 0";
  }
  m.remarks.push_back(std::move(remark));
}

}  // namespace stickslip::inline identification
