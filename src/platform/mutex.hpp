/// One at a time: a mutex and a lock that gives it back. Where there are no threads (WASI) both do nothing.
///   const Lock lock(mutex_);
#pragma once

#if defined(__wasi__)

namespace stickslip::inline platform {

struct Mutex {};

class Lock {
 public:
  explicit Lock(Mutex&) {}
  ~Lock() {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

}  // namespace stickslip::inline platform

#else

#include <mutex>

namespace stickslip::inline platform {

using Mutex = std::mutex;
using Lock = std::lock_guard<std::mutex>;

}  // namespace stickslip::inline platform

#endif
