/// The random chain as JSON on standard output, for rivals in other languages: inertias, first speeds, levels, the torque of each
/// body in each interval, and the exact speeds at the end.
///   write_chain BODIES
#include <cstdlib>
#include <iostream>

#include "random_chain.hpp"

namespace {

using namespace stickslip;

template <class Values>
void write(const char* key, const Values& values, const char* after) {
  std::cout << '"' << key << "\": [";
  for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i > 0 ? ", " : "") << values[i];
  std::cout << ']' << after;
}

}  // namespace

int main(int argc, char** argv) {
  const int bodies = argc == 2 ? std::atoi(argv[1]) : 0;
  if (bodies < 2) {
    std::cerr << "write_chain: name a number of bodies, at least 2\n";
    return 2;
  }
  const Mechanism m = bench::chain_of(static_cast<std::size_t>(bodies));
  std::vector<double> inertia, speed, level, torque;
  for (const auto& body : m.bodies) inertia.push_back(body.inertia), speed.push_back(body.speed);
  for (const auto& joint : m.joints) level.push_back(joint.law->breakaway_force({}, Direction::forward));
  for (int k = 0; k < static_cast<int>(bench::end / bench::hold); ++k)
    for (const auto& t : m.torques) torque.push_back(t.torque((k + 0.5) * bench::hold));
  SimulationOptions options;
  options.end = bench::end;
  std::cout.precision(17);
  std::cout << "{\"end\": " << bench::end << ", \"hold\": " << bench::hold << ",\n";
  write("inertia", inertia, ",\n");
  write("speed", speed, ",\n");
  write("level", level, ",\n");
  write("torque", torque, ",\n");
  write("final", simulate(m, options).speed, "}\n");
}
