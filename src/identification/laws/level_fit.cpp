#include "identification/laws/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace stickslip::inline identification {

namespace {

/// F_C and F_S of each direction and recording, by their places. Levels of which one is shared and one private are left out.
std::vector<std::pair<std::size_t, std::size_t>> levels_of(const ModelSpace& space) {
  std::vector<std::pair<std::size_t, std::size_t>> levels;
  std::vector<std::string> units{""};
  for (std::size_t unit = 1; unit <= space.units() && space.units() > 1; ++unit)
    units.push_back("@" + std::to_string(unit));
  for (const std::string direction : {"", "backward."})
    for (const std::string& unit : units) {
      const auto sliding = space.find(direction + "coulomb_force" + unit),
                 breakaway = space.find(direction + "stiction_force" + unit);
      if (sliding && breakaway) levels.emplace_back(*sliding, *breakaway);
    }
  return levels;
}

}  // namespace

bool has_levels_in_order(const ModelSpace& space, const std::vector<double>& y) {
  const auto levels = levels_of(space);
  return std::all_of(levels.begin(), levels.end(), [&](const auto& level) {
    return space.unknowns()[level.second].value(y[level.second]) >= space.unknowns()[level.first].value(y[level.first]);
  });
}

ModelFit in_order(const ModelSpace& space, const FitData& data, ModelFit found, FollowOptions steps) {
  const auto velocity = space.find("stribeck_velocity");
  if (!velocity || has_levels_in_order(space, found.y)) return found;
  const auto levels = levels_of(space);
  const auto make_equal = [&](std::vector<double>& y) {
    for (const auto& [sliding, breakaway] : levels) {
      const Unknown& u = space.unknowns()[breakaway];
      y[breakaway] = u.coordinate(std::clamp(space.unknowns()[sliding].value(y[sliding]), u.low, u.high));
    }
  };
  const ModelResiduals residuals(space, data);
  std::vector<double> y = found.y;
  y[*velocity] = space.unknowns()[*velocity].lowest();
  make_equal(y);
  y = follow(residuals, y, steps, *velocity).y;
  make_equal(y);
  ModelFit equal = follow(residuals, y, {.most_steps = 0, .exact = steps.exact});
  equal.complete = found.complete;
  return std::isfinite(equal.cost) ? equal : found;
}

namespace {

/// Where another start leads on a part of the samples; nothing where it leads to the same place as what was found, or plainly higher.
std::optional<std::vector<double>> on_part(const ModelSpace& space, const FitData& part,
                                           const std::vector<double>& found, const std::vector<double>& start,
                                           const FollowOptions& steps) {
  constexpr double same_cost = 1e-6, same_place = 1e-2;  // coordinates: decades of e, or typical sizes
  constexpr double plainly = 0.03;                       // of the cost
  const ModelResiduals residuals(space, part);
  const ModelFit here = follow(residuals, found, steps), other = follow(residuals, start, steps);
  if (!(other.cost <= here.cost * (1 + plainly))) return {};
  double moved = 0;
  for (std::size_t k = 0; k < found.size(); ++k) moved = std::max(moved, std::fabs(other.y[k] - here.y[k]));
  if (other.cost >= here.cost * (1 - same_cost) && moved < same_place) return {};
  return other.y;
}

}  // namespace

ModelFit beyond_all_speeds(const ModelSpace& space, const FitData& data, ModelFit found, const FollowOptions& steps,
                           const FitData* part) {
  constexpr double slow = 0.05, beyond = 2;  // of the fastest speed
  constexpr double chance = 4;               // of one parameter, in squares of the error
  constexpr double flat = 1e-6;              // levels that are equal have no Stribeck velocity
  const auto velocity = space.find("stribeck_velocity");
  if (!velocity) return found;
  const auto value = [&](std::size_t k) { return space.unknowns()[k].value(found.y[k]); };
  if (!(value(*velocity) < slow * data.scales.fastest)) return found;
  std::vector<double> y = found.y;
  const auto put = [&](std::size_t k, double x) {
    const Unknown& u = space.unknowns()[k];
    y[k] = u.coordinate(std::clamp(x, u.low, u.high));
  };
  put(*velocity, beyond * data.scales.fastest);
  bool has_levels = false;
  for (const std::string direction : {"", "backward."}) {
    const auto sliding = space.find(direction + "coulomb_force"), breakaway = space.find(direction + "stiction_force");
    if (!sliding || !breakaway || value(*breakaway) <= (1 + flat) * value(*sliding)) continue;
    put(*breakaway, value(*sliding)), put(*sliding, 0.5 * value(*sliding));
    has_levels = true;
  }
  if (!has_levels) return found;
  if (part) {
    const auto there = on_part(space, *part, found.y, y, steps);
    if (!there) return found;
    y = *there;
  }
  ModelFit other = follow(ModelResiduals(space, data), y, steps);
  other.complete = found.complete;
  const auto rows = static_cast<double>(std::max<Eigen::Index>(found.residuals.size(), 1));
  return other.cost <= found.cost * (1 + chance / rows) ? other : found;
}

}  // namespace stickslip::inline identification
