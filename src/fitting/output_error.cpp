/// What a machine leaves of its logs; see output_error.hpp.
#include "fitting/output_error.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "fitting/machine_trace.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline fitting {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr double difference = 1e-4;   // of a number or its size: far above the noise of an adaptive integrator
constexpr double trusted_miss = 0.4;  // of what r changed by, that J may have missed it by to be carried along
constexpr int most_carries = 8;
constexpr std::size_t busier = 20, always_allowed = 20'000;  // of eq. (2)

const Column& column_named(const Table& samples, const std::string& name, const std::string& file) {
  std::vector<std::string> names;
  for (const auto& column : samples.columns) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  throw Error(one_line(file) + ": " + no_such("simulated quantity", name, names));
}

/// A column at another time, by straight lines; nan outside.
double at_time(const std::vector<double>& time, const std::vector<double>& values, double t, std::size_t& hint) {
  const double slack = 1e-9 * (time.back() - time.front());  // times that differ by rounding only
  if (t < time.front() - slack || t > time.back() + slack) return no_value;
  t = std::clamp(t, time.front(), time.back());
  while (hint + 2 < time.size() && time[hint + 1] < t) ++hint;
  while (hint > 0 && time[hint] > t) --hint;
  const double share = (t - time[hint]) / (time[hint + 1] - time[hint]);
  return values[hint] + share * (values[hint + 1] - values[hint]);
}

double size_of(const FreeNumber& f) { return f.size > 0 ? f.size : f.start != 0 ? std::fabs(f.start) : 1; }

}  // namespace

OutputError::OutputError(const MachineJob& job, const FitCandidate& candidate, unsigned threads)
    : job_(job), candidate_(candidate), threads_(threads) {
  rows_.resize(job.logs.size());
  for (std::size_t l = 0; l < job.logs.size(); ++l) {
    const MachineText& machine = candidate.machines[l];
    // Here a machine that cannot be used still says why; later it is only a point that costs infinity.
    const MachineRun trace = run_machine_document(machine.document(), machine.file());
    ++simulations_;
    if (trace.stop != Stop::finished) throw Error(one_line(machine.file()) + ": " + trace.message);
    most_steps_.push_back(std::max(always_allowed, busier * (trace.work.steps + trace.work.rejected)));
    if (stickslip::rows(trace.samples) < 2)
      throw Error(one_line(machine.file()) + ": the run has no samples; give sample_interval in [run]");
    for (const auto& out : job.outputs) column_named(trace.samples, out.column, machine.file());
    choose_rows(l, trace.samples.columns.front().values);
    first_residual_.push_back(residuals_);
    residuals_ += (rows_[l].middle - rows_[l].first) * job.outputs.size();
    places_.emplace_back();
    for (const FreePlace& free : candidate.free) {
      places_.back().emplace_back();
      for (const Place& place : free.places) places_.back().back().push_back(machine.place(place.path));
    }
  }
  for (std::size_t k = 0; k < job.outputs.size(); ++k) weights_.push_back(weight_of(k));
  add_numbers();
}

void OutputError::add_numbers() {
  const auto add = [&](bool is_private, const FreeNumber& number, const std::string& unit) {
    const Numbered at{is_private && job_.logs.size() > 1, numbers_.size()};
    for (std::size_t l = 0; l < (at.is_private ? job_.logs.size() : 1); ++l) {
      numbers_.push_back(number);
      if (at.is_private) numbers_.back().key += " (" + job_.logs[l].name + ")";
      units_.push_back(unit);
    }
    return at;
  };
  for (const auto& place : candidate_.free) {
    free_.push_back(add(place.is_private,
                        {.key = place.key, .start = place.start, .low = place.low, .high = place.high, .size = 0},
                        place.places.front().unit));
    if (place.prior)
      for (std::size_t i = free_.back().first; i < numbers_.size(); ++i)
        priors_.push_back({i, place.prior->value, place.prior->error});
  }
  first_of_sensors_ = numbers_.size();
  if (job_.delay) delay_ = add(false, *job_.delay, "s").first;
  for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
    const ComparedOutput& out = job_.outputs[k];
    offset_.push_back({});
    if (out.offset != SensorOffset::none)
      offset_.back() = add(out.offset == SensorOffset::per_log,
                           {.key = "offset of " + out.column, .start = 0, .size = 1 / weights_[k]}, out.unit);
  }
}

