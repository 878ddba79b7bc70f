/// Long linear modes of a mechanism in equal stretches, beside the steps of mechanism_series.hpp: the same motion and the same exactness.
/// Without products, eq. (1) there is  dξ/ds = A ξ  with  ξ = (lanes, s, 1),  s from when the mode was entered. A stretch of length h takes
///   ξ(s + h) = exp(hA) ξ(s),   positions by its integral,   heat and work by Gauss's rule,   samples every δ = h/J              (1)
/// all from tables (glide.hpp) that are made once. They depend on the inputs, by their slopes, in the column of s only. A mode whose
/// other columns are those of an earlier one takes the earlier tables, from its first instant on; a mode that is new begins with a step.
/// A stretch is taken only if the Bernstein coefficients of every guard on it are positive, by more than rounding and the rest of the
/// series can change: then no guard falls. Everything else, where a guard does fall included, is left to a step in series.
/// h is the longest for which the rest of exp(hA) after order 31 is rounding for every ξ; up to 64 samples.
/// Not for more than six lanes, ramps of something viscous, joints inside their Stribeck peak.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "machines/mechanism/glide.hpp"
#include "machines/mechanism/mechanism_sink.hpp"

namespace stickslip::inline machines {

class MechanismGlide {
 public:
  MechanismGlide(MechanismSeries& series, MechanismSink& sink) : series_(series), sink_(sink) {}

  /// After series.enter().
  void enter() { state_ = State::entered; }
  /// Whole stretches from (t, y) to `stop_at` at most, as long as no guard can fall; their number. t and y are where they end.
  std::size_t advance(double& t, double* y, double stop_at);

 private:
  /// Sparse: the numbers of A, row by row.
  struct Matrix {
    std::vector<GlideEntry> entries;
    std::array<std::size_t, glide_width + 1> first{};
  };
  /// Of one h. Per row of a list: eight columns of points.
  struct Tables {
    Tables() {}                      // does not fill the arrays with zeros first
    std::vector<double> key;         // what they depend on, without the columns of inputs
    std::vector<double> slopes;      // of the inputs that the column of s belongs to
    double length = 0;               // 0: there is none that would do
    std::size_t samples = 0;         // per stretch; 0: none are taken from tables
    alignas(64) GlidePowers powers;  // these and the next are written before they are read
    alignas(64) GlideMatrix end, travel;
    LaneMemory falls, rate_doubt, sums, nodes, outputs;  // as GlideRun has them
  };

  /// Of the tables, from the first to the last, which is not one of them.
  struct Columns {
    std::size_t from, to;
  };

  void collect_matrix();
  void collect_rows();
  bool is_prepared(double t, double stop_at);
  bool serves(const Tables& tables, bool has_begun, double left) const;
  bool is_possible();
  Tables* kept_tables();
  Tables& new_tables();
  bool use(Tables& tables);
  bool choose_length(Tables& tables);
  GlideVector rests(const Tables& tables, double length) const;
  bool inputs_converge(const Tables& tables) const;
  void fill_rows();
  void fill(Tables& tables, Columns columns);
  void read(Tables& tables);
  void fill_guards(Tables& tables, Columns columns);
  void fill_accounts(Tables& tables, Columns columns);
  void fill_outputs(Tables& tables, Columns columns);
  void put_accounts(double* y) const;

  MechanismSeries& series_;
  MechanismSink& sink_;
  enum class State { impossible, entered, collected, prepared } state_ = State::impossible;
  Matrix matrix_;                                      // of the lanes alone
  std::vector<GlideVector> guards_, lines_, factors_;  // rows: guards, those summed up with lines, those of products
  std::vector<std::array<std::size_t, 2>> pairs_;      // of factors_
  std::vector<LinearColumn> outputs_;
  std::vector<double> key_, slopes_;
  bool has_ramp_ = false;
  std::vector<std::unique_ptr<Tables>> kept_;
  std::size_t next_kept_ = 0;
  Tables* now_ = nullptr;
  alignas(64) GlideRow row_;
  alignas(64) GlideMatrix rate_, phase_, shift_;
  GlideRun run_;
  LaneMemory rows_, doubt_, output_rows_;                      // as GlideRun has them
  LaneMemory at_nodes_, integral_, moment_, timed_, product_;  // what it writes
  LaneMemory room_;                                            // for samples
  std::vector<double*> out_;
};

}  // namespace stickslip::inline machines
