#include "identification/experiments/steady_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline identification {
namespace {

struct Range {
  std::size_t first, end;
  std::size_t count() const { return end - first; }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double mean_of(const std::vector<double>& values, Range r) {
  if (values.empty()) return 0;
  const auto first = values.begin() + std::ptrdiff_t(r.first);
  return std::accumulate(first, first + std::ptrdiff_t(r.count()), 0.0) / double(r.count());
}

/// Slope of a straight line through the values over time [1/s].
double slope_of(const std::vector<double>& time, const std::vector<double>& values) {
  const double t = mean_of(time, {0, time.size()}), y = mean_of(values, {0, values.size()});
  double ty = 0, tt = 0;
  for (std::size_t i = 0; i < time.size(); ++i)
    ty += (time[i] - t) * (values[i] - y), tt += (time[i] - t) * (time[i] - t);
  return tt > 0 ? ty / tt : 0;
}

/// Eq. (3): from the scatter of the means of ten parts.
double standard_error_of(const std::vector<double>& values) {
  constexpr std::size_t parts = 10;
  if (values.size() < 2 * parts) return 0;
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    const double m = mean_of(values, {k * values.size() / parts, (k + 1) * values.size() / parts});
    sum += m, squares += m * m;
  }
  const double variance = (squares - sum * sum / double(parts)) / double(parts - 1);
  return std::sqrt(std::max(variance, 0.0) / double(parts));
}

class Steady {
 public:
  Steady(const Recording& recording, const SteadyOptions& options) : r_(recording), o_(options) {
    if (r_.position.empty() && r_.velocity.empty())
      throw Error(r_.file + ": neither position nor velocity; constant speed cannot be seen");
    if (r_.force.size() != r_.size() || r_.size() < 20)
      throw Error(r_.file + ": " + std::to_string(r_.size()) + " samples with a force; a steady stretch needs 20");
  }

  SteadyPoints points() {
    if (o_.whole) {
      add({0, r_.size()});
    } else {
      for (const Range& stretch : stretches()) add(stretch);
      leave_out_drifting();
      if (found_.points.empty())
        throw Error(r_.file + ": no stretch of constant speed (within " + significant(100 * o_.tolerance, 3) +
                    " %) of " + significant(shortest_, 3) +
                    " s or more; give a larger tolerance, or take the whole recording as one");
    }
    return std::move(found_);
  }

