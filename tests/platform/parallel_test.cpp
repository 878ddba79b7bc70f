#include "platform/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::parallel_test {
namespace {

TEST(Parallel, EveryIndexIsRunOnceOnAnyNumberOfThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 3u, 8u}) {
    std::vector<int> seen(1000, 0);
    parallel_for(seen.size(), threads, [&](std::size_t i) { seen[i] += static_cast<int>(i) + 1; });
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int>(i) + 1) << threads;
  }
  parallel_for(0, 2, [](std::size_t) { FAIL(); });
}

TEST(Parallel, TheLowestFailureIsTheOneThatIsThrown) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    std::vector<int> seen(20, 0);
    try {
      parallel_for(seen.size(), threads, [&](std::size_t i) {
        seen[i] = 1;
        if (i % 7 == 3) throw std::runtime_error("index " + std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "index 3");
    }
    for (const int s : seen) EXPECT_EQ(s, 1) << "the others run all the same";
  }
}

}  // namespace
}  // namespace stickslip::parallel_test
