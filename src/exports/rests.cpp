/// See rests.hpp.
#include "exports/rests.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace stickslip::inline exports {
namespace {

class Rests {
 public:
  explicit Rests(StepProgram& p) : p_(p) {}

  int run() {
    const std::size_t before = p_.states.size();
    for (std::size_t s = 0; s < before; ++s)
      if (p_.states[s].kind == StateKind::number && is_added_up(int(s))) give(int(s));
    in_order();
    return int(p_.states.size() - before);
  }

 private:
  // ---- which states

  const Node& at(int node) const { return p_.nodes[std::size_t(node)]; }
  bool is_entry(int node, int which) const {
    if (node < 0 || at(node).operation != Operation::symbol) return false;
    const Symbol& s = p_.symbols[std::size_t(at(node).index)];
    return s.kind == SymbolKind::state && s.which == which;
  }
  /// The state entry that a chain of sums begins with, or -1.
  int begins_with(int node, int which) const {
    const Node& n = at(node);
    if (n.loop >= 0 || (n.operation != Operation::add && n.operation != Operation::subtract)) return -1;
    for (const std::size_t side : {0u, 1u}) {
      if (side == 1 && n.operation == Operation::subtract) break;
      if (is_entry(n.operand[side], which)) return n.operand[side];
      if (const int found = begins_with(n.operand[side], which); found >= 0) return found;
    }
    return -1;
  }
  bool has_sum(int node, int which) const {
    if (node < 0) return false;
    if (begins_with(node, which) >= 0) return true;
    const Node& n = at(node);
    if (n.operation == Operation::smaller || n.operation == Operation::larger)
      return has_sum(n.operand[0], which) || has_sum(n.operand[1], which);
    return n.operation == Operation::select && (has_sum(n.operand[2], which) || has_sum(n.operand[3], which));
  }
  std::size_t count_of(std::size_t s, bool inner) const {
    return p_.states[s].per_element && inner ? 1 : std::max<std::size_t>(1, p_.states[s].count);
  }
  std::size_t first_of(int which, bool inner) const {
    std::size_t first = inner ? 0 : 1;
    for (std::size_t s = 0; s < std::size_t(which); ++s) first += count_of(s, inner);
    return first;
  }
  void each_leaf(Decision& d, const std::function<void(Decision&)>& visit) const {
    if (d.is_leaf()) return visit(d);
    each_leaf(*d.yes, visit);
    each_leaf(*d.no, visit);
  }
  /// The tree that changes states: that of the elements where there is one.
  Decision& changing() { return p_.per_element ? *p_.per_element : p_.step; }
  bool is_inner() const { return p_.per_element != nullptr; }
  bool is_added_up(int which) {
    if (p_.per_element && !p_.states[std::size_t(which)].per_element) return false;
    bool found = false;
    const std::size_t first = first_of(which, is_inner()), count = count_of(std::size_t(which), is_inner());
    each_leaf(changing(), [&](Decision& leaf) {
      for (std::size_t i = 0; i < count; ++i) found = found || has_sum(leaf.outputs[first + i], which);
    });
    return found;
  }

  // ---- new nodes: equal ones once, so that branches which do the same are still seen to

