/// See c_code.hpp.
/// Operations that both sides of a decision need are written before it; those used once are written where they are used.
#include "exports/c_code.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/text.hpp"

namespace stickslip::inline exports {
namespace {

class Writer {
 public:
  explicit Writer(const StepProgram& program) : p_(program), uses_(program.nodes.size(), 0) {
    std::set<int> counted;
    if (p_.per_element) count_uses(*p_.per_element, counted);
    count_uses(p_.step, counted);
  }

  std::string body() {
    if (p_.per_element) {
      load_states(false);
      element_loop();
      text_ += "\n";
      load_states(true);
    } else {
      load_states(true);
    }
    inner_ = false;
    decide(p_.step, {}, 1);
    return text_;
  }

 private:
  // ---- which nodes

  void count_uses(const Decision& d, std::set<int>& counted) {
    for (const int node : d.outputs) use(node, counted);
    if (d.is_leaf()) return;
    use(d.left, counted);
    use(d.right, counted);
    count_uses(*d.yes, counted);
    count_uses(*d.no, counted);
  }
  void use(int node, std::set<int>& counted) {
    if (node < 0) return;
    ++uses_[std::size_t(node)];
    if (!counted.insert(node).second) return;
    for (const int part : parts_of(node)) use(part, counted);
  }
  std::vector<int> parts_of(int node) const {
    const Node& n = at(node);
    std::vector<int> parts;
    for (const int operand : n.operand)
      if (operand >= 0) parts.push_back(operand);
    if (n.operation == Operation::loop_result) {
      const StepLoop& l = p_.loops[std::size_t(n.index)];
      for (const int part : {l.start, l.duration, l.scale, l.next_value, l.next_time, l.next_length, l.next_state})
        parts.push_back(part);
    }
    return parts;
  }
  void collect(int node, std::set<int>& into) const {
    if (node < 0 || !into.insert(node).second) return;
    for (const int part : parts_of(node)) collect(part, into);
  }
  /// What is computed whichever way the decisions go.
  std::set<int> always(const Decision& d) const {
    std::set<int> found;
    for (const int node : d.outputs) collect(node, found);
    if (d.is_leaf()) return found;
    collect(d.left, found);
    collect(d.right, found);
    const std::set<int> both = common(d);
    found.insert(both.begin(), both.end());
    return found;
  }
  std::set<int> common(const Decision& d) const {
    const std::set<int> yes = always(*d.yes), no = always(*d.no);
    std::set<int> both;
    std::set_intersection(yes.begin(), yes.end(), no.begin(), no.end(), std::inserter(both, both.begin()));
    return both;
  }

  // ---- text

