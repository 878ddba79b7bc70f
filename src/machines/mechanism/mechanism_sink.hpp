/// The results of a run of a mechanism: the columns of its samples, in the order of its parts, and its events.
/// Three kinds of run write here: steps of an integrator (one row at a time), chains and trees of friction (friction_chain.hpp, friction_tree.hpp), series (a step's samples
/// column by column).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "machines/mechanism/friction_chain.hpp"
#include "machines/mechanism/friction_tree.hpp"
#include "machines/mechanism/mechanism_series.hpp"
#include "machines/mechanism/mechanism_system.hpp"
#include "machines/motion.hpp"

namespace stickslip::inline machines {

/// Names and units of all columns beside time.
std::vector<SignalInfo> mechanism_columns(const Mechanism& m);

/// "heat of clutch": of every joint, lossy gear and stop.
std::vector<LedgerRow> heat_rows(const Mechanism& m, const MechanismLedger& ledger);

/// The values of those columns; `dy` and `torque` are the system's derivative and joint_torques().
template <class Put>
void put_mechanism_row(const Mechanism& m, const MechanismSystem& system, const MechanismMode& mode, double t,
                       const double* y, const double* dy, const std::vector<double>& torque, const Put& put) {
  const auto motion = [&](std::size_t row) { return static_cast<double>(static_cast<int>(mode.joint[row])); };
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    put(system.body_position(i, y));
    put(system.body_speed(i, y));
    put(system.body_acceleration(i, dy));
  }
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    put(system.slip(mode, j, y));
    put(torque[j]);
    put(system.capacity(mode, j, t));
    put(motion(j));
    put(system.joint_heat(j, y));
  }
  for (std::size_t i = 0; i < m.springs.size(); ++i) {
    put(system.elongation(i, y));
    put(system.spring_force(mode, i, t, y));
  }
  for (std::size_t i = 0; i < m.controllers.size(); ++i) put(system.controller_output(mode, i, t, y));
  for (std::size_t j = 0; j < m.joints.size(); ++j)
    if (m.joints[j].temperature.heat_capacity > 0) put(system.temperature(j, y));
  for (std::size_t i = 0; i < m.drags.size(); ++i)
    if (m.drags[i].temperature.heat_capacity > 0) {
      put(system.drag_torque(mode, i, t, y));
      put(system.drag_temperature(i, y));
    }
  for (std::size_t i = 0; i < m.ties.size(); ++i) put(system.tie_torque(i));
  for (std::size_t i = 0; i < m.lossy_gears.size(); ++i) {
    const std::size_t row = m.joints.size() + i;
    put(system.gear_torque(i));
    put(torque[row]);
    put(motion(row));
    put(system.joint_heat(row, y));
  }
  for (std::size_t row = m.joints.size() + m.lossy_gears.size(), i = 0; i < m.stops.size(); ++i) {
    double force = 0, touched = 0, heat = 0;
    for (; row < system.parts().size() && system.parts()[row].which == i; ++row) {
      const double sign = system.parts()[row].kind == StickingPart::Kind::low_stop ? -1 : 1;
      const bool is_closed = mode.joint[row] == Slip::stuck;
      force += is_closed ? sign * torque[row] : 0;
      touched = is_closed ? sign : touched;
      heat += system.joint_heat(row, y);
    }
    put(force);
    put(touched);
    put(heat);
  }
  for (std::size_t i = 0; i < m.drives.size(); ++i) put(system.drive_torque(i));
  for (std::size_t k = 0; k < m.stateful_joints.size(); ++k) {
    const double slip = system.stateful_slip(k, y);
    put(slip);
    put(system.stateful_torque(k));
    put(system.stateful_capacity(mode, k, t));
    put(slip > 0 ? 1 : slip < 0 ? -1 : 0);
    put(system.stateful_heat(mode, k, t, y));
    if (m.stateful_joints[k].temperature.heat_capacity > 0) put(system.stateful_temperature(k, y));
    for (std::size_t i = 0; i < m.stateful_joints[k].stateful_law->state_names().size(); ++i)
      put(system.stateful_state(k, i, y));
  }
}

/// A wanted column that is a row over the lanes of a linear mode (mechanism_glide.hpp).
struct LinearColumn {
  std::size_t slot;
  GlideVector row;
};

class MechanismSink {
 public:
  /// `system` is none where the motion is that of a chain. Throws Error for a wanted column that does not exist.
  MechanismSink(const Mechanism& m, const MechanismSystem* system, const SimulationOptions& options, MechanismRun& run);

