/// Bristle runs for the instruction set baseline.
#include "batch/bristle_entries.hpp"
