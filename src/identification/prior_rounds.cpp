#include "identification/prior_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/fit_honesty.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline identification {

namespace {

constexpr int most_rounds = 8;       // (3)
constexpr double settled = 1e-4;     // relative change of q²
constexpr double resolved = 1e-10;   // of a number: its rounding stays far below one error of a prior
constexpr double contradiction = 3;  // (5)
constexpr std::string_view backward = "backward.";

/// "chain.offset@2" is the second recording's "offset@2".
std::string name_with_unit(const std::string& key) { return key.starts_with("chain.") ? key.substr(6) : key; }
/// And that is an "offset".
std::string plain_name(const std::string& key) { return shared_key(name_with_unit(key)); }

/// Beside numbers of this size.
void check_width(const KnownBefore& prior, double size) {
  if (!(prior.error > resolved * size))
    throw Error("the prior of " + prior.key + " has a standard deviation of " + shortest(prior.error) +
                ", which cannot be told from zero beside " + shortest(size) + "; fix what is known exactly");
}

std::vector<std::size_t> give_priors(ModelSpace& space, const std::vector<KnownBefore>& priors) {
  std::vector<std::size_t> known;
  for (std::size_t k = 0; k < space.size(); ++k) {
    Unknown& u = space.unknowns()[k];
    const KnownBefore* prior = prior_of(priors, u.key);
    if (!prior) continue;
    u.prior = prior->value, u.prior_error = prior->error, u.prior_strength = 0;
    const double size = std::max(std::fabs(u.prior), u.scale == Scale::linear ? u.typical : 0);
    check_width(*prior, size);
    known.push_back(k);
  }
  return known;
}

/// (3): false where the strengths stay as they are.
bool weigh(Fitted& law, const FitData& data, const std::vector<std::size_t>& known) {
  ModelSpace without = law.space;
  for (const std::size_t k : known) without.unknowns()[k].prior_strength = 0;
  const Eigen::VectorXd squares = error_strengths(ModelResiduals(without, data), law.found, largest_force_noise(data));
  bool changes = false;
  for (const std::size_t k : known) {
    if (squares.size() == 0) return false;
    const double now = std::sqrt(squares[static_cast<Eigen::Index>(k)]);
    changes = changes || !(std::fabs(now - law.space.unknowns()[k].prior_strength) <= 0.5 * settled * now);
  }
  if (!changes) return false;
  for (const std::size_t k : known)
    law.space.unknowns()[k].prior_strength = std::sqrt(squares[static_cast<Eigen::Index>(k)]);
  return true;
}

/// (4): these coordinates with the known numbers at their means, and what is linear solved beside them.
std::vector<double> at_means(const Fitted& law, const ModelResiduals& residuals,
                             const std::vector<std::size_t>& known) {
  std::vector<double> y = law.found.y;
  for (const std::size_t k : known) {
    const Unknown& u = law.space.unknowns()[k];
    y[k] = u.coordinate(std::clamp(u.prior, u.low, u.high));
  }
  LinearInside(residuals, solved_unknowns(law.space))(y);
  return y;
}

std::string with_error(double value, double error, const std::string& unit) {
  return with_unit(value, unit, 4) + " ± " + with_unit(error, unit, 2);
}

}  // namespace

const KnownBefore* prior_of(const std::vector<KnownBefore>& priors, const std::string& key) {
  const std::string name = plain_name(key);
  const auto named = [&](const std::string& wanted) -> const KnownBefore* {
    const auto at = std::find_if(priors.begin(), priors.end(), [&](const KnownBefore& p) { return p.key == wanted; });
    return at == priors.end() ? nullptr : &*at;
  };
  if (const KnownBefore* own = named(name)) return own;
  return name.starts_with(backward) ? named(name.substr(backward.size())) : nullptr;
}

void forget_priors(Fitted& law) {
  for (Unknown& u : law.space.unknowns()) u.prior = u.prior_error = u.prior_strength = 0;
  law.alone.clear();
  law.prior_disagreement = 0;
}