  double next_sample() const { return next_ < times_.size() ? times_[next_] : std::numeric_limits<double>::infinity(); }

  void sample(double t, const double* y, const MechanismMode& mode);
  template <std::size_t n>
  void sample(double t, const std::array<double, n>& v, const MechanismMode& mode) {
    sample(t, v.data() + MechanismSystem::totals, mode);
  }
  /// Of a chain or a tree of friction; `place` says which of its interfaces a joint is.
  template <class Held>
  void sample(const Held& now, std::span<const std::size_t> place) {
    begin_row(now.time);
    for (std::size_t i = 0; i < m_.bodies.size(); ++i) put_body(now.position[i], now.speed[i], now.acceleration[i]);
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const std::size_t i = place[j];
      put_joint(now.slip(i), now.torque(i), now.capacity(j), now.motion[i], now.heat[i]);
    }
    ++next_;
  }
  /// All samples before `until` of the step that starts at t with y and lasts h.
  void sample(MechanismSeries& step, const MechanismMode& mode, const double* y, double t, double h, double until);

  /// The time between samples, if it is always the same and every wanted column can be a LinearColumn; otherwise 0.
  double even_interval() const { return even_interval_; }
  void linear_columns(const MechanismSeries& step, std::vector<LinearColumn>& columns);
  /// The next `count` samples of those columns, each at its place in `values`.
  void keep_linear(std::size_t count, const std::vector<LinearColumn>& columns, const std::vector<double*>& values);

  void event(double t, const Happening& h, const MechanismMode& mode);
  template <std::size_t n>
  void event(double t, const Happening& h, const std::array<double, n>&, const MechanismMode& mode) {
    event(t, h, mode);
  }
  void mode_time(const MechanismMode&, double) {}
  /// How the joints move at the start.
  void begin(const std::vector<Slip>& motion);
  /// The same for a system that has just been started: an immediate release is an event.
  void begin_at(const std::vector<Slip>& motion);
  /// The changes of a joint at one instant are one event, from its motion before to its motion after; none if they are the same.
  void keep(MechanismEvent e);
  /// As it is, as long as there is room.
  void keep_any(const MechanismEvent& e);

  /// The events so far have been taken: later ones are not merged with them.
  void begin_list() { instant_ = -std::numeric_limits<double>::infinity(), first_of_instant_ = 0; }
  /// What the next events depend on, read or written.
  template <class Archive>
  void keep_memory(Archive& archive) {
    archive(joint_, instant_, instants_, first_of_instant_);
  }

 private:
  static constexpr std::size_t unwanted = std::numeric_limits<std::size_t>::max();

  void begin_row(double t) {
    column_ = 0;
    put(t);
  }
  void put(double value) {
    if (const std::size_t slot = slot_[column_++]; slot != unwanted) run_.samples.columns[slot].values.push_back(value);
  }
  void put_body(double position, double speed, double acceleration) { put(position), put(speed), put(acceleration); }
  void put_joint(double slip, double torque, double capacity, Slip motion, double heat) {
    put(slip), put(torque), put(capacity), put(static_cast<double>(static_cast<int>(motion))), put(heat);
  }
  template <class Make>
  void put_block(const Make& make);
  void put_values(std::span<const double> coefficients, std::vector<double>& column);
  void put_lane(const MechanismSeries& step, MechanismSeries::LaneMultiple quantity);
  void add(std::string name, std::string unit);
  template <class PutLinear, class PutOther>
  void for_columns(const PutLinear& linear, const PutOther& other);

  const Mechanism& m_;
  const MechanismSystem* system_;
  const SimulationOptions& options_;
  MechanismRun& run_;
  std::vector<double> times_, dy_, torque_, theta_;
  LaneMemory lanes_at_;  // all lanes at each sample, where there are few
  Series kept_;
  double even_interval_ = 0;
  std::vector<std::size_t> slot_;  // of each column in the table, or unwanted
  std::vector<char> is_found_;     // of each wanted name
  std::size_t next_ = 0, column_ = 0, samples_ = 0;
  struct JointMotion {
    Slip now, before;              // this instant
    std::size_t last_instant = 0;  // at which it did something
  };
  std::vector<JointMotion> joint_;
  double instant_ = -std::numeric_limits<double>::infinity();
  std::size_t instants_ = 0, first_of_instant_ = 0;  // their number; the first event of this one
};

}  // namespace stickslip::inline machines
