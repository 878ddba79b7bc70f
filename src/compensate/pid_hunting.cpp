/// See pid_hunting.hpp.
#include "compensate/pid_hunting.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <complex>

namespace stickslip::inline compensation {
namespace {

/// (1) in its own modes; time in units of 1/scale.
class LinearSlip {
 public:
  explicit LinearSlip(const PidLoop& p) : scale_(std::sqrt(p.proportional / p.mass)) {
    // unknowns: ξ, v/scale, q' scale
    Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
    a(0, 1) = 1;
    a(1, 0) = -1;
    a(1, 1) = -(p.derivative + p.viscosity) / (p.mass * scale_);
    a(1, 2) = -p.integral / (p.proportional * scale_);
    a(2, 0) = 1;
    // Three equal modes have no basis; a part in 1e9 of damping tells them apart.
    for (int tries = 0; tries < 3; ++tries, a(1, 1) *= 1 + 1e-9) {
      const Eigen::EigenSolver<Eigen::Matrix3d> modes(a);
      value_ = modes.eigenvalues();
      vector_ = modes.eigenvectors();
      inverse_ = vector_.inverse();
      if ((vector_ * inverse_ - Eigen::Matrix3cd::Identity()).cwiseAbs().maxCoeff() < 1e-6) break;
    }
  }
  double scale() const { return scale_; }
  double slowest() const { return value_.real().cwiseAbs().minCoeff(); }
  double fastest() const { return value_.cwiseAbs().maxCoeff(); }
  Eigen::Vector3d at(const Eigen::Vector3d& start, double t) const {
    Eigen::Vector3cd share = inverse_ * start.cast<std::complex<double>>();
    for (int i = 0; i < 3; ++i) share(i) *= std::exp(value_(i) * t);
    return (vector_ * share).real();
  }

 private:
  double scale_;
  Eigen::Vector3cd value_;
  Eigen::Matrix3cd vector_, inverse_;
};

struct SlipEnd {
  double time = 0, fastest = 0;
  Eigen::Vector3d state = Eigen::Vector3d::Zero();
  bool is_found = false;
};

/// Where v comes back to zero.
SlipEnd first_stop(const LinearSlip& slip, const Eigen::Vector3d& start) {
  SlipEnd stop;
  const double step = 0.01 / slip.fastest(), most = 60 / slip.slowest();
  double before = 0;
  for (double t = step; t < most; before = t, t += step) {
    const double v = slip.at(start, t)(1);
    stop.fastest = std::max(stop.fastest, v);
    if (v > 0 || t == step) continue;
    double low = before, high = t;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
      const double middle = 0.5 * (low + high);
      (slip.at(start, middle)(1) > 0 ? low : high) = middle;
    }
    stop.time = 0.5 * (low + high);
    stop.state = slip.at(start, stop.time);
    stop.is_found = true;
    return stop;
  }
  return stop;
}

}  // namespace

bool is_stable_without_stiction(const PidLoop& p) {
  return (p.derivative + p.viscosity) * p.proportional > p.mass * p.integral;
}

std::optional<Hunting> hunting_of(const PidLoop& p) {
  const double drop = p.stiction - p.coulomb;
  if (!(p.integral > 0 && p.proportional > 0 && p.mass > 0 && drop > 0) || !is_stable_without_stiction(p)) return {};
  const LinearSlip slip(p);
  const double unit = drop / p.proportional;  // amplitudes are measured in it
  const auto start = [&](double a) {
    return Eigen::Vector3d(-a * unit, 0, (a - 1) * unit * p.proportional * slip.scale() / p.integral);
  };
  const auto beyond = [&](double a) {  // how much further than the same distance on the other side it goes
    const SlipEnd stop = first_stop(slip, start(a));
    return stop.is_found ? stop.state(0) / unit - a : -HUGE_VAL;
  };
  double low = 1e-9, high = 1;
  if (!(beyond(low) > 0)) return {};
  while (high < 1e9 && beyond(high) > 0) low = high, high *= 2;
  if (!(high < 1e9)) return {};
  for (int i = 0; i < 100 && high - low > 1e-14 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (beyond(middle) > 0 ? low : high) = middle;
  }
  const double a = 0.5 * (low + high);
  const SlipEnd stop = first_stop(slip, start(a));
  const double amplitude = a * unit;
  // While it rests the controller goes from what it gives at the stop to −F_S, at the rate −I a.
  const double q = stop.state(2) / slip.scale() - p.coulomb / p.integral;
  const double force = -p.proportional * amplitude - p.integral * q;
  const double rest = std::max(0.0, (force + p.stiction) / (p.integral * amplitude)), slide = stop.time / slip.scale();
  return Hunting{amplitude, 2 * (rest + slide), slide, stop.fastest * slip.scale()};
}

}  // namespace stickslip::inline compensation
