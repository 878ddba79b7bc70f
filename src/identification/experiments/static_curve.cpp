#include "identification/experiments/static_curve.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/error.hpp"
#include "core/normal_equations.hpp"
#include "core/text.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/search/bounded_least_squares.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double same_speed = 0.15;  // relative: speeds this close in one recording are one condition
/// F_S is a level at speeds below the slowest that was measured: a number beyond ten times all forces is no finding.
constexpr double highest_stiction = 10;

/// What the levels follow: q of eq. (1) counts from the reference.
struct Followed {
  std::optional<Quantity> over;
  double reference = 0, range = 0;
  double at(const SteadyPoint& p) const { return over ? recorded_at(p, *over) - reference : 0; }
};
Followed followed_in(const std::vector<SteadyPoint>& points, std::optional<Quantity> over) {
  Followed f{over};
  if (!over) return f;
  double low = unbounded, high = -unbounded;
  for (const SteadyPoint& p : points)
    low = std::min(low, recorded_at(p, *over)), high = std::max(high, recorded_at(p, *over));
  f.reference = usual_reference(*over, low, high), f.range = high - low;
  return f;
}
bool is_curved(const CurveShape& s) { return s.form == CurveForm::exponential || s.form == CurveForm::rational; }

/// φ of eq. (2).
double fading(const CurveShape& s, double ratio) {
  const double power = std::pow(ratio, s.exponent);
  return s.form == CurveForm::exponential ? std::exp(-power) : 1 / (1 + power);
}

/// One condition seen in one direction: magnitude of speed, friction against it, q.
struct Sample {
  double speed, force, q;
  std::size_t condition;
  double weight = 1;  // every condition counts the same, however many points it has
};

double largest_force(const std::vector<Sample>& samples) {
  double largest = 0;
  for (const Sample& s : samples) largest = std::max(largest, std::fabs(s.force));
  return largest > 0 ? largest : 1;
}

/// Eq. (1) for one shape over some of the samples.
class CurveProblem {
 public:
  CurveProblem(const CurveShape& shape, std::size_t degree, const std::vector<Sample>& samples, std::size_t left_out)
      : shape_(shape), degree_(degree) {
    for (const Sample& s : samples)
      if (s.condition != left_out) samples_.push_back(s);
    for (const Sample& s : samples) {
      slowest_ = std::min(slowest_, s.speed), fastest_ = std::max(fastest_, s.speed);
      largest_q_ = std::max(largest_q_, std::fabs(s.q));
    }
    if (largest_q_ == 0) largest_q_ = 1;
    columns_ = 1 + (shape.form != CurveForm::constant ? 1 : 0) + (is_curved(shape) ? 1 : 0) + degree_;
    std::vector<double> low(columns_, -unbounded), high(columns_, unbounded);
    low[0] = 0;
    if (shape.form != CurveForm::constant) low[1] = 0;
    if (is_curved(shape)) low[2] = 0, high[2] = highest_stiction * largest_force(samples);
    solver_.emplace(low, high);
    theta_.resize(Eigen::Index(columns_));
  }

  double lowest_velocity() const { return slowest_ / 3; }
  double highest_velocity() const { return fastest_; }

