#include "machines/run_events.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "machines/machine.hpp"
#include "support/places.hpp"

namespace stickslip::run_events_test {
namespace {

TEST(RunEvents, HaveOneFormInEveryMachine) {
  for (const char* file : {"stick_slip", "machines/hydraulic_cylinder", "machines/clutch_by_wire", "machines/winch"}) {
    SCOPED_TRACE(file);
    const RunEvents events = read_machine(source_dir() + "/examples/" + file + ".toml").run().view().events;
    EXPECT_TRUE(to_csv(events).starts_with("time_s,event,part,mode"));
    ASSERT_FALSE(events.list.empty());
    double before = events.list.front().time;
    for (const RunEvent& e : events.list) {
      EXPECT_GE(e.time, before);
      EXPECT_FALSE(e.event.empty());
      EXPECT_EQ(e.values.size(), events.quantities.size());
      before = e.time;
    }
  }
}

// A motion tells the events of the run in the same words; words that all machines share stand for their kind.
TEST(RunEvents, OfAMotionAreThoseOfTheRun) {
  for (const char* file : {"stick_slip", "machines/hydraulic_cylinder", "machines/hydraulic_cylinder_steady",
                           "machines/clutch_by_wire", "machines/clutch_by_wire_play"}) {
    SCOPED_TRACE(file);
    const Machine machine = read_machine(source_dir() + "/examples/" + file + ".toml");
    const RunEvents listed = machine.run().view().events;
    const auto motion = machine.motion();
    ASSERT_EQ(motion->advance(machine.options().end), Stop::finished);
    const std::vector<MotionEvent> told = motion->take_events();
    ASSERT_EQ(told.size(), listed.list.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].time, listed.list[i].time);
      EXPECT_EQ(told[i].what, listed.list[i].event);
      const auto shared = std::find(event_kind_names.begin(), event_kind_names.end(), told[i].what);
      if (shared != event_kind_names.end())
        EXPECT_EQ(name_of(told[i].kind), *shared);
      else
        EXPECT_TRUE(told[i].kind == EventKind::mode_entry || told[i].kind == EventKind::mode_exit ||
                    told[i].kind == EventKind::table_knot)
            << told[i].what;
    }
    EXPECT_TRUE(motion->take_events().empty());
  }
}

TEST(RunEvents, UseTheWordsOfTheMachine) {
  const std::vector<Event> events{
      {.time = 1, .kind = EventKind::stick, .which = 1, .mode = 1, .position = 2, .velocity = 3, .applied = 4},
      {.time = 2, .kind = EventKind::element_slip, .which = 0, .position = 5}};
  const std::string_view words[] = {"opens", "rests"};
  const std::string modes[] = {"away", "home"};
  EXPECT_EQ(to_csv(run_events(events,
                              {.quantities = {{"x", "m"}, {"v", "m/s"}, {"f", "N"}}, .words = words, .modes = modes})),
            "time_s,event,part,mode,x_m,v_m_s,f_N\n1,rests,,home,2,3,4\n2,opens,,away,5,0,0\n");
  EXPECT_EQ(to_csv(run_events(events, {.quantities = {{"x", "m"}}}, "log 7")),
            "time_s,event,part,mode,x_m\n1,stick,log 7,,2\n2,element slip,0,,5\n");
}

TEST(RunEvents, NamesWithCommasAndQuotesStayOneCell) {
  RunEvents events{.quantities = {{"angle", "rad"}}};
  events.list.push_back({.time = 0.5, .event = "stick", .part = "run 3, \"cold\".csv", .mode = "stuck", .values = {2}});
  EXPECT_EQ(to_csv(events), "time_s,event,part,mode,angle_rad\n0.5,stick,\"run 3, \"\"cold\"\".csv\",stuck,2\n");
}

}  // namespace
}  // namespace stickslip::run_events_test
