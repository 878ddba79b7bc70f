/// Products of regression columns for the instruction set avx512.
#if defined(__x86_64__)
#include "identification/lanes/lane_bristle_kernel.hpp"
#include "identification/lanes/lane_costs_kernel.hpp"
#include "identification/lanes/lane_dictionary_kernel.hpp"
#include "identification/lanes/lane_lags_kernel.hpp"
#include "identification/lanes/lane_products_kernel.hpp"
#endif
