/// See tape.hpp.
#include "exports/trace/tape.hpp"

#include <cmath>

#include "core/scalar.hpp"

namespace stickslip::inline exports {
namespace {

constexpr std::size_t most_leaves = 2000, most_asked = 300;

bool compares(Comparison c, double a, double b) {
  switch (c) {
    case Comparison::less:
      return a < b;
    case Comparison::less_equal:
      return a <= b;
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
  }
  return false;
}
/// Which of <, =, > satisfy a comparison.
unsigned relations_of(Comparison c) {
  switch (c) {
    case Comparison::less:
      return 1;
    case Comparison::less_equal:
      return 3;
    case Comparison::equal:
      return 2;
    case Comparison::not_equal:
      return 5;
  }
  return 7;
}
unsigned mirrored(unsigned relations) { return (relations & 2u) | (relations & 1u) << 2 | (relations & 4u) >> 2; }

bool same_tree(const Decision& a, const Decision& b) {
  if (a.is_leaf() != b.is_leaf()) return false;
  if (a.is_leaf()) return a.outputs == b.outputs;
  return a.comparison == b.comparison && a.left == b.left && a.right == b.right && same_tree(*a.yes, *b.yes) &&
         same_tree(*a.no, *b.no);
}

}  // namespace

int Tape::add(const Node& node) {
  const auto key = std::tuple(int(node.operation), node.operand[0], node.operand[1], node.operand[2], node.operand[3],
                              int(node.comparison), std::isnan(node.constant) ? 0.125e300 : node.constant, node.index,
                              node.operation == Operation::constant && std::signbit(node.constant) ? 1 : 0);
  const auto [place, is_new] = found_.try_emplace(key, int(program_.nodes.size()));
  if (is_new) program_.nodes.push_back(node);
  return place->second;
}

int Tape::constant(double value) {
  Node node;
  node.constant = value;
  return add(node);
}
int Tape::symbol(const Symbol& s) {
  std::size_t i = 0;
  while (i < program_.symbols.size() && !(program_.symbols[i] == s)) ++i;
  if (i == program_.symbols.size()) program_.symbols.push_back(s);
  Node node;
  node.operation = Operation::symbol;
  node.index = int(i);
  if (s.kind == SymbolKind::loop_value || s.kind == SymbolKind::loop_state || s.kind == SymbolKind::loop_time ||
      s.kind == SymbolKind::loop_length || s.kind == SymbolKind::loop_final)
    node.loop = s.which;
  return add(node);
}

int Tape::put(Operation op, int a, int b, int c, int d, Comparison comparison) {
  const auto is = [&](int node, double x) { return node >= 0 && is_constant(node) && value(node) == x; };
  const bool all_constant = is_constant(a) && (b < 0 || is_constant(b));
  const double x = is_constant(a) ? value(a) : 0, y = b >= 0 && is_constant(b) ? value(b) : 0;
  const auto node_of = [&](int n) -> const Node& { return program_.nodes[std::size_t(n)]; };
  switch (op) {
    case Operation::add:
      if (all_constant) return constant(x + y);
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      break;
    case Operation::subtract:
      if (all_constant) return constant(x - y);
      if (is(b, 0)) return a;
      if (is(a, 0)) return put(Operation::negate, b);
      // (x + d) - x is d, with all its digits: a velocity from two places far from the origin would have few in float.
      if (node_of(a).operation == Operation::add)
        for (const std::size_t side : {0u, 1u})
          if (node_of(a).operand[side] == b) return node_of(a).operand[1 - side];
      break;
    case Operation::multiply:
      if (all_constant) return constant(x * y);
      if (is(a, 0) || is(b, 0)) return constant(0);
      if (is(a, 1)) return b;
      if (is(b, 1)) return a;
      if (is(a, -1)) return put(Operation::negate, b);
      if (is(b, -1)) return put(Operation::negate, a);
      break;
    case Operation::divide:
      if (all_constant) return constant(x / y);
      if (is(a, 0)) return constant(0);
      if (is(b, 1)) return a;
      if (node_of(a).operation == Operation::multiply && node_of(a).operand[0] == b) return node_of(a).operand[1];
      break;
    case Operation::negate:
      if (all_constant) return constant(-x);
      if (node_of(a).operation == Operation::negate) return node_of(a).operand[0];
      break;
    case Operation::absolute:
      if (all_constant) return constant(std::fabs(x));
      break;
    case Operation::sign:
      if (all_constant) return constant(stickslip::sign(x));
      if (known(Comparison::less, constant(0), a) == 1) return constant(1);
      if (known(Comparison::less, a, constant(0)) == 1) return constant(-1);
      break;
    case Operation::smaller:
      if (all_constant) return constant(stickslip::min(x, y));
      if (a == b) return a;
      break;
    case Operation::larger:
      if (all_constant) return constant(stickslip::max(x, y));
      if (a == b) return a;
      break;
    case Operation::square_root:
      if (all_constant) return constant(std::sqrt(x));
      break;
    case Operation::exponential:
      if (all_constant) return constant(stickslip::exp(x));
      break;
    case Operation::logarithm:
      if (all_constant) return constant(std::log(x));
      break;
    case Operation::logarithm_1:
      if (all_constant) return constant(std::log1p(x));
      break;
    case Operation::power:
      if (all_constant) return constant(stickslip::power(x, y));
      if (is(b, 2)) return put(Operation::multiply, a, a);
      if (is(b, 1)) return a;
      break;
    case Operation::sine:
      if (all_constant) return constant(std::sin(x));
      break;
    case Operation::cosine:
      if (all_constant) return constant(std::cos(x));
      break;
    case Operation::arc_tangent:
      if (all_constant) return constant(std::atan(x));
      break;
    case Operation::cube_root:
      if (all_constant) return constant(std::cbrt(x));
      break;
    case Operation::growth:
      if (all_constant) return constant(std::fabs(x) < 1e-300 ? 1 : std::expm1(x) / x);
      break;
    case Operation::floor:
      if (all_constant) return constant(std::floor(x));
      break;
    case Operation::select: {
      const int answer = known(comparison, a, b);
      if (answer >= 0) return answer == 1 ? c : d;
      if (c == d) return c;
      break;
    }
    default:
      break;
  }
  Node node;
  node.operation = op;
  node.comparison = comparison;
  node.operand = {a, b, c, d};
  for (const int operand : node.operand)
    if (operand >= 0 && node_of(operand).loop >= 0) node.loop = node_of(operand).loop;
  return add(node);
}

int Tape::known(Comparison comparison, int a, int b) const {
  if (is_constant(a) && is_constant(b)) return compares(comparison, value(a), value(b)) ? 1 : 0;
  if (a == b) return compares(comparison, 0, 0) ? 1 : 0;
  const bool swapped = a > b;
  const auto place = relation_.find(swapped ? std::pair(b, a) : std::pair(a, b));
  unsigned possible = place == relation_.end() ? 7u : place->second;
  if (swapped) possible = mirrored(possible);
  const unsigned asked = relations_of(comparison);
  if ((possible & ~asked) == 0) return 1;
  if ((possible & asked) == 0) return 0;
  return -1;
}
void Tape::learn(Comparison comparison, int a, int b, bool answer) {
  unsigned left = relations_of(comparison);
  if (!answer) left = 7u & ~left;
  const bool swapped = a > b;
  if (swapped) left = mirrored(left);
  const auto [place, is_new] = relation_.try_emplace(swapped ? std::pair(b, a) : std::pair(a, b), 7u);
  place->second &= left;
}
bool Tape::decide(Comparison comparison, int a, int b) {
  const int answer = known(comparison, a, b);
  if (answer >= 0) return answer == 1;
  if (loop_ >= 0) throw StepRefusal{"its step decides by numbers inside a repeated part"};
  if (asked_.size() > most_asked) throw StepRefusal{"the number of its decisions has no bound"};
  if (replayed_ == asked_.size()) asked_.push_back({comparison, a, b, true, false});
  const Asked& asked = asked_[replayed_++];
  learn(comparison, a, b, asked.answer);
  return asked.answer;
}

Decision Tape::explore(const std::function<std::vector<int>()>& function) {
  Decision root;
  asked_.clear();
  for (std::size_t leaves = 0;; ++leaves) {
    if (leaves == most_leaves)
      throw StepRefusal{"its step has more than " + std::to_string(most_leaves) + " ways through its decisions"};
    replayed_ = 0;
    relation_.clear();
    std::vector<int> outputs = function();
    Decision* place = &root;
    for (const Asked& a : asked_) {
      if (place->is_leaf()) {
        place->comparison = a.comparison;
        place->left = a.left;
        place->right = a.right;
        place->yes = std::make_unique<Decision>();
        place->no = std::make_unique<Decision>();
      }
      place = a.answer ? place->yes.get() : place->no.get();
    }
    place->outputs = std::move(outputs);
    while (!asked_.empty() && asked_.back().flipped) asked_.pop_back();
    if (asked_.empty()) break;
    asked_.back().answer = false;
    asked_.back().flipped = true;
  }
  relation_.clear();
  const std::function<void(Decision&)> merge = [&](Decision& d) {
    if (d.is_leaf()) return;
    merge(*d.yes);
    merge(*d.no);
    if (!same_tree(*d.yes, *d.no)) return;
    Decision kept = std::move(*d.yes);
    d = std::move(kept);
  };
  merge(root);
  return root;
}

int Tape::begin_loop(int start, int duration, int scale) {
  loop_ = 0;
  while (std::size_t(loop_) < program_.loops.size()) {
    const StepLoop& l = program_.loops[std::size_t(loop_)];
    if (l.start == start && l.duration == duration && l.scale == scale) return loop_;
    ++loop_;
  }
  program_.loops.push_back({start, duration, scale, -1, -1, -1, -1});
  return loop_;
}
void Tape::end_loop(int loop, const StepLoop& ends) {
  StepLoop& l = program_.loops[std::size_t(loop)];
  if (l.next_value >= 0 && l.next_value != ends.next_value)
    throw StepRefusal{"one of its repeated parts has two forms"};
  l = ends;
  loop_ = -1;
}

int Tape::change(int from, int to) {
  if (from == to) return constant(0);
  const Node& n = program_.nodes[std::size_t(to)];
  if (n.operation == Operation::add)
    for (const std::size_t side : {0u, 1u})
      if (n.operand[side] == from) return n.operand[1 - side];
  if (n.operation == Operation::select) {
    const Node either = n;  // nodes move when new ones are put
    const int yes = change(from, either.operand[2]), no = change(from, either.operand[3]);
    return put(Operation::select, either.operand[0], either.operand[1], yes, no, either.comparison);
  }
  return put(Operation::subtract, to, from);
}
int Tape::loop_result(int loop, bool is_state) {
  Node node;
  node.operation = Operation::loop_result;
  node.constant = is_state ? 1 : 0;
  node.index = loop;
  return add(node);
}

}  // namespace stickslip::inline exports
