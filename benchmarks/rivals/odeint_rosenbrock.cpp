/// Boost.odeint's Rosenbrock method on the LuGre rig, in the autonomous form: its time-dependent form has a wrong
/// coefficient. Compiled as C++17 because uBLAS of Debian 12 does not compile as C++20.
#include <boost/numeric/odeint.hpp>

#include "lugre_rig.hpp"

namespace stickslip::rivals {

namespace {

/// x of a rig at each of the moments.
template <class Moments, class Found>
void positions_at(const LugreRig& rig, double tolerance, const Moments& moments, Found&& found) {
  namespace odeint = boost::numeric::odeint;
  using Vector = boost::numeric::ublas::vector<double>;
  using Matrix = boost::numeric::ublas::matrix<double>;
  const auto rates = [&](const Vector& y, Vector& dy, double) {  // y[3] is time: the autonomous form
    LugreRig(rig).rates(y[3], y[0], y[1], y[2], &dy[0]);
    dy[3] = 1;
  };
  const auto jacobian = [&](const Vector& y, Matrix& j, double, Vector& by_time) {
    for (std::size_t r = 0; r < 4; ++r) {
      by_time[r] = 0;
      for (std::size_t c = 0; c < 4; ++c) j(r, c) = 0;
    }
    LugreRig(rig).jacobian(y[1], y[2], [&](std::size_t r, std::size_t c, double value) { j(r, c) = value; });
    j(1, 3) = rig.spring * rig.pull / rig.mass;
  };
  Vector y(4, 0.0), between(4, 0.0);
  auto stepper =
      odeint::make_dense_output<odeint::rosenbrock4<double>>(tolerance * rig.stiction / rig.stiffness, tolerance);
  stepper.initialize(y, 0.0, 1e-5);
  std::size_t next = 0;
  while (next < moments.size()) {
    stepper.do_step(std::make_pair(rates, jacobian));
    while (next < moments.size() && moments[next] <= stepper.current_time()) {
      stepper.calc_state(moments[next], between);
      found(next++, between[0]);
    }
  }
}

}  // namespace

std::array<double, 3> race_odeint_rosenbrock(double tolerance) {
  std::array<double, 3> x{};
  positions_at(LugreRig{}, tolerance, std::array<double, 3>{10, 20, 30}, [&](std::size_t i, double at) { x[i] = at; });
  return x;
}

void odeint_rosenbrock_batch(const LugreRig* rigs, std::size_t count, double end, double tolerance, double* position) {
  for (std::size_t k = 0; k < count; ++k)
    positions_at(rigs[k], tolerance, std::array<double, 1>{end}, [&](std::size_t, double at) { position[k] = at; });
}

}  // namespace stickslip::rivals
