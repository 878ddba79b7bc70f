/// The motion of a mechanism over one step as power series that end at rounding: exact propagation.
/// In a mode whose parts are linear, with inputs that are straight lines between their breakpoints, the states obey
///   dx/dt = (M₀ + s M₁) x + b₀ + s b₁ + Σ_j G_j τ_j,   s = t − t₀,   τ_j = d D p(s) exp(−|z_j/v_S|^a)                    (1)
/// M₁ (a ramp times something viscous) and τ_j (a joint inside its Stribeck peak) are mostly absent. With x = Σ c_k θ^k, θ = s/h,
///   c_{k+1} = h/(k+1) (M₀ c_k + h M₁ c_{k−1} + b₀ [k=0] + h b₁ [k=1] + Σ G_j τ_{j,k})                                    (2)
///   y = (z/v_S)^a,  E = exp(−y):   k E_k = −Σ_{i=1..k} i y_i E_{k−i}                                                      (3)
/// Without τ_j the rest after K terms is bounded, in the norm max |x_i|/d_i with any d > 0 and ν = max (|M₀| d + h |M₁| d)_i/d_i:
///   |rest| ≤ 2 max(|c_K|, |c_{K−1}|) q/(1 − q),   q = ν h/(K+1) < 1                                                       (4)
/// d is near the positive eigenvector of |M|, where ν is smallest. With τ_j the last coefficients estimate it.
/// h is the longest for which the rest is rounding: some 3.5 to 7 over the fastest rate that is still present, so a stiff mode costs
/// as many steps as any explicit method takes, none less.
/// Every guard is a series too, and its first fall below zero is isolated with certainty (solver/first_fall.hpp), up to (4) and
/// rounding. Heat and work are integrals of products of series.
/// Not covered, left to the integrator: quadratic drag, oscillating inputs, levels of other shapes (sliding_curve.hpp) or that rise
/// at rest, loops of locked joints, whose torques are not linear.
#pragma once

#include <vector>

#include "plants/mechanism_system.hpp"
#include "plants/series.hpp"
#include "solver/first_fall.hpp"

namespace stickslip {

class MechanismSeries {
 public:
  using Mode = MechanismMode;

  /// Inputs are looked at until `end`.
  MechanismSeries(const MechanismSystem& system, double end);

  /// Whether (1) describes the mode from t to its next breakpoint.
  bool covers(const Mode& mode, double t) const;
  /// False if there is no mode that (1) could describe.
  bool can_cover() const { return can_cover_; }
  /// Before the first step and after every change of the mode.
  void enter(const Mode& mode) { has_rows_ = has_matrix_ = false, mode_ = &mode; }

  /// (2) from (t, y) on, at most `longest`; the length [s], 0 if numbers overflow.
  double step(double t, const double* y, double longest);
  /// Which guard of the system falls first, and where on the step.
  struct Crossing {
    double theta = FirstFall::never;
    std::size_t which = 0;
  };
  Crossing first_crossing();
  /// The step ends at θ; it becomes the new 1.
  void shorten(double theta);
  /// States and accounts of the system at the end of the step.
  void finish(double* y) const;

  /// Asked for by samples inside the step; coefficients of each quantity.
  void derive_accelerations();
  Series position(std::size_t body) const;
  Series speed(std::size_t body) const;
  Series acceleration(std::size_t body) const;
  const Series& slip(std::size_t joint) const { return slip_[joint]; }
  const Series& torque(std::size_t joint) const { return torque_[joint]; }
  Series capacity(std::size_t joint) const;
  const Series& elongation(std::size_t spring) const { return state_[springs_from_ + spring]; }
  const Series& spring_force(std::size_t spring) const { return force_[spring]; }
  const Series& output(std::size_t controller) const { return output_[controller]; }
  /// Heat from the start of the run, `before` at the start of the step [J]; twice as many terms.
  using HeatSeries = std::array<double, 2 * Series::length>;
  HeatSeries heat(std::size_t joint, double before) const;

