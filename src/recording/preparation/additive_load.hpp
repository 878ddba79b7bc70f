/// A load over position that is no friction, the same in both directions: gravity about an angle, cogging, a spring.
///   L(x) = Σ_i (s_i sin(k_i x) + c_i cos(k_i x)) + table(x)                                                      (1)
/// Its constant part is the force's offset and not in here: waves have none, a table is 0 at its first knot.
#pragma once
#include <cstddef>
#include <vector>

namespace stickslip::inline recordings {

struct LoadWave {
  double wave_number = 1;       // k [rad/m]; 1 of an angle: an unbalanced arm
  double sine = 0, cosine = 0;  // s, c [N]
  bool operator==(const LoadWave&) const = default;
};

struct AdditiveLoad {
  std::vector<LoadWave> waves = {};
  std::vector<double> knots = {}, values = {};  // of the table: straight lines between, held outside [m], [N]
  bool operator==(const AdditiveLoad&) const = default;
  bool is_given() const { return !waves.empty() || !knots.empty(); }
  /// (1) [N].
  double at(double position) const;
};

}  // namespace stickslip::inline recordings
