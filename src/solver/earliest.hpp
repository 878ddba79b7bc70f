/// The earliest of many times, of which only a few change between two queries.
///   minima of sixteen times each, minima of sixteen of those, up to a single row of sixteen:  O(log n)                    (1)
/// For the event calendars of friction chains and trees: rows of sixteen are compared in registers and without branches, which in a
/// heap would be unpredictable.
/// Equal times: the entry with the smallest number. Not for NaN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace stickslip::inline solver {

class Earliest {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit Earliest(std::size_t entries) {
    do {
      const std::size_t rows = (std::max<std::size_t>(entries, 1) + width - 1) / width;
      level_.emplace_back(rows * width, never);
      entries = rows;
    } while (level_.back().size() > width);
  }

  /// Counts after the next refresh() of its neighbourhood.
  void put(std::size_t entry, double time) { level_.front()[entry] = time; }
  /// Entries first..last have changed.
  void refresh(std::size_t first, std::size_t last) {
    for (std::size_t l = 1; l < level_.size(); ++l) {
      first /= width, last /= width;
      for (std::size_t row = first; row <= last; ++row) level_[l][row] = smallest(level_[l - 1].data() + row * width);
    }
  }

  double operator[](std::size_t entry) const { return level_.front()[entry]; }
  /// The times themselves, to be written in one go.
  double* data() { return level_.front().data(); }

  struct First {
    double time;
    std::size_t entry;  // meaningless if the time is `never`
  };
  First first() const {
    const double time = smallest(level_.back().data());
    std::size_t row = 0;
    for (std::size_t l = level_.size(); l-- > 0;) row = row * width + place_of(time, level_[l].data() + row * width);
    return {time, row};
  }

 private:
  static constexpr std::size_t width = 16;

  /// Four minima side by side, so that none waits for another.
  static double smallest(const double* t) {
    const auto least = [](double a, double b) { return a < b ? a : b; };
    double a = t[0], b = t[1], c = t[2], d = t[3];
    for (std::size_t k = 4; k < width; k += 4)
      a = least(t[k], a), b = least(t[k + 1], b), c = least(t[k + 2], c), d = least(t[k + 3], d);
    return least(least(a, b), least(c, d));
  }

  /// The first place whose time is not later; searched backwards over the whole row, since an early exit would be a mispredicted branch.
  static std::size_t place_of(double time, const double* t) {
    std::size_t place = 0;
    for (std::size_t k = width; k-- > 0;) place = t[k] <= time ? k : place;
    return place;
  }

  std::vector<std::vector<double>> level_;  // the times first
};

}  // namespace stickslip::inline solver