 private:
  /// Eq. (1), or the mean of the recorded velocity over the window.
  std::vector<double> window_speed(std::size_t half) const {
    const std::size_t n = r_.size();
    std::vector<double> sum, v(n);
    if (r_.position.empty()) {
      sum.assign(n + 1, 0);
      for (std::size_t i = 0; i < n; ++i) sum[i + 1] = sum[i] + r_.velocity[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t a = i > half ? i - half : 0, b = std::min(i + half, n - 1);
      v[i] = r_.position.empty() ? (sum[b + 1] - sum[a]) / double(b + 1 - a)
                                 : (r_.position[b] - r_.position[a]) / (r_.time[b] - r_.time[a]);
    }
    return v;
  }

  /// Eq. (2).
  std::vector<Range> stretches() {
    const double step = (r_.time.back() - r_.time.front()) / double(r_.size() - 1);
    const double window = o_.window > 0 ? o_.window : 20 * step;
    shortest_ = o_.shortest > 0 ? o_.shortest : 5 * window;
    const std::vector<double> v = window_speed(std::max<std::size_t>(1, std::size_t(0.5 * window / step)));
    double fastest = 0;
    for (const double speed : v) fastest = std::max(fastest, std::fabs(speed));
    std::vector<Range> found;
    std::size_t slow = 0;
    for (std::size_t i = 0; i < v.size();) {
      if (v[i] == 0) {
        ++i;
        continue;
      }
      double sum = 0;
      std::size_t end = i;
      for (; end < v.size(); ++end) {
        const double mean = end == i ? v[i] : sum / double(end - i);
        if (std::fabs(v[end] - mean) > o_.tolerance * std::fabs(mean)) break;
        sum += v[end];
      }
      if (r_.time[end - 1] - r_.time[i] >= shortest_) {
        if (std::fabs(sum) > o_.slowest * fastest * double(end - i))
          found.push_back({i, end});
        else
          ++slow;
        i = end;
      } else {
        ++i;  // perhaps the speed was still changing here
      }
    }
    if (slow > 0)
      found_.notes.push_back(r_.file + ": " + std::to_string(slow) +
                             (slow == 1 ? " stretch of constant speed is" : " stretches of constant speed are") +
                             " slower than " + significant(100 * o_.slowest, 3) + " % of the fastest, " +
                             significant(o_.slowest * fastest, 3) + (r_.rotary ? " rad/s" : " m/s") +
                             ", and may be creep; left out (--slowest sets the limit)");
    return found;
  }

  /// Stretches over which the force changes too much; where all do, the recording has no steady force.
  void leave_out_drifting() {
    double largest = 0;
    for (const SteadyPoint& p : found_.points)
      largest = std::max(largest, std::fabs(p.force) + 0.5 * std::fabs(p.drift));
    std::erase_if(found_.points, [&](const SteadyPoint& p) {
      if (std::fabs(p.drift) <= o_.drift * largest) return false;
      found_.notes.push_back(r_.file + ": from " + significant(p.from, 5) + " s to " + significant(p.to, 5) +
                             " s the speed is constant, but the force changes by " + significant(p.drift, 3) +
                             "; not steady, left out");
      return true;
    });
  }

  void add(Range stretch) {
    if (!o_.whole) {
      const auto trim = std::size_t(o_.settle * double(stretch.count()));
      stretch = {stretch.first + trim, stretch.end - trim};
    }
    const std::vector<double> force(r_.force.begin() + std::ptrdiff_t(stretch.first),
                                    r_.force.begin() + std::ptrdiff_t(stretch.end));
    const double middle = median(force);
    std::vector<double> away(force.size());
    for (std::size_t i = 0; i < force.size(); ++i) away[i] = std::fabs(force[i] - middle);
    const double deviation = 1.4826 * median(away);  // of a normal distribution
    std::vector<double> kept, time;
    for (std::size_t i = 0; i < force.size(); ++i) {
      if (deviation > 0 && away[i] > o_.outlier * deviation) {
        found_.notes.push_back(r_.file + ": force " + significant(force[i], 4) + " at " +
                               significant(r_.time[stretch.first + i], 5) + " s is " +
                               significant(away[i] / deviation, 3) + " standard deviations off; left out");
        continue;
      }
      kept.push_back(force[i]);
      time.push_back(r_.time[stretch.first + i]);
    }
    SteadyPoint p;
    p.from = r_.time[stretch.first], p.to = r_.time[stretch.end - 1];
    p.samples = kept.size();
    p.speed = r_.velocity.empty() ? (r_.position[stretch.end - 1] - r_.position[stretch.first]) / (p.to - p.from)
                                  : mean_of(r_.velocity, stretch);
    const double sign = o_.force_drives ? -1 : 1;
    p.force = sign * mean_of(kept, {0, kept.size()});
    p.standard_error = standard_error_of(kept);
    p.drift = sign * slope_of(time, kept) * (p.to - p.from);
    p.load = mean_of(r_.load, stretch);
    p.pressure = mean_of(r_.pressure, stretch);
    p.temperature = mean_of(r_.temperature, stretch);
    p.where = r_.file;
    if (p.speed == 0) throw Error(r_.file + ": the mean speed is 0; a point of a static curve needs motion");
    found_.points.push_back(p);
  }

  const Recording& r_;
  SteadyOptions o_;
  double shortest_ = 0;
  SteadyPoints found_;
};

}  // namespace

SteadyPoints steady_points(const Recording& recording, const SteadyOptions& options) {
  return Steady(recording, options).points();
}

}  // namespace stickslip::inline identification
