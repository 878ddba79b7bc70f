/// The hydraulic cylinder of hydraulic_cylinder.cpp for Boost.odeint.
#pragma once

#include <array>

namespace stickslip::rivals {

/// x at 2, 4, 6, 8 and 10 s by rosenbrock4 with dense output, the analytic Jacobian and the autonomous form.
std::array<double, 5> odeint_cylinder(double tolerance);

}  // namespace stickslip::rivals
