/// Runs in lanes for the instruction set baseline.
#include "batch/entries.hpp"
