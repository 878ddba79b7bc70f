/// Integrators on machines whose clutches have constant levels and whose torques are held for a while: SUNDIALS CVODE (Adams) with
/// rootfinding on the clutches that slip, and Boost.odeint's dense Dormand-Prince. Rates are constant between events, the best a general
/// integrator can have, and both are told so: offered the whole way to the next breakpoint as a first step, they take it, and odeint's
/// crossings follow from the slips at both ends of a step by proportion.
/// A Rig has torque, motion, solve_all(), arrive(clutch, speeds), acceleration(), slip(clutch, speeds).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "machines/mechanism/mechanism.hpp"
#include "random_chain.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif
#ifdef STICKSLIP_WITH_BOOST
#include <boost/numeric/odeint.hpp>
#endif

namespace stickslip::bench::rivals {

struct HeldAnswer {
  std::vector<double> speed;  // at the end
  std::size_t arrivals = 0;   // of slips at zero
};

template <class Rig>
void hold_torques(Rig& rig, const Mechanism& m, double at) {
  for (std::size_t i = 0; i < m.bodies.size(); ++i) rig.torque[i] = m.torques[i].torque(at);
  rig.solve_all();
}

#ifdef STICKSLIP_WITH_SUNDIALS

template <class Rig>
class CvodeHeld {
 public:
  /// With `offers_all` the first step after a restart is offered the whole way to the next breakpoint.
  CvodeHeld(const Mechanism& m, bool offers_all) : m_(m), offers_all_(offers_all), rig_(m) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(static_cast<sunindextype>(m.bodies.size()), context_);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) N_VGetArrayPointer(y_)[i] = m.bodies[i].speed;
    solver_ = CVodeCreate(CV_ADAMS, context_);
    iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeInit(solver_, rates, 0, y_);
    CVodeSetUserData(solver_, this);
    CVodeSStolerances(solver_, 1e-8, 1e-10);
    CVodeSetNonlinearSolver(solver_, iteration_);
  }
  ~CvodeHeld() {
    SUNNonlinSolFree(iteration_);
    CVodeFree(&solver_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  CvodeHeld(const CvodeHeld&) = delete;

  HeldAnswer run() {
    HeldAnswer answer;
    std::vector<int> found(rig_.motion.size());
    double* w = N_VGetArrayPointer(y_);
    for (int k = 0; k < static_cast<int>(end / hold); ++k) {
      double t = k * hold;
      const double until = (k + 1) * hold;
      hold_torques(rig_, m_, 0.5 * (t + until));
      restart(t, until);
      while (CVode(solver_, until, y_, &t, CV_NORMAL) == CV_ROOT_RETURN) {
        CVodeGetRootInfo(solver_, found.data());
        for (std::size_t r = 0; r < watched_.size(); ++r)
          if (found[r] != 0) ++answer.arrivals, rig_.arrive(watched_[r], w);
        if (!(t < until)) break;
        restart(t, until);
      }
    }
    answer.speed.assign(w, w + m_.bodies.size());
    return answer;
  }

 private:
  static int rates(double, N_Vector, N_Vector dy, void* self) {
    const auto& a = static_cast<const CvodeHeld*>(self)->rig_.acceleration();
    std::copy(a.begin(), a.end(), N_VGetArrayPointer(dy));
    return 0;
  }
  static int slips(double, N_Vector y, double* out, void* self) {
    const auto& run = *static_cast<const CvodeHeld*>(self);
    for (const std::size_t i : run.watched_) *out++ = run.rig_.slip(i, N_VGetArrayPointer(y));
    return 0;
  }
  void restart(double t, double until) {
    watched_.clear();
    for (std::size_t i = 0; i < rig_.motion.size(); ++i)
      if (rig_.motion[i] != 0) watched_.push_back(i);
    CVodeReInit(solver_, t, y_);
    CVodeRootInit(solver_, static_cast<int>(watched_.size()), slips);
    CVodeSetStopTime(solver_, until);
    if (offers_all_) CVodeSetInitStep(solver_, until - t);
  }

  const Mechanism& m_;
  bool offers_all_;
  Rig rig_;
  std::vector<std::size_t> watched_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* solver_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};

template <class Rig>
HeldAnswer cvode_held(const Mechanism& m, bool offers_all) {
  return CvodeHeld<Rig>(m, offers_all).run();
}

#endif
#ifdef STICKSLIP_WITH_BOOST

template <class Rig>
HeldAnswer odeint_held(const Mechanism& m) {
  namespace odeint = boost::numeric::odeint;
  using State = std::vector<double>;
  Rig rig(m);
  State y;
  for (const auto& b : m.bodies) y.push_back(b.speed);
  const auto system = [&](const State&, State& dy, double) {
    std::copy(rig.acceleration().begin(), rig.acceleration().end(), dy.begin());
  };
  auto stepper = odeint::make_dense_output(1e-10, 1e-8, odeint::runge_kutta_dopri5<State>());
  HeldAnswer answer;
  for (int k = 0; k < static_cast<int>(end / hold); ++k) {
    double t = k * hold;
    const double until = (k + 1) * hold;
    hold_torques(rig, m, 0.5 * (t + until));
    while (t < until) {
      stepper.initialize(y, t, until - t);
      const auto [from, to] = stepper.do_step(system);
      double reached = std::min(to, until);
      std::size_t first = rig.motion.size();
      for (std::size_t i = 0; i < rig.motion.size(); ++i) {
        if (rig.motion[i] == 0) continue;
        const double before = rig.motion[i] * rig.slip(i, y.data());
        const double after = rig.motion[i] * rig.slip(i, stepper.current_state().data());
        if (after >= 0) continue;
        const double crossed = from + (to - from) * std::max(0.0, before / (before - after));
        if (crossed < reached) reached = crossed, first = i;
      }
      stepper.calc_state(reached, y);
      t = reached;
      if (first < rig.motion.size()) ++answer.arrivals, rig.arrive(first, y.data());
    }
  }
  answer.speed = std::move(y);
  return answer;
}

#endif

}  // namespace stickslip::bench::rivals
