#include "identification/candidate_fits.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "identification/fit_part.hpp"
#include "identification/judging/law_remarks.hpp"
#include "identification/judging/low_pass_ranking.hpp"
#include "identification/judging/ranking.hpp"
#include "identification/prior_rounds.hpp"
#include "identification/set_forces.hpp"
#include "platform/number.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t unbounded_order = 1000;
constexpr std::size_t usual_elements = 4;  // until the recording has told
constexpr double concluding_cost = 0.15;   // intervals of the recommended model

std::string labelled(const Candidate& c, std::size_t elements, const IdentifyOptions& o) {
  std::string label = c.label;
  if (c.kernel == Kernel::none && c.has_lists && c.elements == 0) label += "(" + std::to_string(elements) + ")";
  if (o.per_direction) label += " per direction";
  std::vector<Quantity> named;  // each once: several parameters may follow one
  for (const auto& v : o.variations)
    if (std::find(named.begin(), named.end(), v.over) == named.end()) {
      named.push_back(v.over);
      label += " over " + std::string(name_of(v.over));
    }
  if (o.find_backlash) label += " with backlash";
  return label;
}

/// Relative cost of fitting a candidate, in which progress is counted. Seconds on one core for 10 000 samples, between those of a servo
/// axis and those of a presliding rig; only the ratios matter. `elements` is how many parallel elements such laws are given.
double expected_cost(const Candidate& c, std::size_t elements) {
  const double operators = static_cast<double>(std::max<std::size_t>(c.order.operators, 1));
  if (c.kernel == Kernel::dnlrx) return 0.03 * operators;
  if (c.kernel == Kernel::nlr) return 0.02 * operators;
  if (c.model == "leuven") return 0.02 * std::pow(static_cast<double>(elements), 3.3);
  constexpr std::pair<std::string_view, double> costly[] = {
      {"elastoplastic", 0.6},    {"modified-lugre", 0.4},           {"new-modified-lugre", 0.4},
      {"lugre-bristle", 0.1},    {"generalized-maxwell-slip", 0.1}, {"asymmetric-maxwell-slip", 0.1},
      {"bristle-sawtooth", 0.1}, {"hybrid-hysteresis", 0.1}};
  for (const auto& [model, cost] : costly)
    if (c.model == model) return cost;
  return 0.03;
}

/// A fit as exchanged between programs: the number of coordinates, the coordinates, and the model as text.
std::string told(const std::vector<double>& found, const std::string& text) {
  const auto count = static_cast<double>(found.size());
  std::string bytes(sizeof(double) * (1 + found.size()), '\0');
  std::memcpy(bytes.data(), &count, sizeof count);
  if (!found.empty()) std::memcpy(bytes.data() + sizeof count, found.data(), sizeof(double) * found.size());
  return bytes + text;
}
std::pair<std::vector<double>, std::string> heard(std::string_view bytes) {
  double count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  std::vector<double> found(static_cast<std::size_t>(count));
  if (!found.empty()) std::memcpy(found.data(), bytes.data() + sizeof count, sizeof(double) * found.size());
  return {std::move(found), std::string(bytes.substr(sizeof(double) * (1 + found.size())))};
}

std::size_t first_orders(Kernel kernel) {
  return kernel == Kernel::nlr ? 5 : kernel == Kernel::dnlrx ? 3 : unbounded_order;
}

void take_springs(StartingPoints& points, const ParameterValues& values) {
  for (const auto& [key, value] : values) {
    if (key == "thresholds") points.thresholds = std::get<std::vector<double>>(value);
    if (key == "stiffnesses") points.stiffnesses = std::get<std::vector<double>>(value);
  }
}

}  // namespace

double CandidateFits::cost_of(const std::vector<Entry>& entries) const {
  double sum = 0;
  for (const Entry& e : entries) sum += cost_of(e);
  return sum;
}

double CandidateFits::cost_of(const Entry& e) const {
  return expected_cost(e.candidate, points_.thresholds.empty() ? usual_elements : points_.thresholds.size());
}

