/// Many runs of one friction model at once, in SIMD lanes and on all cores.
///   if (can_batch("lugre")) simulate_batch(NamedBatch{"lugre", shared, {"coulomb_force"}, levels, bodies}, {}, results);
#pragma once

#include "batch/batch.hpp"
#include "batch/named_batch.hpp"
#include "core/error.hpp"
