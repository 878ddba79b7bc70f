#include "plants/clutch_by_wire_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "plants/clutch_by_wire_check.hpp"
#include "plants/clutch_by_wire_run.hpp"

namespace stickslip {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Tells nobody.
struct SilentSink {
  double next_sample() const { return HUGE_VAL; }
  template <class... Any>
  void sample(const Any&...) {}
  template <class... Any>
  void event(double, const Happening&, const Any&...) {}
  template <class... Any>
  void mode_time(const Any&...) {}
};

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// Straight line through (x, y) by least squares: slope and value at 0.
struct Line {
  double slope, constant;
};
Line line_through(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {slope, (sy - slope * sx) / n};
}

}  // namespace

struct ClutchBench::Machine {
  ClutchByWire clutch;
  ClutchControl control;  // its constant feedforward is the torque that is held
  SimulationOptions options;
  using Plant = ClutchPlant<ClutchResistance>;
  Plant::Mode mode;
  std::array<double, Plant::totals + Plant::capacity> y{};
  double time = 0;

  double* state() { return y.data() + Plant::totals; }
  Plant plant() const { return {clutch, clutch.resistance, control, options}; }
};

ClutchBench::ClutchBench(const ClutchByWire& machine, const ClutchStart& start)
    : machine_(std::make_unique<Machine>()) {
  check(machine, {}, start);
  Machine& m = *machine_;
  m.clutch = machine;
  m.options.relative_tolerance = 1e-9;
  m.options.absolute_tolerance = 1e-11;
  m.state()[Machine::Plant::angle] = start.angle;
  m.state()[Machine::Plant::speed] = start.speed;
  m.mode = m.plant().start(0, m.state(), start.gap_position);
}
ClutchBench::~ClutchBench() = default;

double ClutchBench::time() const { return machine_->time; }
double ClutchBench::angle() const { return machine_->state()[Machine::Plant::angle]; }
double ClutchBench::speed() const { return machine_->state()[Machine::Plant::speed]; }
double ClutchBench::reading() const { return machine_->clutch.reading(angle()); }
bool ClutchBench::is_stuck() const { return machine_->mode.motion == Motion::stuck; }
bool ClutchBench::is_in_play(Direction d) const {
  const Mesh other = d == Direction::forward ? Mesh::backward_flank : Mesh::forward_flank;
  return machine_->mode.mesh == Mesh::gap || machine_->mode.mesh == other;
}
double ClutchBench::breakaway(Direction d) const {
  return machine_->plant().breakaway(machine_->mode, machine_->state(), d);
}
double ClutchBench::sliding(Direction d) const {
  const Machine& m = *machine_;
  if (is_in_play(d)) return m.clutch.motor_resistance;
  return m.clutch.resistance.sliding(m.plant().rack(m.mode, machine_->state()), 0, d);
}

void ClutchBench::hold(double torque, double duration) {
  Machine& m = *machine_;
  const double until = m.time + duration;
  if (is_stuck() && torque <= breakaway(Direction::forward) && -torque <= breakaway(Direction::backward)) {
    m.time = until;  // nothing can happen
    return;
  }
  m.control.feedforward = Signal(torque);
  m.options.start = m.time;
  m.options.end = until;
  const Machine::Plant plant = m.plant();
  SilentSink sink;
  EventDrivenRun<Machine::Plant, SilentSink> motion(plant, m.options, sink);
  motion.time = m.time;
  motion.y = m.y;
  motion.mode = m.mode;
  const Stop stop = motion.run();
  if (stop != Stop::finished)
    throw Error("clutch-by-wire: " + std::string(name_of(stop)) +
                " on the bench at t = " + significant(motion.time, 10) + " s");
  m.y = motion.y;
  m.mode = motion.mode;
  m.time = until;
}

