/// Ctrl-C ends the work, not the program; see interrupt.hpp.
#include "interrupt.hpp"

#include "command.hpp"
#include "platform/file.hpp"

namespace stickslip::inline cli {
namespace {

RunWatch watch;
std::atomic<std::atomic<bool>*> also_told{nullptr};

void tell_work() {
  watch.cancel = true;
  if (std::atomic<bool>* also = also_told) *also = true;
}

/// Nothing of an earlier run is left before the first signal can come.
void (*fresh_listener(std::atomic<bool>* also))() {
  watch.cancel = false;
  also_told = also;
  return tell_work;
}

void end_unless_writing() {
  if (!is_writing()) end_now("interrupted", static_cast<int>(Outcome::failed));
}

}  // namespace

EndOnInterrupt::EndOnInterrupt() : signals_(end_unless_writing, SwitchedOff::stays) {}

Interrupt::Interrupt(std::atomic<bool>* also) {
  void (*const listener)() = fresh_listener(also);
  if (!workers()) signals_.emplace(listener);
}
Interrupt::~Interrupt() { also_told = nullptr; }

bool Interrupt::came() { return watch.cancel; }
RunWatch& Interrupt::run() const { return watch; }

}  // namespace stickslip::inline cli
