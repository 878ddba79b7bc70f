#include "platform/workers.hpp"

#include "platform/mutex.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline platform {

void Threads::share(std::size_t tasks, Audience, const Task& task, const Take& take) {
  Mutex taking;
  parallel_for(tasks, threads_, [&](std::size_t i) {
    const std::optional<std::string> result = task(i);
    if (!result) return;
    const Lock lock(taking);
    take(i, *result);
  });
}

}  // namespace stickslip::inline platform
