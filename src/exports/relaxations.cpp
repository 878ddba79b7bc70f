/// See relaxations.hpp.
#include "exports/relaxations.hpp"

#include <optional>
#include <utility>

namespace stickslip::inline exports {
namespace {

constexpr double where_half = -0.6931471805599453;  // e^x is 1/2

struct Relaxation {
  int state, away, exponent;  // z, z − s and x
};
struct FadingLevel {
  int at_rest, fall, fading, argument;  // A, A − C, eˣ or 1/(1 + r), x or r
};

class Rewriting {
 public:
  explicit Rewriting(StepProgram& p) : p_(p), now_(p.nodes.size(), -1) {}

  int run() {
    int found = 0;
    for (std::size_t i = 0; i < p_.nodes.size(); ++i) {
      Node n = p_.nodes[i];
      const auto step = relaxation(n);
      const auto level = fading_level(n);
      for (int& operand : n.operand) operand = now(operand);
      if (step) n = short_step(*step, n), ++found;
      if (level) n = near_rest(*level, n), ++found;
      now_[i] = put(n);
    }
    renumber(p_.step);
    if (p_.per_element) renumber(*p_.per_element);
    for (StepLoop& l : p_.loops)
      for (int* part : {&l.start, &l.duration, &l.scale, &l.next_value, &l.next_time, &l.next_length, &l.next_state})
        *part = now(*part);
    p_.nodes = std::move(nodes_);
    return found;
  }

 private:
  const Node& old(int node) const { return p_.nodes[std::size_t(node)]; }
  int now(int node) const { return node < 0 ? node : now_[std::size_t(node)]; }
  bool is_state(int node) const {
    return old(node).operation == Operation::symbol &&
           p_.symbols[std::size_t(old(node).index)].kind == SymbolKind::state;
  }
  int put(const Node& n) {
    nodes_.push_back(n);
    return int(nodes_.size()) - 1;
  }
  int put(Operation operation, int a, int b, int loop) {
    Node n;
    n.operation = operation;
    n.operand = {a, b, -1, -1};
    n.loop = loop;
    return put(n);
  }

  /// The left side of (1), its factors and terms in any order.
  std::optional<Relaxation> relaxation(const Node& n) const {
    if (n.operation != Operation::add) return {};
    for (const std::size_t side : {0u, 1u}) {
      const int steady = n.operand[side], product = n.operand[1 - side];
      if (old(product).operation != Operation::multiply) continue;
      for (const std::size_t factor : {0u, 1u}) {
        const int away = old(product).operand[factor], decay = old(product).operand[1 - factor];
        if (old(away).operation != Operation::subtract || old(decay).operation != Operation::exponential) continue;
        const int state = old(away).operand[0];
        if (old(away).operand[1] == steady && is_state(state)) return Relaxation{state, away, old(decay).operand[0]};
      }
    }
    return {};
  }
  /// `near` where the argument is below the limit of `far`'s good digits, which is the left side.
  Node either(int argument, Comparison comparison, double limit, const Node& far, int near) {
    Node constant, n;
    constant.constant = limit;
    n.operation = Operation::select;
    n.comparison = comparison;
    n.operand = {argument, put(constant), put(far), near};
    n.loop = far.loop;
    if (comparison == Comparison::less) return n;
    std::swap(n.operand[0], n.operand[1]);
    return n;
  }
  /// eˣ − 1.
  int less_one(int x) { return put(Operation::multiply, x, put(Operation::growth, x, -1, loop_of(x)), loop_of(x)); }
  /// The right side of (1).
  Node short_step(const Relaxation& r, const Node& far) {
    const int x = now(r.exponent), change = put(Operation::multiply, now(r.away), less_one(x), far.loop);
    return either(x, Comparison::less, where_half, far, put(Operation::add, now(r.state), change, far.loop));
  }
  /// The left side of (2) or (3), its factors and terms in any order.
  std::optional<FadingLevel> fading_level(const Node& n) const {
    if (n.operation != Operation::add) return {};
    for (const std::size_t side : {0u, 1u}) {
      const int last = n.operand[side], product = n.operand[1 - side];
      if (old(product).operation != Operation::multiply) continue;
      for (const std::size_t factor : {0u, 1u}) {
        const int fall = old(product).operand[factor], fading = old(product).operand[1 - factor];
        if (old(fall).operation != Operation::subtract || old(fall).operand[1] != last) continue;
        const FadingLevel found{old(fall).operand[0], fall, fading, old(fading).operand[0]};
        if (old(fading).operation == Operation::exponential) return found;
        if (const int r = ratio_of(fading); r >= 0) return FadingLevel{found.at_rest, fall, fading, r};
      }
    }
    return {};
  }
  bool is_one(int node) const { return old(node).operation == Operation::constant && old(node).constant == 1; }
  /// r of 1/(1 + r), or -1.
  int ratio_of(int node) const {
    const Node& n = old(node);
    if (n.operation != Operation::divide || !is_one(n.operand[0])) return -1;
    const Node& sum = old(n.operand[1]);
    if (sum.operation != Operation::add) return -1;
    return is_one(sum.operand[0]) ? sum.operand[1] : is_one(sum.operand[1]) ? sum.operand[0] : -1;
  }
  /// The right side of (2) or (3).
  Node near_rest(const FadingLevel& l, const Node& far) {
    const int x = now(l.argument), at_rest = now(l.at_rest), fall = now(l.fall);
    if (old(l.fading).operation == Operation::exponential) {
      const int fallen = put(Operation::multiply, fall, less_one(x), far.loop);
      return either(x, Comparison::less, where_half, far, put(Operation::add, at_rest, fallen, far.loop));
    }
    const int share = put(Operation::multiply, x, now(l.fading), loop_of(x));
    const int fallen = put(Operation::multiply, fall, share, far.loop);
    return either(x, Comparison::less_equal, 1, far, put(Operation::subtract, at_rest, fallen, far.loop));
  }
  int loop_of(int node) const { return nodes_[std::size_t(node)].loop; }
  void renumber(Decision& d) const {
    for (int& output : d.outputs) output = now(output);
    if (d.is_leaf()) return;
    d.left = now(d.left), d.right = now(d.right);
    renumber(*d.yes), renumber(*d.no);
  }

  StepProgram& p_;
  std::vector<Node> nodes_;
  std::vector<int> now_;  // the number of each old node
};

}  // namespace

int relax_from_the_state(StepProgram& program) { return Rewriting(program).run(); }

}  // namespace stickslip::inline exports