  const Node& at(int node) const { return p_.nodes[std::size_t(node)]; }
  static std::string pad(int depth) { return std::string(std::size_t(2 * depth), ' '); }
  std::string local(const Symbol& s) const {
    const StepState& state = p_.states[std::size_t(s.which)];
    return s.index >= 0 ? state.name + "_" + std::to_string(s.index) : state.name;
  }
  std::string symbol(const Symbol& s) const {
    switch (s.kind) {
      case SymbolKind::parameter: {
        const StepParameter& q = p_.parameters[std::size_t(s.which)];
        if (s.index == whole) return "p->" + q.name;
        return "p->" + q.name + "[" + (s.index == each_element ? "i" : std::to_string(s.index)) + "]";
      }
      case SymbolKind::state:
        return local(s);
      case SymbolKind::velocity:
        return "velocity";
      case SymbolKind::duration:
        return "h";
      case SymbolKind::load:
        return "load";
      case SymbolKind::pressure:
        return "pressure";
      case SymbolKind::temperature:
        return "temperature";
      case SymbolKind::mass:
        return "p->mass";
      case SymbolKind::loop_value:
        return "y" + std::to_string(s.which);
      case SymbolKind::loop_state:
        return "z" + std::to_string(s.which);
      case SymbolKind::loop_time:
        return "time" + std::to_string(s.which);
      case SymbolKind::loop_length:
        return "length" + std::to_string(s.which);
      case SymbolKind::loop_final:
        return "final" + std::to_string(s.which);
      case SymbolKind::tolerance:
        return "STICKSLIP_AGREED";
      case SymbolKind::rounding:
        return "STICKSLIP_ROUNDING";
    }
    return {};
  }
  bool is_choice(int node) const {
    if (at(node).operation != Operation::symbol) return false;
    const Symbol& s = p_.symbols[std::size_t(at(node).index)];
    return s.kind == SymbolKind::state && p_.states[std::size_t(s.which)].kind == StateKind::choice;
  }
  /// Stands where it is used: numbers, names, and short terms that are used once.
  bool is_inline(int node) const {
    const Node& n = at(node);
    if (n.operation == Operation::constant || n.operation == Operation::symbol) return true;
    if (n.operation == Operation::loop_result) return false;
    return uses_[std::size_t(node)] == 1 && depth_of(node) <= 3;
  }
  int depth_of(int node) const {
    if (names_.contains(node)) return 0;
    const Node& n = at(node);
    if (n.operation == Operation::constant || n.operation == Operation::symbol || n.operation == Operation::loop_result)
      return 0;
    int deepest = 0;
    for (const int operand : n.operand)
      if (operand >= 0 && uses_[std::size_t(operand)] == 1) deepest = std::max(deepest, depth_of(operand));
    return deepest + 1;
  }
  std::string reference(int node) {
    if (const auto found = names_.find(node); found != names_.end()) return found->second;
    const Node& n = at(node);
    if (n.operation == Operation::constant) return c_number(n.constant);
    if (n.operation == Operation::symbol) return symbol(p_.symbols[std::size_t(n.index)]);
    const bool is_call = n.operation >= Operation::absolute && n.operation <= Operation::floor;
    return is_call ? term(node) : "(" + term(node) + ")";
  }
  std::string condition(Comparison c, int a, int b) {
    const auto side = [&](int node, int other) {
      if (at(node).operation == Operation::constant && is_choice(other)) return std::to_string(int(at(node).constant));
      return reference(node);
    };
    const char* sign = c == Comparison::less         ? " < "
                       : c == Comparison::less_equal ? " <= "
                       : c == Comparison::equal      ? " == "
                                                     : " != ";
    return side(a, b) + sign + side(b, a);
  }
  std::string term(int node) {
    const Node& n = at(node);
    const auto x = [&](std::size_t i) { return reference(n.operand[i]); };
    const auto call = [&](const std::string& name) { return name + "(" + bare(n.operand[0]) + ")"; };
    const auto call2 = [&](const std::string& name) {
      return name + "(" + bare(n.operand[0]) + ", " + bare(n.operand[1]) + ")";
    };
    switch (n.operation) {
      case Operation::add:
        return x(0) + " + " + x(1);
      case Operation::subtract:
        return x(0) + " - " + x(1);
      case Operation::multiply:
        return x(0) + " * " + x(1);
      case Operation::divide:
        return x(0) + " / " + x(1);
      case Operation::negate:
        return "-" + x(0);
      case Operation::absolute:
        return call("STICKSLIP_LIBM(fabs)");
      case Operation::sign:
        return call("stickslip_sign");
      case Operation::smaller:
        return call2("stickslip_smaller");
      case Operation::larger:
        return call2("stickslip_larger");
      case Operation::square_root:
        return call("STICKSLIP_LIBM(sqrt)");
      case Operation::exponential:
        return call("stickslip_exp");
      case Operation::logarithm:
        return call("STICKSLIP_LIBM(log)");
      case Operation::logarithm_1:
        return call("STICKSLIP_LIBM(log1p)");
      case Operation::power:
        return call2("stickslip_power");
      case Operation::sine:
        return call("STICKSLIP_LIBM(sin)");
      case Operation::cosine:
        return call("STICKSLIP_LIBM(cos)");
      case Operation::arc_tangent:
        return call("STICKSLIP_LIBM(atan)");
      case Operation::cube_root:
        return call("STICKSLIP_LIBM(cbrt)");
      case Operation::growth:
        return call("stickslip_growth");
      case Operation::floor:
        return call("STICKSLIP_LIBM(floor)");
      case Operation::select:
        return condition(n.comparison, n.operand[0], n.operand[1]) + " ? " + x(2) + " : " + x(3);
      case Operation::constant:
      case Operation::symbol:
      case Operation::loop_result:
        break;
    }
    return reference(node);
  }
  /// Without brackets around it.
  std::string bare(int node) {
    if (names_.contains(node) || at(node).operation == Operation::constant || at(node).operation == Operation::symbol)
      return reference(node);
    return term(node);
  }
  /// Writes the operands of the node, and the node itself unless it is written where it is used.
  void define(int node, int depth) {
    if (node < 0 || names_.contains(node)) return;
    const Node& n = at(node);
    if (n.operation == Operation::constant || n.operation == Operation::symbol) return;
    if (n.operation == Operation::loop_result) return define_loop(node, depth);
    for (const int operand : n.operand) {
      define(operand, depth);
      // A term outside a loop that is used inside it is computed before.
      if (operand >= 0 && n.loop >= 0 && at(operand).loop < 0) name(operand, depth);
    }
    if (!is_inline(node)) name(node, depth);
  }
  void name(int node, int depth) {
    const Node& n = at(node);
    if (names_.contains(node) || n.operation == Operation::constant || n.operation == Operation::symbol) return;
    const std::string value = term(node);
    const std::string made = "t" + std::to_string(++named_);
    text_ += pad(depth) + "const STICKSLIP_REAL " + made + " = " + value + ";\n";
    names_[node] = made;
  }
  void before_loop(int node, int loop, int depth, std::set<int>& seen) {
    if (node < 0 || !seen.insert(node).second) return;
    if (at(node).loop == loop) {
      for (const int part : parts_of(node)) before_loop(part, loop, depth, seen);
      return;
    }
    define(node, depth);
    name(node, depth);
  }
  void define_loop(int node, int depth) {
    const int loop = at(node).index;
    const StepLoop& l = p_.loops[std::size_t(loop)];
    const std::string n = std::to_string(loop);
    std::set<int> seen;
    for (const int part : {l.start, l.duration, l.scale, l.next_value, l.next_time, l.next_length, l.next_state})
      before_loop(part, loop, depth, seen);
    const std::string duration = reference(l.duration);
    text_ += pad(depth) + "STICKSLIP_REAL y" + n + " = 0, z" + n + " = " + reference(l.start) + ", time" + n +
             " = 0, length" + n + " = " + duration + ";\n" + pad(depth) + "int pass" + n + ";\n" + pad(depth) +
             "for (pass" + n + " = 0; pass" + n + " < " + std::to_string(p_.passes) + " && time" + n + " < " +
             duration + "; ++pass" + n + ") {\n";
    text_ += pad(depth + 1) + "const STICKSLIP_REAL final" + n + " = pass" + n +
             " + 1 == " + std::to_string(p_.passes) + " ? " + c_number(1) + " : " + c_number(0) + ";\n";
    const auto outside = names_;
    for (const int part : {l.next_value, l.next_state, l.next_time, l.next_length}) {
      define(part, depth + 1);
      name(part, depth + 1);
    }
    text_ += pad(depth + 1) + "y" + n + " = " + reference(l.next_value) + ";\n" + pad(depth + 1) + "z" + n + " = " +
             reference(l.next_state) + ";\n" + pad(depth + 1) + "time" + n + " = " + reference(l.next_time) + ";\n" +
             pad(depth + 1) + "length" + n + " = " + reference(l.next_length) + ";\n" + pad(depth) + "}\n";
    names_ = outside;
    for (std::size_t i = 0; i < p_.nodes.size(); ++i)
      if (const Node& result = p_.nodes[i]; result.operation == Operation::loop_result && result.index == loop)
        names_[int(i)] = (result.constant == 1 ? "z" : "y") + n;
  }

