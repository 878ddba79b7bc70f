/// An electrohydraulic cylinder: servo valve, two chambers, a vertical load, friction, and the results of a run.
///   ẍ_v = k_v ω_v² u − 2 ζ_v ω_v ẋ_v − ω_v² x_v                                                          (1)
///   a = max(U + x_v, 0),  b = max(U − x_v, 0),  r(Δ) = Δ/(Δ² + δ²)^{1/4},  K = c_d √(2/ρ) w               (2)
///   Q₁ = K (a r(P_s − P₁) − b r(P₁)),   Q₂ = K (a r(P₂) − b r(P_s − P₂))                                 (3)
///   V₁/β dP₁/dt = Q₁ − A₁ v,   V₂/β dP₂/dt = A₂ v − Q₂,   V₁ = V₁₀ + A₁ x,   V₂ = V₂₀ + A₂ (L − x)       (4)
///   m dv/dt = P₁ A₁ − P₂ A₂ − F − m g                                                                    (5)
/// X. B. Tran et al., Tran 2014 eq 13-24, restored Tran 2014 has δ = 0, r = sgn(Δ) √|Δ|; real orifices are laminar below
/// some δ, and without it a chamber that empties through an edge is endlessly stiff. r is odd, so that (3) holds for
/// pressures above P_s too, where oil flows back into the supply. Positive x extends the rod, upwards.
///
/// A pressure cannot fall below the vapour pressure, taken as the tank's, 0. While more oil leaves the chamber than enters,
/// a void grows: dW/dt = A₁ v − Q₁ (chamber 1); the pressure rises again only when
/// the void W has closed. So oil is conserved.                                                            (6)
/// The stroke ends at x = 0 and x = L: an inelastic, located impact; then the stop carries the load until the load pulls
/// away. Pressed against a stop, an ideal (sticking) friction carries nothing: how both would share the load is undetermined.
///
/// Energy, exact for a constant bulk modulus (density ρ₀ e^{P/β}): a chamber stores β V (e^{P/β} − 1 − P/β); oil that
/// enters at pressure P brings β (e^{P/β} − 1) per volume, oil of the supply β (e^{P/β} − e^{(P−P_s)/β}).  (7)
///
/// Not modelled: leakage, pressure-dependent bulk modulus, lines, the supply's own dynamics, cushions, valve hysteresis,
/// flow forces, oil sucked from the tank into a void, gas dissolved in the oil.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/parameter.hpp"
#include "core/run.hpp"
#include "core/signal.hpp"
#include "machines/plant_run.hpp"

namespace stickslip::inline machines {

class Friction;
class Motion;
struct LedgerRow;

struct HydraulicCylinder {
  double supply_pressure = 0, mass = 0, bore = 0, rod = 0, stroke = 0, gravity = 9.81;
  double valve_gain = 0, valve_frequency = 0, valve_damping = 0;
  double underlap = 0, port_width = 0, discharge_coefficient = 0, density = 0, laminar_pressure = 100;
  double bulk_modulus = 0, dead_volume_1 = 0, dead_volume_2 = 0;

  static constexpr auto parameters() {
    using C = HydraulicCylinder;
    using enum Domain;
    const auto fixed = [](std::string_view key, std::string_view symbol, std::string_view unit,
                          std::string_view meaning, Domain domain, double preset = required) {
      return ParameterInfo{key, symbol, unit, meaning, domain, 0, 0, Scale::linear, Fit::fixed, preset};
    };
    return std::tuple{
        row(&C::supply_pressure, fixed("supply_pressure", "P_s", "Pa", "pressure of the supply", positive)),
        row(&C::mass, fixed("mass", "m", "kg", "moving mass", positive)),
        row(&C::bore, fixed("bore", "d", "m", "diameter of the piston", positive)),
        row(&C::rod, fixed("rod", "d_r", "m", "diameter of the rod, in chamber 2", non_negative)),
        row(&C::stroke, fixed("stroke", "L", "m", "from end to end", positive)),
        row(&C::gravity, fixed("gravity", "g", "m/s^2", "0 for a horizontal cylinder", real, 9.81)),
        row(&C::valve_gain, fixed("valve_gain", "k_v", "m/A", "spool position per current", real)),
        row(&C::valve_frequency, fixed("valve_frequency", "ω_v", "rad/s", "natural frequency of the spool", positive)),
        row(&C::valve_damping, fixed("valve_damping", "ζ_v", "", "damping ratio of the spool", non_negative)),
        row(&C::underlap, fixed("underlap", "U", "m", "opening of both edges in the middle; negative: overlap", real)),
        row(&C::port_width, fixed("port_width", "w", "m", "circumferential width of the ports", positive)),
        row(&C::discharge_coefficient, fixed("discharge_coefficient", "c_d", "", "of the orifices", positive)),
        row(&C::density, fixed("density", "ρ", "kg/m^3", "of the oil", positive)),
        row(&C::laminar_pressure,
            fixed("laminar_pressure", "δ", "Pa", "drop below which edges are laminar", non_negative, 100)),
        row(&C::bulk_modulus, fixed("bulk_modulus", "β", "Pa", "effective, of oil and walls", positive)),
        row(&C::dead_volume_1, fixed("dead_volume_1", "V_10", "m^3", "of chamber 1 at x = 0", positive)),
        row(&C::dead_volume_2, fixed("dead_volume_2", "V_20", "m^3", "of chamber 2 at x = L", positive))};
  }

