/// stickslip slider RECORDING: levels of a body pulled by a spring, and its period at other speeds.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "identification/experiments/stick_slip_record.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct SliderArguments {
  std::string file;
  std::vector<std::string> compare;  // SPEED=FILE
  PulledBody body;
  StickSlipOptions options;
  ReadingArguments reading;
  bool json = false;
};

struct Prediction {
  double speed = 0, closed_form = 0, simulated = 0;
  StickSlipRecord measured;
};

StickSlipRecord record_of(const std::string& file, const SliderArguments& a, double speed) {
  const Recording r = read_recording(file, reading_options(a.reading));
  PulledBody body = a.body;
  body.speed = speed;
  return stick_slip_record(r.time, r.force, body, a.options);
}

std::vector<Prediction> predictions(const SliderArguments& a, const StickSlipRecord& found) {
  std::vector<Prediction> all;
  for (const std::string& text : a.compare) {
    const auto equals = text.find('=');
    Prediction p;
    if (equals == std::string::npos || equals == 0)
      throw Error("--compare is " + in_quotes(text) + "; speed=file is needed, as 1100e-6=fast.csv [m/s]");
    p.speed = number_option(text.substr(0, equals), "--compare", "m/s", range_of("m/s", Sign::positive));
    PulledBody body = a.body;
    body.speed = p.speed;
    p.measured = record_of(text.substr(equals + 1), a, p.speed);
    p.closed_form = stick_slip_period(found.static_level, found.kinetic_level, body);
    p.simulated = simulated_period(levels_of(found, a.body), body);
    all.push_back(p);
  }
  return all;
}

/// What a deviation says, from the numbers.
std::string verdict_of(const Prediction& p, const StickSlipRecord& found, const PulledBody& body) {
  if (!p.measured.why_none.empty()) return "no stick-slip there: " + p.measured.why_none;
  const double shortest_one = shortest_period(body), off = p.simulated / p.measured.period - 1;
  if (p.measured.period < shortest_one)
    return "cannot be predicted: " + with_unit(p.measured.period, "s", 3) + " is below " +
           with_unit(shortest_one, "s", 3) +
           ", the free period of this mass and spring, which is the least for a rigid slider with two levels. Its "
           "slips take " +
           with_unit(p.measured.slip_time, "s", 3) + " where half a free period is " +
           with_unit(0.5 * shortest_one, "s", 3) +
           ": friction rises again within the slip, over position or slipped way";
  if (std::abs(off) <= 0.1) return "predicted within 10 %";
  const double then = p.measured.static_level - p.measured.kinetic_level,
               now = found.static_level - found.kinetic_level;
  return "off by " + significant(100 * off, 2) + " %: static minus kinetic level is " + significant(then / now, 3) +
         " times that of the first recording; a model with levels that do not change between the recordings cannot "
         "know it";
}

void print(const SliderArguments& a, const StickSlipRecord& r, const std::vector<Prediction>& all) {
  const bool colour = wants_colour();
  TextTable found{.columns = {"found", "value"}};
  found.rows = {{"cycles", std::to_string(r.cycles)},
                {"period, mean", with_unit(r.period, "s", 4)},
                {"period, quartiles", with_unit(r.early_period, "s", 4) + " to " + with_unit(r.late_period, "s", 4)},
                {"static level", with_unit(r.static_level, "N", 4)},
                {"kinetic level", with_unit(r.kinetic_level, "N", 4)},
                {"fall in a slip", with_unit(r.drop, "N", 4)},
                {"time of a slip", with_unit(r.slip_time, "s", 3)},
                {"stiffness from the slope", with_unit(r.measured_stiffness, "N/m", 4)},
                {"shortest period possible", with_unit(shortest_period(a.body), "s", 4)}};
  std::cout << to_text(found, {.colour = colour});
  if (all.empty()) return;
  TextTable table{.columns = {"speed", "measured", "quartiles", "closed form", "simulated", "off"}};
  for (const Prediction& p : all) {
    if (!p.measured.why_none.empty()) {
      table.rows.push_back({with_unit(p.speed, "m/s", 3), "-", "-", with_unit(p.closed_form, "s", 4),
                            with_unit(p.simulated, "s", 4), "-"});
      continue;
    }
    table.rows.push_back(
        {with_unit(p.speed, "m/s", 3), with_unit(p.measured.period, "s", 4),
         with_unit(p.measured.early_period, "s", 3) + " to " + with_unit(p.measured.late_period, "s", 3),
         with_unit(p.closed_form, "s", 4), with_unit(p.simulated, "s", 4),
         significant(100 * (p.simulated / p.measured.period - 1), 2) + " %"});
  }
  std::cout << "\n" << to_text(table, {.colour = colour}) << "\n";
  for (const Prediction& p : all)
    std::cout << wrapped(with_unit(p.speed, "m/s", 3) + ": " + verdict_of(p, r, a.body), 100, "") << "\n";
}

