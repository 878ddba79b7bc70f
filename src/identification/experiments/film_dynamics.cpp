#include "identification/experiments/film_dynamics.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip {
namespace {

constexpr const char* film_model = "new-modified-lugre";
constexpr std::string_view backward = "backward.";
constexpr double widest = 100;  // factor around the start

double* number_in(ParameterValues& values, std::string_view key) {
  for (auto& [name, value] : values)
    if (name == key) return std::get_if<double>(&value);
  return nullptr;
}
/// A number of the forward or, with its prefix, of the backward set.
double& entry(FrictionSettings& settings, const std::string& key) {
  const bool back = key.starts_with(backward);
  double* const found =
      back ? number_in(settings.backward, key.substr(backward.size())) : number_in(settings.values, key);
  if (!found) throw Error("film dynamics: no start for " + in_quotes(key));
  return *found;
}
double value_of(const FrictionSettings& settings, bool back, const char* key) {
  FrictionSettings copy = settings;
  if (back)
    if (const double* own = number_in(copy.backward, key)) return *own;
  const double* const common = number_in(copy.values, key);
  if (!common) throw Error(std::string("film dynamics: ") + key + " is missing");
  return *common;
}

}  // namespace

std::vector<double> film_force(const FrictionSettings& settings, const PrescribedMotion& motion) {
  std::vector<double> force = make_friction(film_model, settings)->respond(motion);
  const double ahead = value_of(settings, false, "viscosity") * value_of(settings, false, "viscous_lag");
  const double back = value_of(settings, true, "viscosity") * value_of(settings, true, "viscous_lag");
  for (std::size_t i = 1; i + 1 < force.size(); ++i) {
    const double h = 0.5 * (motion.time[i + 1] - motion.time[i - 1]);
    const double dx = motion.position[i + 1] - motion.position[i - 1];
    const double a = (motion.position[i + 1] - 2 * motion.position[i] + motion.position[i - 1]) / (h * h);
    force[i] += (dx < 0 ? back : ahead) * a;
  }
  return force;
}

FilmDynamics fit_film_dynamics(const std::vector<FilmRecord>& records, const FrictionSettings& start,
                               const std::vector<std::string>& free_keys) {
  std::size_t scored = 0;
  for (const FilmRecord& r : records) {
    if (r.force.size() != r.motion.time.size() || r.motion.position.size() != r.force.size())
      throw Error("film dynamics: time, position and force of a record have " + std::to_string(r.motion.time.size()) +
                  ", " + std::to_string(r.motion.position.size()) + " and " + std::to_string(r.force.size()) +
                  " samples");
    for (const double t : r.motion.time) scored += t >= r.from ? 1 : 0;
  }
  FrictionSettings settings = start;
  std::vector<FreeNumber> free;
  for (const std::string& key : free_keys) {
    const double value = entry(settings, key);
    if (!(value > 0))
      throw Error("film dynamics: the start of " + key + " is " + shortest(value) + "; it must be positive");
    free.push_back({key, std::log(value), std::log(value / widest), std::log(value * widest), 1});  // logarithms
  }
  const Residuals residuals = [&](std::span<const double> x, std::span<double> out) {
    FrictionSettings here = start;
    for (std::size_t i = 0; i < free.size(); ++i) entry(here, free[i].key) = std::exp(x[i]);
    std::size_t at = 0;
    for (const FilmRecord& r : records) {
      const std::vector<double> force = film_force(here, r.motion);
      for (std::size_t i = 0; i < force.size(); ++i)
        if (r.motion.time[i] >= r.from) out[at++] = r.force[i] - force[i];
    }
    return true;
  };
  const LeastSquaresFit fit = levenberg_marquardt(free, scored, residuals, {.most_steps = 40, .difference = 1e-4});
  FilmDynamics found;
  found.settings = start;
  found.confidence = confidence(fit, free);
  for (std::size_t i = 0; i < free.size(); ++i) {
    entry(found.settings, free[i].key) = std::exp(fit.x[i]);
    Estimate& e = found.confidence.estimates[i];  // from logarithms to values; intervals stay unequal
    e.value = std::exp(fit.x[i]);
    e.verdict = e.verdict == Determination::well_determined || e.verdict == Determination::weak
                    ? (e.standard_error > 0.1 ? Determination::weak : Determination::well_determined)
                    : e.verdict;
    e.low = std::exp(e.low), e.high = std::exp(e.high);
    e.standard_error *= e.value;
  }
  found.rms = std::sqrt(fit.cost / double(scored));
  return found;
}

}  // namespace stickslip
