/// Runs of machines with joints at rest, and what their tests read of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::test {

inline bool is_of_joint(const MechanismEvent& e) { return e.kind >= EventKind::direction_change; }

struct Columns {
  const MechanismRun& run;
  const std::vector<double>& operator()(const std::string& name) const {
    for (const auto& c : run.samples.columns)
      if (c.name == name) return c.values;
    throw Error("no column " + name);
  }
};

inline MechanismRun run_of(Mechanism m, const std::vector<double>& samples, double end, Propagation how,
                           double tolerance = 0) {
  SimulationOptions options;
  options.relative_tolerance = tolerance;
  options.end = end;
  options.sample_times = samples;
  options.most_steps = 2'000'000;
  m.propagation = how;
  return simulate(m, options);
}

/// The same machine, its joints listed the other way round.
inline Mechanism listed_backwards(Mechanism m) {
  std::reverse(m.joints.begin(), m.joints.end());
  return m;
}

inline std::string shown(const Mechanism& m, const MechanismRun& run) {
  std::string text;
  for (const auto& e : run.events)
    if (is_of_joint(e) && text.size() < 1500) text += std::to_string(e.time) + " " + event_text(m, e) + "; ";
  return text;
}

}  // namespace stickslip::test
