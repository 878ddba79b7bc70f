#include "identification/candidate_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/fit_part.hpp"
#include "identification/laws/bristle_fit.hpp"
#include "identification/laws/generalized_slip_start.hpp"
#include "identification/laws/kernel_data.hpp"
#include "identification/laws/level_fit.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "identification/prior_rounds.hpp"
#include "identification/search/published_search.hpp"

namespace stickslip::inline identification {

namespace {

SpaceOptions space_options(const IdentifyOptions& o) {
  SpaceOptions s;
  s.per_direction = o.per_direction;
  s.variations = o.variations;
  s.find_offset = o.find_offset;
  s.find_lag = o.find_lag;
  s.find_backlash = o.find_backlash;
  s.fixed = o.fixed;
  return s;
}

bool has_parameter(const ModelDescription& d, std::string_view key) {
  return std::any_of(d.parameters.begin(), d.parameters.end(), [&](const auto& p) { return p.key == key; });
}

/// Fixed values meant for other models are ignored here.
void keep_known(SpaceOptions& s, const ModelDescription& d) {
  std::erase_if(s.fixed, [&](const auto& f) { return !has_parameter(d, f.first); });
  if (!s.find_offset && has_parameter(d, "offset")) s.fixed.emplace_back("offset", 0.0);
}

bool asks_for_more(const IdentifyOptions& o) {
  return !o.variations.empty() || o.find_lag || o.find_backlash || !o.find_offset || o.per_direction;
}

Refined searched(SeparableProblem& problem, std::uint64_t seed) {
  SeparableFit fit(problem);
  PublishedSearch search;
  search.exploring.seed = seed;
  return search_as_published(fit, search);
}

ModelFitOptions fit_options(const IdentifyOptions& o) {
  ModelFitOptions f;
  f.seed = o.seed;
  if (o.watch) f.cancel = &o.watch->cancel;
  return f;
}

/// A model at given numbers, its cost without another fit.
Fitted as_it_is(ModelSpace space, const FitData& data) {
  ModelFit found;
  found.y = space.guess();
  const ModelResiduals residuals(space, data);
  found.cost = residuals(found.y, found.residuals) ? found.residuals.squaredNorm() : unbounded;
  return {std::move(space), std::move(found)};
}

/// The elements of a list, "thresholds[1]", ...; or 1 for a number, 0 for what is not there.
template <class Has>
std::size_t length_of(const std::string& key, const Has& has) {
  const std::string list = key.substr(0, key.find('['));
  if (list.size() == key.size()) return has(key) ? 1 : 0;
  std::size_t count = 0;
  while (has(list + "[" + std::to_string(count + 1) + "]")) ++count;
  return count;
}

/// The start with the numbers that are known from elsewhere; nothing where the law has none of them.
std::optional<std::vector<double>> start_from(const std::vector<std::pair<std::string, double>>& known,
                                              const ModelSpace& space) {
  const auto is_known = [&](const std::string& key) {
    return std::any_of(known.begin(), known.end(), [&](const auto& k) { return k.first == key; });
  };
  std::vector<double> y = space.guess();
  bool is_used = false;
  for (const auto& [key, value] : known) {
    const auto at = space.find(key);
    if (!at || length_of(key, is_known) != length_of(key, [&](const auto& k) { return space.find(k).has_value(); }))
      continue;
    const Unknown& u = space.unknowns()[*at];
    y[*at] = u.coordinate(std::clamp(value, u.low, u.high));
    is_used = true;
  }
  if (!is_used) return {};
  return y;
}

/// The same, added to the starts of a fit.
void add_known_start(const IdentifyOptions& o, const ModelSpace& space, std::vector<std::vector<double>>& begin) {
  if (auto y = start_from(o.start, space)) begin.push_back(std::move(*y));
}

/// Springs in ascending order of threshold: a fit may have let two of them pass each other.
ModelFit in_order_of_thresholds(const ModelSpace& space, const FitData& data, ModelFit fit) {
  std::vector<std::pair<double, std::size_t>> order;  // thresholds and their numbers
  const auto place = [&](const std::string& key, std::size_t i) {
    return space.find(key + "[" + std::to_string(i + 1) + "]");
  };
  for (std::size_t i = 0; const auto at = place("thresholds", i); ++i)
    order.emplace_back(space.unknowns()[*at].value(fit.y[*at]), i);
  if (std::is_sorted(order.begin(), order.end())) return fit;
  std::sort(order.begin(), order.end());
  std::vector<double> y = fit.y;
  for (const char* const key : {"thresholds", "stiffnesses"})
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto to = place(key, i), from = place(key, order[i].second);
      if (to && from) y[*to] = space.unknowns()[*to].coordinate(space.unknowns()[*from].value(fit.y[*from]));
    }
  ModelFit ordered = follow(ModelResiduals(space, data), y, {.most_steps = 0});
  ordered.complete = fit.complete;
  return ordered.cost <= fit.cost * (1 + 1e-9) ? ordered : fit;  // some are fixed, or bounds differ
}

Fitted fit_springs(const Candidate& c, const FitData& data, const IdentifyOptions& options) {
  const KernelData k = kernel_data(data);
  const MaxwellBounds bounds = threshold_bounds(k.data.position, k.start);
  MaxwellProblem problem(k.data, c.order, bounds, k.start.direction);
  DictionaryOptions dictionary;
  dictionary.seed = options.seed;
  Refined found =
      options.search == SearchMethod::published ? searched(problem, options.seed) : fit_maxwell(problem, dictionary);
  sort_operators(c.order, found.searched, found.solved);
  SpaceOptions space = space_options(options);
  const auto listed = [](const auto& list) {
    std::vector<double> v;
    for (std::size_t i = 0; i < list.size(); ++i) v.push_back(list[i]);
    return v;
  };
  if (c.kernel == Kernel::nlr) {
    const auto m = maxwell_slip_model(problem, found.searched, found.solved);
    space.start = {{"thresholds", listed(m.thresholds)},
                   {"stiffnesses", listed(m.stiffnesses)},
                   {"offset", m.offset + k.constant}};
  } else {
    if (!options.variations.empty() || options.per_direction)
      throw Error("its factors are dynamic and cannot depend on load, position, pressure or direction");
    const auto m = extended_maxwell_slip_model(problem, found.searched, found.solved, even_sampling_time(k.data.time));
    space.start = {{"thresholds", listed(m.thresholds)},
                   {"deflection_coefficients_0", listed(m.deflection_coefficients_0)},
                   {"offset", m.offset + k.constant},
                   {"sampling_time", m.sampling_time}};
    const List<double>* further[] = {&m.deflection_coefficients_1, &m.deflection_coefficients_2,
                                     &m.deflection_coefficients_3, &m.position_coefficients};
    const char* keys[] = {"deflection_coefficients_1", "deflection_coefficients_2", "deflection_coefficients_3",
                          "position_coefficients"};
    for (std::size_t i = 0; i < 4; ++i)
      if (further[i]->size() > 0) space.start.emplace_back(keys[i], listed(*further[i]));
  }
  const RegisteredModel& model = find_model(c.model);
  keep_known(space, model.description());
  ModelSpace made(model, data.scales, space);
  // The kernel assumes that every spring slips at its first sample. If the motion after it is wider than the one before it,
  // that may be wrong, and the general fit, which runs from the very first sample, decides.
  const bool start_limits = k.start.largest_threshold < 0.95 * half_range(k.data.position);
  std::vector<std::vector<double>> begin{made.guess()};
  add_known_start(options, made, begin);
  const bool search_goes_on =
      asks_for_more(options) || !k.is_all || !options.fixed.empty() || start_limits || begin.size() > 1;
  if (!search_goes_on || options.search == SearchMethod::published) return as_it_is(std::move(made), data);
  ModelFitOptions general = fit_options(options);
  // Its threshold dictionary has already covered all starts.
  if (c.kernel == Kernel::dnlrx || !asks_for_more(options)) general.starts = 0, general.followed = 0;
  ModelFit refined = fit_model(made, data, general, begin);
  if (c.kernel == Kernel::nlr) refined = in_order_of_thresholds(made, data, std::move(refined));
  return {std::move(made), std::move(refined)};
}

/// Levels in their order, and those that slow motion cannot tell (level_fit.hpp).
ModelFit with_levels(const ModelSpace& space, const FitData& data, ModelFit found, const FollowOptions& steps) {
  return beyond_all_speeds(space, data, in_order(space, data, std::move(found), steps), steps);
}

Fitted fit_lg(const FitData& data, const IdentifyOptions& options) {
  const KernelData k = kernel_data(data);
  const auto velocity = difference_velocity(k.data.time, k.data.position, 0);
  BristleProblem problem(k.data, velocity, k.start.direction);
  const Refined found =
      options.search == SearchMethod::published ? searched(problem, options.seed) : fit_bristle(problem);
  const auto m = lugre_model(found.searched, found.solved);
  SpaceOptions space = space_options(options);
  space.start = {{"bristle_stiffness", m.bristle_stiffness},
                 {"bristle_damping", m.bristle_damping},
                 {"viscosity", m.viscosity},
                 {"coulomb_force", m.coulomb_force},
                 {"stiction_force", m.stiction_force},
                 {"stribeck_velocity", m.stribeck_velocity},
                 {"stribeck_exponent", m.stribeck_exponent},
                 {"stribeck_form", std::string("rational")}};
  space.free_too = {"stribeck_exponent"};
  const RegisteredModel& model = find_model("lugre");
  keep_known(space, model.description());
  ModelSpace made(model, data.scales, space);
  if (const auto offset = made.find("chain.offset")) made.unknowns()[*offset].guess = found.solved[3] + k.constant;
  if (options.search == SearchMethod::published) return as_it_is(std::move(made), data);
  ModelFitOptions general = fit_options(options);
  if (!asks_for_more(options)) general.starts = 0, general.followed = 0;
  std::vector<std::vector<double>> begin{made.guess()};
  add_known_start(options, made, begin);
  ModelFit refined = fit_model(made, data, general, begin);
  if (options.variations.empty()) refined = beyond_all_speeds(made, data, std::move(refined), general.last);
  return {std::move(made), std::move(refined)};
}

/// Rizos and Fassois' search for a model without a kernel: over the parameters in which the force is not linear.
ModelFit search_model_as_published(const ModelSpace& space, const FitData& data, const ModelFitOptions& options) {
  const FitData brief = shortened(data, options.short_samples);
  const ModelResiduals quick(space, brief), whole(space, data);
  const auto is_cancelled = [&] { return options.cancel && options.cancel->load(std::memory_order_relaxed); };
  const std::vector<double> guess = space.guess();
  LinearInside inside(quick, solved_unknowns(space));
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < space.size(); ++k)
    if (!inside.solves(k)) free.push_back(k);
  const auto placed = [&](std::span<const double> u) {
    std::vector<double> y = guess;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const Unknown& x = space.unknowns()[free[i]];
      const double low = std::max(x.lowest(), guess[free[i]] - 2 * x.spread);
      const double high = std::min(x.highest(), guess[free[i]] + 2 * x.spread);
      y[free[i]] = low + u[i] * (high - low);
    }
    return y;
  };
  std::vector<double> best = guess;
  if (!free.empty()) {
    const auto cost_at = [&](std::span<const double> u) {
      for (const double x : u)
        if (!(x >= 0 && x <= 1)) return unbounded;
      std::vector<double> y = placed(u);
      const double cost = inside(y);
      return std::isfinite(cost) ? cost : unbounded;
    };
    GeneticOptions genes;
    genes.seed = options.seed;
    GeneticSearch exploring(free.size(), genes);
    std::vector<double> costs(exploring.size());
    for (std::size_t g = 0; g < genes.generations; ++g) {
      if (is_cancelled()) break;
      for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = cost_at(exploring.candidate(i));
      exploring.tell(costs);
    }
    const auto fine = nelder_mead(cost_at, exploring.best(), NelderMeadOptions{});
    best = placed(fine.at);
  }
  LinearInside last(whole, solved_unknowns(space));
  ModelFit found;
  found.y = best;
  last(found.y);
  found.cost = whole(found.y, found.residuals) ? found.residuals.squaredNorm() : unbounded;
  found.complete = !is_cancelled();
  return found;
}

