/// stickslip film-test as a function: stiffness, film times and viscous lag of new-modified-lugre, the static curve being known.
#pragma once
#include <functional>

#include "identification/experiments/film_dynamics.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::inline jobs {

struct FilmRequest {
  std::vector<RecordingSource> recordings;  // all are fitted together
  std::vector<RecordingSource> test = {};   // predicted as they are
  std::vector<RecordingSource> speeds =
      {};  // runs at constant speeds, for the static curve; it is fitted together with the rest
  std::optional<ModelFile> friction = {};  // the static curve, or an earlier result; not needed with `speeds`
  std::vector<std::string> free =
      {};  // beside film_keys; "static": levels, Stribeck curve and viscosity, both directions
  std::vector<std::string> fixed = {};  // "thinning_time='1.5 s'": known, not fitted
  /// Of a linear or of a rotary machine: units are known once the first recording is.
  std::function<Preparation(bool is_rotary)> preparation = {};
  ReadOptions reading = {};
};

/// Throws Error for recordings or a model file that cannot be used. `is_found` is false where more than half of the force's variance
/// stays unexplained.
TestFinding film_finding(const FilmRequest& request, const Warn& warn);

}  // namespace stickslip::inline jobs
