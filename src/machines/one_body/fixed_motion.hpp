/// A driven body in fixed steps, held (machines/motion.hpp) or run to its end: the exact friction of each step (fixed_step.hpp) under
/// the drive's force at the step's begin.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "machines/one_body/body_motion.hpp"
#include "machines/one_body/fixed_step.hpp"

namespace stickslip::inline machines {

template <template <class> class Model>
class FixedBodyMotion final : public SteppedMotion {
 public:
  using Law = LawOf<Model>;

  FixedBodyMotion(const Body& body, const Varied<Model>& friction, const SimulationOptions& options, double h,
                  const ModelDescription& description)
      : description_(description),
        body_(body),
        friction_(friction),
        options_(options),
        h_(h),
        stepper_(friction_, body.mass, body.position, body.velocity),
        begin_(options.start),
        now_(options.start),
        controller_(body.controller) {
    for (const auto name : Law::mode_names(friction_)) run_.mode_names.emplace_back(name);
    run_.ledger.time_in_mode.assign(run_.mode_names.size(), 0.0);
    for (std::size_t i = 0; i < std::min(friction_states(), body_.state.size()); ++i)
      stepper_.state().z[i] = body_.state[i];
    if (body_.drive.is_sampled())
      held_.start(body_.drive.loop, now_, body_.drive.input(now_), body_.position, body_.velocity);
    bristles_ = stored_by_friction();
    run_.ledger.stored_start = stored() + bristles_;
    look(h_);
  }

  // ---- a run to the end ---------------------------------------------------------------------------------------------

  Run run() {
    const std::vector<double> times = sample_times(options_);
    reserve(run_.samples, times.size(), friction_states());
    Samples& s = run_.samples;
    for (std::size_t next = 0;;) {
      const double x = stepper_.position(), v = stepper_.velocity(), u = applied_, command = held_.command();
      const double t = now_;
      const int before = stepper_.mode();
      const auto z = stepper_.state().z;
      const bool last = now_ > options_.end - 0.5 * h_;
      const double friction = last ? (s.friction.empty() ? 0 : s.friction.back()) : step(h_);
      for (; next < times.size() && times[next] < t + 0.5 * h_; ++next) {
        s.time.push_back(t);
        s.position.push_back(x);
        s.velocity.push_back(v);
        s.applied.push_back(u);
        s.friction.push_back(friction);
        if (body_.drive.is_sampled()) s.command.push_back(command);
        s.mode.push_back(before);
        for (std::size_t i = 0; i < friction_states(); ++i) s.states[i].push_back(z[i]);
      }
      if (last) break;
      run_.stop = outcome(t);
      if (run_.stop != Stop::finished) break;
      look(h_);
    }
    run_.time = now_;
    run_.position = stepper_.position();
    run_.velocity = stepper_.velocity();
    run_.controller = controller_;
    run_.mode = stepper_.mode();
    run_.state = stepper_.states();
    balance(run_.ledger);
    return std::move(run_);
  }

  // ---- held ---------------------------------------------------------------------------------------------------------

  double time() const override { return now_; }
  Stop advance(double until) override {
    check_forward(now_, until);
    const double rounding = 1e-9 * h_;
    for (std::size_t tried = 0; now_ < until - rounding; ++tried) {
      if (tried >= options_.most_steps) return Stop::too_many_steps;
      if (options_.watch && options_.watch->cancel.load(std::memory_order_relaxed)) return Stop::cancelled;
      if (until - now_ < h_ * (1 - 1e-9)) {  // what is left is no whole step
        look(until - now_);
        step(until - now_);
        begin_ = now_ = until;
        taken_ = 0;
      } else {
        look(h_);
        step(h_);
      }
      if (!std::isfinite(stepper_.position())) return Stop::not_finite;
    }
    look(h_);
    return Stop::finished;
  }
  const std::vector<SignalInfo>& inputs() const override { return signals().inputs; }
  double input(std::size_t which) const override { return signal(which)(now_); }
  void set_input(std::size_t which, double value, double slope) override {
    check_input(value, slope);
    const double before = which == 0 ? stored() : 0;
    signal(which).set_line(now_, value, slope);
    if (which == 0) run_.ledger.work_in += stored() - before;
    look(h_);
  }
  const std::vector<SignalInfo>& outputs() const override { return signals().outputs; }
  /// Friction is that of the last step.
  void read(std::span<double> values) const override {
    std::size_t i = 0;
    for (const double value :
         {stepper_.position(), stepper_.velocity(), applied_, last_friction_, static_cast<double>(stepper_.mode())})
      values[i++] = value;
    for (const double z : stepper_.states()) values[i++] = z;
  }
  std::string_view mode() const override { return run_.mode_names[static_cast<std::size_t>(stepper_.mode())]; }
  std::vector<MotionEvent> take_events() override { return taken_events(run_); }
  std::vector<LedgerRow> ledger() const override {
    Ledger l = run_.ledger;
    balance(l);
    return ledger_rows(l);
  }
  std::unique_ptr<Motion> clone() const override {
    auto copy = std::make_unique<FixedBodyMotion>(body_, friction_, options_, h_, description_);
    copy->load(save());
    return copy;
  }
  std::vector<std::byte> save() const override {
    ArchiveWriter archive;
    const_cast<FixedBodyMotion&>(*this).keep(archive);  // writing changes nothing
    return archive.take();
  }
  void load(std::span<const std::byte> saved) override {
    ArchiveReader archive(saved);
    keep(archive);
    if (!archive.is_done()) throw Error("the saved motion belongs to another machine: it is too long for this one");
  }

