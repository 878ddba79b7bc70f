/// Batches of a friction model chosen by name (batch.hpp has those chosen by type).
///   if (can_batch("lugre")) simulate_batch(NamedBatch{"lugre", shared, {"coulomb_force"}, levels, bodies}, {}, results);
/// Every law with one bristle state that obeys an ODE, and ideal stick-slip friction whose breakaway is one level;
/// batch_models() lists them.
/// Not here: laws with several states, elements or modes of their own; parameters that vary or differ by direction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline batch {

/// Cases of one model that share everything but the listed numbers and their bodies.
struct NamedBatch {
  std::string model;
  ParameterValues values;                 // of all cases, as for make_friction; choices belong here
  std::vector<std::string> varied;        // keys of the numbers that differ from case to case; they override `values`
  std::span<const double> varied_values;  // row by row: case i has those from i * varied.size() on
  std::span<const BatchBody> bodies;      // one per case
};

/// The names of all models a batch can run.
std::vector<std::string_view> batch_models();
bool can_batch(std::string_view model);
/// The body in the form of a batch, if it has that form: applied force, wall spring or pulled spring from time 0 on, whose input is
/// a constant or a ramp until `end`; a pulled end must start at 0.
std::optional<BatchBody> batch_body(const Body& body, double end);

/// Runs all cases; results[i] belongs to bodies[i]. Throws Error for an unknown or unsuitable model and for values that
/// make no sense, naming case and parameter.
void simulate_batch(const NamedBatch& batch, const BatchOptions& options, std::span<BatchResult> results);

}  // namespace stickslip::inline batch
