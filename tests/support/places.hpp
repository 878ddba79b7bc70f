/// Where the tests find things on this machine. Functions and not macros, so that the object files of the tests are the same
/// wherever the tree lies.
#pragma once

#include <string>

namespace stickslip {

std::string source_dir();    // the tree's root
std::string shared_dir();    // recordings and papers, which may be absent
std::string program_file();  // the program that the tests run

}  // namespace stickslip