  /// F_C (1 − φ) + F_v |v| + F_S φ: both levels are columns, so that both have bounds.
  void columns(const Sample& s, double velocity, double* out) const {
    const double phi = is_curved(shape_) ? fading(shape_, s.speed / velocity) : 0;
    *out++ = 1 - phi;
    if (shape_.form != CurveForm::constant) *out++ = s.speed;
    if (is_curved(shape_)) *out++ = phi;
    for (std::size_t j = 1; j <= degree_; ++j) *out++ = std::pow(s.q / largest_q_, double(j));
  }
  double cost(double velocity) {
    const auto n = Eigen::Index(columns_);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n + 1, n + 1);
    Eigen::VectorXd row(n + 1);
    for (const Sample& s : samples_) {
      columns(s, velocity, row.data());
      row[n] = s.force;
      gram += s.weight * row * row.transpose();
    }
    return solver_->solve(gram, theta_);
  }
  /// The velocity v_S of lowest cost: a scan over its box, then golden sections around the best.
  double search() {
    if (!is_curved(shape_)) return cost(1), 1;
    constexpr int scans = 80;
    const double low = std::log(lowest_velocity()), high = std::log(highest_velocity()), step = (high - low) / scans;
    double best = low, least = unbounded;
    for (int i = 0; i <= scans; ++i)
      if (const double c = cost(std::exp(low + i * step)); c < least) least = c, best = low + i * step;
    double a = std::max(low, best - step), b = std::min(high, best + step);
    const double golden = 0.5 * (std::sqrt(5.0) - 1);
    for (int i = 0; i < 50; ++i) {
      const double c = b - golden * (b - a), d = a + golden * (b - a);
      if (cost(std::exp(c)) < cost(std::exp(d)))
        b = d;
      else
        a = c;
    }
    const double found = std::exp(0.5 * (a + b));
    cost(found);
    return found;
  }
  CurveFit fit(double velocity) const {
    CurveFit f;
    f.shape = shape_;
    Eigen::Index i = 0;
    f.coulomb = f.stiction = theta_[i++];
    if (shape_.form != CurveForm::constant) f.viscosity = theta_[i++];
    if (is_curved(shape_)) f.stiction = theta_[i++], f.stribeck_velocity = velocity;
    for (std::size_t j = 1; j <= degree_; ++j) f.slopes.push_back(theta_[i++] / std::pow(largest_q_, double(j)));
    f.parameters = columns_ + (is_curved(shape_) ? 1 : 0);
    return f;
  }
  void describe(CurveFit& f, std::string_view prefix) const;
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  CurveShape shape_;
  std::size_t degree_, columns_ = 0;
  std::vector<Sample> samples_;
  double slowest_ = unbounded, fastest_ = 0, largest_q_ = 0;
  std::optional<BoundedLeastSquares> solver_;
  Eigen::VectorXd theta_;
};

/// Slopes of F in F_C, F_S, v_S, F_v, c_j, with a step of each where there is no short formula.
Eigen::MatrixXd slopes_of(const CurveFit& f, const std::vector<Sample>& samples) {
  const bool curved = is_curved(f.shape);
  const auto n = Eigen::Index(f.parameters);
  Eigen::MatrixXd j(Eigen::Index(samples.size()), n);
  for (Eigen::Index r = 0; r < j.rows(); ++r) {
    const Sample& s = samples[std::size_t(r)];
    Eigen::Index c = 0;
    const double phi = curved ? fading(f.shape, s.speed / f.stribeck_velocity) : 0;
    j(r, c++) = 1 - phi;
    if (curved) {
      const double h = 1e-6;
      j(r, c++) = phi;
      j(r, c++) = (f.stiction - f.coulomb) *
                  (fading(f.shape, s.speed / (f.stribeck_velocity * (1 + h))) -
                   fading(f.shape, s.speed / (f.stribeck_velocity * (1 - h)))) /
                  (2 * h * f.stribeck_velocity);
    }
    if (f.shape.form != CurveForm::constant) j(r, c++) = s.speed;
    for (std::size_t k = 1; k <= f.slopes.size(); ++k) j(r, c++) = std::pow(s.q, double(k));
  }
  return j;
}

