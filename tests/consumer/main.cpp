/// Somebody else's program: only the installed headers and library, nothing of the tree.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() { std::cout << stickslip::version() << '\n'; }
