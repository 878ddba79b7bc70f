#include "identification/laws/generalized_slip_start.hpp"

#include <algorithm>

#include "identification/laws/generalized_slip_fit.hpp"
#include "identification/laws/kernel_data.hpp"

namespace stickslip::inline identification {

namespace {

/// What the search for generalized Maxwell slip runs on: at most about `samples` samples of one piece.
struct GeneralizedSlipKernel {
  GeneralizedSlipKernel(const FitData& data, std::size_t samples, const SpaceOptions& space)
      : brief(shortened(data, samples)), kernel(kernel_data(brief)) {
    constexpr std::size_t run_in = 1000;
    const PrescribedMotion& whole = kernel.piece->motion;
    const auto first = static_cast<std::size_t>(kernel.data.position.data() - whole.position.data());
    task.past = std::min(first, run_in);
    task.motion =
        MotionForce{whole.time, whole.position, kernel.force}.part(first - task.past, task.past + kernel.data.size());
    task.start = kernel.start.direction;
    task.bounds = threshold_bounds(kernel.data.position, kernel.start);
    task.slowest = 0.1 * data.scales.typical_speed, task.fastest = data.scales.fastest;
    for (const auto& [key, value] : space.fixed) {
      if (key == "stribeck_velocity") task.stribeck_velocity = value;
      if (key == "stribeck_exponent") task.stribeck_exponent = value;
    }
  }
  FitData brief;
  KernelData kernel;
  GeneralizedSlipData task;
};

/// The numbers of generalized Maxwell slip in its file; empty if no element carries a force.
ParameterValues values_of(const GeneralizedSlipFit& fit) {
  std::vector<double> stiffnesses = fit.stiffnesses, shares;
  double level = 0, sum = 0;
  for (std::size_t i = 0; i < stiffnesses.size(); ++i) level += stiffnesses[i] * fit.thresholds[i];
  if (!(level > 0)) return {};
  for (std::size_t i = 0; i < stiffnesses.size(); ++i) {  // none may be without any
    stiffnesses[i] = std::max(stiffnesses[i], 1e-3 * level / fit.thresholds[i]);
    shares.push_back(stiffnesses[i] * fit.thresholds[i]);
    sum += shares.back();
  }
  for (double& s : shares) s /= sum;
  return {{"stiffnesses", stiffnesses},
          {"shares", shares},
          {"stiction_force", sum},
          {"coulomb_force", fit.shape.ratio * sum},
          {"stribeck_velocity", fit.shape.stribeck_velocity},
          {"attraction", fit.shape.rate * sum},
          {"viscosity", fit.viscosity}};
}

/// Coordinates of values where they are free.
std::vector<double> placed(const ModelSpace& space, std::vector<double> y, const ParameterValues& values) {
  const auto set = [&](const std::string& key, double value) {
    if (const auto at = space.find(key)) {
      const Unknown& u = space.unknowns()[*at];
      y[*at] = u.coordinate(std::clamp(value, u.low, u.high));
    }
  };
  for (const auto& [key, value] : values)
    if (const auto* list = std::get_if<std::vector<double>>(&value))
      for (std::size_t i = 0; i < list->size(); ++i) set(key + "[" + std::to_string(i + 1) + "]", (*list)[i]);
    else if (const auto* number = std::get_if<double>(&value))
      set(key, *number);
  return y;
}

}  // namespace

std::optional<double> give_generalized_slip(SpaceOptions& space, std::size_t elements, const FitData& data,
                                            std::uint64_t seed) {
  constexpr std::size_t samples = 4000;
  try {
    const GeneralizedSlipKernel k(data, samples, space);
    const GeneralizedSlipFit found = fit_generalized_slip(k.task, elements, seed);
    const ParameterValues values = values_of(found);
    if (values.empty()) return {};
    space.start = values;
    return found.offset + k.kernel.constant;
  } catch (const Error&) {  // the springs of Maxwell slip must do
    return {};
  }
}

ModelFit past_kinks(const ModelSpace& space, const FitData& data, ModelFit found, const SpaceOptions& options,
                    const FollowOptions& steps, std::uint64_t seed) {
  constexpr std::size_t samples = 10000;
  constexpr int rounds = 3;
  constexpr double worth_it = 1e-4;  // of the cost
  const GeneralizedSlipKernel k(data, samples, options);
  const ModelResiduals whole(space, data);
  for (int round = 0; round < rounds; ++round) {
    const ParameterValues values = space.at(found.y).settings.values;
    const auto number = [&](std::string_view key) {
      for (const auto& [name, value] : values)
        if (name == key) return std::get<double>(value);
      return 0.0;
    };
    GeneralizedSlipFit fit;
    const double stiction = number("stiction_force");
    fit.shape = {number("coulomb_force") / stiction, number("stribeck_velocity"), number("attraction") / stiction};
    std::vector<double> stiffnesses, shares;
    for (const auto& [name, value] : values) {
      if (name == "stiffnesses") stiffnesses = std::get<std::vector<double>>(value);
      if (name == "shares") shares = std::get<std::vector<double>>(value);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) fit.thresholds.push_back(shares[i] * stiction / stiffnesses[i]);
    close_in_on(k.task, fit, seed + static_cast<std::uint64_t>(round));
    std::vector<double> y = placed(space, found.y, values_of(fit));
    if (const auto at = space.find("chain.offset"))
      y[*at] = space.unknowns()[*at].coordinate(fit.offset + k.kernel.constant);
    Eigen::VectorXd r;
    if (!whole(y, r) || !(r.squaredNorm() < found.cost * (1 - worth_it))) break;
    ModelFit next = follow(whole, y, steps);
    next.complete = found.complete;
    found = std::move(next);
  }
  return found;
}

}  // namespace stickslip::inline identification
