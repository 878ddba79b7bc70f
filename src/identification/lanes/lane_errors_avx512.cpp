/// Rounded errors in lanes for the instruction set avx512.
#if defined(__x86_64__)
#include "identification/lanes/lane_errors_kernel.hpp"
#endif
