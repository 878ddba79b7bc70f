#include "identification/judging/unseen_drop.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "identification/judging/law_remarks.hpp"

namespace stickslip::inline identification {

namespace {

/// Of a Confidence, or one that is const.
template <class Any>
auto* estimate_of(Any& confidence, const std::string& key) {
  auto& all = confidence.estimates;
  const auto at = std::find_if(all.begin(), all.end(), [&](const Estimate& e) { return e.key == key; });
  return at == all.end() ? nullptr : &*at;
}

bool has_equal_levels(const IdentifiedModel& m) {
  constexpr double next_to_nothing = 0.02;
  const auto* const sliding = estimate_of(m.confidence, "coulomb_force");
  const auto* const breakaway = estimate_of(m.confidence, "stiction_force");
  return sliding && breakaway && estimate_of(m.confidence, "stribeck_velocity") &&
         breakaway->value <= (1 + next_to_nothing) * sliding->value;
}

}  // namespace

bool may_hide_a_drop(const IdentifiedModel& m, const FitData& data) {
  return has_equal_levels(m) || stribeck_beyond_speeds(m, data) > 0;
}

std::string doubt_unseen_drop(IdentifiedModel& m, const FitData& data, const std::string& speed_unit) {
  const auto goes_beyond = [&](const Profile& p) {
    return p.key == "stribeck_velocity" && (!p.ends_above || p.high > data.scales.fastest);
  };
  Estimate* const level = estimate_of(m.confidence, "coulomb_force");
  if (!level || !estimate_of(m.confidence, "stiction_force") ||
      std::none_of(m.profiles.begin(), m.profiles.end(), goes_beyond))
    return {};
  if (level->verdict != Determination::well_determined && level->verdict != Determination::weak) return {};
  level->verdict = Determination::weak;
  // What is said of a Stribeck velocity beyond all speeds is said of a drop that there is.
  std::erase_if(m.remarks, [](const std::string& remark) { return remark.starts_with("stribeck_velocity is "); });
  return "where the Stribeck drop ends is not seen: coulomb_force is the level up to the fastest speed, " +
         with_unit(data.scales.fastest, speed_unit, 3) + "; if the Stribeck velocity lies beyond, it is lower";
}

}  // namespace stickslip::inline identification