BreakawayResult breakaway_test(const ClutchByWire& machine, const BreakawayTest& test) {
  check_number(test.ramp, test.ramp > 0, "the ramp of the breakaway test", "positive");
  check_number(test.sampling_time, test.sampling_time > 0, "the sampling time of the breakaway test", "positive");
  check_number(test.returns, test.returns > 0, "the number of returns of the breakaway test", "positive");
  check_number(test.wait, test.wait >= 0, "the wait of the breakaway test", "0 or positive");
  if (!(test.from < test.to)) throw Error("clutch-by-wire: the breakaway test must go from a lower to a higher angle");
  if (machine.encoder_points == 0)
    throw Error("clutch-by-wire: the breakaway test sees motion by the encoder; give the machine its points per turn");
  ClutchStart start;
  start.angle = test.from;
  ClutchBench bench(machine, start);
  const double ts = test.sampling_time, dx = machine.resolution();
  BreakawayResult result;
  for (int pass = 0; pass < 2 * test.returns; ++pass) {
    const Direction d = pass % 2 == 0 ? Direction::forward : Direction::backward;
    const double s = number(d), goal = d == Direction::forward ? test.to : test.from;
    const double turned_at = bench.reading();
    while (s * (goal - bench.reading()) > 0) {
      BreakawayPoint p;
      p.direction = d;
      p.angle = bench.reading();
      const bool is_in_play = bench.is_in_play(d);
      p.level = bench.breakaway(d);
      const double excess = std::max(p.level - bench.sliding(d), 1e-300);
      p.bound = p.level + test.ramp * (1.03 * std::sqrt(2 * dx * machine.inertia / excess) + 2 * ts);
      double torque = 0;
      for (int k = 0; bench.reading() == p.angle; ++k) {
        torque = test.ramp * ts * k;
        if (torque > test.most_torque)
          throw Error("clutch-by-wire: no motion seen up to " + significant(test.most_torque, 6) + " Nm at " +
                      significant(p.angle, 6) + " rad; a larger torque or a shorter way would do");
        bench.hold(s * torque, ts);
      }
      p.time = bench.time();
      p.torque = torque;
      // As in the laboratory: the first R of travel after a change of direction is the play (and the first pass may begin
      // anywhere in it).
      p.is_used = machine.play == 0 || s * (p.angle - turned_at) > machine.play + dx;
      if (p.is_used && is_in_play)
        result.warnings.push_back("a point in the play was used; the play is larger than stated");
      result.points.push_back(p);
      double last = bench.reading(), quiet = 0;
      while (quiet < test.wait) {
        bench.hold(0, ts);
        quiet = bench.reading() == last ? quiet + ts : 0;
        last = bench.reading();
      }
    }
  }
  double sum[2] = {0, 0}, count[2] = {0, 0};
  result.least_excess = HUGE_VAL;
  result.most_excess = -HUGE_VAL;
  double largest_error = 0;
  for (const BreakawayPoint& p : result.points) {
    if (!p.is_used) continue;
    const std::size_t i = p.direction == Direction::forward ? 0 : 1;
    sum[i] += p.torque;
    count[i] += 1;
    const double part = (p.torque - p.level) / (p.bound - p.level);
    result.least_excess = std::min(result.least_excess, part);
    result.most_excess = std::max(result.most_excess, part);
    largest_error = std::max(largest_error, p.bound / p.level - 1);
  }
  if (count[0] == 0 || count[1] == 0)
    throw Error("clutch-by-wire: the breakaway test found no point outside the play; a longer way would do");
  result.mean_forward = sum[0] / count[0];
  result.mean_backward = sum[1] / count[1];
  if (largest_error > 0.05)
    result.warnings.push_back("the ramp is fast: a noted level may be " + significant(100 * largest_error, 2) +
                              " % too high; a slower ramp would do");
  return result;
}

