/// What the tests of FMUs share: FMUs of every model, element, body and machine, and the motions they are driven through.
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "check/reference_sets.hpp"
#include "fmu/export_fmu.hpp"
#include "importer.hpp"
#include "machines/friction/model_file.hpp"
#include "support/places.hpp"

namespace stickslip::importing {

inline std::unique_ptr<Friction> reference_friction(const ModelDescription& model) {
  return make_friction(model.name, reference_values(model));
}
inline std::string model_text(const ModelDescription& model) {
  ModelFile file;
  file.model = model.name;
  file.settings = reference_friction(model)->settings();
  return model_file_text(file);
}
inline FmuOptions with(double mass, int version = 2) {
  FmuOptions options;
  options.mass = mass;
  options.version = version;
  options.binaries = STICKSLIP_FMU_FOLDER;
  return options;
}
inline std::vector<const ModelDescription*> all_models() {
  std::vector<const ModelDescription*> all;
  for (const RegisteredModel* m : registered_models()) all.push_back(&m->description());
  return all;
}
inline FmuFile body_fmu(const ModelDescription& model, int version = 2) {
  return describe_fmu(model_text(model), "axis.model.toml", with(1, version));
}
inline std::string example(const std::string& name) { return source_dir() + "/examples/" + name; }
inline FmuFile fmu_of(const std::string& name, const FmuOptions& options) {
  return describe_fmu(read_whole(example(name)), example(name), options);
}

inline double force_at(double t) { return 2 * std::sin(2 * 3.141592653589793 * 3 * t) * (1 + 0.3 * std::sin(11 * t)); }

/// The force held over steps of h, as Co-Simulation holds it.
inline Signal held_force(double h, int steps) {
  std::vector<double> times, values;
  for (int k = 0; k < steps; ++k) {
    if (k > 0) times.push_back(k * h), values.push_back(force_at((k - 1) * h));
    times.push_back(k * h), values.push_back(force_at(k * h));
  }
  return Signal::table(times, values);
}

/// Laws whose force follows from motion alone.
inline const std::set<std::string> element_laws{"dahl",
                                                "bliman-sorine",
                                                "lugre",
                                                "elastoplastic",
                                                "leuven",
                                                "maxwell-slip",
                                                "asymmetric-maxwell-slip",
                                                "extended-maxwell-slip",
                                                "generalized-maxwell-slip",
                                                "modified-lugre",
                                                "new-modified-lugre",
                                                "lugre-bristle",
                                                "load-dependent"};

struct MachineCase {
  const char* file;
  double until, h;
};
inline const std::vector<MachineCase> machine_cases{{"stick_slip.toml", 30, 0.1},
                                                    {"recorded_force.toml", 2, 0.02},
                                                    {"prescribed_motion.toml", 4, 0.02},
                                                    {"machines/pulled_pair.toml", 30, 0.1},
                                                    {"machines/winch.toml", 5, 0.01},
                                                    {"machines/dual_clutch.toml", 10, 0.05},
                                                    {"machines/hydraulic_cylinder.toml", 2, 0.01},
                                                    {"machines/servo_axis.toml", 4, 0.02},
                                                    {"machines/servo_pendulum.toml", 6, 0.02},
                                                    {"machines/clutch_by_wire.toml", 5, 0.05},
                                                    {"modelica/Backlash.toml", 1, 0.01},
                                                    {"modelica/LossyGearDemo1.toml", 0.5, 0.005},
                                                    {"modelica/LossyGearDemo2.toml", 0.5, 0.005},
                                                    {"modelica/OneWayClutch.toml", 2, 0.01},
                                                    {"modelica/SimpleGearShift.toml", 5, 0.05},
                                                    {"modelica/TranslationalFriction.toml", 5, 0.05}};

}  // namespace stickslip::importing
