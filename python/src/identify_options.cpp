/// What an identification is asked from Python.
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification.hpp"
#include "identification/candidates.hpp"
#include "jobs/identify/options.hpp"

namespace stickslip::python {
namespace {

/// A prior as a pair of numbers.
KnownBefore known_before(const std::string& name, const py::handle& given) {
  if (!py::isinstance<py::sequence>(given) || py::len(given) != 2)
    throw Error("prior: " + name + " needs value and standard deviation: '20 +- 2 N' or (20, 2)");
  const auto pair = py::reinterpret_borrow<py::sequence>(given);
  const Number mean(pair[0], name), error(pair[1], name);
  if (mean.is_text || error.is_text) throw Error("prior: " + name + " with units is one text: '20 +- 2 N'");
  return {name, mean.value, error.value};
}

/// Whether an option is the second of two words; the first holds unless it is given. Throws Error for another.
bool is_second_word(const Options& o, const char* name, const char* what, const char* first, const char* second) {
  const std::string word = o.text(name, first);
  if (word != first && word != second) throw Error(std::string(name) + ": " + no_such(what, word, {first, second}));
  return word == second;
}

}  // namespace

IdentifyOptions identify_options(const Options& o, MotionKind motion) {
  IdentifyOptions options;
  options.models = o.texts("models");
  if (o.flag("quick")) {
    if (o.has("models")) throw Error("quick and models: the usual laws, or those that are named");
    options.models = usual_laws();
  }
  options.explore = o.flag("explore");
  if (is_second_word(o, "search", "way", "standard", "paper")) options.search = SearchMethod::published;
  if (is_second_word(o, "loss", "loss", "squares", "robust")) options.loss = Loss::robust;
  o.count("seed", {0, 18446744073709551615.0, "a seed has 64 bits"}, options.seed);
  o.count("threads", {0, 1024, "more threads than cores gain nothing"}, options.threads);
  options.per_direction = o.flag("per_direction");
  options.find_backlash = o.flag("backlash");
  options.find_lag = o.flag("fit_lag");
  options.find_offset = !o.has("fit_offset") || o.flag("fit_offset");
  o.count("most_operators", {1, 16, "more operators are not separable"}, options.most_operators);
  o.count("bootstrap", {0, 1e6, "each repetition is a fit, and a thousand give an interval to a few percent"},
          options.bootstrap);
  options.profile = o.texts("profile");
  for (const std::string& text : o.texts("over")) options.variations.push_back(parse_variation(text));
  if (o.has("fix"))
    for (const auto& [key, value] : named_values(o["fix"], "fix")) {
      const auto name = py::cast<std::string>(key);
      if (py::isinstance<py::str>(value))
        options.fixed.push_back(parse_fixed(name + "=" + py::cast<std::string>(value), motion));
      else
        options.fixed.emplace_back(name, Number(value, name).value);
    }
  if (o.has("prior"))
    for (const auto& [key, value] : named_values(o["prior"], "prior")) {
      const auto name = py::cast<std::string>(key);
      options.priors.push_back(py::isinstance<py::str>(value)
                                   ? parse_prior(name + "=" + py::cast<std::string>(value), motion)
                                   : known_before(name, value));
    }
  options.start = start_values(o.texts("start_from"), motion);
  options.force_unit = unit_for(motion, "N");
  return options;
}

}  // namespace stickslip::python