/// Eq. (3); columns are scaled to unit length first, since pressures and speeds differ by many orders.
void CurveProblem::describe(CurveFit& f, std::string_view prefix) const {
  std::vector<std::pair<std::string, double>> values{{"coulomb_force", f.coulomb}};
  if (is_curved(f.shape))
    values.push_back({"stiction_force", f.stiction}), values.push_back({"stribeck_velocity", f.stribeck_velocity});
  if (f.shape.form != CurveForm::constant) values.push_back({"viscosity", f.viscosity});
  for (std::size_t k = 0; k < f.slopes.size(); ++k)
    values.push_back({"level_over_q" + (k == 0 ? std::string() : "^" + std::to_string(k + 1)), f.slopes[k]});
  Eigen::MatrixXd j = slopes_of(f, samples_);
  double squares = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Sample& s = samples_[i];
    squares += s.weight * std::pow(s.force - f.at(s.speed, s.q), 2);
    j.row(Eigen::Index(i)) *= std::sqrt(s.weight);
  }
  const Eigen::VectorXd scale = j.colwise().norm();
  for (Eigen::Index c = 0; c < j.cols(); ++c)
    if (scale[c] > 0) j.col(c) /= scale[c];
  const Eigen::MatrixXd inverse = pseudo_inverse(j.transpose() * j);
  const double freedom = double(samples_.size()) - double(f.parameters);
  const double variance = freedom > 0 ? squares / freedom : unbounded;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto i = Eigen::Index(k);
    Estimate e;
    e.key = std::string(prefix) + values[k].first;
    e.value = values[k].second;
    e.standard_error = scale[i] > 0 ? std::sqrt(variance * inverse(i, i)) / scale[i] : unbounded;
    e.low = e.value - 1.96 * e.standard_error, e.high = e.value + 1.96 * e.standard_error;
    if (values[k].first == "stribeck_velocity" && e.value > 0) {  // a factor either way: a speed is not negative
      const double factor = std::exp(1.96 * e.standard_error / e.value);
      e.low = e.value / factor, e.high = e.value * factor;
    }
    e.verdict = e.standard_error > 0.1 * std::fabs(e.value) ? Determination::weak : Determination::well_determined;
    const bool at_edge = values[k].first == "stribeck_velocity" &&
                         (e.value < 1.01 * lowest_velocity() || e.value > 0.99 * highest_velocity());
    const bool is_level = values[k].first == "coulomb_force" || values[k].first == "stiction_force";
    const bool at_ceiling = values[k].first == "stiction_force" && is_curved(f.shape) &&
                            e.value >= 0.999 * highest_stiction * largest_force(samples_);
    if (at_edge || at_ceiling || ((is_level || values[k].first == "viscosity") && e.value == 0))
      e.verdict = Determination::at_bound;
    for (Eigen::Index other = 0; other < inverse.cols() && e.verdict != Determination::at_bound; ++other)
      if (other != i && std::fabs(inverse(i, other)) > 0.99 * std::sqrt(inverse(i, i) * inverse(other, other)))
        e.verdict = Determination::not_separable, e.partner = values[std::size_t(other)].first;
    f.estimates.push_back(e);
  }
}

/// Points of one direction, numbered by condition: the same recording and nearly the same speed.
std::vector<Sample> samples_of(const std::vector<SteadyPoint>& points, double sign, const Followed& over,
                               std::vector<SteadyPoint>& kept) {
  std::vector<Sample> samples;
  std::vector<const SteadyPoint*> heads;
  for (const SteadyPoint& p : points) {
    if (p.speed * sign <= 0) continue;
    const auto same = std::find_if(heads.begin(), heads.end(), [&](const SteadyPoint* h) {
      return h->where == p.where && std::fabs(p.speed - h->speed) <= same_speed * std::fabs(h->speed);
    });
    samples.push_back({std::fabs(p.speed), sign * p.force, over.at(p), std::size_t(same - heads.begin())});
    if (same == heads.end()) heads.push_back(&p);
    kept.push_back(p);
  }
  std::vector<double> counts(heads.size(), 0);
  for (const Sample& s : samples) ++counts[s.condition];
  for (Sample& s : samples) s.weight = 1 / counts[s.condition];
  return samples;
}

/// Squared errors of conditions that were not fitted, one mean per condition.
std::vector<double> held_out(const CurveShape& shape, std::size_t degree, const std::vector<Sample>& samples,
                             std::size_t conditions) {
  std::vector<double> errors;
  for (std::size_t c = 0; c < conditions; ++c) {
    CurveProblem problem(shape, degree, samples, c);
    const CurveFit f = problem.fit(problem.search());
    double sum = 0, count = 0;
    for (const Sample& s : samples)
      if (s.condition == c) sum += std::pow(s.force - f.at(s.speed, s.q), 2), ++count;
    errors.push_back(sum / count);
  }
  return errors;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / double(values.size());
}

/// No worse than the best by more than one standard error of the paired differences.
bool within_noise(const std::vector<double>& errors, const std::vector<double>& best) {
  std::vector<double> difference(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) difference[i] = errors[i] - best[i];
  const double m = mean(difference);
  double variance = 0;
  for (const double d : difference) variance += (d - m) * (d - m);
  const double n = double(errors.size());
  return n > 1 && m <= std::sqrt(variance / (n - 1) / n);
}

