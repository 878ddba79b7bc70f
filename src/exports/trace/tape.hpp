/// Records operations, and runs a function again for every outcome of its decisions.
///   tape.explore([&] { return outputs; })   calls the function once per leaf of its tree of decisions
/// Equal operations are recorded once. Of two numbers it is remembered what was decided about them, so that a later question
/// whose answer follows (v < 0, then v == 0) is no decision.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "exports/step_program.hpp"

namespace stickslip::inline exports {

class Tape {
 public:
  explicit Tape(StepProgram& program) : program_(program) {}
  static Tape*& current() {
    static thread_local Tape* tape = nullptr;
    return tape;
  }

  int constant(double value);
  int symbol(const Symbol& s);
  int put(Operation op, int a, int b = -1, int c = -1, int d = -1, Comparison comparison = Comparison::less);
  /// Whether a comparison holds on the present path; asks, that is forks, where it is open.
  bool decide(Comparison comparison, int a, int b);
  /// What is known without asking: 1, 0 or -1 for open.
  int known(Comparison comparison, int a, int b) const;

  Decision explore(const std::function<std::vector<int>()>& function);

  /// A repeated part; the same one, met again on another path, keeps its number.
  int begin_loop(int start, int duration, int scale);
  void end_loop(int loop, const StepLoop& ends);
  int loop_result(int loop, bool is_state);
  /// to − from; of a sum with `from` in it the other term, which has the digits that the sum rounds off.
  int change(int from, int to);
  bool is_constant(int node) const { return program_.nodes[std::size_t(node)].operation == Operation::constant; }
  double value(int node) const { return program_.nodes[std::size_t(node)].constant; }
  const StepProgram& program() const { return program_; }

 private:
  struct Asked {
    Comparison comparison;
    int left, right;
    bool answer, flipped;
  };
  int add(const Node& node);
  void learn(Comparison comparison, int a, int b, bool answer);

  StepProgram& program_;
  std::map<std::tuple<int, int, int, int, int, int, double, int, int>, int> found_;
  std::vector<Asked> asked_;
  std::size_t replayed_ = 0;
  std::map<std::pair<int, int>, unsigned> relation_;  // bit 0: a < b, 1: equal, 2: a > b is possible
  int loop_ = -1;
};

}  // namespace stickslip::inline exports