std::vector<Entry> CandidateFits::all(Identification& out) {
  std::vector<Entry> first, second;
  for (Candidate& c : candidates_for(task_.options, out.skipped))
    (c.kernel == Kernel::nlr || c.kernel == Kernel::lg ? first : second)
        .push_back({std::move(c), {}, {}, {}, {}, {}, {}});
  if (!task_.options.start.empty() && !has_use_for_start(first) && !has_use_for_start(second))
    out.warnings.push_back("the given start is of no use: no model that is fitted has its parameters");
  total_ = concluding_cost + cost_of(first) + cost_of(second);
  std::vector<Entry> later = high_orders(first), later_too = high_orders(second);
  run_all(first);
  go_on(first, later, out);
  const double assumed = cost_of(second) + cost_of(later_too);
  choose_starts(first, second);
  total_ += cost_of(second) + cost_of(later_too) - assumed;  // the number of elements is known now
  run_all(second);
  go_on(second, later_too, out);
  std::vector<Entry> entries;
  for (auto* list : {&first, &second})
    for (Entry& e : *list) {
      if (e.model)
        entries.push_back(std::move(e));
      else
        out.skipped.push_back(e.label + ": " + e.failure);
    }
  return entries;
}

void CandidateFits::also(std::vector<Entry>& entries) {
  total_ += cost_of(entries);
  run_all(entries);
}

std::string CandidateFits::label_of(const Candidate& c, const IdentifyOptions& options) const {
  return labelled(c, points_.thresholds.size(), options);
}

bool CandidateFits::has_use_for_start(const std::vector<Entry>& entries) const {
  const auto has = [](const ModelDescription& d, std::string key) {
    if (key.starts_with("backward.")) key.erase(0, std::string_view("backward.").size());
    key = key.substr(0, key.find('['));
    return std::any_of(d.parameters.begin(), d.parameters.end(), [&](const auto& p) { return p.key == key; });
  };
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
    const ModelDescription& d = find_model(e.candidate.model).description();
    return std::any_of(task_.options.start.begin(), task_.options.start.end(),
                       [&](const auto& s) { return has(d, s.first); });
  });
}

/// Removes the orders of Maxwell-slip models beyond `first_orders`, if no model was requested by name.
std::vector<Entry> CandidateFits::high_orders(std::vector<Entry>& entries) const {
  std::vector<Entry> later;
  if (!task_.options.models.empty()) return later;
  for (Entry& e : entries)
    if (e.candidate.order.operators > first_orders(e.candidate.kernel)) later.push_back(std::move(e));
  std::erase_if(entries, [](const Entry& e) { return e.candidate.model.empty(); });
  return later;
}

/// One more operator at a time, as long as the last one reduced the squared error by more than 1 %.
void CandidateFits::go_on(std::vector<Entry>& entries, std::vector<Entry>& later, Identification& out) {
  std::stable_sort(later.begin(), later.end(), [](const Entry& a, const Entry& b) {
    return a.candidate.order.operators < b.candidate.order.operators;
  });
  const auto error_of = [&](const Entry& like, std::size_t operators) {
    for (const Entry& done : entries)
      if (done.model && done.candidate.kernel == like.candidate.kernel && done.candidate.order.operators == operators)
        return done.model->estimation.cost;
    return unbounded;
  };
  std::vector<std::pair<Kernel, std::size_t>> ended;  // including the first order that did not help
  for (Entry& e : later) {
    const Kernel kernel = e.candidate.kernel;
    const std::size_t last = e.candidate.order.operators - 1;
    e.label = labelled(e.candidate, points_.thresholds.size(), task_.options);
    auto end = std::find_if(ended.begin(), ended.end(), [&](const auto& k) { return k.first == kernel; });
    if (end == ended.end() && error_of(e, last) > 0.99 * error_of(e, last - 1))
      end = ended.insert(ended.end(), {kernel, last});
    if (end != ended.end()) {
      total_ -= cost_of(e);
      out.skipped.push_back(e.label + ": " + std::to_string(end->second) + " operators are no better than " +
                            std::to_string(end->second - 1) + "; name the model to try it");
      continue;
    }
    std::vector<Entry> one;
    one.push_back(std::move(e));
    run_all(one);
    entries.push_back(std::move(one.front()));
  }
}

