#include "lane_values_kernel.hpp"
