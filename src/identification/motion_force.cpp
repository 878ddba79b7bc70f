#include "identification/motion_force.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace stickslip::inline identification {

void require_usable(const MotionForce& data, std::size_t least) {
  const std::size_t n = data.size();
  if (data.time.size() != n || data.force.size() != n)
    throw Error("motion and force: " + std::to_string(data.time.size()) + " times, " + std::to_string(n) +
                " positions, " + std::to_string(data.force.size()) + " forces; they must be equally many");
  if (n < least)
    throw Error("motion and force: " + std::to_string(n) + " samples; at least " + std::to_string(least) +
                " are needed");
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(data.time[i]) || !std::isfinite(data.position[i]) || !std::isfinite(data.force[i]))
      throw Error("motion and force: sample " + std::to_string(i) + " is not finite; recordings must be finite");
    if (i > 0 && !(data.time[i] > data.time[i - 1]))
      throw Error("motion and force: time does not rise at sample " + std::to_string(i) + "; sort the recording");
  }
}

double even_sampling_time(std::span<const double> time) {
  if (time.size() < 2) throw Error("sampling time: at least 2 samples are needed");
  const double mean = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 1; i < time.size(); ++i)
    if (!(std::fabs(time[i] - time[i - 1] - mean) <= 0.01 * mean))
      throw Error("sampling time: the step to sample " + std::to_string(i) + " is not the mean step; resample evenly");
  return mean;
}

FitQuality fit_quality(std::span<const double> measured, std::span<const double> modelled) {
  assert(measured.size() == modelled.size());
  FitQuality q;
  q.samples = measured.size();
  double mean = 0, spread = 0;
  for (const double f : measured) mean += f;
  mean /= static_cast<double>(std::max<std::size_t>(measured.size(), 1));
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double e = measured[i] - modelled[i];
    q.cost += e * e;
    q.largest_error = std::max(q.largest_error, std::fabs(e));
    spread += (measured[i] - mean) * (measured[i] - mean);
  }
  q.noe = 100 * q.cost / spread;
  return q;
}

double half_range(std::span<const double> position) {
  const auto [low, high] = std::minmax_element(position.begin(), position.end());
  return position.empty() ? 0 : 0.5 * (*high - *low);
}

DominantExtreme dominant_extreme(std::span<const double> position, double share) {
  const double range = 2 * half_range(position);
  if (!(range > 0)) throw Error("dominant extreme: the position never changes; record a motion");
  double low = position[0], high = position[0];
  for (std::size_t i = 1; i < position.size(); ++i) {
    const bool highest = position[i] > high, lowest = position[i] < low;
    low = std::min(low, position[i]);
    high = std::max(high, position[i]);
    if (!(highest || lowest) || high - low < share * range) continue;
    // The travel is long enough; the turning point is where the motion reverses.
    std::size_t turn = i;
    for (std::size_t k = i + 1;
         k < position.size() && (highest ? position[k] >= position[turn] : position[k] <= position[turn]); ++k)
      turn = k;
    const double travel = highest ? position[turn] - low : high - position[turn];
    return {turn, highest ? Direction::forward : Direction::backward, 0.5 * travel};
  }
  throw Error("dominant extreme: no turning point follows a travel of the share asked for; lower the share");
}

}  // namespace stickslip::inline identification
