/// The data of a fit: the contact's motion, the force, which samples count and which may be at rest.
///   scored: samples from t_cr on (motion_force.hpp), where the unknown state at the start of a piece is forgotten   (1)
///   may rest: 7 neighbouring readings, as measured, lie within one count of the position sensor (or four times its
///             noise), that is |v| ≤ resolution/(6 T_s); where neither is known only a step of exactly 0             (2)
///   release: the end of a rest of at least 5 samples; the forces while its motion can have begun bracket breakaway (3)
///   prediction of a law that truly sticks: F̂ = clip(F, ±breakaway) at rest                                        (4)
///   chain: F̂(t) = F_model(t − lag) + offset, along y with |x − y| ≤ backlash/2, carried along by x                  (5)
///   blurred: within two periods of the low-pass of an instant at which the acceleration jumps (the begin or end of a
///            rest, a turn, a jump of the measured force). The low-pass mixes before and after there: m ẍ is off by up
///            to the jump, e^(−2.4 · 2) of it is left at the edge. Laws that truly stick are not fitted to them       (6)
///   at rest a law that truly sticks is compared with the force without inertia: ẍ is 0 there, its low-pass is not    (7)
/// A reading is an interval of ± half a count, (2): models run along the smoothed position, rests are detected in the
/// readings.
/// While the contact is at rest inside the free play of (5), a law that truly sticks transmits nothing; springs keep
/// their force.
/// Not here: fitting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "identification/identify.hpp"
#include "identification/search/bounded_least_squares.hpp"
#include "machines/friction/friction.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::inline identification {

/// Standard deviations of the force's noise by which a force at rest may exceed the level.
inline constexpr double rest_noise_slack = 3;

/// (3).
struct Release {
  std::size_t sample = 0, begin = 0;  // the last at rest; the motion began after `begin`
  double least = 0, most = 0;         // breakaway, in the direction it left, lies between them [N]
  double highest = 0;                 // force since it came to rest, in that direction: breakaway is not more [N]
  Direction direction = Direction::forward;
  double dwell = 0;  // how long it rested [s]
};

struct FitPiece {
  PrescribedMotion motion;
  std::vector<double> force;
  std::vector<std::uint8_t> may_rest;
  std::vector<std::uint8_t> blurred = {};   // (6); empty: none
  std::vector<double> sticking_force = {};  // (7) [N]; empty: as `force`
  double force_noise = 0;                   // of the measured force, white [N]
  std::vector<Release> releases;
  std::size_t settled = 0;                 // t_cr, (1)
  Direction led_by = Direction::forward;   // direction of the motion that led there
  double largest_threshold = 0;            // largest threshold that certainly slips there [m]
  SampleSet estimation, validation, test;  // scored samples only
  std::size_t unit = 0;                    // which recording it is part of
  std::size_t size() const { return force.size(); }
  const std::vector<double>& force_for(bool sticks) const {
    return sticks && !sticking_force.empty() ? sticking_force : force;
  }
};

/// (6), of the samples of estimation.
struct Blur {
  double reach = 0;                      // how far from such an instant [s]
  std::size_t left_out = 0, moving = 0;  // samples that move: blurred ones, all of them
  bool is_shortened = false;             // with two periods too few samples would have remained
};
/// How many samples are left out and why, as text; empty without a low-pass.
std::string blur_remark(const Blur& blur);

/// Orders of magnitude of the data, from which every search box is made.
struct DataScales {
  double force = 0;          // largest |force| less the offset [N]
  double offset = 0;         // between the forces of the two directions; 0 with one direction only [N]
  bool one_way = false;      // hardly moves in one of the directions: an offset and friction are the same thing
  bool goes_forward = true;  // more than backward
  double level = 0;          // typical |force| while moving [N]
  double fast_level = 0;     // at the fastest tenth of the samples [N]
  double slow_level = 0;     // at the slowest tenth of those that move [N]
  double breakaway = 0;      // highest |force| less the offset before any release, with its noise; 0: no release [N]
  double fastest = 0;        // [m/s]
  double typical_speed = 0;  // median of those that move [m/s]
  double half_range = 0;     // of the position [m]
  double step = 0;           // mean |step| of those that move [m]
  double stiffness = 0;      // slope of presliding: after reversals [N/m]
  double sampling_time = 0;  // [s]
  double duration = 0;       // [s]
  double low_position = 0, high_position = 0, low_load = 0, high_load = 0, low_pressure = 0, high_pressure = 0;
  double low_temperature = 0, high_temperature = 0;
};

