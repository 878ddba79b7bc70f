#include "identification/experiments/slip_contact.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip::inline identification {
namespace {

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

constexpr double relaxed = 0.02;  // of the level: a smaller force says that the springs are slack

class SlipContactFit {
 public:
  SlipContactFit(const Recording& r, const SlipContactOptions& o) : o_(o) {
    if (r.position.size() != r.size() || r.force.size() != r.size() || r.size() < 100)
      throw Error(r.file + ": " + std::to_string(r.size()) +
                  " samples; position and force with 100 or more are needed");
    if (o.over_load && r.load.empty()) throw Error(r.file + ": no load column; name it with --load");
    if (o.elements == 0 || o.elements > max_elements)
      throw Error(std::to_string(o.elements) + " elements; 1 to " + std::to_string(max_elements) + " can be fitted");
    if (o.knots == 1) throw Error("a table over position with 1 knot; 2 or more are needed, 0 for none");
    if (!(o.share > 0 && o.share <= 1))
      throw Error("share is " + shortest(o.share) + "; more than 0 and at most 1 is needed");
    motion_ = {r.time, r.position, r.load, {}};
    force_ = r.force;
    if (o.force_drives)
      for (double& f : force_) f = -f;
    low_ = quantile(r.position, 0.005), high_ = quantile(r.position, 0.995);
    if (!(high_ > low_)) throw Error(r.file + ": the position does not change");
    if (o.over_load) load_ = quantile(r.load, 0.95);
    if (o.over_load && !(load_ > 0)) throw Error(r.file + ": the load is not positive; a force cannot scale with it");
    fitted_ = std::size_t(o.share * double(r.size()));
    level_ = 0.5 * (quantile(force_, 0.9) - quantile(force_, 0.1));
    if (o.backlash || std::fabs(force_[0]) > relaxed * level_) start_ = first_turn(r.position);
    if (fitted_ < start_ + 50)
      throw Error(r.file + ": no reversal in the fitted part; strokes in both directions are needed");
  }

  /// All unknowns, starting with slip at this share of the stroke, elements spread around it, and a gap of that share.
  std::vector<FreeNumber> unknowns(double threshold_share, double gap_share, double widest) const {
    const double stroke = high_ - low_, elements = double(o_.elements);
    std::vector<FreeNumber> free;
    const auto add = [&](const std::string& key, double start, double low, double high) {
      free.push_back({key, start, low, high, std::fabs(start) > 0 ? std::fabs(start) : 0.1 * level_});
    };
    for (std::size_t i = 0; i < o_.elements; ++i) {
      const double spread = o_.elements == 1 ? 1 : std::pow(widest, double(i) / (elements - 1) - 0.5);
      add(numbered("thresholds", i), std::min(threshold_share * spread, 0.45) * stroke, 1e-4 * stroke, 0.5 * stroke);
    }
    for (std::size_t i = 0; i < o_.elements; ++i)
      add(numbered("stiffnesses", i), level_ / (elements * free[i].start), 0, 1e4 * level_ / stroke);
    add("offset", 0, -level_, level_);
    if (o_.per_direction) add("backward.thresholds/thresholds", 1, 0.1, 10);
    if (o_.backlash) add("backlash", gap_share * stroke, 0, 0.5 * stroke), free.back().size = gap_share * stroke;
    if (o_.asymmetry) add("asymmetry", 0, -0.9, 0.9), free.back().size = 0.1;
    for (std::size_t i = 1; i < o_.knots; ++i) add(numbered("position_table", i), 1, 0.2, 5);
    return free;
  }

  /// From the unknowns to a model.
  FrictionSettings settings(std::span<const double> x) const {
    std::size_t at = 0;
    const auto take = [&](std::size_t count) {
      std::vector<double> list(x.begin() + std::ptrdiff_t(at), x.begin() + std::ptrdiff_t(at + count));
      at += count;
      return list;
    };
    FrictionSettings s;
    std::vector<double> thresholds = take(o_.elements);
    s.values = {{"thresholds", thresholds}, {"stiffnesses", take(o_.elements)}, {"offset", x[at++]}};
    if (o_.per_direction) {
      for (double& t : thresholds) t *= x[at];
      ++at;
      s.backward = {{"thresholds", thresholds}};
    }
    if (o_.backlash) s.values.emplace_back("backlash", x[at++]);
    if (o_.asymmetry) s.values.emplace_back("asymmetry", x[at++]);
    if (o_.over_load) s.variations.push_back({"stiffnesses", Quantity::load, {0, 1 / load_}, {}, {}});
    if (o_.knots > 0) {
      VariationSetting table{"thresholds", Quantity::position, {}, {}, {1}};
      for (std::size_t i = 0; i < o_.knots; ++i)
        table.knots.push_back(low_ + (high_ - low_) * double(i) / double(o_.knots - 1));
      const std::vector<double> rest = take(o_.knots - 1);
      table.values.insert(table.values.end(), rest.begin(), rest.end());
      s.variations.push_back(table);
    }
    return s;
  }

