#include "machines/servo_pendulum/servo_motion.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/signal.hpp"
#include "machines/plant_motion.hpp"

namespace stickslip::inline machines {
namespace {

/// Straight between samples; switched at samples.
Signal through(const std::vector<double>& values, double interval, bool is_switched) {
  std::vector<double> times, heights;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double t = static_cast<double>(i) * interval;
    if (is_switched && i > 0 && values[i] != values[i - 1]) times.push_back(t), heights.push_back(values[i - 1]);
    if (is_switched && i > 0 && values[i] == values[i - 1]) continue;
    times.push_back(t), heights.push_back(values[i]);
  }
  return Signal::table(times, heights);
}

const MotionSignals& servo_signals() {
  static const MotionSignals all{{{"goal", "rad"}, {"voltage", "V"}, {"enabled", ""}},
                                 {{"angle", "rad"},
                                  {"speed", "rad/s"},
                                  {"duty", ""},
                                  {"motor_torque", "N m"},
                                  {"friction_torque", "N m"},
                                  {"stuck", ""}},
                                 {}};
  return all;
}

class ServoMotion final : public SteppedMotion {
 public:
  ServoMotion(const ServoPendulum<double>& servo, const ServoLog& log, std::size_t substeps, bool lists_events)
      : servo_(servo),
        log_(log),
        substeps_(substeps),
        h_(log.interval / static_cast<double>(substeps)),
        whole_(prepared(servo, log.firmware_gain, h_)),
        input_{through(log.goal, log.interval, false), through(log.voltage, log.interval, false),
               through(log.enabled, log.interval, true)},
        x_{log.start_angle, log.start_speed},
        stored_start_(stored()),
        lists_events_(lists_events) {}

  double time() const override { return now_; }
  Stop advance(double until) override {
    check_forward(now_, until);
    while (now_ < until - 1e-9 * h_) {
      const double left = until - now_;
      if (left < h_ * (1 - 1e-9)) {
        step(prepared(servo_, log_.firmware_gain, left), left);
        begin_ = now_ = until;
        taken_ = 0;
      } else {
        step(whole_, h_);
        now_ = begin_ + static_cast<double>(++taken_) * h_;
      }
      if (!std::isfinite(x_.angle)) return Stop::not_finite;
    }
    return Stop::finished;
  }
  const std::vector<SignalInfo>& inputs() const override { return servo_signals().inputs; }
  double input(std::size_t which) const override { return input_[which](now_); }
  void set_input(std::size_t which, double value, double slope) override {
    check_input(value, slope);
    if (which == 2 && ((value != 0 && value != 1) || slope != 0))
      throw Error("enabled is set to " + shortest(value) + "; it must be 0 or 1");
    input_[which].set_line(now_, value, slope);
  }
  const std::vector<SignalInfo>& outputs() const override { return servo_signals().outputs; }
  /// Duty and torques are those of the last step.
  void read(std::span<double> values) const override {
    std::size_t i = 0;
    for (const double value :
         {x_.angle, x_.speed, last_.duty, last_.motor_torque, last_.friction, x_.speed == 0 ? 1.0 : 0.0})
      values[i++] = value;
  }
  std::string_view mode() const override { return x_.speed == 0 ? "stuck" : x_.speed > 0 ? "forward" : "backward"; }
  std::vector<MotionEvent> take_events() override {
    std::vector<MotionEvent> events;
    for (const Change& change : events_) {
      const EventKind kind = change.is_stick ? EventKind::stick : EventKind::release;
      events.push_back({change.time, kind, std::string(name_of(kind)), change.is_stick ? "stuck" : "moving"});
    }
    events_.clear();
    return events;
  }
  std::vector<LedgerRow> ledger() const override {
    const double change = stored() - stored_start_;
    return {{"work of the motor", motor_work_},
            {"change of stored energy", change},
            {"heat of gear friction", friction_heat_},
            {"heat of viscosity", viscous_heat_},
            {"residual", motor_work_ - change - friction_heat_ - viscous_heat_}};
  }
  std::unique_ptr<Motion> clone() const override {
    auto copy = std::make_unique<ServoMotion>(servo_, log_, substeps_, lists_events_);
    copy->load(save());
    return copy;
  }
  std::vector<std::byte> save() const override {
    ArchiveWriter archive;
    const_cast<ServoMotion&>(*this).keep(archive);  // writing changes nothing
    return archive.take();
  }
  void load(std::span<const std::byte> saved) override {
    ArchiveReader archive(saved);
    keep(archive);
    if (!archive.is_done()) throw Error("the saved motion belongs to another machine: it is too long for this one");
  }

 private:
  struct Change {
    double time = 0;
    bool is_stick = false;
  };

  double stored() const {
    const double inertia = servo_.mass * servo_.length * servo_.length + servo_.armature;
    return 0.5 * inertia * x_.speed * x_.speed +
           servo_.mass * standard_gravity * servo_.length * (1 - std::cos(x_.angle));
  }
  void step(const ServoStep<double>& prepared_step, double h) {
    const double middle = now_ + 0.5 * h;
    const double enabled = input_[2](middle);
    last_ = advanced(prepared_step, x_, {input_[0](middle), input_[1](middle), enabled});
    last_.duty *= enabled;  // a bridge that is off has none
    const double mean = 0.5 * (x_.speed + last_.state.speed), turned = h * mean;
    motor_work_ += last_.motor_torque * turned;
    friction_heat_ += last_.friction * turned;
    viscous_heat_ += servo_.viscosity * mean * turned;
    const bool was_stuck = x_.speed == 0, is_stuck = last_.state.speed == 0;
    if (lists_events_ && was_stuck != is_stuck) events_.push_back({is_stuck ? now_ + h : now_, is_stuck});
    x_ = last_.state;
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(begin_, now_, taken_, x_, last_, motor_work_, friction_heat_, viscous_heat_, stored_start_, events_);
    for (Signal& signal : input_) archive(signal);
  }

  ServoPendulum<double> servo_;
  ServoLog log_;
  std::size_t substeps_;
  double h_;
  ServoStep<double> whole_;
  std::array<Signal, 3> input_;
  ServoState<double> x_;
  ServoMove<double> last_{};
  double begin_ = 0, now_ = 0;
  std::size_t taken_ = 0;  // whole steps since begin_
  double motor_work_ = 0, friction_heat_ = 0, viscous_heat_ = 0, stored_start_;
  std::vector<Change> events_;
  bool lists_events_ = true;
};

}  // namespace

std::unique_ptr<Motion> servo_motion(const ServoPendulum<double>& servo, const ServoLog& log, std::size_t substeps,
                                     bool lists_events) {
  check(log);
  return std::make_unique<ServoMotion>(servo, log, substeps, lists_events);
}

}  // namespace stickslip::inline machines