struct FitData {
  std::vector<FitPiece> pieces;
  DataScales scales;
  Blur blur = {};
  std::vector<std::string> warnings;
};

/// Throws Error where no model can be fitted: nothing moves, too few samples.
FitData fit_data(const Sets& sets);
FitPiece fit_piece(const Prepared& data);

/// The largest white noise of the force among the pieces [N].
inline double largest_force_noise(const FitData& data) {
  double noise = 0;
  for (const FitPiece& p : data.pieces) noise = std::max(noise, p.force_noise);
  return noise;
}

/// The samples of one set, counted.
std::size_t scored_count(const FitData& data, SampleSet FitPiece::*set);

/// Only the samples that estimation needs, at most about `most`: the beginning if it contains most of the motion, else
/// every n-th sample.
FitData shortened(const FitData& data, std::size_t most);

/// The level up to which a law holds a body at rest.
class RestLevel {
 public:
  explicit RestLevel(const Friction& friction);
  /// Whether the law truly sticks: at rest its force balances the others.
  bool exists() const { return law_ != nullptr || level_ >= 0 || is_free_; }
  /// [N]; infinity where the law gives none.
  double at(const FitPiece& piece, std::size_t sample, Direction d, double dwell) const;

 private:
  std::unique_ptr<StickingLaw> law_;
  double level_ = -1;
  bool is_free_ = false;
};

/// (5): the free play, and the lag, linear between samples.
std::vector<double> behind_play(const std::vector<double>& x, double play);
void delay(const std::vector<double>& time, double lag, std::span<double> values, std::vector<double>& scratch);
/// How fast delayed values change with the lag [1/s times their unit].
void delay_slopes(const std::vector<double>& time, double lag, std::span<const double> values, std::span<double> out);

/// The predicted force at rest: the force that acts or, if that is too large, the breakaway level, the friction of
/// sliding (it may slide slowly) or, for a law without a level, its highest friction.
enum class RestBound { felt, level, sliding, highest };
/// (4): `level(sample, direction, dwell)` is called at every sample that may rest, then `note(sample, direction, dwell, bound)`.
template <class Level, class Note>
void resist_at_rest(const FitPiece& piece, double offset, const std::vector<double>& felt, std::span<double> force,
                    const Level& level, const Note& note) {
  double highest = 0;
  const double slack = piece.blurred.empty() ? 0 : rest_noise_slack * piece.force_noise;
  for (const double f : force) highest = std::max(highest, std::fabs(f));
  std::size_t since = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    if (!piece.may_rest[i]) continue;
    if (i > 0 && !piece.may_rest[i - 1]) since = i;
    const double resisted = felt[i] - offset;
    const Direction d = direction_of(resisted);
    const double dwell = piece.motion.time[i] - piece.motion.time[since];
    double most = level(i, d, dwell);
    RestBound bound = RestBound::level;
    if (most == unbounded) most = highest, bound = RestBound::highest;
    if (std::fabs(force[i]) > most) most = std::fabs(force[i]), bound = RestBound::sliding;
    most += slack;
    note(i, d, dwell, std::fabs(resisted) <= most ? RestBound::felt : bound);
    force[i] = number(d) * std::min(std::fabs(resisted), most);
  }
}

/// (4) and (5) [N], all samples of a piece up to `end`; at rest up to the level of the force `felt`.
std::vector<double> predicted(const Friction& friction, const Chain& chain, const FitPiece& piece, std::size_t end,
                              const std::vector<double>& felt);
std::vector<double> predicted(const Friction& friction, const Chain& chain, const FitPiece& piece, std::size_t end);

}  // namespace stickslip::inline identification
