/// The event-driven run: integrate inside a mode, stop exactly where the mode ends, switch, continue.
///
/// A plant is a hybrid system:
///   capacity, totals            states and integrals at most; size() states in use
///   Mode                        discrete memory
///   derivative(mode, t, y, dy, power)   for doubles and duals
///   guards(mode, t, y, out)     positive while the mode holds
///   leave(mode, which, t, y)    the switch when guard `which` reaches zero; may reset y; says what happened
///   next_break(mode)            time of the next input breakpoint;  pass_break(mode, t, y)
///   longest_step(mode, t, y, dy), watched(mode, y), mode_index(mode) < mode_indices, at_rest(mode)
///   error_floor(i)              error that a step may make in state i beside the relative tolerance; or error_floors(mode, t, y), all of them
///   is_sensible(mode, t, y)   optional: false ends the run (a level that varies has become senseless)
///   is_calm(mode, y0, dy0, y1, dy1, h)    true only if no guard can reach zero inside such a step
///   Linear                      optional: solves with the matrix of implicit steps, knowing its structure (solver/ordered_inverse.hpp)
///   learns_first_steps          optional: the first step in a mode has the length that the error of the last such step would have allowed
///   begins_inside               optional: a mode never ends at the instant at which it began; a step that says so is too long
///   longest_shown(mode, step)   optional: for a step that is accurate at its end, the length of one whose interpolant is accurate as well
///   exact_step(mode, t, y, stop_at)   optional: a closed-form solution that no guard ends before its `until`; start, until, end,
///                               at(t), is_stop: its first guard is reached there
///
/// Events at one instant are handled one after the other: input breakpoints first, then guards in the order the plant
/// lists them, each time with the guards of the new mode. More than 1000 events without time advancing by more than
/// rounding end the run as `endless_switching`; steps without progress end it as `no_progress` (solver/pace.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/run.hpp"
#include "core/scalar.hpp"
#include "core/switching.hpp"
#include "solver/dormand_prince.hpp"
#include "solver/locate.hpp"
#include "solver/pace.hpp"
#include "solver/rosenbrock.hpp"

namespace stickslip::inline solver {

namespace simulate_detail {

template <class Plant>
constexpr std::size_t width = Plant::capacity + Plant::totals;

template <class Plant>
struct Linear {
  using type = SmallLu<Plant::capacity>;
};
template <class Plant>
requires requires { typename Plant::Linear; }
struct Linear<Plant> {
  using type = typename Plant::Linear;
};

template <class Plant>
using Integrator =
    std::conditional_t<Plant::stiff, Rosenbrock<width<Plant>, Plant::totals, typename Linear<Plant>::type>,
                       DormandPrince<width<Plant>, Plant::totals>>;

}  // namespace simulate_detail

/// Runs `plant` from (t, y, mode). The sink receives samples and events:
///   next_sample() [s], sample(t, y, mode), event(t, happening, y, mode), mode_time(mode, duration).
///
/// The run can be paused: advance(until) takes whole steps, as long as the motion allows, and stops inside the last one, where the
/// interpolant gives the state. So communication steps of any length cost nothing and change no number:
///   EventDrivenRun run(plant, options, sink);
///   run.time = 0, run.y = ..., run.mode = ...;
///   while (...) run.advance(t += 1e-3), use(run.at(t));
/// A caller that changes an input or the state in between calls cut(t) before and settle() after. If it does so at every call, the last
/// step should end there, as the steps of a run end at the breakpoints of its inputs: the steps are then those of the run.
template <class Plant, class Sink>
class EventDrivenRun {
 public:
  static constexpr std::size_t totals = Plant::totals;
  static constexpr std::size_t width = simulate_detail::width<Plant>;
  using Vector = std::array<double, width>;
  using Mode = typename Plant::Mode;
  using Integrator = simulate_detail::Integrator<Plant>;
  using Step = typename Integrator::Step;

  EventDrivenRun(const Plant& plant, const SimulationOptions& options, Sink& sink)
      : plant_(plant), options_(options), sink_(sink) {}

  double time = 0;  // of the last whole step's end; the state there:
  Vector y{};
  Mode mode{};
  SolverWork work;
  std::size_t changes = 0;  // of the mode, and breakpoints passed

