/// Values and products of series for the instruction set baseline.
#include "machines/mechanism/series_kernel.hpp"
