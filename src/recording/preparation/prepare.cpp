/// The steps of preparation, in order; see prepare.hpp.
#include "recording/preparation/prepare.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/filter.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "recording/preparation/contact_fit.hpp"
#include "recording/preparation/even_grid.hpp"
#include "recording/preparation/other_readings.hpp"
#include "recording/preparation/position_band.hpp"
#include "recording/summary.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr double even_within = 1e-3;    // of a step: stamps that differ less are an even grid with rounded stamps
constexpr double gap_from = 2.5;        // median steps, as the reader's
constexpr double most_resampled = 5e7;  // times some ten columns: 4 GB
constexpr double of_lower_rate = 0.4;   // low-pass before a lower rate: a fifth below half of it

/// How a signal is continued beyond its ends before it is filtered: point reflection about the end, which keeps the speed but inverts the
/// acceleration; or with the acceleration kept as well, so that a recording which begins or ends amid a change of speed
/// has no false inertial force there.
enum class Ends { straight, bent };

/// Twice the quadratic term, per sample squared, of the parabola through the readings next to an end; 0 where it is within six of
/// its standard errors.
double bend_at_end(const std::vector<double>& values, std::size_t window, bool is_first) {
  constexpr double significant_errors = 6;
  window = std::min(window, values.size() - 1);
  if (window < 6) return 0;
  Eigen::MatrixXd columns(static_cast<Eigen::Index>(window + 1), 3);
  Eigen::VectorXd readings(static_cast<Eigen::Index>(window + 1));
  for (std::size_t i = 0; i <= window; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double u = double(i) / double(window);
    columns.row(row) << 1, u, u * u;
    readings[row] = values[is_first ? i : values.size() - 1 - i] - values[is_first ? 0 : values.size() - 1];
  }
  const Eigen::Matrix3d inverse = (columns.transpose() * columns).inverse();
  const Eigen::Vector3d found = inverse * (columns.transpose() * readings);
  const double left = (readings - columns * found).squaredNorm() / double(window - 2);
  if (!(std::abs(found[2]) > significant_errors * std::sqrt(left * inverse(2, 2)))) return 0;
  return 2 * found[2] / (double(window) * double(window));
}

/// Continued at both ends by the odd reflection over three periods of the cutoff, in which the filter settles.
std::vector<double> low_passed(const std::vector<double>& values, double cutoff, int order, double sampling_time,
                               Ends ends = Ends::straight) {
  const std::size_t n = values.size();
  const auto settles = std::size_t(std::ceil(3 / (cutoff * sampling_time)));
  const auto ahead = std::ptrdiff_t(std::min(n - 1, settles));
  const std::size_t window = std::max<std::size_t>(8, settles / 3);
  const double first = ends == Ends::bent ? bend_at_end(values, window, true) : 0,
               last = ends == Ends::bent ? bend_at_end(values, window, false) : 0;
  std::vector<double> longer;
  for (auto i = ahead; i > 0; --i)
    longer.push_back(2 * values[0] - values[std::size_t(i)] + first * double(i) * double(i));
  longer.insert(longer.end(), values.begin(), values.end());
  for (std::ptrdiff_t i = 1; i <= ahead; ++i)
    longer.push_back(2 * values[n - 1] - values[n - 1 - std::size_t(i)] + last * double(i) * double(i));
  const auto smooth = filtered_both_ways(butterworth(Pass::low, order, cutoff, 1 / sampling_time), longer);
  return {smooth.begin() + ahead, smooth.begin() + ahead + std::ptrdiff_t(n)};
}

/// (x_{i+1} − x_{i−1})/(2 T); at the ends the parabola through three samples.
std::vector<double> central_differences(const std::vector<double>& x, double step) {
  const std::size_t n = x.size();
  std::vector<double> out(n);
  for (std::size_t i = 1; i + 1 < n; ++i) out[i] = (x[i + 1] - x[i - 1]) / (2 * step);
  out[0] = (-3 * x[0] + 4 * x[1] - x[2]) / (2 * step);
  out[n - 1] = (3 * x[n - 1] - 4 * x[n - 2] + x[n - 3]) / (2 * step);
  return out;
}

