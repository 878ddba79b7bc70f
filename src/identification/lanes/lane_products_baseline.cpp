/// Products of regression columns for the instruction set baseline.
#include "identification/lanes/lane_bristle_kernel.hpp"
#include "identification/lanes/lane_costs_kernel.hpp"
#include "identification/lanes/lane_dictionary_kernel.hpp"
#include "identification/lanes/lane_lags_kernel.hpp"
#include "identification/lanes/lane_products_kernel.hpp"
