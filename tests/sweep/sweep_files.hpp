/// Small scenarios and sweeps that several tests write into a folder of their own.
#pragma once

#include <string>

namespace stickslip {

/// A pulled mass; the friction table is given.
inline std::string pulled_mass(const std::string& friction, const std::string& run = "duration = \"12 s\"") {
  return "[machine]\nkind = \"pulled-spring\"\nmass = \"1 kg\"\nstiffness = \"2 N/m\"\ndamping = \"0.1 N s/m\"\n"
         "[input]\nkind = \"ramp\"\nrate = \"0.1 m/s\"\n[friction]\n" +
         friction + "\n[run]\nsample_interval = \"1 ms\"\n" + run + "\n";
}
inline const std::string ideal_friction =
    "model = \"stribeck\"\ncoulomb_force = \"1 N\"\nstiction_force = \"1.5 N\"\nstribeck_velocity = \"1 mm/s\"\n"
    "viscosity = \"0.4 N s/m\"\n";
inline const std::string bristle_friction =
    "model = \"lugre\"\ncoulomb_force = \"1 N\"\nstiction_force = \"1.5 N\"\nstribeck_velocity = \"1 mm/s\"\n"
    "viscosity = \"0.4 N s/m\"\nbristle_stiffness = \"1e4 N/m\"\nbristle_damping = \"100 N s/m\"\n";

/// A sweep over stiffness and pull speed.
inline std::string two_parameters(const std::string& plan, const std::string& outputs, const std::string& run = "") {
  const bool is_grid = plan.find("grid") != std::string::npos;
  const std::string count = is_grid ? "count = 4\n" : "";
  return "scenario = \"s.toml\"\noutputs = [" + outputs + "]\n[plan]\n" + plan +
         "\n[[parameter]]\npath = \"machine.stiffness\"\nfrom = \"1 N/m\"\nto = \"8 N/m\"\nspacing = \"log\"\n" +
         count + "[[parameter]]\npath = \"input.rate\"\nfrom = \"80 mm/s\"\nto = \"0.3 m/s\"\n" + count + "[run]\n" +
         run + "\n";
}

}  // namespace stickslip
