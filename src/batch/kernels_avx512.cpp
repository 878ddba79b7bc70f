/// Runs in lanes for the instruction set avx512.
#if defined(__x86_64__)
#include "batch/entries.hpp"
#endif
