/// What the published experiments measure on a run: crossings, extremes, loop areas, times of rest.
///
/// Between two samples a quantity is the cubic through both values and both slopes,
///   q(τ) = q₀ + h (q̇₀ τ + (3 δ − 2 q̇₀ − q̇₁) τ² + (q̇₀ + q̇₁ − 2 δ) τ³),   δ = (q₁ − q₀)/h,   τ = (t − t₀)/h       (1)
/// so a crossing sampled every millisecond is located to well below a nanosecond where the motion is smooth.
/// Not here: friction, machines, drawing.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "experiments/experiment.hpp"
#include "machines/friction/friction.hpp"
#include "report/figure.hpp"

namespace stickslip::inline experiments {

/// A sampled quantity with its slope; what it points to must outlive it.
struct Curve {
  std::span<const double> time, value, slope;
};

enum class Way { up, down };

/// Times at which the curve passes `level` in one direction, eq. (1) [s].
std::vector<double> crossings(const Curve& curve, double level, Way way);
/// Smallest and largest value for `from` ≤ t ≤ `to`, eq. (1).
struct Extremes {
  double low, high;
  double middle() const { return 0.5 * (low + high); }
  double half_range() const { return 0.5 * (high - low); }
};
Extremes extremes(const Curve& curve, double from, double to);

/// dv/dt at the samples [m/s²] of a body without added mass.
std::vector<double> acceleration(const Samples& samples, double mass);
/// Spring length l = y(t) − x at the samples [m], for an end pulled at constant speed.
std::vector<double> spring_length(const Samples& samples, double pull_speed);

/// Times of one kind of event [s].
std::vector<double> times_of(const Run& run, EventKind kind);
/// When the run was in `mode`, from its events.
std::vector<Interval> times_in_mode(const Run& run, int mode);

/// Largest distance between two columns sampled at the same times.
double largest_distance(std::span<const double> a, std::span<const double> b);
/// ∮ input d(output) by the trapezoidal rule.
double loop_area(std::span<const double> input, std::span<const double> output);
/// Mean distance of neighbours.
double mean_spacing(std::span<const double> times);

/// The run, or an Error that says why it did not finish.
Run finished(const Friction& friction, const Body& body, const SimulationOptions& options);

/// Every n-th value, for tables and figures.
std::vector<double> every(std::size_t n, std::span<const double> values);
/// The values with `from` ≤ t ≤ `to`.
std::vector<double> within(std::span<const double> time, std::span<const double> values, double from, double to);

/// Rows of the comparison. A value is taken for an independent reference and a bound for a self-check, unless the row is
/// passed through printed(), independent() or self_check().
ComparedRow near(std::string quantity, std::string unit, double reference, double ours, double tolerance);
ComparedRow below(std::string quantity, std::string unit, double limit, double ours);
ComparedRow above(std::string quantity, std::string unit, double limit, double ours);

/// The row with another origin.
ComparedRow printed(ComparedRow row);
ComparedRow independent(ComparedRow row);
ComparedRow self_check(ComparedRow row);

/// One row per reference value, "breakaway 1", "breakaway 2", ...; a missing value of ours fails its row.
void add_rows(std::vector<ComparedRow>& rows, const std::string& quantity, const std::string& unit,
              const std::vector<double>& references, const std::vector<double>& ours, double tolerance);

/// value(i), or NaN if there are fewer: a row then fails instead of the program.
double nth(std::span<const double> values, std::size_t i);

}  // namespace stickslip::inline experiments
