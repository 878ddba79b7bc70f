/// See prescribed_motion.hpp.
#include "machines/prescribed_motion/prescribed_motion.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "solver/gauss.hpp"

namespace stickslip::inline machines {

std::string_view name_of(PathEvent e) {
  return e == PathEvent::starts ? "starts" : e == PathEvent::stops ? "stops" : "reverses";
}

double PrescribedPath::velocity(std::size_t segment, double t) const {
  return body_.gives_velocity ? body_.input.value(segment, t) : body_.input.slope(segment, t);
}
double PrescribedPath::acceleration(std::size_t segment, double t) const {
  if (body_.gives_velocity) return body_.input.slope(segment, t);
  return body_.input.slope(segment, Dual<1>::variable(t, 0)).slope[0];
}
double PrescribedPath::way(std::size_t segment, double a, double b) const {
  if (!body_.gives_velocity) return body_.input.value(segment, b) - body_.input.value(segment, a);
  double sum = 0;
  gauss_over(a, b, [&](double t, double weight) { sum += weight * body_.input.value(segment, t); });
  return sum;
}
double PrescribedPath::turning(std::size_t segment, double a, double b, double closest) const {
  const double step = std::min(closest, 0.5 * body_.input.longest_step(segment, a));
  double from = a, before = velocity(segment, a);
  while (from < b) {
    const double to = from + step < b && from + step > from ? from + step : b, after = velocity(segment, to);
    if (before * after < 0 || (after == 0 && before != 0)) {
      double low = from, high = to;
      while (high - low > 4e-16 * std::fabs(high)) {
        const double middle = 0.5 * (low + high), there = velocity(segment, middle);
        if (!(middle > low && middle < high)) break;
        (there * before > 0 ? low : high) = middle;
      }
      return std::min(high, b);
    }
    from = to;
    if (after != 0) before = after;
  }
  return b;
}
void PrescribedPath::check(double start, double end) const {
  if (body_.gives_velocity) return;
  const Signal& x = body_.input;
  double reach = 0;  // its range, compared with which rounding at the joint of two segments is negligible
  constexpr int looks = 1000;
  for (int i = 0; i <= looks; ++i) reach = std::max(reach, std::fabs(x(start + (end - start) * i / looks)));
  for (std::size_t s = x.segment_at(start); s + 1 < x.segments() && x.end_of(s) < end; ++s) {
    const double t = x.end_of(s), before = x.value(s, t), after = x.value(s + 1, t);
    if (std::fabs(after - before) > 1e-9 * std::max({reach, std::fabs(after), std::fabs(before)}))
      throw Error("the position jumps from " + shortest(before) + " to " + shortest(after) + " at t = " + shortest(t) +
                  " s; a position cannot jump: use a ramp, or prescribe the velocity");
  }
}

PrescribedWalk::PrescribedWalk(const PrescribedBody& body, const Friction& friction, double start, double step,
                               bool lists_events)
    : body_(body), start_(start), step_(step), now_(start), lists_events_(lists_events) {
  segment_ = body_.input.segment_at(start);
  position_ = body_.gives_velocity ? body_.position : body_.input.value(segment_, start);
  first_speed_ = path_.velocity(segment_, start);
  law_ = friction.fixed_stepper(body.mass, position_, first_speed_);
  set_quantities(start);
  law_->reset(position_, first_speed_);
}

void PrescribedWalk::set_quantities(double t) const {
  law_->set_load(body_.load(t));
  law_->set_pressure(body_.pressure(t));
  law_->set_temperature(body_.temperature(t));
}

double PrescribedWalk::kinetic_change() const {
  const double v = path_.velocity(segment_, now_);
  return 0.5 * body_.mass * (v * v - first_speed_ * first_speed_);
}

/// A piece inside one segment, in two halves: its work is the force at its middle times its travel.
void PrescribedWalk::stretch(double to) {
  const double h = to - now_, way = path_.way(segment_, now_, to), mean = way / h, middle = now_ + 0.5 * h;
  set_quantities(middle);
  work_ += law_->follow(mean, 0.5 * h) * way;
  law_->follow(mean, 0.5 * h);
  note(last_mean_, mean);
  last_mean_ = mean;
  position_ += way;
  now_ = to;
  stretches_ += 1;
}
/// What begins with a stretch of another direction.
void PrescribedWalk::note(double before, double after) {
  if (!lists_events_) return;
  const bool was_there = now_ > start_;
  if (before == 0 && after != 0 && was_there) events_.push_back({now_, PathEvent::starts, position_});
  if (before != 0 && after == 0) events_.push_back({now_, PathEvent::stops, position_});
  if (before * after < 0) events_.push_back({now_, PathEvent::reverses, position_});
}

void PrescribedWalk::advance(double until) {
  while (now_ < until) {
    const double segment_end = std::min(until, body_.input.end_of(segment_));
    if (segment_end > now_) {
      // A reversal exactly at a sample may be found on either side of it due to rounding: it is passed once.
      const double rounding = 1e-9 * step_;
      double to = segment_end;
      if (segment_end - now_ > rounding) to = path_.turning(segment_, now_ + rounding, segment_end, 16 * step_);
      if (segment_end - to < rounding) to = segment_end;
      const double from = now_, pieces = std::max(1.0, std::ceil((to - from) / step_ * (1 - 1e-9)));
      for (double k = 1; k <= pieces; ++k) {
        const double next = k == pieces ? to : from + (to - from) * k / pieces;
        if (next > now_) stretch(next);
      }
    }
    while (segment_ + 1 < body_.input.segments() && body_.input.end_of(segment_) <= now_ && now_ < until) ++segment_;
  }
}

/// The force of the law if the motion continued; `s` gets the resulting mode and states.
double PrescribedWalk::asked(double velocity, double duration, PrescribedSample& s) const {
  const auto here = law_->save();
  set_quantities(now_);
  const double force = law_->follow(velocity, duration);
  s.mode = law_->mode();
  s.states = law_->states();
  law_->load(here);
  return force;
}
PrescribedSample PrescribedWalk::sample() const {
  PrescribedSample s;
  s.position = position_;
  s.velocity = path_.velocity(segment_, now_);
  // The law is evaluated slightly later, twice, and extrapolated back to now: a shorter distance would be lost in the digits of the position.
  const double ahead = 1e-3 * step_;
  const bool reverses = now_ > start_ && last_mean_ != 0 && s.velocity * last_mean_ <= 1e-6 * last_mean_ * last_mean_;
  if (reverses)  // its velocity is zero or rounding: the side before counts, in the limit of no speed
    s.friction = 2 * asked(0.25 * last_mean_, ahead, s) - asked(0.5 * last_mean_, ahead, s);
  else
    s.friction = -asked(s.velocity, 2 * ahead, s) + 2 * asked(s.velocity, ahead, s);
  s.drive = body_.mass * path_.acceleration(segment_, now_) + s.friction;
  return s;
}

Signal& PrescribedWalk::signal(std::size_t which) {
  return which == 0 ? body_.input : which == 1 ? body_.load : which == 2 ? body_.pressure : body_.temperature;
}
double PrescribedWalk::input(std::size_t which) const {
  if (which == 0) return body_.input.value(segment_, now_);
  return const_cast<PrescribedWalk&>(*this).signal(which)(now_);
}
void PrescribedWalk::set_input(std::size_t which, double value, double slope) {
  if (!std::isfinite(value) || !std::isfinite(slope)) throw Error("a prescribed motion's inputs must be finite");
  if (which == 0 && !body_.gives_velocity && std::fabs(value - position_) > 1e-9 * std::max(std::fabs(position_), 1e-6))
    throw Error("the body is at " + shortest(position_) + "; a position of " + shortest(value) +
                " would be a jump: continue from the present position");
  signal(which).set_line(now_, value, slope);
  if (which == 0) segment_ = 0;
}

std::vector<std::byte> PrescribedWalk::save() const {
  ArchiveWriter archive;
  std::vector<std::byte> law = law_->save();
  const_cast<PrescribedWalk&>(*this).keep(archive, law);  // writing changes nothing
  return archive.take();
}
void PrescribedWalk::load(std::span<const std::byte> saved) {
  ArchiveReader archive(saved);
  std::vector<std::byte> law;
  keep(archive, law);
  if (!archive.is_done()) throw Error("the saved motion belongs to another machine: it is too long for this one");
  law_->load(law);
}

}  // namespace stickslip::inline machines
