/// The located events of a run in one form for all machines: on screen, in files, in Python.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machines/motion.hpp"

namespace stickslip::inline machines {

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

/// The words of a machine for its events.
struct EventVocabulary {
  std::vector<SignalInfo> quantities = {};       // as many of position, velocity and applied as are listed
  std::span<const std::string_view> words = {};  // by Event::which; none: the names of the kinds, and `which` is a part
  std::span<const std::string> modes = {};       // by Event::mode; none: not listed
};
/// In these words; `part` is that of all of them.
RunEvents run_events(const std::vector<Event>& events, const EventVocabulary& vocabulary, const std::string& part = "");
/// The same for a motion; the list is empty afterwards.
std::vector<MotionEvent> taken_events(std::vector<Event>& events, const EventVocabulary& vocabulary);

/// "time_s,event,part,mode" and the quantities with their units.
std::vector<std::string> event_headings(const RunEvents& events);
/// An event's cells under these headings, numbers in the fewest digits that read back exactly.
std::vector<std::string> event_cells(const RunEvent& event);
/// Headings and events, a line each.
std::string to_csv(const RunEvents& events);

}  // namespace stickslip::inline machines
