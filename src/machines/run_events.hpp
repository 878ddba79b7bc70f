/// The located events of a run in one form for all machines: on screen, in files, in Python.
#pragma once

#include <string>
#include <vector>

#include "machines/motion.hpp"

namespace stickslip {

struct RunEvent {
  double time = 0;                  // [s]
  std::string event;                // "stick", "release", "upper end"
  std::string part = {};            // the part concerned: a joint, an element, a log; "" if there is only one
  std::string mode = {};            // the mode afterwards: "stuck", "forward", "locked"; "" if nothing changed
  std::vector<double> values = {};  // under RunEvents::quantities
};

struct RunEvents {
  std::vector<SignalInfo> quantities = {};  // what is known of every event besides: position, velocity
  std::vector<RunEvent> list = {};
};

/// "time_s,event,part,mode" and the quantities with their units.
std::vector<std::string> event_headings(const RunEvents& events);
/// An event's cells under these headings, numbers in the fewest digits that read back exactly.
std::vector<std::string> event_cells(const RunEvent& event);
/// Headings and events, a line each.
std::string to_csv(const RunEvents& events);

}  // namespace stickslip
