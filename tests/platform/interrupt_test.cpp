/// Ctrl-C becomes a call while somebody listens.
#include "platform/interrupt.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>

namespace stickslip::interrupt_test {
namespace {

std::atomic<int> told{0};
std::atomic<bool> reached_outside{false};
void tell() { ++told; }
extern "C" void outside(int) { reached_outside = true; }

TEST(Interrupt, TheFirstSignalIsACallAndAfterwardsTheOldHandlerIsBack) {
  std::signal(SIGTERM, outside);
  {
    const InterruptSignals listening(tell);
    std::raise(SIGTERM);
    EXPECT_EQ(told, 1);
    EXPECT_FALSE(reached_outside);
  }
  std::raise(SIGTERM);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(reached_outside);
  std::signal(SIGTERM, SIG_DFL);
}

TEST(Interrupt, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        const InterruptSignals listening(tell);
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace stickslip::interrupt_test
