/// See rivals.hpp.
#include "compensate/rivals.hpp"

#include <algorithm>
#include <cmath>

#include "compensate/stair_map.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline compensation {
namespace {

constexpr double longest_rest = 60;        // [s] of a standstill that is watched
constexpr double most_rest_samples = 3e5;  // of a controller that samples very fast

/// The loop without anything against friction.
ServoAxis bare(const AxisPlan& plan) {
  ServoAxis axis = plan.axis;
  axis.gains.follows_velocity = true;
  axis.gains.carried_mass = axis.body.mass;
  axis.gains.lead = axis.delay + axis.lag;
  axis.body.position = axis.reference(0);
  return axis;
}

double stroke_of(const AxisPlan& plan) {
  double low = plan.axis.reference(0), high = low;
  for (int i = 0; i <= 2000; ++i) {
    const double y = plan.axis.reference(plan.duration * i / 2000);
    low = std::min(low, y), high = std::max(high, y);
  }
  if (!(high > low))
    throw Error("the reference does not move; a motion with reversals is needed to compare controllers");
  return 0.5 * (high - low);
}

void judge(const AxisPlan& plan, double stroke, double watched, const RivalOptions& options, Rival& rival) {
  const ServoAxis& axis = rival.axis;
  rival.trace = trace_of(axis, plan.duration, options.watch);
  // The first tenth is the start from rest, which is not a reversal.
  rival.tracking = tracking_error(rival.trace.time, rival.trace.reference, rival.trace.position, 0.1 * plan.duration);
  double squares = 0;
  for (const double u : rival.trace.command) squares += u * u;
  rival.effort = std::sqrt(squares / std::max<double>(1, double(rival.trace.command.size())));
  rival.rest = rest_test(axis, stroke, watched);
}

void small_motions(const FrictionSlopes& acts, const Friction& acting, const std::optional<FrictionSlopes>& known,
                   const Friction* knowing, Rival& rival) {
  const double speed = 3 * acts.speed;
  std::optional<LinearFriction> slow, fast;
  if (rival.axis.observer && known && knowing) {
    slow = known->stiffness > 0 ? presliding(*known)
                                : LinearFriction{.stiffness = known->breakaway / rival.axis.observer->reversal,
                                                 .damping = 0,
                                                 .viscosity = 0,
                                                 .follows = 1,
                                                 .relaxes = 0};
    fast = sliding(*knowing, *known, speed);
  }
  rival.presliding_radius = acts.stiffness > 0 ? spectral_radius(rival.axis, presliding(acts), slow) : 0;
  rival.sliding_radius = spectral_radius(rival.axis, sliding(acting, acts, speed), fast);
}

}  // namespace

AxisTrace trace_of(const ServoAxis& axis, double duration, RunWatch* watch) {
  SimulationOptions options;
  options.end = duration;
  options.watch = watch;
  // Tracking errors are read to a thousandth; events need no nanoseconds here.
  options.relative_tolerance = 1e-7;
  options.absolute_tolerance = 1e-3 * 1e-7;
  const auto motion = servo_axis_motion(axis, options);
  const std::size_t count = static_cast<std::size_t>(duration / axis.gains.sampling_time * (1 + 1e-12)) + 1;
  std::vector<double> now(motion->outputs().size());
  const std::size_t own = now.size() - 4;
  AxisTrace trace;
  for (auto* column : {&trace.time, &trace.reference, &trace.position, &trace.velocity, &trace.command})
    column->reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) * axis.gains.sampling_time;
    trace.stop = motion->advance(t);
    if (trace.stop == Stop::cancelled) throw Error("interrupted");
    if (trace.stop != Stop::finished) return trace;
    motion->read(now);
    trace.time.push_back(t);
    trace.position.push_back(now[0]);
    trace.velocity.push_back(now[1]);
    trace.reference.push_back(now[own]);
    trace.command.push_back(now[own + 2]);
  }
  return trace;
}

