/// Tables of glides for the instruction set avx2.
#if defined(__x86_64__)
#include "machines/mechanism/glide_kernel.hpp"
#endif
