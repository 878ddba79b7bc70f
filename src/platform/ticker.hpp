/// Calls a function once a second while other work runs: first after one second, until the ticker is destroyed.
///   const Ticker ticker([&](int seconds) { show(seconds); });
///   run();
/// Where there are no threads (WASI) nothing is said.
#pragma once
#include <functional>
#include <memory>

namespace stickslip::inline platform {

class Ticker {
 public:
  /// Calls tell(1), tell(2), ... in a thread of its own.
  explicit Ticker(std::function<void(int seconds)> tell);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace stickslip::inline platform
