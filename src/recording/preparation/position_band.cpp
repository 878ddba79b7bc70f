/// The spectrum of a position and its noise floor; see position_band.hpp.
#include "recording/preparation/position_band.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace stickslip::inline recordings {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::size_t shortest_segment = 32;
constexpr double stands_out = 4;     // times the floor: an average over an octave stays below it by chance
constexpr double margin = 2;         // cutoff over the highest frequency of the motion
constexpr double exact = 1e-8;       // noise over the range: numbers of a computer, not of a sensor
constexpr double fills_band = 0.75;  // of the band; a cutoff above it takes nothing worth taking

struct Spectrum {
  std::vector<double> density;  // one-sided [m²/Hz], without the constant
  double step = 0;              // [Hz]
};

/// A stretch without the straight line of least squares, under a Hann window.
std::vector<double> windowed(std::span<const double> x) {
  const double n = double(x.size()), middle = (n - 1) / 2;
  double mean = 0, slope = 0;
  for (const double value : x) mean += value / n;
  for (std::size_t i = 0; i < x.size(); ++i) slope += (double(i) - middle) * (x[i] - mean);
  slope /= n * (n * n - 1) / 12;
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = (x[i] - mean - slope * (double(i) - middle)) * 0.5 * (1 - std::cos(2 * pi * (double(i) + 0.5) / n));
  return out;
}

Spectrum welch(std::span<const double> x, double sampling_time) {
  const std::size_t length = std::bit_floor(std::max(shortest_segment, x.size() / 2));
  Spectrum s{std::vector<double>(length / 2), 1 / (double(length) * sampling_time)};
  Eigen::FFT<double> transform;
  std::vector<std::complex<double>> bins;
  std::size_t segments = 0;
  for (std::size_t from = 0; from + length <= x.size(); from += length / 2, ++segments) {
    transform.fwd(bins, windowed(x.subspan(from, length)));
    for (std::size_t k = 0; k < length / 2; ++k) s.density[k] += std::norm(bins[k]);
  }
  const double scale = 2 * sampling_time / (0.375 * double(length) * double(segments));  // Hann: Σ w² = 3 n/8
  for (double& value : s.density) value *= scale;
  s.density[0] = 0;
  return s;
}

/// Mean density from f/√2 to f √2, for every bin.
std::vector<double> over_octaves(const Spectrum& s) {
  std::vector<double> sum(s.density.size() + 1), out(s.density.size());
  for (std::size_t k = 0; k < s.density.size(); ++k) sum[k + 1] = sum[k] + s.density[k];
  for (std::size_t k = 1; k < s.density.size(); ++k) {
    const auto low = std::size_t(std::ceil(double(k) / std::sqrt(2.0)));
    const auto high = std::min(std::size_t(double(k) * std::sqrt(2.0)), s.density.size() - 1);
    out[k] = (sum[high + 1] - sum[low]) / double(high + 1 - low);
  }
  return out;
}

/// Eq. (1) [m²/Hz].
double rounding_floor(std::span<const double> x, double sampling_time, double resolution) {
  if (resolution <= 0) return 0;
  double squares = 0;
  for (std::size_t i = 1; i < x.size(); ++i) squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
  // Of a staircase Σ Δx² = q Σ |Δx|: at less than one step per sample the mean square overstates the speed.
  double travel = 0;
  for (std::size_t i = 1; i < x.size(); ++i) travel += std::abs(x[i] - x[i - 1]);
  const double n = double(x.size() - 1);
  const double speed = std::max(travel / n, std::sqrt(std::max(0.0, squares / n - resolution * travel / n)));
  if (speed <= 0) return 0;
  const double band = std::min(0.5, speed / resolution) / sampling_time;
  return resolution * resolution / 12 / band;
}

}  // namespace

PositionBand position_band(std::span<const double> x, double sampling_time, double resolution) {
  if (x.size() < 2 * shortest_segment) return {};
  const Spectrum s = welch(x, sampling_time);
  const std::vector<double> smooth = over_octaves(s);
  const std::size_t n = s.density.size();
  double top = 0;
  for (std::size_t k = n - n / 4; k < n; ++k) top += s.density[k] / double(n / 4);  // eq. (2)
  const double rounding = rounding_floor(x, sampling_time, resolution), floor = std::max(top, rounding);
  PositionBand band;
  band.floor = floor;
  band.noise = std::max(std::sqrt(top * 0.5 / sampling_time), resolution / std::sqrt(12.0));
  std::size_t highest = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (smooth[k] > stands_out * floor) highest = k;
  band.motion_hz = s.step * double(highest);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (band.noise < exact * (*high - *low)) return band;
  if (highest > 0 && margin * double(highest) < fills_band * double(n)) band.cutoff_hz = margin * band.motion_hz;
  return band;
}

}  // namespace stickslip::inline recordings
