/// See step_program.hpp.
#include "exports/step_program.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/scalar.hpp"
#include "core/text.hpp"
#include "exports/relaxations.hpp"
#include "exports/rests.hpp"
#include "exports/trace/tape.hpp"
#include "exports/trace/trace_function.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline exports {
namespace {

const ParameterDescription& described(const Friction& friction, std::string_view key) {
  const auto& rows = friction.description().parameters;
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& p) { return p.key == key; });
}
const ParameterValue* given(const Friction& friction, std::string_view key, bool backward) {
  const ParameterValue* found = nullptr;
  for (const auto& [k, value] : friction.settings().values)
    if (k == key) found = &value;
  if (backward)
    for (const auto& [k, value] : friction.settings().backward)
      if (k == key) found = &value;
  return found;
}

/// Every node that this one is made of, itself last; loops with all their parts.
void needed_by(const StepProgram& p, int node, std::vector<bool>& seen, const std::function<void(int)>& take) {
  if (node < 0 || seen[std::size_t(node)]) return;
  seen[std::size_t(node)] = true;
  const Node& n = p.nodes[std::size_t(node)];
  if (n.operation == Operation::loop_result) {
    const StepLoop& l = p.loops[std::size_t(n.index)];
    for (const int part : {l.start, l.duration, l.scale, l.next_value, l.next_time, l.next_length, l.next_state})
      needed_by(p, part, seen, take);
  }
  for (const int operand : n.operand) needed_by(p, operand, seen, take);
  take(node);
}

/// How many outputs of a tree belong to each state, and where they begin.
struct Places {
  std::vector<std::size_t> first, count;
};
Places places_of(const StepProgram& p, bool per_element) {
  Places places;
  std::size_t next = per_element ? 0 : 1;
  for (const StepState& s : p.states) {
    const std::size_t count = s.per_element && per_element ? 1 : std::max<std::size_t>(1, s.count);
    places.first.push_back(next);
    places.count.push_back(count);
    next += count;
  }
  return places;
}

/// The tree without what serves no used output: unused outputs become -1, and decisions without effect go.
void prune(const StepProgram& p, Decision& d, const Places& places) {
  if (d.is_leaf()) {
    for (std::size_t s = 0; s < p.states.size(); ++s)
      if (!p.states[s].is_used)
        for (std::size_t i = 0; i < places.count[s]; ++i)
          if (places.first[s] + i < d.outputs.size()) d.outputs[places.first[s] + i] = -1;
    return;
  }
  prune(p, *d.yes, places);
  prune(p, *d.no, places);
  const std::function<bool(const Decision&, const Decision&)> same = [&](const Decision& a, const Decision& b) {
    if (a.is_leaf() || b.is_leaf()) return a.is_leaf() && b.is_leaf() && a.outputs == b.outputs;
    return a.comparison == b.comparison && a.left == b.left && a.right == b.right && same(*a.yes, *b.yes) &&
           same(*a.no, *b.no);
  };
  if (!same(*d.yes, *d.no)) return;
  Decision kept = std::move(*d.yes);
  d = std::move(kept);
}

/// Copies a tree as if the states that are not used did not decide anything: takes their first branch.
bool asks_unused(const StepProgram& p, const Decision& d) {
  for (const int side : {d.left, d.right}) {
    const Node& n = p.nodes[std::size_t(side)];
    if (n.operation != Operation::symbol) continue;
    const Symbol& s = p.symbols[std::size_t(n.index)];
    if (s.kind == SymbolKind::state && !p.states[std::size_t(s.which)].is_used) return true;
  }
  return false;
}

/// States that no force depends on, now or later, are not used.
void find_used_states(StepProgram& p) {
  const auto place_inner = places_of(p, true), place_step = places_of(p, false);
  for (StepState& s : p.states) s.is_used = false;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<bool> seen(p.nodes.size(), false);
    const auto use = [&](int node) {
      const Node& n = p.nodes[std::size_t(node)];
      if (n.operation != Operation::symbol) return;
      const Symbol& s = p.symbols[std::size_t(n.index)];
      if (s.kind != SymbolKind::state || p.states[std::size_t(s.which)].is_used) return;
      p.states[std::size_t(s.which)].is_used = true;
      changed = true;
    };
    // A decision counts where its two sides differ in an output that is used.
    const std::function<std::vector<std::vector<int>>(const Decision&, const Places&, bool)> walk =
        [&](const Decision& d, const Places& places, bool inner) -> std::vector<std::vector<int>> {
      if (d.is_leaf()) {
        std::vector<int> outputs;
        if (!inner) outputs.push_back(d.outputs[0]);
        for (std::size_t s = 0; s < p.states.size(); ++s)
          if (p.states[s].is_used)
            for (std::size_t i = 0; i < places.count[s] && places.first[s] + i < d.outputs.size(); ++i)
              outputs.push_back(d.outputs[places.first[s] + i]);
        return {outputs};
      }
      auto yes = walk(*d.yes, places, inner), no = walk(*d.no, places, inner);
      if (yes == no) return yes;
      needed_by(p, d.left, seen, use);
      needed_by(p, d.right, seen, use);
      yes.insert(yes.end(), no.begin(), no.end());
      return yes;
    };
    if (p.per_element)
      for (const auto& leaf : walk(*p.per_element, place_inner, true))
        for (const int node : leaf) needed_by(p, node, seen, use);
    for (const auto& leaf : walk(p.step, place_step, false))
      for (const int node : leaf) needed_by(p, node, seen, use);
  }
  // Decisions that ask an unused state are all the same on both sides by now.
  const std::function<void(Decision&)> drop = [&](Decision& d) {
    while (!d.is_leaf() && asks_unused(p, d)) {
      Decision kept = std::move(*d.yes);
      d = std::move(kept);
    }
    if (d.is_leaf()) return;
    drop(*d.yes);
    drop(*d.no);
  };
  if (p.per_element) drop(*p.per_element), prune(p, *p.per_element, place_inner);
  drop(p.step), prune(p, p.step, place_step);
}

