/// Everything a user of the library needs.
#pragma once

#include "stickslip/version.hpp"
