/// Friction along a given motion: position or velocity over time in, force out.
///   u = m a(t) + F,   F: the law's force along x(t), v(t)                                            (1)
/// The law advances by its own exact step at the mean velocity of a short piece. Pieces end at breakpoints of the input and where the
/// velocity passes through zero; the error falls with the square of their length, and a run halves them until its forces agree.
/// Not here: a position that jumps (its force is infinite). At rest a law that truly sticks gives 0: the holding force does
/// not follow from the motion.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/signal.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

struct PrescribedBody {
  double mass = 1;              // [kg]
  bool gives_velocity = false;  // the input is v(t) [m/s], else x(t) [m]
  double position = 0;          // at the start, where the input is a velocity [m]
  Signal input, load, pressure, temperature{room_temperature};
  bool is_rotary = false;
};

/// The motion alone.
class PrescribedPath {
 public:
  explicit PrescribedPath(const PrescribedBody& body) : body_(body) {}
  double velocity(std::size_t segment, double t) const;
  double acceleration(std::size_t segment, double t) const;
  /// From a to b inside one segment [m].
  double way(std::size_t segment, double a, double b) const;
  /// Where the velocity first passes through zero in (a, b) inside one segment; b if nowhere. Looked for in steps of at most `closest`.
  double turning(std::size_t segment, double a, double b, double closest) const;
  /// Throws Error where a position jumps before `end`.
  void check(double start, double end) const;

 private:
  const PrescribedBody& body_;
};

enum class PathEvent { starts, stops, reverses };
std::string_view name_of(PathEvent e);
struct PathEventAt {
  double time = 0;
  PathEvent kind = PathEvent::starts;
  double position = 0;
};

/// What is seen at an instant; at an instant of reversal, the side before.
struct PrescribedSample {
  double position = 0, velocity = 0, drive = 0, friction = 0;
  int mode = 0;
  std::vector<double> states;
};

/// A law taken along the path in stretches of at most `step` seconds.
class PrescribedWalk {
 public:
  /// Without its events, if nobody takes them: their list would grow for ever.
  PrescribedWalk(const PrescribedBody& body, const Friction& friction, double start, double step,
                 bool lists_events = true);
  PrescribedWalk(const PrescribedWalk&) = delete;
  PrescribedWalk& operator=(const PrescribedWalk&) = delete;

  double time() const { return now_; }
  void advance(double until);
  PrescribedSample sample() const;
  double work() const { return work_; }  // against friction [J]
  double kinetic_change() const;         // [J]
  double drive_work() const { return work_ + kinetic_change(); }
  std::vector<PathEventAt>& events() { return events_; }
  double input(std::size_t which) const;  // input, load, pressure, temperature
  void set_input(std::size_t which, double value, double slope);
  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> saved);
  double stretches() const { return stretches_; }

 private:
  void stretch(double to);
  void set_quantities(double t) const;  // what levels may follow
  Signal& signal(std::size_t which);
  double asked(double velocity, double duration, PrescribedSample& s) const;
  void note(double before, double after);
  template <class Archive>
  void keep(Archive& archive, std::vector<std::byte>& law) {
    archive(body_.input, body_.load, body_.pressure, body_.temperature, body_.position, now_, position_, work_,
            first_speed_, last_mean_, segment_, events_, law, stretches_);
  }

  PrescribedBody body_;
  PrescribedPath path_{body_};
  std::unique_ptr<FixedStepper> law_;
  double start_, step_, now_, position_, work_ = 0, first_speed_ = 0, last_mean_ = 0, stretches_ = 0;
  std::size_t segment_ = 0;
  std::vector<PathEventAt> events_;
  bool lists_events_ = true;
};

}  // namespace stickslip::inline machines
