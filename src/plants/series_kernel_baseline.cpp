/// Values and products of series for the instruction set baseline.
#include "plants/series_kernel.hpp"
