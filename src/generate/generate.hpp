/// Recordings of known machines, for trying out identification and for tests: with stated noise, resolution and truth.
///   Generated axis = generate("servo-axis", {.sensor = {.noise = 0.2, .resolution = 1e-7}, .seed = 7});
///   write_whole("axis.csv", recording_csv(axis));
/// or of any scenario file, sampled by such sensors.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.hpp"
#include "core/run.hpp"
#include "generate/sensor.hpp"

namespace stickslip::inline generation {

struct GenerateOptions {
  std::optional<Sensor> sensor = {};         // otherwise the machine's own
  std::optional<double> rate = {};           // [Hz]
  std::optional<double> duration = {};       // [s]
  std::optional<double> half_range = {};     // of a random motion [m]
  std::uint64_t seed = 1;                    // of the motion; the sensor has its own
  std::optional<ModelFile> friction = {};    // instead of the machine's own
  bool friction_force = false;               // record the friction itself, as a load cell at the contact would
  double most_samples = most_quick_samples;  // more is refused before the work begins: 1 GB of text, a minute
  std::size_t most_steps = most_quick_steps;
  RunWatch* watch = nullptr;
};

struct KnownMachine {
  std::string name, what;
  Sensor sensor;  // as it is built
};
/// servo-axis, presliding, gms, ...
const std::vector<KnownMachine>& known_machines();

/// A wrong name throws Error with the nearest one.
Generated generate(std::string_view machine, const GenerateOptions& options = {});

/// One body of a scenario file; the force is the drive's, or the friction. Throws Error as the scenario's reader does, and
/// where the run ends early.
Generated generate_from_scenario(const std::string& file, const GenerateOptions& options = {});

}  // namespace stickslip::inline generation
