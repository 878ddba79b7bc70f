/// What `stickslip identify` searches; see identify_search.hpp.
#include "identify_search.hpp"

#include "command.hpp"
#include "identification/candidates.hpp"
#include "jobs/identify/options.hpp"
#include "number_options.hpp"

namespace stickslip::inline cli {

IdentifyOptions options_of(const SearchArguments& a, MotionKind motion) {
  IdentifyOptions options = a.options;
  options.search = a.search == "paper" ? SearchMethod::published : SearchMethod::standard;
  options.loss = a.loss == "robust" ? Loss::robust : Loss::squares;
  options.find_offset = !a.no_offset;
  if (a.quick) options.models = usual_laws();
  for (const std::string& text : a.over) options.variations.push_back(parse_variation(text));
  for (const std::string& text : a.fix) options.fixed.push_back(parse_fixed(text, motion));
  for (const std::string& text : a.priors) options.priors.push_back(parse_prior(text, motion));
  options.start = start_values(a.start_from, motion);
  options.own = private_names(a.own);
  options.force_unit = unit_for(motion, "N");
  return options;
}

void add_search_options(CLI::App& command, SearchArguments& a) {
  const char* const group = "Models and search";
  auto* model = repeatable(command.add_option(
      "--model", a.options.models, "model to fit: lugre, 'maxwell-slip(4)', 'DNLRX(4,3,2)', ...; may be repeated"));
  model->group(group);
  command.add_flag("--quick", a.quick, "fit the seven usual models only; takes seconds")->excludes(model)->group(group);
  command
      .add_flag(
          "--explore", a.options.explore,
          "if the residuals of the recommended model correlate with direction, position, load, pressure or "
          "temperature, also try a model with that dependence; where no model explains the recording, a column of "
          "load, pressure or temperature is tried without this option, too")
      ->group(group);
  command.add_option("--search", a.search, "search method: standard, or paper (genetic algorithm, then Nelder-Mead)")
      ->check(CLI::IsMember({"standard", "paper"}))
      ->group(group);
  add_count(command, "--seed", a.options.seed, seeds, "seed of the search; the same seed gives the same results")
      ->group(group);
  add_count(command, "--threads", a.options.threads, thread_counts,
            "number of threads, 0: all cores; results do not depend on it")
      ->group(group);
  command.add_flag("--per-direction", a.options.per_direction, "separate friction levels for each direction")
      ->group(group);
  repeatable(command.add_option(
                 "--over", a.over,
                 "levels that depend on a quantity: load, temperature, position:knots=6, viscosity:pressure:degree=2, "
                 "load:proportional; may be repeated"))
      ->group(group);
  command.add_flag("--backlash", a.options.find_backlash, "estimate a backlash")->group(group);
  command
      .add_flag("--fit-lag", a.options.find_lag, "estimate the delay of the force together with the model parameters")
      ->group(group);
  command.add_flag("--no-offset", a.no_offset, "do not estimate an offset of the force")->group(group);
  add_count(command, "--most-operators", a.options.most_operators, {1, 16, "more operators are not separable"},
            "largest order of Maxwell-slip models (default 10)")
      ->group(group);
  repeatable(command.add_option("--fix", a.fix, "fix a known parameter: coulomb_force='20 N'; may be repeated"))
      ->group(group);
  command
      .add_option("--loss", a.loss,
                  "loss of errors of the force: squares, or robust, by which outliers count by their size")
      ->check(CLI::IsMember({"squares", "robust"}))
      ->group(group);
  repeatable(
      command.add_option(
          "--prior", a.priors,
          "value of a parameter that is known with a standard deviation: coulomb_force='20 +- 2 N', also offset, "
          "and lag with --fit-lag; it counts as one more measurement; may be repeated"))
      ->group(group);
  repeatable(command.add_option(
                 "--start-from", a.start_from,
                 "model file of a bench test or of an earlier fit: its parameters are one more start of every law that "
                 "has them; may be repeated, what a later file has counts"))
      ->group(group);
  add_count(command, "--bootstrap", a.options.bootstrap,
            {0, 1e6, "each repetition is a fit, and a thousand give an interval to a few percent"},
            "number of bootstrap repetitions for the intervals")
      ->group(group);
  repeatable(command.add_option("--profile", a.options.profile,
                                "compute the profile likelihood of this parameter; may be repeated"))
      ->group(group);
}

}  // namespace stickslip::inline cli
