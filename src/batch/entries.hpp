/// The kernels of one instruction set; included once per set (see stickslip_lanes in cmake).
#pragma once

#include "batch/bristle_kernel.hpp"
#include "batch/ideal_kernel.hpp"

namespace stickslip::STICKSLIP_LANES {

/// A model whose level has an exponent has two kernels: cases with exponent 2 go to the one without logarithms.
template <class Kernel, template <class> class Model>
void run_kernels(const BatchTask<Model>& task) {
  if constexpr (requires(const Model<double>& m) { m.stribeck_exponent; }) {
    run_kernel<Model, LaneSquareConstant>(task, Kernel{});
    run_kernel<Model, LaneConstant>(task.again(), Kernel{});
  } else {
    run_kernel<Model, LaneConstant>(task, Kernel{});
  }
}

void run_batch(const BatchTask<lugre::Model>& task) { run_kernels<BristleKernel>(task); }
void run_batch(const BatchTask<dahl::Model>& task) { run_kernels<BristleKernel>(task); }
void run_batch(const BatchTask<lugre_bristle::Model>& task) { run_kernels<BristleKernel>(task); }
void run_batch(const BatchTask<elastoplastic::Model>& task) { run_kernels<BristleKernel>(task); }
void run_batch(const BatchTask<stribeck::Model>& task) { run_kernels<IdealKernel>(task); }
void run_batch(const BatchTask<coulomb_viscous::Model>& task) { run_kernels<IdealKernel>(task); }

}  // namespace stickslip::STICKSLIP_LANES