namespace {

/// One way to come to rest: the second half of `duration` at the end of the trace decides.
RestTest watched_rest(const ServoAxis& axis, AxisTrace trace, double stroke, double duration) {
  RestTest found;
  found.duration = duration;
  const std::size_t count = trace.time.size(),
                    first =
                        count - std::min(count, static_cast<std::size_t>(0.5 * duration / axis.gains.sampling_time));
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t i = first; i < count; ++i) {
    low = std::min(low, trace.position[i]), high = std::max(high, trace.position[i]);
    found.error = std::max(found.error, std::fabs(trace.reference[i] - trace.position[i]));
  }
  if (trace.stop != Stop::finished || !(high >= low)) {
    found.hunts = true;
    found.swing = found.error = HUGE_VAL;
    return found;
  }
  found.swing = 0.5 * (high - low);
  // Passes through the middle, with a fifth of the swing to either side as hysteresis.
  const double middle = 0.5 * (low + high), band = 0.2 * found.swing;
  int side = 0;
  std::vector<double> passes;
  for (std::size_t i = first; i < count; ++i) {
    const double off = trace.position[i] - middle;
    const int now = off > band ? 1 : off < -band ? -1 : side;
    if (side != 0 && now != side) passes.push_back(trace.time[i]);
    side = now;
  }
  found.hunts = passes.size() >= 3 && found.swing > axis.gains.resolution && found.swing > 1e-12 + 1e-9 * stroke;
  if (found.hunts) found.period = 2 * (passes.back() - passes.front()) / static_cast<double>(passes.size() - 1);
  return found;
}

}  // namespace

RestTest rest_test(const ServoAxis& axis, double stroke, double duration) {
  // After a stroke that takes half a second, or as long as the loop needs; and from rest off the target, twice as far as stiction holds.
  const double way = 0.5 * stroke, moving = std::max(0.5, 500 * axis.gains.sampling_time);
  ServoAxis stopped = axis, displaced = axis;
  stopped.reference = Signal(axis.body.position) + Signal::ramp(way / moving, 0, moving);
  displaced.reference = Signal(axis.body.position);
  displaced.body.position -= 2 * slopes_of(*axis.friction).breakaway / axis.gains.proportional;
  const RestTest one = watched_rest(stopped, trace_of(stopped, moving + duration), stroke, duration),
                 other = watched_rest(displaced, trace_of(displaced, duration), stroke, duration);
  RestTest worse = other.hunts || !one.hunts ? other : one;
  worse.error = std::max(one.error, other.error);
  return worse;
}

namespace {

/// Everything that is tried, in the order of the table.
std::vector<Rival> candidates(const AxisPlan& plan, const std::shared_ptr<const Friction>& known,
                              const FrictionSlopes& knows, double dead_zone) {
  const std::string length = unit_for(plan.motion, "m"), force = unit_for(plan.motion, "N");
  const ServoAxis plain = bare(plan);
  std::vector<Rival> all;
  const auto add = [&](const std::string& name, const std::string& chosen, ServoAxis axis) {
    Rival rival;
    rival.name = name;
    rival.chosen = chosen;
    rival.axis = std::move(axis);
    all.push_back(std::move(rival));
  };
  add("none", "", plain);
  ServoAxis axis = plain;
  axis.gains.integral = plan.integral;
  add("integral", "", axis);
  axis.gains.dead_zone = dead_zone;
  add("integral with dead zone", "dead zone " + with_unit(dead_zone, length, 3), axis);
  for (const double share : {0.3, 1.0}) {
    axis = plain;
    axis.gains.dither_amplitude = share * knows.breakaway;
    axis.gains.dither_frequency = 1 / (8 * axis.gains.sampling_time);
    add("dither",
        with_unit(axis.gains.dither_amplitude, force, 3) + " at " + with_unit(axis.gains.dither_frequency, "Hz", 3),
        axis);
  }
  const bool is_ideal = known->description().nature == Nature::sticks;
  // A law that truly sticks turns over within a way that the axis can tell from rest.
  const double unit = std::max({plain.gains.resolution, 0.02 * knows.breakaway / plain.gains.proportional});
  std::vector<double> reversals{0};
  if (is_ideal) reversals = {unit, 4 * unit, 16 * unit};
  for (const double reversal : reversals) {
    axis = plain;
    axis.feedforward = FrictionKnowledge{known, 1, reversal};
    const std::string chosen = reversal > 0 ? "reversal over " + with_unit(reversal, length, 3) : "";
    add("feed-forward", chosen, axis);
    axis.gains.integral = plan.integral;
    axis.gains.dead_zone = dead_zone;
    add("feed-forward, integral with dead zone",
        (chosen.empty() ? "" : chosen + ", ") + "dead zone " + with_unit(dead_zone, length, 3), axis);
  }
  const double loop = plain.gains.proportional / plain.gains.derivative;
  for (const double share : {1.0, 0.8})
    for (const double correction : {0.0, loop}) {
      axis = plain;
      axis.observer = FrictionKnowledge{known, share, is_ideal ? 4 * unit : 0};
      axis.gains.correction = correction;
      add("observer", shortest(100 * share) + " %, correction " + with_unit(correction, "1/s", 3), axis);
    }
  return all;
}

/// Of those with the same name the best stays.
std::vector<Rival> best_of_each(std::vector<Rival> all) {
  std::vector<Rival> kept;
  const auto is_better = [](const Rival& a, const Rival& b) {
    if (a.was_run != b.was_run) return a.was_run;
    if (!a.was_run)
      return std::max(a.presliding_radius, a.sliding_radius) < std::max(b.presliding_radius, b.sliding_radius);
    if (a.rest.hunts != b.rest.hunts) return b.rest.hunts;
    return a.tracking.rms < b.tracking.rms;
  };
  for (Rival& rival : all) {
    auto same = std::find_if(kept.begin(), kept.end(), [&](const Rival& k) { return k.name == rival.name; });
    if (same == kept.end())
      kept.push_back(std::move(rival));
    else if (is_better(rival, *same))
      *same = std::move(rival);
  }
  return kept;
}

/// The least dead zone that lets the integral come to rest, to 10 %, up to a thousand times where the search begins.
void find_dead_zone(const ServoAxis& axis, double stroke, double watched, const RivalOptions& options,
                    HuntingFound& found) {
  const auto hunts = [&](double dead_zone) {
    if (options.watch && options.watch->cancel.load()) throw Error("interrupted");
    ServoAxis tried = axis;
    tried.gains.dead_zone = dead_zone;
    return rest_test(tried, stroke, watched).hunts;
  };
  double low = 0, high = std::max({found.dead_zone_predicted, 2 * axis.gains.resolution, 1e-9 * stroke});
  for (int i = 0; i < 10 && hunts(high); ++i) low = high, high *= 2;
  if (low == 0) {
    for (int i = 0; i < 10 && !hunts(0.5 * high); ++i) high *= 0.5;
    low = 0.5 * high;
  } else if (hunts(high)) {
    return;
  }
  while (high > 1.1 * low) {
    const double middle = std::sqrt(low * high);
    (hunts(middle) ? low : high) = middle;
  }
  found.dead_zone_seen = high;
  found.is_dead_zone_found = true;
}

}  // namespace

