/// See replica.hpp.
#include "exports/replica.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/steady_curve.hpp"

namespace stickslip::inline exports {
namespace {

/// A body with the replica's friction, in short steps; rest is solved, not approached.
class ReplicaBody {
 public:
  ReplicaBody(const Replica& replica, double mass) : r_(replica), mass_(mass) {}
  double position = 0, velocity = 0;

  /// Friction at a velocity that is given [N]; at rest a law without a spring gives 0.
  double follow(double v, double h) {
    if (r_.stiffness <= 0) return v == 0 ? 0 : r_.creep > 0 ? regularised(v) : r_.sliding(v);
    if (v == 0) return spring_;
    const double level = r_.sliding(v);
    spring_ += r_.stiffness * v * h;
    spring_ = v > 0 ? std::min(spring_, level) : std::max(spring_, level);
    return spring_;
  }
  void step(double applied, double h) {
    if (r_.creep > 0 || r_.stiffness > 0) return implicit_step(applied, h);
    const double push = mass_ * velocity / h + applied;
    const double hold = push > 0 ? r_.breakaway_forward : r_.breakaway_backward;
    const bool was_stuck = velocity == 0;
    double v = 0;
    if (std::fabs(push) > hold || !was_stuck) {
      const double guess = velocity != 0 ? velocity : std::copysign(1e-9, push);
      v = velocity + h / mass_ * (applied - r_.sliding(guess));
      if (v * guess <= 0) v = 0;
    }
    velocity = v;
    position += h * v;
  }

 private:
  double regularised(double v) const {
    const double f = v / r_.creep, level = r_.sliding(v);
    return v > 0 ? std::min(f, level) : std::max(f, level);
  }
  void implicit_step(double applied, double h) {
    // The slope of the friction is taken along, so that stiff numbers do not rattle.
    const double before = spring_;
    double v = velocity;
    for (int i = 0; i < 30; ++i) {
      spring_ = before;
      const double f = follow(v, h), dv = 1e-7 * (1e-6 + std::fabs(v));
      spring_ = before;
      const double g = (follow(v + dv, h) - f) / dv;
      const double residual = mass_ * (v - velocity) / h - applied + f;
      const double change = residual / (mass_ / h + std::max(g, 0.0));
      v -= change;
      if (std::fabs(change) < 1e-12 * (1e-6 + std::fabs(v))) break;
    }
    spring_ = before;
    follow(v, h);
    velocity = v;
    position += h * v;
  }

  const Replica& r_;
  double mass_, spring_ = 0;
};

struct Pulled {
  double breakaway = 0;             // [N]
  double backward = 0, slow = 0;    // the same backward, and under a force that rises twenty times more slowly [N]
  double creep = 0;                 // under 80 % of it [m/s]
  double swing = 0;                 // of the spring's force in stick-slip [N]
  std::vector<double> time, force;  // of the spring
};
/// The highest friction under a force that rises for `duration` [N], towards `sign`.
template <class Make>
double ramp(const Make& make, const FrictionScales& scales, double mass, double sign, double duration, double h) {
  const double way = 20 * scales.short_way(), highest = 3 * scales.force;
  double found = 0;
  auto body = make(mass);
  for (double t = 0; t < duration && sign * body.position() < way; t += h)
    found = std::max(found, sign * body.step(sign * highest * t / duration, h));
  return found;
}

/// `step(applied, h)` moves a body; `position()` tells where it is.
template <class Make>
Pulled pull(const Make& make, const FrictionScales& scales, double mass) {
  Pulled found;
  const double way = 20 * scales.short_way();
  constexpr double h = 1e-4;
  found.breakaway = ramp(make, scales, mass, 1, 3, h);
  found.backward = ramp(make, scales, mass, -1, 3, h);
  found.slow = ramp(make, scales, mass, 1, 60, 20 * h);
  {
    auto body = make(mass);
    double early = 0;
    for (int i = 0; i < 20000; ++i) {
      body.step(std::min(1.0, i / 5000.0) * 0.8 * found.breakaway, h);
      if (i == 10000) early = body.position();
    }
    found.creep = (body.position() - early) / (10000 * h);
  }
  {
    auto body = make(mass);
    const double stiffness = scales.force / (5 * way), speed = 0.1 * scales.speed;
    constexpr int count = 60000;
    const double step = 6 * 5 * way / speed / count;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < count; ++i) {
      const double t = i * step;
      const double u = stiffness * (speed * t - body.position());
      body.step(u, step);
      if (i > count / 2) low = std::min(low, u), high = std::max(high, u);
      if (i % 40 == 0) found.time.push_back(t), found.force.push_back(u);
    }
    found.swing = high - low;
  }
  return found;
}

std::string percent(double part) { return significant(100 * part, 2) + " %"; }

}  // namespace

