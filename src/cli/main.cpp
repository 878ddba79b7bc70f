/// The program `stickslip`: reads its arguments, runs one subcommand, and turns every problem into one line.
#include <iostream>

#include "commands.hpp"
#include "interrupt.hpp"
#include "safe_output.hpp"

int main(int argc, char** argv) {
  const stickslip::SafeOutput safe;
  const stickslip::EndOnInterrupt listening;
  return stickslip::run_commands(argc, argv, [](const std::string& message) {
    std::cout.flush();
    std::cerr << message << "\n";
    return static_cast<int>(stickslip::Outcome::bad_input);
  });
}
