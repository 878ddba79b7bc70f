/// A position servo with a pendulum: roll-outs, runs with their ledger, and logs; see servo_pendulum.hpp.
#include "machines/servo_pendulum/servo_pendulum.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline machines {
namespace {

/// Turns angles into what is reported of them `lag` samples later, in place, from the back.
void delay(std::span<double> angle, double start, double lag) {
  const double whole = std::floor(lag), share = lag - whole;
  const std::size_t n = angle.size(), behind = static_cast<std::size_t>(std::min(whole, static_cast<double>(n)));
  const auto at = [&](std::size_t i, std::size_t back) { return i >= back ? angle[i - back] : start; };
  for (std::size_t i = n; i-- > 0;) angle[i] = (1 - share) * at(i, behind) + share * at(i, behind + 1);
}

double kinetic(const ServoPendulum<double>& s, double speed) {
  return 0.5 * (s.mass * s.length * s.length + s.armature) * speed * speed;
}
double potential(const ServoPendulum<double>& s, double angle) {
  return s.mass * standard_gravity * s.length * (1 - std::cos(angle));
}

/// Books one step. The midpoint rule makes each term a torque times the angle turned.
void book(ServoRun& run, const ServoPendulum<double>& s, const ServoState<double>& from, const ServoMove<double>& move,
          double step) {
  const double mean_speed = 0.5 * (from.speed + move.state.speed), turned = step * mean_speed;
  Ledger& l = run.ledger;
  l.work_in += move.motor_torque * turned;
  l.friction_heat += move.friction * turned;
  l.damper_heat += s.viscosity * mean_speed * turned;
  if (from.speed == 0 && move.state.speed == 0) run.time_stuck += step;
  ++run.work.steps, ++run.work.evaluations;
}

}  // namespace

void check(const ServoLog& log) {
  const auto fail = [&](const std::string& what) { throw Error("servo log " + in_quotes(log.name) + ": " + what); };
  if (log.size() < 2) fail("it has " + std::to_string(log.size()) + " samples; a run needs two");
  if (!(log.interval > 0) || !std::isfinite(log.interval)) fail("the interval between samples must be positive");
  if (!(log.firmware_gain >= 0) || !std::isfinite(log.firmware_gain)) fail("the firmware's gain must not be negative");
  if (log.voltage.size() != log.size() || log.enabled.size() != log.size() ||
      (!log.position.empty() && log.position.size() != log.size()))
    fail("goal, voltage, enabled and position must have one value per sample");
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!std::isfinite(log.goal[i]) || !std::isfinite(log.voltage[i]) ||
        (!log.position.empty() && !std::isfinite(log.position[i])))
      fail("sample " + std::to_string(i + 1) + " is not finite");
    if (log.enabled[i] != 0 && log.enabled[i] != 1)
      fail("sample " + std::to_string(i + 1) + ": enabled is " + shortest(log.enabled[i]) + "; it must be 0 or 1");
  }
}

void roll_out(const ServoPendulum<double>& servo, const ServoLog& log, std::span<double> reading,
              std::size_t substeps) {
  assert(reading.size() == log.size() && substeps > 0);
  const double share = 1 / static_cast<double>(substeps);
  const auto step = prepared(servo, log.firmware_gain, log.interval * share);
  ServoState<double> x{log.start_angle, log.start_speed};
  reading[0] = x.angle;
  for (std::size_t i = 0; i + 1 < log.size(); ++i) {
    for (std::size_t j = 0; j < substeps; ++j)
      x = advanced(step, x, log.between(i, (static_cast<double>(j) + 0.5) * share)).state;
    reading[i + 1] = x.angle;
  }
  delay(reading, log.start_angle, servo.reading_lag / log.interval);
}

double mean_error(std::span<const double> reading, std::span<const double> position) {
  assert(reading.size() == position.size() && !reading.empty());
  double sum = 0;
  for (std::size_t i = 0; i < reading.size(); ++i) sum += std::fabs(reading[i] - position[i]);
  return sum / static_cast<double>(reading.size());
}

std::vector<double> running_mean(std::span<const double> values, double interval, double window) {
  const std::size_t n = values.size();
  const double reach = std::floor(0.5 * window / interval + 1e-9);
  const std::size_t half = static_cast<std::size_t>(std::clamp(reach, 0.0, static_cast<double>(n)));
  std::vector<double> sums(n + 1, 0.0), means(n);
  for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + values[i];
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = i > half ? i - half : 0, last = std::min(n, i + half + 1);
    means[i] = (sums[last] - sums[first]) / static_cast<double>(last - first);
  }
  return means;
}

ServoRun simulate_servo(const ServoPendulum<double>& servo, const ServoLog& log, std::size_t substeps) {
  check(log);
  const double share = 1 / static_cast<double>(substeps), h = log.interval * share;
  const auto step = prepared(servo, log.firmware_gain, h);
  ServoRun run;
  run.samples = {{{"time", "s", {}},
                  {"goal", "rad", {}},
                  {"voltage", "V", {}},
                  {"angle", "rad", {}},
                  {"reading", "rad", {}},
                  {"speed", "rad/s", {}},
                  {"duty", "", {}},
                  {"motor_torque", "N m", {}},
                  {"friction_torque", "N m", {}},
                  {"stuck", "", {}}}};
  ServoState<double> x{log.start_angle, log.start_speed};
  ServoMove<double> move{x, 0, 0, 0};
  const auto sample = [&](std::size_t i) {
    std::size_t column = 0;
    for (const double value :
         {static_cast<double>(i) * log.interval, log.goal[i], log.voltage[i], x.angle, x.angle, x.speed,
          log.enabled[i] * move.duty, move.motor_torque, move.friction, x.speed == 0 ? 1.0 : 0.0})
      run.samples.columns[column++].values.push_back(value);
  };
  Ledger& l = run.ledger;
  l.stored_start = kinetic(servo, x.speed) + potential(servo, x.angle);
  for (std::size_t i = 0; i < log.size(); ++i) {
    for (std::size_t j = 0; j < substeps && i + 1 < log.size(); ++j) {
      move = advanced(step, x, log.between(i, (static_cast<double>(j) + 0.5) * share));
      if (j == 0) sample(i);
      book(run, servo, x, move, h);
      if ((x.speed == 0) != (move.state.speed == 0)) {
        const bool is_stick = move.state.speed == 0;
        const EventKind kind = is_stick ? EventKind::stick : EventKind::release;
        ++l.events[static_cast<std::size_t>(kind)];
        run.events.push_back(
            {.time = static_cast<double>(i) * log.interval + static_cast<double>(j + (is_stick ? 1 : 0)) * h,
             .kind = kind,
             .mode = is_stick ? 0 : 1,
             .position = is_stick ? move.state.angle : x.angle});
      }
      x = move.state;
    }
    if (i + 1 == log.size()) sample(i);
  }
  l.stored_end = kinetic(servo, x.speed) + potential(servo, x.angle);
  l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat - l.damper_heat;
  run.time = run.samples.columns.front().values.back();
  delay(run.samples.columns[4].values, log.start_angle, servo.reading_lag / log.interval);
  return run;
}

}  // namespace stickslip::inline machines
