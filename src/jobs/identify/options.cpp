/// Options of an identification in words; see options.hpp.
#include "jobs/identify/options.hpp"

#include <algorithm>
#include <variant>

#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/range.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "fitting/prior_fit.hpp"
#include "identification/candidates.hpp"
#include "identification/identify_task.hpp"
#include "jobs/identify/recordings.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::inline jobs {
namespace {

double fixed_value(const std::string& text, const std::string& unit) {
  double value = 0;
  try {
    const bool is_plain =
        text.find_first_not_of("0123456789.+-eE ") == std::string::npos;  // in the unit of the parameter
    value = parse_quantity(text, is_plain ? "1" : unit);
  } catch (const Error& problem) {
    throw Error(std::string("--fix: ") + problem.what());
  }
  const std::string problem = refusal(value, unit, range_of(any_magnitude(), Sign::any));
  if (!problem.empty()) throw Error("--fix " + problem);
  return value;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0;;) {
    const auto end = text.find(separator, from);
    parts.push_back(text.substr(from, end - from));
    if (end == std::string::npos) return parts;
    from = end + 1;
  }
}

constexpr unsigned long highest_degree = 9;  // units have powers up to that

VariationRequest parse_variation(const std::string& text) {
  const auto refuse = [&](const std::string& why) -> VariationRequest {
    throw Error("--over is " + in_quotes(text) + "; " + why +
                "; write load, temperature, position:knots=6, viscosity:pressure:degree=2 or load:proportional");
  };
  VariationRequest request;
  bool has_quantity = false, has_shape = false;
  for (const std::string& part : parts_of(text, ':')) {
    bool is_quantity = false;
    for (const Quantity quantity : {Quantity::position, Quantity::load, Quantity::pressure, Quantity::temperature})
      if (part == quantity_name(quantity)) request.over = quantity, is_quantity = true;
    if (is_quantity) {
      if (has_quantity) return refuse("two quantities");
      has_quantity = true;
    } else if (part == "proportional") {
      request.proportional = true;
    } else if (part.starts_with("degree=") || part.starts_with("knots=")) {
      const std::string number = part.substr(part.find('=') + 1);
      if (number.empty() || number.size() > 2 || number.find_first_not_of("0123456789") != std::string::npos)
        return refuse("a whole number must follow =");
      const bool is_degree = part.front() == 'd';
      if (has_shape) return refuse("degree or knots, once");
      has_shape = true;
      const auto count = std::stoul(number);
      if (is_degree && !(count >= 1 && count <= highest_degree))
        return refuse("the degree lies between 1 and " + std::to_string(highest_degree) + "; knots follow any shape");
      if (!is_degree && count < 2) return refuse("a table has at least 2 knots");
      (is_degree ? request.degree : request.knots) = count;
    } else if (!has_quantity && request.key.empty() && !part.empty()) {
      request.key = part;
    } else {
      return refuse("'" + part + "' is not understood");
    }
  }
  if (request.proportional && has_shape) return refuse("proportional has neither degree nor knots");
  if (request.proportional && request.over == Quantity::temperature)
    throw Error("--over is " + in_quotes(text) +
                "; a level cannot be proportional to the temperature: the zeros of degC and K differ; write "
                "temperature, temperature:degree=2 or viscosity:temperature");
  return has_quantity ? request : refuse("not a quantity that levels can depend on");
}