namespace {

/// χ² of all priors against what the recording alone says of them together, over the bound that 27 of 10 000 exceed by chance. Each may
/// be likely by itself where the recording knows only their sum.
double disagreement(const ModelSpace& space, const Confidence& alone, const std::vector<std::size_t>& known) {
  std::vector<std::size_t> told;  // one at a bound has no error of its own
  for (const std::size_t k : known)
    if (k < alone.estimates.size() && alone.estimates[k].verdict != Determination::at_bound) told.push_back(k);
  const auto n = static_cast<Eigen::Index>(told.size());
  if (n < 2) return 0;
  const Eigen::MatrixXd all = matrix_of(alone.covariance);
  Eigen::MatrixXd s(n, n);
  Eigen::VectorXd d(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t row = told[static_cast<std::size_t>(i)];
    const Unknown& u = space.unknowns()[row];
    d[i] = alone.estimates[row].value - u.prior;
    for (Eigen::Index j = 0; j < n; ++j)
      s(i, j) = all(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(told[static_cast<std::size_t>(j)]));
    s(i, i) += u.prior_error * u.prior_error;
  }
  const double square = d.dot(s.ldlt().solve(d)), part = 2 / (9 * static_cast<double>(n));
  const double bound =
      static_cast<double>(n) * std::pow(1 - part + contradiction * std::sqrt(part), 3);  // Wilson, Hilferty
  return std::isfinite(square) ? square / bound : 0;
}

}  // namespace

Fitted with_priors(Fitted law, const FitData& data, const std::vector<KnownBefore>& priors,
                   const FollowOptions& steps) {
  if (!std::isfinite(law.found.cost)) return law;
  const std::vector<std::size_t> known = give_priors(law.space, priors);
  if (known.empty()) return law;
  const Confidence alone = fit_confidence(ModelResiduals(law.space, data), law.found, largest_force_noise(data));
  for (const std::size_t k : known)
    if (k < alone.estimates.size()) law.alone.push_back(alone.estimates[k]);
  law.prior_disagreement = disagreement(law.space, alone, known);
  for (int round = 0; round < most_rounds && weigh(law, data, known); ++round) {
    const ModelResiduals residuals(law.space, data);
    std::vector<std::vector<double>> starts{law.found.y};
    if (round == 0) starts.push_back(at_means(law, residuals, known));
    std::optional<ModelFit> best;
    for (const std::vector<double>& start : starts) {
      ModelFit fit = follow(residuals, start, steps);
      // the same place, reached from two sides, stays the first: a prior that knows nothing moves no number
      const double visible = best ? best->cost * (1 - least_visible_gain(residuals.rows())) : unbounded;
      if (std::isfinite(fit.cost) && fit.cost < visible) best = std::move(fit);
    }
    if (!best) break;
    best->complete = best->complete && law.found.complete;
    law.found = std::move(*best);
  }
  return law;
}

std::vector<Contradiction> contradictions(const Fitted& law) {
  std::vector<Contradiction> found;
  for (const Estimate& alone : law.alone) {
    const auto k = law.space.find(alone.key);
    if (!k) continue;
    const Unknown& u = law.space.unknowns()[*k];
    // At a bound it has no error of its own: then only the distance from the prior can tell.
    const bool is_bound = alone.verdict == Determination::at_bound;
    const double value = u.value(law.found.y[*k]);
    const double told = is_bound ? value : alone.value, error = is_bound ? 0 : alone.standard_error;
    if (std::fabs(told - u.prior) > contradiction * std::hypot(u.prior_error, error))
      found.push_back({&alone, &u, value});
  }
  return found;
}