/// (x_{i+1} − 2 x_i + x_{i−1})/T²; at the ends straight on.
std::vector<double> second_differences(const std::vector<double>& x, double step) {
  const std::size_t n = x.size();
  std::vector<double> out(n);
  for (std::size_t i = 1; i + 1 < n; ++i) out[i] = (x[i + 1] - 2 * x[i] + x[i - 1]) / (step * step);
  out[0] = 2 * out[1] - out[2];
  out[n - 1] = 2 * out[n - 2] - out[n - 3];
  return out;
}

std::vector<double> integrated(const std::vector<double>& v, double step) {
  std::vector<double> x(v.size());
  for (std::size_t i = 1; i < v.size(); ++i) x[i] = x[i - 1] + 0.5 * step * (v[i] + v[i - 1]);
  return x;
}

/// The resolution of readings, 0 if they are not quantised.
double resolution_of(const std::vector<double>& values) {
  const SignalSummary found = summary_of(values);
  return found.is_quantised ? found.smallest_step : 0;
}

class Making {
 public:
  Making(const Recording& recording, const Preparation& options) : r_(recording), o_(options) {
    out_.file = r_.file, out_.fingerprint = r_.fingerprint, out_.rotary = r_.rotary, out_.notes = r_.notes;
    if (o_.force_drives) drop_sign_note(out_.notes);
  }

