/// From numbers to positions on an axis: the range to show, the ticks and their labels.
///   place = (number − from) / (to − from),  or the same of logarithms                                    (1)
/// Ticks are 1, 2 or 5 times a power of ten. The unit gets the SI prefix of the range; a small range around a large
/// number is labelled as a difference ("position − 1.5 m [nm]"), so labels stay short and different from each other.
#pragma once
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace stickslip::inline reports {

struct Tick {
  double at;          // SI
  std::string label;  // "" for a minor tick
};

struct AxisScale {
  double from = 0, to = 1;  // SI, from < to
  bool logarithmic = false;
  std::vector<Tick> ticks;
  std::string title;  // label, offset and unit: "velocity [mm/s]"
};

/// Eq. (1); 0 at the low end, 1 at the high end. Not finite if the number cannot be shown (log of nothing).
double place(const AxisScale& scale, double number);

/// A unit as it should be read: "um" is "µm", "m/s^2" is "m/s²", a plain number has none.
std::string readable_unit(const std::string& unit);

/// Smallest and largest finite value an axis can show; empty if there is none.
struct Extent {
  double low = 0, high = 0;
  bool is_empty = true;
  void include(double value, bool logarithmic);
};

/// Where all of a panel's data lie.
Extent x_extent(const Panel& panel);
Extent y_extent(const Panel& panel);

/// `margin` is the part of the range left free at each end; `most_ticks` bounds the labelled ones.
AxisScale scale_for(const Axis& axis, const Extent& data, double margin, int most_ticks);

}  // namespace stickslip::inline reports