/// A recording without stick-slip is a result, too.
Outcome none_found(const SliderArguments& a, const StickSlipRecord& found) {
  if (a.json)
    std::cout << Json::object({{"stick_slip", false},
                               {"why", found.why_none},
                               {"noise", found.noise},
                               {"least_drop", found.least_drop}})
                     .text()
              << "\n";
  else
    std::cout << wrapped("No stick-slip found: " + found.why_none + ".", 100, "");
  return Outcome::failed;
}

Outcome run_slider(const SliderArguments& a) {
  const StickSlipRecord found = record_of(a.file, a, a.body.speed);
  if (!found.why_none.empty()) return none_found(a, found);
  const std::vector<Prediction> all = predictions(a, found);
  if (!a.json) {
    print(a, found, all);
    return Outcome::done;
  }
  Json out = Json::object();
  out["stick_slip"] = true, out["noise"] = found.noise, out["least_drop"] = found.least_drop;
  out["cycles"] = found.cycles, out["period"] = found.period;
  out["static_level"] = found.static_level, out["kinetic_level"] = found.kinetic_level, out["drop"] = found.drop;
  out["slip_time"] = found.slip_time, out["shortest_period"] = shortest_period(a.body);
  out["predictions"] = Json::array();
  for (const Prediction& p : all) {
    Json item = Json::object();
    item["speed"] = p.speed, item["measured"] = p.measured.why_none.empty() ? Json(p.measured.period) : Json();
    item["simulated"] = p.simulated;
    item["closed_form"] = p.closed_form, item["verdict"] = verdict_of(p, found, a.body);
    out["predictions"].push_back(item);
  }
  std::cout << out.text() << "\n";
  return Outcome::done;
}

}  // namespace

void add_slider(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<SliderArguments>();
  auto* command =
      app.add_subcommand("slider", "Stick-slip of a body pulled by a spring: levels, and periods at other speeds");
  command->add_option("recording", a->file, "time and force of the spring")->required();
  add_number(*command, "--speed", a->body.speed, "m/s", Sign::positive, "speed of the far end of the spring [m/s]")
      ->required();
  add_number(*command, "--mass", a->body.mass, "kg", Sign::positive, "of the body [kg]")->required();
  add_number(*command, "--stiffness", a->body.stiffness, "N/m", Sign::positive, "of the spring [N/m]")->required();
  command->add_option("--compare", a->compare, "speed=file: predict the period there and compare; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_number(*command, "--cutoff-hz", a->options.cutoff_hz, "Hz", Sign::positive, "low-pass of the force (none)");
  add_number(*command, "--least-drop", a->options.least_drop, "N", Sign::positive,
             "smallest force drop that counts as a slip [N]");
  command->add_flag("--json", a->json, "print the results as JSON");
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip slider slow.csv --speed 42e-6 --mass 0.0307 --stiffness 168 --compare 1100e-6=fast.csv\n\n"
      "Exit code 1 if there is no stick-slip: falls below ten times the noise do not count, and the force must rise "
      "more\n"
      "slowly than it falls.");
  command->callback([a, &outcome] { outcome = run_slider(*a); });
}

}  // namespace stickslip