void describe(const Friction& friction, StepProgram& p) {
  for (StepParameter& parameter : p.parameters) {
    const ParameterDescription& d = described(friction, parameter.key);
    parameter.symbol = d.symbol;
    parameter.unit = d.unit;
    parameter.meaning = d.meaning + (parameter.backward ? ", sliding backward" : "");
  }
  for (const auto& d : friction.description().parameters)
    if (d.kind == ParameterKind::choice) {
      const ParameterValue* value = given(friction, d.key, false);
      p.fixed.push_back(d.key + " = " + (value ? std::get<std::string>(*value) : d.choices[std::size_t(d.preset)]));
    }
  for (const auto& v : friction.settings().variations)
    p.fixed.push_back(v.key + " follows " + std::string(quantity_word(v.over)) +
                      (v.knots.empty() ? ": its polynomial" : ": its table"));
  std::vector<bool> seen(p.nodes.size(), false);
  const auto look = [&](int node) {
    const Node& n = p.nodes[std::size_t(node)];
    if (n.operation != Operation::symbol) return;
    const SymbolKind kind = p.symbols[std::size_t(n.index)].kind;
    if (kind == SymbolKind::mass) p.needs_mass = true;
    if (kind == SymbolKind::load) p.needs_load = true;
    if (kind == SymbolKind::pressure) p.needs_pressure = true;
    if (kind == SymbolKind::temperature) p.needs_temperature = true;
  };
  const std::function<void(const Decision&)> walk = [&](const Decision& d) {
    for (const int node : d.outputs) needed_by(p, node, seen, look);
    if (d.is_leaf()) return;
    needed_by(p, d.left, seen, look);
    needed_by(p, d.right, seen, look);
    walk(*d.yes);
    walk(*d.no);
  };
  walk(p.step);
  if (p.per_element) walk(*p.per_element);
}

}  // namespace

std::string_view quantity_word(Quantity over) { return quantity_name(over); }

std::vector<double> TraceRequest::values(std::string_view key, bool backward) const {
  const ParameterDescription& d = described(friction, key);
  const ParameterValue* value = given(friction, key, backward);
  if (d.kind == ParameterKind::list) return value ? std::get<std::vector<double>>(*value) : std::vector<double>{};
  return {value ? std::get<double>(*value) : d.preset};
}
std::size_t TraceRequest::choice(std::string_view key, bool backward) const {
  const ParameterDescription& d = described(friction, key);
  const ParameterValue* value = given(friction, key, backward);
  if (!value) return std::size_t(d.preset);
  return std::size_t(std::find(d.choices.begin(), d.choices.end(), std::get<std::string>(*value)) - d.choices.begin());
}

TracedStep trace_step(const Friction& friction) {
  const TraceFunction function = trace_function(friction.description().name);
  if (!function) return {nullptr, "the model is not among those of this program"};
  std::string reason;
  for (const bool fixed : {false, true}) {
    TracedStep made;
    made.program = std::make_unique<StepProgram>();
    made.program->model = friction.description().name;
    try {
      function({friction, fixed}, *made.program);
    } catch (const StepRefusal& refusal) {
      Tape::current() = nullptr;
      if (reason.empty()) reason = refusal.reason;
      if (friction.description().nature != Nature::sticks) break;  // with fixed numbers it would be the same
      continue;
    }
    Tape::current() = nullptr;
    if (made.program->nodes.size() > 20000) return {nullptr, "its step has more than 20000 operations"};
    if (fixed) {
      for (const auto& p : made.program->parameters)
        made.program->fixed.push_back(p.key + " = " + shortest(p.values[0]) + " " + described(friction, p.key).unit);
      made.program->parameters.clear();
    }
    relax_from_the_state(*made.program);
    keep_rests(*made.program);
    find_used_states(*made.program);
    describe(friction, *made.program);
    return made;
  }
  return {nullptr, reason};
}

