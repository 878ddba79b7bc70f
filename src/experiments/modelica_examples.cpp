/// Which signals of the Modelica Standard Library's examples are compared with which of ours. Relative angles there are b − a; the slip of a joint
/// here is a − b.
#include <cmath>
#include <numbers>

#include "experiments/modelica.hpp"

namespace stickslip::inline experiments {
namespace {

/// Modelica/Mechanics/Rotational/Examples/Friction/Friction.csv of RotationalFriction.
std::string published(const std::string& file) {
  const bool is_translational = file.starts_with("Translational");
  const std::string kind = is_translational ? "Translational" : "Rotational";
  const std::string name = file.starts_with(kind) ? file.substr(kind.size()) : file;
  return "Modelica/Mechanics/" + kind + "/Examples/" + name + "/" + name + ".csv";
}

Reproduction not_alone(Progress&) { return {}; }  // an example needs its folder: compare_with_reference()

ReferenceExample example(const std::string& file, const std::string& name, const std::string& title,
                         const std::string& setup) {
  ReferenceExample e{.experiment = {"modelica-" + name, title, "Modelica Standard Library " + file, not_alone, setup},
                     .file = file,
                     .published = published(file),
                     .signals = {},
                     .modes = {}};
  return e;
}
ReferenceSignal same(const std::string& reference, const std::string& ours) { return {reference, {{1, ours}}}; }
ReferenceSignal turned(const std::string& reference, const std::string& ours) { return {reference, {{-1, ours}}}; }
ReferenceSignal wider(ReferenceSignal signal, double bound) {
  signal.bound = bound;
  return signal;
}
ReferenceSignal between(const std::string& reference, const std::string& a, const std::string& b) {
  return {reference, {{1, b + "_position"}, {-1, a + "_position"}}};
}

}  // namespace

std::vector<ReferenceExample> first_modelica_examples() {
  std::vector<ReferenceExample> all;
  auto clutches =
      example("CoupledClutches", "coupled-clutches", "Coupled clutches",
              "Four inertias of 1 kg m^2, the first at 10 rad/s under 10 N m at 5 Hz; three clutches of 10 N m that "
              "hold 1.1 times as much at rest, closed one after the other.");
  clutches.signals = {same("J1.phi", "J1_position"),          same("J1.w", "J1_speed"),
                      between("clutch1.phi_rel", "J1", "J2"), turned("clutch1.w_rel", "clutch1_slip"),
                      between("clutch2.phi_rel", "J2", "J3"), turned("clutch2.w_rel", "clutch2_slip"),
                      between("clutch3.phi_rel", "J3", "J4"), turned("clutch3.w_rel", "clutch3_slip")};
  clutches.modes = {{"clutch1.mode", "clutch1", -1}, {"clutch2.mode", "clutch2", -1}, {"clutch3.mode", "clutch3", -1}};
  all.push_back(clutches);

  auto friction = example(
      "RotationalFriction", "rotational-friction", "Clutch, spring and brake",
      "1 kg m^2 under 200 N m at 100 rad/s, a clutch of 80 N m, 0.05 kg m^2, a spring of 160 N m/rad with 1 N m "
      "s/rad, 1 kg m^2 and a brake of 800 N m from 0.5 s on.");
  friction.signals = {between("clutch.phi_rel", "inertia3", "inertia2"),
                      turned("clutch.w_rel", "clutch_slip"),
                      same("inertia3.phi", "inertia3_position"),
                      same("inertia3.w", "inertia3_speed"),
                      between("spring.phi_rel", "inertia2", "inertia1"),
                      {"spring.w_rel", {{1, "inertia1_speed"}, {-1, "inertia2_speed"}}}};
  friction.modes = {{"clutch.mode", "clutch", -1}, {"brake.mode", "brake", 1}};
  all.push_back(friction);

  auto lossy = example(
      "LossyGearDemo1", "lossy-gear", "Lossy gear",
      "1 kg m^2 under 10 N m at 1 Hz, a gear 2 : 1 of efficiency 0.5 either way, 1.5 kg m^2 with a load of -10 N m + "
      "2.5 N m/s t.");
  lossy.signals = {same("Inertia2.phi", "inertia2_position"), same("Inertia2.w", "inertia2_speed")};
  lossy.modes = {{"gear.mode", "gear", 1}};
  all.push_back(lossy);

  auto bearing =
      example("LossyGearDemo2", "lossy-gear-bearing", "Lossy gear with a bearing",
              "The same with friction in the bearing of the driving shaft: 0.5 N m at rest, 1 N m at 1 rad/s.");
  bearing.signals = lossy.signals;
  bearing.modes = {{"gear.mode", "gear", 1, "bearingFriction.mode"}};
  all.push_back(bearing);

  auto one_way = example(
      "OneWayClutch", "one-way-clutch", "One-way clutch",
      "1 kg m^2 at -0.5 rad/s under 10 N m at 3 Hz, a clutch of 1.5 N m that holds 25 times as much at rest, with a "
      "freewheel beside it, pressed half of the time, and 1 kg m^2 at rest.");
  one_way.signals = {
      wider(same("inertiaIn.phi", "inertiaIn_position"), 1e-4), wider(same("inertiaIn.w", "inertiaIn_speed"), 5e-5),
      between("oneWayClutch.phi_rel", "inertiaIn", "inertiaOut"), same("oneWayClutch.w_rel", "clutch_slip")};
  constexpr double omega = 6 * std::numbers::pi;  // of the torque [rad/s]
  // Both inertias together know nothing of the clutch: J (w_in + w_out) = −0.5 + ∫ 10 sin(6π t) dt.
  one_way.balances = {{"momentum, 2 inertiaIn.w + oneWayClutch.w_rel",
                       {{2, "inertiaIn.w"}, {1, "oneWayClutch.w_rel"}},
                       {{1, "inertiaIn_speed"}, {1, "inertiaOut_speed"}},
                       [](double t) { return -0.5 + 10 / omega * (1 - std::cos(omega * t)); }},
                      {"its integral, 2 inertiaIn.phi + oneWayClutch.phi_rel",
                       {{2, "inertiaIn.phi"}, {1, "oneWayClutch.phi_rel"}},
                       {{1, "inertiaIn_position"}, {1, "inertiaOut_position"}},
                       [](double t) { return -0.5 * t + 10 / omega * (t - std::sin(omega * t) / omega); }}};
  all.push_back(one_way);

  auto shift = example(
      "SimpleGearShift", "gear-shift", "Gear shift of a planetary gear",
      "Engine of 1 kg m^2 with 20 N m from 0.5 s on at the sun, ratio 1.5, load of 10 kg m^2 with a torque over the "
      "square of speed at the carrier; the ring, without inertia, goes from a brake to a clutch at 2 s.");
  shift.signals = {between("clutch.phi_rel", "engine", "ring"), turned("clutch.w_rel", "clutch_slip"),
                   same("engine.phi", "engine_position"),       same("engine.w", "engine_speed"),
                   same("load.phi", "load_position"),           same("load.w", "load_speed")};
  shift.modes = {{"clutch.mode", "clutch", -1}, {"brake.mode", "brake", 1}};
  all.push_back(shift);

  auto backlash = example(
      "Backlash", "backlash", "Backlash with elasticity",
      "5 kg m^2 let go at 90 deg on a spring of 2e4 N m/rad with 50 N m s/rad, and the same through a backlash of "
      "45 deg whose damper never pulls.");
  backlash.signals = {same("springDamper.phi_rel", "inertia1_position"), same("springDamper.w_rel", "inertia1_speed"),
                      same("elastoBacklash.phi_rel", "inertia2_position"),
                      same("elastoBacklash.w_rel", "inertia2_speed")};
  all.push_back(backlash);

  auto brake = example("TranslationalBrake", "brake", "Brake on a sliding mass",
                       "1 kg at 1 m/s, a brake of 0.5 N pressed twice from 0.1 s on.");
  brake.signals = {same("mass1.s", "mass1_position"), same("mass1.v", "mass1_speed"), same("mass2.s", "mass1_position"),
                   same("mass2.v", "mass1_speed")};
  brake.modes = {{"brake.mode", "brake", 1}, {"brake1.mode", "brake", 1}};
  all.push_back(brake);

  auto sliders = example(
      "TranslationalFriction", "sliders", "Sliders with friction between stops",
      "1 kg each: with a Stribeck curve between stops under 25 N at 0.25 Hz; between narrow stops on a spring of 500 "
      "N/m, from -5 m/s; and as the first without stops, with a table of 50 points instead of the curve.");
  sliders.signals = {same("mass.s", "mass_position"),   same("mass.v", "mass_speed"),
                     same("stop1.s", "stop1_position"), same("stop1.v", "stop1_speed"),
                     same("stop2.s", "stop2_position"), same("stop2.v", "stop2_speed")};
  sliders.modes = {
      {"stop1.mode", "floor1", 1}, {"stop2.mode", "floor2", 1}, {"supportFriction.mode", "supportFriction", 1}};
  all.push_back(sliders);
  return all;
}

}  // namespace stickslip::inline experiments
