#include "machines/clutch_by_wire/clutch_by_wire_mechanism.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_check.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_run.hpp"

namespace stickslip::inline machines {

namespace {

constexpr int places = 1000;  // number of places at which the stroke is checked

/// The machine around the resistance.
ClutchByWire frame(const ClutchMechanism& m) {
  ClutchByWire machine;
  machine.inertia = m.inertia;
  machine.rack_ratio = m.rack_ratio;
  machine.play = m.play;
  machine.motor_resistance = m.motor_resistance;
  machine.motor_breakaway = m.motor_breakaway;
  machine.travel = {0, m.stroke / m.rack_ratio};
  machine.encoder_points = m.encoder_points;
  return machine;
}

/// Least-squares polynomial, lowest power first: solved in s = (x − middle)/half, where powers stay apart, then expanded.
std::vector<double> fitted(const std::vector<double>& x, const std::vector<double>& y, std::size_t degree) {
  const std::size_t n = degree + 1;
  const double middle = 0.5 * (x.front() + x.back()), half = 0.5 * (x.back() - x.front());
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::vector<double> power(n, 1.0);
    for (std::size_t i = 1; i < n; ++i) power[i] = power[i - 1] * (x[k] - middle) / half;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i][j] += power[i] * power[j];
      a[i][n] += power[i] * y[k];
    }
  }
  for (std::size_t p = 0; p < n; ++p)  // positive definite: no exchange of rows needed
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const double factor = a[i][p] / a[p][p];
      for (std::size_t j = p; j <= n; ++j) a[i][j] -= factor * a[p][j];
    }
  std::vector<double> c(n, 0.0);
  for (std::size_t p = n; p-- > 0;) {  // Horner with the polynomial (x − middle)/half
    for (std::size_t i = n; i-- > 0;) c[i] = ((i > 0 ? c[i - 1] : 0) - middle * c[i]) / half;
    c[0] += a[p][n] / a[p][p];
  }
  return c;
}

}  // namespace

double ClutchMechanism::next_bend(double rack, Direction d) const {
  const double x = rack_ratio * rack, area = master_area / slave_area;
  const double own[] = {compensator_force.next_bend(x, d), slope_angle.next_bend(x, d),
                        clutch_force.next_bend(area * x, d) / area};
  const double nearest = d == Direction::forward ? *std::min_element(std::begin(own), std::end(own))
                                                 : *std::max_element(std::begin(own), std::end(own));
  const double found = nearest / rack_ratio;
  // Rounding of x = r φ must not return the present breakpoint again.
  return number(d) * (found - rack) > 1e-12 * std::fabs(rack)
             ? found
             : next_bend(rack + number(d) * 2e-12 * std::fabs(rack), d);
}

double least_dry_coefficient(const ClutchMechanism& m) {
  double worst = 0;
  for (int i = 0; i <= places; ++i) {
    const double x = m.stroke * i / places;
    worst = std::max(worst, std::fabs(m.spring_residue(x)) / ((1 + m.stribeck_excess) * m.compensator_force.at(x)));
  }
  return worst;
}

void check(const ClutchMechanism& m, const ClutchControl& control, const ClutchStart& start) {
  check_number(m.rack_ratio, m.rack_ratio > 0, "the rack ratio", "positive");
  check_number(m.stroke, m.stroke > 0, "the stroke", "positive");
  check_frame(frame(m), control, start);
  check_characteristic(m.compensator_force, "the compensator's force");
  check_characteristic(m.slope_angle, "the slope of the rack");
  check_characteristic(m.clutch_force, "the clutch's force");
  check_number(m.efficiency, m.efficiency > 0 && m.efficiency <= 1, "the efficiency", "above 0 and at most 1");
  check_number(m.master_area, m.master_area > 0, "the master piston's area", "positive");
  check_number(m.slave_area, m.slave_area > 0, "the slave piston's area", "positive");
  check_number(m.dry_coefficient, m.dry_coefficient >= 0, "the dry friction coefficient", "0 or positive");
  check_number(m.stribeck_excess, m.stribeck_excess >= 0, "the Stribeck excess", "0 or positive");
  check_number(m.stribeck_speed, m.stribeck_speed > 0, "the Stribeck speed", "positive");
  check_number(m.viscous_coefficient, m.viscous_coefficient >= 0, "the viscous coefficient", "0 or positive");
  check_number(m.motor_resistance, m.motor_resistance >= 0, "the motor's resistance", "0 or positive");
  check_number(m.motor_breakaway, m.motor_breakaway >= m.motor_resistance, "the motor's breakaway level",
               "at least its resistance");
  for (int i = 0; i <= places; ++i) {
    const double x = m.stroke * i / places, force = m.compensator_force.at(x);
    if (!(force > 0))
      throw Error("clutch-by-wire: the compensator's force is " + significant(force, 6) +
                  " N at x = " + significant(x, 6) + " m; it must be positive over the stroke (a prestressed spring)");
  }
  const double least = least_dry_coefficient(m);
  if (!(m.dry_coefficient > least))
    throw Error("clutch-by-wire: with a dry friction coefficient of " + significant(m.dry_coefficient, 6) +
                " the springs move the rack without the motor; it must exceed " + significant(least, 6));
}

ClutchRun simulate_clutch(const ClutchMechanism& mechanism, const ClutchControl& control, const ClutchStart& start,
                          const SimulationOptions& options) {
  check(mechanism, control, start);
  return run_clutch(frame(mechanism), mechanism, control, start, options);
}

ReducedClutch reduced(const ClutchMechanism& m, std::size_t degree) {
  check(m, {}, {});
  ReducedClutch result;
  result.machine = frame(m);
  const double high = result.machine.travel.high;
  ClutchMechanism dry = m;  // without Stribeck peak and viscosity (2) is the level of pure sliding
  dry.stribeck_excess = dry.viscous_coefficient = 0;
  for (const Direction d : {Direction::forward, Direction::backward}) {
    std::vector<double> place, sliding, breakaway;
    double sum_sliding = 0, sum_breakaway = 0;
    for (int i = 0; i <= places; ++i) {
      place.push_back(high * i / places);
      sliding.push_back(dry.sliding(place.back(), 0, d));
      breakaway.push_back(m.breakaway(place.back(), d));
      sum_sliding += sliding.back();
      sum_breakaway += breakaway.back();
    }
    const double ratio = sum_breakaway / sum_sliding;
    Characteristic level{fitted(place, sliding, degree), {}, {}};
    for (std::size_t i = 0; i < place.size(); ++i) {
      result.worst_sliding = std::max(result.worst_sliding, std::fabs(level.at(place[i]) - sliding[i]));
      result.worst_breakaway = std::max(result.worst_breakaway, std::fabs(ratio * level.at(place[i]) - breakaway[i]));
    }
    for (double& c : level.polynomial) c *= ratio;
    ClutchResistance& r = result.machine.resistance;
    (d == Direction::forward ? r.breakaway_forward : r.breakaway_backward) = level;
    (d == Direction::forward ? r.ratio_forward : r.ratio_backward) = ratio;
  }
  check(result.machine, {}, {});
  return result;
}

}  // namespace stickslip::inline machines
