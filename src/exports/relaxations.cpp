/// See relaxations.hpp.
#include "exports/relaxations.hpp"

#include <optional>

namespace stickslip {
namespace {

constexpr double all_of_it = -80;  // e^-80 is nothing beside 1, and larger numbers are still finite in float

struct Relaxation {
  int state, away, exponent;  // z, z − s and x
};

class Rewriting {
 public:
  explicit Rewriting(StepProgram& p) : p_(p), now_(p.nodes.size(), -1) {}

  int run() {
    int found = 0;
    for (std::size_t i = 0; i < p_.nodes.size(); ++i) {
      Node n = p_.nodes[i];
      if (const auto r = relaxation(n)) {
        n.operand = {now(r->state), change(*r, n.loop), -1, -1};
        ++found;
      } else {
        for (int& operand : n.operand) operand = now(operand);
      }
      now_[i] = put(n);
    }
    renumber(p_.step);
    if (p_.per_element) renumber(*p_.per_element);
    for (StepLoop& l : p_.loops)
      for (int* part : {&l.start, &l.duration, &l.scale, &l.next_value, &l.next_time, &l.next_length})
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
  /// (z − s)(eˣ − 1).
  int change(const Relaxation& r, int loop) {
    Node least;
    least.constant = all_of_it;
    const int x = put(Operation::larger, now(r.exponent), put(least), loop);
    const int less = put(Operation::multiply, x, put(Operation::growth, x, -1, loop), loop);
    return put(Operation::multiply, now(r.away), less, loop);
  }
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

int relax_from_the_state(StepProgram& program) { return program.loops.empty() ? Rewriting(program).run() : 0; }

}  // namespace stickslip
