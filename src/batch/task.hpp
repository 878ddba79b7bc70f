/// A checked batch as a kernel sees it: plain numbers, and where the results go.
#pragma once

#include "batch/batch.hpp"

namespace stickslip::inline batch {

/// What counts as small in one case.
struct BatchScales {
  double state_floor = 0, velocity_floor = 0;  // errors of state and velocity below these are no errors
};

template <template <class> class Model>
struct BatchTask {
  std::span<const BatchCase<Model>> cases;
  std::span<const BatchScales> scales;  // one per case; of laws with bristles
  BatchOptions options;                 // tolerances settled
  std::span<BatchResult> results;
  std::size_t* next;  // the first case not taken yet; shared by all threads
  std::size_t* next_of_rest;

  /// The same for the kernel that takes what the first one left.
  BatchTask again() const {
    BatchTask t = *this;
    t.next = next_of_rest;
    return t;
  }
};

}  // namespace stickslip::inline batch

// One kernel per instruction set, from one source.
#define STICKSLIP_BATCH_KERNELS(set)                        \
  namespace stickslip::set {                                \
  void run_batch(const BatchTask<lugre::Model>&);           \
  void run_batch(const BatchTask<dahl::Model>&);            \
  void run_batch(const BatchTask<lugre_bristle::Model>&);   \
  void run_batch(const BatchTask<elastoplastic::Model>&);   \
  void run_batch(const BatchTask<stribeck::Model>&);        \
  void run_batch(const BatchTask<coulomb_viscous::Model>&); \
  }
STICKSLIP_BATCH_KERNELS(baseline)
STICKSLIP_BATCH_KERNELS(avx2)
STICKSLIP_BATCH_KERNELS(avx512)
#undef STICKSLIP_BATCH_KERNELS
