/// See servo_axis.hpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/signal.hpp"
#include "core/units.hpp"
#include "machines/plant_motion.hpp"
#include "machines/servo_axis/servo_axis.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double chord = 0.1, faded = 1e-4;  // of the lag; of a change that is over

class AxisMotion final : public SteppedMotion {
 public:
  AxisMotion(const ServoAxis& axis, const SimulationOptions& options)
      : axis_(axis),
        options_(options),
        controller_(axis.gains, axis.feedforward, axis.observer, axis.body.mass),
        reference_(axis.reference) {
    Body body = axis.body;
    body.drive = {};
    body.drive.input = Signal(axis.start_force);
    body_ = axis_.friction->motion(body, options);
    inputs_ = body_->inputs();
    inputs_[0].unit = body.is_rotary ? "rad" : "m";
    outputs_ = body_->outputs();
    const std::string length = body.is_rotary ? "rad" : "m", force = body.is_rotary ? "N m" : "N",
                      word = body.is_rotary ? "torque" : "force";
    own_ = outputs_.size();
    outputs_.push_back({"reference", length});
    outputs_.push_back({"tracking_error", length});
    outputs_.push_back({"command_" + word, force});
    outputs_.push_back({"compensation_" + word, force});
    seen_.resize(own_);
    pending_.reserve(static_cast<std::size_t>(std::min(1e6, axis.delay / axis.gains.sampling_time)) + 2);
    now_.time = now_.begin = options.start;
    now_.acting = axis.start_force;
    now_.has_acted = axis.start_force != 0;
    controller_.start(now_.time, reference_, body.position, body.velocity);
  }

  double time() const override { return now_.time; }
  /// A sample that is due at the end of a call is taken when the next begins, so that it sees what is set in between.
  Stop advance(double until) override {
    check_forward(now_.time, until);
    while (now_.time < until) {
      if (options_.watch) {
        options_.watch->reached.store(now_.time, std::memory_order_relaxed);
        if (options_.watch->cancel.load(std::memory_order_relaxed)) return Stop::cancelled;
      }
      if (const Stop acted = act(); acted != Stop::finished) return acted;
      const double next = std::min({until, next_sample(), pending_.empty() ? never : pending_.front().at, now_.bend});
      const Stop stop = body_->advance(next);
      now_.time = body_->time();
      if (stop != Stop::finished) return stop;
    }
    return Stop::finished;
  }

  const std::vector<SignalInfo>& inputs() const override { return inputs_; }
  double input(std::size_t which) const override { return which == 0 ? reference_(now_.time) : body_->input(which); }
  void set_input(std::size_t which, double value, double slope) override {
    if (which > 0) return body_->set_input(which, value, slope);
    check_input(value, slope);
    reference_.set_line(now_.time, value, slope);
  }
  const std::vector<SignalInfo>& outputs() const override { return outputs_; }
  void read(std::span<double> values) const override {
    body_->read(values.first(own_));
    const double wanted = reference_(now_.time);
    values[own_] = wanted;
    values[own_ + 1] = wanted - values[0];
    values[own_ + 2] = now_.asked;
    values[own_ + 3] = controller_.compensation();
  }
  std::string_view mode() const override { return body_->mode(); }
  std::vector<MotionEvent> take_events() override {
    auto events = body_->take_events();
    std::erase_if(events, [](const MotionEvent& e) { return e.kind == EventKind::input_breakpoint; });
    return events;
  }
  std::vector<LedgerRow> ledger() const override { return body_->ledger(); }
  std::unique_ptr<Motion> clone() const override {
    auto copy = std::make_unique<AxisMotion>(axis_, options_);
    copy->load(save());
    return copy;
  }
  std::vector<std::byte> save() const override {
    ArchiveWriter archive;
    auto bytes = body_->save();
    auto& self = const_cast<AxisMotion&>(*this);  // writing changes nothing
    archive(self.now_, self.pending_, self.reference_, bytes);
    self.controller_.keep(archive);
    return archive.take();
  }
  void load(std::span<const std::byte> saved) override {
    ArchiveReader archive(saved);
    std::vector<std::byte> bytes;
    archive(now_, pending_, reference_, bytes);
    controller_.keep(archive);
    if (!archive.is_done()) throw Error("the saved motion belongs to another machine: it is too long for this one");
    body_->load(bytes);
  }

