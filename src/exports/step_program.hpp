/// One fixed step of a friction law as a list of operations: what generated code is printed from.
///   velocity held over h [s]  ->  friction at the end of the step [N], and the law's new states
/// It is recorded from the models' own source (trace/), with a branch for every decision the source takes on a number.
/// Laws of many equal elements have one part that runs once per element and one that sums up.
///
///   nodes      operations; operands are numbers of earlier nodes, so that the order of the list is an order of evaluation
///   tree       decisions; a leaf names the node of every output
///   loops      a step of held_motion.hpp that is repeated until it agrees with two of half its length, at most `passes` times
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machines/friction/friction.hpp"

namespace stickslip::inline exports {

enum class Operation : std::uint8_t {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  sign,
  smaller,
  larger,
  square_root,
  exponential,
  logarithm,
  logarithm_1,  // ln(1 + x)
  power,
  sine,
  cosine,
  arc_tangent,
  cube_root,
  growth,  // (eˣ − 1)/x, 1 at 0
  floor,
  select,       // operands: left, right of the comparison, yes, no
  loop_result,  // what a loop arrives at: the change, or with the constant 1 the state
};

enum class Comparison : std::uint8_t { less, less_equal, equal, not_equal };

struct Node {
  Operation operation = Operation::constant;
  Comparison comparison = Comparison::less;  // of select
  std::array<int, 4> operand{-1, -1, -1, -1};
  double constant = 0;
  int index = -1;  // symbol: in `symbols`; loop_result: in `loops`
  int loop = -1;   // evaluated inside this loop
};

enum class SymbolKind : std::uint8_t {
  parameter,
  state,
  velocity,
  duration,
  load,
  pressure,
  temperature,
  mass,
  loop_value,   // by how much a loop has changed its state
  loop_state,   // the state itself, which has digits of its own where it has become far smaller
  loop_time,    // how far it has come
  loop_length,  // the step it would like to take
  loop_final,   // 1 in the last pass that is allowed
  tolerance,    // of loops: to which part of the scale two steps must agree
  rounding,     // of loops: which part of a state and of its change is noise; 0 in double
};
inline constexpr int each_element = -2, whole = -1;

struct Symbol {
  SymbolKind kind = SymbolKind::parameter;
  int which = 0;      // parameter, state or loop
  int index = whole;  // of a list; each_element: the one at hand
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// One decision, or the outputs.
struct Decision {
  Comparison comparison = Comparison::less;
  int left = -1, right = -1;
  std::unique_ptr<Decision> yes, no;
  std::vector<int> outputs;  // of a leaf; -1: unchanged
  bool is_leaf() const { return !yes; }
};

struct StepLoop {
  int start = -1, duration = -1, scale = -1;  // nodes outside; the loop's own value is the change from the start
  int next_value = -1, next_time = -1, next_length = -1, next_state = -1;
};

struct StepParameter {
  std::string name;  // key, with _backward for the other set
  std::string key, symbol, unit, meaning;
  bool backward = false, is_list = false;
  std::vector<double> values;  // one for a number
};

enum class StateKind : std::uint8_t { number, choice };  // choice: -1, 0 or 1

struct StepState {
  std::string name, meaning;
  StateKind kind = StateKind::number;
  std::size_t count = 0;  // entries of a list; 0: one number
  bool per_element = false;
  bool is_used = true;
};

struct StepProgram {
  std::string model;
  std::vector<StepParameter> parameters;
  std::vector<std::string> fixed;  // what is written into the code: choices, tables, and why
  std::vector<StepState> states;
  std::vector<Node> nodes;
  std::vector<Symbol> symbols;
  std::vector<StepLoop> loops;
  Decision step;  // outputs: force, then every entry of every state (of those that are not per element)
  std::unique_ptr<Decision> per_element;  // run before, for each element; outputs: every state, element states at hand
  std::size_t elements = 0;
  bool needs_mass = false, needs_load = false, needs_pressure = false, needs_temperature = false,
       needs_position = false;
  double fixed_duration = 0;  // a sampled law: the only length of step it has [s]; 0: any

  /// Entries of a list among the parameters.
  std::size_t elements_of_list(std::string_view key) const {
    for (const auto& p : parameters)
      if (p.key == key) return p.values.size();
    return 0;
  }

  int passes = 60;  // of a loop, at most
};

/// Why there is no program, with a suggested fix.
struct StepRefusal {
  std::string reason;
};

struct TracedStep {
  std::unique_ptr<StepProgram> program;  // none: see refusal
  std::string refusal;
};
/// Records the step of this law with these settings; for laws with a mass in them `mass` is the start value [kg].
TracedStep trace_step(const Friction& friction);

/// At rest, before the first step.
double start_of(const StepState& state);
bool compare(Comparison c, double a, double b);
std::string_view quantity_word(Quantity over);

/// The program run here, in double: the same operations in the same order as the generated code.
class StepRunner {
 public:
  /// `single`: every operation rounded as float does.
  StepRunner(const StepProgram& program, double mass, bool single = false);
  double step(double velocity, double h);
  void set_load(double load) { load_ = load; }
  void set_pressure(double pressure) { pressure_ = pressure; }
  void set_temperature(double temperature) { temperature_ = temperature; }
  void set_position(double position);

 private:
  const Decision& run(const Decision& tree, int element);
  double value(int node, int element);
  double symbol(const Symbol& s, int element);
  double run_loop(const Node& result, int element);

  const StepProgram& program_;
  std::vector<std::vector<double>> states_, next_;
  std::vector<double> values_;
  std::vector<int> stamp_;  // for which run or pass a value was computed
  int now_ = 0, pass_ = 0, passes_ = 0;
  bool single_;
  double velocity_ = 0, duration_ = 0, load_ = 0, pressure_ = 0, temperature_ = room_temperature, mass_ = 1;
  struct LoopState {
    double value = 0, state = 0, time = 0, length = 0, final_pass = 0;
  };
  std::vector<LoopState> loops_;
};

/// The most operations one step can take, by kind.
struct OperationCount {
  std::size_t additions = 0, multiplications = 0, divisions = 0, comparisons = 0, roots = 0, transcendental = 0;
  std::size_t total() const { return additions + multiplications + divisions + comparisons + roots + transcendental; }
};
OperationCount most_operations(const StepProgram& program);

}  // namespace stickslip::inline exports
