/// What rivals in other languages race on and are measured against, as JSON on standard output.
///   write_reference chain    the random chain of 100 bodies: inertias, first speeds, levels, the torque of each body in each
///                            interval, and the exact speeds at the end
///   write_reference clutch   the dual clutch: the four speeds every millisecond, in series to rounding
#include <iostream>
#include <string_view>

#include "machines/mechanism/dual_clutch.hpp"
#include "random_chain.hpp"

namespace {

using namespace stickslip;

template <class Values>
void write(std::string_view key, const Values& values) {
  std::cout << ",\n\"" << key << "\": [";
  for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i > 0 ? ", " : "") << values[i];
  std::cout << ']';
}

void write_chain() {
  const Mechanism m = bench::chain_of(100);
  std::vector<double> inertia, speed, level, torque;
  for (const auto& body : m.bodies) inertia.push_back(body.inertia), speed.push_back(body.speed);
  for (const auto& joint : m.joints) level.push_back(joint.law->breakaway_force({}, Direction::forward));
  for (int k = 0; k < static_cast<int>(bench::end / bench::hold); ++k)
    for (const auto& t : m.torques) torque.push_back(t.torque((k + 0.5) * bench::hold));
  SimulationOptions options;
  options.end = bench::end;
  std::cout << "{\"end\": " << bench::end << ", \"hold\": " << bench::hold;
  write("inertia", inertia);
  write("speed", speed);
  write("level", level);
  write("torque", torque);
  write("final", simulate(m, options).speed);
  std::cout << "}\n";
}

void write_clutch() {
  Mechanism m = dual_clutch();
  m.columns = {"shaft_1_speed", "engine_speed", "shaft_3_speed", "vehicle_speed"};
  SimulationOptions options;
  options.end = 10;
  options.relative_tolerance = 1e-12;
  options.sample_interval = 1e-3;
  std::cout << "{\"interval\": 0.001";
  for (const auto& column : simulate(m, options).samples.columns) write(column.name, column.values);
  std::cout << "}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view which = argc == 2 ? argv[1] : "";
  std::cout.precision(17);
  if (which == "chain")
    write_chain();
  else if (which == "clutch")
    write_clutch();
  else {
    std::cerr << "write_reference: name chain or clutch\n";
    return 2;
  }
}
