/// stickslip plan: what can be identified with a sensor, a computer and a drive, and which tests to run.
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "jobs/plan/texts.hpp"
#include "number_options.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct PlanArguments {
  QuantityOption mass{"--mass", "kg", Sign::positive};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  RateOption rate;
  QuantityOption force_limit{"--force-limit", "N", Sign::positive}, stiction{"--stiction", "N", Sign::positive},
      coulomb{"--coulomb", "N", Sign::positive}, viscosity{"--viscosity", "N s/m", Sign::not_negative},
      stribeck_velocity{"--stribeck-velocity", "m/s", Sign::not_negative}, stroke{"--stroke", "m", Sign::positive};
  double mass_known_percent = 5, wanted_percent = 2;
  bool is_rotary = false;
  ResultArguments result;
};

PlanInput input_of(const PlanArguments& a) {
  PlanInput in;
  a.mass.take(in.mass, a.is_rotary);
  a.resolution.take(in.resolution, a.is_rotary);
  if (!a.rate.is_given()) throw Error("--rate is required: how often position and force are sampled, '1 kHz'");
  in.sampling_time = a.rate.value();
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
  auto* command = app.add_subcommand("plan", "Plan tests for a given sensor and drive");
  add_quantity(*command, a->mass, "moving mass: '1 kg'")->required();
  add_quantity(*command, a->resolution, "resolution of the position: '1 um'")->required();
  add_rate(*command, a->rate, 1e-9, 1e3, "from 1 GHz to one sample in 1000 s",
           "sampling rate of position and force: '1 kHz'");
  add_quantity(*command, a->force_limit, "force limit of the drive: '20 N'")->required();
  add_quantity(*command, a->stiction, "expected stiction: '1.5 N'");
  add_quantity(*command, a->coulomb, "expected Coulomb level: '1 N'");
  add_quantity(*command, a->viscosity, "expected viscosity: '0.4 N s/m'");
  add_quantity(*command, a->stribeck_velocity, "expected Stribeck velocity: '1 mm/s'");
  add_quantity(*command, a->stroke, "available stroke: '0.5 m'");
  constexpr Range percent_of{1e-6, 1000, false, "percent of the value itself"};
  add_percent(*command, "--mass-uncertainty,--mass-known-percent", a->mass_known_percent, percent_of,
              "present uncertainty of the mass: '5 %' (default)");
  add_percent(*command, "--target-uncertainty,--wanted-percent", a->wanted_percent, percent_of,
              "target uncertainty of the levels: '2 %' (default)");
  command->add_flag("--rotary", a->is_rotary, "rotary machine: units are kg m^2, rad, N m, N m s/rad");
  add_result_options(*command, a->result, "speeds and times", ResultModel::none);
  command->footer(
      "Example\n  stickslip plan --mass '1 kg' --resolution '1 mm' --rate '1 kHz' --force-limit '20 N' \\\n"
      "    --stiction '1.5 N' --coulomb '1 N' --viscosity '0.4 N s/m' --stribeck-velocity '1 mm/s'");
  command->callback([a] {
    check_result_places(a->result);
    const Plan plan = plan_tests(input_of(*a));
    deliver(plan_finding(plan, a->is_rotary), a->result, plan_text(plan, a->is_rotary, wants_colour()));
  });
}

}  // namespace stickslip::inline cli
