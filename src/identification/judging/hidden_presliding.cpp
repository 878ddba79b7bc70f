#include "identification/judging/hidden_presliding.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/judging/confidence.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t counts_that_hide = 4, per_count = 16, fine = counts_that_hide * per_count;

/// Away from rest at this speed: the counts that hide in fine steps, then a thousand times as far in ever longer ones.
std::vector<double> pulled(const Friction& law, double resolution, double speed) {
  constexpr int doublings = 10, per_doubling = 16;
  PrescribedMotion motion;
  const auto go_to = [&](double way) { motion.time.push_back(way / speed), motion.position.push_back(way); };
  for (std::size_t i = 0; i <= fine; ++i) go_to(resolution * static_cast<double>(i) / static_cast<double>(per_count));
  const double hiding = motion.position.back();
  for (int i = 1; i <= doublings * per_doubling; ++i) go_to(hiding * std::exp2(static_cast<double>(i) / per_doubling));
  return law.respond(motion);
}

bool truly_sticks(const Friction& law) { return RestLevel(law).exists(); }

}  // namespace

SeenMotion seen_motion(const Sets& sets, const FitData& data) {
  const Prepared& first = sets.pieces.front().data;
  SeenMotion seen{.resolution = first.resolution, .fastest = data.scales.fastest};
  for (const auto& piece : sets.pieces) seen.resolution = std::min(seen.resolution, piece.data.resolution);
  seen.slowest = std::min(seen.resolution / (6 * first.sampling_time), 0.5 * seen.fastest);  // fit_data.hpp (2)
  return seen;
}

double hidden_presliding(const IdentifiedModel& m, const SeenMotion& seen) {
  if (!(seen.resolution > 0) || !m.settings.variations.empty()) return 0;
  try {
    const auto law = find_model(m.model).make(m.settings);
    if (truly_sticks(*law)) return 0;
    const std::vector<double> force = pulled(*law, seen.resolution, seen.resolution);  // a count per second is slow
    const double enough = (1 - std::exp(-1.0)) * force.back();
    if (!(enough > 0)) return 0;
    for (std::size_t i = 1; i <= fine; ++i)
      if (force[i] >= enough) return static_cast<double>(i) / static_cast<double>(per_count);
  } catch (const Error&) {  // a law that cannot be moved like this
  }
  return 0;
}

bool only_presliding_differs(const IdentifiedModel& sticking, const IdentifiedModel& other, const SeenMotion& seen) {
  constexpr int speeds = 5;
  constexpr double alike = 0.1;
  if (!sticking.settings.variations.empty() || hidden_presliding(other, seen) == 0) return false;
  try {
    const auto a = find_model(sticking.model).make(sticking.settings), b = find_model(other.model).make(other.settings);
    if (!truly_sticks(*a)) return false;
    double squares = 0, off = 0;
    for (int k = 0; k < speeds; ++k) {
      const double share = static_cast<double>(k) / (speeds - 1);
      const double speed = seen.slowest * std::pow(seen.fastest / seen.slowest, share);
      const double one = pulled(*a, seen.resolution, speed).back(), two = pulled(*b, seen.resolution, speed).back();
      squares += one * one, off += (one - two) * (one - two);
    }
    return off <= alike * alike * squares;
  } catch (const Error&) {
    return false;
  }
}

std::string hidden_remark(const std::vector<const IdentifiedModel*>& hidden, const SeenMotion& seen,
                          const std::string& unit) {
  if (hidden.empty()) return {};
  std::string names;
  double most = 0;
  for (const IdentifiedModel* m : hidden) {
    names += (names.empty() ? "" : ", ") + m->label;
    most = std::max(most, hidden_presliding(*m, seen));
  }
  return "whether the contact sticks or gives way elastically before it slides cannot be seen with a position in steps "
         "of " +
         with_unit(seen.resolution, unit, 2) + ": " + names + (hidden.size() == 1 ? " gives" : " give") + " way by " +
         significant(most, 2) + " of them" + (hidden.size() == 1 ? "" : " or less") +
         ", and while sliding the force is the same; a finer encoder would tell";
}

std::string widen_by_hidden_presliding(IdentifiedModel& m, const SeenMotion& seen, const std::string& unit) {
  std::vector<Estimate>& estimates = m.confidence.estimates;
  const auto stiffness =
      std::find_if(estimates.begin(), estimates.end(), [](const Estimate& e) { return e.key == "bristle_stiffness"; });
  const double counts = stiffness == estimates.end() ? 0 : hidden_presliding(m, seen);
  if (counts == 0 || stiffness->verdict == Determination::at_bound) return {};
  const double share = 1 / (std::sqrt(6.0) * counts);
  Eigen::MatrixXd covariance = matrix_of(m.confidence.covariance);
  const auto at = static_cast<Eigen::Index>(stiffness - estimates.begin());
  covariance(at, at) += std::pow(share * stiffness->value, 2);
  m.confidence.covariance = covariance_of(covariance);
  judge(m.confidence);
  return "the contact gives way by " + significant(counts, 2) + " steps of the position, " +
         with_unit(seen.resolution, unit, 2) + ", before it slides: bristle_stiffness is known to " +
         significant(100 * 1.96 * share, 2) + " % at best; a finer encoder would tell more";
}

}  // namespace stickslip::inline identification
