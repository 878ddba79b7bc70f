/// Friction obtained from measured pressures, as Tran 2014 section 3.1 does it, against the true one.
///   F = P₁ A₁ − P₂ A₂ − m a − m g                                                                     (1)
/// v, P₁, P₂ at 2 kHz through an acausal low-pass of 150 Hz; a by central differences of v, through an acausal low-pass
/// of 32 Hz. Tran 2014 does not name the filters: here Butterworth of order 2 forward and backward. A second pass rounds
/// the records to 12 bits first, over 0..5 MPa and ±0.25 m/s, as Tran's converter does.
/// The simulation knows the true force, so the error of the method can be computed.

#include <algorithm>
#include <cmath>

#include "core/filter.hpp"
#include "core/text.hpp"
#include "experiments/hydraulic_rig.hpp"
#include "experiments/measure.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_hydraulic_pressure_friction();

namespace {

constexpr double signal_hz = 150, acceleration_hz = 32;

std::vector<double> rounded_to_12_bits(std::vector<double> values, double range) {
  const double step = range / 4096;
  for (double& x : values) x = step * std::round(x / step);
  return values;
}

/// Central differences, one-sided at the ends [1/s].
std::vector<double> differences(const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> rate(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? 0 : i - 1, after = i + 1 == n ? i : i + 1;
    rate[i] = (x[after] - x[before]) * tran::sampling_hz / static_cast<double>(after - before);
  }
  return rate;
}

/// Eq. (1) from records [N].
std::vector<double> friction_from(const std::vector<double>& velocity, const std::vector<double>& pressure_1,
                                  const std::vector<double>& pressure_2) {
  const Filter gentle = butterworth(Pass::low, 2, signal_hz, tran::sampling_hz);
  const Filter strong = butterworth(Pass::low, 2, acceleration_hz, tran::sampling_hz);
  const auto p1 = filtered_both_ways(gentle, pressure_1), p2_ = filtered_both_ways(gentle, pressure_2);
  const auto a = filtered_both_ways(strong, differences(filtered_both_ways(gentle, velocity)));
  const HydraulicCylinder c = tran::cylinder();
  std::vector<double> force(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    force[i] = p1[i] * c.area_1() - p2_[i] * c.area_2() - c.mass * (a[i] + c.gravity);
  return force;
}

struct Scene {
  const char *model, *title;
  double amplitude, frequency, limit;  // [A], [Hz], [N]
};
// The limits are what the method reaches here, rounded up: no paper gives them.
constexpr Scene scenes[]{{"new-modified-lugre", "new modified LuGre, 4.5 mA", 4.5e-3, 1, 8},
                         {"new-modified-lugre", "new modified LuGre, 2 mA", 2e-3, 0.5, 3},
                         {"lugre", "LuGre, 2 mA", 2e-3, 0.5, 6},
                         {"stribeck", "steady-state, 2 mA", 2e-3, 0.5, 40}};

Reproduction reproduce_hydraulic_pressure_friction(Progress& progress) {
  Reproduction result;
  Figure figure{.title = "Friction from pressures against the true one",
                .subtitle = "Tran 2014 eq. 13 with 150 Hz and 32 Hz acausal filters",
                .panels = {},
                .columns = 2};
  double done = 0;
  for (const Scene& scene : scenes) {
    progress.at(done, scene.title);
    done += 0.25;
    const HydraulicRun r = tran::simulate_sine(scene.model, scene.amplitude, scene.frequency, 8);
    const auto column = [&](const char* name) -> const std::vector<double>& { return values_of(r.samples, name); };
    const auto &time = column("time"), &velocity = column("velocity"), &acceleration = column("acceleration");
    const auto &p1 = column("pressure_1"), &p2 = column("pressure_2"), &friction = column("friction_force");
    const auto found = friction_from(velocity, p1, p2);
    const auto coarse =
        friction_from(rounded_to_12_bits(velocity, 0.5), rounded_to_12_bits(p1, 5e6), rounded_to_12_bits(p2, 5e6));
    std::vector<double> error(found.size()), exact(found.size()), rounding(found.size());
    const HydraulicCylinder c = tran::cylinder();
    for (std::size_t i = 0; i < found.size(); ++i) {
      error[i] = found[i] - friction[i];
      rounding[i] = coarse[i] - found[i];
      exact[i] = p1[i] * c.area_1() - p2[i] * c.area_2() - c.mass * (acceleration[i] + c.gravity) - friction[i];
    }
    // The first second holds the start from rest, the last tenth the filters' end.
    const auto off = within(time, error, 1, 7.9), quantised = within(time, rounding, 1, 7.9);
    const std::string name = std::string(scene.title) + ": ";
    const auto largest = [](const std::vector<double>& values) {
      double most = 0;
      for (const double x : values) most = std::max(most, std::fabs(x));
      return most;
    };
    result.rows.push_back(below(name + "eq. 13 without filters, largest error", "N", 1e-6, largest(exact)));
    result.rows.push_back(below(name + "rms error of the method", "N", scene.limit, root_mean_square(off)));
    result.rows.push_back(below(name + "rms added by 12 bits", "N", 0.2, root_mean_square(quantised)));
    const auto worst =
        std::max_element(off.begin(), off.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const double speed = within(time, velocity, 1, 7.9)[static_cast<std::size_t>(worst - off.begin())];
    result.remarks.push_back(name + "largest error " + significant(std::fabs(*worst), 3) + " N, at a speed of " +
                             significant(1e3 * std::fabs(speed), 2) +
                             " mm/s, where 32 Hz smooths fast changes of the acceleration.");
    const double period = 1 / scene.frequency;
    Panel panel{.title = scene.title, .x = {.label = "time", .unit = "s"}, .y = {.label = "friction", .unit = "N"}};
    const auto shown = within(time, time, 4, 4 + period);
    panel.series = {{.name = "true", .x = shown, .y = within(time, friction, 4, 4 + period)},
                    {.name = "from pressures", .x = shown, .y = within(time, found, 4, 4 + period), .dashed = true}};
    figure.panels.push_back(panel);
    result.tables.push_back({std::string("hydraulic_pressure_friction_") + std::to_string(result.tables.size() + 1),
                             {{{"time", "s", every(4, time)},
                               {"true_friction", "N", every(4, friction)},
                               {"from_pressures", "N", every(4, found)},
                               {"from_pressures_12_bits", "N", every(4, coarse)}}}});
  }
  result.figures = {{"hydraulic_pressure_friction", figure}};
  result.remarks.push_back(
      "The friction so found contains sigma2 T dv/dt of the new modified LuGre model, as it should: it is what acts.");
  progress.at(1);
  return result;
}

}  // namespace

const Experiment& experiment_hydraulic_pressure_friction() {
  static const Experiment experiment{
      "hydraulic-pressure-friction", "Friction from measured pressures", "Tran 2014 section 3.1, eq 13",
      reproduce_hydraulic_pressure_friction,
      "Tran 2014 eq 13: friction is what the pressures leave after acceleration and weight; pressures "
      "filtered as a measurement would be."};
  return experiment;
}

}  // namespace stickslip::inline experiments
