/// Products of regression columns for the instruction set avx2.
#if defined(__x86_64__)
#include "identification/lane_bristle_kernel.hpp"
#include "identification/lane_costs_kernel.hpp"
#include "identification/lane_dictionary_kernel.hpp"
#include "identification/lane_lags_kernel.hpp"
#include "identification/lane_products_kernel.hpp"
#endif