  /// To the end of the options, with the last samples.
  Stop run() {
    const Stop stop = advance(options_.end);
    if (stop == Stop::finished)
      while (sink_.next_sample() <= options_.end) sink_.sample(sink_.next_sample(), y, mode);
    return stop;
  }

  /// Every event up to `until` is located and handled; at(until) is the state there. Whole steps may reach beyond it, up to the
  /// end of the options, or beyond that by as much again as has been requested; with `ends_there` none does.
  Stop advance(double until, bool ends_there = false) {
    limit_ = ends_there ? until : std::numeric_limits<double>::infinity();
    if (!has_begun_)
      if (const Stop begun = begin(until); begun != Stop::finished) return begun;
    while (until > end_) end_ = std::max(until, end_ + (end_ - begin_));
    const std::size_t tried = work.steps + work.rejected;
    Pace pace(time, options_.most_steps);
    while (true) {
      if (flight_ != Flight::none) {
        if (front_ > until) {
          tell(until);
          return Stop::finished;
        }
        if (const Stop landed = land(); landed != Stop::finished) return landed;
        continue;
      }
      if (!(time < until)) return Stop::finished;
      if (work.steps + work.rejected - tried >= options_.most_steps) return Stop::too_many_steps;
      if (pace.is_lost(time, end_)) return Stop::no_progress;
      if (options_.watch) {
        options_.watch->reached.store(time, std::memory_order_relaxed);
        if (options_.watch->cancel.load(std::memory_order_relaxed)) return Stop::cancelled;
      }
      if (const Stop taken = take_step(); taken != Stop::finished) return taken;
    }
  }

  /// The state at t, between the end of the last whole step and the time advanced to.
  Vector at(double t) const {
    if (flight_ == Flight::none || t <= time) return y;
    if constexpr (has_exact) {
      if (flight_ == Flight::exact) return plant_.exact_state(mode, *exact_, y, t);
    }
    return step_.at(t);
  }
  /// Restarts at t, up to which the motion has been advanced, with new steps.
  void cut(double t) {
    if (flight_ != Flight::none && t > time) {
      tell(t);
      y = at(t);
      time = t;
    }
    flight_ = Flight::none;
    integrator_.restart();
  }
  /// Passes breakpoints that are due and leaves modes whose guards are violated by a changed input or state.
  Stop settle() {
    if (!has_begun_) return Stop::finished;
    told_ = time;
    Stop settled = Stop::finished;
    while (settled == Stop::finished && time >= plant_.next_break(mode)) settled = pass_break();
    if (settled == Stop::finished) settled = settle(0);
    h_ = first_step(h_);
    return settled;
  }
  bool has_begun() const { return has_begun_; }

  /// Everything that determines the future of the motion, read or written.
  template <class Archive>
  void keep(Archive& archive) {
    archive(time, y, mode, work, changes, has_begun_, begin_, end_, h_, last_advance_, switches_, before_, after_,
            flight_, crossing_, front_, stop_at_, to_stop_, told_, integrator_, step_, first_in_mode_, was_rejected_,
            usual_first_step_);
    if constexpr (has_exact) archive(exact_);
  }

 private:
  struct Crossing {
    bool found = false;
    std::size_t which = 0;
    double time = 0;
  };
  /// A step that has been taken but not completed.
  enum class Flight : unsigned char { none, step, exact };

  static constexpr bool learns_first_steps = requires { requires Plant::learns_first_steps; };
  static constexpr bool has_exact = requires(const Plant& p, const Mode& m, const Vector& v) {
    p.exact_step(m, 0.0, v, 0.0);
  };
  static constexpr bool has_own_floors = requires(const Plant& p, const Mode& m, const double* v) {
    p.error_floors(m, 0.0, v);
  };
  static constexpr bool begins_inside = requires { requires Plant::begins_inside; };
  struct Nothing {};
  static auto exact_type() {
    if constexpr (has_exact)
      return decltype(std::declval<const Plant&>().exact_step(std::declval<const Mode&>(), 0.0,
                                                              std::declval<const Vector&>(), 0.0)){};
    else
      return Nothing{};
  }

