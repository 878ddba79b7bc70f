#include "fitting/machine_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "fitting/output_error.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline fitting {
namespace {

constexpr std::size_t noise_blocks = 20;

/// The candidate's own file with the numbers found; of private ones their means.
std::string written(const FitCandidate& candidate, const OutputError& problem, const std::vector<double>& x) {
  const MachineText& text = candidate.original ? *candidate.original : candidate.machines.front();
  const std::vector<double> values_found = problem.mean_values(x);
  std::vector<std::pair<Place, double>> values;
  for (std::size_t i = 0; i < candidate.free.size(); ++i)
    for (const auto& place : candidate.free[i].places) values.emplace_back(text.place(place.path), values_found[i]);
  return text.with(values);
}

struct Judged {
  FittedMachine machine;
  std::vector<double> block_costs;  // of the validation rows, or of all where none validate; of logs left out
};

PriorProblem problem_of(const MachineJob& job, const FitCandidate& candidate, const OutputError& problem,
                        const MachineFitOptions& options) {
  PriorProblem p;
  p.numbers = problem.numbers();
  p.rows = problem.residual_count();
  p.residuals = [&](std::span<const double> x, std::span<double> r) { return problem.residuals(x, r); };
  p.priors = problem.priors();
  p.loss = job.loss;
  p.corner = job.corner;
  p.search.most_steps = options.most_steps;
  p.search.least_gain = 1e-6;
  p.search.last_slopes = false;  // taken once, at the end of all
  p.search.slopes = [&](std::span<const double> x, Eigen::MatrixXd& slopes, std::vector<char>& known) {
    problem.slopes(x, slopes, known, SlopeOf::search);
  };
  p.last_slopes = [&](std::span<const double> x, Eigen::MatrixXd& slopes, std::vector<char>& known) {
    problem.slopes(x, slopes, known, SlopeOf::confidence);
  };
  if (options.watch) {
    p.search.cancel = &options.watch->cancel;
    if (options.watch->progress)
      p.search.progress = [&](int step, double cost) { options.watch->progress(candidate.name, step, cost); };
  }
  return p;
}

PriorFit searched(const MachineJob& job, const FitCandidate& candidate, const OutputError& problem,
                  const MachineFitOptions& options) {
  PriorFit found = fit_with_priors(problem_of(job, candidate, problem, options));
  if (found.fit.end == FitEnd::no_residuals)
    throw Error(one_line(candidate.machines.front().file()) +
                ": the machine cannot be simulated with the initial values");
  return found;
}

/// The job without some logs.
struct Without {
  MachineJob job;
  FitCandidate candidate;
  std::vector<std::size_t> kept;
};
Without without(const MachineJob& job, const FitCandidate& candidate, const std::string& group,
                const std::vector<std::string>& groups) {
  Without part{job, candidate, {}};
  part.job.logs.clear(), part.job.candidates.clear(), part.candidate.machines.clear();
  for (std::size_t l = 0; l < job.logs.size(); ++l) {
    if (groups[l] == group) continue;
    part.kept.push_back(l);
    part.job.logs.push_back(job.logs[l]);
    part.candidate.machines.push_back(candidate.machines[l]);
  }
  return part;
}

/// Every group of logs predicted by a fit to the others, which starts from the fit to all.
void leave_out(const MachineJob& job, const FitCandidate& candidate, const OutputError& all,
               const std::vector<double>& x, const MachineFitOptions& options, Judged& j) {
  std::vector<std::string> groups;
  for (std::size_t l = 0; l < job.logs.size(); ++l)
    groups.push_back(job.logs[l].group.empty() ? "log " + std::to_string(l) : "group " + job.logs[l].group);
  const std::set<std::string> names(groups.begin(), groups.end());
  if (names.size() < 2) throw Error("fit: all logs belong to one group; none can be left out");
  j.block_costs.clear();
  double sum = 0, count = 0, mean = 0;
  for (const std::string& group : names) {
    if (options.watch && options.watch->cancel.load()) return;
    Without part = without(job, candidate, group, groups);
    // it starts where nothing of the logs left out is known: at the job's own start
    const OutputError problem(part.job, part.candidate, options.threads);
    const PriorFit fit = searched(part.job, part.candidate, problem, options);
    j.machine.simulations += problem.simulations(), j.machine.given_up += problem.given_up();
    const std::vector<double> at = all.taken_over(problem, fit.fit.x, part.kept, x);
    for (std::size_t l = 0; l < job.logs.size(); ++l) {
      if (groups[l] != group) continue;
      std::vector<std::vector<double>> predicted;
      LogQuality& q = j.machine.logs[l];
      const bool runs = all.predict(at, l, all.rows(l).end_time, predicted);
      for (std::size_t k = 0; k < job.outputs.size(); ++k) {
        const OutputQuality of = runs ? all.quality(l, k, predicted[k]) : OutputQuality{};
        q.left_out_rms.push_back(runs ? of.rms : HUGE_VAL);
        q.left_out_relative.push_back(runs ? of.relative : HUGE_VAL);
        q.left_out_mean.push_back(runs ? of.mean_size : HUGE_VAL);
      }
      mean += q.left_out_mean.front();
      const double cost = runs ? all.mean_cost(predicted, l, all.rows(l).first, all.rows(l).last) : HUGE_VAL;
      j.block_costs.push_back(cost);
      sum += cost, ++count;
    }
  }
  j.machine.left_out_cost = sum / count;
  j.machine.left_out_mean = mean / count;
}

Judged fitted(const MachineJob& job, const FitCandidate& candidate, const MachineFitOptions& options) {
  const OutputError problem(job, candidate, options.threads);
  const PriorFit found = searched(job, candidate, problem, options);
  const LeastSquaresFit& fit = found.fit;
  Judged j;
  FittedMachine& m = j.machine;
  m.name = candidate.name;
  m.free = candidate.free;
  m.units = problem.units();
  m.confidence = found.confidence;
  m.corner = found.corner;
  m.end = fit.end;
  m.steps = fit.steps;
  m.text = written(candidate, problem, fit.x);
  double estimation = 0, validation = 0, estimation_rows = 0, validation_rows = 0;
  std::vector<double> judged;  // cost of every row that judges
  bool validates = false;
  for (std::size_t l = 0; l < job.logs.size(); ++l)
    validates = validates || problem.rows(l).middle < problem.rows(l).last;
  for (std::size_t l = 0; l < job.logs.size(); ++l) {
    const LogRows rows = problem.rows(l);
    LogQuality q{.name = job.logs[l].name, .outputs = {}};
    if (!problem.predict(fit.x, l, rows.end_time, q.predicted))
      throw Error(one_line(candidate.machines[l].file()) + ": the run ends early, after the rows used for estimation" +
                  (job.logs.size() > 1 ? " in log " + in_quotes(job.logs[l].name) : ""));
    for (std::size_t row = rows.first; row < rows.last; ++row) {
      const double cost = problem.cost_of(q.predicted, l, row);
      (row < rows.middle ? estimation : validation) += cost, ++(row < rows.middle ? estimation_rows : validation_rows);
      if (!validates || row >= rows.middle) judged.push_back(cost);
    }
    for (std::size_t k = 0; k < job.outputs.size(); ++k) q.outputs.push_back(problem.quality(l, k, q.predicted[k]));
    m.logs.push_back(std::move(q));
  }
  const auto outputs = static_cast<double>(job.outputs.size());
  m.estimation_cost = estimation / std::max(1.0, estimation_rows * outputs);
  m.validation_cost = validation / std::max(1.0, validation_rows * outputs);
  for (std::size_t b = 0; b < noise_blocks; ++b) {
    const std::size_t from = judged.size() * b / noise_blocks, to = judged.size() * (b + 1) / noise_blocks;
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += judged[i];
    j.block_costs.push_back(to > from ? sum / (static_cast<double>(to - from) * outputs) : 0);
  }
  for (std::size_t k = 0; k < job.outputs.size(); ++k) m.outputs.push_back(problem.quality_of_all(k, m.logs));
  m.spreads = problem.spreads(m.confidence);
  m.simulations = problem.simulations(), m.given_up = problem.given_up();
  if (job.leaves_out) leave_out(job, candidate, problem, fit.x, options, j);
  return j;
}

double judged_cost(const FittedMachine& m) {
  return m.left_out_cost > 0 ? m.left_out_cost : m.validation_cost > 0 ? m.validation_cost : m.estimation_cost;
}

/// True if `other` is worse than `best` by no more than one standard error of the difference, block by block.
bool is_as_good(const Judged& best, const Judged& other) {
  double mean = 0, square = 0;
  const auto n = static_cast<double>(best.block_costs.size());
  if (n < 2 || best.block_costs.size() != other.block_costs.size()) return false;
  for (std::size_t b = 0; b < best.block_costs.size(); ++b) {
    const double d = other.block_costs[b] - best.block_costs[b];
    mean += d / n;
    square += d * d / n;
  }
  return mean <= std::sqrt(std::max(0.0, square - mean * mean) / (n - 1));
}

void check(const MachineJob& job) {
  if (job.outputs.empty()) throw Error("fit: no output to compare; give at least one");
  if (job.logs.empty()) throw Error("fit: there is no log");
  for (const MachineLog& log : job.logs)
    if (log.time.size() < 10)
      throw Error("fit: the log " + (log.name.empty() ? "" : in_quotes(log.name) + " ") + "has " +
                  std::to_string(log.time.size()) + " samples; 10 are needed");
  if (!(job.estimation_share > 0 && job.estimation_share <= 1))
    throw Error("fit: the estimation share is " + shortest(job.estimation_share) +
                "; it must lie above 0 and not above 1");
  if (job.leaves_out && job.logs.size() < 2) throw Error("fit: leaving one log out needs at least two logs");
}

}  // namespace

MachineFit fit_machine(const MachineJob& job, const MachineFitOptions& options) {
  check(job);
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
    const double share = m.outputs.size() == 1 && m.left_out_cost == 0 && m.validation_cost > 0
                             ? m.outputs.front().validation_relative
                             : std::sqrt(judged_cost(m));
    return significant(100 * share, 4) + " %";
  };
  const std::string error = job.leaves_out ? "error on logs left out" : "validation error";
  if (all.size() == 1)
    result.why = "the only candidate";
  else if (result.recommended == 0)
    result.why = all[0].machine.name + " has the least " + error + ", " + percent(all[0].machine) +
                 ", and no simpler one is equally good within the noise";
  else
    result.why = all[result.recommended].machine.name + " is the simplest whose " + error + ", " +
                 percent(all[result.recommended].machine) + ", is within the noise of the least, " +
                 percent(all[0].machine);
  for (auto& j : all) result.candidates.push_back(std::move(j.machine));
  return result;
}

}  // namespace stickslip::inline fitting
