#include "fitting/machine_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/input_section.hpp"
#include "fitting/machine_trace.hpp"
#include "platform/parallel.hpp"

namespace stickslip {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t noise_blocks = 20;

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

/// One candidate with its log.
class OutputError {
 public:
  OutputError(const MachineJob& job, const FitCandidate& candidate) : job_(job), candidate_(candidate) {
    // Here a machine that cannot be used still says why; later it is only a point that costs infinity.
    const MachineRun trace = run_machine_document(candidate.machine.document(), candidate.machine.file());
    if (trace.stop != Stop::finished) throw Error(one_line(candidate.machine.file()) + ": " + trace.message);
    if (rows(trace.samples) < 2)
      throw Error(one_line(candidate.machine.file()) + ": the run has no samples; give sample_interval in [run]");
    for (const auto& out : job.outputs) column_named(trace.samples, out.column, candidate.machine.file());
    choose_rows(trace.samples.columns.front().values);
    for (const auto& out : job.outputs) weights_.push_back(weight_of(out));
    for (const auto& place : candidate.free)
      numbers_.push_back({.key = place.key, .start = place.start, .low = place.low, .high = place.high});
    if (job.delay) numbers_.push_back(*job.delay);
    for (std::size_t k = 0; k < job.outputs.size(); ++k)
      if (job.outputs[k].find_offset)
        numbers_.push_back({.key = "offset of " + job.outputs[k].column, .start = 0, .size = 1 / weights_[k]});
  }

  const std::vector<FreeNumber>& numbers() const { return numbers_; }
  std::size_t residual_count() const { return (middle_ - first_) * job_.outputs.size(); }