 private:
  static constexpr std::size_t most_terms = Series::length - 1;  // one is left for a ramp times a series
  struct Entry {
    std::size_t column;
    double value;
  };
  struct Line {
    double value = 0, slope = 0;  // at the start of the step; per second
  };
  /// One of the two matrices in blocks of eight rows.
  struct Blocks {
    std::vector<std::size_t> first, column;
    std::vector<double> value;
    void clear() { first.assign(1, 0), column.clear(), value.clear(); }
    SeriesRecurrence::Part part() const { return {first.data(), column.data(), value.data()}; }
  };

  const SlidingCurve& curve(std::size_t joint) const;
  Line capacity_line(std::size_t joint) const;
  bool is_sampled(std::size_t controller) const;
  void build_rows();
  void add_speed(double factor, std::size_t freedom);
  void add_row_speed(double factor, const MotionRow& row);
  void add_reading(double factor, const MechanismSensor& sensor);
  void flush(std::size_t freedom, double factor, bool is_ramp = false);
  void flush_row(const MotionRow& row, double factor, bool is_ramp = false);
  void gather(const std::vector<std::vector<Entry>>& rows, Blocks& blocks) const;
  void add_peak(std::size_t joint, const SlidingCurve& curve, Line capacity);
  void find_norm();
  void read_inputs(double t);
  void push_line(std::size_t freedom, double factor, Line line);
  void push_line(const MotionRow& row, double factor, Line line);
  double largest(std::size_t k, const std::vector<double>& inverse) const;
  double norm_of(std::size_t k) const { return largest(k, inverse_scale_); }
  double size_of(std::size_t k) const { return largest(k, inverse_size_); }
  double rest_after(std::size_t k, double h, double last) const;
  double fading_after(std::size_t k) const;
  double fading_part(double room) const;
  bool expand(double h, std::size_t most);
  std::size_t first_check(std::size_t most) const;
  double converged_part(std::size_t most, double last) const;
  void take_coefficients(double part);
  void stretch(Series& s, double part) const;
  void derive();
  void derive_holding_torques();
  Series along(const MotionRow& row) const;
  void add_line(Series& to, double factor, Line line) const;
  /// p(s) times a series.
  Series ramped(Line line, const Series& s) const;
  Line map_line(std::size_t map, double& slope) const;
  Series map_torque(std::size_t map) const;
  void consider(Series& guard, double rounding, std::size_t which, Crossing& first);

  const MechanismSystem& s_;
  const Mechanism& m_;
  const Mode* mode_ = nullptr;
  double end_, length_ = 0;
  bool can_cover_ = true, has_rows_ = false, reads_position_ = false, has_ramps_ = false;
  std::size_t springs_from_ = 0, integrals_from_ = 0, positions_from_ = 0, terms_ = 1;

  // (1)
  std::vector<std::vector<Entry>> by_state_, by_ramp_;  // per state
  std::vector<Entry> pending_;
  std::vector<std::size_t> lanes_;    // the state that each lane is
  std::vector<std::size_t> lane_of_;  // of each state, or none
  Blocks matrix_, ramp_matrix_;
  std::vector<double> coefficients_;
  std::vector<double> weight_;            // of a load on a freedom in the rate of its leader
  std::vector<double> constant_, slope_;  // per lane
  std::vector<Line> lines_;               // of the signals
  std::vector<SeriesPeak> peaks_;
  std::vector<std::size_t> peak_joint_, matrix_peaks_;  // of the peaks now, and of those in the matrix
  bool has_matrix_ = false;
  std::vector<Series> peak_torque_;
  SeriesRecurrence recurrence_;
  std::vector<double> scale_, inverse_scale_, next_scale_;  // d, per lane
  std::vector<double> inverse_size_;                        // of what a rest is compared with
  double norm_ = 0, ramp_norm_ = 0, rest_ = 0;
  std::size_t last_order_ = 0;

  // On the step. State: speeds, elongations, integrals, positions.
  std::vector<Series> state_, slip_, torque_, rate_, force_, output_, load_, acceleration_;
  bool has_accelerations_ = false;
  FirstFall fall_;
};

}  // namespace stickslip
