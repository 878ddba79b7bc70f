/// STICKSLIP_HAS_AVX512: 1 where the kernels of avx512 are part of the program. A build for one processor that lacks these
/// instructions leaves them out (option STICKSLIP_FOR_THIS_PROCESSOR); the set is then not available.
#pragma once

#if defined(__x86_64__) && !defined(STICKSLIP_WITHOUT_AVX512)
#define STICKSLIP_HAS_AVX512 1
#else
#define STICKSLIP_HAS_AVX512 0
#endif
