#include "machines/friction/friction.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/speed_table.hpp"

namespace stickslip::inline machines {

std::string_view allowed_range(Domain d) {
  switch (d) {
    case Domain::positive:
      return "positive";
    case Domain::non_negative:
      return "zero or positive";
    case Domain::fraction:
      return "between 0 and 1";
    case Domain::real:
      return "a finite number";
  }
  return "";
}

namespace {

/// The columns of a table are longer than a list of elements.
std::size_t most_entries(const ParameterDescription& p) {
  return p.key == "speeds" || p.key == "levels" ? speed_table::most_points : max_elements;
}
void check_number(const ModelDescription& model, const ParameterDescription& p, double x) {
  if (is_allowed(p.domain, x)) return;
  throw Error(model.name + ": " + p.key + " is " + shortest(x) + (p.unit.empty() ? "" : " " + p.unit) +
              "; it must be " + std::string(allowed_range(p.domain)));
}

}  // namespace

void check_keys(const ModelDescription& model, const ParameterValues& values) {
  std::vector<std::string> keys;
  for (const auto& p : model.parameters) keys.push_back(p.key);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& key = values[i].first;
    bool known = false;
    for (const auto& p : model.parameters) {
      known = known || p.key == key;
      if (p.symbol == key) throw Error(model.name + ": no parameter '" + key + "'; " + key + " is called " + p.key);
    }
    if (!known) throw Error(model.name + ": " + no_such("parameter", key, keys));
    for (std::size_t j = 0; j < i; ++j)
      if (values[j].first == key) throw Error(model.name + ": " + key + " is given twice");
  }
}

void check_value(const ModelDescription& model, const ParameterDescription& p, const ParameterValue& value) {
  if (p.kind == ParameterKind::number) {
    const double* x = std::get_if<double>(&value);
    if (!x) throw Error(model.name + ": " + p.key + " must be one number");
    check_number(model, p, *x);
  } else if (p.kind == ParameterKind::list) {
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (!list) throw Error(model.name + ": " + p.key + " must be a list of numbers");
    if (list->empty() || list->size() > most_entries(p))
      throw Error(model.name + ": " + p.key + " has " + std::to_string(list->size()) + " entries; 1 to " +
                  std::to_string(most_entries(p)) + " can be used");
    for (double x : *list) check_number(model, p, x);
  } else {
    const auto* word = std::get_if<std::string>(&value);
    if (!word) throw Error(model.name + ": " + p.key + " must be one of " + joined(p.choices));
    for (const auto& choice : p.choices)
      if (choice == *word) return;
    throw Error(model.name + ": " + p.key + ": " + no_such("choice", *word, p.choices));
  }
}

const RegisteredModel& find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const auto* model : registered_models()) {
    if (model->description().name == name) return *model;
    names.push_back(model->description().name);
  }
  throw Error(no_such("friction model", name, names));
}

std::unique_ptr<Friction> make_friction(std::string_view name, const ParameterValues& values,
                                        const ParameterValues& backward,
                                        const std::vector<VariationSetting>& variations) {
  return find_model(name).make({values, backward, variations});
}

namespace {
void check_loop(const PositionLoop& loop) {
  if (!(loop.sampling_time > 0) || !std::isfinite(loop.sampling_time))
    throw Error("run: the controller's sampling time is " + shortest(loop.sampling_time) + " s; it must be positive");
  if (loop.difference < 1 || loop.difference > PositionLoop::longest_difference)
    throw Error("run: the controller's velocity is a difference over " + std::to_string(loop.difference) +
                " samples; 1 to " + std::to_string(PositionLoop::longest_difference) + " can be used");
  if (!(loop.lag >= 0) || !(loop.limit > 0) || !(loop.resolution >= 0))
    throw Error("run: the controller's lag, limit and resolution must not be negative, and the limit not zero");
}
}  // namespace

void check_run(const Body& body, const SimulationOptions& options) {
  if (!(body.mass > 0) || !std::isfinite(body.mass))
    throw Error("run: the mass is " + shortest(body.mass) + " kg; it must be positive");
  if (!std::isfinite(body.position) || !std::isfinite(body.velocity) || !std::isfinite(body.controller))
    throw Error("run: position, velocity and controller at the start must be finite");
  if (!std::isfinite(options.start) || !std::isfinite(options.end) || options.end < options.start)
    throw Error("run: it starts at " + shortest(options.start) + " s and ends at " + shortest(options.end) +
                " s; the end must not be before the start");
  if (!(options.relative_tolerance >= 0 && options.relative_tolerance < 1) || !(options.absolute_tolerance >= 0))
    throw Error("run: tolerances must be zero (the default) or positive, the relative one below 1");
  if (body.drive.is_sampled()) check_loop(body.drive.loop);
}
std::unique_ptr<Friction> make_friction(std::string_view name, const ParameterValues& values) {
  return find_model(name).make({values, {}, {}});
}

bool follows(const Friction& friction, Quantity quantity) {
  const auto& variations = friction.settings().variations;
  return std::any_of(variations.begin(), variations.end(),
                     [&](const VariationSetting& v) { return v.over == quantity; });
}

double usual_reference(Quantity over, double low, double high) {
  if (over != Quantity::temperature) return 0;
  constexpr double rounding = 1e-6;  // of a column in degF or mK
  const auto is_recorded = [&](double t) { return t >= low - rounding && t <= high + rounding; };
  if (is_recorded(room_temperature)) return room_temperature;
  constexpr double freezing = 273.15;
  const bool is_warmer = low > room_temperature;
  const double end = is_warmer ? low : high;
  const double celsius = end - freezing;
  const double whole = (is_warmer ? std::ceil(celsius - rounding) : std::floor(celsius + rounding)) + freezing;
  return is_recorded(whole) ? whole : end;
}

}  // namespace stickslip::inline machines
