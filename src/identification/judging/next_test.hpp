/// Which test would determine parameters that a recording leaves open: from the Fisher information that concrete tests would add.
///   I = C⁻¹ of the recording;  a test adds  Σ_i g_i g_iᵀ / (τ σ² + (dF/dx)² q²/12),  g = ∂F/∂p along its motion      (1)
///   standard error after it: √[(I + that)⁻¹]_kk                                                                  (2)
/// σ: errors of the fit, τ: how much wider than white ones its intervals are; q: resolution of the position. Tests stay within
/// the range of this recording: speed, acceleration, position, sampling.
///   strokes at constant speeds both ways, slow and fast; sines over the whole range; slow and fast micro-strokes about the
///   distance d within which the law's force reverses, from its own numbers; breakaways of a law that truly sticks.     (3)
/// Errors of the model itself are not in (1): more samples do not correct a wrong law.
#pragma once

#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"
#include "identification/laws/model_fit.hpp"

namespace stickslip::inline identification {

/// Limits of the axis, as far as the recording shows them.
struct AxisLimits {
  double speed = 0, acceleration = 0, stroke = 0;                 // [m/s], [m/s²], from end to end [m]
  double sampling_time = 0, resolution = 0;                       // [s], [m]
  double load = 0, pressure = 0, temperature = room_temperature;  // those in the middle, for laws that follow them
  bool rotary = false;
};
AxisLimits axis_limits(const Sets& sets);

/// A test, its description and its motion.
struct ProposedTest {
  std::string words;  // "strokes of 60 mm both ways at 4.2, 13 and 42 mm/s"
  PrescribedMotion motion = {};
  std::size_t breakaways = 0;  // instead of a motion
  double breakaway_error = 0;  // of each [N]
  double duration = 0;         // [s]
};
std::vector<ProposedTest> tests_within(const AxisLimits& limits, const ModelSpace& space, const ModelFit& found,
                                       const FitData& data);

/// One sentence per parameter that is not well determined: the test that narrows it most and to what, or that none does. For one that the recording
/// leaves open, the test alone: (1) holds close to the fit only.
std::vector<std::string> test_advice(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                     const Confidence& confidence, const FitData& data);

/// (2), of every parameter, after a test; infinity if nothing determines it.
std::vector<double> errors_after(const ProposedTest& test, const AxisLimits& limits, const ModelSpace& space,
                                 const ModelFit& found, const Confidence& confidence, double noise);

}  // namespace stickslip::inline identification
