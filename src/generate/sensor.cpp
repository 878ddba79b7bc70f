/// Noise, resolution, lag; see sensor.hpp.
#include "generate/sensor.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "machines/friction/friction_text.hpp"

namespace stickslip::inline generation {
namespace {

Column& column(Generated& recording, const std::string& name) {
  for (Column& c : recording.table.columns)
    if (c.name == name) return c;
  throw Error("the generated recording has no column " + in_quotes(name));
}

double rounded(double value, double resolution) {
  return resolution > 0 ? resolution * std::round(value / resolution) : value;
}

/// The value `lag` earlier, on the straight line between samples; before the first sample its value holds.
std::vector<double> delayed(const std::vector<double>& time, const std::vector<double>& values, double lag) {
  if (lag == 0 || values.size() < 2) return values;
  std::vector<double> late(values.size());
  std::size_t i = 1;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double t = time[k] - lag;
    while (i + 1 < time.size() && time[i] < t) ++i;
    const double share = std::clamp((t - time[i - 1]) / (time[i] - time[i - 1]), 0.0, 1.0);
    late[k] = values[i - 1] + share * (values[i] - values[i - 1]);
  }
  return late;
}

void check(const Sensor& s) {
  const auto refuse = [](const char* what, double value) {
    throw Error(std::string(what) + " is " + shortest(value) + "; it must be zero or positive and finite");
  };
  for (const auto& [what, value] : {std::pair{"the noise", s.noise},
                                    {"the position noise", s.position_noise},
                                    {"the resolution", s.resolution},
                                    {"the force resolution", s.force_resolution},
                                    {"the lag", s.lag}})
    if (!(value >= 0) || !std::isfinite(value)) refuse(what, value);
  if (!std::isfinite(s.offset)) throw Error("the offset is " + shortest(s.offset) + "; it must be finite");
}

}  // namespace

void read_by(const Sensor& sensor, Generated& recording) {
  check(sensor);
  const std::vector<double>& time = column(recording, "time").values;
  Column &position = column(recording, "position"), &force = column(recording, "force");
  // One stream per sensor: changing the noise of one leaves the other as it was.
  Random force_noise(2 * sensor.seed), position_noise(2 * sensor.seed + 1);
  force.values = delayed(time, force.values, sensor.lag);
  for (double& f : force.values)
    f = rounded(f + sensor.offset + sensor.noise * force_noise.normal(), sensor.force_resolution);
  for (double& x : position.values) x = rounded(x + sensor.position_noise * position_noise.normal(), sensor.resolution);

  recording.truth.measurement.offset = sensor.offset;
  recording.truth.measurement.lag = sensor.lag;
  std::vector<std::string> said;
  const auto say = [&](const char* what, double value, const std::string& unit) {
    if (value != 0) said.push_back(std::string(what) + " " + with_unit(value, unit));
  };
  say("force noise", sensor.noise, force.unit);
  say("force resolution", sensor.force_resolution, force.unit);
  say("force offset", sensor.offset, force.unit);
  say("force lag", sensor.lag, "s");
  say("position noise", sensor.position_noise, position.unit);
  say("position resolution", sensor.resolution, position.unit);
  recording.story.push_back("sensors: " + (said.empty() ? "perfect" : joined(said)) + "; seed " +
                            std::to_string(sensor.seed));
}

std::string recording_csv(const Generated& recording) {
  std::string text;
  for (const std::string& line : recording.story) text += "# " + one_line(line, 400) + "\n";
  if (!recording.truth.model.empty()) {
    std::string truth =
        friction_text(find_model(recording.truth.model).description(), recording.truth.settings, recording.motion);
    text += "# true friction:\n";
    for (std::size_t from = 0; from < truth.size();) {
      const std::size_t end = truth.find('\n', from);
      text += "#   " + truth.substr(from, end - from) + "\n";
      from = end + 1;
    }
  }
  return text + to_csv(recording.table);
}

}  // namespace stickslip::inline generation