void CandidateFits::run_all(std::vector<Entry>& entries) {
  for (Entry& e : entries)
    if (e.label.empty()) e.label = labelled(e.candidate, points_.thresholds.size(), task_.options);
  const std::size_t programs = task_.options.workers ? task_.options.workers->count() : 1;
  if (programs == 1) {
    parallel_for(entries.size(), task_.options.threads, [&](std::size_t i) {
      tell_start(entries[i]);
      run_one(entries[i]), tell(entries[i]);
    });
  } else if (task_.options.bootstrap > 0 && entries.size() < programs) {
    // Few candidates, each costly: every program fits all of them, and they share the repetitions.
    for (Entry& e : entries) tell_start(e), run_one(e), tell(e);
  } else {
    share(entries);
  }
}

/// One candidate at a time, for many programs: '+' and the result, or '-' and the reason of the failure. The costly ones first, so that
/// none of them is last.
void CandidateFits::share(std::vector<Entry>& entries) {
  std::vector<Entry*> order;
  for (Entry& e : entries) order.push_back(&e);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Entry* a, const Entry* b) { return cost_of(*a) > cost_of(*b); });
  task_.options.workers->share(
      entries.size(), Audience::all,
      [&](std::size_t i) -> std::optional<std::string> {
        Entry& e = *order[i];
        run_one(e);
        if (!e.model) return "-" + e.failure;
        return "+" + told(e.fitted ? e.fitted->found.y : std::vector<double>{}, task_.options.to_text(*e.model));
      },
      [&](std::size_t i, std::string_view text) {
        Entry& e = *order[i];
        if (!e.model && text.front() == '+') {
          auto [found, model] = heard(text.substr(1));
          e.found = std::move(found);
          e.model = task_.options.from_text(model);
          judge(e);
        }
        if (!e.model) e.failure = text.substr(1);
        tell(e);
      });
  for (Entry& e : entries)
    if (!e.model && e.failure.empty()) e.failure = "stopped before it was fitted";
}

void CandidateFits::run_one(Entry& e) {
  Predictions predictions;
  if (const auto* known = known_model(e.label)) {
    e.model = *known;
  } else if (task_.is_cancelled()) {
    e.failure = "interrupted before it started";
    return;
  } else {
    try {
      e.fitted = fitted(e);
      if (!std::isfinite(e.fitted->found.cost)) throw Error("no admissible parameter set fits these data");
      e.model = finished(e, predictions);
    } catch (const Error& error) {
      e.failure = error.what();
    }
  }
  if (e.model) judge(e, std::move(predictions));
}

/// The errors that rank it, from its numbers alone; or its forces, if they are known already.
void CandidateFits::judge(Entry& e, Predictions predictions) const {
  if (predictions.empty()) predictions = predictions_of(*e.model, task_.data);
  SetForces ranking =
      forces_of(task_.data, through_low_pass(task_.sets, task_.data, *e.model, predictions), task_.ranked_by);
  e.moving_errors = std::move(ranking.moving_errors), e.clear_errors = std::move(ranking.clear_errors);
  note_priors(e.model->confidence, task_.options.priors), note_priors(e.model->bootstrap, task_.options.priors);
  e.model->ranked_rms = rms_error(e.moving_errors);
  e.model->estimation.samples = scored_count(task_.data, &FitPiece::estimation);
  e.model->validation.samples = scored_count(task_.data, &FitPiece::validation);
  e.model->test.samples = scored_count(task_.data, &FitPiece::test);
  const Evidence judges = task_.evidence_of(predictions, task_.held_out());
  e.model->unexplained = unexplained(judges.force, judges.error);
}

