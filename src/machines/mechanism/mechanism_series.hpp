/// The motion of a mechanism over one step as power series that end at rounding: exact propagation.
/// In a mode whose parts are linear, with inputs that are straight lines between their breakpoints, the states obey
///   dx/dt = M x + b₀ + s b₁ + Σ_j G_j u_j,   s = t − t₀,   u_j = p(s) z_j   or   D p(s) exp(−|z_j/v_S|^a)                   (1)
/// where the u_j (a ramp times something viscous; a joint inside its Stribeck peak) are mostly absent. With x = Σ c_k θ^k, θ = s/h,
///   c_{k+1} = h/(k+1) (M c_k + b₀ [k=0] + h b₁ [k=1] + Σ G_j u_{j,k})                                                       (2)
/// (series.hpp has the u_{j,k}). Without peaks the rest after order K is bounded, in the norm max |x_i|/d_i with any d > 0 and
/// ν = max (|M| d)_i/d_i, ramps included in M with the most they reach:
///   |rest| ≤ 2 max(|c_K|, |c_{K−1}|) q/(1 − q),   q = ν h/(K+1) < 1                                                          (3)
/// d is near the positive eigenvector of |M|, where ν is smallest. With peaks the last coefficients estimate the rest.
/// h is the longest for which the rest is rounding of the speeds, and of what changes them within the step; how large a position, an
/// elongation or an integral is does not count beyond that, since its d may be as small as 1/ν². That is some 3.5 to 10 over the fastest rate that is still present, so a stiff mode costs
/// as many steps as any explicit method takes, none less.
/// Everything else that is asked of a step (guards, torques, rates of dampers) is linear in the states: rows that are made once per mode
/// (mechanism_series_rows.cpp) and multiplied with the coefficients. The first fall of a guard below zero is isolated with certainty
/// (solver/first_fall.hpp), up to (3) and rounding. Heat and work are integrals of products of series.
/// A linear mode that lasts is left to mechanism_glide.hpp.
/// Not covered, left to the integrator: quadratic drag, oscillating inputs, levels of other shapes (sliding_curve.hpp) or that rise
/// at rest, loops of locked joints, whose torques are not linear, and machines of more than 512 states (rows are dense).
#pragma once

#include <vector>

#include "machines/mechanism/glide.hpp"
#include "machines/mechanism/lane_memory.hpp"
#include "machines/mechanism/mechanism_system.hpp"
#include "machines/mechanism/series.hpp"
#include "solver/first_fall.hpp"

namespace stickslip::inline machines {

class MechanismSeries {
 public:
  using Mode = MechanismMode;

  /// Inputs are looked at until `end`.
  MechanismSeries(const MechanismSystem& system, double end);

  /// Whether (1) describes the mode from t to its next breakpoint.
  bool covers(const Mode& mode, double t) const;
  /// False if there is no mode that (1) could describe.
  bool can_cover() const { return can_cover_; }
  /// Before the first step, after every change of the mode and after every breakpoint.
  void enter(const Mode& mode, double t);

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
  void finish(double* y);

  // For samples inside the step.
  /// A quantity that is a multiple of one lane; factor 0: it is zero throughout.
  struct LaneMultiple {
    std::size_t lane = 0;
    double factor = 0;
  };
  LaneMultiple speed_lane(std::size_t body) const;
  LaneMultiple elongation_lane(std::size_t spring) const { return {lane_of_[springs_from_ + spring], 1}; }
  const SeriesLanes& lanes() const { return lane_series_; }
  Series position(std::size_t body) const;
  Series acceleration(std::size_t body) const;
  Series slip(std::size_t joint) const { return series_of(slip_[joint]); }
  Series torque(std::size_t joint) const { return series_of(torque_[joint]); }
  Series capacity(std::size_t joint) const;
  Series spring_force(std::size_t spring) const { return series_of(force_[spring]); }
  Series output(std::size_t controller) const { return series_of(output_[controller]); }
  /// Heat from the start of the run, `before` at the start of the step [J]; twice as many terms.
  using HeatSeries = std::array<double, 2 * Series::length>;
  HeatSeries heat(std::size_t joint, double before) const;

  // For stretches of a mode without products (mechanism_glide.hpp): quantities as rows over (lanes, 1, time since the entry).
  GlideVector speed_row(std::size_t body) const;
  GlideVector acceleration_row(std::size_t body) const;
  GlideVector slip_row(std::size_t joint) const { return glide_row(slip_[joint], 1); }
  GlideVector torque_row(std::size_t joint) const { return glide_row(torque_[joint], 1); }
  GlideVector capacity_row(std::size_t joint) const;
  GlideVector motion_row(std::size_t joint) const;
  GlideVector elongation_row(std::size_t spring) const;
  GlideVector spring_force_row(std::size_t spring) const { return glide_row(force_[spring], 1); }
  GlideVector output_row(std::size_t controller) const { return glide_row(output_[controller], 1); }

 private:
  friend class MechanismGlide;

