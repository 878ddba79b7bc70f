#include "batch/batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "batch/task.hpp"
#include "core/error.hpp"
#include "core/has_avx512.hpp"
#include "core/text.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline batch {

namespace {

[[noreturn]] void refuse(std::size_t number, const std::string& what) {
  throw Error("batch, case " + std::to_string(number) + ": " + what);
}

void require_sensible(const BatchBody& b, std::size_t number) {
  if (!(b.mass > 0) || !std::isfinite(b.mass)) refuse(number, "mass is " + shortest(b.mass) + "; it must be positive");
  for (const auto& [name, value] : {std::pair{"stiffness", b.stiffness}, std::pair{"damping", b.damping}})
    if (!(value >= 0) || !std::isfinite(value))
      refuse(number, std::string(name) + " is " + shortest(value) + "; it must be 0 or more");
  for (const auto& [name, value] :
       {std::pair{"pull_speed", b.pull_speed}, std::pair{"force", b.force}, std::pair{"force_rate", b.force_rate},
        std::pair{"position", b.position}, std::pair{"velocity", b.velocity}, std::pair{"state", b.state}})
    if (!std::isfinite(value)) refuse(number, std::string(name) + " is " + shortest(value) + "; it must be finite");
}

template <template <class> class Model>
void require_sensible(const Model<double>& m, const Model<double>& first, std::size_t number) {
  const auto check = [&](const auto& row) {
    const auto& value = m.*(row.member);
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      if (value != first.*(row.member))
        refuse(number, std::string(row.info.key) + " differs from that of case 0; one batch has one");
    } else if (!is_allowed(row.info.domain, value)) {
      refuse(number, std::string(row.info.key) + " is " + shortest(value) + ", which is outside its domain");
    }
  };
  std::apply([&](const auto&... row) { (check(row), ...); }, Model<double>::parameters());
}

BatchOptions settled(BatchOptions o) {
  if (!(o.end > 0) || !std::isfinite(o.end))
    throw Error("batch: end is " + shortest(o.end) + " s; it must be positive");
  if (!(o.relative_tolerance > 0 && o.relative_tolerance < 0.1))
    throw Error("batch: relative_tolerance is " + shortest(o.relative_tolerance) + "; it must be between 0 and 0.1");
  if (!(o.absolute_tolerance > 0)) o.absolute_tolerance = 1e-2 * o.relative_tolerance;
  if (!is_available(o.instructions))
    throw Error("batch: this processor has no " + std::string(name_of(o.instructions)));
  return o;
}

/// Errors below these count for nothing. Under a growing load a body at rest creeps at the load's rate over the bristles'
/// stiffness, (k V + r)/(∂F/∂z ∂ż/∂v); an error of that size hides a breakaway, so the velocity's floor lies well below.
template <template <class> class Model>
BatchScales scales_of(const BatchCase<Model>& c, const BatchOptions& o) {
  using Slopes = Dual<2>;
  Contact<Slopes> rest;
  rest.velocity = Slopes::variable(0, 0);
  const Slopes state = Slopes::variable(0, 1), state_rate = rate(c.friction, state, rest);
  const double state_per_length = state_rate.slope[0], scale = state_scale(c.friction);
  const double stiffness = force(c.friction, state, state_rate, rest).slope[1] * state_per_length;
  const double creep = std::fabs(c.body.stiffness * c.body.pull_speed + c.body.force_rate) / stiffness;
  const double least = 0.1 * scale / state_per_length / o.end;  // a tenth of the bristles' reach in the whole run
  const double floor = 0.02 * std::max(creep, least);
  return {o.relative_tolerance * scale,
          std::isfinite(floor) ? std::min(o.absolute_tolerance, floor) : o.absolute_tolerance};
}

template <template <class> class Model>
void run_lanes(const BatchTask<Model>& task) {
  switch (task.options.instructions) {
#if STICKSLIP_HAS_AVX512
    case InstructionSet::avx512:
      return avx512::run_batch(task);
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return avx2::run_batch(task);
#endif
    default:
      return baseline::run_batch(task);
  }
}

/// What follows from all that was seen; nothing seen is NaN.
void complete(BatchResult& r) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  if (r.slips == 0) r.first_slip = r.last_slip = nothing;
  r.period = r.slips > 1 ? (r.last_slip - r.first_slip) / (r.slips - 1) : nothing;
  if (r.largest_velocity < r.least_velocity)
    r.largest_velocity = r.least_velocity = r.largest_stretch = r.least_stretch = nothing;
  r.amplitude = 0.5 * (r.largest_stretch - r.least_stretch);
}

template <template <class> class Model>
void simulate_any(std::span<const BatchCase<Model>> cases, const BatchOptions& options,
                  std::span<BatchResult> results) {
  if (results.size() != cases.size())
    throw Error("batch: room for " + std::to_string(results.size()) + " results of " + std::to_string(cases.size()) +
                " cases");
  const BatchOptions checked = settled(options);
  if (cases.empty()) return;
  constexpr bool has_bristles = requires { state_scale(cases[0].friction); };
  std::vector<BatchScales> scales(has_bristles ? cases.size() : 0);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    require_sensible(cases[i].body, i);
    require_sensible<Model>(cases[i].friction, cases[0].friction, i);
    if constexpr (has_bristles) scales[i] = scales_of<Model>(cases[i], checked);
  }
  std::size_t next = 0, next_of_rest = 0;
  const BatchTask<Model> task{cases, scales, checked, results, &next, &next_of_rest};
  // Lanes of all threads take cases from one counter: no lane waits while there is a case left.
  const unsigned threads = thread_count(checked.threads);
  if (threads == 1)
    run_lanes(task);
  else
    parallel_for(threads, threads, [&](std::size_t) { run_lanes(task); });
  for (BatchResult& r : results) complete(r);
}

}  // namespace

void simulate_batch(std::span<const BatchCase<lugre::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<lugre::Model>(cases, options, results);
}
void simulate_batch(std::span<const BatchCase<dahl::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<dahl::Model>(cases, options, results);
}
void simulate_batch(std::span<const BatchCase<lugre_bristle::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<lugre_bristle::Model>(cases, options, results);
}
void simulate_batch(std::span<const BatchCase<elastoplastic::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<elastoplastic::Model>(cases, options, results);
}
void simulate_batch(std::span<const BatchCase<stribeck::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<stribeck::Model>(cases, options, results);
}
void simulate_batch(std::span<const BatchCase<coulomb_viscous::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results) {
  simulate_any<coulomb_viscous::Model>(cases, options, results);
}

}  // namespace stickslip::inline batch
