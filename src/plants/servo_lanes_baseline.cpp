/// Servos with a pendulum in lanes for the instruction set baseline.
#include "plants/servo_lanes_kernel.hpp"
