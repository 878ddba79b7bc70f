/// Servos with a pendulum in lanes for the instruction set baseline.
#include "machines/servo_pendulum/servo_lanes_kernel.hpp"
