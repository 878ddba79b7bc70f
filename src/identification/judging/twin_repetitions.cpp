#include "identification/judging/twin_repetitions.hpp"

#include <algorithm>
#include <cmath>

#include "identification/judging/white_noise.hpp"

namespace stickslip::inline identification {

double mean_square(const Eigen::VectorXd& errors) {
  double squares = 0, bound = 0;
  for (const double e : errors) squares += e * e, bound += e != 0;
  return squares / std::max(1.0, bound);
}

double white_part(const Eigen::VectorXd& errors) {
  constexpr std::size_t fewest = 30;
  const double all = std::sqrt(mean_square(errors));
  std::vector<double> bends;
  for (Eigen::Index i = 1; i + 1 < errors.size(); ++i)
    if (errors[i - 1] != 0 && errors[i] != 0 && errors[i + 1] != 0)
      bends.push_back(std::fabs(errors[i + 1] - 2 * errors[i] + errors[i - 1]));
  return bends.size() < fewest ? all : std::min(all, noise_of_bends(std::move(bends)));
}

std::vector<double> told_of(const ModelFit& fit, const ModelFit& found, const ModelResiduals& residuals, double mass) {
  std::vector<double> told{mass, mean_square(fit.residuals.head(static_cast<Eigen::Index>(residuals.samples())))};
  for (std::size_t k = 0; k < found.y.size(); ++k) {
    const Unknown& u = residuals.space().unknowns()[k];
    told.push_back(u.value(fit.y[k]) - u.value(found.y[k]));
  }
  return told;
}

std::optional<TwinErrors> summary(const std::vector<std::vector<double>>& told, std::size_t parameters, double share) {
  const auto p = static_cast<Eigen::Index>(parameters);
  std::vector<Eigen::VectorXd> off;
  std::vector<double> masses;
  TwinErrors errors;
  for (const auto& t : told) {
    if (t.empty()) continue;
    masses.push_back(t[0]), errors.error_square += t[1];
    off.push_back(Eigen::Map<const Eigen::VectorXd>(t.data() + 2, p));
  }
  if (off.size() < 3) return {};
  errors.error_square /= static_cast<double>(off.size());
  errors.repetitions = off.size();
  errors.bias = Eigen::VectorXd::Zero(p);
  for (const auto& d : off) errors.bias += d / static_cast<double>(off.size());
  errors.scatter = Eigen::MatrixXd::Zero(p, p);
  for (const auto& d : off)
    errors.scatter += (d - errors.bias) * (d - errors.bias).transpose() / static_cast<double>(off.size() - 1);
  for (const double m : masses) errors.mass_bias += m / static_cast<double>(masses.size());
  for (const double m : masses)
    errors.mass_scatter += std::pow(m - errors.mass_bias, 2) / static_cast<double>(masses.size() - 1);
  errors.mass_scatter = std::sqrt(share * errors.mass_scatter);
  errors.scatter *= share;  // variances fall with the number of samples, a bias does not
  return errors;
}

}  // namespace stickslip::inline identification