std::vector<std::string> remarks_on_priors(const Fitted& law, const IdentifyOptions& options) {
  const MotionKind motion = options.force_unit == "N" ? MotionKind::linear : MotionKind::rotary;
  std::vector<std::string> remarks, private_ones;
  for (const Contradiction& c : contradictions(law)) {
    const std::string unit = c.of->unit.empty() ? "" : unit_for(motion, c.of->unit);
    remarks.push_back(
        "the prior of " + name_with_unit(c.of->key) + ", " + with_error(c.of->prior, c.of->prior_error, unit) +
        ", contradicts the recording, which alone says " +
        (c.alone->verdict == Determination::at_bound ? with_unit(c.alone->value, unit, 4) + ", the bound of the search"
                                                     : with_error(c.alone->value, c.alone->standard_error, unit)) +
        " (standard deviations): " + with_unit(c.value, unit, 4) +
        " is a compromise of two that do not agree, and its interval is that of two that do; doubt the "
        "prior, the law, or gain and unit of the force");
  }
  if (remarks.empty() && law.prior_disagreement > 1)
    remarks.push_back(
        "the priors together contradict the recording: each is likely by itself, but not all of them at once, since "
        "the "
        "recording knows their combination; doubt one of them, the law, or gain and unit of the force");
  for (const Estimate& alone : law.alone) {
    const std::string name = plain_name(alone.key);
    if (unit_in(alone.key) && std::find(private_ones.begin(), private_ones.end(), name) == private_ones.end())
      private_ones.push_back(name);
  }
  for (const std::string& name : private_ones)
    remarks.push_back(name +
                      " is private and has a prior, to which the number of every recording is drawn: they vary less "
                      "than the units do");
  return remarks;
}

void doubt_contradicted(Confidence& confidence, const Fitted& law) {
  if (contradictions(law).empty() && law.prior_disagreement <= 1) return;
  doubt(confidence);  // what moved the contradicted number moved the others as well
}

void note_priors(Confidence& confidence, const std::vector<KnownBefore>& priors) {
  for (Estimate& e : confidence.estimates)
    if (const KnownBefore* prior = prior_of(priors, e.key)) e.prior = prior->value, e.prior_error = prior->error;
}

std::vector<std::string> unused_priors(const std::vector<const IdentifiedModel*>& models,
                                       const std::vector<KnownBefore>& priors) {
  std::vector<std::string> sentences;
  for (const KnownBefore& prior : priors) {
    std::vector<std::string> without;
    for (const IdentifiedModel* m : models) {
      const auto& estimates = m->confidence.estimates;
      if (std::none_of(estimates.begin(), estimates.end(),
                       [&](const Estimate& e) { return prior_of(priors, e.key) == &prior; }))
        without.push_back(m->label);
    }
    if (without.size() == models.size())
      sentences.push_back("the prior of " + prior.key + " is of no use: no model that is fitted estimates it");
    else if (!without.empty())
      sentences.push_back("the prior of " + prior.key + " is not used where " + prior.key +
                          " is not estimated: " + joined(without));
  }
  return sentences;
}