  /// The machine's document with other numbers: it was read once.
  TomlValue document_with(std::span<const double> x) const {
    std::vector<std::pair<const Place*, double>> values;
    for (std::size_t i = 0; i < candidate_.free.size(); ++i)
      for (const auto& place : candidate_.free[i].places) values.emplace_back(&place, x[i]);
    // From the last to the first: several numbers may stand in one text, and a longer one moves those after it.
    std::sort(values.begin(), values.end(),
              [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
    TomlValue document = candidate_.machine.document();
    for (const auto& [place, value] : values) set_number(document, *place, value);
    return document;
  }

  /// Residuals of (1) over the estimation rows; false where the machine cannot be had.
  bool residuals(std::span<const double> x, std::span<double> r) const {
    std::vector<std::vector<double>> predicted;
    if (!predict(x, job_.time[middle_ - 1], predicted)) return false;
    std::size_t i = 0;
    for (std::size_t k = 0; k < job_.outputs.size(); ++k)
      for (std::size_t row = first_; row < middle_; ++row)
        r[i++] = weights_[k] * (predicted[k][row] - job_.outputs[k].measured[row]);
    return std::all_of(r.begin(), r.end(), [](double v) { return std::isfinite(v); });
  }

  /// Every output at the log's times, delay and offsets included.
  bool predict(std::span<const double> x, double until, std::vector<std::vector<double>>& predicted) const {
    const double delay = job_.delay ? x[candidate_.free.size()] : 0;
    std::size_t offset = candidate_.free.size() + (job_.delay ? 1 : 0);
    MachineRun trace;
    try {
      trace =
          run_machine_document(document_with(x), candidate_.machine.file(), until + std::max(0.0, -delay) + margin_);
    } catch (const Error&) {
      return false;
    }
    if (trace.stop != Stop::finished) return false;
    const auto& time = trace.samples.columns.front().values;
    for (const auto& out : job_.outputs) {
      const auto& column = column_named(trace.samples, out.column, candidate_.machine.file());
      const double b = out.find_offset ? x[offset++] : 0;
      std::vector<double> y(job_.time.size(), no_value);
      std::size_t hint = 0;
      for (std::size_t i = first_; i < last_ && job_.time[i] <= until; ++i)
        y[i] = at_time(time, column.values, std::max(job_.time[i] - delay, time.front()), hint) + b;
      predicted.push_back(std::move(y));
    }
    return true;
  }

  /// Mean of (1) over some rows.
  double mean_cost(const std::vector<std::vector<double>>& predicted, std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t row = from; row < to; ++row) sum += cost_of(predicted, row);
    return to > from ? sum / static_cast<double>((to - from) * job_.outputs.size()) : 0;
  }
  double cost_of(const std::vector<std::vector<double>>& predicted, std::size_t row) const {
    double sum = 0;
    for (std::size_t k = 0; k < job_.outputs.size(); ++k) {
      const double e = weights_[k] * (predicted[k][row] - job_.outputs[k].measured[row]);
      sum += e * e;
    }
    return sum;
  }

  OutputQuality quality(std::size_t k, std::vector<double> predicted) const {
    const auto& out = job_.outputs[k];
    OutputQuality q{.column = out.column, .unit = out.unit};
    const auto measure = [&](std::size_t from, std::size_t to, double& rms, double& relative) {
      double error = 0, size = 0;
      for (std::size_t i = from; i < to; ++i) {
        error += (predicted[i] - out.measured[i]) * (predicted[i] - out.measured[i]);
        size += out.measured[i] * out.measured[i];
      }
      rms = to > from ? std::sqrt(error / static_cast<double>(to - from)) : 0;
      relative = size > 0 ? std::sqrt(error / size) : 0;
    };
    measure(first_, middle_, q.estimation_rms, q.estimation_relative);
    measure(middle_, last_, q.validation_rms, q.validation_relative);
    measure(first_, last_, q.rms, q.relative);
    q.predicted = std::move(predicted);
    return q;
  }

  std::size_t first() const { return first_; }
  std::size_t middle() const { return middle_; }
  std::size_t last() const { return last_; }

 private:
  /// Rows of the log that the run covers, and where estimation ends.
  void choose_rows(const std::vector<double>& simulated) {
    const double begin = std::max(job_.time.front(), simulated.front()) + job_.skip;
    const double slack = 1e-9 * (simulated.back() - simulated.front());
    margin_ = 2 * (simulated[1] - simulated[0]);
    while (first_ < job_.time.size() && job_.time[first_] < begin - slack) ++first_;
    last_ = first_;
    while (last_ < job_.time.size() && job_.time[last_] <= simulated.back() + slack) ++last_;
    if (last_ < first_ + 10)
      throw Error(one_line(candidate_.machine.file()) + ": the run from " + shortest(simulated.front()) + " s to " +
                  shortest(simulated.back()) + " s covers " + std::to_string(last_ - first_) +
                  " samples of the log, which lasts from " + shortest(job_.time.front()) + " s to " +
                  shortest(job_.time.back()) + " s; at least 10 are needed");
    middle_ =
        first_ + static_cast<std::size_t>(std::llround(job_.estimation_share * static_cast<double>(last_ - first_)));
    middle_ = std::clamp(middle_, first_ + 5, last_);
  }
  double weight_of(const ComparedOutput& out) const {
    if (out.weight > 0) return out.weight;
    double square = 0;
    for (std::size_t i = first_; i < middle_; ++i) square += out.measured[i] * out.measured[i];
    return square > 0 ? std::sqrt(static_cast<double>(middle_ - first_) / square) : 1;
  }

  const MachineJob& job_;
  const FitCandidate& candidate_;
  KeptInputs inputs_;  // the log is opened once
  std::vector<double> weights_;
  std::vector<FreeNumber> numbers_;
  std::size_t first_ = 0, middle_ = 0, last_ = 0;
  double margin_ = 0;
};

/// The candidate's own file with the numbers found.
std::string written(const FitCandidate& candidate, const std::vector<double>& x) {
  const MachineText& text = candidate.original ? *candidate.original : candidate.machine;
  std::vector<std::pair<Place, double>> values;
  for (std::size_t i = 0; i < candidate.free.size(); ++i)
    for (const auto& place : candidate.free[i].places) values.emplace_back(text.place(place.path), x[i]);
  return text.with(values);
}

struct Judged {
  FittedMachine machine;
  std::vector<double> block_costs;  // of the validation rows, or of all where none validate
};

Judged fitted(const MachineJob& job, const FitCandidate& candidate, const MachineFitOptions& options) {
  const OutputError problem(job, candidate);
  LevenbergMarquardtOptions search;
  search.most_steps = options.most_steps;
  search.least_gain = 1e-6;
  search.difference = 1e-4;  // far above the noise of an adaptive integrator
  search.at_once = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
    parallel_for(count, options.threads, task);
  };
  if (options.watch) {
    search.cancel = &options.watch->cancel;
    if (options.watch->progress)
      search.progress = [&](int step, double cost) { options.watch->progress(candidate.name, step, cost); };
  }
  const LeastSquaresFit fit = levenberg_marquardt(
      problem.numbers(), problem.residual_count(),
      [&](std::span<const double> x, std::span<double> r) { return problem.residuals(x, r); }, search);
  if (fit.end == FitEnd::no_residuals)
    throw Error(one_line(candidate.machine.file()) + ": the machine cannot be simulated with the numbers at the start");