 private:
  struct Asked {
    double at = 0, force = 0;
  };

  double next_sample() const { return now_.begin + static_cast<double>(now_.count) * axis_.gains.sampling_time; }
  /// All that is due now.
  Stop act() {
    if (next_sample() <= now_.time) {
      body_->read(seen_);
      now_.asked = controller_.sample(now_.time, reference_, seen_[0]);
      ++now_.count;
      pending_.push_back({now_.time + axis_.delay, now_.asked});
    }
    while (!pending_.empty() && pending_.front().at <= now_.time) {
      now_.acting = pending_.front().force;
      pending_.erase(pending_.begin());
      now_.since = now_.time;
      now_.from = now_.has_acted ? body_->input(0) : now_.acting;  // the motor begins with the first command
      now_.has_acted = true;
      now_.bend = now_.time;
    }
    if (now_.bend > now_.time) return Stop::finished;
    bend();
    return body_->advance(now_.time);  // the next change is at a known instant, not where the next call ends
  }
  /// The next chord of (2).
  void bend() {
    const double left = axis_.lag > 0 ? std::exp(-(now_.time - now_.since) / axis_.lag) : 0,
                 jump = now_.from - now_.acting;
    now_.bend = never;
    if (left < faded || jump == 0) return body_->set_input(0, now_.acting);
    const double length = axis_.lag * chord / std::sqrt(left);
    const double here = now_.acting + jump * left, there = now_.acting + jump * left * std::exp(-length / axis_.lag);
    body_->set_input(0, here, (there - here) / length);
    now_.bend = now_.time + length;
  }

  ServoAxis axis_;
  SimulationOptions options_;
  std::unique_ptr<Motion> body_;
  ServoController controller_;
  Signal reference_;
  std::vector<SignalInfo> inputs_, outputs_;
  std::size_t own_ = 0;
  std::vector<double> seen_;
  std::vector<Asked> pending_;
  struct Now {
    double time = 0, begin = 0;
    std::size_t count = 0;  // samples taken
    double asked = 0;       // u_k
    double acting = 0, from = 0, since = 0, bend = never;
    bool has_acted = false;
  } now_;
};

}  // namespace

std::unique_ptr<Motion> servo_axis_motion(const ServoAxis& axis, const SimulationOptions& options) {
  return std::make_unique<AxisMotion>(axis, options);
}

TrackingError tracking_error(const std::vector<double>& time, const std::vector<double>& reference,
                             const std::vector<double>& position, double from) {
  TrackingError found;
  double squares = 0;
  std::size_t count = 0, first = 0;
  while (first < time.size() && time[first] < from) ++first;
  std::vector<std::size_t> turns;
  double direction = 0;
  for (std::size_t i = first; i < time.size(); ++i) {
    const double error = std::fabs(reference[i] - position[i]);
    squares += error * error;
    found.largest = std::max(found.largest, error);
    ++count;
    if (i == first || reference[i] == reference[i - 1]) continue;
    const double now = reference[i] > reference[i - 1] ? 1 : -1;
    if (direction * now < 0) turns.push_back(i);
    direction = now;
  }
  found.rms = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
  found.reversals = turns.size();
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const std::size_t next = k + 1 < turns.size() ? turns[k + 1] : time.size();
    double largest = 0;
    for (std::size_t i = turns[k]; i < turns[k] + std::max<std::size_t>(1, (next - turns[k]) / 4); ++i)
      largest = std::max(largest, std::fabs(reference[i] - position[i]));
    found.at_reversal += largest / static_cast<double>(turns.size());
  }
  return found;
}

}  // namespace stickslip::inline machines