void compare_with_source(const ExportSource& source, const Replica& replica, const StandardMotions& motions,
                         Export& made) {
  const Friction& friction = *source.friction;
  const FrictionScales scales = scales_of(friction);
  const std::string force_unit = unit_for(source.motion, "N"), speed_unit = unit_for(source.motion, "m/s");
  const auto force_text = [&](double x) { return with_unit(x, force_unit, 3); };
  const auto speed_text = [&](double x) { return with_unit(x, speed_unit, 3); };
  made.measured.columns = {"motion", "quantity", "source", "export"};
  const auto row = [&](const std::string& motion, const std::string& quantity, const std::string& a,
                       const std::string& b) {
    made.measured.rows.push_back({motion, quantity, a, b});
  };

  // Constant speeds.
  Panel curve{.title = "Constant speeds", .x = {"speed", speed_unit}, .y = {"friction", force_unit}};
  DataSeries ours{.name = "source"}, theirs{.name = "export", .colour = ink, .dashed = true};
  double sum = 0, square = 0, worst = 0, worst_at = 0;
  const SteadySliding sliding{.travel = std::max(1e-2, 100 * scales.short_way())};
  for (int i = -40; i <= 40; ++i) {
    const double v = motions.fastest * std::copysign(std::pow(std::fabs(i) / 40.0, 2), i);
    if (i == 0) {
      ours.x.push_back(0), ours.y.push_back(NAN), theirs.x.push_back(0), theirs.y.push_back(NAN);
      continue;
    }
    const double a = steady_force(friction, v, sliding).force;
    const double b = replica.creep > 0 ? ReplicaBody(replica, 1).follow(v, 1) : replica.sliding(v);
    ours.x.push_back(v), ours.y.push_back(a), theirs.x.push_back(v), theirs.y.push_back(b);
    sum += a * a, square += (a - b) * (a - b);
    if (std::fabs(a - b) > worst) worst = std::fabs(a - b), worst_at = v;
  }
  const double speed_rms = std::sqrt(square / sum);
  row("constant speeds", "rms difference", "", percent(speed_rms));
  row("constant speeds", "largest difference", "", force_text(worst) + " at " + speed_text(worst_at));
  curve.series = {ours, theirs};

  // Presliding loops, slow.
  PrescribedMotion loop;
  std::vector<double> replied;
  const double wide = 2 * scales.short_way(), slow = 0.05 * scales.speed, period = 4 * wide / slow;
  constexpr int samples = 2000;
  ReplicaBody looped(replica, 1);
  for (int i = 0; i <= samples; ++i) {
    const double t = 2 * period * i / samples;
    loop.time.push_back(t);
    loop.position.push_back(wide * std::sin(2 * std::numbers::pi * t / period));
    const double h = i > 0 ? loop.time[std::size_t(i)] - loop.time[std::size_t(i - 1)] : 1;
    const double v = i > 0 ? (loop.position[std::size_t(i)] - loop.position[std::size_t(i - 1)]) / h : 0;
    replied.push_back(looped.follow(v, h));
  }
  const std::vector<double> answered = friction.respond(loop);
  const auto energy = [&](const std::vector<double>& force) {
    double work = 0;
    for (int i = samples / 2 + 1; i <= samples; ++i)
      work += 0.5 * (force[std::size_t(i)] + force[std::size_t(i - 1)]) *
              (loop.position[std::size_t(i)] - loop.position[std::size_t(i - 1)]);
    return work;
  };
  const double energy_ours = energy(answered), energy_theirs = energy(replied);
  row("presliding loop", "energy per loop of +-" + with_unit(wide, unit_for(source.motion, "m"), 2),
      with_unit(energy_ours, "J", 3), with_unit(energy_theirs, "J", 3));
  Panel loops{
      .title = "Presliding loop", .x = {"position", unit_for(source.motion, "m")}, .y = {"friction", force_unit}};
  loops.series = {{.name = "source", .x = loop.position, .y = answered},
                  {.name = "export", .x = loop.position, .y = replied, .colour = ink, .dashed = true}};

  // Reversals at sliding speed.
  PrescribedMotion swing;
  std::vector<double> swung, speeds;
  const double amplitude = 3 * scales.speed, beat = std::max(0.2, 40 * scales.short_way() / amplitude);
  ReplicaBody reversed(replica, 1);
  for (int i = 0; i <= samples; ++i) {
    const double t = 2 * beat * i / samples;
    swing.time.push_back(t);
    swing.position.push_back(amplitude * beat / (2 * std::numbers::pi) *
                             (1 - std::cos(2 * std::numbers::pi * t / beat)));
    const double h = i > 0 ? swing.time[std::size_t(i)] - swing.time[std::size_t(i - 1)] : 1;
    const double v = i > 0 ? (swing.position[std::size_t(i)] - swing.position[std::size_t(i - 1)]) / h : 0;
    swung.push_back(reversed.follow(v, h));
    speeds.push_back(v);
  }
  const std::vector<double> truly = friction.respond(swing);
  double off = 0, all = 0;
  for (int i = samples / 2; i <= samples; ++i) {
    const double d = truly[std::size_t(i)] - swung[std::size_t(i)];
    off += d * d, all += truly[std::size_t(i)] * truly[std::size_t(i)];
  }
  const double reversal_rms = all > 0 ? std::sqrt(off / all) : 0;
  row("reversals at " + speed_text(amplitude), "rms difference", "", percent(reversal_rms));

  // A body that is pulled.
  struct LibraryBody {
    std::unique_ptr<FixedStepper> stepper;
    double step(double u, double h) { return stepper->step(u, h); }
    double position() const { return stepper->position(); }
  };
  struct TheirBody {
    ReplicaBody body;
    double mass;
    double step(double u, double h) {
      const double before = body.velocity;
      body.step(u, h);
      return u - mass * (body.velocity - before) / h;
    }
    double position() const { return body.position; }
  };
  const Pulled a = pull([&](double m) { return LibraryBody{friction.fixed_stepper(m, 0, 0)}; }, scales, motions.mass);
  const Pulled b = pull([&](double m) { return TheirBody{ReplicaBody(replica, m), m}; }, scales, motions.mass);
  if (!std::isfinite(b.swing) || !std::isfinite(b.creep) || !std::isfinite(b.breakaway))
    throw Error(source.file + ": a body of " + with_unit(motions.mass, unit_for(source.motion, "kg"), 3) +
                " is too light for steps of 0.1 ms; give the real mass with --mass");
  row("force ramp", "breakaway", force_text(a.breakaway), force_text(b.breakaway));
  const auto differ = [](double x, double y) { return std::fabs(x - y) > 0.02 * std::max(std::fabs(x), std::fabs(y)); };
  if (differ(a.backward, a.breakaway) || differ(b.backward, b.breakaway))
    row("force ramp, backward", "breakaway", force_text(a.backward), force_text(b.backward));
  const bool ages = differ(a.slow, a.breakaway);
  if (ages) row("20 times slower", "breakaway", force_text(a.slow), force_text(b.slow));
  row("80 % of that, held", "creep", speed_text(a.creep), speed_text(b.creep));
  row("pulled by a spring", "swing of its force", force_text(a.swing), force_text(b.swing));
  Panel pulled{.title = "Pulled by a spring, " + with_unit(motions.mass, unit_for(source.motion, "kg"), 3),
               .x = {"time", "s"},
               .y = {"force of the spring", force_unit}};
  pulled.series = {{.name = "source", .x = a.time, .y = a.force},
                   {.name = "export", .x = b.time, .y = b.force, .colour = ink, .dashed = true}};
  made.figures.push_back(Figure{.title = made.what, .panels = {curve, loops, pulled}, .columns = 1});

  // In words.
  if (speed_rms > 5e-4)
    made.losses.push_back(percent(speed_rms) + " rms at constant speeds, at most " + force_text(worst) + " at " +
                          speed_text(worst_at));
  if (scales.length > 0 && replica.stiffness <= 0)
    made.losses.push_back("no presliding: the source yields " +
                          with_unit(scales.length, unit_for(source.motion, "m"), 2) +
                          " before it slides, the export does not");
  else if (energy_ours > 0 && std::fabs(energy_theirs / energy_ours - 1) > 0.02)
    made.losses.push_back("a presliding loop costs " + percent(energy_theirs / energy_ours) +
                          " of the source's energy");
  if (std::fabs(b.creep) > 1e-3 * scales.speed && std::fabs(b.creep) > 2 * std::fabs(a.creep))
    made.losses.push_back("creeps at " + speed_text(b.creep) + " under 80 % of breakaway with " +
                          with_unit(motions.mass, unit_for(source.motion, "kg"), 3) + "; the source at " +
                          speed_text(a.creep));
  if (std::fabs(b.breakaway / a.breakaway - 1) > 0.02)
    made.losses.push_back("breaks away at " + force_text(b.breakaway) + " instead of " + force_text(a.breakaway));
  if (differ(a.backward, b.backward) && (differ(a.backward, a.breakaway) || differ(b.backward, b.breakaway)))
    made.losses.push_back("breaks away backward at " + force_text(b.backward) + " instead of " +
                          force_text(a.backward));
  if (ages && differ(a.slow / a.breakaway, b.slow / b.breakaway))
    made.losses.push_back("breakaway depends on how fast the force rises: " + force_text(a.breakaway) +
                          " and, 20 times "
                          "slower, " +
                          force_text(a.slow) + "; the export breaks away at " + force_text(b.breakaway) + " and " +
                          force_text(b.slow));
  if (reversal_rms > 0.01) made.losses.push_back(percent(reversal_rms) + " rms difference at reversals");
  if (a.swing > 0.1 * scales.force && b.swing < 0.5 * a.swing)
    made.losses.push_back("stick-slip: the spring's force swings by " + force_text(b.swing) + " instead of " +
                          force_text(a.swing));
  made.details["constant_speeds_rms"] = speed_rms;
  made.details["reversals_rms"] = reversal_rms;
  made.details["breakaway"] = Json::array({a.breakaway, b.breakaway});
  made.details["breakaway_backward"] = Json::array({a.backward, b.backward});
  made.details["breakaway_slow"] = Json::array({a.slow, b.slow});
  made.details["creep"] = Json::array({a.creep, b.creep});
  made.details["presliding_energy"] = Json::array({energy_ours, energy_theirs});
  made.details["stick_slip_swing"] = Json::array({a.swing, b.swing});
}

}  // namespace stickslip::inline exports
