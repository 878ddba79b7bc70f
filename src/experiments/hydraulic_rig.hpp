/// The cylinder of Tran 2014 with its friction, as the four experiments use it: Tran 2014 Table 1 and 2
/// The port width is calibrated (not printed); Table 2's rows v_b and n are swapped in print and corrected here.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/table.hpp"
#include "machines/cylinder/cylinder.hpp"
#include "machines/friction/friction.hpp"
#include "report/figure.hpp"

namespace stickslip::tran {

inline constexpr double sampling_hz = 2000, bristle_stiffness = 5e6;

HydraulicCylinder cylinder();
/// Tran's friction by the model's name; forward and backward parameters of Table 2.
std::unique_ptr<Friction> friction(const std::string& model);
/// x 0.1 m, at rest, P₁ = P₂ = P_s/2, bristles at −F_S(v<0)/σ₀, no film.
HydraulicStart start(const Friction& friction);

/// A finished run with samples at 2 kHz; throws Error otherwise.
HydraulicRun simulate(const Friction& friction, const HydraulicStart& from, const Signal& current, double end);
/// The same from Tran's start under `amplitude` sin(2π f t) [A].
HydraulicRun simulate_sine(const std::string& model, double amplitude, double frequency, double end);

/// Force of steady sliding at v [N]: Tran 2014 eq. 1, or with its film in balance eq. 12.
double steady_force(double velocity, bool has_film);

/// Velocity, friction and both pressures over `from` ≤ t ≤ `to`, as Tran 2014 draws them.
Figure figure(const HydraulicRun& run, const std::string& title, const std::string& subtitle, double from, double to);
/// All sampled columns, every n-th row.
Table table(const HydraulicRun& run, std::size_t every_nth);

}  // namespace stickslip::tran

namespace stickslip::inline experiments {

/// √(mean x²)
double root_mean_square(std::span<const double> values);
/// Σ |x_{k+1} − x_k|
double total_variation(std::span<const double> values);
/// Where |Σ x_k e^{−2πi f k/f_s}| is largest for `from` ≤ f ≤ `to` [Hz], on a grid of `step`.
double spectral_peak(std::span<const double> values, double sampling_hz, double from, double to, double step);

}  // namespace stickslip::inline experiments
