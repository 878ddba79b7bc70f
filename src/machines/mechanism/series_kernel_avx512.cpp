/// Values and products of series for the instruction set avx512.
#if defined(__x86_64__)
#include "machines/mechanism/series_kernel.hpp"
#endif
