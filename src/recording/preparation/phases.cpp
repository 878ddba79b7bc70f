/// Rest, presliding and sliding; see prepare.hpp.
#include <algorithm>
#include <cmath>
#include <deque>

#include "recording/preparation/contact_fit.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t shortest_rest = 10;    // samples
constexpr double built_up = 2.3;             // exp(−2.3) = 0.1
constexpr double leaves_band = 4;            // bands; coming to rest and leaving it take one or two
constexpr double shortest_rest_time = 0.01;  // [s]

/// A slow motion stays within the band over every short window and leaves it over the whole stretch: no rest.
void drop_slow_motion(const std::vector<double>& x, double band, std::vector<bool>& rest) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!rest[i]) continue;
    const std::size_t from = i;
    double low = x[i], high = x[i];
    for (; i < x.size() && rest[i]; ++i) low = std::min(low, x[i]), high = std::max(high, x[i]);
    if (high - low > leaves_band * band)
      std::fill(rest.begin() + std::ptrdiff_t(from), rest.begin() + std::ptrdiff_t(i), false);
  }
}

/// The readings that stay within a band for long enough.
std::vector<bool> at_rest(const std::vector<double>& x, double band, std::size_t length) {
  std::vector<bool> rest(x.size(), false);
  std::deque<std::size_t> high, low;  // candidates for the largest and smallest of the window
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (!high.empty() && x[high.back()] <= x[i]) high.pop_back();
    while (!low.empty() && x[low.back()] >= x[i]) low.pop_back();
    high.push_back(i), low.push_back(i);
    if (i + 1 < length) continue;
    const std::size_t from = i + 1 - length;
    while (high.front() < from) high.pop_front();
    while (low.front() < from) low.pop_front();
    if (x[high.front()] - x[low.front()] <= band)
      for (std::size_t k = i + 1; k-- > from && !(k < i && rest[k]);) rest[k] = true;
  }
  drop_slow_motion(x, band, rest);
  return rest;
}

/// Travel since the last reversal or rest; a reversal is seen once the body has come back by `band`.
std::vector<double> travel_since_reversal(const std::vector<double>& x, const std::vector<bool>& rest, double band) {
  std::vector<double> travel(x.size());
  double turning = x.front(), extreme = x.front();
  std::size_t extreme_at = 0;
  int way = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (rest[i]) {
      turning = extreme = x[i], extreme_at = i, way = 0;
    } else if (way == 0) {
      if (std::abs(x[i] - turning) > band) way = x[i] > turning ? 1 : -1, extreme = x[i], extreme_at = i;
    } else if (way * (x[i] - extreme) >= 0) {
      extreme = x[i], extreme_at = i;
    } else if (way * (extreme - x[i]) > band) {
      turning = extreme, way = -way;
      for (std::size_t k = extreme_at; k < i; ++k) travel[k] = std::abs(x[k] - turning);
      extreme = x[i], extreme_at = i;
    }
    travel[i] = std::abs(x[i] - turning);
  }
  return travel;
}

/// A reading may flip between two values: rest is within one step, not within none [m].
double band_of_rest(const Prepared& data) { return std::max(data.resolution * 1.001, 4 * data.position_noise); }

}  // namespace

std::vector<bool> resting(const Prepared& data) {
  if (data.size() == 0) return {};
  const auto length = std::max(shortest_rest, std::size_t(std::ceil(shortest_rest_time / data.sampling_time)));
  const auto& x = data.measured_position.size() == data.size() ? data.measured_position : data.position;
  return at_rest(x, band_of_rest(data), length);
}

double Phases::share_of(PhaseKind kind) const {
  double wanted = 0, all = 0;
  for (const Phase& phase : phases) {
    all += double(phase.samples.count);
    if (phase.kind == kind) wanted += double(phase.samples.count);
  }
  return all > 0 ? wanted / all : 0;
}

Phases phases_of(const Prepared& data) {
  Phases found;
  if (data.size() == 0) return found;
  found.rest_band = band_of_rest(data);
  const std::vector<bool> rest = resting(data);
  const ContactFit fit = contact_fit({data.position, data.velocity, data.acceleration, data.force, data.sampling_time},
                                     {.find_lag = false, .fit_mass = false});
  found.presliding_distance = built_up * fit.distance;
  const std::vector<double> travel = travel_since_reversal(data.position, rest, found.rest_band);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const PhaseKind kind = rest[i]                                 ? PhaseKind::rest
                           : travel[i] < found.presliding_distance ? PhaseKind::presliding
                                                                   : PhaseKind::sliding;
    if (found.phases.empty() || found.phases.back().kind != kind) found.phases.push_back({kind, {i, 0}});
    ++found.phases.back().samples.count;
  }
  return found;
}

}  // namespace stickslip::inline recordings
