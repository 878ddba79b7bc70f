/// Bristle runs for the instruction set avx2.
#if defined(__x86_64__)
#include "batch/bristle_entries.hpp"
#endif