namespace {

/// A speed at which sliding is not stable; 0: none was found. A slip must run away from rest for the axis to hunt.
double unstable_speed(const ServoAxis& axis, const FrictionSlopes& acts) {
  for (int k = 0; k <= 30; ++k) {
    const double v = acts.speed * std::pow(10, 0.7 - 0.1 * k);
    if (!(spectral_radius(axis, sliding(*axis.friction, acts, v)) < 1)) return v;
  }
  return 0;
}
std::optional<Hunting> predicted_hunting(const ServoAxis& axis, const FrictionSlopes& acts) {
  if (unstable_speed(axis, acts) == 0) return {};
  return hunting_of({axis.body.mass, axis.gains.proportional, axis.gains.derivative, axis.gains.integral, acts.coulomb,
                     acts.breakaway, acts.viscosity});
}
/// Long enough for six cycles [s].
double watched_time(const ServoAxis& axis, const std::optional<Hunting>& predicted) {
  const double longest = std::min(longest_rest, most_rest_samples * axis.gains.sampling_time);
  return std::clamp(6 * (predicted ? predicted->period : 0), std::min(4.0, longest), longest);
}
/// From both sides: the simulated axis hunts at one factor and comes to rest at another less than a tenth above.
HuntingBoundary hunting_boundary(const ServoAxis& axis, const FrictionSlopes& acts, double stroke,
                                 const RestTest& at_one, const RivalOptions& options) {
  HuntingBoundary found;
  constexpr double furthest = 64;
  const auto is_stable = [&](double factor) { return unstable_speed(with_bandwidth(axis, factor), acts) == 0; };
  double low = 1, high = 1;
  while (high < furthest && !is_stable(high)) low = high, high *= 2;
  if (is_stable(high)) {
    for (int i = 0; i < 30 && high > 1.001 * low; ++i) {
      const double middle = std::sqrt(low * high);
      (is_stable(middle) ? high : low) = middle;
    }
    found.stable_from = high;
  }
  const auto hunts = [&](double factor) {
    if (options.watch && options.watch->cancel.load()) throw Error("interrupted");
    const ServoAxis tried = with_bandwidth(axis, factor);
    const auto predicted = predicted_hunting(tried, acts);
    const RestTest seen = rest_test(tried, stroke, watched_time(tried, predicted));
    const bool is_cycle = seen.hunts && std::isfinite(seen.swing);
    if (is_cycle) found.hunts_at = factor, found.predicted = predicted, found.seen = seen;
    return is_cycle;
  };
  constexpr double widest = 8, step = 1.5;
  low = high = 1;
  if (at_one.hunts) {
    found.hunts_at = 1, found.seen = at_one, found.predicted = predicted_hunting(axis, acts);
    do low = high, high *= step;
    while (high < widest && hunts(high));
    if (high >= widest) return found;
  } else {
    do high = low, low /= step;
    while (low > 1 / widest && !hunts(low));
    if (low <= 1 / widest) return found;
  }
  while (high > 1.1 * low) {
    const double middle = std::sqrt(low * high);
    (hunts(middle) ? low : high) = middle;
  }
  found.rests_at = high;
  return found;
}

}  // namespace

