#include "core/signal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

Signal::Signal(double constant) { pieces_.push_back({-infinity, 0, constant, 0}); }

Signal Signal::ramp(double rate, double from, double until) {
  Signal s(0.0);
  s.pieces_.push_back({from, from, 0, rate});
  if (until < infinity) s.pieces_.push_back({until, until, rate * (until - from), 0});
  return s;
}

Signal Signal::step(double before, double after, double at) {
  Signal s(before);
  s.pieces_.push_back({at, at, after, 0});
  return s;
}

Signal Signal::oscillation(const Oscillation& o, double from, double until) {
  Signal s(0.0);
  s.oscillations_.push_back(o);
  s.pieces_.push_back({from, 0, 0, 0, 0, 1});
  if (until < infinity) s.pieces_.push_back({until, 0, 0, 0});
  return s;
}

Signal Signal::sine(double amplitude, double frequency_hz, double phase, double from) {
  return oscillation({.amplitude = amplitude, .frequency = frequency_hz, .phase = phase, .start = from}, from);
}

Signal Signal::table(std::span<const double> times, std::span<const double> values) {
  assert(!times.empty() && times.size() == values.size());
  Signal s(values[0]);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double length = times[i + 1] - times[i];
    assert(length >= 0);
    if (length > 0) s.pieces_.push_back({times[i], times[i], values[i], (values[i + 1] - values[i]) / length});
  }
  s.pieces_.push_back({times.back(), times.back(), values.back(), 0});
  return s;
}

void Signal::set_line(double origin, double level, double slope) {
  pieces_.resize(1);
  pieces_.front() = {-std::numeric_limits<double>::infinity(), origin, level, slope};
  oscillations_.clear();
}

Signal Signal::operator+(const Signal& other) const {
  Signal sum(0.0);
  sum.pieces_.clear();
  std::size_t a = 0, b = 0;
  double from = -infinity;
  while (true) {
    const Piece &p = pieces_[a], &q = other.pieces_[b];
    const double origin = std::isfinite(from) ? from : 0.0;
    Piece piece{from,
                origin,
                p.level + p.slope * (origin - p.origin) + q.level + q.slope * (origin - q.origin),
                p.slope + q.slope,
                sum.oscillations_.size(),
                0};
    for (std::size_t i = p.first; i < p.last; ++i) sum.oscillations_.push_back(oscillations_[i]);
    for (std::size_t i = q.first; i < q.last; ++i) sum.oscillations_.push_back(other.oscillations_[i]);
    piece.last = sum.oscillations_.size();
    sum.pieces_.push_back(piece);
    from = std::min(end_of(a), other.end_of(b));
    if (from == infinity) return sum;
    if (end_of(a) == from) ++a;
    if (other.end_of(b) == from) ++b;
  }
}

std::size_t Signal::segment_at(double time) const {
  const auto later =
      std::upper_bound(pieces_.begin(), pieces_.end(), time, [](double t, const Piece& p) { return t < p.from; });
  return later == pieces_.begin() ? 0 : static_cast<std::size_t>(later - pieces_.begin()) - 1;
}

double Signal::longest_step(std::size_t segment, double time) const {
  // A sixteenth of a period: five samples of a guard per step then cannot overlook a peak of the sine.
  double step = infinity;
  const Piece& p = pieces_[segment];
  for (std::size_t i = p.first; i < p.last; ++i) {
    const Oscillation& o = oscillations_[i];
    const double now = std::fabs(o.instantaneous(time - o.start));
    // Where the frequency moves, ∫ f dt = 1/16 over the step, however slow or fast it is now.
    if (o.growth > 0)
      step = std::min(step, std::log1p(o.growth / (16 * now)) / o.growth);
    else if (const double rate = now + std::sqrt(now * now + 0.125 * std::fabs(o.sweep)); rate > 0)
      step = std::min(step, 0.125 / rate);
  }
  return step;
}

bool Signal::is_constant() const {
  return pieces_.size() == 1 && pieces_[0].slope == 0 && pieces_[0].first == pieces_[0].last;
}

}  // namespace stickslip
