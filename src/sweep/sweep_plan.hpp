/// Which parameter values the runs of a sweep have.
///   grid             every combination; the last parameter changes fastest
///   random           each run by chance, uniform between the ends
///   latin hypercube  each parameter's range cut into as many parts as there are runs, one run in each
///   Sobol            evenly spread however many parameters there are (sobol.hpp)
/// Ranges are even in the value or in its logarithm; of a list each value is as likely as the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stickslip::inline sweeps {

enum class PlanKind { grid, random, latin_hypercube, sobol };
inline const std::vector<std::string> plan_names{"grid", "random", "latin-hypercube", "sobol"};

struct SweptParameter {
  std::string path;            // in the scenario: "machine.stiffness"
  std::string unit;            // SI; "" for a plain number
  double low = 0, high = 0;    // of a range
  std::size_t count = 0;       // of a range in a grid
  bool logarithmic = false;    // even in the logarithm
  std::vector<double> values;  // or these; empty: the range
};

struct SweepPlan {
  PlanKind kind = PlanKind::grid;
  std::size_t runs = 0;  // of all kinds; of a grid the product of its counts
  std::uint64_t seed = 1;
  std::vector<SweptParameter> parameters;
};

/// Points of one parameter in a grid.
std::size_t grid_count(const SweptParameter& parameter);
/// The value at a share 0 to 1 of the way, or the value of the list there.
double value_at(const SweptParameter& parameter, double share);

/// All values [SI], run by run, parameters side by side. The same for the same plan everywhere.
std::vector<double> plan_points(const SweepPlan& plan);

}  // namespace stickslip::inline sweeps
