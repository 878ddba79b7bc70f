/// Servos with a pendulum in lanes for the instruction set avx512.
#if defined(__x86_64__)
#include "plants/servo_lanes_kernel.hpp"
#endif
