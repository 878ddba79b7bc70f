#include "identification/experiments/stick_slip_record.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/filter.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double falls_above_noise = 10;  // standard deviations: from highest to lowest, 1e5 samples of noise span nine

constexpr double fastest_rise = 1.5;    // of k V: a stated stiffness or speed is hardly more than half off
constexpr double passed_by_slips = 10;  // of the free frequency: a slip is half a period of it

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / double(values.size());
}

/// Standard deviation of white noise, from the median of second differences: |N(0, 6 σ²)| has the median 0.6745 √6 σ.
double noise_of(const std::vector<double>& f) {
  std::vector<double> second;
  for (std::size_t i = 2; i < f.size(); ++i) second.push_back(std::fabs(f[i] - 2 * f[i - 1] + f[i - 2]));
  return quantile(second, 0.5) / (0.6745 * std::sqrt(6.0));
}

/// Of the mean, squared.
double error_squared(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double v : values) sum += (v - centre) * (v - centre);
  return values.size() < 2 ? 0 : sum / double(values.size() - 1) / double(values.size());
}

/// "" if the rises are longer than the falls, as those of a body that sticks; see the header.
std::string symmetry_of(const std::vector<double>& rises, const std::vector<double>& falls) {
  const double rise = mean(rises), fall = mean(falls), error = std::sqrt(error_squared(rises) + error_squared(falls));
  if (rise - fall >= 0.05 * fall && rise - fall >= 3 * error) return "";
  return std::to_string(falls.size()) + " falls, but the force rises in " + with_unit(rise, "s", 3) + " and falls in " +
         with_unit(fall, "s", 3) + " on average (standard error of the difference " + with_unit(error, "s", 2) +
         "): noise or vibration; in stick-slip the force rises more slowly than it drops";
}

struct Turn {
  std::size_t at;
  bool high;
};
/// Turning points that are at least `least` away from the one before.
std::vector<Turn> turns_of(const std::vector<double>& f, double least) {
  std::vector<Turn> turns;
  std::size_t extreme = 0;
  bool rising = true;
  for (std::size_t i = 1; i < f.size(); ++i) {
    const double ahead = rising ? f[i] - f[extreme] : f[extreme] - f[i];
    if (ahead >= 0) {
      extreme = i;
    } else if (-ahead > least) {
      turns.push_back({extreme, rising});
      rising = !rising, extreme = i;
    }
  }
  return turns;
}

/// Slope of the middle of a rise [N/s].
double slope_between(std::span<const double> t, const std::vector<double>& f, std::size_t a, std::size_t b) {
  const std::size_t first = a + 3 * (b - a) / 10, last = a + 7 * (b - a) / 10;
  return last > first ? (f[last] - f[first]) / (t[last] - t[first]) : 0;
}

/// Eq. (2).
void set_levels(StickSlipRecord& r, double highest, const PulledBody& body) {
  r.kinetic_level = highest - 0.5 * r.drop;
  const double carried = body.speed * std::sqrt(body.stiffness * body.mass);  // k V/ω
  r.static_level = r.kinetic_level + std::sqrt(std::max(0.25 * r.drop * r.drop - carried * carried, 0.0));
}