  Stop begin(double until) {
    has_begun_ = true;
    begin_ = time;
    end_ = std::max(options_.end, until);
    const double span = end_ - time;
    const double seen = 64 * std::numeric_limits<double>::epsilon() * std::fabs(time);  // a start just before the end
    h_ = std::min(options_.longest_step, std::max(1e-6 * span, seen));
    last_advance_ = told_ = time;
    if (const auto settled = settle(0); settled != Stop::finished) return settled;
    if (plant_.at_rest(mode)) h_ = std::min(options_.longest_step, span);
    return Stop::finished;
  }

  /// Tries a step; an accepted one is then in flight.
  Stop take_step() {
    const std::size_t n = totals + plant_.size();
    stop_at_ = std::min({end_, limit_, plant_.next_break(mode)});
    told_ = time;
    if constexpr (has_exact) {
      exact_ = plant_.exact_step(mode, time, y, std::min(stop_at_, time + options_.longest_step));
      if (exact_ && exact_->until > time) {
        flight_ = Flight::exact;
        front_ = exact_->until;
        return Stop::finished;
      }
    }
    double length = std::min({h_, plant_.longest_step(mode, time, states(y), slope()), options_.longest_step});
    to_stop_ = false;
    if (time + length * 1.0001 >= stop_at_) length = stop_at_ - time, to_stop_ = true;
    const double shortest =
        std::max(4 * std::numeric_limits<double>::epsilon() * std::fabs(time), 1e-20 * (end_ - begin_));
    if (length < shortest) {
      if (!to_stop_) return Stop::step_too_small;
      time = stop_at_;  // nothing left before the breakpoint but rounding
      return pass_break();
    }
    trial(step_, length, n);
    if (!(step_.error <= 1)) {
      ++work.rejected;
      was_rejected_ = true;
      const bool finite_error = std::isfinite(step_.error);
      h_ = length * (finite_error ? Integrator::shrink(step_) : 0.1);
      if (h_ < shortest) return finite_error ? Stop::step_too_small : Stop::not_finite;
      return Stop::finished;
    }
    if constexpr (requires { plant_.longest_shown(mode, step_); }) {
      if (const double shown = plant_.longest_shown(mode, step_); shown < length) {
        ++work.rejected;
        was_rejected_ = true;
        h_ = shown;
        return h_ < shortest ? Stop::step_too_small : Stop::finished;
      }
    }
    const double step_end = to_stop_ ? stop_at_ : time + length;
    crossing_ = first_crossing(before_, after_, step_end);
    if constexpr (begins_inside) {
      if (crossing_.found && !(crossing_.time > time) && 0.1 * length > shortest) {
        ++work.rejected;
        was_rejected_ = true;
        h_ = 0.1 * length;
        return Stop::finished;
      }
    }
    ++work.steps;
    const double growth = integrator_.growth(step_);
    const double proposed = length * (was_rejected_ ? std::min(growth, 1.0) : growth);
    was_rejected_ = false;
    h_ = length < 0.9 * h_ ? std::max(h_, proposed) : proposed;  // a truncated step says little about the next
    if (first_in_mode_) {
      usual_first_step_[plant_.mode_index(mode)] = learns_first_steps ? proposed : length;
      first_in_mode_ = false;
    }
    front_ = crossing_.found ? crossing_.time : step_end;
    flight_ = Flight::step;
    return Stop::finished;
  }

  /// Samples of the step in flight up to t, for the sink.
  void tell(double t) {
    while (sink_.next_sample() < t) sink_.sample(sink_.next_sample(), at_sample(sink_.next_sample()), mode);
    if (flight_ == Flight::step) watch(told_, t);
    sink_.mode_time(mode, t - told_);
    told_ = t;
  }
  /// A closed form without its integrals, which no sample shows.
  Vector at_sample(double t) const {
    if constexpr (has_exact) {
      if (flight_ == Flight::exact) return exact_->at(t);
    }
    return step_.at(t);
  }

