/// Machines whose friction is known, recorded by sensors of stated quality, for counting how often an interval holds.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/random.hpp"
#include "files/whole_file.hpp"
#include "generate/generate.hpp"
#include "support/places.hpp"

namespace stickslip::test {

/// A recording of the machine with this seed; readings of the position in steps of `coarseness` times its usual resolution.
using Recorder = std::function<Generated(std::uint64_t seed, double coarseness)>;

/// A machine as `stickslip generate` makes it: motion and noise follow the seed. `resolution` is that of 1 [m]; 0: its own.
inline Recorder known_machine(const std::string& name, double resolution = 0) {
  return [=](std::uint64_t seed, double coarseness) {
    GenerateOptions options;
    options.seed = seed;
    for (const KnownMachine& machine : known_machines())
      if (machine.name == name) {
        Sensor sensor = machine.sensor;
        const double usual = resolution > 0 && coarseness != 0 ? resolution : sensor.resolution;
        sensor.resolution = coarseness * usual;
        if (coarseness == 0) sensor.resolution = machine.sensor.resolution;
        sensor.seed = seed;
        options.sensor = sensor;
      }
    return generate(name, options);
  };
}

/// The recording of a scenario, whose motion is always the same, with readings of the position in steps of `resolution` from an origin that follows
/// the seed: otherwise the rounding would be the same in all recordings, and no chance.
inline Generated read_from_some_origin(const std::string& file, GenerateOptions options, double resolution) {
  options.sensor = Sensor{.noise = 0.1, .resolution = 0, .seed = options.seed};
  Generated g = generate_from_scenario(file, options);
  Random random(options.seed * 7919 + 17);
  const double origin = random.uniform();
  for (double& x : g.table.columns.at(1).values) x = resolution * std::round(x / resolution - origin);
  return g;
}

/// A scenario of examples/, with another law where one is given: noise and origin of the encoder follow the seed.
inline Recorder scenario(const std::string& file, std::optional<ModelFile> law = {}) {
  return [=](std::uint64_t seed, double coarseness) {
    GenerateOptions options;
    options.seed = seed;
    options.friction = law;
    return read_from_some_origin(source_dir() + "/examples/" + file, options,
                                 1e-6 * (coarseness == 0 ? 1 : coarseness));
  };
}

/// The PID stage of examples/ with steps of some hundred micrometres and long rests between.
inline Recorder pid_steps() {
  return [](std::uint64_t seed, double coarseness) {
    std::string text = read_whole(source_dir() + "/examples/pid_stage.toml");
    const auto from = text.find("[[input]]");
    text.replace(from, text.find("[friction]") - from, R"([input]
kind = "steps"
points = [["0 s", "0 mm"], ["0.5 s", "0.5 mm"], ["2 s", "1.2 mm"], ["4 s", "-0.3 mm"], ["6 s", "-1.5 mm"], ["8 s", "0.2 mm"],
  ["9 s", "0.25 mm"], ["10 s", "0.35 mm"], ["12 s", "-1 mm"], ["14 s", "1 mm"], ["16 s", "0 mm"], ["18 s", "1.5 mm"]]

)");
    const char* const folder = std::getenv("TMPDIR");
    const std::string file = std::string(folder ? folder : "/tmp") + "/stickslip_pid_steps.toml";
    write_whole(file, text);
    GenerateOptions options;
    options.seed = seed;
    return read_from_some_origin(file, options, 1e-6 * (coarseness == 0 ? 1 : coarseness));
  };
}

inline ModelFile law(std::string model, ParameterValues values) {
  ModelFile m;
  m.model = std::move(model);
  m.settings.values = std::move(values);
  return m;
}

inline Recording recording_of(const Generated& g) {
  Recording r;
  r.file = "generated";
  r.time = g.table.columns.at(0).values;
  r.position = g.table.columns.at(1).values;
  r.force = g.table.columns.at(2).values;
  return r;
}

/// The value behind "coulomb_force", "thresholds[2]", "chain.offset", "mass".
inline double truth_of(const Generated& g, std::string key) {
  if (key == "offset" || key == "chain.offset") return g.truth.measurement.offset;
  if (key == "mass") return g.mass;
  std::size_t element = 1;
  if (const auto bracket = key.find('['); bracket != std::string::npos) {
    element = std::stoul(key.substr(bracket + 1));
    key.resize(bracket);
  }
  for (const auto& [name, value] : g.truth.settings.values)
    if (name == key) {
      if (const auto* list = std::get_if<std::vector<double>>(&value)) return list->at(element - 1);
      return std::get<double>(value);
    }
  throw std::runtime_error("no truth for " + key);
}

}  // namespace stickslip::test
