#include "machines/run_events.hpp"

#include <gtest/gtest.h>

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

TEST(RunEvents, NamesWithCommasAndQuotesStayOneCell) {
  RunEvents events{.quantities = {{"angle", "rad"}}};
  events.list.push_back({.time = 0.5, .event = "stick", .part = "run 3, \"cold\".csv", .mode = "stuck", .values = {2}});
  EXPECT_EQ(to_csv(events), "time_s,event,part,mode,angle_rad\n0.5,stick,\"run 3, \"\"cold\"\".csv\",stuck,2\n");
}

}  // namespace
}  // namespace stickslip::run_events_test
