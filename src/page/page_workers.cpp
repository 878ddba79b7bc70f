/// Tasks on several Web Workers; see page_workers.hpp.
#include "page/page_workers.hpp"

#include <exception>

#include "core/error.hpp"
#include "page/host.hpp"

namespace stickslip::inline page {
namespace {

enum class Answer : char { result = '+', nothing = '0', error = 'e' };

std::string message_of(Answer answer, std::string_view bytes) {
  return std::string(1, static_cast<char>(answer)) + std::string(bytes);
}

/// A task done here, whatever comes of it.
std::string done_here(const Workers::Task& task, std::size_t i) {
  try {
    const std::optional<std::string> result = task(i);
    return message_of(result ? Answer::result : Answer::nothing, result ? *result : "");
  } catch (const std::exception& problem) {
    return message_of(Answer::error, problem.what());
  }
}

bool is_known(std::uint32_t call, std::uint32_t tasks) {
  for (std::uint32_t i = 0; i < tasks; ++i)
    if (page_result_size(call, i) < 0) return false;
  return true;
}

}  // namespace

void PageWorkers::share(std::size_t tasks, Audience audience, const Task& task, const Take& take) {
  if (is_inside_task_) return Threads(1).share(tasks, audience, task, take);
  const std::uint32_t call = calls_++;
  const auto count = static_cast<std::uint32_t>(tasks);
  while (!is_known(call, count)) {
    const std::uint32_t i = page_next_task(call, count);  // ends the program if there is none
    is_inside_task_ = true;
    const std::string message = done_here(task, i);
    is_inside_task_ = false;
    page_keep_result(call, i, message.data(), message.size());
  }
  std::string error;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string message(static_cast<std::size_t>(page_result_size(call, i)), '\0');
    page_result_bytes(call, i, message.data());
    const std::string_view bytes = std::string_view(message).substr(1);
    switch (static_cast<Answer>(message.front())) {
      case Answer::result:
        take(i, bytes);
        break;
      case Answer::error:
        if (error.empty()) error = bytes;
        break;
      case Answer::nothing:
        break;
    }
  }
  if (!error.empty()) throw Error(error);
}

}  // namespace stickslip::inline page
