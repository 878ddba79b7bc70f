/// stickslip plan: what can be identified with a sensor, a computer and a drive, and which tests to run.
#include "identification/experiments/plan.hpp"

#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "number_options.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct PlanArguments {
  QuantityOption mass{"--mass", "kg", Sign::positive};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  QuantityOption sampling_time{"--sampling-time", "s", Sign::positive,
                               Range{1e-9, 1e3, false, "1 GHz to one in a while"}};
  QuantityOption force_limit{"--force-limit", "N", Sign::positive}, stiction{"--stiction", "N", Sign::positive},
      coulomb{"--coulomb", "N", Sign::positive}, viscosity{"--viscosity", "N s/m", Sign::not_negative},
      stribeck_velocity{"--stribeck-velocity", "m/s", Sign::not_negative}, stroke{"--stroke", "m", Sign::positive};
  double mass_known_percent = 5, wanted_percent = 2;
  bool is_rotary = false, json = false;
};

/// Units of a linear machine, or of a rotary one.
struct Units {
  bool is_rotary = false;
  std::string operator()(std::string_view linear) const { return is_rotary ? rotary(linear) : std::string(linear); }
};

PlanInput input_of(const PlanArguments& a) {
  PlanInput in;
  a.mass.take(in.mass, a.is_rotary);
  a.resolution.take(in.resolution, a.is_rotary);
  a.sampling_time.take(in.sampling_time);
  a.force_limit.take(in.force_limit, a.is_rotary);
  a.stiction.take(in.stiction, a.is_rotary);
  a.coulomb.take(in.coulomb, a.is_rotary);
  a.viscosity.take(in.viscosity, a.is_rotary);
  a.stribeck_velocity.take(in.stribeck_velocity, a.is_rotary);
  a.stroke.take(in.stroke, a.is_rotary);
  in.mass_known = a.mass_known_percent / 100, in.wanted = a.wanted_percent / 100;
  return in;
}

std::string listed(const std::vector<double>& values, const std::string& unit) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(with_unit(value, unit, 3));
  return joined(words);
}
std::string percent(double share) { return significant(100 * share, 2) + " %"; }

class Printer {
 public:
  Printer(const Plan& plan, const Units& unit) : p_(plan), unit_(unit) {}

  void print() {
    sensor();
    heading("1. Breakaway ramps: the stiction");
    rows({{"raise the force by", in(p_.ramps.ramp, "N/s") + " until the position changes, release, wait"},
          {"one ramp takes", with_unit(p_.ramps.duration, "s", 3)},
          {"repeat",
           std::to_string(p_.ramps.each_way) + " times forth and " + std::to_string(p_.ramps.each_way) + " times back"},
          {"stiction lies below the noted force by",
           "0 to " + in(p_.ramps.error, "N") + " (" + percent(p_.ramps.error / p_.input.stiction) + ")"}});
    sines();
    heading("3. Constant speeds: the Stribeck curve");
    rows({{"speeds, both ways", listed(p_.speeds.speeds, unit_("m/s"))},
          {"each for at least", listed(p_.speeds.durations, "s")},
          {"speed known to", percent(p_.speeds.velocity_error)}});
    heading("4. Micro-strokes: presliding");
    rows({{"half strokes",
           p_.strokes.strokes.empty() ? "the stroke is too short" : listed(p_.strokes.strokes, unit_("m"))},
          {"resolution, as a share of them", shares(p_.strokes.errors)},
          {"not seen", "presliding below " + in(p_.strokes.smallest, "m")}});
    for (const std::string& text : p_.assumptions) std::cout << "\nassumed: " << text;
    if (!p_.assumptions.empty()) std::cout << "\n";
    for (const std::string& text : p_.remarks) std::cout << "\nnote: " << text << "\n";
  }

 private:
  std::string in(double value, std::string_view linear) const {
    if (linear == "N/s") return with_unit(value, unit_("N"), 3) + "/s";
    return with_unit(value, unit_(linear), 3);
  }
  static std::string shares(const std::vector<double>& values) {
    std::vector<std::string> words;
    for (const double value : values) words.push_back(percent(value));
    return joined(words);
  }
  static void heading(const std::string& text) {
    std::cout << "\n" << coloured(text, Ink::bold, wants_colour()) << "\n";
  }
  static void rows(const std::vector<std::vector<std::string>>& cells) {
    std::cout << to_text(TextTable{.rows = cells}, {.indent = "  "});
  }

  void sensor() const {
    const SensorLimits& l = p_.limits;
    std::cout << coloured("What two readings can say", Ink::bold, wants_colour()) << "\n";
    rows({{"error of a velocity", in(l.velocity_error, "m/s")},
          {"error of an acceleration", in(l.acceleration_error, "m/s^2")},
          {"signal-to-noise of the acceleration at the force limit", significant(l.signal_to_noise, 4)},
          {"error of the mass", in(l.mass_error, "kg") + " (" + percent(l.mass_error / p_.input.mass) + ")"},
          {"mass", l.can_identify_mass ? "can be identified" : "not to be identified from differences"}});
  }

