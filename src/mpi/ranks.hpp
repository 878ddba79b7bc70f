/// The ranks of an MPI program as workers (platform/workers.hpp): each runs the same command with the same input, and they meet where
/// work is shared. Rank 0 hands out task after task, works itself on a second thread, alone opens journals and writes results.
///   every meeting   rank 0 tells what it is: bytes, a list of tasks, or the end                                       (1)
///   a task          rank 0 sends its number, the rank its result with the next request                                (2)
/// A rank that waits sleeps between looks, so that more ranks than cores do no harm. If a rank dies, mpirun ends all of them; the
/// journal is there, and the same command resumes, on any number of ranks or without MPI.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/workers.hpp"

namespace stickslip::inline mpi {

/// Thrown in all other ranks when the first one has ended.
struct FirstHasEnded {};

class Ranks final : public Workers {
 public:
  Ranks();  // after MPI_Init_thread

  std::size_t count() const override { return static_cast<std::size_t>(size_); }
  bool is_first() const override { return rank_ == 0; }
  /// Adds what every program must have in common: program, version, vector instructions, C library.
  void agree(const std::vector<Fact>& facts) override;
  std::string from_first(std::string bytes) override;
  void share(std::size_t tasks, Audience audience, const Task& task, const Take& take) override;

  /// Throws Error if the ranks have different command lines. Before any work.
  void have_one_command(const std::vector<std::string>& words);
  /// All ranks use the widest vector instructions that every one of them has. Throws Error if one of them has none of
  /// that name. Before any work.
  void take_narrowest_instructions();

  /// This rank cannot continue. Before `agree` it takes part there with its reason.
  void refuse(const std::string& reason);
  /// The last meeting. In rank 0 it ends the others wherever they wait; another rank that has stopped alone ends all.
  void finish();
  const std::string& disagreement() const { return disagreement_; }

 private:
  std::vector<std::string> all_have(const std::string& mine) const;
  std::string told_by_first(std::string bytes) const;
  void meet(char what);
  void hand_out(std::size_t tasks, const Task& task, const Take& take, std::map<std::size_t, std::string>* kept);
  void work(const Task& task) const;
  std::string ranks_text(const std::vector<int>& ranks) const;
  void compare(const std::vector<std::string>& all);

  int rank_ = 0, size_ = 1;
  bool has_agreed_ = false, has_ended_ = false;
  std::vector<std::string> hosts_;
  std::string disagreement_, failure_;
};

}  // namespace stickslip::inline mpi
