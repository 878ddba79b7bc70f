/// Work in tasks that may be done anywhere: on the threads of this program, or by several programs that work together (the
/// ranks of a cluster, src/mpi). A task is known by its number and gives bytes; who did it makes no difference.
///   Threads here(4);
///   here.share(blocks.size(), Audience::first, [&](std::size_t i) { return run(blocks[i]); },
///              [&](std::size_t i, std::string_view bytes) { keep(i, bytes); });
/// Programs that work together are the same program with the same input, and come to the same calls in the same order. A call
/// inside a task is done where the task is.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::inline platform {

/// Who receives the results: the first program, or all of them.
enum class Audience { first, all };

/// What must be the same wherever work is shared: a name and a value in words.
struct Fact {
  std::string name, value;
};

class Workers {
 public:
  /// No bytes: cancelled, nobody receives it.
  using Task = std::function<std::optional<std::string>(std::size_t)>;
  using Take = std::function<void(std::size_t, std::string_view)>;

  virtual ~Workers() = default;
  /// How many programs; 1: this one alone.
  virtual std::size_t count() const = 0;
  /// True in the program that owns the files and speaks.
  virtual bool is_first() const = 0;
  /// Continues only if all programs have the same values; otherwise the difference is reported and the work ends.
  virtual void agree(const std::vector<Fact>& facts) = 0;
  /// What the first one has, in all of them.
  virtual std::string from_first(std::string bytes) = 0;
  /// All tasks, each once. `take` is called by one thread at a time, in any order. If tasks throw, the exception of the lowest
  /// number is thrown in the end.
  virtual void share(std::size_t tasks, Audience audience, const Task& task, const Take& take) = 0;
};

/// The threads of this program; 0 means all cores.
class Threads final : public Workers {
 public:
  explicit Threads(unsigned threads) : threads_(threads) {}
  std::size_t count() const override { return 1; }
  bool is_first() const override { return true; }
  void agree(const std::vector<Fact>&) override {}
  std::string from_first(std::string bytes) override { return bytes; }
  void share(std::size_t tasks, Audience audience, const Task& task, const Take& take) override;

 private:
  unsigned threads_;
};

}  // namespace stickslip::inline platform