// ---- run here -----------------------------------------------------------------------------------------------------

StepRunner::StepRunner(const StepProgram& program, double mass, bool single)
    : program_(program),
      values_(program.nodes.size()),
      stamp_(program.nodes.size(), 0),
      single_(single),
      mass_(mass),
      loops_(program.loops.size()) {
  for (const StepState& s : program.states) states_.emplace_back(std::max<std::size_t>(1, s.count), start_of(s));
  next_ = states_;
}
void StepRunner::set_position(double position) {
  for (std::size_t s = 0; s < program_.states.size(); ++s)
    if (program_.states[s].name == "position") states_[s][0] = position;
}

double StepRunner::symbol(const Symbol& s, int element) {
  const std::size_t at = s.index == whole ? 0 : s.index == each_element ? std::size_t(element) : std::size_t(s.index);
  const std::size_t which = std::size_t(s.which);
  switch (s.kind) {
    case SymbolKind::parameter:
      return program_.parameters[which].values[at];
    case SymbolKind::state:
      return states_[which][at];
    case SymbolKind::velocity:
      return velocity_;
    case SymbolKind::duration:
      return duration_;
    case SymbolKind::load:
      return load_;
    case SymbolKind::pressure:
      return pressure_;
    case SymbolKind::temperature:
      return temperature_;
    case SymbolKind::mass:
      return mass_;
    case SymbolKind::loop_value:
      return loops_[which].value;
    case SymbolKind::loop_state:
      return loops_[which].state;
    case SymbolKind::loop_time:
      return loops_[which].time;
    case SymbolKind::loop_length:
      return loops_[which].length;
    case SymbolKind::loop_final:
      return loops_[which].final_pass;
    case SymbolKind::tolerance:
      return 1e-8;
    case SymbolKind::rounding:
      return single_ ? 5e-7 : 0;
  }
  return 0;
}

