#include "platform/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace stickslip {

unsigned thread_count(unsigned wanted) {
  if (wanted > 0) return wanted;
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job) {
  std::vector<std::exception_ptr> failed(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    }
  };
  const std::size_t helpers = std::min<std::size_t>(thread_count(threads), count);
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < helpers; ++k) others.emplace_back(work);
  work();
  for (auto& t : others) t.join();
  for (const auto& f : failed)
    if (f) std::rethrow_exception(f);
}

}  // namespace stickslip
