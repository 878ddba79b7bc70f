/// The coefficients of RODAS, a Rosenbrock method of order 4(3), L-stable and stiffly accurate, in the form that needs no
/// product with the Jacobian (rosenbrock.hpp eq 1). The last stage is the error estimate.
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.7.
#pragma once

#include <cstddef>

namespace stickslip::inline solver {

struct Rodas {
  static constexpr std::size_t stages = 6;
  static constexpr double gamma = 0.25;
  static constexpr double alpha[6]{0, 0.386, 0.21, 0.63, 1, 1};
  static constexpr double d[6]{0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};
  static constexpr double a[6][5]{{},
                                  {1.544},
                                  {0.9466785280815826, 0.2557011698983284},
                                  {3.314825187068521, 2.896124015972201, 0.9986419139977817},
                                  {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
                                  {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
  static constexpr double c[6][5]{
      {},
      {-5.6688},
      {-2.430093356833875, -0.2063599157091915},
      {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
      {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
      {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};
  // Inside the step, at its share s: y(s) = y₀ + s (y₁ − y₀ + (1 − s) (Σ bend_j u_j + s Σ twist_j u_j)).
  static constexpr double bend[5]{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                                  1.025137723295662};
  static constexpr double twist[5]{-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                                   -6.594389125716872};
};

}  // namespace stickslip::inline solver