/// Lists of springs under the names of another model.
void give_springs(SpaceOptions& space, const ModelDescription& d, const StartingPoints& points) {
  if (points.thresholds.empty()) throw Error("no initial springs: the Maxwell-slip fit failed");
  std::vector<double> stiffness = points.stiffnesses, share;
  double level = 0;
  for (std::size_t i = 0; i < stiffness.size(); ++i) level += stiffness[i] * points.thresholds[i];
  for (std::size_t i = 0; i < stiffness.size(); ++i) {
    stiffness[i] = std::max(stiffness[i], 1e-3 * level / points.thresholds[i]);
    share.push_back(stiffness[i] * points.thresholds[i]);
  }
  double sum = 0;
  for (const double s : share) sum += s;
  for (double& s : share) s /= sum;
  if (has_parameter(d, "thresholds")) space.start.emplace_back("thresholds", points.thresholds);
  if (has_parameter(d, "stiffnesses")) space.start.emplace_back("stiffnesses", stiffness);
  if (has_parameter(d, "shares")) space.start.emplace_back("shares", share);
  // Springs that must carry the breakaway level (leuven) start a little above it.
  if (has_parameter(d, "thresholds") && has_parameter(d, "stiction_force")) {
    space.start.emplace_back("stiction_force", 0.95 * sum);
    space.start.emplace_back("coulomb_force", 0.9 * sum);
  }
}

