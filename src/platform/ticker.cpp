/// Something said once a second; see ticker.hpp.
#include "platform/ticker.hpp"

#if !defined(__wasi__)
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace stickslip::inline platform {

#if defined(__wasi__)

struct Ticker::Running {};
Ticker::Ticker(std::function<void(int)>) {}

#else

struct Ticker::Running {
  explicit Running(std::function<void(int)> say) : tell(std::move(say)), thread([this] { watch(); }) {}
  ~Running() {
    {
      const std::lock_guard lock(mutex);
      is_over = true;
    }
    over.notify_one();
    thread.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void watch() {
    std::unique_lock lock(mutex);
    for (int seconds = 1; !over.wait_for(lock, std::chrono::seconds(1), [this] { return is_over; }); ++seconds)
      tell(seconds);
  }

  std::function<void(int)> tell;
  std::mutex mutex;
  std::condition_variable over;
  bool is_over = false;
  std::thread thread;  // the last: it uses all of the above
};

Ticker::Ticker(std::function<void(int)> tell) : running_(std::make_unique<Running>(std::move(tell))) {}

#endif

Ticker::~Ticker() = default;

}  // namespace stickslip::inline platform
