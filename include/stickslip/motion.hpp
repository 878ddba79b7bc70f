/// A machine that is held: advanced to any instant, its inputs live, its state saved, restored and cloned bit for bit; states, rates,
/// event indicators and directional derivatives for an integrator outside.
#pragma once

#include "machines/motion.hpp"