 private:
  std::size_t friction_states() const { return Law::states_in_use(friction_); }
  double stored_by_friction() {
    return Law::stored(friction_, stepper_.state().memory, stepper_.state().z, stepper_.contact());
  }
  auto drive_at(double t) const { return body_.drive.at(body_.drive.input.segment_at(t), t); }
  /// In mass and spring [J].
  double stored() const {
    return 0.5 * body_.mass * stepper_.velocity() * stepper_.velocity() +
           body_.drive.stored(drive_at(now_), stepper_.position());
  }

  /// What the drive applies now, to be held over a step of length h, and what levels may follow.
  void look(double h) {
    stepper_.contact().load = body_.load(now_);
    stepper_.contact().pressure = body_.pressure(now_);
    stepper_.contact().temperature = body_.temperature(now_);
    if (held_.next() <= now_ + 1e-6 * h)
      held_.sample(body_.drive.loop, now_, body_.drive.input(now_), stepper_.position());
    applied_ = body_.drive.is_sampled()
                   ? held_.force(body_.drive.loop, now_ + 0.5 * h)
                   : body_.drive.force(drive_at(now_), stepper_.position(), stepper_.velocity(), controller_);
  }
  /// One step under the inputs read before; returns its friction [N].
  double step(double h) {
    const auto in = drive_at(now_);
    const double x = stepper_.position(), v = stepper_.velocity(), end = now_ + h;
    const int before = stepper_.mode();
    last_friction_ = stepper_.step(applied_, h);
    const double v1 = stepper_.velocity();
    Ledger& l = run_.ledger;
    l.time_in_mode[static_cast<std::size_t>(before)] += h;
    l.work_in += h * body_.drive.power_in(in, applied_, x, v1);
    l.friction_heat += h * last_friction_ * v1;
    l.damper_heat += h * body_.drive.damper_power(in, v1);
    ++taken_;
    now_ = begin_ + static_cast<double>(taken_) * h_;
    if (description_.nature != Nature::sticks && v * v1 < 0) record(end, EventKind::direction_change);
    if (description_.nature == Nature::sticks && before != 0 && stepper_.mode() == 0) record(end, EventKind::stick);
    if (description_.nature == Nature::sticks && before == 0 && stepper_.mode() != 0) record(end, EventKind::release);
    controller_ += h * (stepper_.position() - in.target);
    ++run_.work.steps;
    return last_friction_;
  }
  Stop outcome(double t) const {
    if (!std::isfinite(stepper_.position())) return Stop::not_finite;
    if (run_.work.steps >= options_.most_steps) return Stop::too_many_steps;
    if (!options_.watch) return Stop::finished;
    options_.watch->reached.store(t, std::memory_order_relaxed);
    return options_.watch->cancel.load(std::memory_order_relaxed) ? Stop::cancelled : Stop::finished;
  }
  void record(double t, EventKind kind) {
    ++run_.ledger.events[static_cast<std::size_t>(kind)];
    run_.events.push_back({t, kind, 0, stepper_.mode(), stepper_.position(), stepper_.velocity()});
  }
  void balance(Ledger& l) const {
    const double bristles = const_cast<FixedBodyMotion&>(*this).stored_by_friction();
    l.stored_end = stored() + bristles;
    l.friction_heat -= bristles - bristles_;
    l.residual = l.work_in - (l.stored_end - l.stored_start) - l.friction_heat - l.damper_heat;
  }
  const MotionSignals& signals() const {
    if (signals_.inputs.empty())
      signals_ =
          body_signals(body_, state_names_of<Law>(friction_, description_.states), follows_temperature(friction_));
    return signals_;
  }
  Signal& signal(std::size_t which) { return signal_of(body_, which); }
  const Signal& signal(std::size_t which) const { return const_cast<FixedBodyMotion&>(*this).signal(which); }

  template <class Archive>
  void keep(Archive& archive) {
    archive(begin_, now_, taken_, controller_, applied_, last_friction_, held_, body_.drive.input, body_.load,
            body_.pressure, body_.temperature, run_.ledger, run_.events, run_.work, stepper_.state(),
            stepper_.contact());
  }

  const ModelDescription& description_;
  Body body_;
  Varied<Model> friction_;
  SimulationOptions options_;
  double h_;
  FixedStep<Model> stepper_;
  HeldForce held_;
  Run run_;
  double begin_, now_;
  std::size_t taken_ = 0;  // whole steps since begin_
  double controller_, applied_ = 0, last_friction_ = 0, bristles_ = 0;
  mutable MotionSignals signals_;
};

}  // namespace stickslip::inline machines