  // ---- states

  /// An output that is the state as it was, and is therefore not written.
  bool stays(int node, std::size_t output, bool for_step) const {
    if (node < 0 || at(node).operation != Operation::symbol) return false;
    const Symbol& s = p_.symbols[std::size_t(at(node).index)];
    if (s.kind != SymbolKind::state) return false;
    std::size_t next = for_step ? 1 : 0;
    for (std::size_t i = 0; i < p_.states.size(); ++i) {
      const std::size_t count =
          p_.states[i].per_element && !for_step ? 1 : std::max<std::size_t>(1, p_.states[i].count);
      if (int(i) == s.which && output >= next && output < next + count)
        return for_step ? s.index == whole || s.index == int(output - next) : p_.states[i].per_element;
      next += count;
    }
    return false;
  }
  bool is_needed(int which, bool for_step) const {
    std::set<int> found;
    const std::function<void(const Decision&)> walk = [&](const Decision& d) {
      for (std::size_t i = 0; i < d.outputs.size(); ++i)
        if (!stays(d.outputs[i], i, for_step)) collect(d.outputs[i], found);
      if (d.is_leaf()) return;
      collect(d.left, found);
      collect(d.right, found);
      walk(*d.yes);
      walk(*d.no);
    };
    walk(for_step ? p_.step : *p_.per_element);
    for (const int node : found)
      if (at(node).operation == Operation::symbol) {
        const Symbol& s = p_.symbols[std::size_t(at(node).index)];
        if (s.kind == SymbolKind::state && s.which == which) return true;
      }
    return false;
  }
  void load_states(bool for_step) {
    for (std::size_t i = 0; i < p_.states.size(); ++i) {
      const StepState& s = p_.states[i];
      if (!is_needed(int(i), for_step || !p_.per_element)) continue;
      const std::string type = s.kind == StateKind::choice ? "int " : "STICKSLIP_REAL ";
      if (s.per_element && !for_step) continue;  // inside the loop
      const std::string prefix =
          for_step && p_.per_element && !s.per_element && loaded_.contains(s.name) ? "" : "const ";
      if (prefix.empty()) {
        text_ += "  " + s.name + " = s->" + s.name + ";\n";
        continue;
      }
      if (s.count == 0) {
        const bool reloaded = !for_step && p_.per_element && is_needed(int(i), true);
        text_ += "  " + std::string(reloaded ? "" : "const ") + type + s.name + " = s->" + s.name + ";\n";
        loaded_.insert(s.name);
      } else {
        for (std::size_t k = 0; k < s.count; ++k)
          text_ += "  const " + type + s.name + "_" + std::to_string(k) + " = s->" + s.name + "[" + std::to_string(k) +
                   "];\n";
      }
    }
  }
  void element_loop() {
    inner_ = true;
    for (const StepState& s : p_.states)
      if (s.is_used && !s.per_element)
        text_ += std::string("  ") + (s.kind == StateKind::choice ? "int" : "STICKSLIP_REAL") + " next_" + s.name +
                 " = s->" + s.name + ";\n";
    text_ += "  int i;\n  for (i = 0; i < " + std::to_string(p_.elements) + "; ++i) {\n";
    for (std::size_t i = 0; i < p_.states.size(); ++i)
      if (p_.states[i].per_element && is_needed(int(i), false))
        text_ += std::string("    const ") + (p_.states[i].kind == StateKind::choice ? "int " : "STICKSLIP_REAL ") +
                 p_.states[i].name + " = s->" + p_.states[i].name + "[i];\n";
    decide(*p_.per_element, {}, 2);
    text_ += "  }\n";
    for (const StepState& s : p_.states)
      if (s.is_used && !s.per_element) text_ += "  s->" + s.name + " = next_" + s.name + ";\n";
    names_.clear();
  }
  void decide(const Decision& d, std::map<int, std::string> names, int depth) {
    names_ = std::move(names);
    if (d.is_leaf()) return leaf(d, depth);
    define(d.left, depth);
    define(d.right, depth);
    for (const int node : common(d))
      if (at(node).loop < 0) define(node, depth);
    const auto here = names_;
    text_ += pad(depth) + "if (" + condition(d.comparison, d.left, d.right) + ") {\n";
    decide(*d.yes, here, depth + 1);
    text_ += pad(depth) + "} else {\n";
    decide(*d.no, here, depth + 1);
    text_ += pad(depth) + "}\n";
  }
  std::string value_for(const StepState& s, int node) {
    if (s.kind == StateKind::number) return bare(node);
    if (at(node).operation == Operation::constant) return std::to_string(int(at(node).constant));
    if (is_choice(node)) return reference(node);
    return "(int)" + reference(node);
  }
  void leaf(const Decision& d, int depth) {
    for (const int node : d.outputs) define(node, depth);
    std::size_t next = inner_ ? 0 : 1;
    if (!inner_) text_ += pad(depth) + "force = " + bare(d.outputs[0]) + ";\n";
    for (const StepState& s : p_.states) {
      const std::size_t count = s.per_element && inner_ ? 1 : std::max<std::size_t>(1, s.count);
      for (std::size_t k = 0; k < count && next + k < d.outputs.size(); ++k) {
        const int node = d.outputs[next + k];
        if (node < 0 || !s.is_used) continue;
        const std::string value = value_for(s, node);
        if (inner_ && s.per_element) {
          if (value != s.name) text_ += pad(depth) + "s->" + s.name + "[i] = " + value + ";\n";
        } else if (inner_ && s.kind == StateKind::choice) {
          text_ += pad(depth) + "next_" + s.name + " = i == 0 || next_" + s.name + " == " + value + " ? " + value +
                   " : 0;\n";
        } else if (inner_) {
          text_ += pad(depth) + "next_" + s.name + " = " + value + ";\n";
        } else {
          const std::string place = s.name + (s.count > 0 ? "[" + std::to_string(k) + "]" : "");
          if (value != (s.count > 0 ? s.name + "_" + std::to_string(k) : s.name))
            text_ += pad(depth) + "s->" + place + " = " + value + ";\n";
        }
      }
      next += count;
    }
  }