void OutputError::choose_rows(std::size_t log, const std::vector<double>& simulated) {
  const std::vector<double>& time = job_.logs[log].time;
  LogRows& rows = rows_[log];
  const double begin = std::max(time.front(), simulated.front()) + job_.skip;
  const double slack = 1e-9 * (simulated.back() - simulated.front());
  rows.margin = 2 * (simulated[1] - simulated[0]);
  while (rows.first < time.size() && time[rows.first] < begin - slack) ++rows.first;
  rows.last = rows.first;
  while (rows.last < time.size() && time[rows.last] <= simulated.back() + slack) ++rows.last;
  if (rows.last < rows.first + 10)
    throw Error(one_line(candidate_.machines[log].file()) + ": the run from " + shortest(simulated.front()) + " s to " +
                shortest(simulated.back()) + " s covers " + std::to_string(rows.last - rows.first) +
                " samples of the log" + (job_.logs.size() > 1 ? " " + in_quotes(job_.logs[log].name) : "") +
                ", which lasts from " + shortest(time.front()) + " s to " + shortest(time.back()) +
                " s; at least 10 are needed");
  rows.middle = rows.first + static_cast<std::size_t>(
                                 std::llround(job_.estimation_share * static_cast<double>(rows.last - rows.first)));
  rows.middle = std::clamp(rows.middle, rows.first + 5, rows.last);
  rows.end_time = time[rows.last - 1];
}

double OutputError::weight_of(std::size_t output) const {
  if (job_.outputs[output].weight > 0) return job_.outputs[output].weight;
  double square = 0, count = 0;
  for (std::size_t l = 0; l < job_.logs.size(); ++l)
    for (std::size_t i = rows_[l].first; i < rows_[l].middle; ++i)
      square += job_.logs[l].measured[output][i] * job_.logs[l].measured[output][i], ++count;
  return square > 0 ? std::sqrt(count / square) : 1;
}

/// The machine's document with other numbers: it was read once.
TomlValue OutputError::document_with(std::span<const double> x, std::size_t log) const {
  std::vector<std::pair<const Place*, double>> values;
  for (std::size_t i = 0; i < free_.size(); ++i)
    for (const auto& place : places_[log][i]) values.emplace_back(&place, x[free_[i].in(log)]);
  // From the last to the first: several numbers may be in one text, and a longer one moves those after it.
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
  TomlValue document = candidate_.machines[log].document();
  for (const auto& [place, value] : values) set_number(document, *place, value);
  return document;
}

bool OutputError::run(std::span<const double> x, std::size_t log, double until, MachineRun& trace) const {
  const double delay = delay_ ? x[*delay_] : 0;
  try {
    trace = run_machine_document(document_with(x, log), candidate_.machines[log].file(),
                                 until + std::max(0.0, -delay) + rows_[log].margin, nullptr, most_steps_[log]);
  } catch (const Error&) {
    return false;
  }
  ++simulations_;
  given_up_ += trace.stop == Stop::too_many_steps;
  return trace.stop == Stop::finished;
}

void OutputError::compare(const MachineRun& trace, std::span<const double> x, std::size_t log, double until,
                          std::vector<std::vector<double>>& predicted) const {
  const double delay = delay_ ? x[*delay_] : 0;
  const std::vector<double>& times = job_.logs[log].time;
  const auto& time = trace.samples.columns.front().values;
  predicted.clear();
  for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
    const auto& column = column_named(trace.samples, job_.outputs[k].column, candidate_.machines[log].file());
    const double b = job_.outputs[k].offset == SensorOffset::none ? 0 : x[offset_[k].in(log)];
    std::vector<double> y(times.size(), no_value);
    std::size_t hint = 0;
    for (std::size_t i = rows_[log].first; i < rows_[log].last && times[i] <= until; ++i)
      y[i] = at_time(time, column.values, std::max(times[i] - delay, time.front()), hint) + b;
    predicted.push_back(std::move(y));
  }
}

bool OutputError::predict(std::span<const double> x, std::size_t log, double until,
                          std::vector<std::vector<double>>& predicted) const {
  MachineRun trace;
  if (!run(x, log, until, trace)) return false;
  compare(trace, x, log, until, predicted);
  return true;
}

bool OutputError::residuals_of(const MachineRun& trace, std::span<const double> x, std::size_t log,
                               std::span<double> r) const {
  const LogRows& rows = rows_[log];
  std::vector<std::vector<double>> predicted;
  compare(trace, x, log, job_.logs[log].time[rows.middle - 1], predicted);
  std::size_t i = first_residual_[log];
  bool is_finite = true;
  for (std::size_t k = 0; k < job_.outputs.size(); ++k)
    for (std::size_t row = rows.first; row < rows.middle; ++row) {
      r[i] = weights_[k] * (predicted[k][row] - job_.logs[log].measured[k][row]);
      is_finite = is_finite && std::isfinite(r[i++]);
    }
  return is_finite;
}