  int put(Operation operation, int a, int b, int c = -1, int d = -1, Comparison comparison = Comparison::less) {
    const auto [place, is_new] = made_.try_emplace(std::tuple(operation, a, b, c, d, comparison), int(p_.nodes.size()));
    if (!is_new) return place->second;
    Node n;
    n.operation = operation;
    n.comparison = comparison;
    n.operand = {a, b, c, d};
    p_.nodes.push_back(n);
    return int(p_.nodes.size()) - 1;
  }
  int zero() { return put(Operation::constant, -1, -1); }
  int rest_symbol(int state_node, int rest_state) {
    Symbol s = p_.symbols[std::size_t(at(state_node).index)];
    s.which = rest_state;
    for (std::size_t i = 0; i < p_.nodes.size(); ++i)
      if (p_.nodes[i].operation == Operation::symbol && p_.symbols[std::size_t(p_.nodes[i].index)] == s) return int(i);
    p_.symbols.push_back(s);
    Node n;
    n.operation = Operation::symbol;
    n.index = int(p_.symbols.size()) - 1;
    p_.nodes.push_back(n);
    return int(p_.nodes.size()) - 1;
  }
  /// The chain without the state it begins with; -1: nothing else.
  int others(int node, int which) {
    const Node n = at(node);
    for (const std::size_t side : {0u, 1u}) {
      if (side == 1 && n.operation == Operation::subtract) break;
      const int term = n.operand[1 - side];
      if (is_entry(n.operand[side], which))
        return n.operation == Operation::add ? term : put(Operation::negate, term, -1);
      if (begins_with(n.operand[side], which) >= 0) return put(n.operation, others(n.operand[side], which), term);
    }
    return -1;
  }
  /// Eq. (1): the sum with the rest in it, in place of the old one, and its new rest.
  int sum_with_rest(int node, int which, int rest_state) {
    if (const auto found = sums_.find(node); found != sums_.end()) return found->second;
    const int z = begins_with(node, which);
    const int t = put(Operation::add, others(node, which), rest_symbol(z, rest_state));
    Node& n = p_.nodes[std::size_t(node)];
    n.operation = Operation::add;
    n.operand = {z, t, -1, -1};
    const int taken = put(Operation::subtract, node, z);
    const int of_state = put(Operation::subtract, z, put(Operation::subtract, node, taken));
    return sums_[node] = put(Operation::add, of_state, put(Operation::subtract, t, taken));
  }
  int rest_of(int node, int which, int rest_state) {
    if (is_entry(node, which)) return rest_symbol(node, rest_state);
    if (begins_with(node, which) >= 0) return sum_with_rest(node, which, rest_state);
    const Node n = at(node);
    if (!has_sum(node, which)) return zero();
    if (n.operation == Operation::select) {
      const int yes = rest_of(n.operand[2], which, rest_state), no = rest_of(n.operand[3], which, rest_state);
      return put(Operation::select, n.operand[0], n.operand[1], yes, no, n.comparison);
    }
    const int a = rest_of(n.operand[0], which, rest_state), b = rest_of(n.operand[1], which, rest_state);
    const bool smaller = n.operation == Operation::smaller;
    return put(Operation::select, n.operand[smaller ? 1 : 0], n.operand[smaller ? 0 : 1], b, a);
  }
  void give(int which) {
    const int rest_state = int(p_.states.size());
    const std::size_t first = first_of(which, is_inner()), count = count_of(std::size_t(which), is_inner());
    StepState rest = p_.states[std::size_t(which)];
    rest.name += "_rest";
    rest.meaning = "of " + p_.states[std::size_t(which)].name + ": what rounding dropped";
    p_.states.push_back(rest);
    sums_.clear();
    each_leaf(changing(), [&](Decision& leaf) {
      std::vector<int> rests;
      for (std::size_t i = 0; i < count; ++i) {
        const int node = leaf.outputs[first + i];
        rests.push_back(node < 0 ? -1 : rest_of(node, which, rest_state));
      }
      leaf.outputs.insert(leaf.outputs.end(), rests.begin(), rests.end());
    });
  }

  // ---- order of evaluation

  void in_order() {
    std::vector<int> now(p_.nodes.size(), -1);
    std::vector<Node> nodes;
    const std::function<void(int)> take = [&](int node) {
      if (node < 0 || now[std::size_t(node)] >= 0) return;
      Node n = at(node);
      if (n.operation == Operation::loop_result) {
        const StepLoop& l = p_.loops[std::size_t(n.index)];
        for (const int part : {l.start, l.duration, l.scale, l.next_value, l.next_time, l.next_length, l.next_state})
          take(part);
      }
      for (int& operand : n.operand)
        if (operand >= 0) take(operand), operand = now[std::size_t(operand)];
      now[std::size_t(node)] = int(nodes.size());
      nodes.push_back(n);
    };
    for (std::size_t i = 0; i < p_.nodes.size(); ++i) take(int(i));
    const auto renumbered = [&](int node) { return node < 0 ? node : now[std::size_t(node)]; };
    const std::function<void(Decision&)> renumber = [&](Decision& d) {
      for (int& output : d.outputs) output = renumbered(output);
      if (d.is_leaf()) return;
      d.left = renumbered(d.left), d.right = renumbered(d.right);
      renumber(*d.yes), renumber(*d.no);
    };
    renumber(p_.step);
    if (p_.per_element) renumber(*p_.per_element);
    for (StepLoop& l : p_.loops)
      for (int* part : {&l.start, &l.duration, &l.scale, &l.next_value, &l.next_time, &l.next_length, &l.next_state})
        *part = renumbered(*part);
    p_.nodes = std::move(nodes);
  }

  StepProgram& p_;
  std::map<std::tuple<Operation, int, int, int, int, Comparison>, int> made_;
  std::map<int, int> sums_;  // sums that have their rest, and that rest
};

}  // namespace

int keep_rests(StepProgram& program) { return Rests(program).run(); }

}  // namespace stickslip::inline exports
