/// The earliest of many times of which a few change between two questions.
///   a block keeps the smallest of its √n times, the answer is the smallest of √n blocks:  O(√n) with a small factor      (1)
/// For the event calendar of a chain: at the few hundred entries met there this beats a heap, whose branches nobody can predict.
/// Equal times: the entry with the smallest number. Not for NaN.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace stickslip {

class Earliest {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit Earliest(std::size_t entries) {
    while (width() * width() < entries) ++shift_;
    const std::size_t blocks = (entries + width() - 1) >> shift_;
    time_.assign(blocks << shift_, never);
    block_.assign((blocks + 3) / 4 * 4, never);
  }

  /// Counts after the next refresh() of its neighbourhood.
  void put(std::size_t entry, double time) { time_[entry] = time; }
  /// Entries first..last have changed.
  void refresh(std::size_t first, std::size_t last) {
    for (std::size_t b = first >> shift_; b <= last >> shift_; ++b)
      block_[b] = smallest(time_.data() + (b << shift_), width());
  }

  double operator[](std::size_t entry) const { return time_[entry]; }
  /// The times themselves, to be written in one go.
  double* data() { return time_.data(); }

  struct First {
    double time;
    std::size_t entry;  // meaningless if the time is `never`
  };
  First first() const {
    const double time = smallest(block_.data(), block_.size());
    const std::size_t begin = place_of(time, block_.data(), block_.size()) << shift_;
    return {time, begin + place_of(time, time_.data() + begin, width())};
  }

 private:
  std::size_t width() const { return std::size_t{1} << shift_; }

  /// Four minima side by side, so that none waits for another; `count` is a multiple of 4.
  static double smallest(const double* t, std::size_t count) {
    const auto least = [](double a, double b) { return a < b ? a : b; };
    double a = t[0], b = t[1], c = t[2], d = t[3];
    for (std::size_t k = 4; k < count; k += 4)
      a = least(t[k], a), b = least(t[k + 1], b), c = least(t[k + 2], c), d = least(t[k + 3], d);
    return least(least(a, b), least(c, d));
  }

  /// The first place whose time is not later; from behind and to the end, since where to stop would be a guess.
  static std::size_t place_of(double time, const double* t, std::size_t count) {
    std::size_t place = 0;
    for (std::size_t k = count; k-- > 0;) place = t[k] <= time ? k : place;
    return place;
  }

  std::size_t shift_ = 2;  // of 2: the width of a block, at least 4
  std::vector<double> time_, block_;
};

}  // namespace stickslip