/// The points of a table: zero, and speeds that divide the moving samples into equal numbers.
void give_points(SpaceOptions& space, std::size_t points, const FitData& data) {
  std::vector<double> speed;
  for (const FitPiece& p : data.pieces)
    for (const Stretch& s : p.estimation.stretches())
      for (std::size_t i = std::max<std::size_t>(1, s.first); i < s.first + s.count; ++i)
        if (!p.may_rest[i])
          speed.push_back(
              std::fabs((p.motion.position[i] - p.motion.position[i - 1]) / (p.motion.time[i] - p.motion.time[i - 1])));
  if (speed.size() < 10 * points)
    throw Error("a table of " + std::to_string(points) + " points needs " + std::to_string(10 * points) +
                " samples in motion; there are " + std::to_string(speed.size()));
  std::sort(speed.begin(), speed.end());
  std::vector<double> at{0};
  for (std::size_t k = 1; k < points; ++k) at.push_back(speed[k * (speed.size() - 1) / (points - 1)]);
  for (std::size_t k = 1; k < points; ++k)  // one speed for a long time: evenly spaced instead
    if (!(at[k] - at[k - 1] > 1e-3 * speed.back())) {
      for (std::size_t i = 1; i < points; ++i)
        at[i] = speed.back() * static_cast<double>(i) / static_cast<double>(points - 1);
      break;
    }
  space.start.emplace_back("speeds", at);
  space.start.emplace_back("levels", std::vector<double>(points, data.scales.level));
}