bool compare(Comparison c, double a, double b) {
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

double StepRunner::value(int node, int element) {
  const Node& n = program_.nodes[std::size_t(node)];
  if (n.operation == Operation::constant) return n.constant;
  const int tag = n.loop >= 0 ? pass_ : now_;
  if (stamp_[std::size_t(node)] == tag) return values_[std::size_t(node)];
  const auto at = [&](std::size_t i) { return value(n.operand[i], element); };
  double r = 0;
  switch (n.operation) {
    case Operation::constant:
      break;
    case Operation::symbol:
      r = symbol(program_.symbols[std::size_t(n.index)], element);
      break;
    case Operation::add:
      r = at(0) + at(1);
      break;
    case Operation::subtract:
      r = at(0) - at(1);
      break;
    case Operation::multiply:
      r = at(0) * at(1);
      break;
    case Operation::divide:
      r = at(0) / at(1);
      break;
    case Operation::negate:
      r = -at(0);
      break;
    case Operation::absolute:
      r = std::fabs(at(0));
      break;
    case Operation::sign:
      r = stickslip::sign(at(0));
      break;
    case Operation::smaller:
      r = stickslip::min(at(0), at(1));
      break;
    case Operation::larger:
      r = stickslip::max(at(0), at(1));
      break;
    case Operation::square_root:
      r = std::sqrt(at(0));
      break;
    case Operation::exponential:
      r = stickslip::exp(at(0));
      break;
    case Operation::logarithm:
      r = std::log(at(0));
      break;
    case Operation::logarithm_1:
      r = std::log1p(at(0));
      break;
    case Operation::power:
      r = stickslip::power(at(0), at(1));
      break;
    case Operation::sine:
      r = std::sin(at(0));
      break;
    case Operation::cosine:
      r = std::cos(at(0));
      break;
    case Operation::arc_tangent:
      r = std::atan(at(0));
      break;
    case Operation::cube_root:
      r = std::cbrt(at(0));
      break;
    case Operation::growth: {
      const double x = at(0);
      r = std::fabs(x) < 1e-300 ? 1 : std::expm1(x) / x;
      break;
    }
    case Operation::floor:
      r = std::floor(at(0));
      break;
    case Operation::select:
      r = compare(n.comparison, at(0), at(1)) ? at(2) : at(3);
      break;
    case Operation::loop_result:
      r = run_loop(n, element);
      break;
  }
  if (single_) r = double(float(r));
  stamp_[std::size_t(node)] = tag;
  values_[std::size_t(node)] = r;
  return r;
}

double StepRunner::run_loop(const Node& result, int element) {
  const StepLoop& l = program_.loops[std::size_t(result.index)];
  LoopState& at = loops_[std::size_t(result.index)];
  const double duration = value(l.duration, element);
  at = {0, value(l.start, element), 0, duration, 0};
  for (int pass = 0; pass < program_.passes && at.time < duration; ++pass) {
    pass_ = --passes_;
    at.final_pass = pass + 1 == program_.passes ? 1 : 0;
    const LoopState next{value(l.next_value, element), value(l.next_state, element), value(l.next_time, element),
                         value(l.next_length, element), 0};
    at = next;
  }
  return result.constant == 1 ? at.state : at.value;
}

const Decision& StepRunner::run(const Decision& tree, int element) {
  ++now_;
  const Decision* d = &tree;
  while (!d->is_leaf())
    d = compare(d->comparison, value(d->left, element), value(d->right, element)) ? d->yes.get() : d->no.get();
  return *d;
}

double StepRunner::step(double velocity, double h) {
  velocity_ = velocity;
  duration_ = h;
  if (program_.per_element) {
    const Places places = places_of(program_, true);
    next_ = states_;
    for (std::size_t i = 0; i < program_.elements; ++i) {
      const Decision& leaf = run(*program_.per_element, int(i));
      for (std::size_t s = 0; s < program_.states.size(); ++s) {
        const int node = leaf.outputs[places.first[s]];
        if (node < 0) continue;
        const double found = value(node, int(i));
        const StepState& state = program_.states[s];
        if (state.per_element)
          next_[s][i] = found;
        else if (i > 0 && state.kind == StateKind::choice && next_[s][0] != found)
          next_[s][0] = 0;  // elements disagree: nothing slides as a whole
        else
          next_[s][0] = found;
      }
    }
    states_ = next_;
    return value(run(program_.step, -1).outputs[0], -1);
  }
  const Places places = places_of(program_, false);
  const Decision& leaf = run(program_.step, -1);
  const double force = value(leaf.outputs[0], -1);
  for (std::size_t s = 0; s < program_.states.size(); ++s)
    for (std::size_t i = 0; i < places.count[s]; ++i)
      if (const int node = leaf.outputs[places.first[s] + i]; node >= 0) next_[s][i] = value(node, -1);
  states_ = next_;
  return force;
}

double start_of(const StepState& state) { return state.name == "direction" || state.name == "in_band" ? 1 : 0; }

// ---- what it costs ------------------------------------------------------------------------------------------------

namespace {

void count_node(const Node& n, std::size_t times, OperationCount& c) {
  switch (n.operation) {
    case Operation::constant:
    case Operation::symbol:
    case Operation::loop_result:
      break;
    case Operation::add:
    case Operation::subtract:
      c.additions += times;
      break;
    case Operation::multiply:
      c.multiplications += times;
      break;
    case Operation::divide:
      c.divisions += times;
      break;
    case Operation::negate:
    case Operation::absolute:
    case Operation::floor:
      c.additions += times;
      break;
    case Operation::sign:
      c.comparisons += 2 * times;
      break;
    case Operation::smaller:
    case Operation::larger:
    case Operation::select:
      c.comparisons += times;
      break;
    case Operation::square_root:
    case Operation::cube_root:
      c.roots += times;
      break;
    case Operation::exponential:
    case Operation::logarithm:
    case Operation::logarithm_1:
    case Operation::power:
    case Operation::sine:
    case Operation::cosine:
    case Operation::arc_tangent:
    case Operation::growth:
      c.transcendental += times;
      break;
  }
}
OperationCount worst_of(const StepProgram& p, const Decision& d, std::vector<bool> seen, OperationCount so_far) {
  const auto take = [&](int node) {
    const Node& n = p.nodes[std::size_t(node)];
    count_node(n, n.loop >= 0 ? std::size_t(p.passes) : 1, so_far);
  };
  if (d.is_leaf()) {
    for (const int node : d.outputs) needed_by(p, node, seen, take);
    return so_far;
  }
  needed_by(p, d.left, seen, take);
  needed_by(p, d.right, seen, take);
  so_far.comparisons += 1;
  const OperationCount yes = worst_of(p, *d.yes, seen, so_far), no = worst_of(p, *d.no, seen, so_far);
  return yes.total() > no.total() ? yes : no;
}

}  // namespace

OperationCount most_operations(const StepProgram& program) {
  const std::vector<bool> none(program.nodes.size(), false);
  OperationCount all = worst_of(program, program.step, none, {});
  if (program.per_element) {
    const OperationCount one = worst_of(program, *program.per_element, none, {});
    all.additions += program.elements * one.additions;
    all.multiplications += program.elements * one.multiplications;
    all.divisions += program.elements * one.divisions;
    all.comparisons += program.elements * one.comparisons;
    all.roots += program.elements * one.roots;
    all.transcendental += program.elements * one.transcendental;
  }
  return all;
}

}  // namespace stickslip::inline exports