/// Falls and rises of a force that is low-passed already; least_drop 0: from the force itself.
StickSlipRecord counted(std::span<const double> time, const std::vector<double>& f, const PulledBody& body,
                        double least_drop, double cutoff_hz) {
  StickSlipRecord r;
  r.cutoff_hz = cutoff_hz;
  r.noise = noise_of(f);
  r.least_drop =
      least_drop > 0 ? least_drop : std::max((quantile(f, 0.98) - quantile(f, 0.02)) / 12, falls_above_noise * r.noise);
  const std::vector<Turn> turns = turns_of(f, r.least_drop);
  std::vector<double> periods, highs, drops, falls, rises, slopes;
  double risen = 0, rising_time = 0;
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    const std::size_t a = turns[i].at, b = turns[i + 1].at;
    if (turns[i].high) {
      highs.push_back(f[a]), drops.push_back(f[a] - f[b]), falls.push_back(time[b] - time[a]);
      if (i + 2 < turns.size()) periods.push_back(time[turns[i + 2].at] - time[a]);
      r.slips.push_back({time[a], f[a], f[a] - f[b], time[b] - time[a], i + 2 < turns.size() ? periods.back() : 0});
    } else {
      rises.push_back(time[b] - time[a]);
      risen += f[b] - f[a], rising_time += time[b] - time[a];
      slopes.push_back(slope_between(time, f, a, b));
    }
  }
  r.cycles = periods.size();
  if (periods.size() < 3 || slopes.empty())
    r.why_none = std::to_string(periods.size()) + " slips that fall by " + with_unit(r.least_drop, "N", 3) +
                 " or more (the noise is " + with_unit(r.noise, "N", 2) + "); three are needed";
  else
    r.why_none = symmetry_of(rises, falls), r.vibrates = !r.why_none.empty();
  if (!r.why_none.empty()) return r;
  r.period = mean(periods), r.early_period = quantile(periods, 0.25), r.late_period = quantile(periods, 0.75);
  r.drop = mean(drops);
  set_levels(r, quantile(highs, 0.5), body);
  r.slip_time = quantile(falls, 0.5);
  r.measured_stiffness = quantile(slopes, 0.5) / body.speed;
  r.rise_rate = risen / rising_time / (body.stiffness * body.speed);
  return r;
}

/// The pulled body and its run, sampled or not.
Run pulled_run(const Friction& friction, const PulledBody& body, double end, double sample_interval) {
  Body pulled;
  pulled.mass = body.mass;
  pulled.drive.kind = DriveKind::pulled_spring;
  pulled.drive.stiffness = body.stiffness;
  pulled.drive.input = Signal::ramp(body.speed);
  SimulationOptions options;
  options.end = end;
  options.sample_interval = sample_interval;
  return friction.simulate(pulled, options);
}

std::vector<double> releases_of(const Run& run) {
  std::vector<double> releases;
  for (const Event& event : run.events)
    if (event.kind == EventKind::release) releases.push_back(event.time);
  return releases;
}

}  // namespace

std::vector<double> low_passed_force(std::span<const double> time, std::span<const double> force, double cutoff_hz) {
  std::vector<double> f(force.begin(), force.end());
  if (!(cutoff_hz > 0)) return f;
  const double rate = double(time.size() - 1) / (time.back() - time.front());
  return filtered_both_ways(butterworth(Pass::low, 4, cutoff_hz, rate), f);
}

StickSlipRecord stick_slip_record(std::span<const double> time, std::span<const double> force, const PulledBody& body,
                                  const StickSlipOptions& options) {
  if (time.size() != force.size() || time.size() < 100)
    throw Error("stick-slip record: " + std::to_string(force.size()) + " samples; 100 or more are needed");
  if (!(body.mass > 0 && body.stiffness > 0 && body.speed > 0))
    throw Error("stick-slip record: mass, stiffness and speed must be positive");
  StickSlipRecord r =
      counted(time, low_passed_force(time, force, options.cutoff_hz), body, options.least_drop, options.cutoff_hz);
  const bool is_vibration = r.vibrates || (r.why_none.empty() && r.rise_rate > fastest_rise);
  if (!is_vibration) return r;
  const std::string what = r.vibrates ? "a vibration rides on the force"
                                      : "the force rises " + significant(r.rise_rate, 2) +
                                            " times as fast as the spring is tensioned (k V = " +
                                            with_unit(body.stiffness * body.speed, "N/s", 3) + ")";
  const double rate = double(time.size() - 1) / (time.back() - time.front());
  const double cutoff = passed_by_slips / shortest_period(body);
  if (options.cutoff_hz == 0 && options.least_drop == 0 && cutoff < 0.4 * rate) {
    StickSlipRecord smooth = counted(time, low_passed_force(time, force, cutoff), body, 0, cutoff);
    if (smooth.why_none.empty() && smooth.rise_rate <= fastest_rise) {
      smooth.remark = what + "; its falls are no slips" +
                      (r.vibrates ? "" : ", although they come every " + with_unit(r.period, "s", 3)) +
                      "; a low-pass at " + with_unit(cutoff, "Hz", 3) +
                      ", ten times the free frequency of mass and spring, takes it off (--cutoff sets another)";
      return smooth;
    }
  }
  if (!r.vibrates)
    r.remark = what + ": a vibration is counted as slips (a larger --least-drop or a --cutoff leaves it out), or " +
               "speed, stiffness or the scale of the force is wrong";
  return r;
}

