/// Random scenario files of one body: every machine, input and damping a file can name, with numbers that belong together.
/// A force scale, a mass and a natural frequency are drawn first; everything else is a share of what follows from them, so that most
/// runs stick, slide and turn. Without `typical` the numbers are anything that a file accepts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "core/range.hpp"

namespace stickslip::test {

/// The same numbers with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  double logarithmic(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double sign() { return random_() % 2 == 0 ? 1 : -1; }
  bool chance(double share) { return uniform(0, 1) < share; }
  std::size_t below(std::size_t n) { return random_() % n; }
  template <class T, std::size_t n>
  T any(const std::array<T, n>& of) {
    return of[below(n)];
  }

 private:
  std::mt19937_64 random_;
};

struct OneBody {
  std::string text;         // the file without [solver]
  double length, velocity;  // what positions and velocities are measured by [m], [m/s]
  double period, duration;  // [s]
};

class RandomOneBody {
 public:
  RandomOneBody(std::uint64_t seed, bool typical) : draw_(seed), typical_(typical) {}

  OneBody make() {
    mass_ = size(1e-3, 1e4);
    frequency_ = size(1e-1, 1e4);
    force_ = size(1e-2, 1e3);
    stiffness_ = mass_ * frequency_ * frequency_;
    if (draw_.chance(0.1)) coincide();
    damping_ = 2 * mass_ * frequency_ * damping_ratio();
    length_ = force_ / stiffness_;
    duration_ = draw_.logarithmic(1e-2, draw_.chance(0.05) ? 3000 : 150) / frequency_;
    if (!typical_ && draw_.chance(0.3)) duration_ = draw_.logarithmic(1e-12, 1e12);
    level_ = force_ * draw_.logarithmic(1e-3, 2);
    if (!typical_ && draw_.chance(0.2)) level_ = draw_.logarithmic(1e-300, 1e-9);
    kind_ = draw_.any(std::array{"applied-force", "pulled-spring", "pulled-spring", "pulled-spring", "wall-spring",
                                 "wall-spring", "pid", "pid", "position-loop"});
    is_path_ = kind_ != "applied-force" && kind_ != "wall-spring";
    start_ = draw_.chance(0.1) ? draw_.uniform(-1, 5) * duration_ : 0;
    const std::string friction = friction_text();  // shares the damping
    const std::string input = input_text();
    std::string text = "[machine]\n" + machine_text() + input + friction + "[run]\n";
    if (start_ != 0) put(text, "start", start_, "s");
    put(text, "duration", duration_, "s");
    put(text, "sample_interval", duration_ / static_cast<double>(40 + draw_.below(40)), "s");
    return {text, length_, length_ * frequency_, 2 * pi / frequency_, duration_};
  }

 private:
  static constexpr double pi = 3.14159265358979323846;

  double size(double low, double high) {
    if (!typical_ && draw_.chance(0.15)) return draw_.logarithmic(1e-30, 1e30);
    return draw_.logarithmic(low, high);
  }
  /// Small whole numbers, with which sums come out exactly: many things then happen at one instant.
  void coincide() {
    mass_ = static_cast<double>(1 + draw_.below(4));
    stiffness_ = mass_ * std::pow(4.0, static_cast<double>(draw_.below(4)));
    frequency_ = std::sqrt(stiffness_ / mass_);
    force_ = static_cast<double>(1 + draw_.below(8));
  }
  double damping_ratio() {
    switch (draw_.below(10)) {
      case 0:
        return 0;
      case 1:
        return draw_.logarithmic(1e-15, 1e-3);
      case 2:
        return 0.70710678118654752;  // where the closed form ends
      case 3:
        return 1;
      case 4:
        return draw_.uniform(0.9, 1.1);
      case 5:
        return draw_.logarithmic(1, typical_ ? 30 : 1e9);
      default:
        return draw_.uniform(0, 0.71);
    }
  }
  /// A number no file accepts becomes the nearest that one does (core/range.hpp).
  static double accepted(double value, const std::string& unit) {
    if (value == 0 || unit.empty()) return value;
    const Magnitude& row = magnitude_of(unit);
    return std::copysign(std::clamp(std::fabs(value), row.smallest, row.largest), value);
  }
  static std::string quantity(double value, const std::string& unit) {
    value = accepted(value, unit);
    std::array<char, 40> number{};
    std::snprintf(number.data(), number.size(), "%.17g", value);
    return std::string("\"") + number.data() + (unit.empty() ? "" : " " + unit) + "\"";
  }
  static void put(std::string& text, const std::string& key, double value, const std::string& unit) {
    text += key + " = " + quantity(value, unit) + "\n";
  }