/// What the transmission carries is the recorded load: proportional to it, with the factor of one.
void follow_load(SpaceOptions& space, const FitData& data) {
  for (const auto& [key, value] : space.fixed)
    if (key == "transmitted_load") return;
  if (std::any_of(data.pieces.begin(), data.pieces.end(), [](const FitPiece& p) { return p.motion.load.empty(); }))
    throw Error("its force depends on the load, and the recording has no load column; fix transmitted_load");
  const double low = data.scales.low_load, high = data.scales.high_load;
  if (!(high > low)) throw Error("the recorded load does not change: fix transmitted_load at " + shortest(high));
  if (high == 0) throw Error("the recorded load is never positive; invert its sign and that of the motion");
  space.start.emplace_back("transmitted_load", high);
  VariationRequest own;
  own.key = "transmitted_load";
  own.over = Quantity::load;
  own.proportional = true;
  space.variations.push_back(own);
}

/// Presliding that begins, ends or closes a loop at samples (the hybrids with presliding, Leuven): the force jumps with nearly every
/// parameter there. Difference quotients average over a jump, exact derivatives do not.
bool jumps_with_its_numbers(const ModelDescription& d) {
  return has_parameter(d, "damping_ratio") || has_parameter(d, "transition_exponent");
}

/// Bristles that are elastic far beyond what LuGre's numbers allow would be refused: they start at a tenth of that.
void place_elastic_limit(const ModelSpace& space, std::vector<double>& y) {
  const auto at = space.find("elastic_limit");
  if (!at) return;
  const auto value = [&](const char* key) {
    const auto k = space.find(key);
    return k ? space.unknowns()[*k].value(y[*k]) : unbounded;
  };
  const double sliding = std::min(value("coulomb_force"), value("stiction_force")) / value("bristle_stiffness");
  const Unknown& u = space.unknowns()[*at];
  if (std::isfinite(sliding)) y[*at] = u.coordinate(std::clamp(0.1 * sliding, u.low, u.high));
}

