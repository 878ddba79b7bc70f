/// Rounded errors in lanes for the instruction set baseline.
#include "identification/lane_errors_kernel.hpp"
