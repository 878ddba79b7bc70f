/// Rounded errors in lanes for the instruction set baseline.
#include "identification/lanes/lane_errors_kernel.hpp"