  void sines() const {
    heading("2. Sinusoidal speed: Coulomb level and viscosity");
    const SinePlan& s = p_.sines;
    if (!s.is_possible) return rows({{"not possible", s.why_not}});
    rows({{"frequency", significant(s.frequency_hz, 3) + " Hz, " + std::to_string(s.periods) + " periods each"},
          {"speed amplitudes", listed(s.speeds, unit_("m/s"))},
          {"largest amplitude and force", in(s.amplitude, "m") + ", " + in(s.force, "N")},
          {"viscosity known to", in(s.viscosity_error, "N s/m") + " for half a sample of lag"},
          {"Coulomb level known to",
           in(s.coulomb_error, "N") + " (" + percent(s.coulomb_error / p_.input.coulomb) + ")"}});
  }

  const Plan& p_;
  Units unit_;
};

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}
Json words(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

Json json_of(const Plan& p, bool is_rotary) {
  Json out = Json::object({{"rotary", is_rotary}});
  out["sensor"] = Json::object({{"velocity_error", p.limits.velocity_error},
                                {"acceleration_error", p.limits.acceleration_error},
                                {"signal_to_noise", p.limits.signal_to_noise},
                                {"mass_error", p.limits.mass_error},
                                {"can_identify_mass", p.limits.can_identify_mass}});
  out["ramps"] = Json::object({{"ramp", p.ramps.ramp},
                               {"duration_s", p.ramps.duration},
                               {"each_way", p.ramps.each_way},
                               {"stiction_error", p.ramps.error}});
  out["sines"] = Json::object({{"possible", p.sines.is_possible}});
  if (p.sines.is_possible) {
    out["sines"]["frequency_hz"] = p.sines.frequency_hz;
    out["sines"]["speeds"] = numbers(p.sines.speeds);
    out["sines"]["periods"] = p.sines.periods;
    out["sines"]["amplitude"] = p.sines.amplitude;
    out["sines"]["force"] = p.sines.force;
    out["sines"]["viscosity_error"] = p.sines.viscosity_error;
    out["sines"]["coulomb_error"] = p.sines.coulomb_error;
  } else {
    out["sines"]["why_not"] = p.sines.why_not;
  }
  out["speeds"] = Json::object({{"speeds", numbers(p.speeds.speeds)},
                                {"durations_s", numbers(p.speeds.durations)},
                                {"velocity_error_share", p.speeds.velocity_error}});
  out["strokes"] = Json::object({{"half_strokes", numbers(p.strokes.strokes)},
                                 {"error_shares", numbers(p.strokes.errors)},
                                 {"smallest", p.strokes.smallest}});
  out["assumptions"] = words(p.assumptions);
  out["remarks"] = words(p.remarks);
  return out;
}

}  // namespace

void add_plan(CLI::App& app, Outcome&) {
  auto a = std::make_shared<PlanArguments>();
  auto* command =
      app.add_subcommand("plan", "Say what can be identified with a sensor and a drive, and with which tests");
  add_quantity(*command, a->mass, "that moves: '1 kg'")->required();
  add_quantity(*command, a->resolution, "of the position: '1 um'")->required();
  add_quantity(*command, a->sampling_time, "of position and force: '1 ms'")->required();
  add_quantity(*command, a->force_limit, "of the drive: '20 N'")->required();
  add_quantity(*command, a->stiction, "a guess: '1.5 N'");
  add_quantity(*command, a->coulomb, "a guess: '1 N'");
  add_quantity(*command, a->viscosity, "a guess: '0.4 N s/m'");
  add_quantity(*command, a->stribeck_velocity, "a guess: '1 mm/s'");
  add_quantity(*command, a->stroke, "that the machine has: '0.5 m'");
  constexpr Range percent_of{1e-6, 1000, false, "percent of the value itself"};
  add_number(*command, "--mass-known-percent", a->mass_known_percent, "1", percent_of,
             "how well the mass is known already (5)");
  add_number(*command, "--wanted-percent", a->wanted_percent, "1", percent_of, "how well a level shall be found (2)");
  command->add_flag("--rotary", a->is_rotary, "units of a rotary machine: kg m^2, rad, N m, N m s/rad");
  command->add_flag("--json", a->json, "machine-readable, SI units");
  command->footer(
      "Example\n  stickslip plan --mass '1 kg' --resolution '1 mm' --sampling-time '1 ms' --force-limit '20 N' \\\n"
      "    --stiction '1.5 N' --coulomb '1 N' --viscosity '0.4 N s/m' --stribeck-velocity '1 mm/s'");
  command->callback([a] {
    const Units unit{a->is_rotary};
    const Plan plan = plan_tests(input_of(*a));
    if (a->json)
      std::cout << json_of(plan, a->is_rotary).text() << "\n";
    else
      Printer(plan, unit).print();
  });
}

}  // namespace stickslip