RivalResults compare_rivals(const AxisPlan& plan, std::shared_ptr<const Friction> known, const RivalOptions& options) {
  const FrictionSlopes acts = slopes_of(*plan.axis.friction), knows = slopes_of(*known);
  const double stroke = stroke_of(plan);
  RivalResults results;
  HuntingFound& hunting = results.hunting;
  ServoAxis with_integral = bare(plan);
  with_integral.gains.integral = plan.integral;
  hunting.unstable_at = unstable_speed(with_integral, acts);
  hunting.predicted = predicted_hunting(with_integral, acts);
  hunting.is_slow = hunting.predicted && hunting.predicted->fastest < 3 * acts.speed;
  const double watched = watched_time(with_integral, hunting.predicted);
  hunting.seen = rest_test(with_integral, stroke, watched);
  if (hunting.predicted) hunting.boundary = hunting_boundary(with_integral, acts, stroke, hunting.seen, options);
  if (hunting.predicted) hunting.dead_zone_predicted = hunting.predicted->amplitude;
  double dead_zone = 2 * plan.axis.gains.resolution;
  if (hunting.seen.hunts) {
    find_dead_zone(with_integral, stroke, watched, options, hunting);
    dead_zone = hunting.is_dead_zone_found ? std::max(dead_zone, 1.2 * hunting.dead_zone_seen) : dead_zone;
  }
  if (dead_zone == 0) dead_zone = 1e-3 * acts.breakaway / plan.axis.gains.proportional;
  std::vector<Rival> all = candidates(plan, known, knows, dead_zone);
  parallel_for(all.size(), options.threads, [&](std::size_t i) {
    Rival& rival = all[i];
    small_motions(acts, *plan.axis.friction, knows, known.get(), rival);
    // An observer that is unstable in small motions is not tried on the axis; the others have no say in it.
    rival.was_run = !rival.axis.observer || std::max(rival.presliding_radius, rival.sliding_radius) < 1 + 1e-9;
    if (rival.was_run) judge(plan, stroke, watched, options, rival);
  });
  results.rivals = best_of_each(std::move(all));
  results.positive_real = positive_real_margin(plan.axis.body.mass, plan.axis.gains.derivative, knows);
  // Rest first; then the larger of the errors after a reversal and at rest. Simpler ones come first and must be beaten by a tenth.
  const auto score = [](const Rival& r) {
    return std::max(r.rest.error, r.tracking.reversals > 0 ? r.tracking.at_reversal : r.tracking.rms);
  };
  bool has_any = false;
  for (std::size_t i = 0; i < results.rivals.size(); ++i) {
    const Rival& r = results.rivals[i];
    if (!r.was_run || r.rest.hunts || r.trace.stop != Stop::finished) continue;
    if (!has_any || score(r) < 0.9 * score(results.rivals[results.best])) results.best = i;
    has_any = true;
  }
  const Rival &best = results.rivals[results.best], &none = results.rivals.front();
  const auto moving = [&](const Rival& r) {
    return with_unit(r.tracking.reversals > 0 ? r.tracking.at_reversal : r.tracking.rms, unit_for(plan.motion, "m"), 3);
  };
  results.why =
      !has_any
          ? "none of the controllers comes to rest; the gains are too high for this axis, or its sampling is too slow"
          : "rests within " + with_unit(best.rest.error, unit_for(plan.motion, "m"), 3) + " and leaves " +
                moving(best) + (best.tracking.reversals > 0 ? " after a reversal" : " rms") +
                (results.best > 0
                     ? "; without compensation " + with_unit(none.rest.error, unit_for(plan.motion, "m"), 3) + " and " +
                           moving(none)
                     : std::string());
  return results;
}

}  // namespace stickslip::inline compensation