  Judged j;
  FittedMachine& m = j.machine;
  m.name = candidate.name;
  m.free = candidate.free;
  for (const auto& place : candidate.free) m.units.push_back(place.places.front().unit);
  if (job.delay) m.units.push_back("s");
  for (const auto& out : job.outputs)
    if (out.find_offset) m.units.push_back(out.unit);
  m.confidence = confidence(fit, problem.numbers());
  m.end = fit.end;
  m.steps = fit.steps;
  m.simulations = fit.evaluations + 2;
  m.text = written(candidate, fit.x);
  std::vector<std::vector<double>> predicted;
  if (!problem.predict(fit.x, job.time[problem.last() - 1], predicted))
    throw Error(one_line(candidate.machine.file()) + ": the run ends early beyond the rows that estimate");
  m.estimation_cost = problem.mean_cost(predicted, problem.first(), problem.middle());
  m.validation_cost = problem.mean_cost(predicted, problem.middle(), problem.last());
  const std::size_t from = problem.middle() < problem.last() ? problem.middle() : problem.first();
  for (std::size_t b = 0; b < noise_blocks; ++b) {
    const std::size_t count = problem.last() - from;
    j.block_costs.push_back(
        problem.mean_cost(predicted, from + count * b / noise_blocks, from + count * (b + 1) / noise_blocks));
  }
  for (std::size_t k = 0; k < predicted.size(); ++k) m.outputs.push_back(problem.quality(k, std::move(predicted[k])));
  return j;
}

double judged_cost(const FittedMachine& m) { return m.validation_cost > 0 ? m.validation_cost : m.estimation_cost; }

/// True if `other` is worse than `best` by no more than one standard error of the difference, block by block.
bool is_as_good(const Judged& best, const Judged& other) {
  double mean = 0, square = 0;
  const auto n = static_cast<double>(noise_blocks);
  for (std::size_t b = 0; b < noise_blocks; ++b) {
    const double d = other.block_costs[b] - best.block_costs[b];
    mean += d / n;
    square += d * d / n;
  }
  return mean <= std::sqrt(std::max(0.0, square - mean * mean) / (n - 1));
}

}  // namespace

MachineFit fit_machine(const MachineJob& job, const MachineFitOptions& options) {
  if (job.outputs.empty()) throw Error("fit: nothing is compared; give at least one output");
  if (job.time.size() < 10)
    throw Error("fit: the log has " + std::to_string(job.time.size()) + " samples; 10 are needed");
  if (!(job.estimation_share > 0 && job.estimation_share <= 1))
    throw Error("fit: the share that estimates is " + shortest(job.estimation_share) +
                "; it must lie above 0 and not above 1");
  std::vector<Judged> all;
  MachineFit result;
  for (const auto& candidate : job.candidates) {
    if (options.watch && options.watch->cancel.load() && !all.empty()) {
      result.complete = false;
      break;
    }
    all.push_back(fitted(job, candidate, options));
    result.complete = result.complete && all.back().machine.end != FitEnd::cancelled;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Judged& a, const Judged& b) { return judged_cost(a.machine) < judged_cost(b.machine); });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].machine.confidence.estimates.size() < all[result.recommended].machine.confidence.estimates.size() &&
        is_as_good(all.front(), all[i]))
      result.recommended = i;
  const auto percent = [](const FittedMachine& m) {  // as the tables say it where there is one output
    const double share = m.outputs.size() == 1 && m.validation_cost > 0 ? m.outputs.front().validation_relative
                                                                        : std::sqrt(judged_cost(m));
    return significant(100 * share, 4) + " %";
  };
  if (all.size() == 1)
    result.why = "the only candidate";
  else if (result.recommended == 0)
    result.why = all[0].machine.name + " has the least validation error, " + percent(all[0].machine) +
                 ", and no simpler one comes within the noise of it";
  else
    result.why = all[result.recommended].machine.name + " is the simplest whose validation error, " +
                 percent(all[result.recommended].machine) + ", is within the noise of the least, " +
                 percent(all[0].machine);
  for (auto& j : all) result.candidates.push_back(std::move(j.machine));
  return result;
}

}  // namespace stickslip
