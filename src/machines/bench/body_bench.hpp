/// A virtual test bench: one body with any friction model, an encoder that rounds down, a force that is held.
///   const BenchRecord r = breakaway_record({.mass = 1, .resolution = 1e-3}, *friction, {.ramp = 0.1, .to = 0.02});
/// The motion takes steps of a tenth of the time a force is held, with the exact friction of each step
/// (machines/one_body/fixed_step.hpp).
#pragma once

#include <memory>

#include "machines/bench/test_procedure.hpp"
#include "machines/friction/friction.hpp"
#include "machines/one_body/driven_body.hpp"

namespace stickslip::inline machines {

struct BenchBody {
  double mass = 1;        // [kg]
  double resolution = 0;  // of the encoder [m]; 0: the position itself
  double position = 0;    // at the start, at rest [m]
};

class BodyBench {
 public:
  BodyBench(const BenchBody& body, const Friction& friction)
      : body_(body), motion_(friction.fixed_stepper(body.mass, body.position, 0)) {}

  double time() const { return time_; }
  double reading() const {
    const double x = motion_->position();
    return body_.resolution > 0 ? body_.resolution * std::floor(x / body_.resolution) : x;
  }
  void hold(double force, double duration) {
    constexpr int steps = 10;
    for (int i = 0; i < steps; ++i) motion_->step(force, duration / steps);
    time_ += duration;
  }
  bool is_stuck() const { return motion_->velocity() == 0; }

 private:
  BenchBody body_;
  std::unique_ptr<FixedStepper> motion_;
  double time_ = 0;
};

/// Throws Error if the ramp gives up.
inline BenchRecord breakaway_record(const BenchBody& body, const Friction& friction, const RampProgram& program) {
  BenchBody start = body;
  start.position = program.from + 0.5 * body.resolution;
  BodyBench bench(start, friction);
  return ramp_there_and_back(
      bench, program, [](Direction) {}, [](std::size_t) {});
}

inline BenchRecord sinusoid_record(const BenchBody& body, const Friction& friction, const SineProgram& program,
                                   double speed) {
  BenchBody start = body;
  start.position = program.centre - speed / (2 * 3.14159265358979323846 * program.frequency_hz);
  BodyBench bench(start, friction);
  return follow_sine(bench, program, speed, [](bool) {});
}

}  // namespace stickslip::inline machines