namespace {

/// The unit of a parameter that some law has.
std::string unit_of_parameter(const std::string& key, MotionKind motion, const std::string& option) {
  std::vector<std::string> keys;
  for (const auto* model : registered_models())
    for (const auto& p : model->description().parameters) {
      keys.push_back(p.key);
      if (p.key == key) return p.unit.empty() ? "1" : unit_for(motion, p.unit);
    }
  throw Error(option + ": " + no_such_parameter(key, keys));
}

/// "key=value".
std::pair<std::string, std::string> key_and_value(const std::string& text, const std::string& option,
                                                  const std::string& example) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(option + " is " + in_quotes(text) + "; write for example " + example);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

std::pair<std::string, double> parse_fixed(const std::string& text, MotionKind motion) {
  const auto [key, value] = key_and_value(text, "--fix", "coulomb_force='20 N'");
  return {key, fixed_value(value, unit_of_parameter(key, motion, "--fix"))};
}

KnownBefore parse_prior(const std::string& text, MotionKind motion) {
  const auto [key, value] = key_and_value(text, "--prior", "coulomb_force='20 +- 2 N'");
  std::string name = key.substr(0, key.find('['));
  if (name.starts_with("backward.")) name.erase(0, std::string_view("backward.").size());
  const std::pair<const char*, const char*> others[] = {
      {"offset", "N"}, {"lag", "s"}, {"backlash", "m"}, {"mass", "kg"}, {"inertia", "kg"}};
  std::string unit;
  for (const auto& [other, its] : others)
    if (key == other) unit = unit_for(motion, its);
  if (unit.empty()) unit = unit_of_parameter(name, motion, "--prior");
  const ValueAndError known = parse_value_and_error(value, unit, "--prior " + key);
  for (const double number : {known.value, known.error})
    if (const std::string problem = refusal(number, unit, range_of(any_magnitude(), Sign::any)); !problem.empty())
      throw Error("--prior " + key + " " + problem);
  return {key, known.value, known.error};
}

std::vector<std::pair<std::string, double>> start_values(const std::vector<std::string>& files, MotionKind motion) {
  std::vector<std::pair<std::string, double>> start;
  const auto put = [&](const std::string& key, double value) {
    const auto same = std::find_if(start.begin(), start.end(), [&](const auto& s) { return s.first == key; });
    if (same == start.end())
      start.emplace_back(key, value);
    else
      same->second = value;
  };
  const auto forget_list = [&](const std::string& key) {
    std::erase_if(start, [&](const auto& s) { return s.first.starts_with(key + "["); });
  };
  for (const std::string& file : files) {
    const ModelFile model = read_model_file(file);
    if (model.motion != motion)
      throw Error(one_line(file) + ": a model of " + (motion == MotionKind::rotary ? "linear" : "rotary") +
                  " motion; the recording is " + (motion == MotionKind::rotary ? "rotary" : "linear"));
    bool has_numbers = false;
    for (const auto& [prefix, values] :
         {std::pair{std::string(), &model.settings.values}, {"backward.", &model.settings.backward}})
      for (const auto& [key, value] : *values) {
        if (const auto* number = std::get_if<double>(&value)) put(prefix + key, *number), has_numbers = true;
        const auto* list = std::get_if<std::vector<double>>(&value);
        if (!list) continue;
        forget_list(prefix + key);
        for (std::size_t i = 0; i < list->size(); ++i)
          put(prefix + key + "[" + std::to_string(i + 1) + "]", (*list)[i]), has_numbers = true;
      }
    if (!has_numbers) throw Error(one_line(file) + ": the model has no numbers to start from");
  }
  return start;
}

std::vector<std::string> private_names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts)
    for (const std::string& part : parts_of(text, ',')) {
      if (part.empty()) throw Error("--private is " + in_quotes(text) + "; write names: coulomb_force,offset");
      names.push_back(part);
    }
  return names;
}

namespace {

/// A number that no law has would be fixed, or its profile left out, in silence.
void check_named_in_laws(const IdentifyOptions& o) {
  check_options(o);
  if (o.models.empty()) return;
  std::vector<std::string> skipped;
  const std::vector<Candidate> laws = candidates_for(o, skipped);
  const auto is_in_one = [&](const std::string& key) {
    return std::any_of(laws.begin(), laws.end(), [&](const Candidate& law) {
      const auto& all = find_model(law.model).description().parameters;
      return std::any_of(all.begin(), all.end(), [&](const ParameterDescription& p) { return p.key == key; });
    });
  };
  for (const auto& [key, value] : o.fixed)
    if (!is_in_one(key))
      throw Error("identify: " + key + " is fixed, but none of the laws that are fitted has it" +
                  (key == "offset" ? "; --no-offset estimates no offset of the force" : ""));
  for (const std::string& name : o.profile) {
    std::string key = name.substr(0, name.find('['));
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    const bool is_of_chain = key == "offset" || key == "lag" || key == "backlash";
    if (!is_of_chain && !is_in_one(key)) throw Error("identify: profile: none of the laws that are fitted has " + key);
  }
}

void check_repetitions(const IdentifyOptions& options, bool is_long) {
  if (options.bootstrap <= most_quick_repetitions || is_long) return;
  throw Error("--bootstrap is " + std::to_string(options.bootstrap) + "; more than " +
              std::to_string(most_quick_repetitions) +
              " repetitions take hours and need --long; a thousand give an interval to within a few percent");
}

}  // namespace

void check_before_reading(const IdentifyOptions& options, bool is_long) {
  check_repetitions(options, is_long);
  std::vector<std::string> skipped;
  candidates_for(options, skipped);
  check_named_in_laws(options);
}

void check_budget(const IdentifyJob& job, bool is_long) {
  const SetCounts counts = counts_of(job.sets);
  const auto samples = static_cast<double>(counts.estimation + counts.validation + counts.test);
  check_samples(job.recording, samples, most_fitted(is_long));
  check_repetitions(job.options, is_long);
  check_named_in_laws(job.options);
}

}  // namespace stickslip::inline jobs
