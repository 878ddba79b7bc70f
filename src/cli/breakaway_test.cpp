/// stickslip breakaway-test RECORDING: the stiction from ramps that end in motion, with its bound.
#include <iostream>
#include <limits>
#include <memory>

#include "command.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "identification/experiments/breakaway_levels.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct BreakawayTestArguments {
  std::string file;
  QuantityOption mass{"--mass", "kg", Sign::positive}, coulomb{"--coulomb", "N", Sign::not_negative};
  QuantityOption stribeck_velocity{"--stribeck-velocity", "m/s", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  QuantityOption quiet{"--quiet", "s", Sign::positive}, play{"--play", "m", Sign::not_negative};
  ReadingArguments reading;
  bool points = false, json = false;
};

BreakawayOptions options_of(const BreakawayTestArguments& a, bool is_rotary) {
  BreakawayOptions o;
  a.mass.take(o.mass, is_rotary);
  a.coulomb.take(o.coulomb, is_rotary);
  a.stribeck_velocity.take(o.stribeck_velocity, is_rotary);
  a.resolution.take(o.resolution, is_rotary);
  a.play.take(o.play, is_rotary);
  a.quiet.take(o.quiet);
  return o;
}

void print(const BreakawayLevels& found, const BreakawayTestArguments& a, bool is_rotary) {
  const std::string newton = is_rotary ? "N m" : "N", metre = is_rotary ? "rad" : "m";
  const auto force = [&](double value) { return with_unit(value, newton, 4); };
  const BreakawayLevel& both = found.both;
  std::cout << "stiction " << coloured(force(both.mean), Ink::bold, wants_colour());
  if (found.has_bound) std::cout << ", between " << force(both.low) << " and " << force(both.high);
  std::cout << "\nramps of " << force(found.ramp) << "/s, motion seen from " << with_unit(found.resolution, metre, 3)
            << ", every " << with_unit(found.sampling_time, "s", 3) << "\n\n";
  TextTable table{
      .columns = {"direction", "ramps", "mean", "standard error", "too high by at most", "lowest", "highest"}};
  const auto row = [&](const char* name, const BreakawayLevel& level) {
    if (level.count == 0) return;
    table.rows.push_back({name, std::to_string(level.count), force(level.mean), force(level.standard_error),
                          found.has_bound ? force(level.error) : "-", force(level.low), force(level.high)});
  };
  row("forward", found.forward), row("backward", found.backward), row("both", both);
  std::cout << to_text(table, {.colour = wants_colour()});
  if (!a.points) return;
  TextTable points{.columns = {"time", "position", "direction", "noted", "ramp", "rest before", ""}};
  for (const BreakawayPointFound& p : found.points)
    points.rows.push_back({with_unit(p.time, "s", 6), with_unit(p.position, metre, 5),
                           p.direction == Direction::forward ? "forward" : "backward", force(p.force),
                           force(p.ramp) + "/s", with_unit(p.rest, "s", 3), p.why_not});
  std::cout << "\n" << to_text(points, {.colour = wants_colour()});
}

Json json_of(const BreakawayLevel& level) {
  return Json::object({{"count", level.count},
                       {"mean", level.mean},
                       {"standard_deviation", level.deviation},
                       {"standard_error", level.standard_error},
                       {"error", level.error},
                       {"low", level.low},
                       {"high", level.high}});
}

Json json_of(const BreakawayLevels& found, const std::string& file, bool is_rotary) {
  Json out = Json::object({{"file", file},
                           {"rotary", is_rotary},
                           {"resolution", found.resolution},
                           {"sampling_time", found.sampling_time},
                           {"ramp", found.ramp},
                           {"has_bound", found.has_bound}});
  out["stiction"] = json_of(found.both);
  out["forward"] = json_of(found.forward);
  out["backward"] = json_of(found.backward);
  Json points = Json::array(), warnings = Json::array();
  for (const BreakawayPointFound& p : found.points)
    points.push_back(Json::object({{"time", p.time},
                                   {"position", p.position},
                                   {"forward", p.direction == Direction::forward},
                                   {"force", p.force},
                                   {"ramp", p.ramp},
                                   {"rest", p.rest},
                                   {"used", p.is_used},
                                   {"why_not", p.why_not}}));
  for (const std::string& warning : found.warnings) warnings.push_back(warning);
  out["points"] = points;
  out["warnings"] = warnings;
  return out;
}

void run_breakaway_test(const BreakawayTestArguments& a) {
  ReadOptions reading = reading_options(a.reading);
  reading.needed = {Role::time, Role::position, Role::force};
  const Recording recording = read_recording(a.file, reading);
  const Prepared even = prepare(recording, {.cutoff_hz = std::numeric_limits<double>::infinity()});
  const BreakawayLevels found =
      breakaway_levels(even.time, even.measured_position, even.force, options_of(a, recording.rotary));
  if (a.json)
    std::cout << json_of(found, recording.file, recording.rotary).text() << "\n";
  else
    print(found, a, recording.rotary);
  for (const std::string& warning : found.warnings) warn(warning);
}

}  // namespace

void add_breakaway_test(CLI::App& app, Outcome&) {
  auto a = std::make_shared<BreakawayTestArguments>();
  auto* command = app.add_subcommand("breakaway-test", "Find the stiction in a recording of force ramps");
  command->add_option("recording", a->file, "position and applied force; the force rises until motion, several times")
      ->required();
  add_quantity(*command, a->mass, "moving mass: '1 kg'; without it no error bound is given");
  add_quantity(*command, a->coulomb, "Coulomb level, for the error bound: '1 N'");
  add_quantity(*command, a->stribeck_velocity, "for the bound: '1 mm/s'");
  add_quantity(*command, a->resolution, "resolution of the position; otherwise estimated");
  add_quantity(*command, a->quiet, "a position unchanged for this long counts as rest: '20 ms'");
  add_quantity(*command, a->play, "travel after a reversal that is left out");
  command->add_flag("--points", a->points, "list every ramp");
  command->add_flag("--json", a->json, "print the results as JSON, in SI units");
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip virtual-bench bench --mass '1 kg' --resolution '1 mm' --coulomb '1 N' --stiction '1.5 N'\n"
      "  stickslip breakaway-test bench/breakaway.csv --mass '1 kg' --coulomb '1 N' --stribeck-velocity '1 mm/s'");
  command->callback([a] { run_breakaway_test(*a); });
}

}  // namespace stickslip
