#include "machines/clutch_by_wire/clutch_by_wire.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_check.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_run.hpp"

namespace stickslip::inline machines {

namespace {

constexpr double two_pi = 6.283185307179586476925286766559;

/// Throws unless the breakaway level is positive wherever the rack may be; without an end, where its table or 0 lies.
void check_level(const Characteristic& c, const Travel& travel, const std::string& what) {
  check_characteristic(c, what);
  const bool is_bounded = std::isfinite(travel.low) && std::isfinite(travel.high);
  if (!c.is_table() && c.polynomial.size() > 1 && !is_bounded)
    throw Error("clutch-by-wire: " + what + " is a polynomial, which is unbounded; give both ends of the travel");
  const auto look = [&](double place) {
    const double level = c.at(place);
    if (!(level > 0) || !std::isfinite(level))
      throw Error("clutch-by-wire: " + what + " is " + significant(level, 6) + " Nm at " + significant(place, 6) +
                  " rad; it must be positive over the travel");
  };
  for (const double knot : c.knots) look(knot);
  if (!is_bounded) return look(0);
  constexpr int places = 1000;
  for (int i = 0; i <= places; ++i) look(travel.low + (travel.high - travel.low) * i / places);
}

}  // namespace

double Characteristic::at(double place) const {
  if (!is_table()) {
    double sum = 0;
    for (std::size_t j = polynomial.size(); j-- > 0;) sum = sum * place + polynomial[j];
    return sum;
  }
  if (place <= knots.front()) return values.front();
  if (place >= knots.back()) return values.back();
  const auto i = static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), place) - knots.begin());
  const double part = (place - knots[i - 1]) / (knots[i] - knots[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

double Characteristic::next_bend(double place, Direction d) const {
  if (d == Direction::forward) {
    const auto next = std::upper_bound(knots.begin(), knots.end(), place);
    return next == knots.end() ? std::numeric_limits<double>::infinity() : *next;
  }
  const auto next = std::lower_bound(knots.begin(), knots.end(), place);
  return next == knots.begin() ? -std::numeric_limits<double>::infinity() : *(next - 1);
}

double ClutchByWire::resolution() const { return encoder_points > 0 ? two_pi / encoder_points : 0; }

double ClutchByWire::reading(double angle) const {
  return encoder_points > 0 ? std::floor(angle * encoder_points / two_pi) * two_pi / encoder_points : angle;
}

void check_characteristic(const Characteristic& c, const std::string& what) {
  const std::string head = "clutch-by-wire: " + what;
  if (c.is_table() == !c.polynomial.empty())
    throw Error(head + (c.is_table() ? " is both a polynomial and a table; give one of them"
                                     : " is not given; give a polynomial or a table"));
  if (c.knots.size() != c.values.size())
    throw Error(head + " has " + std::to_string(c.knots.size()) + " knots and " + std::to_string(c.values.size()) +
                " values; both need the same number");
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::all_of(c.polynomial.begin(), c.polynomial.end(), finite) ||
      !std::all_of(c.knots.begin(), c.knots.end(), finite) || !std::all_of(c.values.begin(), c.values.end(), finite))
    throw Error(head + " has a number that is not finite");
  for (std::size_t i = 1; i < c.knots.size(); ++i)
    if (!(c.knots[i] > c.knots[i - 1]))
      throw Error(head + " has knot " + significant(c.knots[i], 6) + " after " + significant(c.knots[i - 1], 6) +
                  "; knots must increase");
}

void check_number(double value, bool is_good, const std::string& what, const std::string& would_do) {
  if (!is_good || !std::isfinite(value))
    throw Error("clutch-by-wire: " + what + " is " + significant(value, 6) + "; it must be " + would_do);
}

void check_frame(const ClutchByWire& m, const ClutchControl& c, const ClutchStart& s) {
  check_number(m.inertia, m.inertia > 0, "the inertia", "positive");
  check_number(m.rack_ratio, m.rack_ratio > 0, "the rack ratio", "positive");
  check_number(m.play, m.play >= 0, "the backlash", "0 or positive");
  check_number(m.encoder_points, m.encoder_points >= 0, "the number of encoder points", "0 (exact) or positive");
  if (m.play > 0) {
    check_number(m.motor_resistance, m.motor_resistance >= 0, "the motor's resistance", "0 or positive");
    check_number(m.motor_breakaway, m.motor_breakaway >= m.motor_resistance, "the motor's breakaway level",
                 "at least its resistance");
  }
  if (!(m.travel.low < m.travel.high))
    throw Error("clutch-by-wire: the travel ends at " + significant(m.travel.high, 6) + " rad and begins at " +
                significant(m.travel.low, 6) + " rad; its length must be positive");
  check_number(c.proportional, true, "the proportional gain", "finite");
  check_number(c.derivative, true, "the derivative gain", "finite");
  check_number(c.integral, true, "the integral gain", "finite");
  check_number(c.sampling_time, c.sampling_time >= 0, "the sampling time", "0 (continuous) or positive");
  check_number(c.derivative_cutoff_hz, c.derivative_cutoff_hz >= 0, "the cutoff of the derivative",
               "0 (none) or positive");
  if (c.sampling_time == 0 && c.derivative_cutoff_hz > 0)
    throw Error(
        "clutch-by-wire: a continuous controller has no filtered difference; give a sampling time or no cutoff");
  if (!(c.limit > 0))
    throw Error("clutch-by-wire: the torque limit is " + significant(c.limit, 6) + " Nm; it must be positive");
  for (const double value : {s.angle, s.speed, s.integral, s.gap_position})
    check_number(value, true, "a value of the start", "finite");
  if (std::fabs(s.gap_position) > 0.5 * m.play)
    throw Error("clutch-by-wire: the start is " + significant(s.gap_position, 6) +
                " rad from the middle of the backlash; " + "it must lie within " + significant(0.5 * m.play, 6) +
                " rad");
  const double rack = s.angle - s.gap_position;
  if (rack < m.travel.low || rack > m.travel.high)
    throw Error("clutch-by-wire: the rack starts at " + significant(rack, 6) + " rad; it must be between " +
                significant(m.travel.low, 6) + " and " + significant(m.travel.high, 6) + " rad");
}

void check(const ClutchByWire& m, const ClutchControl& c, const ClutchStart& s) {
  check_frame(m, c, s);
  const ClutchResistance& r = m.resistance;
  check_level(r.breakaway_forward, m.travel, "the forward breakaway level");
  check_level(r.breakaway_backward, m.travel, "the backward breakaway level");
  check_number(r.ratio_forward, r.ratio_forward >= 1, "the forward ratio of breakaway to sliding", "at least 1");
  check_number(r.ratio_backward, r.ratio_backward >= 1, "the backward ratio of breakaway to sliding", "at least 1");
  check_number(r.viscosity, r.viscosity >= 0, "the viscosity", "0 or positive");
  check_number(r.viscous_from, r.viscous_from >= 0, "the speed where viscosity begins", "0 or positive");
  if (r.viscous_form == ViscousForm::literal && r.viscosity > 0)
    check_number(r.viscous_from, r.viscous_from > 0, "the speed where literal viscosity begins",
                 "positive; use the continuous form for viscosity from rest");
}

std::vector<LedgerRow> clutch_ledger(const Ledger& l) {
  return {{"work of the motor", l.work_in},
          {"change of kinetic energy", l.stored_end - l.stored_start},
          {"heat of friction", l.friction_heat},
          {"heat of impacts", l.reset_heat},
          {"residual", l.residual}};
}

ClutchRun simulate_clutch(const ClutchByWire& machine, const ClutchControl& control, const ClutchStart& start,
                          const SimulationOptions& options) {
  check(machine, control, start);
  return run_clutch(machine, machine.resistance, control, start, options);
}

std::unique_ptr<Motion> clutch_motion(const ClutchByWire& machine, const ClutchControl& control,
                                      const ClutchStart& start, const SimulationOptions& options) {
  check(machine, control, start);
  return held_clutch(machine, machine.resistance, control, start, options);
}

SensorFigures sensor_figures(double inertia, double resolution, double sampling_time, double largest_torque) {
  const double square = sampling_time * sampling_time;
  return {resolution / sampling_time, 2 * resolution / square, square * largest_torque / (2 * inertia * resolution),
          2 * inertia * inertia * resolution / (square * largest_torque)};
}

}  // namespace stickslip::inline machines
