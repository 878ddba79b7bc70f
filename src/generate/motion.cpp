/// Motions that tell much about friction; see motion.hpp.
#include "generate/motion.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "identification/motion_force.hpp"

namespace stickslip::inline generation {
namespace {

/// Noise through a slow resonance; each call continues where the last one ended.
class FilteredNoise {
 public:
  explicit FilteredNoise(std::uint64_t seed) : random_(seed) {}
  void append(std::size_t count, std::vector<double>& path) {
    path.reserve(path.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      step_ += random_.normal() - 0.02 * step_;
      position_ += step_ - 0.01 * position_;
      path.push_back(position_);
    }
  }

 private:
  Random random_;
  double position_ = 0, step_ = 0;
};

SampledMotion scaled(std::vector<double> path, const RandomMotion& wanted) {
  SampledMotion motion;
  const double scale = wanted.half_range / half_range(path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    motion.time.push_back(static_cast<double>(i) / wanted.rate);
    path[i] *= scale;
  }
  motion.position = std::move(path);
  return motion;
}

void check(const RandomMotion& wanted) {
  if (wanted.samples < 2) throw Error("a random motion of " + std::to_string(wanted.samples) + " samples; at least 2");
  if (!(wanted.rate > 0) || !std::isfinite(wanted.rate))
    throw Error("the rate is " + shortest(wanted.rate) + " Hz; it must be positive");
  if (!(wanted.half_range > 0) || !std::isfinite(wanted.half_range))
    throw Error("the half range is " + shortest(wanted.half_range) + " m; it must be positive");
}

double logarithmic(Random& random, double low, double high) { return low * std::pow(high / low, random.uniform()); }

}  // namespace

SampledMotion random_motion(const RandomMotion& wanted) {
  check(wanted);
  std::vector<double> path;
  FilteredNoise(wanted.seed).append(wanted.samples, path);
  return scaled(std::move(path), wanted);
}

SampledMotion random_motion_with_extreme(const RandomMotion& wanted, std::size_t extreme) {
  check(wanted);
  if (extreme >= wanted.samples)
    throw Error("the extreme is at sample " + std::to_string(extreme) + " of " + std::to_string(wanted.samples));
  FilteredNoise noise(wanted.seed);
  std::vector<double> path;
  for (int lengths = 1; lengths <= 100; ++lengths) {
    noise.append(wanted.samples, path);
    // A window whose first large travel ends at `extreme`. An extreme lies far out: the others are passed over unseen.
    const double far_out = 0.8 * half_range(path);
    for (std::size_t i = 1 + extreme; i + wanted.samples - extreme < path.size(); ++i) {
      if (std::fabs(path[i]) < far_out || (path[i] - path[i - 1]) * (path[i + 1] - path[i]) >= 0) continue;
      const auto first = path.begin() + static_cast<std::ptrdiff_t>(i - extreme);
      const std::span<const double> window(&*first, wanted.samples);
      if (dominant_extreme(window).index == extreme) return scaled({window.begin(), window.end()}, wanted);
    }
  }
  throw Error("no stretch of the random motion has its dominant extreme at sample " + std::to_string(extreme) +
              "; take another seed");
}

SampledMotion strokes(const Strokes& wanted) {
  if (!(wanted.duration > 0) || !std::isfinite(wanted.duration))
    throw Error("the duration is " + shortest(wanted.duration) + " s; it must be positive");
  Random random(wanted.seed);
  SampledMotion motion;
  double from = 0, begin = 0, length = 0, time_taken = 0;
  const auto next_stroke = [&] {
    from += length, begin += time_taken;
    if (random.uniform() < 0.2) {  // a dwell
      length = 0, time_taken = 0.05 + 0.15 * random.uniform();
      return;
    }
    length = logarithmic(random, wanted.shortest, wanted.longest);
    const double peak = logarithmic(random, wanted.slowest, wanted.fastest);
    // peak speed 1.875 L/T, peak acceleration 5.774 L/T²; no stroke takes long, since slow ones are short
    time_taken = std::max(1.875 * length / peak, std::sqrt(5.774 * length / wanted.largest_acceleration));
    if (time_taken > 1.5) length *= 1.5 / time_taken, time_taken = 1.5;
    time_taken = std::max(time_taken, 0.04);
    const double towards = random.uniform() < 0.5 + 0.5 * from / wanted.reach ? -1 : 1;
    length *= towards;
    if (std::fabs(from + length) > wanted.reach) length = -length;
  };
  const auto count = static_cast<std::size_t>(wanted.duration / wanted.interval) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) * wanted.interval;
    while (t >= begin + time_taken) next_stroke();
    const double s = (t - begin) / time_taken;
    motion.time.push_back(t);
    motion.position.push_back(from + length * s * s * s * (10 + s * (6 * s - 15)));
  }
  return motion;
}

}  // namespace stickslip::inline generation