  std::string machine_text() {
    std::string text = "kind = \"" + kind_ + "\"\n";
    put(text, "mass", mass_, "kg");
    if (kind_ == "pid") {
      put(text, "proportional", stiffness_, "N/m");
      put(text, "derivative", damping_, "N s/m");
      if (draw_.chance(0.3)) put(text, "integral", draw_.uniform(0, 0.3) * frequency_ * stiffness_, "N/(m s)");
    } else if (kind_ == "position-loop") {
      // Samples often enough for a loop that settles; some are late.
      put(text, "position_gain", 0.3 * frequency_, "1/s");
      put(text, "velocity_gain", mass_ * frequency_, "N s/m");
      put(text, "sampling_time", std::max(draw_.logarithmic(0.02, 1) / frequency_, duration_ / (typical_ ? 3000 : 1e5)),
          "s");
      if (draw_.chance(0.3)) text += "difference = " + std::to_string(1 + draw_.below(4)) + "\n";
      if (draw_.chance(0.4)) put(text, "lag", draw_.logarithmic(1e-2, 1) / frequency_, "s");
      if (draw_.chance(0.4)) put(text, "limit", draw_.logarithmic(0.1, 10) * force_, "N");
      if (draw_.chance(0.2)) put(text, "resolution", 1e-3 * length_, "m");
    } else if (kind_ != "applied-force") {
      put(text, "stiffness", draw_.chance(0.03) ? 0 : stiffness_, "N/m");
      put(text, "damping", damping_, "N s/m");
    }
    if (draw_.chance(0.6)) text += start_text();
    return text;
  }
  /// Somewhere, at rest where nothing pulls, or already in the motion that the input leads to.
  std::string start_text() {
    std::string text = "[machine.start]\n";
    double position = draw_.uniform(-3, 3) * length_, velocity = draw_.uniform(-2, 2) * length_ * frequency_;
    switch (draw_.below(4)) {
      case 0:
        velocity = 0;
        break;
      case 1: {  // the steady slide behind a ramp, or rest at the middle of the band
        const double d = rate_ < 0 ? -1 : 1;
        velocity = is_path_ ? rate_ : 0;
        position = is_path_ && rate_ != 0
                       ? -(d * level_ + viscosity_ * rate_ + (kind_ == "pid" ? damping_ * rate_ : 0)) / stiffness_
                       : 0;
        break;
      }
      default:
        break;
    }
    put(text, "position", position, "m");
    put(text, "velocity", velocity, "m/s");
    return text;
  }

  std::string friction_text() {
    // Part of the damping is the friction's own.
    const std::size_t where = draw_.below(3);
    viscosity_ = where == 0 ? 0 : where == 1 ? damping_ : 0.5 * damping_;
    if (kind_ == "applied-force" || kind_ == "position-loop") viscosity_ = damping_;
    std::string text = "[friction]\n";
    const std::string model = draw_.any(std::array{"coulomb", "coulomb-viscous", "coulomb-viscous", "stribeck",
                                                   "hybrid", "stribeck", "coulomb", "karnopp", "hybrid-dwell"});
    text += "model = \"" + model + "\"\n";
    std::string backward;
    const bool has_backward = draw_.chance(0.2);
    const double other = draw_.uniform(0.3, 2);
    level_text(text);
    if (has_backward) put(backward, "coulomb_force", other * level_, "N");
    if (model == "coulomb") {
      viscosity_ = 0;
    } else if (model == "coulomb-viscous") {
      put(text, "viscosity", viscosity_, "N s/m");
      damping_ -= viscosity_;
    } else {
      const double speed = length_ * frequency_;
      const double rise = draw_.chance(0.1) ? 1 : draw_.uniform(0.8, 2);
      put(text, "stiction_force", rise * level_, "N");
      if (has_backward) put(backward, "stiction_force", rise * other * level_, "N");
      put(text, "stribeck_velocity", speed * draw_.logarithmic(1e-3, 1), "m/s");
      if (draw_.chance(0.3)) text += "stribeck_exponent = " + std::to_string(draw_.uniform(0.6, 2.5)) + "\n";
      if (draw_.chance(0.2)) text += "stribeck_form = \"rational\"\n";
      put(text, "viscosity", viscosity_, "N s/m");
      damping_ -= viscosity_;
      if (model == "karnopp") put(text, "band", speed * draw_.logarithmic(1e-5, 1e-2), "m/s");
      if (model == "hybrid-dwell") {
        put(text, "stiction_limit", std::max(1.0, has_backward ? other : 1) * rise * level_ * draw_.uniform(1, 2), "N");
        put(text, "dwell_time", draw_.logarithmic(0.1, 10) / frequency_, "s");
      }
    }
    damping_ = std::max(damping_, 0.0);
    if (!backward.empty()) text += "[friction.backward]\n" + backward;
    return text;
  }
  /// A number, or a level that follows position.
  void level_text(std::string& text) {
    if (!draw_.chance(0.08)) return put(text, "coulomb_force", level_, "N");
    const double slope = draw_.uniform(-0.02, 0.02) * level_ / length_;
    if (draw_.chance(0.5)) {
      text += "coulomb_force = { value = " + quantity(level_, "N") + ", over = \"position\", polynomial = [" +
              quantity(slope, "N/m") + "] }\n";
    } else {
      text += "coulomb_force = { over = \"position\", table = [[" + quantity(-20 * length_, "m") + ", " +
              quantity(level_ * 0.7, "N") + "], [" + quantity(0, "m") + ", " + quantity(level_, "N") + "], [" +
              quantity(20 * length_, "m") + ", " + quantity(1.3 * level_, "N") + "]] }\n";
    }
  }

