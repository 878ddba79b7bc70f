/// From event to event in series; see mechanism_motion.hpp. Order and counting of events are those of solver/simulate.hpp.
#include "machines/mechanism/mechanism_motion.hpp"

#include <algorithm>
#include <cmath>

#include "machines/mechanism/mechanism_glide.hpp"
#include "solver/pace.hpp"

namespace stickslip::inline machines {

namespace {

class SeriesRun {
 public:
  SeriesRun(const MechanismSystem& system, const SimulationOptions& options, MechanismSink& sink,
            MechanismSeries& series, MechanismMotion& now)
      : system_(system),
        options_(options),
        sink_(sink),
        series_(series),
        glide_(series, sink),
        now_(now),
        last_advance_(now.time) {}

  Stop run(const std::function<Stop()>& integrate) {
    Stop stop = settle();
    Pace pace(now_.time, options_.most_steps);
    while (stop == Stop::finished && now_.time < options_.end) {
      if (now_.steps + now_.rejected >= options_.most_steps) return Stop::too_many_steps;
      if (pace.is_lost(now_.time, options_.end)) return Stop::no_progress;
      if (options_.watch) {
        options_.watch->reached.store(now_.time, std::memory_order_relaxed);
        if (options_.watch->cancel.load(std::memory_order_relaxed)) return Stop::cancelled;
      }
      if (is_new_) {
        is_covered_ = series_.covers(now_.mode, now_.time);
        if (is_covered_) series_.enter(now_.mode, now_.time);
        can_glide_ = is_covered_ && !(options_.longest_step < std::numeric_limits<double>::infinity());
        if (can_glide_) glide_.enter();
        is_new_ = false;
      }
      if (is_covered_) {
        stop = advance();
      } else {
        stop = integrate();
        is_new_ = true;
      }
    }
    if (stop == Stop::finished)
      while (sink_.next_sample() <= options_.end) sink_.sample(sink_.next_sample(), now_.y.data(), now_.mode);
    return stop;
  }

 private:
  /// One step, and what happens at its end.
  Stop advance() {
    const double stop_at = std::min(options_.end, now_.mode.next_break);
    // Eight stretches cost about as much as a step in series.
    if (can_glide_) now_.steps += (glide_.advance(now_.time, now_.y.data(), stop_at) + 7) / 8;
    const double left = stop_at - now_.time;
    const double shortest = 4 * std::numeric_limits<double>::epsilon() * std::fabs(now_.time);
    if (left > shortest) {
      const double longest = std::min(left, options_.longest_step);
      const double length = series_.step(now_.time, now_.y.data(), longest);
      if (!(length > 0)) return Stop::not_finite;
      if (length < shortest) return Stop::step_too_small;
      ++now_.steps;
      const auto crossing = series_.first_crossing();
      const bool is_crossed = crossing.theta < FirstFall::never;
      const double until = is_crossed       ? std::min(stop_at, now_.time + crossing.theta * length)
                           : length >= left ? stop_at
                                            : now_.time + length;
      sink_.sample(series_, now_.mode, now_.y.data(), now_.time, length, until);
      if (is_crossed) series_.shorten(crossing.theta);
      series_.finish(now_.y.data());
      now_.time = until;
      for (const double y : now_.y)
        if (!std::isfinite(y)) return Stop::not_finite;
      if (is_crossed) {
        switch_at(crossing.which);
        if (system_.was_false_alarm) is_new_ = is_covered_ = false;  // rounding: the integrator's guards know better
        return settle(1);
      }
    } else {
      now_.time = stop_at;  // nothing left but rounding
    }
    if (!(now_.time >= now_.mode.next_break)) return Stop::finished;
    sink_.event(now_.time, system_.pass_break(now_.mode, now_.time, now_.y.data(), nullptr), now_.mode);
    is_new_ = true;
    return settle(1);
  }

  void switch_at(std::size_t which) {
    const Happening told = system_.leave(now_.mode, which, now_.time, now_.y.data(), nullptr);
    sink_.event(now_.time, told, now_.mode);
    is_new_ = true;
  }

  /// Guards that are violated at this instant, until a mode holds.
  Stop settle(std::size_t already = 0) {
    const double rounding =
        8 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(now_.time), std::fabs(last_advance_));
    if (now_.time - last_advance_ > rounding) last_advance_ = now_.time, switches_ = 0;
    for (switches_ += already; switches_ <= system_.most_switches(); ++switches_) {
      Guards guards;
      system_.guards(now_.mode, now_.time, now_.y.data(), guards);
      const auto values = std::span(guards.value).first(guards.count);
      const auto violated = std::find_if(values.begin(), values.end(), [](double g) { return g < 0; });
      if (violated == values.end()) return Stop::finished;
      switch_at(static_cast<std::size_t>(violated - values.begin()));
    }
    return Stop::endless_switching;
  }

  const MechanismSystem& system_;
  const SimulationOptions& options_;
  MechanismSink& sink_;
  MechanismSeries& series_;
  MechanismGlide glide_;
  MechanismMotion& now_;
  double last_advance_;
  std::size_t switches_ = 0;
  bool is_new_ = true, is_covered_ = false, can_glide_ = false;
};

}  // namespace

Stop run_in_series(const MechanismSystem& system, const SimulationOptions& options, MechanismSink& sink,
                   MechanismSeries& series, MechanismMotion& now, const std::function<Stop()>& integrate) {
  return SeriesRun(system, options, sink, series, now).run(integrate);
}

}  // namespace stickslip::inline machines