  double area_1() const { return 0.25 * pi * bore * bore; }                // A₁ [m²]
  double area_2() const { return 0.25 * pi * (bore * bore - rod * rod); }  // A₂ [m²]

 private:
  static constexpr double pi = 3.14159265358979323846;
};

/// Where a run begins.
struct HydraulicStart {
  double position = 0, velocity = 0, pressure_1 = 0, pressure_2 = 0;
  double valve_position = 0, valve_velocity = 0;
  std::vector<double> friction_state;  // empty: all zero
};

/// Located events, in the order in which those of one instant are handled.
enum class HydraulicEventKind {
  input_breakpoint,
  extending_edge,   // the edge that feeds chamber 1 opens or closes
  retracting_edge,  // the edge that feeds chamber 2 opens or closes
  void_1_opens,
  void_1_closes,
  void_2_opens,
  void_2_closes,
  lower_end,  // the piston meets x = 0
  upper_end,  // ... x = L
  leaves_end,
  direction_change,
  stick,
  release,
};
inline constexpr std::size_t hydraulic_event_kinds = 13;
inline constexpr std::array<std::string_view, hydraulic_event_kinds> hydraulic_event_names{
    "input breakpoint", "extending edge", "retracting edge", "void 1 opens", "void 1 closes",
    "void 2 opens",     "void 2 closes",  "lower end",       "upper end",    "leaves end",
    "direction change", "stick",          "release"};
/// The same in the terms that all machines share.
inline constexpr std::array<EventKind, hydraulic_event_kinds> hydraulic_event_terms{
    EventKind::input_breakpoint, EventKind::mode_exit,  EventKind::mode_exit,        EventKind::mode_entry,
    EventKind::mode_exit,        EventKind::mode_entry, EventKind::mode_exit,        EventKind::mode_entry,
    EventKind::mode_entry,       EventKind::mode_exit,  EventKind::direction_change, EventKind::stick,
    EventKind::release};

/// Samples: current, valve_position, pressure_1, pressure_2, flow_1, flow_2, position, velocity, acceleration, friction_force (as it
/// acts, with its term in the acceleration), void_1, void_2 of (6), stop_force (upwards), mode and states of the friction law.
/// Ledger: work_in is brought by the supply, oil returns to the tank without any; damper_heat is that of throttling, reset_heat of impacts.
struct HydraulicRun : PlantRun {
  HydraulicStart reached;
  std::vector<std::string> mode_names;
};

/// Throws Error unless every parameter makes sense and the start lies inside the stroke.
void check(const HydraulicCylinder& cylinder, const HydraulicStart& start);

/// The ledger in words.
std::vector<LedgerRow> hydraulic_ledger(const Ledger& ledger);

/// The friction models a cylinder can have: stribeck, lugre, modified-lugre, new-modified-lugre.
std::vector<std::string> cylinder_frictions();

/// A run under the valve current u(t) [A]. Tolerances left at 0 are 1e-7 relative: Tran's 10 s to 30 pm. Throws Error for a
/// friction model that is not in `cylinder_frictions`, for tabulated levels, and where `check` does.
HydraulicRun simulate_cylinder(const HydraulicCylinder& cylinder, const HydraulicStart& start, const Signal& current,
                               const Friction& friction, const SimulationOptions& options);
/// The same as a motion to be stepped (machines/motion.hpp). Its input is the current; `end` of the options is a plan, not a limit.
std::unique_ptr<Motion> cylinder_motion(const HydraulicCylinder& cylinder, const HydraulicStart& start,
                                        const Signal& current, const Friction& friction,
                                        const SimulationOptions& options);

}  // namespace stickslip::inline machines
