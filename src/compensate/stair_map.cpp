/// See stair_map.hpp.
#include "compensate/stair_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline compensation {
namespace {

constexpr double least_factor = 1.0 / 64, greatest_factor = 4;

bool is_stable(const ServoAxis& axis, const LinearFriction& friction) { return spectral_radius(axis, friction) < 1; }

StairBoundary boundary_at(const ServoAxis& axis, const FrictionSlopes& slopes, double speed) {
  const LinearFriction friction = sliding(*axis.friction, slopes, speed);
  const auto stable = [&](double factor) { return is_stable(with_bandwidth(axis, factor), friction); };
  StairBoundary b{.speed = speed, .low = 0, .high = greatest_factor, .is_any = false};
  constexpr int looks = 80;
  double inside = 0;
  for (int i = 0; i <= looks && !b.is_any; ++i) {
    inside = least_factor * std::pow(greatest_factor / least_factor, double(i) / looks);
    b.is_any = stable(inside);
  }
  if (!b.is_any) return b;
  const auto halve = [&](double good, double bad) {
    for (int i = 0; i < 50 && std::fabs(good - bad) > 1e-9 * good; ++i) {
      const double middle = std::sqrt(good * bad);
      (stable(middle) ? good : bad) = middle;
    }
    return good;
  };
  if (inside > least_factor) b.low = halve(inside, inside / std::pow(greatest_factor / least_factor, 1.0 / looks));
  double top = inside;
  while (top < greatest_factor && stable(std::min(greatest_factor, 1.05 * top)))
    top = std::min(greatest_factor, 1.05 * top);
  b.high = top < greatest_factor ? halve(top, 1.05 * top) : greatest_factor;
  return b;
}

}  // namespace

ServoAxis with_bandwidth(ServoAxis axis, double factor) {
  axis.gains.derivative *= factor;
  axis.gains.proportional *= factor * factor;
  axis.gains.integral *= factor * factor * factor;
  return axis;
}

Moves how_it_moves(const ServoAxis& axis, double speed) {
  const ServoGains& g = axis.gains;
  const FrictionSlopes slopes = slopes_of(*axis.friction);
  // Long enough for the integral to settle and for eight stairs, each the way of a spring P from stiction to as far below sliding.
  const double stair = 2 * (slopes.breakaway - slopes.coulomb) / g.proportional / speed;
  const double settles = 8 * (g.integral > 0 ? g.proportional / g.integral : g.derivative / g.proportional);
  const double wanted = 2 * (settles + 8 * stair), longest = 2e5 * g.sampling_time;
  const double duration = std::clamp(wanted, 400 * g.sampling_time, longest);
  ServoAxis moving = axis;
  moving.body.position = 0;
  moving.reference = Signal::ramp(speed);
  const AxisTrace trace = trace_of(moving, duration);
  if (trace.stop != Stop::finished) return Moves::unstable;
  double slowest = HUGE_VAL, fastest = -HUGE_VAL;
  std::size_t stops = 0;
  bool is_slow = false;
  for (std::size_t i = trace.time.size() / 2; i < trace.time.size(); ++i) {
    const double v = trace.velocity[i];
    slowest = std::min(slowest, v), fastest = std::max(fastest, v);
    if (!is_slow && v < 0.05 * speed) is_slow = true, ++stops;
    if (v > 0.5 * speed) is_slow = false;
  }
  if (stops < 3) return wanted > longest ? Moves::undecided : Moves::smoothly;
  // Back and forth within a few samples is the loop, not the friction.
  const double per_stop = double(trace.time.size()) / 2 / double(stops);
  return slowest < -0.5 * fastest && per_stop < 40 ? Moves::unstable : Moves::in_stairs;
}