double stick_slip_period(double static_level, double kinetic_level, const PulledBody& body) {
  const double omega = std::sqrt(body.stiffness / body.mass);
  const double r = (static_level - kinetic_level) * omega / (body.stiffness * body.speed);
  return 2 / omega * (std::numbers::pi + r - std::atan(r));
}

double shortest_period(const PulledBody& body) { return 2 * std::numbers::pi * std::sqrt(body.mass / body.stiffness); }

FrictionSettings levels_of(const StickSlipRecord& record, const PulledBody& body) {
  const double slip_speed = 0.5 * record.drop / std::sqrt(body.stiffness * body.mass);
  return {{{"coulomb_force", record.kinetic_level},
           {"stiction_force", record.static_level},
           {"stribeck_velocity", 1e-4 * slip_speed},
           {"viscosity", 0.0}},
          {},
          {}};
}

double simulated_period(const FrictionSettings& settings, const PulledBody& body) {
  const auto friction = make_friction("stribeck", settings);
  const double expected =
      stick_slip_period(friction->parameter("stiction_force"), friction->parameter("coulomb_force"), body);
  const double first = friction->parameter("stiction_force") / (body.stiffness * body.speed);
  const std::vector<double> releases = releases_of(pulled_run(*friction, body, first + 6 * expected, 0));
  return releases.size() < 3 ? 0 : (releases.back() - releases[1]) / double(releases.size() - 2);
}

SimulatedForce simulated_force(const FrictionSettings& settings, const PulledBody& body, double duration) {
  constexpr double most_samples = 4000;
  const auto friction = make_friction("stribeck", settings);
  const double first = friction->parameter("stiction_force") / (body.stiffness * body.speed);
  const double period =
      stick_slip_period(friction->parameter("stiction_force"), friction->parameter("coulomb_force"), body);
  const double end = first + 2 * period + duration;
  const Run run = pulled_run(*friction, body, end, std::max(duration / most_samples, end / (10 * most_samples)));
  const std::vector<double> releases = releases_of(run);
  SimulatedForce out;
  if (releases.size() < 2) return out;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i) {
    const double since = run.samples.time[i] - releases[1];
    if (since < 0 || since > duration) continue;
    out.time.push_back(since);
    out.force.push_back(body.stiffness * (body.speed * run.samples.time[i] - run.samples.position[i]));
  }
  return out;
}

StickSlipRecord joined_records(const std::vector<StickSlipRecord>& records, const PulledBody& body) {
  StickSlipRecord all;
  std::vector<double> highs, periods, falls;
  double stiffness = 0;
  for (const StickSlipRecord& r : records) {
    all.noise = std::max(all.noise, r.noise), all.least_drop = std::max(all.least_drop, r.least_drop);
    if (!r.why_none.empty()) {
      if (all.why_none.empty()) all.why_none = r.why_none;
      continue;
    }
    all.cycles += r.cycles;
    stiffness += double(r.cycles) * r.measured_stiffness;
    all.drop += double(r.cycles) * r.drop;
    for (const StickSlipCycle& c : r.slips) {
      all.slips.push_back(c), highs.push_back(c.highest), falls.push_back(c.slip_time);
      if (c.period > 0) periods.push_back(c.period);
    }
  }
  if (periods.empty()) return all;
  all.why_none.clear();
  all.drop /= double(all.cycles), all.measured_stiffness = stiffness / double(all.cycles);
  all.period = mean(periods), all.early_period = quantile(periods, 0.25), all.late_period = quantile(periods, 0.75);
  all.slip_time = quantile(falls, 0.5);
  set_levels(all, quantile(highs, 0.5), body);
  return all;
}

}  // namespace stickslip::inline identification