namespace {

/// θ = θ₀ + a cos(w t) + b sin(w t).
struct FittedMotion {
  double a = 0, b = 0, w = 0;
  double speed_at(double t) const { return w * (b * std::cos(w * t) - a * std::sin(w * t)); }
  double speed_amplitude() const { return w * std::hypot(a, b); }
};
/// Least squares over whole periods of evenly spaced readings, where the functions are orthogonal: plain projections.
FittedMotion fitted_motion(const std::vector<double>& time, const std::vector<double>& reading, double w) {
  FittedMotion m{0, 0, w};
  const double part = 2 / static_cast<double>(time.size());
  for (std::size_t k = 0; k < time.size(); ++k) {
    m.a += part * reading[k] * std::cos(w * time[k]);
    m.b += part * reading[k] * std::sin(w * time[k]);
  }
  return m;
}

/// When the readings turn back [s]: the encoder passes the same step on the way out and on the way home, so the turn is midway.
/// A step seen at a sample happened during the period before it, on average half a period ago.
std::vector<double> turns_of(const std::vector<double>& time, const std::vector<double>& reading, double ts) {
  std::vector<double> turns;
  int way = 0;
  std::size_t last = 0;
  for (std::size_t k = 1; k < reading.size(); ++k) {
    const int step = sign(reading[k] - reading[k - 1]);
    if (step == 0) continue;
    if (step == -way) turns.push_back(0.5 * (time[k] + time[last] - ts));
    way = step;
    last = k;
  }
  return turns;
}

/// When the motion changes direction [s]: the fitted sinusoid's instants, each moved to the mean of the turns seen around it.
/// Friction bends the motion at a reversal, and u is large there: a sign 3 ms late spoils eq. (2) by several per cent.
std::vector<double> reversals(const FittedMotion& motion, const std::vector<double>& turns, double from, double to) {
  const double half = pi / motion.w, around = 0.1 * half;
  std::vector<double> found;
  double t = std::atan2(motion.b, motion.a) / motion.w;
  t += half * std::floor((from - around - t) / half);
  for (; t < to + around; t += half) {
    double sum = 0, count = 0;
    for (const double turn : turns)
      if (std::fabs(turn - t) < around) sum += turn, count += 1;
    found.push_back(count > 0 ? sum / count : t);
  }
  return found;
}

/// Mean of u sgn ω; each u is held for `ts`, in which the sign may change.
double mean_against(const FittedMotion& motion, const std::vector<double>& changes, const std::vector<double>& time,
                    const std::vector<double>& torque, double ts) {
  double sum = 0;
  std::size_t next = 0;
  double way = sign(motion.speed_at(changes.front() - 0.5 * pi / motion.w));  // before the first change
  for (std::size_t k = 0; k < time.size(); ++k) {
    const double end = time[k] + ts;
    double t = time[k];
    while (next < changes.size() && changes[next] < end) {
      const double change = std::max(changes[next++], t);
      sum += way * torque[k] * (change - t);
      t = change;
      way = -way;
    }
    sum += way * torque[k] * (end - t);
  }
  return sum / (ts * static_cast<double>(time.size()));
}

SinusoidPoint sinusoid_at(const ClutchByWire& machine, const SinusoidTest& test, double wanted) {
  const double ts = test.sampling_time, w = 2 * pi * test.frequency_hz;
  const double period = 1 / test.frequency_hz;
  const auto samples_per_period = static_cast<int>(std::lround(period / ts));
  ClutchStart start;
  start.angle = test.centre - wanted / w;  // at rest at the lower end of the swing
  ClutchBench bench(machine, start);
  const double smoothing = test.cutoff_hz > 0 ? 1 - std::exp(-2 * pi * test.cutoff_hz * ts) : 1;
  std::vector<double> time, reading, torque;
  SinusoidPoint point;
  point.wanted = wanted;
  double last_error = 0, difference = 0, last_reading = bench.reading();
  double naive_sum = 0;
  const int first = test.settling_periods * samples_per_period;
  const int count = test.periods * samples_per_period;
  for (int k = 0; k < first + count; ++k) {
    const double t = ts * k;
    const double target = test.centre - wanted / w * std::cos(w * t);
    const double now = bench.reading(), error = target - now;
    if (k > 0) difference += smoothing * ((error - last_error) / ts - difference);
    last_error = error;
    const double phase = w * (t + 0.5 * ts);  // in the middle of the interval to come
    const double demand = test.proportional * error + test.derivative * difference +
                          test.known_inertia * wanted * w * std::cos(phase) +
                          test.known_coulomb * sign(std::sin(phase));
    const double u = std::clamp(demand, -test.torque_limit, test.torque_limit);
    if (k >= first) {
      time.push_back(t);
      reading.push_back(now);
      torque.push_back(u);
      naive_sum += u * sign(now - last_reading);
      point.limited_part += u != demand;
      point.stuck_part += bench.is_stuck();
    }
    last_reading = now;
    bench.hold(u, ts);
  }
  const FittedMotion motion = fitted_motion(time, reading, w);
  point.found = motion.speed_amplitude();
  // The reading is rounded down by half a step on average, the same everywhere: no matter for the speed.
  const auto changes = reversals(motion, turns_of(time, reading, ts), time.front(), time.back() + ts);
  point.mean = mean_against(motion, changes, time, torque, ts);
  point.naive = naive_sum / count;
  point.lag = std::atan2(-motion.b, -motion.a) / w;
  if (point.lag > 0.5 * period) point.lag -= period;
  point.stuck_part /= count;
  point.limited_part /= count;
  return point;
}

}  // namespace

