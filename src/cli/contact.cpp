/// stickslip contact RECORDING: springs that slip, found in one recording; gap, direction, load and position on request.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "identification/experiments/slip_contact.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct ContactArguments {
  std::string file;
  ReadingArguments reading;
  SlipContactOptions fit;
  bool json = false;
};

void print(const SlipContact& found) {
  const bool colour = wants_colour();
  TextTable table{.columns = {"parameter", "value", "standard error", "95 %", ""}};
  for (const Estimate& e : found.confidence.estimates)
    table.rows.push_back({e.key, significant(e.value, 5), significant(e.standard_error, 2),
                          significant(e.low, 4) + " to " + significant(e.high, 4), std::string(name_of(e.verdict))});
  std::cout << coloured(std::string(slip_contact_model), Ink::bold, colour) << ", " << found.how << "\n\n"
            << to_text(table, {.colour = colour}) << "\n";
  TextTable quality{.columns = {"samples", "error rms", "of the force's rms"}};
  const auto share = [](double error, double force) { return significant(100 * error / force, 3) + " %"; };
  quality.rows.push_back(
      {"fitted", with_unit(found.fitted_rms, "N", 4), share(found.fitted_rms, found.fitted_force_rms)});
  quality.rows.push_back(
      {"held out", with_unit(found.held_out_rms, "N", 4), share(found.held_out_rms, found.held_out_force_rms)});
  quality.rows.push_back({"both", with_unit(found.rms, "N", 4), share(found.rms, found.force_rms)});
  std::cout << to_text(quality, {.colour = colour});
}

Json json_of(const SlipContact& found) {
  Json out = Json::object();
  out["model"] = std::string(slip_contact_model);
  out["parameters"] = Json::object();
  for (const Estimate& e : found.confidence.estimates) {
    Json item = Json::object();
    item["value"] = e.value, item["standard_error"] = e.standard_error;
    item["low"] = e.low, item["high"] = e.high, item["verdict"] = std::string(name_of(e.verdict));
    out["parameters"][e.key] = item;
  }
  out["fitted_rms"] = found.fitted_rms, out["held_out_rms"] = found.held_out_rms, out["rms"] = found.rms;
  out["held_out_share"] = found.held_out_rms / found.held_out_force_rms;
  out["share"] = found.rms / found.force_rms;
  return out;
}

void run_contact(const ContactArguments& a) {
  Recording recording = read_recording(a.file, reading_options(a.reading));
  if (a.fit.force_drives) drop_sign_note(recording.notes);
  if (!a.json) warn_of(recording);
  const SlipContact found = fit_slip_contact(recording, a.fit);
  if (a.json)
    std::cout << json_of(found).text() << "\n";
  else
    print(found);
}

}  // namespace

void add_contact(CLI::App& app, Outcome&) {
  auto a = std::make_shared<ContactArguments>();
  auto* command = app.add_subcommand("contact", "Find springs that slip, with gap, direction, load and position");
  command->add_option("recording", a->file, "time, position, force, and the load where asked for")->required();
  add_count(*command, "--elements", a->fit.elements, {1, 16, "more springs than that cannot be told apart"},
            "springs in parallel (1)");
  command->add_flag("--per-direction", a->fit.per_direction, "separate level for sliding backward");
  command->add_flag("--gap", a->fit.gap, "backlash between the two sides");
  command->add_flag("--asymmetry", a->fit.asymmetry, "sides of unequal stiffness");
  command->add_flag("--over-load", a->fit.over_load, "the force scales with the measured load");
  add_count(*command, "--knots", a->fit.knots, {0, 30, "a finer table follows the noise"},
            "knots of a table of the level over position; 0: none (0)");
  add_number(*command, "--share", a->fit.share, "1", {0.05, 1, false, "less leaves too little to fit"},
             "share of the time that is fitted; the rest is held out (0.6)");
  command->add_flag("--force-drives", a->fit.force_drives, "the force has the sign of the drive, not of friction");
  command->add_flag("--json", a->json, "print the results as JSON");
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip contact brake.csv --position displacement_m --force friction_force_N --gap --per-direction "
      "--elements 2");
  command->callback([a] { run_contact(*a); });
}

}  // namespace stickslip
