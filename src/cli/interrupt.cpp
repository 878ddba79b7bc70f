/// Ctrl-C ends the work, not the program; see interrupt.hpp.
#include "interrupt.hpp"

namespace stickslip {
namespace {

RunWatch watch;
std::atomic<std::atomic<bool>*> also_told{nullptr};

extern "C" void tell_work(int) {
  watch.cancel = true;
  if (std::atomic<bool>* also = also_told) *also = true;
}

}  // namespace

Interrupt::Interrupt(std::atomic<bool>* also) {
  watch.cancel = false;
  also_told = also;
  struct sigaction action {};
  action.sa_handler = tell_work;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // a file that is being read or written goes on
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
  also_told = nullptr;
}

RunWatch& Interrupt::run() const { return watch; }

}  // namespace stickslip