/// How the general fit searches a law.
ModelFitOptions general_options(const Candidate& c, const ModelDescription& d, const IdentifyOptions& options) {
  ModelFitOptions general = fit_options(options);
  if (c.has_lists) general.starts = 12;
  if (has_parameter(d, "spacing")) general.starts = 600, general.jumps = true;  // a cost with many narrow valleys
  if (jumps_with_its_numbers(d)) {  // a cost with many small valleys and steps between them
    general.first.exact = general.last.exact = false;
    general.last.least_gain = 1e-9;
  }
  if (c.has_lists || jumps_with_its_numbers(d)) {  // the leader after a few steps, or on few samples, is not reliable
    general.rounds = {12};
    general.short_samples *= 2;
  }
  return general;
}

/// What the general fit does with the costs of a law.
struct Valleys {
  bool are_small = false;   // and many: a law with lists of springs
  bool have_levels = true;  // whose order and Stribeck velocity are looked at
};

/// A descent that ended in a smooth valley: at a kink no step helps, however short, and another start may lead elsewhere.
bool is_smooth(const ModelFit& fit) {
  constexpr double short_steps = 1;  // damping
  return fit.converged && fit.damping <= short_steps;
}

/// What the search finds on a part of a long recording, followed on all samples; nothing where either is doubtful.
std::optional<ModelFit> fit_by_part(const ModelSpace& space, const FitData& data, const FitData& part,
                                    const ModelFitOptions& general, const std::vector<std::vector<double>>& begin,
                                    const Valleys& valleys) {
  const auto is_sure = [&](const ModelFit& fit) {
    return !fit.complete || (is_smooth(fit) && (!valleys.have_levels || has_levels_in_order(space, fit.y)));
  };
  const ModelFit near = fit_model(space, part, general, begin);
  if (!std::isfinite(near.cost) || !is_sure(near)) return {};
  ModelFit found = follow_on_all(space, data, near.y, general, begin, near.damping);
  if (!std::isfinite(found.cost) || !is_sure(found)) return {};
  return found;
}

/// The search, and all samples followed from where it leads; of a long recording by a part where that is sure. Valleys of laws with lists are
/// others on a part: they are searched on all samples, but the descents between which they are chosen stop early.
template <class PastKinks>
ModelFit fit_all_samples(const ModelSpace& space, const FitData& data, const ModelFitOptions& general,
                         const std::vector<std::vector<double>>& begin, const Valleys& valleys,
                         const PastKinks& past_kinks_of) {
  constexpr double first_look = 1e-4;  // of the cost
  const bool is_quick = is_long(data) && general.last.exact && !general.jumps;
  if (is_quick && !valleys.are_small) {
    const FitData part = part_of_long(data);
    if (auto found = fit_by_part(space, data, part, general, begin, valleys)) {
      if (!valleys.have_levels) return std::move(*found);
      return beyond_all_speeds(space, data, std::move(*found), general.last, &part);
    }
  }
  ModelFitOptions steps = general;
  const bool is_looking = is_quick && valleys.are_small;
  if (is_looking) steps.last.least_gain = first_look;
  ModelFit found = fit_model(space, data, steps, begin);
  if (!std::isfinite(found.cost)) return found;
  found = past_kinks_of(std::move(found), steps.last);
  if (is_looking) {
    if (valleys.have_levels) found = beyond_all_speeds(space, data, std::move(found), steps.last);
    found = follow_on_all(space, data, found.y, general, {});
  }
  if (!valleys.have_levels) return found;
  found = in_order(space, data, std::move(found), general.last);
  if (is_looking) return found;
  return beyond_all_speeds(space, data, std::move(found), general.last);
}