  /// Completes the step in flight: its end becomes the state, and the event at its end is handled.
  Stop land() {
    tell(front_);
    time = front_;
    const std::size_t n = totals + plant_.size();
    const Flight flown = flight_;
    flight_ = Flight::none;
    if constexpr (has_exact) {
      if (flown == Flight::exact) {
        ++work.steps;
        y = exact_->end;
        integrator_.restart();
        if (exact_->is_stop) {
          switch_at(0);
          if (const auto settled = settle(1); settled != Stop::finished) return settled;
          h_ = first_step(h_);
        } else {
          before_.count = 0;
          plant_.guards(mode, time, states(y), before_);
        }
        if (!finite(n)) return Stop::not_finite;
        return time >= plant_.next_break(mode) ? pass_break() : Stop::finished;
      }
    }
    y = crossing_.found ? step_.at(front_) : step_.end;
    if (!finite(n)) return Stop::not_finite;
    if constexpr (requires { plant_.is_sensible(mode, time, states(y)); })
      if (!plant_.is_sensible(mode, time, states(y))) return Stop::level_out_of_range;
    // Breakpoints first: guards are evaluated again afterwards.
    if (crossing_.found && stop_at_ - time <= rounding_of(time) && stop_at_ >= plant_.next_break(mode)) {
      time = stop_at_;
      return pass_break();
    }
    if (crossing_.found) {
      switch_at(crossing_.which);
      integrator_.restart();
      const Stop settled = settle(1);
      if (settled == Stop::finished) h_ = first_step(h_);
      return settled;
    }
    integrator_.accept(step_);
    copy(after_, before_);
    return to_stop_ ? pass_break() : Stop::finished;
  }

  /// Only those there are.
  static void copy(const Guards& from, Guards& to) {
    to.count = from.count;
    std::copy_n(from.value.begin(), from.count, to.value.begin());
  }

  /// Where a breakpoint is reached.
  Stop pass_break() {
    if (!(time >= plant_.next_break(mode))) return Stop::finished;
    ++changes;
    sink_.event(time, plant_.pass_break(mode, time, states_of(y), y.data()), y, mode);
    integrator_.restart();
    const Stop settled = settle(1);
    if (settled == Stop::finished) h_ = first_step(h_);
    return settled;
  }

  static const double* states(const Vector& v) { return v.data() + totals; }
  static double* states_of(Vector& v) { return v.data() + totals; }

  /// The rates at this instant, where the integrator needs them anyway.
  const double* slope() {
    if constexpr (Plant::stiff) {
      return nullptr;
    } else {
      if (!integrator_.has_slope) {
        plant_.derivative(mode, time, states(y), integrator_.slope.data() + totals, integrator_.slope.data());
        integrator_.has_slope = true;
        ++work.evaluations;
      }
      return integrator_.slope.data() + totals;
    }
  }

  /// A first step in a new mode: the length used in this mode before, else that of the last step.
  double first_step(double h) {
    first_in_mode_ = true;
    if (plant_.at_rest(mode)) return end_ - time;
    const double usual = usual_first_step_[plant_.mode_index(mode)];  // a breakpoint may have shortened it
    const double seen = 64 * std::numeric_limits<double>::epsilon() * std::fabs(time);
    return std::max(seen, usual > 0 ? std::min(8 * h, (learns_first_steps ? 1 : 1.5) * usual)
                                    : std::min(h, 1e-3 * (options_.end - options_.start)));
  }

  static double rounding_of(double t) { return 4 * std::numeric_limits<double>::epsilon() * std::fabs(t); }
  bool finite(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      if (!std::isfinite(y[i])) return false;
    return true;
  }

  /// Of a step from here; the plant may tell them by its state.
  auto error_floors() const {
    if constexpr (has_own_floors)
      return [floors = plant_.error_floors(mode, time, states(y))](std::size_t i) { return floors[i]; };
    else
      return [this](std::size_t i) { return plant_.error_floor(i); };
  }