bool OutputError::residuals(std::span<const double> x, std::span<double> r) const {
  Evaluated e{{x.begin(), x.end()}, std::vector<MachineRun>(job_.logs.size()), {}};
  std::vector<char> good(job_.logs.size(), 0);
  parallel_for(job_.logs.size(), threads_, [&](std::size_t l) {
    const double until = job_.logs[l].time[rows_[l].middle - 1];
    good[l] = run(x, l, until, e.runs[l]) && residuals_of(e.runs[l], x, l, r);
  });
  if (std::count(good.begin(), good.end(), 1) != static_cast<std::ptrdiff_t>(good.size())) return false;
  e.r = Eigen::Map<const Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(residuals_));
  if (recent_.size() > 1) recent_.erase(recent_.begin());
  recent_.push_back(std::move(e));
  return true;
}

std::vector<std::size_t> OutputError::logs_of(std::size_t number) const {
  const auto one = [&](const Numbered& at) { return std::vector<std::size_t>{number - at.first}; };
  const std::size_t logs = job_.logs.size();
  for (const auto* list : {&free_, &offset_})
    for (const Numbered& at : *list)
      if (at.is_private && number >= at.first && number < at.first + logs) return one(at);
  std::vector<std::size_t> all(logs);
  for (std::size_t l = 0; l < logs; ++l) all[l] = l;
  return all;
}

void OutputError::slopes_anew(const Evaluated& base, Eigen::MatrixXd& slopes) const {
  struct Task {
    std::size_t number, log;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    for (const std::size_t log : logs_of(i)) tasks.push_back({i, log});
  slopes.topRows(static_cast<Eigen::Index>(residuals_)).setZero();
  parallel_for(tasks.size(), threads_, [&](std::size_t t) {
    const auto [number, log] = tasks[t];
    const FreeNumber& f = numbers_[number];
    const double h = difference * std::max(std::fabs(base.x[number]), size_of(f));
    const LogRows& rows = rows_[log];
    const auto first = static_cast<Eigen::Index>(first_residual_[log]);
    const auto count = static_cast<Eigen::Index>((rows.middle - rows.first) * job_.outputs.size());
    std::vector<double> r(residuals_);
    for (const double side : {1.0, -1.0}) {
      std::vector<double> x = base.x;
      x[number] += side * h;
      if (x[number] > f.high || x[number] < f.low) continue;
      MachineRun trace;
      const double until = job_.logs[log].time[rows.middle - 1];
      const bool runs = is_of_machine(number) ? run(x, log, until, trace) : true;
      if (!runs || !residuals_of(is_of_machine(number) ? trace : base.runs[log], x, log, r)) continue;
      const double change = x[number] - base.x[number];
      for (Eigen::Index i = first; i < first + count; ++i)
        slopes(i, static_cast<Eigen::Index>(number)) = (r[static_cast<std::size_t>(i)] - base.r[i]) / change;
      return;
    }  // where r cannot be had on either side nothing is known of this direction: it is not moved
  });
}

void OutputError::slopes(std::span<const double> x, Eigen::MatrixXd& slopes, std::vector<char>& known,
                         SlopeOf use) const {
  const auto is_here = [&](const Evaluated& e) { return std::equal(x.begin(), x.end(), e.x.begin(), e.x.end()); };
  auto here = std::find_if(recent_.begin(), recent_.end(), is_here);
  if (here == recent_.end()) {
    std::vector<double> r(residuals_);
    if (!residuals(x, r)) return;
    here = recent_.end() - 1;
  }
  known.assign(known.size(), 1);
  const auto rows = static_cast<Eigen::Index>(residuals_), n = static_cast<Eigen::Index>(numbers_.size());
  const bool is_first = use == SlopeOf::confidence && taken_for_ == SlopeOf::search;
  taken_for_ = use;
  bool anew = is_first || carried_.size() == 0 || carries_ >= most_carries;
  if (!anew) {
    Eigen::VectorXd step(n), scaled(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double size = std::max(std::fabs(here->x[k]), size_of(numbers_[k]));
      step[i] = here->x[k] - last_.x[k];
      scaled[i] = step[i] / (size * size);
    }
    const Eigen::VectorXd change = here->r - last_.r, missed = change - carried_ * step;
    anew = !(missed.norm() <= trusted_miss * change.norm());
    if (!anew && step.dot(scaled) > 0) carried_ += missed * scaled.transpose() / step.dot(scaled), ++carries_;
  }
  if (anew) {
    carried_.resize(rows, n);
    slopes_anew(*here, carried_);
    carries_ = 0;
  }
  last_.x = here->x, last_.r = here->r;
  slopes.topRows(rows) = carried_;
}

double OutputError::cost_of(const std::vector<std::vector<double>>& predicted, std::size_t log, std::size_t row) const {
  double sum = 0;
  for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
    const double e = weights_[k] * (predicted[k][row] - job_.logs[log].measured[k][row]);
    sum += e * e;
  }
  return sum;
}

