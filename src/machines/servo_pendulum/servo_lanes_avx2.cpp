/// Servos with a pendulum in lanes for the instruction set avx2.
#if defined(__x86_64__)
#include "machines/servo_pendulum/servo_lanes_kernel.hpp"
#endif
