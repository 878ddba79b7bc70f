/// A measured motion and its friction force, and the errors of a model along it.
///   J = Σ e²,   NOE = Σ e² / Σ (F − mean F)² · 100 %,   MAX = max |e|,   e = F − F̂              (1)
/// Rizos 2005 eq 7, 8, 15. Rizos 2005 starts at t_cr, a dominant extreme of the displacement: a spring that slips at Δ is at its
/// threshold there, in the direction of motion, once the body has travelled 2Δ since its last extreme on the other side.
/// Not here: reading or preparing recordings.
#pragma once

#include <cstddef>
#include <span>

#include "core/contact.hpp"

namespace stickslip::inline identification {

struct MotionForce {
  std::span<const double> time;      // [s]
  std::span<const double> position;  // [m]
  std::span<const double> force;     // friction, positive against positive velocity [N]

  std::size_t size() const { return position.size(); }
  MotionForce part(std::size_t first, std::size_t count) const {
    return {time.subspan(first, count), position.subspan(first, count), force.subspan(first, count)};
  }
};

/// Throws Error unless the three have the same length, are finite, time rises and there are at least `least` samples.
void require_usable(const MotionForce& data, std::size_t least);

/// The sampling time; throws Error where a step differs from the mean by more than 1 %.
double even_sampling_time(std::span<const double> time);

/// Eq. (1).
struct FitQuality {
  double cost = 0;           // J [N²]
  double noe = 0;            // [%]
  double largest_error = 0;  // MAX [N]
  std::size_t samples = 0;   // that were compared
};
FitQuality fit_quality(std::span<const double> measured, std::span<const double> modelled);

/// Half the peak-to-peak of a motion: no larger threshold can be observed to slip.
double half_range(std::span<const double> position);

/// t_cr and the known state there.
struct DominantExtreme {
  std::size_t index = 0;
  Direction direction = Direction::forward;  // of the motion that led there
  double largest_threshold = 0;              // every spring with a threshold up to this one slips there [m]
};
/// The earliest turning point reached by a travel of at least `share` of the peak-to-peak.
DominantExtreme dominant_extreme(std::span<const double> position, double share = 0.9);

}  // namespace stickslip::inline identification
