#include "recording/preparation/additive_load.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline recordings {

double AdditiveLoad::at(double position) const {
  double load = 0;
  for (const LoadWave& w : waves)
    load += w.sine * std::sin(w.wave_number * position) + w.cosine * std::cos(w.wave_number * position);
  if (knots.size() < 2) return load;
  const double x = std::clamp(position, knots.front(), knots.back());
  const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
  const auto k = static_cast<std::size_t>(above - knots.begin());
  const double share = (x - knots[k - 1]) / (knots[k] - knots[k - 1]);
  return load + values[k - 1] + share * (values[k] - values[k - 1]);
}

}  // namespace stickslip::inline recordings
