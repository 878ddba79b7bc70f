/// Many runs of one body at once, one per SIMD lane, each with its own parameters, steps and end.
///   dx/dt = v,   m dv/dt = u − F,   u = f + r t + k s + c (V − v),   s = V t − x                     (1)
/// A body pulled through a spring and a damper at speed V, pushed by a force f + r t, or both (with V = 0 the spring is
/// fixed to a wall). F is any friction law with one bristle state (`rate` and `force`), or ideal stick-slip friction.
/// Every run agrees with the solver of single runs within the tolerance (10 s of stick-slip at a tolerance of 1e-8:
/// within 2e-6 m and m/s); it depends on nothing but its own case and the instruction set: not on the lane, the size of the
/// batch or the number of threads, bit for bit.
/// Not here: other inputs, controllers, parameters that vary, sampled output (machines/one_body/driven_body.hpp has them).
#pragma once

#include <span>

#include "core/instruction_set.hpp"
#include "core/run.hpp"
#include "models/coulomb_viscous.hpp"
#include "models/dahl.hpp"
#include "models/elastoplastic.hpp"
#include "models/lugre.hpp"
#include "models/lugre_bristle.hpp"
#include "models/stribeck.hpp"

namespace stickslip::inline batch {

/// Eq. (1) except friction, and the initial state.
struct BatchBody {
  double mass = 1;                    // m [kg]
  double stiffness = 0, damping = 0;  // k [N/m], c [N s/m]
  double pull_speed = 0;              // V [m/s]
  double force = 0, force_rate = 0;   // f [N], r [N/s]
  double position = 0, velocity = 0;  // at the start [m], [m/s]
  double state = 0;                   // of the bristles at the start
};

template <template <class> class Model>
struct BatchCase {
  Model<double> friction;
  BatchBody body;
};

struct BatchOptions {
  double end = 10;                   // [s]
  double relative_tolerance = 1e-6;  // of each step
  double absolute_tolerance = 0;     // [m], [m/s]; 0: a hundredth of the relative one. Less for a body that creeps
  double observe_from = 0;           // slips and extremes count from here on [s]
  double slip_speed = 0;             // passing it in the direction of the pull begins a slip [m/s]; 0: a tenth of that
  double most_steps = 1e6;           // per run, taken and rejected
  unsigned threads = 1;              // 0: all cores; results do not depend on it
  InstructionSet instructions = chosen_instruction_set();
};

struct BatchResult {
  Stop stop = Stop::finished;
  double time = 0;                               // reached [s]
  double position = 0, velocity = 0, state = 0;  // there
  double slips = 0;                              // how many began
  double first_slip = 0, last_slip = 0;          // when [s]; NaN without any
  double period = 0;                             // mean time between slips [s]; NaN below two
  double largest_velocity = 0, least_velocity = 0;
  double largest_stretch = 0, least_stretch = 0;  // of the spring, s [m]
  double amplitude = 0;                           // half of what the stretch covers [m]
  double work_in = 0;                             // of the pull and the force, from the start [J]
  double friction_work = 0;                       // into friction, its bristles included [J]
  double damper_heat = 0;                         // [J]
  double steps = 0, rejected = 0;
};

/// Runs all cases; results[i] belongs to cases[i]. Throws Error for an invalid case. Choices (the form of the
/// Stribeck level) are the same in all cases of one batch. One allocation per call and those of its threads, none per run.
void simulate_batch(std::span<const BatchCase<lugre::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);
void simulate_batch(std::span<const BatchCase<dahl::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);
void simulate_batch(std::span<const BatchCase<lugre_bristle::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);
void simulate_batch(std::span<const BatchCase<elastoplastic::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);
/// Ideal friction: the state is the direction of sliding at the end, 0 while stuck.
void simulate_batch(std::span<const BatchCase<stribeck::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);
void simulate_batch(std::span<const BatchCase<coulomb_viscous::Model>> cases, const BatchOptions& options,
                    std::span<BatchResult> results);

}  // namespace stickslip::inline batch
