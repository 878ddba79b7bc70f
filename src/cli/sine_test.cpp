/// stickslip sine-test RECORDING...: Coulomb level and viscosity from swings with several speed amplitudes.
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/json.hpp"
#include "identification/experiments/sinusoid_levels.hpp"
#include "number_options.hpp"
#include "reading_options.hpp"
#include "recording/preparation/prepare.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct SineTestArguments {
  std::vector<std::string> files;
  std::string by;
  QuantityOption mass{"--mass", "kg", Sign::positive}, stiction{"--stiction", "N", Sign::not_negative};
  QuantityOption resolution{"--resolution", "m", Sign::positive, encoder_step};
  double frequency_hz = 0;
  int settling_periods = -1;
  ReadingArguments reading;
  bool is_instant = false, json = false;
};

SinusoidOptions options_of(const SineTestArguments& a, bool is_rotary) {
  SinusoidOptions o;
  a.mass.take(o.mass, is_rotary);
  a.stiction.take(o.stiction, is_rotary);
  a.resolution.take(o.resolution, is_rotary);
  o.frequency_hz = a.frequency_hz, o.settling_periods = a.settling_periods;
  o.force_sample = a.is_instant ? ForceSample::instant : ForceSample::held;
  return o;
}

/// Rows with one value of a column are one swing; without a column the whole recording is.
std::vector<Stretch> swings_of(const Recording& r, const std::string& column) {
  if (column.empty()) return {{0, r.size()}};
  std::vector<std::string> names;
  for (const Column& other : r.others) {
    names.push_back(other.name);
    if (other.name != column) continue;
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (i == 0 || other.values[i] != other.values[i - 1]) stretches.push_back({i, 0});
      ++stretches.back().count;
    }
    return stretches;
  }
  throw Error(one_line(r.file, 100) + ": " + no_such("column", column, names));
}

struct Swings {
  std::vector<SwingRecord> records;
  std::vector<std::string> names;
  bool is_rotary = false;
};

Swings read(const SineTestArguments& a) {
  ReadOptions reading = reading_options(a.reading);
  reading.needed = {Role::time, Role::position, Role::force};
  Swings swings;
  for (const std::string& file : a.files) {
    const Recording recording = read_recording(file, reading);
    if (!swings.records.empty() && recording.rotary != swings.is_rotary)
      throw Error(one_line(file, 100) + ": a rotary recording beside a linear one; one kind is needed");
    swings.is_rotary = recording.rotary;
    for (const Stretch part : swings_of(recording, a.by)) {
      Prepared even = prepare(part_of(recording, part), {.cutoff_hz = std::numeric_limits<double>::infinity()});
      swings.records.push_back({std::move(even.time), std::move(even.measured_position), std::move(even.force)});
      swings.names.push_back(one_line(file, 40));
    }
  }
  return swings;
}

void print(const SinusoidFinding& found, const Swings& swings) {
  const bool is_rotary = swings.is_rotary;
  const auto in = [&](double value, std::string_view linear) {
    return with_unit(value, is_rotary ? rotary(linear) : std::string(linear), 4);
  };
  const SinusoidFriction& f = found.friction;
  const auto bold = [](const std::string& text) { return coloured(text, Ink::bold, wants_colour()); };
  std::cout << "Coulomb level " << bold(in(f.coulomb, "N")) << " ± " << in(f.coulomb_error, "N") << ", viscosity "
            << bold(in(f.viscosity, "N s/m")) << " ± " << in(f.viscosity_error, "N s/m") << " (standard errors)\n"
            << "mass " << in(f.mass, "kg") << "; a lag of one sample would change the viscosity by "
            << in(f.lag_effect, "N s/m") << "\n\n";
  TextTable table{.columns = {"recording", "frequency", "V", "mean |v|", "mean u sgn v", "standard error", "naive"}};
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const SinusoidLevel& l = found.levels[i];
    table.rows.push_back({swings.names[i], significant(l.frequency_hz, 4) + " Hz", in(l.speed, "m/s"),
                          in(l.mean_speed, "m/s"), in(l.mean, "N"), in(l.standard_error, "N"), in(l.naive, "N")});
  }
  std::cout << to_text(table, {.colour = wants_colour()});
}

Json json_of(const SinusoidFinding& found, const Swings& swings) {
  const SinusoidFriction& f = found.friction;
  Json out = Json::object({{"rotary", swings.is_rotary},
                           {"coulomb", f.coulomb},
                           {"coulomb_error", f.coulomb_error},
                           {"viscosity", f.viscosity},
                           {"viscosity_error", f.viscosity_error},
                           {"mass", f.mass},
                           {"lag_effect", f.lag_effect},
                           {"naive_coulomb", f.naive_coulomb},
                           {"naive_viscosity", f.naive_viscosity}});
  Json levels = Json::array(), warnings = Json::array();
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const SinusoidLevel& l = found.levels[i];
    levels.push_back(Json::object({{"recording", swings.names[i]},
                                   {"frequency_hz", l.frequency_hz},
                                   {"speed", l.speed},
                                   {"mean_speed", l.mean_speed},
                                   {"mean", l.mean},
                                   {"standard_error", l.standard_error},
                                   {"naive", l.naive},
                                   {"inertia", l.inertia},
                                   {"periods", l.periods},
                                   {"distortion", l.distortion}}));
  }
  for (const std::string& warning : f.warnings) warnings.push_back(warning);
  out["levels"] = levels;
  out["warnings"] = warnings;
  return out;
}

void run_sine_test(const SineTestArguments& a) {
  const Swings swings = read(a);
  const SinusoidFinding found = find_sinusoid_friction(swings.records, options_of(a, swings.is_rotary));
  if (a.json)
    std::cout << json_of(found, swings).text() << "\n";
  else
    print(found, swings);
  for (const std::string& warning : found.friction.warnings) warn(warning);
}

}  // namespace

void add_sine_test(CLI::App& app, Outcome&) {
  auto a = std::make_shared<SineTestArguments>();
  auto* command =
      app.add_subcommand("sine-test", "Find Coulomb level and viscosity in recordings of sinusoidal motion");
  command->add_option("recordings", a->files, "position and applied force, one speed amplitude each")->required();
  command->add_option("--by", a->by, "column whose value tells the swings of one recording apart");
  add_number(*command, "--frequency-hz", a->frequency_hz, "Hz", Sign::positive,
             "frequency of the motion; otherwise estimated");
  add_count(*command, "--settling-periods", a->settling_periods, {0, 1e6, "no recording has more periods"},
            "periods left out at the start of each (2 of 6 or more)");
  add_quantity(*command, a->mass, "moving mass: '1 kg'; otherwise estimated");
  add_quantity(*command, a->stiction, "to tell whether the body sticks at its reversals: '1.5 N'");
  add_quantity(*command, a->resolution, "resolution of the position; otherwise estimated");
  command->add_flag("--instant", a->is_instant, "the force was measured at each sample, not held from it on");
  command->add_flag("--json", a->json, "print the results as JSON, in SI units");
  add_reading_options(*command, a->reading);
  command->footer(
      "Example\n  stickslip virtual-bench bench --mass '1 kg' --resolution '1 mm' --coulomb '1 N' --stiction '1.5 N'\n"
      "  stickslip sine-test bench/sine.csv --by speed_wanted --mass '1 kg' --stiction '1.5 N'");
  command->callback([a] { run_sine_test(*a); });
}

}  // namespace stickslip