double OutputError::mean_cost(const std::vector<std::vector<double>>& predicted, std::size_t log, std::size_t from,
                              std::size_t to) const {
  double sum = 0;
  for (std::size_t row = from; row < to; ++row) sum += cost_of(predicted, log, row);
  return to > from ? sum / static_cast<double>((to - from) * job_.outputs.size()) : 0;
}

namespace {

/// Sums of squares over a set of rows.
struct Sums {
  double error = 0, size = 0, absolute = 0, count = 0;
  void add(double predicted, double measured) {
    error += (predicted - measured) * (predicted - measured), size += measured * measured;
    absolute += std::fabs(predicted - measured), ++count;
  }
  double mean() const { return count > 0 ? absolute / count : 0; }
  double rms() const { return count > 0 ? std::sqrt(error / count) : 0; }
  double relative() const { return size > 0 ? std::sqrt(error / size) : 0; }
};

}  // namespace

OutputQuality OutputError::quality(std::size_t log, std::size_t output, const std::vector<double>& predicted) const {
  Sums estimation, validation, all;
  const LogRows& rows = rows_[log];
  const std::vector<double>& measured = job_.logs[log].measured[output];
  for (std::size_t i = rows.first; i < rows.last; ++i) {
    (i < rows.middle ? estimation : validation).add(predicted[i], measured[i]);
    all.add(predicted[i], measured[i]);
  }
  return {
      job_.outputs[output].column, job_.outputs[output].unit, estimation.rms(), validation.rms(), all.rms(),
      estimation.relative(),       validation.relative(),     all.relative(),   all.mean(),       validation.count > 0};
}

OutputQuality OutputError::quality_of_all(std::size_t output, const std::vector<LogQuality>& logs) const {
  Sums estimation, validation, all;
  for (std::size_t l = 0; l < logs.size(); ++l)
    for (std::size_t i = rows_[l].first; i < rows_[l].last; ++i) {
      const double predicted = logs[l].predicted[output][i], measured = job_.logs[l].measured[output][i];
      (i < rows_[l].middle ? estimation : validation).add(predicted, measured);
      all.add(predicted, measured);
    }
  return {
      job_.outputs[output].column, job_.outputs[output].unit, estimation.rms(), validation.rms(), all.rms(),
      estimation.relative(),       validation.relative(),     all.relative(),   all.mean(),       validation.count > 0};
}

std::vector<double> OutputError::mean_values(std::span<const double> x) const {
  std::vector<double> values;
  for (const Numbered& at : free_) {
    double sum = 0;
    for (std::size_t l = 0; l < job_.logs.size(); ++l) sum += x[at.in(l)];
    values.push_back(at.is_private ? sum / static_cast<double>(job_.logs.size()) : x[at.first]);
  }
  return values;
}

std::vector<double> OutputError::taken_over(const OutputError& part, std::span<const double> x,
                                            const std::vector<std::size_t>& kept,
                                            std::span<const double> otherwise) const {
  std::vector<double> made(otherwise.begin(), otherwise.end());
  const auto take = [&](const Numbered& mine, const Numbered& theirs) {
    if (!mine.is_private) {
      made[mine.first] = x[theirs.first];
      return;
    }
    double mean = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) mean += x[theirs.in(k)] / static_cast<double>(kept.size());
    for (std::size_t l = 0; l < job_.logs.size(); ++l) made[mine.in(l)] = mean;
    for (std::size_t k = 0; k < kept.size(); ++k) made[mine.in(kept[k])] = x[theirs.in(k)];
  };
  for (std::size_t i = 0; i < free_.size(); ++i) take(free_[i], part.free_[i]);
  if (delay_) made[*delay_] = x[*part.delay_];
  for (std::size_t k = 0; k < offset_.size(); ++k)
    if (job_.outputs[k].offset != SensorOffset::none) take(offset_[k], part.offset_[k]);
  return made;
}

std::vector<Spread> OutputError::spreads(const Confidence& confidence) const {
  std::vector<Spread> all;
  const auto add = [&](const Numbered& at, const std::string& key) {
    if (!at.is_private) return;
    const auto first = confidence.estimates.begin() + static_cast<std::ptrdiff_t>(at.first);
    all.push_back(spread_of(key, units_[at.first], {first, first + static_cast<std::ptrdiff_t>(job_.logs.size())}));
  };
  for (std::size_t i = 0; i < free_.size(); ++i) add(free_[i], candidate_.free[i].key);
  for (std::size_t k = 0; k < offset_.size(); ++k) add(offset_[k], "offset of " + job_.outputs[k].column);
  return all;
}

}  // namespace stickslip::inline fitting