  void trial(Step& step, double length, std::size_t n) {
    const auto f = [this](double t, const Vector& v, Vector& dv) {
      ++work.evaluations;
      plant_.derivative(mode, t, v.data() + totals, dv.data() + totals, dv.data());
    };
    const auto floor = error_floors();
    const auto scale = [&](std::size_t i, double a, double b) {
      return floor(i) + options_.relative_tolerance * std::max(std::fabs(a), std::fabs(b));
    };
    if constexpr (Plant::stiff) {
      const auto linearise = [this](double t, const Vector& v, auto& slopes) {
        constexpr std::size_t m = Plant::capacity;
        using D = Dual<m + 1>;  // by every state and by time
        std::array<D, m> state, rate;
        std::array<D, totals == 0 ? 1 : totals> power;
        for (std::size_t i = 0; i < plant_.size(); ++i) state[i] = D::variable(v[totals + i], i);
        plant_.derivative(mode, D::variable(t, m), state.data(), rate.data(), power.data());
        ++work.evaluations;
        const auto take = [&](std::size_t row, const D& d) {
          slopes.value[row] = d.value;
          slopes.by_time[row] = d.slope[m];
          for (std::size_t j = 0; j < m; ++j) slopes.by_state[row][j] = d.slope[j];
        };
        for (std::size_t i = 0; i < totals; ++i) take(i, power[i]);
        for (std::size_t i = 0; i < plant_.size(); ++i) take(totals + i, rate[i]);
      };
      integrator_.trial(step, f, linearise, time, y, length, n, scale);
    } else {
      integrator_.trial(step, f, time, y, length, n, scale);
    }
  }

  double guard_at(std::size_t which, double t) const {
    Guards g;
    const Vector v = step_.at(t);
    plant_.guards(mode, t, states(v), g);
    return g.value[which];
  }

  /// The earliest guard that reaches zero inside the accepted step. Evaluates quarter points, and any dip between
  /// them, so that a guard that touches zero and returns is not missed.
  Crossing first_crossing(const Guards& before, Guards& after, double step_end) {
    Crossing first;
    if (before.count == 0) {
      after.count = 0;
      return first;
    }
    if constexpr (!Plant::stiff) {
      if (plant_.is_calm(mode, states(step_.from), slope(), states(step_.end), step_.slope_end.data() + totals,
                         step_.length)) {
        after.count = 0;
        plant_.guards(mode, step_end, states(step_.end), after);
        return first;
      }
    }
    std::array<double, 5> t;
    std::array<Guards, 5> g;
    copy(before, g[0]);
    for (std::size_t k = 0; k < 5; ++k)
      t[k] = k == 4 ? step_end : time + 0.25 * static_cast<double>(k) * (step_end - time);
    for (std::size_t k = 1; k < 5; ++k) {
      const Vector v = k == 4 ? step_.end : step_.at(t[k]);
      g[k].count = 0;
      plant_.guards(mode, t[k], states(v), g[k]);
    }
    copy(g[4], after);
    std::size_t last = 4;  // the first quarter at whose end any guard has fallen: nothing after it can be the earliest
    for (std::size_t k = 4; k-- > 1;)
      if (std::any_of(g[k].value.begin(), g[k].value.begin() + static_cast<std::ptrdiff_t>(g[k].count),
                      [](double value) { return value < 0; }))
        last = k;
    Guards at_first;  // all of them where the earliest so far falls
    double at_first_time = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < before.count; ++i) {
      const auto value = [&](double s) { return guard_at(i, s); };
      for (std::size_t k = 1; k <= last; ++k) {
        if (first.found && t[k - 1] >= first.time) break;
        double low_time = t[k], low = g[k].value[i];
        if (low >= 0 && k < 4 && low < g[k - 1].value[i] && low <= g[k + 1].value[i]) {
          const double left = g[k - 1].value[i] - low, right = g[k + 1].value[i] - low;
          if (low <= 0.5 * (left + right)) {  // a dip deep enough to touch zero between the samples
            low_time = descend(value, t[k - 1], t[k], t[k + 1]);
            low = value(low_time);
          }
        }
        if constexpr (requires { Plant::looks_between_quarters; }) {
          const std::array<double, 5> all{g[0].value[i], g[1].value[i], g[2].value[i], g[3].value[i], g[4].value[i]};
          const double part = low < 0 ? -1 : dip_inside(all, k);
          if (part >= 0) {
            const double s = time + part * (step_end - time), gs = value(s);
            if (gs < g[k - 1].value[i] && gs < g[k].value[i]) {
              low_time = descend(value, t[k - 1], s, t[k]);
              low = value(low_time);
            }
          }
        }
        if (!(low < 0)) continue;
        double a = t[k - 1], ga = g[k - 1].value[i];
        if (low_time <= a) a = time, ga = before.value[i];
        if (!(ga > 0)) {  // starts on the boundary: does it first return inside, or leave at once?
          bool inside = false;
          for (double part = 0.5; part > 1e-9 && !inside; part *= 0.25) {
            const double s = a + part * (low_time - a);
            const double gs = value(s);
            if (gs > 0) a = s, ga = gs, inside = true;
          }
          if (!inside) {
            if (!first.found || a < first.time) first = {true, i, a};
            break;
          }
        }
        if (first.found && a < first.time && first.time < low_time) {  // guards that are positive there fall later
          if (at_first_time != first.time) {
            at_first_time = first.time;
            at_first.count = 0;
            const Vector v = step_.at(first.time);
            plant_.guards(mode, first.time, states(v), at_first);
          }
          if (at_first.value[i] > 0) break;
        }
        const double found = locate(value, a, low_time, ga, low);
        if (!first.found || found < first.time) first = {true, i, found};
        break;
      }
    }
    return first;
  }