struct Ranked {
  std::vector<CurveFit> fits;
  std::size_t recommended = 0;
};
/// All shapes that the conditions can tell apart, best on conditions left out first.
Ranked fit_shapes(const std::vector<Sample>& samples, std::size_t conditions, const CurveOptions& options,
                  const std::string& what) {
  const std::size_t degree = options.over ? options.degree : 0;
  Ranked ranked;
  const auto fit = [&](const CurveShape& shape, bool can_leave_out) {
    CurveProblem problem(shape, degree, samples, conditions);
    CurveFit f = problem.fit(problem.search());
    if (f.parameters + (can_leave_out ? 1 : 0) > conditions) return;  // one more, or leaving one out says nothing
    problem.describe(f, what == "backward" ? "backward." : "");
    std::vector<double> squares;
    for (const Sample& s : samples) squares.push_back(std::pow(s.force - f.at(s.speed, s.q), 2));
    f.rms = std::sqrt(mean(squares));
    f.held_out_rms = unbounded;
    if (can_leave_out) {
      f.held_out_errors = held_out(shape, degree, samples, conditions);
      f.held_out_rms = std::sqrt(mean(f.held_out_errors));
    }
    ranked.fits.push_back(f);
  };
  for (const CurveShape& shape : options.shapes) fit(shape, true);
  // One form that was asked for by name needs no other to be judged against: a single speed has a level.
  if (ranked.fits.empty() && options.shapes.size() == 1) fit(options.shapes.front(), false);
  if (ranked.fits.empty())
    throw Error("only " + std::to_string(conditions) + (conditions == 1 ? " condition " : " different conditions ") +
                what + " (speed, load, pressure, temperature); a curve with a polynomial of degree " +
                std::to_string(degree) + " needs " + std::to_string(2 + degree) +
                (degree == 0 ? "; --form constant takes one" : ""));
  std::stable_sort(ranked.fits.begin(), ranked.fits.end(),
                   [](const CurveFit& a, const CurveFit& b) { return a.held_out_rms < b.held_out_rms; });
  // A curve whose v_S lies at an edge of the speeds has a plateau that no point shows: only where nothing else is there.
  const auto is_at_edge = [](const CurveFit& f) {
    return std::any_of(f.estimates.begin(), f.estimates.end(), [](const Estimate& e) {
      return e.key.ends_with("stribeck_velocity") && e.verdict == Determination::at_bound;
    });
  };
  std::stable_partition(ranked.fits.begin(), ranked.fits.end(), [&](const CurveFit& f) { return !is_at_edge(f); });
  for (std::size_t i = 1; i < ranked.fits.size(); ++i)
    if (!is_at_edge(ranked.fits[i]) && ranked.fits[i].parameters < ranked.fits[ranked.recommended].parameters &&
        within_noise(ranked.fits[i].held_out_errors, ranked.fits[0].held_out_errors))
      ranked.recommended = i;
  return ranked;
}

std::optional<DirectionCurve> direction_curve(const std::vector<SteadyPoint>& points, Direction direction,
                                              const CurveOptions& options, const Followed& over) {
  DirectionCurve curve;
  curve.direction = direction;
  const std::vector<Sample> samples = samples_of(points, number(direction), over, curve.points);
  if (samples.empty()) return std::nullopt;
  for (const Sample& s : samples) curve.conditions = std::max(curve.conditions, s.condition + 1);
  Ranked ranked =
      fit_shapes(samples, curve.conditions, options, direction == Direction::forward ? "forward" : "backward");
  curve.fits = std::move(ranked.fits), curve.recommended = ranked.recommended;
  return curve;
}

/// One condition with the mean of its points, and of what a curve says at them.
struct Condition {
  double speed = 0, force = 0, q = 0, modelled = 0, count = 0;
  std::string where;
};
std::vector<Condition> conditions_of(const std::vector<SteadyPoint>& points, Direction direction, const Followed& over,
                                     const CurveFit* fit) {
  std::vector<SteadyPoint> kept;
  const std::vector<Sample> samples = samples_of(points, number(direction), over, kept);
  std::vector<Condition> all;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    if (s.condition >= all.size()) all.resize(s.condition + 1);
    Condition& c = all[s.condition];
    c.speed += s.speed, c.force += s.force, c.q += s.q, c.count += 1;
    if (fit) c.modelled += fit->at(s.speed, s.q);
    c.where = kept[i].where;
  }
  for (Condition& c : all) c.speed /= c.count, c.force /= c.count, c.q /= c.count, c.modelled /= c.count;
  return all;
}

