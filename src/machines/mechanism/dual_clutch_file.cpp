/// A scenario file of the dual clutch as a ready machine; see dual_clutch_file.hpp.
#include "machines/mechanism/dual_clutch_file.hpp"

#include <array>

#include "core/error.hpp"
#include "core/parameter.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 2e6;  // times some thirty columns

struct VehicleParameter {
  const char *key, *unit;
  double DualClutch::*member;
  Domain domain;
};
using enum Domain;
constexpr std::array<VehicleParameter, 15> vehicle_parameters{
    {{"engine_torque", "N m", &DualClutch::engine_torque, real},
     {"engine_inertia", "kg m^2", &DualClutch::engine_inertia, positive},
     {"engine_speed", "rad/s", &DualClutch::engine_speed, real},
     {"shaft_1_inertia", "kg m^2", &DualClutch::shaft_1_inertia, positive},
     {"shaft_3_inertia", "kg m^2", &DualClutch::shaft_3_inertia, positive},
     {"shaft_stiffness", "N m/rad", &DualClutch::shaft_stiffness, positive},
     {"shaft_damping", "N m s/rad", &DualClutch::shaft_damping, non_negative},
     {"ratio_1", "1", &DualClutch::ratio_1, positive},
     {"ratio_3", "1", &DualClutch::ratio_3, positive},
     {"vehicle_inertia", "kg m^2", &DualClutch::vehicle_inertia, positive},
     {"vehicle_drag", "N m s/rad", &DualClutch::vehicle_drag, positive},
     {"coulomb_torque", "N m", &DualClutch::coulomb_torque, positive},
     {"stiction_torque", "N m", &DualClutch::stiction_torque, positive},
     {"stribeck_velocity", "rad/s", &DualClutch::stribeck_velocity, positive},
     {"stribeck_exponent", "1", &DualClutch::stribeck_exponent, positive}}};

DualClutch read_vehicle(const Section& machine) {
  std::vector<std::string> keys{"kind", "shift"};
  for (const auto& p : vehicle_parameters) keys.emplace_back(p.key);
  machine.knows(keys);
  DualClutch vehicle;
  for (const auto& p : vehicle_parameters) {
    if (!machine.has(p.key)) continue;
    vehicle.*(p.member) = machine.parameter(p.key, p.unit, p.domain);
  }
  if (vehicle.stiction_torque < vehicle.coulomb_torque)
    machine.fail(machine.value(machine.has("stiction_torque") ? "stiction_torque" : "coulomb_torque"),
                 "stiction_torque, " + with_unit(vehicle.stiction_torque, "N m", 6) +
                     ", must not be below coulomb_torque, " + with_unit(vehicle.coulomb_torque, "N m", 6));
  return vehicle;
}

}  // namespace

DualClutchScenario parse_dual_clutch(std::string_view text, const std::string& file_name) {
  return dual_clutch_from(parse_toml(text, file_name), file_name);
}

DualClutchScenario dual_clutch_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  file.knows({"title", "machine", "pressure_1", "pressure_3", "solver", "run"});
  DualClutchScenario scenario;
  MachineScenario& made = scenario.machine;
  made.file = file_name;
  if (file.has("title")) made.title = file.text("title", "Dual clutch in a vehicle");
  const Section machine = needed_section(file, "machine");
  scenario.vehicle = read_vehicle(machine);
  scenario.is_controlled =
      machine.word_or("shift", "way to shift", {"prescribed", "controlled"}, "prescribed") == "controlled";
  const auto pressure = [&](const char* key, Signal& signal) {
    if (!file.has(key)) return;
    if (scenario.is_controlled)
      file.fail(file.value(key), "the shift controller sets both pressures; leave out [" + std::string(key) +
                                     "] or write shift = \"prescribed\"");
    signal = read_input(file, key, "1");
  };
  pressure("pressure_1", scenario.vehicle.pressure_1);
  pressure("pressure_3", scenario.vehicle.pressure_3);
  read_run(needed_section(file, "run"), most_samples, made.options);
  if (const auto solver = file.inner("solver")) {
    solver->knows(tolerance_keys);
    read_tolerances(*solver, "rad", made.options);
  }
  try {
    made.mechanism = scenario.is_controlled ? dual_clutch_controlled(scenario.vehicle) : dual_clutch(scenario.vehicle);
    check_mechanism(made.mechanism);
  } catch (const Error& problem) {
    machine.fail(machine.line(), problem.what());
  }
  return scenario;
}

Json dual_clutch_summary(const DualClutchScenario& scenario) {
  Json parameters = Json::object();
  for (const auto& p : vehicle_parameters) parameters[p.key] = scenario.vehicle.*(p.member);
  return Json::object({{"scenario", scenario.machine.file},
                       {"title", scenario.machine.title},
                       {"machine", Json::object({{"kind", "dual-clutch"}, {"parameters", parameters}})},
                       {"shift", scenario.is_controlled ? "controlled" : "prescribed"},
                       {"method", "event-driven"},
                       {"warnings", Json::array()}});
}

}  // namespace stickslip::inline machines
