/// The machine under a held torque; see clutch_by_wire_bench.hpp.
#include "machines/clutch_by_wire/clutch_by_wire_bench.hpp"

#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_check.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_run.hpp"

namespace stickslip::inline machines {

namespace {

/// Records nothing.
struct SilentSink {
  double next_sample() const { return HUGE_VAL; }
  template <class... Any>
  void sample(const Any&...) {}
  template <class... Any>
  void event(double, const Happening&, const Any&...) {}
  template <class... Any>
  void mode_time(const Any&...) {}
};

}  // namespace

struct ClutchBench::Machine {
  ClutchByWire clutch;
  ClutchControl control;  // its constant feedforward is the torque that is held
  SimulationOptions options;
  using Plant = ClutchPlant<ClutchResistance>;
  Plant::Mode mode;
  std::array<double, Plant::totals + Plant::capacity> y{};
  double time = 0;

  double* state() { return y.data() + Plant::totals; }
  Plant plant() const { return {clutch, clutch.resistance, control, options}; }
};

ClutchBench::ClutchBench(const ClutchByWire& machine, const ClutchStart& start)
    : machine_(std::make_unique<Machine>()) {
  check(machine, {}, start);
  Machine& m = *machine_;
  m.clutch = machine;
  m.options.relative_tolerance = 1e-9;
  m.options.absolute_tolerance = 1e-11;
  m.state()[Machine::Plant::angle] = start.angle;
  m.state()[Machine::Plant::speed] = start.speed;
  m.mode = m.plant().start(0, m.state(), start.gap_position);
}
ClutchBench::~ClutchBench() = default;

double ClutchBench::time() const { return machine_->time; }
double ClutchBench::angle() const { return machine_->state()[Machine::Plant::angle]; }
double ClutchBench::speed() const { return machine_->state()[Machine::Plant::speed]; }
double ClutchBench::reading() const { return machine_->clutch.reading(angle()); }
bool ClutchBench::is_stuck() const { return machine_->mode.motion == Slip::stuck; }
bool ClutchBench::is_in_play(Direction d) const {
  const Mesh other = d == Direction::forward ? Mesh::backward_flank : Mesh::forward_flank;
  return machine_->mode.mesh == Mesh::gap || machine_->mode.mesh == other;
}
double ClutchBench::breakaway(Direction d) const {
  return machine_->plant().breakaway(machine_->mode, machine_->state(), d);
}
double ClutchBench::sliding(Direction d) const {
  const Machine& m = *machine_;
  if (is_in_play(d)) return m.clutch.motor_resistance;
  return m.clutch.resistance.sliding(m.plant().rack(m.mode, machine_->state()), 0, d);
}

void ClutchBench::hold(double torque, double duration) {
  Machine& m = *machine_;
  const double until = m.time + duration;
  if (is_stuck() && torque <= breakaway(Direction::forward) && -torque <= breakaway(Direction::backward)) {
    m.time = until;  // nothing can happen
    return;
  }
  m.control.feedforward = Signal(torque);
  m.options.start = m.time;
  m.options.end = until;
  const Machine::Plant plant = m.plant();
  SilentSink sink;
  EventDrivenRun<Machine::Plant, SilentSink> motion(plant, m.options, sink);
  motion.time = m.time;
  motion.y = m.y;
  motion.mode = m.mode;
  const Stop stop = motion.run();
  if (stop != Stop::finished)
    throw Error("clutch-by-wire: " + std::string(name_of(stop)) +
                " on the bench at t = " + significant(motion.time, 10) + " s");
  m.y = motion.y;
  m.mode = motion.mode;
  m.time = until;
}

}  // namespace stickslip::inline machines