/// Each forward condition with the backward one of the nearest speed, of the same recording if there is one.
std::vector<CurvePair> pairs_of(const std::vector<Condition>& forward, const std::vector<Condition>& backward,
                                const Followed& over) {
  constexpr double fastest_ratio = 3, same_quantity = 0.1;
  const auto size_of = [&](double a, double b) {  // a temperature has no zero to be compared with
    return over.over == Quantity::temperature ? over.range : std::max(std::fabs(a), std::fabs(b));
  };
  std::vector<CurvePair> pairs;
  for (const Condition& f : forward) {
    const Condition* nearest = nullptr;
    const auto distance = [&](const Condition& b) {
      return std::fabs(std::log(b.speed / f.speed)) + (b.where == f.where ? 0 : 0.05);
    };
    for (const Condition& b : backward)
      if (std::fabs(b.q - f.q) <= same_quantity * size_of(f.q, b.q) && (!nearest || distance(b) < distance(*nearest)))
        nearest = &b;
    if (!nearest || distance(*nearest) > std::log(fastest_ratio)) continue;
    pairs.push_back({0.5 * (f.speed + nearest->speed), 0.5 * (f.q + nearest->q), 0.5 * (f.force + nearest->force),
                     0.5 * (f.modelled + nearest->modelled), 0.5 * (f.force - nearest->force)});
  }
  return pairs;
}

/// Mean of the values, with its standard error from their scatter; that of one value is not known.
std::pair<double, double> mean_and_error(const std::vector<double>& values) {
  const double m = mean(values), n = double(values.size());
  double variance = 0;
  for (const double v : values) variance += (v - m) * (v - m);
  return {m, n > 1 ? std::sqrt(variance / (n - 1) / n) : unbounded};
}

/// Whether friction, taken as measured, would drive the motion at some speed: by more than its errors.
bool is_driven(const std::vector<SteadyPoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const SteadyPoint& p) { return (p.speed > 0 ? p.force : -p.force) < -3 * p.standard_error; });
}

/// What is the same in both directions, subtracted from the points; see ConstantLoad.
std::vector<SteadyPoint> without_constant_load(std::vector<SteadyPoint> points, const CurveOptions& options,
                                               const Followed& over, StaticCurve& curve) {
  if (options.constant_load == ConstantLoad::kept || options.over ||
      (options.constant_load == ConstantLoad::where_needed && !is_driven(points)))
    return points;
  std::vector<double> same;
  for (const CurvePair& p : pairs_of(conditions_of(points, Direction::forward, over, nullptr),
                                     conditions_of(points, Direction::backward, over, nullptr), over))
    same.push_back(p.offset);
  if (same.empty()) return points;  // one direction only, or no speed in both
  std::tie(curve.constant_load, curve.constant_load_error) = mean_and_error(same);
  for (SteadyPoint& p : points) p.force -= curve.constant_load;
  return points;
}

void compare_directions(StaticCurve& curve, const Followed& over) {
  curve.pairs =
      pairs_of(conditions_of(curve.forward->points, Direction::forward, over, &curve.forward->best()),
               conditions_of(curve.backward->points, Direction::backward, over, &curve.backward->best()), over);
  std::vector<double> sums;
  for (const CurvePair& p : curve.pairs) sums.push_back(2 * p.offset);
  std::tie(curve.asymmetry, curve.asymmetry_error) = mean_and_error(sums);
}

