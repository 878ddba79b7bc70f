/// stickslip plan: what can be identified with a sensor, a computer and a drive, and which tests to run.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "jobs/plan/texts.hpp"
#include "number_options.hpp"
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

}  // namespace

void add_plan(CLI::App& app, Outcome&) {
  auto a = std::make_shared<PlanArguments>();
  auto* command =
      app.add_subcommand("plan", "Say what can be identified with a sensor and a drive, and with which tests");
  add_quantity(*command, a->mass, "that moves: '1 kg'")->required();
  add_quantity(*command, a->resolution, "of the position: '1 um'")->required();
  add_quantity(*command, a->sampling_time, "sampling time of position and force: '1 ms'")->required();
  add_quantity(*command, a->force_limit, "of the drive: '20 N'")->required();
  add_quantity(*command, a->stiction, "a guess: '1.5 N'");
  add_quantity(*command, a->coulomb, "a guess: '1 N'");
  add_quantity(*command, a->viscosity, "a guess: '0.4 N s/m'");
  add_quantity(*command, a->stribeck_velocity, "a guess: '1 mm/s'");
  add_quantity(*command, a->stroke, "available stroke: '0.5 m'");
  constexpr Range percent_of{1e-6, 1000, false, "percent of the value itself"};
  add_number(*command, "--mass-known-percent", a->mass_known_percent, "1", percent_of,
             "present uncertainty of the mass in percent (5)");
  add_number(*command, "--wanted-percent", a->wanted_percent, "1", percent_of,
             "target uncertainty of the levels in percent (2)");
  command->add_flag("--rotary", a->is_rotary, "units of a rotary machine: kg m^2, rad, N m, N m s/rad");
  command->add_flag("--json", a->json, "print the results as JSON, in SI units");
  command->footer(
      "Example\n  stickslip plan --mass '1 kg' --resolution '1 mm' --sampling-time '1 ms' --force-limit '20 N' \\\n"
      "    --stiction '1.5 N' --coulomb '1 N' --viscosity '0.4 N s/m' --stribeck-velocity '1 mm/s'");
  command->callback([a] {
    const Plan plan = plan_tests(input_of(*a));
    std::cout << (a->json ? plan_json(plan, a->is_rotary).text() + "\n"
                          : plan_text(plan, a->is_rotary, wants_colour()));
  });
}

}  // namespace stickslip
