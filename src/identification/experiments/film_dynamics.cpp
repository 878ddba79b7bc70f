#include "identification/experiments/film_dynamics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline identification {
namespace {

constexpr std::string_view backward = "backward.";
constexpr double widest = 100;  // factor around the start

double* number_in(ParameterValues& values, std::string_view key) {
  for (auto& [name, value] : values)
    if (name == key) return std::get_if<double>(&value);
  return nullptr;
}
double& entry(FrictionSettings& settings, const std::string& key) {
  double* const found = film_number(settings, key);
  if (!found) throw Error("film dynamics: no initial value for " + in_quotes(key));
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

std::size_t scored_in(const std::vector<FilmRecord>& records) {
  std::size_t scored = 0;
  for (const FilmRecord& r : records) {
    if (r.force.size() != r.motion.time.size() || r.motion.position.size() != r.force.size() ||
        (!r.acceleration.empty() && r.acceleration.size() != r.force.size()))
      throw Error("film dynamics: time, position and force of a record have " + std::to_string(r.motion.time.size()) +
                  ", " + std::to_string(r.motion.position.size()) + " and " + std::to_string(r.force.size()) +
                  " samples");
    for (std::size_t i = 0; i < r.force.size(); ++i) scored += r.is_scored(i) ? 1 : 0;
  }
  return scored;
}

/// ‖measured − model‖² over the scored samples; infinity where the model has no such numbers.
double cost_of(const std::vector<FilmRecord>& records, const FrictionSettings& settings) {
  double sum = 0;
  for (const FilmRecord& r : records) {
    const std::vector<double> force = film_force(settings, r);
    for (std::size_t i = 0; i < force.size(); ++i)
      if (r.is_scored(i)) sum += (r.force[i] - force[i]) * (r.force[i] - force[i]);
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

std::vector<char> blurred(const Prepared& data) {
  const double cutoff = data.used.cutoff_hz;
  if (!(cutoff > 0) || !std::isfinite(cutoff) || data.measured_position.size() != data.size()) return {};
  const double error = std::max({data.resolution, 4 * data.position_noise, 1e-12});
  const auto reach = std::size_t(std::ceil(3 / (cutoff * data.sampling_time)));
  std::vector<char> mask(data.size(), 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (std::fabs(data.measured_position[i] - data.position[i]) <= error) continue;
    const std::size_t first = i > reach ? i - reach : 0, end = std::min(i + reach + 1, data.size());
    std::fill(mask.begin() + std::ptrdiff_t(first), mask.begin() + std::ptrdiff_t(end), char(1));
  }
  return mask;
}

/// Where a number without any first guess is looked for: as many values as `count`, evenly spread on a logarithmic scale.
struct Scan {
  double low, high;
  int count;
};
Scan scan_of(const std::string& key, const FrictionSettings& settings) {
  const std::string_view base = key.starts_with(backward) ? std::string_view(key).substr(backward.size()) : key;
  const double breakaway = value_of(settings, false, "stiction_force");
  if (base == "bristle_stiffness") return {breakaway / 1e-3, breakaway / 1e-7, 13};  // breakaway within 0.1 um to 1 mm
  if (base == "viscous_lag") return {3e-3, 1, 6};
  if (base == "rest_time") return {0.3, 300, 7};
  if (base == "film_velocity") {
    const double speed = value_of(settings, key.starts_with(backward), "stribeck_velocity");
    return {speed, 30 * speed, 6};
  }
  return {0.02, 20, 7};  // growing_time, thinning_time [s]
}

/// Six numbers of one direction from its points, speeds and forces without sign: the best of many starts.
ParameterValues curve_of(const std::vector<SteadyPoint>& points, double sign) {
  std::vector<SteadyPoint> own;
  std::vector<double> speeds;
  for (SteadyPoint p : points) {
    if (p.speed * sign <= 0) continue;
    p.speed *= sign, p.force *= sign;
    own.push_back(p);
    if (std::none_of(speeds.begin(), speeds.end(), [&](double v) { return std::fabs(v - p.speed) < 0.05 * v; }))
      speeds.push_back(p.speed);
  }
  if (speeds.size() < film_static_keys.size() + 1)
    throw Error(std::string("film dynamics: ") + std::to_string(speeds.size()) + " different constant speeds " +
                (sign > 0 ? "forward" : "backward") + "; at least " + std::to_string(film_static_keys.size() + 1) +
                " are needed, from well below the Stribeck velocity to well above it");
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const SteadyPoint& p : own) least = std::min(least, p.force), most = std::max(most, p.force);
  if (!(least > 0))
    throw Error(std::string("film dynamics: a force of ") + significant(least, 4) + " against a constant speed " +
                (sign > 0 ? "forward" : "backward") + "; friction must oppose the motion (constant load? sign?)");
  const auto settings_at = [](std::span<const double> x) {
    FrictionSettings here;
    for (std::size_t i = 0; i < film_static_keys.size(); ++i)
      here.values.emplace_back(film_static_keys[i], std::exp(x[i]));
    return here;
  };
  const Residuals residuals = [&](std::span<const double> x, std::span<double> out) {
    if (x[1] < x[0]) return false;  // F_S below F_C
    const FrictionSettings here = settings_at(x);
    for (std::size_t i = 0; i < own.size(); ++i) out[i] = own[i].force - film_steady_force(here, own[i].speed);
    return true;
  };
  LeastSquaresFit best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const double share : {0.1, 0.3, 0.6})  // of v_S between slowest and fastest, on a logarithmic scale
    for (const double exponent : {0.7, 1.0, 2.0})
      for (const double ratio : {2.0, 6.0}) {  // v_b over v_S
        const double speed = *slowest * std::pow(*fastest / *slowest, share);
        const double start[]{0.9 * least, 1.1 * most, speed, exponent, ratio * speed, 0.2 * least / *fastest};
        const double low[]{1e-3 * least, 0.1 * most, 0.1 * *slowest, 0.2, 0.3 * *slowest, 1e-4 * least / *fastest};
        const double high[]{most, 10 * most, 10 * *fastest, 5, 10 * *fastest, 2 * most / *fastest};
        std::vector<FreeNumber> free;
        for (std::size_t i = 0; i < film_static_keys.size(); ++i)
          free.push_back({film_static_keys[i], std::log(std::clamp(start[i], low[i], high[i])), std::log(low[i]),
                          std::log(high[i]), 1});
        LeastSquaresFit fit = levenberg_marquardt(free, own.size(), residuals, {.most_steps = 60, .difference = 1e-5});
        if (fit.cost < best.cost) best = std::move(fit);
      }
  if (!std::isfinite(best.cost))
    throw Error("film dynamics: no static curve goes through the points at constant speed");
  return settings_at(best.x).values;
}

}  // namespace

double* film_number(FrictionSettings& settings, std::string_view key) {
  return key.starts_with(backward) ? number_in(settings.backward, key.substr(backward.size()))
                                   : number_in(settings.values, key);
}

double film_steady_force(const FrictionSettings& settings, double speed) {
  const bool back = speed < 0;
  const auto value = [&](const char* key) { return value_of(settings, back, key); };
  const double v = std::fabs(speed), coulomb = value("coulomb_force");
  const double film = std::pow(std::min(v / value("film_velocity"), 1.0), 2.0 / 3.0);
  const double fading = std::exp(-std::pow(v / value("stribeck_velocity"), value("stribeck_exponent")));
  const double force = coulomb + (value("stiction_force") - coulomb) * (1 - film) * fading + value("viscosity") * v;
  return back ? -force : force;
}

FrictionSettings film_curve(const std::vector<SteadyPoint>& points) {
  FrictionSettings settings;
  settings.values = curve_of(points, 1);
  settings.backward = curve_of(points, -1);
  return settings;
}

FilmRecord film_record(const Prepared& data) {
  FilmRecord r;
  r.motion = {data.time, data.position, {}, {}};
  r.force = data.force;
  r.acceleration = data.acceleration;
  const Phases phases = phases_of(data);
  r.from = data.time.empty() ? 0 : data.time.front();
  bool has_slid = false;
  for (const Phase& phase : phases.phases) {
    const auto [first, count] = phase.samples;
    if (phase.kind == PhaseKind::rest) {
      double mean = 0;
      for (std::size_t i = first; i < first + count; ++i) mean += data.position[i] / double(count);
      for (std::size_t i = first; i < first + count; ++i) r.motion.position[i] = mean, r.acceleration[i] = 0;
    } else if (phase.kind == PhaseKind::sliding && !has_slid) {
      // The initial state of the bristles is forgotten once the contact slides; a stroke that never does is scored from its start.
      r.from = data.time[std::min(first, data.size() - 1)];
      has_slid = true;
    }
  }
  r.is_blurred = blurred(data);
  return r;
}

std::vector<double> film_force(const FrictionSettings& settings, const FilmRecord& record) {
  const PrescribedMotion& motion = record.motion;
  std::vector<double> force = make_friction(film_model, settings)->respond(motion);
  const double ahead = value_of(settings, false, "viscosity") * value_of(settings, false, "viscous_lag");
  const double back = value_of(settings, true, "viscosity") * value_of(settings, true, "viscous_lag");
  for (std::size_t i = 1; i + 1 < force.size(); ++i) {
    const double h = 0.5 * (motion.time[i + 1] - motion.time[i - 1]);
    const double dx = motion.position[i + 1] - motion.position[i - 1];
    const double a = record.acceleration.empty()
                         ? (motion.position[i + 1] - 2 * motion.position[i] + motion.position[i - 1]) / (h * h)
                         : record.acceleration[i];
    force[i] += (dx < 0 ? back : ahead) * a;
  }
  return force;
}
std::vector<double> film_force(const FrictionSettings& settings, const PrescribedMotion& motion) {
  return film_force(settings, FilmRecord{.motion = motion, .force = {}});
}

FilmStart film_start(const std::string& model, const FrictionSettings& known) {
  static constexpr std::array models{"stribeck", "lugre", "modified-lugre", film_model};
  if (std::find(models.begin(), models.end(), model) == models.end())
    throw Error("film dynamics: the static curve is of the model " + in_quotes(model) +
                "; stribeck (as stickslip curve writes it), lugre, modified-lugre or new-modified-lugre is needed");
  if (!known.variations.empty())
    throw Error("film dynamics: " + in_quotes(known.variations.front().key) +
                " depends on position, load, pressure or temperature in the static curve; constant values are needed");
  FilmStart start;
  FrictionSettings from = known;
  for (const auto& p : find_model(film_model).description().parameters) {
    if (const double* value = number_in(from.values, p.key)) start.settings.values.emplace_back(p.key, *value);
    if (const double* value = number_in(from.backward, p.key)) start.settings.backward.emplace_back(p.key, *value);
  }
  // One value at least of each that is fitted. The time constants and the stiffness are the same in both directions.
  const auto need = [&](const char* key, double value, bool is_guess) {
    if (number_in(start.settings.values, key)) return;
    start.settings.values.emplace_back(key, value);
    if (is_guess) start.guessed.emplace_back(key);
  };
  for (const char* key : {"coulomb_force", "stiction_force", "stribeck_velocity"})
    if (!number_in(start.settings.values, key))
      throw Error(std::string("film dynamics: the static curve has no ") + key +
                  "; a Stribeck curve is needed, from runs at several speeds");
  need("stribeck_exponent", 2, false);
  need("viscosity", 0, false);
  const double speed = value_of(start.settings, false, "stribeck_velocity");
  need("film_velocity", 4 * speed, true);
  need("bristle_damping", 0, false);
  need("rest_band", 1e-3 * speed, false);
  need("bristle_stiffness", value_of(start.settings, false, "stiction_force") / 1e-5, true);
  need("thinning_time", 1, true);
  need("growing_time", 0.5, true);
  need("rest_time", 10, true);
  need("viscous_lag", 0.1, true);
  if (!number_in(start.settings.backward, "viscous_lag")) {
    const bool is_guess = std::find(start.guessed.begin(), start.guessed.end(), "viscous_lag") != start.guessed.end();
    start.settings.backward.emplace_back("viscous_lag", value_of(start.settings, false, "viscous_lag"));
    if (is_guess) start.guessed.emplace_back("backward.viscous_lag");
  }
  return start;
}

FrictionSettings scan_film_start(const std::vector<FilmRecord>& records, const FilmStart& start) {
  FrictionSettings best = start.settings;
  double least = cost_of(records, best);
  for (int round = 0; round < 2; ++round)
    for (const std::string& key : start.guessed) {
      const Scan scan = scan_of(key, start.settings);
      for (int k = 0; k < scan.count; ++k) {
        FrictionSettings here = best;
        entry(here, key) = scan.low * std::pow(scan.high / scan.low, double(k) / (scan.count - 1));
        const double cost = cost_of(records, here);
        if (cost < least) least = cost, best = here;
      }
    }
  return best;
}

std::size_t leave_out_jumps(std::vector<FilmRecord>& records, const FrictionSettings& settings, double deviations) {
  std::vector<std::vector<double>> errors;
  std::vector<double> sizes;
  for (const FilmRecord& r : records) {
    errors.push_back(film_force(settings, r));
    for (std::size_t i = 0; i < r.force.size(); ++i) {
      errors.back()[i] = std::fabs(r.force[i] - errors.back()[i]);
      if (r.is_scored(i)) sizes.push_back(errors.back()[i]);
    }
  }
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + std::ptrdiff_t(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double limit = deviations * 1.4826 * *middle;
  constexpr std::size_t beside = 2;
  std::size_t count = 0;
  std::vector<std::vector<char>> masks;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const FilmRecord& r = records[k];
    masks.push_back(r.is_blurred.empty() ? std::vector<char>(r.force.size(), 0) : r.is_blurred);
    for (std::size_t i = 0; i < r.force.size(); ++i) {
      if (!r.is_scored(i) || errors[k][i] <= limit) continue;
      for (std::size_t j = i > beside ? i - beside : 0; j < std::min(i + beside + 1, r.force.size()); ++j) {
        count += r.is_scored(j) && !masks[k][j] ? 1 : 0;
        masks[k][j] = 1;
      }
    }
  }
  if (count == 0 || count > sizes.size() / 20) return 0;
  for (std::size_t k = 0; k < records.size(); ++k) records[k].is_blurred = std::move(masks[k]);
  return count;
}

FilmDynamics fit_film_dynamics(const std::vector<FilmRecord>& records, const FrictionSettings& start,
                               const std::vector<std::string>& free_keys, const std::vector<SteadyPoint>& points) {
  const std::size_t scored = scored_in(records), rows = scored + points.size();
  if (scored <= free_keys.size())
    throw Error("film dynamics: " + std::to_string(scored) + " samples for " + std::to_string(free_keys.size()) +
                " free parameters");
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
    if (value_of(here, false, "stiction_force") < value_of(here, false, "coulomb_force") ||
        value_of(here, true, "stiction_force") < value_of(here, true, "coulomb_force"))
      return false;  // the film thickness of steady sliding would be negative
    std::size_t at = 0;
    for (const FilmRecord& r : records) {
      const std::vector<double> force = film_force(here, r);
      for (std::size_t i = 0; i < force.size(); ++i)
        if (r.is_scored(i)) out[at++] = r.force[i] - force[i];
    }
    for (const SteadyPoint& p : points)
      out[at++] = std::sqrt(double(p.samples)) * (p.force - film_steady_force(here, p.speed));
    return true;
  };
  const LeastSquaresFit fit = levenberg_marquardt(free, rows, residuals, {.most_steps = 40, .difference = 1e-4});
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
  found.rms = std::sqrt(fit.residuals.head(Eigen::Index(scored)).squaredNorm() / double(scored));
  found.scored = scored;
  return found;
}

}  // namespace stickslip::inline identification