bool steady_sliding_holds(const ServoAxis& axis, const FrictionSlopes& slopes, double speed) {
  const ServoGains& g = axis.gains;
  ServoAxis sliding_axis = axis;
  sliding_axis.gains.resolution = 0;
  // Steady: friction and its states as after a long way, the force from the integral or from the error, and from the motor already before
  // the first sample acts: a delay without force is no small kick to a slow axis.
  const auto stepper = axis.friction->fixed_stepper(axis.body.mass, 0, speed);
  const double way = slopes.stiffness > 0 ? 60 * slopes.breakaway / slopes.stiffness : 1e-4;
  double force = 0;
  for (int i = 0; i < 600; ++i) force = stepper->follow(speed, way / speed / 600);
  sliding_axis.body.state = stepper->states();
  sliding_axis.start_force = force;
  sliding_axis.body.velocity = 1.001 * speed;
  sliding_axis.body.position = g.integral > 0 ? 0 : -force / g.proportional;
  sliding_axis.gains.start_integral = g.integral > 0 ? force / g.integral : 0;
  // It moves already before the start, as long as differences look back. An earlier beginning would leave rounding in the reference that
  // is as large as the kick.
  const double before = (ServoGains::longest_difference + 1) * g.sampling_time;
  sliding_axis.reference = Signal::ramp(speed, -before) + Signal(-before * speed);
  const double frequency = std::sqrt(g.proportional / axis.body.mass) / Oscillation::two_pi;
  const double duration = std::clamp(60 / frequency, 200 * g.sampling_time, 4e5 * g.sampling_time);
  const AxisTrace trace = trace_of(sliding_axis, duration);
  if (trace.stop != Stop::finished) return false;
  const auto largest = [&](double from, double to) {
    double most = 0;
    for (std::size_t i = static_cast<std::size_t>(from * double(trace.time.size()));
         i < static_cast<std::size_t>(to * double(trace.time.size())); ++i)
      most = std::max(most, std::fabs(trace.velocity[i] - speed));
    return most;
  };
  // Grown to a cycle, or died out to rounding: then the two parts of the run do not tell any more.
  const double late = largest(0.75, 1);
  return late < 1e-6 * speed || (late < 0.01 * speed && late < largest(0.25, 0.5));
}

StairMap stair_map(const ServoAxis& axis, const StairOptions& options) {
  const FrictionSlopes slopes = slopes_of(*axis.friction);
  StairMap map;
  const auto spread = [](double low, double high, int count, std::vector<double>& into) {
    for (int i = 0; i < count; ++i) into.push_back(low * std::pow(high / low, count > 1 ? double(i) / (count - 1) : 0));
  };
  spread(0.05 * slopes.speed, 5 * slopes.speed, options.speeds, map.speeds);
  spread(1.0 / 32, 2, options.factors, map.factors);
  for (const double speed : map.speeds)
    for (const double factor : map.factors) map.cells.push_back({speed, factor, Moves::smoothly});
  const auto guard = [&] {
    if (options.watch && options.watch->cancel.load()) throw Error("interrupted");
  };
  parallel_for(map.cells.size(), options.threads, [&](std::size_t i) {
    guard();
    StairCell& cell = map.cells[i];
    const ServoAxis tried = with_bandwidth(axis, cell.factor);
    cell.moves = how_it_moves(tried, cell.speed);
  });
  constexpr int fine = 25;
  std::vector<double> speeds;
  spread(map.speeds.front(), map.speeds.back(), fine, speeds);
  map.boundary.resize(speeds.size());
  parallel_for(speeds.size(), options.threads,
               [&](std::size_t i) { map.boundary[i] = boundary_at(axis, slopes, speeds[i]); });
  // Three speeds inside the falling part are examined closely.
  std::vector<StairBoundary> inside;
  for (const StairBoundary& b : map.boundary)
    if (b.is_any && b.low > least_factor) inside.push_back(b);
  for (std::size_t k = 0; k < std::min<std::size_t>(3, inside.size()); ++k) {
    const StairBoundary& b =
        inside[inside.size() == 1 ? 0 : k * (inside.size() - 1) / std::min<std::size_t>(2, inside.size() - 1)];
    map.checks.push_back({b.speed, b.low, std::numeric_limits<double>::quiet_NaN()});
  }
  parallel_for(map.checks.size(), options.threads, [&](std::size_t i) {
    StairCheck& check = map.checks[i];
    const auto holds = [&](double factor) {
      guard();
      return steady_sliding_holds(with_bandwidth(axis, factor), slopes, check.speed);
    };
    double low = 0.9 * check.predicted, high = 1.1 * check.predicted;
    if (holds(low) || !holds(high)) low = check.predicted / 4, high = 4 * check.predicted;
    if (holds(low) || !holds(high)) return;
    while (high > 1.002 * low) {
      const double middle = std::sqrt(low * high);
      (holds(middle) ? high : low) = middle;
    }
    check.seen = std::sqrt(low * high);
  });
  return map;
}

}  // namespace stickslip::inline compensation