  SlipContact found() const {
    const PrescribedMotion first{part(motion_.time), part(motion_.position), part(motion_.load), {}};
    const Residuals residuals = [&](std::span<const double> x, std::span<double> r) {
      try {
        const auto predicted = make_friction(slip_contact_model, settings(x))->respond(first);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = force_[start_ + i] - predicted[start_ + i];
        return true;
      } catch (const Error&) {  // a table with a value that the model refuses: no such candidate
        return false;
      }
    };
    LeastSquaresFit best;
    best.cost = std::numeric_limits<double>::infinity();
    std::vector<FreeNumber> free;
    const std::vector<double> gaps = o_.backlash ? std::vector{0.03, 0.1, 0.25} : std::vector{0.0};
    const std::vector<double> spreads = o_.elements > 1 ? std::vector{1.4, 5.0} : std::vector{1.0};
    for (const double threshold : {0.03, 0.1, 0.25})
      for (const double gap : gaps)
        for (const double spread : spreads) {
          const auto start = unknowns(threshold, gap, spread);
          LeastSquaresFit tried = levenberg_marquardt(start, fitted_ - start_, residuals,
                                                      {.most_steps = 15, .least_gain = 1e-4, .central = false});
          if (tried.cost < best.cost) best = std::move(tried), free = start;
        }
    if (free.empty()) throw Error("no initial value gave a force; does the recording move in both directions?");
    for (std::size_t i = 0; i < free.size(); ++i) free[i].start = best.x[i];
    best = levenberg_marquardt(free, fitted_ - start_, residuals, {.most_steps = 60, .least_gain = 1e-7});
    return judged(best, free);
  }

 private:
  /// The first turning point after which the body goes back by a quarter of the stroke.
  std::size_t first_turn(const std::vector<double>& x) const {
    std::size_t highest = 0, lowest = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (x[i] >= x[highest]) highest = i;
      if (x[i] <= x[lowest]) lowest = i;
      const double back = 0.25 * (high_ - low_);
      if (x[highest] - x[i] > back && x[highest] - x[0] > back) return highest;
      if (x[i] - x[lowest] > back && x[0] - x[lowest] > back) return lowest;
    }
    return x.size();
  }
  static std::string numbered(const char* key, std::size_t i) { return key + ("[" + std::to_string(i + 1) + "]"); }
  std::vector<double> part(const std::vector<double>& column) const {
    return column.empty() ? column : std::vector<double>(column.begin(), column.begin() + std::ptrdiff_t(fitted_));
  }
  /// √(mean square) of a stretch of the values.
  static double rms(const std::vector<double>& values, std::size_t first, std::size_t end) {
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += values[i] * values[i];
    return end > first ? std::sqrt(sum / double(end - first)) : 0;
  }
  SlipContact judged(const LeastSquaresFit& fit, const std::vector<FreeNumber>& free) const {
    SlipContact contact;
    contact.settings = settings(fit.x);
    contact.confidence = confidence(fit, free);
    contact.force = force_;
    contact.first_fitted = start_, contact.first_held_out = fitted_;
    contact.predicted = make_friction(slip_contact_model, contact.settings)->respond(motion_);
    std::vector<double> errors(force_.size());
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = force_[i] - contact.predicted[i];
    contact.fitted_rms = rms(errors, start_, fitted_);
    contact.held_out_rms = rms(errors, fitted_, errors.size());
    contact.rms = rms(errors, start_, errors.size());
    contact.force_rms = rms(force_, start_, force_.size());
    contact.fitted_force_rms = rms(force_, start_, fitted_);
    contact.held_out_force_rms = rms(force_, fitted_, force_.size());
    contact.how = "fitted from " + (start_ > 0 ? "the first reversal, " : std::string()) +
                  significant(motion_.time[start_], 4) + " s to " + significant(motion_.time[fitted_ - 1], 4) + " s";
    return contact;
  }

  SlipContactOptions o_;
  PrescribedMotion motion_;
  std::vector<double> force_;
  double low_ = 0, high_ = 0, load_ = 0, level_ = 0;
  std::size_t start_ = 0, fitted_ = 0;  // samples from one to the other are fitted
};

}  // namespace

SlipContact fit_slip_contact(const Recording& recording, const SlipContactOptions& options) {
  return SlipContactFit(recording, options).found();
}

}  // namespace stickslip::inline identification