  Prepared made() {
    require_usable();
    choose_stretch();
    make_grid();
    if (differentiates_)
      differentiate();
    else
      take_velocity();
    take_back_emf();
    move_force();
    make_friction();
    lower_rate();
    out_.used = o_;
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const { throw Error(one_line(r_.file, 100) + ": " + text); }
  void step(const std::string& text) { out_.steps.push_back(text); }
  void note(const char* code, const std::string& text) { out_.notes.push_back({code, 0, 0, text}); }
  std::string length(double value) const { return with_unit(value, si_unit(Role::position, r_.rotary)); }
  std::string newton(double value) const { return with_unit(value, si_unit(Role::force, r_.rotary)); }

  void require_usable() const {
    if (r_.time.empty()) refuse("no time column; give the sampling rate with --rate");
    if (r_.force.empty()) refuse("no force column; name it with --force");
    if (r_.position.empty() && r_.velocity.empty()) refuse("no position or velocity column; name one with --position");
    if (o_.use_velocity && r_.velocity.empty()) refuse("the velocity column is needed and there is none");
    for (const double value : {o_.rate_hz, o_.cutoff_hz, o_.force_cutoff_hz})
      if (!(value >= 0)) refuse("a rate or cutoff is " + shortest(value) + " Hz; it cannot be negative");
    for (const double value : {o_.lag, o_.mass, o_.offset})
      if (!std::isfinite(value)) refuse("a lag, mass or offset is " + shortest(value) + "; it must be finite");
  }

  void choose_stretch() {
    const auto begin = std::lower_bound(r_.time.begin(), r_.time.end(), o_.from);
    const auto end = std::upper_bound(begin, r_.time.end(), o_.to);
    first_ = std::size_t(begin - r_.time.begin()), count_ = std::size_t(end - begin);
    const std::size_t least = 3 * std::size_t(std::max(o_.order, 1) + 1) + 2;
    if (count_ < least)
      refuse(std::to_string(count_) + " samples between " + shortest(o_.from) + " and " + shortest(o_.to) +
             " s; at least " + std::to_string(least) + " are needed");
    if (count_ < r_.size())
      step("samples " + std::to_string(first_ + 1) + " to " + std::to_string(first_ + count_) + " of " +
           std::to_string(r_.size()) + ", " + with_unit(r_.time[first_], "s") + " to " +
           with_unit(r_.time[first_ + count_ - 1], "s"));
  }

  std::vector<double> wanted(const std::vector<double>& values) const {
    const auto begin = values.begin() + std::ptrdiff_t(first_);
    return {begin, begin + std::ptrdiff_t(count_)};
  }

  /// Steps 1 and 2.
  void make_grid() {
    const std::vector<double> time = wanted(r_.time);
    const Sampling sampling = sampling_of(time);
    const double mean_step = (time.back() - time.front()) / double(time.size() - 1);
    recorded_rate_ = 1 / (sampling.gaps > 0 ? sampling.step : mean_step);
    const bool faster = o_.rate_hz > recorded_rate_ * (1 + 1e-9);
    const bool even = sampling.gaps == 0 && sampling.deviation < even_within && !faster;
    differentiates_ = !r_.position.empty() && !o_.use_velocity;
    const double rate = faster ? o_.rate_hz : recorded_rate_;
    const double grid_step = even ? mean_step : 1 / rate;
    const double span = time.back() - time.front();
    if (!even && !(span * rate < most_resampled))
      refuse(with_unit(span, "s") + " at " + with_unit(rate, "Hz") + " are " + significant(span * rate, 3) +
             " samples; at most " + significant(most_resampled, 3) + " fit into memory: use a lower rate" +
             (faster ? "" : ", or a section of the recording"));
    const auto n = even ? time.size() : std::size_t(std::floor(span * rate * (1 + 1e-12))) + 1;
    out_.sampling_time = grid_step;
    out_.time = even_times(time.front(), grid_step, n);
    const auto on_grid = [&](const std::vector<double>& values, Between between) {
      if (values.empty()) return std::vector<double>{};
      return even ? wanted(values) : values_at(time, wanted(values), out_.time, between, gap_from * sampling.step);
    };
    find_resolution();
    out_.measured_position = on_grid(r_.position, Between::cubic);
    velocity_ = on_grid(r_.velocity, Between::cubic);
    out_.force = on_grid(r_.force, Between::line);
    out_.clipped = on_grid(clipped_readings(r_.force).marks, Between::line);
    out_.load = on_grid(r_.load, Between::line);
    out_.pressure = on_grid(r_.pressure, Between::line);
    out_.temperature = on_grid(r_.temperature, Between::line);
    if (even)
      step("even grid as recorded, " + std::to_string(n) + " samples, every " + with_unit(grid_step, "s"));
    else
      step("resampled to an even grid, " + std::to_string(n) + " samples, every " + with_unit(grid_step, "s") +
           (faster ? "" : ": steps were off by up to " + significant(100 * sampling.deviation, 2) + " %") +
           "; motion by cubic, forces by linear interpolation");
    if (sampling.gaps > 0)
      note("bridged", std::to_string(sampling.gaps) + (sampling.gaps == 1 ? " gap is" : " gaps are") +
                          " bridged by straight lines; select a section without gaps if that matters");
  }

  void find_resolution() {
    out_.force_resolution = resolution_of(wanted(r_.force));
    if (r_.position.empty()) return;
    out_.resolution = o_.resolution >= 0 ? o_.resolution : resolution_of(wanted(r_.position));
    o_.resolution = out_.resolution;
    if (out_.resolution > 0) step("position resolution " + length(out_.resolution));
  }

  /// White noise σ_x of a position that is low-passed at f and differentiated twice is
  ///   σ_a² = σ_x² (2π)⁴ f⁵ / (5 f_s/2),
  /// and where an inertia is subtracted from the force, m σ_a adds to the force's own noise σ_F: the f at which m σ_a = 0.3 σ_F.
  double cutoff_for_inertia(double position_noise) const {
    if (!(o_.mass > 0) || !differentiates_ || !(position_noise > 0)) return std::numeric_limits<double>::infinity();
    const double force_noise = position_band(out_.force, out_.sampling_time, resolution_of(out_.force)).noise;
    const double allowed = 0.3 * force_noise / (o_.mass * position_noise * std::pow(2 * std::numbers::pi, 2));
    if (!(allowed > 0)) return std::numeric_limits<double>::infinity();
    return std::pow(2.5 * allowed * allowed / out_.sampling_time, 0.2);
  }

  /// A low-pass that is slower than the whole recording leaves nothing of it but rounding.
  void require_quick_enough(const char* what, double cutoff_hz) const {
    const double lasts = static_cast<double>(out_.time.size()) * out_.sampling_time;
    if (cutoff_hz * lasts < 1)
      refuse(std::string(what) + " is " + shortest(cutoff_hz) + " Hz; the recording lasts " + with_unit(lasts, "s", 3) +
             ", and a low-pass filter below " + significant(1 / lasts, 3) + " Hz would remove it entirely");
  }

  /// The low-pass of the motion; its cutoff is chosen where none is given.
  std::vector<double> smoothed(const std::vector<double>& values, const char* what, double resolution) {
    const PositionBand band = position_band(values, out_.sampling_time, resolution);
    if (differentiates_) out_.position_noise = band.noise;
    const bool chosen = o_.cutoff_hz == 0;
    if (chosen) o_.cutoff_hz = band.cutoff_hz > 0 ? band.cutoff_hz : std::numeric_limits<double>::infinity();
    if (!chosen) require_quick_enough("cutoff", o_.cutoff_hz);
    const double quiet = chosen ? cutoff_for_inertia(band.noise) : std::numeric_limits<double>::infinity();
    const bool is_lowered = quiet < o_.cutoff_hz;
    if (is_lowered) o_.cutoff_hz = quiet;
    if (o_.cutoff_hz >= 0.5 / out_.sampling_time) {
      if (!chosen && std::isfinite(o_.cutoff_hz))
        refuse("cutoff is " + shortest(o_.cutoff_hz) + " Hz; it must lie below half the sampling rate, " +
               shortest(0.5 / out_.sampling_time) + " Hz");
      o_.cutoff_hz = std::numeric_limits<double>::infinity();
      step(std::string(what) + " not filtered" + (chosen ? ": its motion fills the whole band" : ""));
      return values;
    }
    step(std::string(what) + " low-passed at " + significant(o_.cutoff_hz, 4) + " Hz, Butterworth of order " +
         std::to_string(o_.order) + " forward and backward" +
         (chosen ? "; its signal exceeds the noise floor (" +
                       with_unit(band.noise, si_unit(differentiates_ ? Role::position : Role::velocity, r_.rotary), 2) +
                       ") up to " + significant(band.motion_hz, 3) + " Hz"
                 : "") +
         (is_lowered
              ? "; lowered" + (band.cutoff_hz > 0 ? " from " + significant(band.cutoff_hz, 3) + " Hz" : std::string()) +
                    ", so that the noise of the inertial force stays below 30 % of the noise of the force"
              : ""));
    return low_passed(values, o_.cutoff_hz, o_.order, out_.sampling_time, Ends::bent);
  }

  /// Step 3.
  void differentiate() {
    out_.position = smoothed(out_.measured_position, "position", out_.resolution);
    out_.velocity = central_differences(out_.position, out_.sampling_time);
    out_.acceleration = second_differences(out_.position, out_.sampling_time);
    step("velocity and acceleration: central differences of the position");
  }

  void take_velocity() {
    out_.velocity = smoothed(velocity_, "velocity", resolution_of(velocity_));
    out_.acceleration = central_differences(out_.velocity, out_.sampling_time);
    if (out_.measured_position.empty()) {
      out_.position = integrated(out_.velocity, out_.sampling_time);
      out_.measured_position = out_.position;
      step("no position: velocity integrated from 0; acceleration: its central differences");
    } else {
      out_.position = out_.measured_position;
      step("velocity column used, position not filtered; acceleration: central differences of the velocity");
    }
  }

  /// A voltage drives less torque the faster the motor turns.
  void take_back_emf() {
    if (r_.back_emf == 0) return;
    for (std::size_t i = 0; i < out_.size(); ++i) out_.force[i] -= r_.back_emf * out_.velocity[i];
    step("back EMF of the motor subtracted: " + with_unit(r_.back_emf, r_.rotary ? "N m s/rad" : "N s/m") +
         " times the velocity");
  }

  /// Step 4.
  void move_force() {
    if (o_.force_cutoff_hz > 0) {
      require_quick_enough("cutoff of the force", o_.force_cutoff_hz);
      out_.force = low_passed(out_.force, o_.force_cutoff_hz, o_.order, out_.sampling_time);
      step("force low-pass filtered at " + significant(o_.force_cutoff_hz, 4) + " Hz");
    }
    if (o_.force_drives) {
      for (double& f : out_.force) f = -f;
      step("force sign inverted");
    }
    if (o_.find_lag || o_.find_offset) estimate();
    if (o_.lag == 0) return;
    const double samples = o_.lag / out_.sampling_time;
    const auto lost = std::size_t(std::ceil(std::abs(samples)));
    if (lost + 32 > out_.size())
      refuse("lag is " + shortest(o_.lag) + " s; the recording lasts " +
             with_unit(out_.time.back() - out_.time.front(), "s"));
    out_.force = shifted_by_lines(out_.force, -samples);
    if (!out_.clipped.empty()) out_.clipped = shifted_by_lines(out_.clipped, -samples);
    keep({o_.lag > 0 ? 0 : lost, out_.size() - lost});
    step("force moved " + with_unit(std::abs(o_.lag), "s") + (o_.lag > 0 ? " earlier" : " later") + "; " +
         std::to_string(lost) + " samples at the end without force left out");
  }

  void estimate() {
    const ContactFit fit = contact_fit(
        {out_.position, out_.velocity, out_.acceleration, out_.force, out_.sampling_time}, {.find_lag = o_.find_lag});
    if (o_.find_lag) {
      o_.lag = fit.lag_found ? fit.lag : 0;
      const std::string found = with_unit(fit.lag, "s") + " ± " + with_unit(fit.lag_error, "s", 2);
      step("lag of the force behind the motion: " + found +
           " (least squares of offset, friction and inertia over the lag" + ", which leave " +
           significant(100 * fit.left, 3) + " % of the variance, " + significant(100 * fit.left_at_once, 3) +
           " % without it)" + (fit.lag_found ? "" : "; not significant, 0 used"));
      if (!fit.lag_found) note("no_lag", "no significant lag found: " + found);
    }
    if (o_.find_offset) {
      o_.offset = fit.offset;
      step("offset of the force: " + newton(fit.offset) + " ± " + newton(fit.offset_error) + " (least squares)");
    }
    o_.find_lag = o_.find_offset = false;  // what is found repeats the preparation
  }

  /// Step 5.
  void make_friction() {
    for (std::size_t i = 0; i < out_.size(); ++i) out_.force[i] -= o_.offset + o_.mass * out_.acceleration[i];
    if (o_.load.is_given()) {
      for (std::size_t i = 0; i < out_.size(); ++i) out_.force[i] -= o_.load.at(out_.position[i]);
      step("load over position subtracted from the force");
    }
    if (o_.offset != 0) step("offset of " + newton(o_.offset) + " subtracted from the force");
    if (o_.mass != 0)
      step("inertial force of " + with_unit(o_.mass, r_.rotary ? "kg m^2" : "kg") + " subtracted from the force");
  }

  /// Step 6.
  void lower_rate() {
    if (o_.rate_hz == 0 || o_.rate_hz >= recorded_rate_ * (1 - 1e-9)) return;
    const double step_wanted = 1 / o_.rate_hz, cutoff = of_lower_rate * o_.rate_hz;
    if ((out_.time.back() - out_.time.front()) * o_.rate_hz < 10)
      refuse("at " + with_unit(o_.rate_hz, "Hz") + " fewer than ten samples are left of " +
             with_unit(out_.time.back() - out_.time.front(), "s") + "; take a higher rate");
    const auto n = std::size_t(std::floor((out_.time.back() - out_.time.front()) * o_.rate_hz * (1 + 1e-12))) + 1;
    const std::vector<double> time = even_times(out_.time.front(), step_wanted, n);
    const double gap = std::numeric_limits<double>::infinity();
    for (std::vector<double>* values : {&out_.position, &out_.velocity, &out_.acceleration, &out_.force, &out_.load,
                                        &out_.pressure, &out_.temperature, &out_.measured_position, &out_.clipped}) {
      if (values->empty()) continue;
      const bool as_read = values == &out_.measured_position || values == &out_.clipped;
      *values = values_at(out_.time, as_read ? *values : low_passed(*values, cutoff, o_.order, out_.sampling_time),
                          time, as_read ? Between::line : Between::cubic, gap);
    }
    out_.time = time, out_.sampling_time = step_wanted;
    step("low-passed at " + significant(cutoff, 4) + " Hz, then " + significant(o_.rate_hz, 4) +
         " samples a second: " + std::to_string(n) + " samples");
  }

  void keep(Stretch samples) {
    Prepared kept = part_of(out_, samples);
    out_ = std::move(kept);
  }

  const Recording& r_;
  Preparation o_;
  Prepared out_;
  std::vector<double> velocity_;
  std::size_t first_ = 0, count_ = 0;
  double recorded_rate_ = 0;
  bool differentiates_ = true;
};

}  // namespace

