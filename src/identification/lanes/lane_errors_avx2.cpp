/// Rounded errors in lanes for the instruction set avx2.
#if defined(__x86_64__)
#include "identification/lanes/lane_errors_kernel.hpp"
#endif