namespace {

/// The table's row of a key that may name one of a list, or a direction.
struct Named {
  std::vector<const ParameterDescription*> rows;  // of all laws
  std::vector<std::string> keys;                  // of all laws
};
Named named(const std::string& key) {
  Named found;
  for (const auto* model : registered_models())
    for (const auto& p : model->description().parameters) {
      if (std::find(found.keys.begin(), found.keys.end(), p.key) == found.keys.end()) found.keys.push_back(p.key);
      if (p.key == key) found.rows.push_back(&p);
    }
  return found;
}

void check_chain(const KnownBefore& prior, const IdentifyOptions& o) {
  if (prior.key == "offset" && !o.find_offset)
    throw Error("identify: offset has a prior, but no offset is estimated: leave out one of them");
  if (prior.key == "lag" && !o.find_lag)
    throw Error(
        "identify: lag has a prior, but it is not estimated with the law: add --fit-lag, or state it, --lag '0.3 ms'");
  if (prior.key == "backlash" && !o.find_backlash && named(prior.key).rows.empty())
    throw Error("identify: backlash has a prior, but it is not estimated: add --backlash");
  if (prior.key != "offset" && prior.value < 0)
    throw Error("identify: the prior of " + prior.key + " is " + shortest(prior.value) +
                "; it must be zero or positive");
}

void check_parameter(const KnownBefore& prior, const IdentifyOptions& o) {
  const bool is_backward = prior.key.starts_with(backward);
  const std::string of_either = is_backward ? prior.key.substr(backward.size()) : prior.key;
  const std::string key = of_either.substr(0, of_either.find('['));
  Named known = named(key);
  if (known.rows.empty()) {
    for (const char* const more : {"offset", "lag", "backlash"}) known.keys.emplace_back(more);
    throw Error("identify: prior: " + no_such("parameter", key, known.keys));
  }
  const auto is_of_kind = [&](ParameterKind kind) {
    return std::any_of(known.rows.begin(), known.rows.end(), [&](const auto* p) { return p->kind == kind; });
  };
  if (!is_of_kind(ParameterKind::number) && !is_of_kind(ParameterKind::list))
    throw Error("identify: prior: " + key + " is a choice between words, not a number");
  if (key == of_either && !is_of_kind(ParameterKind::number))
    throw Error("identify: prior: " + key + " is a list; name one of its numbers: '" + key + "[1]'");
  if (key != of_either && !is_of_kind(ParameterKind::list))
    throw Error("identify: prior: " + key + " is one number, not a list: leave out " + of_either.substr(key.size()));
  const std::string place = of_either.substr(key.size());
  constexpr std::size_t most_digits = 4;  // "[16]"
  const bool is_place = place.size() > 2 && place.size() <= most_digits && place[1] != '0' && place.back() == ']' &&
                        place.find_first_not_of("0123456789", 1) == place.size() - 1;
  if (!place.empty() && !is_place)
    throw Error("identify: prior: " + place + " is no place in a list; the first is " + key + "[1]");
  if (std::none_of(known.rows.begin(), known.rows.end(),
                   [&](const auto* p) { return is_allowed(p->domain, prior.value); }))
    throw Error("identify: the prior of " + prior.key + " is " + shortest(prior.value) + "; it must be " +
                std::string(allowed_range(known.rows.front()->domain)));
  if (is_backward && !o.per_direction)
    throw Error("identify: " + prior.key +
                " has a prior, but directions are not separated: add --per-direction, or leave "
                "out " +
                std::string(backward));
  for (const auto& [fixed, value] : o.fixed)
    if (fixed == key) throw Error("identify: " + key + " is fixed; it cannot have a prior");
}

}  // namespace

void check_priors(const IdentifyOptions& o) {
  if (!o.priors.empty() && o.search == SearchMethod::published)
    throw Error("identify: the published search knows no priors; leave them out, or take the standard search");
  for (std::size_t i = 0; i < o.priors.size(); ++i) {
    const KnownBefore& prior = o.priors[i];
    if (prior.key == "mass" || prior.key == "inertia")
      throw Error("identify: the prior of the " + prior.key + " is the " + prior.key +
                  " itself with its standard deviation: mass '20 +- 1 kg'");
    if (!std::isfinite(prior.value) || !(prior.error > 0) || !std::isfinite(prior.error))
      throw Error("identify: the prior of " + prior.key + " is " + shortest(prior.value) + " +- " +
                  shortest(prior.error) + "; a standard deviation above zero is needed");
    check_width(prior, std::fabs(prior.value));
    for (std::size_t k = 0; k < i; ++k)
      if (o.priors[k].key == prior.key) throw Error("identify: " + prior.key + " has two priors; give one");
    if (prior.key == "offset" || prior.key == "lag" || prior.key == "backlash")
      check_chain(prior, o);
    else
      check_parameter(prior, o);
  }
}

}  // namespace stickslip::inline identification
