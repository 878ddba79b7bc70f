/// SUNDIALS CVODE (BDF, dense, analytic Jacobian) on a LuGre rig.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "rivals/lugre_rig.hpp"

namespace stickslip::rivals {

inline int cvode_rates(double t, N_Vector y, N_Vector dy, void* rig) {
  const double* s = NV_DATA_S(y);
  static_cast<LugreRig*>(rig)->rates(t, s[0], s[1], s[2], NV_DATA_S(dy));
  return 0;
}
inline int cvode_jacobian(double, N_Vector y, N_Vector, SUNMatrix j, void* rig, N_Vector, N_Vector, N_Vector) {
  static_cast<LugreRig*>(rig)->jacobian(
      NV_Ith_S(y, 1), NV_Ith_S(y, 2), [&](int row, int column, double value) { SM_ELEMENT_D(j, row, column) = value; });
  return 0;
}

/// Set up once, then one run after the other: what a sweep with CVODE looks like.
class CvodeLugre {
 public:
  CvodeLugre() {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(3, context_);
    floor_ = N_VNew_Serial(3, context_);
    N_VConst(0, y_);
    cvode_ = CVodeCreate(CV_BDF, context_);
    CVodeInit(cvode_, cvode_rates, 0, y_);
    CVodeSetUserData(cvode_, &rig_);
    N_VConst(1e-9, floor_);
    CVodeSVtolerances(cvode_, 1e-6, floor_);
    matrix_ = SUNDenseMatrix(3, 3, context_);
    linear_ = SUNLinSol_Dense(y_, matrix_, context_);
    CVodeSetLinearSolver(cvode_, linear_, matrix_);
    CVodeSetJacFn(cvode_, cvode_jacobian);
    CVodeSetMaxNumSteps(cvode_, 1000000);
  }
  ~CvodeLugre() {
    CVodeFree(&cvode_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    N_VDestroy(floor_);
    SUNContext_Free(&context_);
  }
  CvodeLugre(const CvodeLugre&) = delete;
  CvodeLugre& operator=(const CvodeLugre&) = delete;

  /// Hands x at each of the moments to `found`.
  template <class Moments, class Found>
  void positions_at(const LugreRig& rig, double tolerance, const Moments& moments, Found&& found) {
    rig_ = rig;
    N_VConst(0, y_);
    NV_Ith_S(floor_, 0) = NV_Ith_S(floor_, 1) = 1e-3 * tolerance;
    NV_Ith_S(floor_, 2) = 1e-3 * tolerance * rig.stiction / rig.stiffness;
    CVodeReInit(cvode_, 0, y_);
    CVodeSVtolerances(cvode_, tolerance, floor_);
    double t = 0;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      if (CVode(cvode_, moments[i], y_, &t, CV_NORMAL) < 0) return;
      found(i, NV_Ith_S(y_, 0));
    }
  }

 private:
  LugreRig rig_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, floor_ = nullptr;
  void* cvode_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
};

}  // namespace stickslip::rivals
