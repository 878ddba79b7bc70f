/// Runs of a sweep in SIMD lanes; see sweep_lanes.hpp.
#include "sweep/sweep_lanes.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "batch/named_batch.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/one_body_file.hpp"

namespace stickslip::inline sweeps {
namespace {

constexpr double usual_tolerance = 1e-6;  // of a step, where neither sweep nor scenario name one

/// One swept path as a number of a case: a member of the body, or a parameter of the friction.
struct Destination {
  double BatchBody::*member = nullptr;
  std::string key;          // of the friction, without a member
  double start = 0;         // value of the path in the scenario [SI]
  bool is_a_share = false;  // several inputs add up to the member; the path is one of them
};

/// The table a path leads into has no `from` or `until`: it acts from time 0 on, whatever its values are.
bool acts_always(const TomlValue& base, const std::string& path) {
  const TomlValue* input = base.find("input");
  if (!input) return false;
  const auto has_times = [](const TomlValue& table) { return table.find("from") || table.find("until"); };
  if (input->kind == TomlValue::Kind::table) return path.starts_with("input.") && !has_times(*input);
  for (const TomlValue& item : input->items)
    if (has_times(item)) return false;
  return true;
}

std::optional<Destination> destination_of(const Sweep& sweep, const Place& place, const Scenario& scenario) {
  const std::string& path = place.path;
  Destination to;
  to.start = to_si(place.value, place.unit);
  const bool is_pulled = scenario.body.drive.kind == DriveKind::pulled_spring;
  if (path == "machine.mass" || path == "machine.inertia") to.member = &BatchBody::mass;
  if (path == "machine.stiffness") to.member = &BatchBody::stiffness;
  if (path == "machine.damping") to.member = &BatchBody::damping;
  if (path == "machine.start.position") to.member = &BatchBody::position;
  if (path == "machine.start.velocity") to.member = &BatchBody::velocity;
  if (path.starts_with("friction.start.")) to.member = &BatchBody::state;
  if (path.starts_with("input") && acts_always(sweep.base, path)) {
    if (path.ends_with(".rate")) to.member = is_pulled ? &BatchBody::pull_speed : &BatchBody::force_rate;
    if (path.ends_with(".value") && !is_pulled) to.member = &BatchBody::force;
    to.is_a_share = !path.starts_with("input.");
  }
  if (to.member) return to;
  for (const auto& p : scenario.friction->description().parameters)
    if (path == "friction." + p.key && p.kind == ParameterKind::number) {
      to.key = p.key;
      return to;
    }
  return std::nullopt;
}

class NamedLanes : public SweepLanes {
 public:
  NamedLanes(const Sweep& sweep, const Scenario& scenario, const BatchBody& body, std::vector<Destination> to)
      : sweep_(sweep),
        model_(scenario.friction->description().name),
        values_(scenario.friction->settings().values),
        body_(body),
        to_(std::move(to)) {
    options_.end = scenario.options.end;
    options_.relative_tolerance = sweep.relative_tolerance > 0              ? sweep.relative_tolerance
                                  : scenario.options.relative_tolerance > 0 ? scenario.options.relative_tolerance
                                                                            : usual_tolerance;
    options_.absolute_tolerance = scenario.options.absolute_tolerance;
    options_.observe_from = sweep.observation.from;
    options_.slip_speed = sweep.observation.slip_speed;
    options_.most_steps = static_cast<double>(scenario.options.most_steps);
    for (const Destination& d : to_)
      if (!d.member) keys_.push_back(d.key);
  }

  void run(const double* points, std::size_t count, double* rows) const override {
    std::vector<BatchBody> bodies(count, body_);
    std::vector<double> numbers;
    numbers.reserve(count * keys_.size());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < to_.size(); ++j) {
        const double value = points[i * to_.size() + j];
        if (!to_[j].member)
          numbers.push_back(value);
        else if (to_[j].is_a_share)
          bodies[i].*to_[j].member += value - to_[j].start;
        else
          bodies[i].*to_[j].member = value;
      }
    std::vector<BatchResult> results(count);
    simulate_batch(NamedBatch{model_, values_, keys_, numbers, bodies}, options_, results);
    for (std::size_t i = 0; i < count; ++i) write(bodies[i], results[i], rows + i * (sweep_.outputs.size() + 1));
  }

 private:
  void write(const BatchBody& body, const BatchResult& result, double* row) const {
    const double slip_speed = slip_speed_of(options_.slip_speed, body.pull_speed);
    const bool is_whole = result.stop == Stop::finished;
    for (std::size_t k = 0; k < sweep_.outputs.size(); ++k)
      row[k] = is_whole ? measure(sweep_.outputs[k], result, slip_speed) : std::numeric_limits<double>::quiet_NaN();
    row[sweep_.outputs.size()] = static_cast<double>(result.stop);
  }

  const Sweep& sweep_;
  std::string model_;
  ParameterValues values_;
  BatchBody body_;
  std::vector<Destination> to_;
  std::vector<std::string> keys_;
  BatchOptions options_;
};

/// Why the scenario itself cannot run in lanes; "" if it can.
std::string obstacle(const Scenario& s) {
  const std::string& model = s.friction->description().name;
  if (!can_batch(model)) return "the model " + model + " does not run in lanes";
  if (s.fixed_step > 0) return "the scenario asks for fixed steps";
  if (s.options.start != 0) return "the scenario does not start at 0 s";
  if (std::isfinite(s.options.longest_step)) return "the scenario limits its steps";
  if (!s.friction->settings().variations.empty()) return "a level of friction varies";
  if (!s.friction->settings().backward.empty()) return "friction differs by direction";
  return "";
}

}  // namespace

std::unique_ptr<SweepLanes> lanes_for(const Sweep& sweep, std::string& why_not) {
  if (machine_kind_of(sweep.base, sweep.scenario).name != "one_body") {
    why_not = "only a single body runs in lanes";
    return nullptr;
  }
  const Scenario scenario = scenario_from(sweep.base, sweep.scenario);
  why_not = obstacle(scenario);
  if (!why_not.empty()) return nullptr;
  const auto body = batch_body(scenario.body, scenario.options.end);
  if (!body) {
    why_not = "lanes take a constant force, an even ramp or a pull at constant speed";
    return nullptr;
  }
  const bool has_bristles = scenario.friction->description().nature != Nature::sticks;
  for (const SweepOutput& o : sweep.outputs)
    if (!is_told_by_lanes(o, has_bristles)) {
      why_not = "lanes do not compute the output " + in_quotes(o.text);
      return nullptr;
    }
  std::vector<Destination> to;
  for (const Place& place : sweep.places) {
    const auto found = destination_of(sweep, place, scenario);
    if (!found) {
      why_not = in_quotes(place.path) + " is the same for all lanes";
      return nullptr;
    }
    to.push_back(*found);
  }
  return std::make_unique<NamedLanes>(sweep, scenario, *body, std::move(to));
}

}  // namespace stickslip::inline sweeps