  /// Zero crossings that are worth recording but end no mode (a bristle model's change of direction).
  void watch(double t_old, double t_new) {
    const double a = plant_.watched(mode, states(t_old > time ? step_.at(t_old) : y));
    const Vector v = t_new < step_.start + step_.length ? step_.at(t_new) : step_.end;
    const double b = plant_.watched(mode, states(v));
    if (!((a < 0 && b > 0) || (a > 0 && b < 0))) return;
    const double s = a > 0 ? 1 : -1;
    const auto value = [&](double t) { return s * plant_.watched(mode, states(step_.at(t))); };
    const double t = locate(value, t_old, t_new, s * a, s * b);
    sink_.event(t, {EventKind::direction_change}, step_.at(t), mode);
  }

  void switch_at(std::size_t which) {
    ++changes;
    const Happening h = plant_.leave(mode, which, time, states_of(y), y.data());
    sink_.event(time, h, y, mode);
  }

  /// Without time advancing; a plant that needs more states its own limit.
  std::size_t most_switches() const {
    if constexpr (requires { plant_.most_switches(); })
      return plant_.most_switches();
    else
      return 1000;
  }

  /// Handles guards that are already violated at this instant, until a mode holds; then before_ has its guards.
  Stop settle(std::size_t already) {
    Guards& before = before_;
    std::size_t& switches = switches_;
    const double rounding =
        8 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(time), std::fabs(last_advance_));
    if (time - last_advance_ > rounding) {
      last_advance_ = time;
      switches = 0;
    }
    switches += already;
    while (true) {
      if (switches > most_switches()) return Stop::endless_switching;
      before.count = 0;
      plant_.guards(mode, time, states(y), before);
      std::size_t violated = before.count;
      for (std::size_t i = 0; i < before.count; ++i)
        if (before.value[i] < 0) {
          violated = i;
          break;
        }
      if (violated == before.count) return Stop::finished;
      switch_at(violated);
      integrator_.restart();
      ++switches;
    }
  }

  const Plant& plant_;
  const SimulationOptions& options_;
  Sink& sink_;
  Integrator integrator_{};
  Step step_{};
  decltype(exact_type()) exact_{};
  Flight flight_ = Flight::none;
  Crossing crossing_{};
  bool has_begun_ = false, to_stop_ = false, first_in_mode_ = true, was_rejected_ = false;
  double begin_ = 0, end_ = 0;                              // of the run, as far as it is known [s]
  double limit_ = std::numeric_limits<double>::infinity();  // no step goes beyond [s]
  double h_ = 0;                                            // to be tried next [s]
  double front_ = 0, stop_at_ = 0, told_ = 0, last_advance_ = 0;
  std::size_t switches_ = 0;  // without time moving on
  Guards before_{}, after_{};
  std::array<double, Plant::mode_indices> usual_first_step_{};
};

}  // namespace stickslip::inline solver