/// Over a quantity, friction is what changes its sign with the direction: half the difference of both. Errors count
/// relative to the level, which may differ by a factor over the range.
void fit_half_differences(StaticCurve& curve, const CurveOptions& options) {
  std::vector<Sample> samples;
  for (const CurvePair& p : curve.pairs)
    samples.push_back({p.speed, p.half_difference, p.q, samples.size(), 1 / (p.half_difference * p.half_difference)});
  if (samples.size() < 2 + options.degree) return;
  const Ranked ranked = fit_shapes(samples, samples.size(), options, "in both directions");
  curve.friction = ranked.fits[ranked.recommended];
  for (CurvePair& p : curve.pairs) p.modelled = curve.friction->at(p.speed, p.q);
}

}  // namespace

std::string name_of(const CurveShape& shape) {
  if (shape.form == CurveForm::constant) return "constant";
  if (shape.form == CurveForm::line) return "line";
  return (shape.form == CurveForm::exponential ? "exponential, a = " : "rational, a = ") + shortest(shape.exponent);
}

double CurveFit::at(double speed, double q) const {
  double f = coulomb + viscosity * speed, power = 1;
  if (is_curved(shape)) f += (stiction - coulomb) * fading(shape, speed / stribeck_velocity);
  for (const double c : slopes) f += c * (power *= q);
  return f;
}

double recorded_at(const SteadyPoint& point, Quantity quantity) {
  return quantity == Quantity::load ? point.load : quantity == Quantity::pressure ? point.pressure : point.temperature;
}

StaticCurve static_curve(const std::vector<SteadyPoint>& points, const CurveOptions& options) {
  if (points.empty()) throw Error("no steady points; a static curve needs recordings at constant speed");
  if (options.over == Quantity::position)
    throw Error("a static curve follows load, pressure or temperature, not position");
  if (options.over == Quantity::temperature &&
      std::any_of(points.begin(), points.end(), [](const SteadyPoint& p) { return p.temperature == 0; }))
    throw Error(
        "the curve shall follow the temperature, which a recording does not have; choose a column with "
        "--temperature");
  StaticCurve curve;
  const Followed over = followed_in(points, options.over);
  curve.over = over.over, curve.reference = over.reference;
  const std::vector<SteadyPoint> friction = without_constant_load(points, options, over, curve);
  curve.forward = direction_curve(friction, Direction::forward, options, over);
  curve.backward = direction_curve(friction, Direction::backward, options, over);
  if (curve.forward && curve.backward) {
    compare_directions(curve, over);
    if (options.over) fit_half_differences(curve, options);
  }
  return curve;
}

FrictionSettings settings_of(const StaticCurve& curve) {
  const auto values_of = [](const CurveFit& f) {
    ParameterValues values{{"coulomb_force", f.coulomb}, {"stiction_force", f.stiction}, {"viscosity", f.viscosity}};
    values.emplace_back("stribeck_velocity", is_curved(f.shape) ? f.stribeck_velocity : 1.0);
    values.emplace_back("stribeck_exponent", f.shape.exponent);
    return values;
  };
  if (!curve.forward && !curve.backward) throw Error("no curve to make a model of");
  FrictionSettings settings;
  CurveFit main = curve.friction ? *curve.friction : curve.forward ? curve.forward->best() : curve.backward->best();
  if (!main.slopes.empty() && is_curved(main.shape))
    throw Error("levels over " + std::string(name_of(*curve.over)) +
                " make a model only with the forms constant and line");
  if (!curve.friction && curve.forward && curve.backward) {
    const CurveFit& back = curve.backward->best();
    if (main.shape.form != back.shape.form && is_curved(main.shape) && is_curved(back.shape))
      throw Error("forward is " + name_of(main.shape) + ", backward " + name_of(back.shape) +
                  "; one model holds one form: ask for one form in both directions");
    if (!main.slopes.empty())
      throw Error("too few pairs of both directions for one law over " + std::string(name_of(*curve.over)));
    settings.backward = values_of(back);
  }
  settings.values = values_of(main);
  settings.values.emplace_back("stribeck_form",
                               std::string(main.shape.form == CurveForm::rational ? "rational" : "exponential"));
  if (main.slopes.empty()) return settings;
  std::vector<double> polynomial{0};
  polynomial.insert(polynomial.end(), main.slopes.begin(), main.slopes.end());
  for (const char* key : {"coulomb_force", "stiction_force"})
    settings.variations.push_back({key, *curve.over, polynomial, {}, {}, curve.reference});
  return settings;
}

}  // namespace stickslip::inline identification
