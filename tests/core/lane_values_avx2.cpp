#if defined(__x86_64__)
#include "lane_values_kernel.hpp"
#endif