  const StepProgram& p_;
  std::vector<int> uses_;
  std::map<int, std::string> names_;
  std::set<std::string> loaded_;
  int named_ = 0;
  bool inner_ = false;
  std::string text_;
};

}  // namespace

std::string c_number(double value) {
  if (std::isinf(value)) return value > 0 ? "(STICKSLIP_REAL)HUGE_VAL" : "-(STICKSLIP_REAL)HUGE_VAL";
  std::string text = shortest(std::fabs(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "-(STICKSLIP_REAL)" + text : "(STICKSLIP_REAL)" + text;
}

std::string c_member(const std::string& declaration, const std::string& comment) {
  std::string line = "  " + declaration;
  if (line.size() < 42) line.resize(42, ' ');
  return line + " /* " + comment + " */\n";
}

std::string c_array(const std::string& name, const std::vector<double>& values) {
  std::string text = "  static const STICKSLIP_REAL " + name + "[" + std::to_string(values.size()) + "] = {\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += "      " + c_number(values[i]) + (i + 1 < values.size() ? ",\n" : "};\n");
  return text;
}

std::string c_comparison(const std::string& call, std::size_t count) {
  return "  for (i = 0; i < " + std::to_string(count) + "; ++i) {\n    const STICKSLIP_REAL off = " + call +
         " - force[i];\n    if (!(STICKSLIP_LIBM(fabs)(off) <= allowed)) return i + 1;\n  }\n  return 0;\n}\n\n";
}

std::string c_step_body(const StepProgram& program) { return Writer(program).body(); }

}  // namespace stickslip::inline exports
