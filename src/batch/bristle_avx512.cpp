/// Bristle runs for the instruction set avx512.
#if defined(__x86_64__)
#include "batch/bristle_entries.hpp"
#endif
