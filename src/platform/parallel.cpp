#include "platform/parallel.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#if !defined(__wasi__)
#include <atomic>
#include <thread>
#endif

namespace stickslip::inline platform {
namespace {

/// Runs job(i) and keeps what it throws.
void run_one(const std::function<void(std::size_t)>& job, std::size_t i, std::vector<std::exception_ptr>& failed) {
  try {
    job(i);
  } catch (...) {
    failed[i] = std::current_exception();
  }
}

#if defined(__wasi__)

unsigned core_count() { return 1; }

void run_all(std::size_t count, unsigned, const std::function<void(std::size_t)>& job,
             std::vector<std::exception_ptr>& failed) {
  for (std::size_t i = 0; i < count; ++i) run_one(job, i, failed);
}

#else

unsigned core_count() { return std::max(1u, std::thread::hardware_concurrency()); }

void run_all(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job,
             std::vector<std::exception_ptr>& failed) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) run_one(job, i, failed);
  };
  const std::size_t helpers = std::min<std::size_t>(thread_count(threads), count);
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < helpers; ++k) others.emplace_back(work);
  work();
  for (auto& t : others) t.join();
}

#endif

}  // namespace

unsigned thread_count(unsigned wanted) { return wanted > 0 ? wanted : core_count(); }

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job) {
  std::vector<std::exception_ptr> failed(count);
  run_all(count, threads, job, failed);
  for (const auto& f : failed)
    if (f) std::rethrow_exception(f);
}

}  // namespace stickslip::inline platform