  /// A straight line in time from when the mode was entered.
  struct Line {
    double value = 0, slope = 0;
  };
  /// Σ a lane + line.
  struct Row {
    std::vector<double> a;
    Line line;
    void clear(std::size_t width) { a.assign(width, 0.0), line = {}; }
    void add(double factor, const Row& other);
    void add(double factor, Line other) { line.value += factor * other.value, line.slope += factor * other.slope; }
  };
  /// Rows in the form of series.hpp, with what the kernels read.
  struct Rows {
    std::vector<std::size_t> first, column, place;  // place: where a lane was last put among the columns
    LaneMemory value, base, slope, constant;        // constant: of the step, base + slope (t − entered)
    std::size_t count = 0;
    void clear() { first.assign(1, 0), column.clear(), value.clear(), base.clear(), slope.clear(), count = 0; }
    void append(const Row& row);
    void close();
    SeriesRecurrence recurrence() const;
    void start(double since_entered);
  };
  struct Guard {
    std::size_t which;
    double rounding;  // of what the guard is made of
  };
  /// What of a row is summed up: with a line, or with another row.
  struct LineAccount {
    std::size_t row, account;
    Line line;
  };
  struct ProductAccount {
    std::size_t a, b, account;
    double factor;
  };

  const SlidingCurve& curve(std::size_t joint) const;
  bool is_sampled(std::size_t controller) const { return m_.controllers[controller].sampling_time > 0; }
  Line line_of(std::size_t signal) const;
  Line capacity_line(std::size_t joint) const;
  double most_of(Line line, std::size_t signal) const;

  // mechanism_series_rows.cpp: the mode as rows.
  void choose_lanes();
  void add_speed(Row& row, double factor, std::size_t freedom) const;
  void add_along(Row& row, double factor, const MotionRow& motion) const;
  void add_reading(Row& row, double factor, const MechanismSensor& sensor) const;
  std::size_t add_product(SeriesProduct::Kind kind, double height, Line line, double most,
                          const std::array<std::size_t, 2>& freedom, const std::array<double, 2>& factor);
  void make_springs();
  void make_controllers();
  void make_joints();
  void make_maps();
  void make_accelerations();
  void make_holding_torques();
  void make_states();
  void find_norm();
  void make_guards();
  void make_accounts();
  std::size_t watch(const Row& row);
  void guard(std::size_t which, double sign, const Row& row, double limit, double rounding);

  // mechanism_series.cpp: steps.
  double largest(std::size_t k, const std::vector<double>& inverse) const;
  double norm_of(std::size_t k) const { return largest(k, inverse_scale_); }
  void find_sizes(double h);
  double size_on(double part) const;
  double rest_after(std::size_t k, double h, double last) const;
  double fading_part(double room) const;
  bool expand(double h, std::size_t most);
  double converged_part(std::size_t most, double last) const;
  Series series_of(const Row& row) const;
  double product_of(std::size_t a, std::size_t b);
  double lane_value(const double* y, std::size_t lane) const;
  void put_lanes(const double* value, const double* travelled, double* y) const;
  GlideVector glide_row(const Row& row, double factor) const;

  const MechanismSystem& s_;
  const Mechanism& m_;
  const Mode* mode_ = nullptr;
  double end_, entered_ = 0, since_ = 0, length_ = 0;  // since_: from the entry to the start of the step
  bool can_cover_ = true, reads_position_ = false, has_peaks_ = false;
  std::size_t springs_from_ = 0, integrals_from_ = 0, positions_from_ = 0;  // states: speeds first

  // The mode.
  std::vector<std::size_t> lanes_, lane_of_;  // the state of each lane, and back (or none)
  std::size_t blocks_ = 0, width_ = 0;        // of the states; lanes of all
  std::vector<Row> slip_, torque_, rate_, force_, output_, load_, acceleration_, map_torque_;
  Row scratch_, next_row_;
  std::vector<double> reach_;           // of each product: height times the most its line reaches
  std::vector<SeriesInput> products_;   // at the entry
  std::vector<SeriesProduct> started_;  // of the step
  Rows states_, watched_;
  std::vector<Row> state_rows_;
  std::vector<Guard> guards_;
  std::vector<double> bound_;  // of each watched row: by how much a rest of 1 in (3) moves it
  std::vector<LineAccount> line_accounts_;
  std::vector<ProductAccount> product_accounts_;
  std::size_t first_product_row_ = 0;
  std::vector<double> scale_, inverse_scale_, next_scale_, inverse_size_;  // d; what a rest is compared with
  std::vector<double>
      felt_;  // of each lane that is no speed: the most it adds to the rate of one, in those sizes [1/s]
  double norm_ = 0, rest_ = 0, last_norm_ = 0;  // last_norm_: of the last two coefficients
  std::array<double, 3> first_sizes_{};         // of the first three
  std::size_t last_order_ = 0;

  // The step.
  LaneMemory coefficients_, rows_, low_, size_, ends_, integrals_, moments_;
  alignas(64) std::array<double, 8> squares_{}, neighbours_{};  // products of the rows of one block
  std::vector<double> start_;
  SeriesLanes lane_series_, row_series_;
  FirstFall fall_;
};

}  // namespace stickslip::inline machines
