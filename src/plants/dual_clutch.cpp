/// The dual clutch in a vehicle; see dual_clutch.hpp.
#include "plants/dual_clutch.hpp"

#include <array>
#include <cassert>

#include "plants/sticking_levels.hpp"

namespace stickslip {
namespace {

constexpr std::size_t shaft_1 = 0, engine = 1, shaft_3 = 2, vehicle = 3;

Signal through(std::initializer_list<std::array<double, 2>> points) {
  std::vector<double> t, p;
  for (const auto& [time, value] : points) t.push_back(time), p.push_back(value);
  return Signal::table(t, p);
}

}  // namespace

DualClutch::DualClutch()
    : pressure_1(through({{0, 0}, {.4, 1}, {4, 1}, {4.3, 0}, {7.1, 0}, {7.5, 1}, {10, 1}})),
      pressure_3(through({{0, 0}, {4.1, 0}, {4.5, 1}, {7, 1}, {7.3, 0}, {10, 0}})) {}

Mechanism dual_clutch(const DualClutch& d) {
  Mechanism m;
  m.bodies = {{"shaft_1", d.shaft_1_inertia},
              {"engine", d.engine_inertia, 0, d.engine_speed},
              {"shaft_3", d.shaft_3_inertia},
              {"vehicle", d.vehicle_inertia}};
  m.springs = {{"drive_1", {shaft_1, 1}, {vehicle, d.ratio_1}, d.shaft_stiffness, d.shaft_damping, 0, Signal()},
               {"drive_3", {shaft_3, 1}, {vehicle, d.ratio_3}, d.shaft_stiffness, d.shaft_damping, 0, Signal()}};
  const auto law = std::make_shared<StribeckLevels>(d.coulomb_torque, d.stiction_torque, d.stribeck_velocity,
                                                    d.stribeck_exponent);
  m.joints = {{"clutch_1", {shaft_1, 1}, {engine, 1}, law, d.pressure_1},
              {"clutch_3", {engine, 1}, {shaft_3, 1}, law, d.pressure_3}};
  m.torques = {{"combustion", engine, Signal(d.engine_torque)}};
  m.drags = {{"road", vehicle, d.vehicle_drag, 0}};
  return m;
}

}  // namespace stickslip
