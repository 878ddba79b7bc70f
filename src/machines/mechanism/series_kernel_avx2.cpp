/// Values and products of series for the instruction set avx2.
#if defined(__x86_64__)
#include "machines/mechanism/series_kernel.hpp"
#endif