void drop_sign_note(std::vector<Note>& notes) {
  std::erase_if(notes, [](const Note& note) { return note.code == std::string_view("negative_power"); });
}

Prepared prepare(const Recording& recording, const Preparation& options) { return Making(recording, options).made(); }

std::optional<Prepared> with_cutoff(const Prepared& data, double cutoff_hz) {
  const double highest = 0.5 / data.sampling_time;
  if (!(data.used.cutoff_hz > 0) || !std::isfinite(data.used.cutoff_hz) || data.used.use_velocity ||
      data.used.rate_hz > 0)
    return {};
  if (data.measured_position.size() != data.size() || data.measured_position == data.position ||
      cutoff_hz >= 0.98 * highest)
    return {};
  Prepared other = data;
  other.used.cutoff_hz = cutoff_hz;
  return with_readings(std::move(other));
}

std::vector<double> through_low_pass(const Prepared& data, const std::vector<double>& values) {
  if (!(data.used.cutoff_hz > 0) || !std::isfinite(data.used.cutoff_hz) || data.used.rate_hz > 0) return values;
  return low_passed(values, data.used.cutoff_hz, data.used.order, data.sampling_time);
}

std::vector<double> force_through_low_pass(const Prepared& data) {
  const bool has_inertia = data.used.mass != 0 && data.acceleration.size() == data.size();
  std::vector<double> force = data.force;
  for (std::size_t i = 0; has_inertia && i < force.size(); ++i) force[i] += data.used.mass * data.acceleration[i];
  force = through_low_pass(data, force);
  for (std::size_t i = 0; has_inertia && i < force.size(); ++i) force[i] -= data.used.mass * data.acceleration[i];
  return force;
}

std::optional<Prepared> with_readings(Prepared data) {
  if (data.measured_position.size() != data.size() || data.acceleration.size() != data.size() ||
      data.used.use_velocity || data.used.rate_hz > 0 || !(data.used.cutoff_hz > 0))
    return {};
  const std::vector<double> before = std::move(data.acceleration);
  data.position = std::isfinite(data.used.cutoff_hz) ? low_passed(data.measured_position, data.used.cutoff_hz,
                                                                  data.used.order, data.sampling_time, Ends::bent)
                                                     : data.measured_position;
  data.velocity = central_differences(data.position, data.sampling_time);
  data.acceleration = second_differences(data.position, data.sampling_time);
  for (std::size_t i = 0; i < data.size(); ++i) data.force[i] += data.used.mass * (before[i] - data.acceleration[i]);
  return data;
}

}  // namespace stickslip::inline recordings
