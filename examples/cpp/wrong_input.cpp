/// Wrong input throws Error with one line that says what was found and a suggested fix.
#include <iostream>
#include <stickslip/stickslip.hpp>

int main() {
  try {
    stickslip::make_friction("lugre", {{"bristle_stiffness", -1.0}});
  } catch (const stickslip::Error& error) {
    std::cout << error.what() << '\n';
  }
}