Fitted CandidateFits::fitted(const Entry& e) const {
  const IdentifyOptions& options = e.own ? *e.own : task_.options;
  const bool needs_springs = e.candidate.has_lists && e.candidate.elements > 0 && !has_own_start(e.candidate);
  Fitted law = fit_candidate(e.candidate, task_.to_fit(), options,
                             needs_springs ? springs_for(e.candidate.elements) : points_, e.found);
  if (!std::isfinite(law.found.cost)) return law;
  if (!task_.options.own.empty())
    law = fit_own_numbers(std::move(law), e.candidate, task_.to_fit(), options, task_.units);
  return task_.calm ? fit_robustly(std::move(law), e.candidate, task_.sets, task_.to_fit(), options) : law;
}

void CandidateFits::tell_start(const Entry& e) {
  const Lock lock(telling_);
  running_.emplace_back(e.label, cost_of(e));
  tell_progress(e.label);
}

void CandidateFits::tell(const Entry& e) {
  const Lock lock(telling_);
  done_ += cost_of(e);
  std::erase_if(running_, [&](const auto& r) { return r.first == e.label; });
  if (e.model && !known_model(e.label) && e.model->complete && task_.options.done) task_.options.done(*e.model);
  tell_progress(e.label);
}

/// Names the candidate that has been running longest: it is the one to wait for.
void CandidateFits::tell_progress(const std::string& otherwise) const {
  if (!task_.options.watch || !task_.options.watch->progress) return;
  double running = 0;
  for (const auto& [label, cost] : running_) running += cost;
  task_.options.watch->running = running / total_;
  task_.options.watch->progress(running_.empty() ? otherwise : running_.front().first, done_ / total_);
}

const IdentifiedModel* CandidateFits::known_model(const std::string& label) const {
  for (const IdentifiedModel& m : task_.options.known)
    if (m.label == label && m.complete) return &m;
  return nullptr;
}

void take_law(IdentifiedModel& m, const ModelSpace& space, const std::vector<double>& y) {
  const Realised made = space.at(y);
  m.settings = space.make(made)->settings();
  m.chain = made.chain;
  for (std::size_t unit = 0; unit < space.units() && space.units() > 1; ++unit) {
    const Realised own = space.at(y, unit);
    m.own.push_back({space.make(own)->settings(), own.chain});
  }
}

/// Quality, confidence and remarks of a fitted model.
IdentifiedModel CandidateFits::finished(const Entry& e, Predictions& predictions) const {
  const Fitted& f = *e.fitted;
  IdentifiedModel m;
  m.model = e.candidate.model;
  m.label = e.label;
  take_law(m, f.space, f.found.y);
  m.parameters = f.space.size();
  m.complete = f.found.complete;
  predictions = predictions_of(m, task_.data);
  const SetForces estimation = forces_of(task_.data, predictions, &FitPiece::estimation);
  const SetForces validation = forces_of(task_.data, predictions, &FitPiece::validation);
  const SetForces test = forces_of(task_.data, predictions, &FitPiece::test);
  m.estimation = quality_of(estimation), m.validation = quality_of(validation), m.test = quality_of(test);
  m.estimation_rms = rms_of(m.estimation, estimation);
  m.validation_rms = rms_of(m.validation, validation);
  m.test_rms = rms_of(m.test, test);
  const ModelResiduals residuals(f.space, task_.data_of(f));
  m.confidence = fit_confidence(residuals, f.found, largest_force_noise(task_.data_of(f)));
  doubt_contradicted(m.confidence, f);
  const auto& errors = estimation.moving_errors;
  m.whiteness = whiteness(Eigen::Map<const Eigen::VectorXd>(errors.data(), static_cast<Eigen::Index>(errors.size())));
  if (task_.options.bootstrap > 0)
    m.bootstrap = fit_bootstrap(residuals, f.found, task_.options.bootstrap, task_.options.seed, task_.many_fits());
  std::vector<std::string> profiled;
  for (const std::string& key : task_.options.profile)
    for (const std::string& name : {key, "chain." + key})
      if (f.space.find(name)) profiled.push_back(name);
  m.profiles = fit_profiles(residuals, f.found, m.confidence, profiled, task_.many_fits());
  m.remarks = remarks_on(m, task_.data);
  for (std::string& remark : remarks_on_start(f.space, task_.options)) add_remark(m, std::move(remark));
  if (f.forces) add_remark(m, robust_remark(*f.forces, task_.options.force_unit));
  for (std::string& remark : remarks_on_priors(f, task_.options)) add_remark(m, std::move(remark));
  if (residuals.truly_sticks()) {
    m.left_out = task_.data.blur.left_out;
    add_remark(m, blur_remark(task_.data.blur));
  }
  return m;
}

