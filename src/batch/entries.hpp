/// The kernels of one instruction set; included once per set (see stickslip_lanes in cmake).
#pragma once

#include "batch/bristle_kernel.hpp"
#include "batch/ideal_kernel.hpp"

namespace stickslip::STICKSLIP_LANES {

void run_batch(const BatchTask<lugre::Model>& task) { run_bristles(task); }
void run_batch(const BatchTask<dahl::Model>& task) { run_bristles(task); }
void run_batch(const BatchTask<lugre_bristle::Model>& task) { run_bristles(task); }
void run_batch(const BatchTask<stribeck::Model>& task) { run_ideal(task); }
void run_batch(const BatchTask<coulomb_viscous::Model>& task) { run_ideal(task); }

}  // namespace stickslip::STICKSLIP_LANES
