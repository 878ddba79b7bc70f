/// Runs in lanes for the instruction set avx2.
#if defined(__x86_64__)
#include "batch/entries.hpp"
#endif
