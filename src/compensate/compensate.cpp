/// See compensate.hpp.
#include "compensate/compensate.hpp"

#include <algorithm>
#include <cmath>

#include "compensate/control_header.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/export.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline compensation {
namespace {

/// A reference and a delay that can be tried sample by sample.
void check(const AxisPlan& plan) {
  const double T = plan.axis.gains.sampling_time, delay = plan.axis.delay;
  constexpr double most_samples = 3e5;  // some twenty runs of it take half a minute
  if (plan.duration / T > most_samples)
    throw Error("the reference takes " + significant(plan.duration / T, 3) +
                " samples of the controller; the limit is " + significant(most_samples, 3) +
                ": use a shorter run or a longer sampling time");
  constexpr double most_late = 50;  // sampling times; each makes the loop one state larger
  if (delay > most_late * T)
    throw Error("the delay is " + with_unit(delay, "s") + ", more than " + shortest(most_late) + " sampling times of " +
                with_unit(T, "s") + "; no position loop is stable with such a delay");
  constexpr double slowest_motor = 200;  // sampling times: gains that follow such a lag settle in hours
  if (plan.axis.lag > slowest_motor * T)
    throw Error("the motor's lag is " + with_unit(plan.axis.lag, "s") + ", more than " + shortest(slowest_motor) +
                " sampling times of " + with_unit(T, "s") + "; use a lower --rate");
  if (!(plan.duration >= 50 * T))
    throw Error("the reference takes " + with_unit(plan.duration, "s") + ", less than 50 sampling times of " +
                with_unit(T, "s") + "; use a longer reference or a lower --frequency");
  double low = plan.axis.reference(0), high = low;
  for (double t = T; t < plan.duration; t += T) {
    low = std::min(low, plan.axis.reference(t));
    high = std::max(high, plan.axis.reference(t));
  }
  const std::string length = unit_for(plan.motion, "m");
  if (high > low && plan.axis.gains.resolution > high - low)
    throw Error("the encoder's resolution is " + with_unit(plan.axis.gains.resolution, length) +
                ", but the reference moves by " + with_unit(high - low, length, 3) +
                " only; use a finer encoder or a longer stroke (--amplitude)");
}

}  // namespace

Compensation compensate(const ModelFile& model, const std::string& machine, const AxisNumbers& numbers,
                        const CompensateOptions& options) {
  const std::string mass_unit = unit_for(model.motion, "kg");
  AxisNumbers known = numbers;
  const bool is_identified = machine.empty() && std::isnan(known.mass) && model.preparation.mass > 0;
  if (is_identified) known.mass = model.preparation.mass;
  if (machine.empty() && std::isnan(known.mass))
    throw Error("no axis is given; name its file with --machine AXIS.toml, or give --mass '20 " + mass_unit +
                "' and what is known of its sampling");
  if (!machine.empty() && !std::isnan(known.mass))
    throw Error("--mass and --machine exclude each other; the machine file contains the mass");
  for (const auto& v : model.settings.variations)
    if (v.over != Quantity::position)
      throw Error(model.file + ": " + v.key + " follows the " + std::string(quantity_name(v.over)) +
                  ", which the controller does not measure; use a model that does not depend on it");
  if (options.cells < 2 || options.cells > 25)
    throw Error("--cells is " + std::to_string(options.cells) + "; the map has from 2 to 25 cells each way");
  Compensation c;
  c.model = model;
  c.plan = machine.empty() ? plan_from_mass(model, known) : plan_from_machine(machine, model, known);
  if (is_identified)
    c.plan.assumed.insert(c.plan.assumed.begin(), "mass " + with_unit(known.mass, mass_unit) +
                                                      ", as in the identification of the model (--mass)");
  check(c.plan);
  c.known = make_friction(model.model, model.settings);
  c.results = compare_rivals(c.plan, c.known, {.threads = options.threads, .watch = options.watch});
  const ServoAxis loop = c.results.rivals.at(1).axis;  // integral, no compensation
  c.map = stair_map(
      loop, {.speeds = options.cells, .factors = options.cells, .threads = options.threads, .watch = options.watch});
  return c;
}

std::string compensation_text(const Compensation& c, std::size_t width, bool colour) {
  const auto unit = [&](std::string_view linear) { return unit_for(c.plan.motion, linear); };
  const ServoAxis& axis = c.plan.axis;
  std::string text = c.model.file + ": " + c.known->description().title +
                     "\naxis: " + with_unit(axis.body.mass, unit("kg"), 4) + ", sampled every " +
                     with_unit(axis.gains.sampling_time, "s", 4) + ", delay " + with_unit(axis.delay, "s", 4) +
                     (axis.lag > 0 ? ", lag " + with_unit(axis.lag, "s", 4) : "") + ", encoder " +
                     (axis.gains.resolution > 0 ? with_unit(axis.gains.resolution, unit("m"), 4) : "exact") + "\n";
  if (c.plan.is_another_friction)
    text += "true friction: " + axis.friction->description().title + ", of " + c.plan.source + "\n";
  for (const auto& note : c.plan.assumed) text += "assumed: " + note + "\n";
  text += "\n" + to_text(rival_table(c), {.colour = colour}) + "\n";
  text += to_text(hunting_table(c), {.colour = colour}) + "\n";
  if (const TextTable over_gains = hunting_boundary_table(c); !over_gains.rows.empty())
    text += to_text(over_gains, {.colour = colour}) + "\n";
  if (!c.map.checks.empty()) text += to_text(boundary_table(c), {.colour = colour}) + "\n";
  for (const auto& line : findings(c)) text += wrapped(line, width, "");
  return text;
}

CompensationFiles compensation_files(const Compensation& c, const Provenance& provenance) {
  const Rival& best = c.results.rivals[c.results.best];
  CompensationFiles files;
  files.scenario = servo_axis_text(c.plan, best.axis, "Controller of " + c.model.file + ": " + best.name);
  files.page = to_html(compensation_page(c, provenance));
  try {
    files.header = control_header(export_source_of(c.model), c.plan, best).content;
  } catch (const Error& problem) {
    files.no_header = problem.what();
  }
  return files;
}

}  // namespace stickslip::inline compensation