/// Springs and bristles for the candidates that start with them.
void CandidateFits::choose_starts(const std::vector<Entry>& first, const std::vector<Entry>& second) {
  bool lists = false, bristles = false;
  for (const Entry& e : second) {
    lists = lists || (e.candidate.kernel == Kernel::none && e.candidate.has_lists &&
                      !(has_own_start(e.candidate) && e.candidate.elements > 0));
    const auto& parameters = find_model(e.candidate.model).description().parameters;
    bristles = bristles || std::any_of(parameters.begin(), parameters.end(),
                                       [](const auto& p) { return p.key == "bristle_stiffness"; });
  }
  const IdentifiedModel *springs = nullptr, *best = nullptr;
  for (const Entry& e : first) {
    if (!e.model) continue;
    if (e.candidate.kernel == Kernel::lg) points_.bristle = e.model->settings.values;
    if (e.candidate.kernel == Kernel::nlr && (!best || judged(*e.model) < judged(*best))) best = &*e.model;
  }
  for (const Entry& e : first)  // the fewest springs that are nearly as good, but no more than six
    if (!springs && e.model && e.candidate.kernel == Kernel::nlr &&
        (judged(*e.model) <= 1.05 * judged(*best) || e.candidate.order.operators == 6))
      springs = &*e.model;
  if (springs) {
    take_springs(points_, springs->settings.values);
  } else if (lists) {
    try {
      points_ = springs_for(4);
    } catch (const Error&) {  // models with lists of springs then report this themselves
    }
  }
  if (bristles && points_.bristle.empty()) try {
      points_.bristle = bristle_start();
    } catch (const Error&) {  // no start from there: the orders of magnitude of the data must do
    }
}

/// LG's numbers by key, of a long recording those of one block; computed by one program for all.
ParameterValues CandidateFits::bristle_start() const {
  const auto fit = [&] {
    const FitData& all = task_.to_fit();
    const FitData data = is_long(all) ? part_of_long(all, 1) : all;
    ParameterValues values = values_in(fit_candidate({"lugre", "LG", Kernel::lg, {}, 0, false}, data, plain(), {}));
    std::erase_if(values, [](const auto& v) { return !std::holds_alternative<double>(v.second); });
    return values;
  };
  if (!task_.options.workers || task_.options.workers->count() == 1) return fit();
  ParameterValues values;
  task_.options.workers->share(
      1, Audience::all,
      [&](std::size_t) -> std::optional<std::string> {
        std::string lines;
        for (const auto& [key, value] : fit()) lines += key + "\t" + shortest(std::get<double>(value)) + "\n";
        return lines;
      },
      [&](std::size_t, std::string_view lines) {
        for (; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1)) {
          const std::size_t tab = lines.find('\t');
          double value = 0;
          read_number(lines.data() + tab + 1, lines.data() + lines.find('\n'), value);
          values.emplace_back(std::string(lines.substr(0, tab)), value);
        }
      });
  return values;
}

double CandidateFits::judged(const IdentifiedModel& m) const {
  return task_.ranked_by == &FitPiece::validation ? m.validation.noe : m.estimation.noe;
}

StartingPoints CandidateFits::springs_for(std::size_t elements) const {
  StartingPoints points = springs_of(elements, task_.to_fit(), task_.options);
  points.bristle = points_.bristle;
  return points;
}

/// Options for a start: nothing but the springs or bristles themselves.
IdentifyOptions CandidateFits::plain() const {
  IdentifyOptions o;
  o.seed = task_.options.seed;
  o.watch = task_.options.watch;
  return o;
}

}  // namespace stickslip::inline identification
