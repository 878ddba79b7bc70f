/// Work on several cores whose result does not depend on how many there are.
///   parallel_for(jobs.size(), threads, [&](std::size_t i) { results[i] = run(jobs[i]); });
/// Each call owns its own index, writes only there, and indices are handed out in order; so the answer is that of a
/// plain loop. If calls throw, the exception of the lowest index is thrown after all have ended.
/// Not here: a pool that outlives the call; starting a thread costs microseconds, a job here takes milliseconds.
#pragma once

#include <cstddef>
#include <functional>

namespace stickslip::inline platform {

/// 0 means all cores of the machine.
unsigned thread_count(unsigned wanted);

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& job);

}  // namespace stickslip::inline platform
