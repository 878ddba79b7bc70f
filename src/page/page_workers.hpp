/// Tasks of one command on several Web Workers, each with this program and the same input. No program can wait for another here:
/// WebAssembly runs to its end, and memory cannot be shared by a page that is opened from disk. So a program that lacks a result
/// ends, and begins again when the page has it; what was done before is then taken from the page instead of being done again.
///   (1) share() number k is the same in all programs, since they are the same program with the same input.
///   (2) With all results of share() k the program goes on; without, it does the tasks that the page gives it, and ends.
#pragma once
#include "platform/workers.hpp"

namespace stickslip::inline page {

class PageWorkers final : public Workers {
 public:
  /// More than one: tasks are shared even if one Web Worker does them all, so that the page sees them come.
  std::size_t count() const override { return 2; }
  /// Who ends, speaks.
  bool is_first() const override { return true; }
  void agree(const std::vector<Fact>&) override {}
  std::string from_first(std::string bytes) override { return bytes; }
  void share(std::size_t tasks, Audience audience, const Task& task, const Take& take) override;

 private:
  std::uint32_t calls_ = 0;
  bool is_inside_task_ = false;
};

}  // namespace stickslip::inline page
