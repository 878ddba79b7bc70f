/// Something is said once a second, and nothing once the ticker has gone.
#include "platform/ticker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace stickslip::ticker_test {
namespace {

TEST(Ticker, CountsSecondsAndEndsAtOnce) {
  std::atomic<int> said{0};
  const auto start = std::chrono::steady_clock::now();
  {
    const Ticker ticker([&](int seconds) { said = seconds; });
    EXPECT_EQ(said, 0) << "nothing in the first second";
    while (said == 0 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(said, 1);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  const int at_end = said;
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(said, at_end);
}

}  // namespace
}  // namespace stickslip::ticker_test
