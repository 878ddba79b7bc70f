/// Products of regression columns for the instruction set baseline.
#include "identification/lane_bristle_kernel.hpp"
#include "identification/lane_costs_kernel.hpp"
#include "identification/lane_dictionary_kernel.hpp"
#include "identification/lane_lags_kernel.hpp"
#include "identification/lane_products_kernel.hpp"
