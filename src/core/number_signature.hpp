/// What the last digits of a result depend on besides the program itself: the vector instructions in use and the functions of
/// the C library, which pick their own instructions (with or without fused multiply-add) at run time. Results that are
/// continued elsewhere are compared by it: a sweep or an identification does not mix numbers of two machines.
#pragma once

#include <string>

namespace stickslip {

/// "avx2-1a2b3c4d": instruction set (core/instruction_set.hpp) and a hash of exp, log, pow, sin, ... of some arguments.
std::string number_signature();

}  // namespace stickslip