Fitted fit_general(const Candidate& c, const FitData& data, const IdentifyOptions& options,
                   const StartingPoints& points, const std::vector<double>& known) {
  const RegisteredModel& model = find_model(c.model);
  const ModelDescription& d = model.description();
  SpaceOptions space = space_options(options);
  keep_known(space, d);
  if (has_parameter(d, "transmitted_load")) follow_load(space, data);
  const bool is_table = has_parameter(d, "speeds");
  if (is_table) give_points(space, c.elements, data);
  const std::size_t elements = c.elements > 0 ? c.elements : points.thresholds.size();
  std::optional<double> offset;
  if (has_own_start(c) && elements > 0) offset = give_generalized_slip(space, elements, data, options.seed);
  if (c.has_lists && !offset)
    give_springs(space, d, has_own_start(c) && c.elements > 0 ? springs_of(c.elements, data, options) : points);
  if (has_parameter(d, "damping_ratio")) space.free_too.push_back("damping_ratio");
  for (const auto& p : d.parameters)
    if (p.key == "bristle_count" &&
        std::none_of(space.fixed.begin(), space.fixed.end(), [](const auto& f) { return f.first == "bristle_count"; }))
      throw Error("bristle_count must be fixed: it is an integer that cannot be identified from a recording");
  ModelSpace made(model, data.scales, space);
  ModelFitOptions general = general_options(c, d, options);
  if (offset) {
    general.starts = 2;
    if (const auto at = made.find("chain.offset")) made.unknowns()[*at].guess = *offset;
  }
  if (options.search == SearchMethod::published) {
    ModelFit found = search_model_as_published(made, data, general);
    return {std::move(made), std::move(found)};
  }
  if (known.size() == made.size()) {
    FollowOptions as_known = general.last;
    as_known.most_steps = 0;
    ModelFit found = follow(ModelResiduals(made, data), known, as_known);
    return {std::move(made), std::move(found)};
  }
  std::vector<std::vector<double>> begin;
  if (!points.bristle.empty() && has_parameter(d, "bristle_stiffness")) {
    std::vector<double> y = made.guess();
    for (const auto& [key, value] : points.bristle)
      if (const auto at = made.find(key); at && std::holds_alternative<double>(value)) {
        const Unknown& u = made.unknowns()[*at];
        y[*at] = u.coordinate(std::clamp(std::get<double>(value), u.low, u.high));
      }
    place_elastic_limit(made, y);
    begin.push_back(y);
  }
  if (c.has_lists || is_table) begin.push_back(made.guess());
  add_known_start(options, made, begin);
  ModelFit found = fit_all_samples(made, data, general, begin, {c.has_lists, options.variations.empty()},
                                   [&](ModelFit fit, const FollowOptions& steps) {
                                     return offset && !asks_for_more(options)
                                                ? past_kinks(made, data, std::move(fit), space, steps, options.seed)
                                                : fit;
                                   });
  if (!std::isfinite(found.cost)) throw Error("no admissible parameter set fits these data");
  return {std::move(made), std::move(found)};
}

}  // namespace

StartingPoints springs_of(std::size_t elements, const FitData& data, const IdentifyOptions& options) {
  Candidate c{"maxwell-slip", "NLR", Kernel::nlr, {}, 0, true};
  c.order.operators = elements;
  IdentifyOptions plain;
  plain.seed = options.seed, plain.watch = options.watch;
  StartingPoints points;
  for (const auto& [key, value] : values_in(fit_springs(c, data, plain))) {
    if (key == "thresholds") points.thresholds = std::get<std::vector<double>>(value);
    if (key == "stiffnesses") points.stiffnesses = std::get<std::vector<double>>(value);
  }
  return points;
}