SinusoidResult sinusoid_test(const ClutchByWire& machine, const SinusoidTest& test) {
  check_number(test.frequency_hz, test.frequency_hz > 0, "the frequency of the sinusoidal test", "positive");
  check_number(test.sampling_time, test.sampling_time > 0, "the sampling time of the sinusoidal test", "positive");
  check_number(test.periods, test.periods > 0, "the number of periods of the sinusoidal test", "positive");
  const double per_period = 1 / (test.frequency_hz * test.sampling_time);
  check_number(per_period, per_period >= 16 && std::fabs(per_period - std::round(per_period)) < 1e-6 * per_period,
               "the number of samples per period of the sinusoidal test", "whole and at least 16");
  if (test.speeds.size() < 2)
    throw Error("clutch-by-wire: the sinusoidal test has " + std::to_string(test.speeds.size()) +
                " speed; it needs at least 2");
  for (const double speed : test.speeds) check_number(speed, speed > 0, "a speed of the sinusoidal test", "positive");
  SinusoidResult result;
  std::vector<double> x, y, naive;
  for (const double speed : test.speeds) {
    const SinusoidPoint p = sinusoid_at(machine, test, speed);
    result.points.push_back(p);
    x.push_back(2 * p.found / pi);
    y.push_back(p.mean);
    naive.push_back(p.naive);
    const std::string where = "at V = " + significant(speed, 4) + " rad/s ";
    if (p.limited_part > 0)
      result.warnings.push_back(where + significant(100 * p.limited_part, 2) +
                                " % of the samples stand at the torque limit");
    if (p.stuck_part > 0.02)
      result.warnings.push_back(where + "the motor rests " + significant(100 * p.stuck_part, 2) +
                                " % of the time; a higher frequency would do (J V w > C_s + C_r)");
    if (std::fabs(p.naive - p.mean) > 0.05 * std::fabs(p.mean))
      result.warnings.push_back(where + "the sign of quantised differences gives " + significant(p.naive, 4) +
                                " Nm instead of " + significant(p.mean, 4) + " Nm; reversals are used instead");
    if (std::fabs(p.found / speed - 1) > 0.1)
      result.warnings.push_back(where + "the motion swings with " + significant(p.found, 4) +
                                " rad/s; the loop does not follow");
  }
  const Line fitted = line_through(x, y), rough = line_through(x, naive);
  result.viscosity = fitted.slope;
  result.coulomb = fitted.constant;
  result.naive_viscosity = rough.slope;
  result.naive_coulomb = rough.constant;
  return result;
}

}  // namespace stickslip
