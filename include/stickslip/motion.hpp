/// A machine stepped by its caller: advanced to any time with live inputs, saved, restored and cloned bit for bit; states, rates,
/// event indicators and directional derivatives for an integrator outside.
#pragma once

#include "machines/motion.hpp"