bool has_own_start(const Candidate& c) { return c.model == "generalized-maxwell-slip"; }

namespace {

FollowOptions last_steps(const Candidate& c, const Fitted& law, const IdentifyOptions& options) {
  FollowOptions steps = general_options(c, law.space.model().description(), options).last;
  if (options.watch) steps.cancel = &options.watch->cancel;
  return steps;
}

}  // namespace

Fitted with_known(Fitted law, const Candidate& c, const FitData& data, const IdentifyOptions& options) {
  if (options.priors.empty()) return law;
  const FollowOptions steps = last_steps(c, law, options);
  law = with_priors(std::move(law), data, options.priors, steps);
  if (!law.alone.empty() && options.variations.empty())
    law.found = with_levels(law.space, data, std::move(law.found), steps);
  return law;
}

Fitted fit_again(Fitted law, const Candidate& c, const FitData& data, const IdentifyOptions& options) {
  const FollowOptions steps = last_steps(c, law, options);
  const bool is_complete = law.found.complete;
  law.found = follow(ModelResiduals(law.space, data), law.found.y, steps);
  if (options.variations.empty()) law.found = with_levels(law.space, data, std::move(law.found), steps);
  law.found.complete = law.found.complete && is_complete;
  return law;
}

namespace {

Fitted fit_by_kind(const Candidate& c, const FitData& data, const IdentifyOptions& options,
                   const StartingPoints& points, const std::vector<double>& found) {
  if (c.kernel == Kernel::nlr || c.kernel == Kernel::dnlrx) return fit_springs(c, data, options);
  if (c.kernel == Kernel::lg) return fit_lg(data, options);
  return fit_general(c, data, options, points, found);
}

}  // namespace

Fitted fit_candidate(const Candidate& c, const FitData& data, const IdentifyOptions& options,
                     const StartingPoints& points, const std::vector<double>& found) {
  return with_known(fit_by_kind(c, data, options, points, found), c, data, options);
}

Fitted fit_own_numbers(Fitted shared, const Candidate& c, const FitData& data, const IdentifyOptions& options,
                       std::size_t units) {
  forget_priors(shared);
  ModelSpace& space = shared.space;
  const ModelDescription& d = space.model().description();
  const std::vector<double> common = shared.found.y;
  if (space.give_own(options.own, units) == 0)
    throw Error("it has no " + joined(options.own, " and no ") + " that could be private to each recording");
  std::vector<double> start;
  for (std::size_t k = 0; k < space.size(); ++k) start.push_back(common[space.place_of(k)]);
  ModelFitOptions general = general_options(c, d, options);
  if (c.kernel != Kernel::none) general.starts = 0, general.followed = 0;  // its kernel has covered all starts
  shared.found = fit_model(space, data, general, {start});
  if (!std::isfinite(shared.found.cost)) throw Error("no admissible parameter set fits these data");
  if (options.variations.empty()) shared.found = in_order(space, data, std::move(shared.found), general.last);
  return with_known(std::move(shared), c, data, options);
}

Fitted fit_named_only(Fitted law, const Candidate& c, const FitData& data, const IdentifyOptions& options,
                      const std::vector<std::pair<std::string, double>>& values,
                      const std::vector<std::string>& names) {
  std::vector<double> start;
  for (Unknown& u : law.space.unknowns()) {
    const auto known =
        std::find_if(values.begin(), values.end(), [&wanted = u.key](const auto& v) { return v.first == wanted; });
    if (known == values.end()) throw Error(u.key + " of " + c.label + " is not known");
    if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return is_meant(u.key, name); })) {
      start.push_back(u.coordinate(std::clamp(known->second, u.low, u.high)));
    } else {
      u.low = u.high = known->second;
      start.push_back(u.coordinate(known->second));
    }
  }
  FollowOptions steps = general_options(c, law.space.model().description(), options).last;
  law.found = follow(ModelResiduals(law.space, data), start, steps);
  return law;
}

ParameterValues values_in(const Fitted& fitted) { return fitted.space.at(fitted.found.y).settings.values; }

}  // namespace stickslip::inline identification
