/// Tables of glides for the instruction set baseline.
#include "machines/mechanism/glide_kernel.hpp"