  std::string input_text() {
    if (!draw_.chance(0.15)) return "[input]\n" + one_input();
    return "[[input]]\n" + one_input() + "[[input]]\n" + one_input();
  }
  std::string one_input() {
    const std::string unit = is_path_ ? "m" : "N";
    const double scale = draw_.sign() * (is_path_ ? length_ : force_) * draw_.logarithmic(0.1, 10);
    const auto instant = [&] { return start_ + draw_.uniform(0, 1) * duration_; };
    std::string text;
    switch (draw_.below(8)) {
      case 0:
        text = "kind = \"constant\"\n";
        put(text, "value",
            draw_.chance(0.3)   ? 0
            : draw_.chance(0.2) ? (is_path_ ? level_ / stiffness_ : level_)
                                : scale,
            unit);
        return text;
      case 1:
      case 2: {
        text = "kind = \"ramp\"\n";
        rate_ = scale / draw_.logarithmic(0.1 / frequency_, duration_ + 1 / frequency_);
        put(text, "rate", rate_, unit + "/s");
        if (draw_.chance(0.3) || start_ < 0) put(text, "from", instant(), "s");
        if (draw_.chance(0.2)) put(text, "until", start_ + duration_ * draw_.uniform(1, 2), "s");
        return text;
      }
      case 3:
        text = "kind = \"sine\"\n";
        put(text, "amplitude", scale, unit);
        put(text, "frequency", frequency_ * draw_.logarithmic(0.01, 0.3), "Hz");
        if (draw_.chance(0.3)) put(text, "phase", draw_.uniform(-3, 3), "rad");
        if (start_ < 0) put(text, "from", start_, "s");
        if (draw_.chance(0.3)) put(text, "until", start_ + duration_ * draw_.uniform(0.3, 2), "s");
        return text;
      case 4:
        text = "kind = \"chirp\"\n";
        put(text, "amplitude", scale, unit);
        put(text, "start_frequency", frequency_ * draw_.logarithmic(0.01, 0.3), "Hz");
        put(text, "end_frequency", frequency_ * draw_.logarithmic(0.01, 0.3), "Hz");
        put(text, "duration", duration_ * draw_.uniform(0.2, 1.5), "s");
        if (draw_.chance(0.5)) text += "sweep = \"logarithmic\"\n";
        return text;
      default: {
        const bool steps = draw_.chance(0.5);
        text = std::string("kind = \"") + (steps ? "steps" : "table") + "\"\npoints = [";
        double time = start_ + draw_.uniform(-0.1, 0.3) * duration_;
        const std::size_t count = 1 + draw_.below(6);
        for (std::size_t i = 0; i < count; ++i) {
          if (i > 0) text += ", ";
          text += "[" + quantity(time, "s") + ", " +
                  quantity(draw_.chance(0.15) ? 0 : scale * draw_.uniform(-1, 1), unit) + "]";
          if (steps || !draw_.chance(0.15)) time += draw_.logarithmic(1e-3, 0.6) * duration_;
        }
        return text + "]\n";
      }
    }
  }

  Draw draw_;
  bool typical_;
  double mass_ = 1, frequency_ = 1, stiffness_ = 1, damping_ = 0, viscosity_ = 0, force_ = 1, length_ = 1;
  double level_ = 1, duration_ = 1, start_ = 0, rate_ = 0;
  std::string kind_;
  bool is_path_ = false;
};

}  // namespace stickslip::test
