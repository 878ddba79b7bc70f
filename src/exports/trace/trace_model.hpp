/// Records the fixed step of one model: FixedStepper::follow, that is hold_law and then held_force, with the model's parameters
/// and states as symbols. Included by the generated traced_models.cpp alone.
///
/// Laws that do not know where they are (no level over position, no teeth) count places from where the body is now, so that
/// single precision does not wear out: from = 0, to = h v, and places in the memory move by −h v afterwards.
/// Laws of equal elements are recorded with one element, which is then any of them, and once more with all for the force.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "exports/trace/trace_function.hpp"
#include "machines/friction/state_name.hpp"
#include "traced/hold_law.hpp"

namespace stickslip::traced {

/// A law's states one after the other: made symbols before the step, and their nodes noted after it.
class States {
 public:
  States(StepProgram& program, bool declares, bool any_element)
      : program_(program), declares_(declares), any_element_(any_element) {}
  /// From now on values are recorded; positions are relative to the present one.
  void turn(const Traced& way) {
    writes_ = true;
    way_ = way;
    next_ = 0;
  }
  std::vector<int> nodes;  // what was noted

  void slip(const char* name, Slip& value) {
    const int which = state(name, "0 stuck, 1 forward, -1 backward", StateKind::choice);
    if (writes_) return note(static_cast<int>(value));
    const Traced s = symbol(which);
    value = s == 0 ? Slip::stuck : s > 0 ? Slip::forward : Slip::backward;
  }
  void direction(const char* name, Direction& value) {
    const int which = state(name, "1 forward, -1 backward", StateKind::choice);
    if (writes_) return note(number(value));
    value = direction_of(symbol(which));
  }
  void flag(const char* name, bool& value) {
    const int which = state(name, "1 yes, 0 no", StateKind::choice);
    if (writes_) return note(value ? 1 : 0);
    value = symbol(which) != 0;
  }
  void place(const char* name, Traced& value) {
    const int which = state(name, "counted from where the body is", StateKind::number);
    if (writes_) return note(value - way_);
    value = symbol(which);
  }
  void plain(const std::string& name, const char* meaning, Traced& value) {
    const int which = state(name, meaning, StateKind::number);
    if (writes_) return note(value);
    value = symbol(which);
  }
  void bits(const char* name, Bits& value) {
    const int which = state(name, "1 while the element slips", StateKind::choice, program_.elements, true);
    each(value.at(), which, Traced(0));
  }
  template <class List>
  void elements(const char* name, const char* meaning, List& values, bool are_places) {
    const int which = state(name, meaning, StateKind::number, program_.elements, true);
    each(values, which, are_places ? way_ : Traced(0));
  }
  template <class List>
  void list(const std::string& name, const char* meaning, List& values, std::size_t count) {
    const int which = state(name, meaning, StateKind::number, count);
    for (std::size_t i = 0; i < count; ++i)
      if (writes_)
        note(values[i]);
      else
        values[i] = symbol(which, int(i));
  }

 private:
  int state(const std::string& name, const char* meaning, StateKind kind, std::size_t count = 0,
            bool per_element = false) {
    if (declares_ && !writes_) program_.states.push_back({name, meaning, kind, count, per_element, true});
    return int(next_++);
  }
  static Traced symbol(int which, int index = whole) { return Traced::of_symbol({SymbolKind::state, which, index}); }
  void note(const Traced& value) { nodes.push_back(value.node()); }
  template <class List>
  void each(List& values, int which, const Traced& shift) {
    for (std::size_t i = 0; i < (any_element_ ? 1 : program_.elements); ++i)
      if (writes_)
        note(values[i] - shift);
      else
        values[i] = symbol(which, any_element_ ? each_element : int(i));
  }

  StepProgram& program_;
  bool declares_, any_element_, writes_ = false;
  Traced way_ = 0;
  std::size_t next_ = 0;
};

/// The memories of the models, member by member.
template <class Memory>
void visit_memory(Memory& memory, States& states) {
  if constexpr (requires { memory.hysteresis; })
    throw StepRefusal{
        "its memory of reversals has no fixed size; hybrid-hysteresis and "
        "generalized-maxwell-slip have a fixed number of elements"};
  if constexpr (requires { memory.driven; })
    throw StepRefusal{
        "its step is cut where its elements slip, in a number of pieces that follows from the motion; "
        "generalized-maxwell-slip has the same memory and one piece"};
  if constexpr (requires { memory.motion; }) {
    if constexpr (std::is_same_v<decltype(memory.motion), Slip>) states.slip("motion", memory.motion);
  }
  if constexpr (requires { memory.direction; }) states.direction("direction", memory.direction);
  if constexpr (requires { memory.in_band; }) states.flag("in_band", memory.in_band);
  if constexpr (requires { memory.origin; }) states.place("origin", memory.origin);
  if constexpr (requires { memory.slipping; }) states.bits("slipping", memory.slipping);
  if constexpr (requires { memory.element; }) visit_memory(memory.element, states);
  if constexpr (requires { memory.relaxed; })
    states.elements("relaxed", "place where it is relaxed, counted from where the body is", memory.relaxed, true);
}

/// A law that works on samples.
template <class M>
concept Sampled = requires(const M& m, typename M::Memory& memory, std::array<Traced, max_elements>& z) {
  take_sample(m, memory, z, Traced(0));
};

template <template <class> class Model>
class ModelTracer {
 public:
  using Law = LawOf<Model>;
  static constexpr bool is_sampled = Sampled<Model<Traced>>;
  static constexpr bool is_ideal = std::is_same_v<Law, StickSlipLaw<Model>>;

  ModelTracer(const TraceRequest& request, StepProgram& program) : request_(request), program_(program) {}

  void trace() {
    declare(false);
    if (request_.directional()) declare(true);
    for (const auto& v : request_.friction.settings().variations)
      if (v.over == ::stickslip::Quantity::position) program_.needs_position = true;
    if (HasSegments<Model>) program_.needs_position = true;
    Tape tape(program_);
    Tape::current() = &tape;
    if (program_.elements > 0 && !is_sampled && !is_ideal) {
      program_.per_element = std::make_unique<Decision>(tape.explore([&] { return hold_any_element(); }));
      declared_ = true;
      program_.step = tape.explore([&] { return force_of_all(); });
    } else {
      program_.step = tape.explore([&] { return whole_step(); });
    }
    if constexpr (is_sampled) program_.fixed_duration = request_.values("sampling_time", false)[0];
  }

 private:
  void declare(bool backward) {
    const auto one = [&](const auto& row) {
      using RowType = std::remove_cvref_t<decltype(row)>;
      if constexpr (RowType::kind != ParameterKind::choice) {
        StepParameter p;
        p.key = std::string(row.info.key);
        p.name = p.key + (backward ? "_backward" : "");
        p.backward = backward;
        p.is_list = RowType::kind == ParameterKind::list;
        p.values = request_.values(p.key, backward);
        if (p.is_list) program_.elements = std::max(program_.elements, p.values.size());
        program_.parameters.push_back(std::move(p));
      }
    };
    std::apply([&](const auto&... row) { (one(row), ...); }, Model<Traced>::parameters());
  }
  int number_of(std::string_view key, bool backward) const {
    std::size_t i = 0;
    while (program_.parameters[i].key != key || program_.parameters[i].backward != backward) ++i;
    return int(i);
  }
  /// Parameters as symbols; a list with all its entries, or with one that represents each.
  Model<Traced> model(bool backward, bool any_element) const {
    Model<Traced> m{};
    const auto one = [&](const auto& row) {
      using RowType = std::remove_cvref_t<decltype(row)>;
      auto& member = m.*(row.member);
      if constexpr (RowType::kind == ParameterKind::choice) {
        member = static_cast<std::remove_cvref_t<decltype(member)>>(request_.choice(row.info.key, backward));
      } else {
        const int which = number_of(row.info.key, backward);
        const auto& values = program_.parameters[std::size_t(which)].values;
        const auto symbol = [&](int index, double value) {
          return request_.fixed_numbers ? Traced(value) : Traced::of_symbol({SymbolKind::parameter, which, index});
        };
        if constexpr (RowType::kind == ParameterKind::list) {
          const std::size_t count = any_element ? std::min<std::size_t>(1, values.size()) : values.size();
          for (std::size_t i = 0; i < count; ++i)
            member.push_back(symbol(any_element ? each_element : int(i), values[i]));
        } else {
          member = symbol(whole, values[0]);
        }
      }
    };
    std::apply([&](const auto&... row) { (one(row), ...); }, Model<Traced>::parameters());
    return m;
  }
  Varied<Model> friction(bool any_element) const {
    Varied<Model> f;
    f.forward = model(false, any_element);
    f.directional = request_.directional();
    f.backward = f.directional ? model(true, any_element) : f.forward;
    for (const auto& v : request_.friction.settings().variations) {
      Variation one;
      one.over = static_cast<Quantity>(static_cast<int>(v.over));
      const auto& rows = request_.friction.description().parameters;
      while (rows[one.parameter].key != v.key) ++one.parameter;
      one.polynomial.assign(v.polynomial.begin(), v.polynomial.end());
      one.knots.assign(v.knots.begin(), v.knots.end());
      one.values.assign(v.values.begin(), v.values.end());
      one.reference = v.reference;
      f.variations.push_back(one);
    }
    return f;
  }

  static Traced input(SymbolKind kind) { return Traced::of_symbol({kind, 0, whole}); }
  static Contact<Traced> contact() {
    Contact<Traced> c;
    c.mass = input(SymbolKind::mass);
    c.load = input(SymbolKind::load);
    c.pressure = input(SymbolKind::pressure);
    c.temperature = input(SymbolKind::temperature);
    return c;
  }
  static Contact<Traced> moved(Contact<Traced> c, const Traced& way) {
    c.position += way;
    c.velocity = input(SymbolKind::velocity);
    return c;
  }

  /// `before` is where the body is and how fast, which some laws remember from the last step.
  void visit(States& states, LawState<Law>& s, Contact<Traced>& before) const {
    if (program_.needs_position) states.plain("position", "where the body is; may be set at any time", before.position);
    states.plain("last_velocity", "of the step before", before.velocity);
    if constexpr (std::is_same_v<Law, BristleLaw<Model>>) {
      if (request_.directional()) states.direction("direction", s.memory.direction);
      for (std::size_t i = 0; i < Law::states; ++i) states.plain(state_key(i), "state of the bristles", s.z[i]);
    } else if constexpr (is_sampled) {
      const std::size_t elements = program_.elements_of_list("thresholds");
      states.list("deflections", "of the elements", s.z, elements);
      const std::size_t places =
          program_.elements_of_list("position_coefficients");  // none: it does not know where it is
      if (places > 0) states.list("positions", "now and at past samples", s.memory.position, places);
      for (std::size_t lag = 1; lag < s.memory.deflection.size(); ++lag)
        states.list("deflections_" + std::to_string(lag), "so many samples ago", s.memory.deflection[lag], elements);
    } else if constexpr (std::is_same_v<Law, ModalLaw<Model>>) {
      visit_memory(s.memory, states);
      if constexpr (Law::states > 0) states.elements("deflections", "of the elements", s.z, false);
    }
  }
  /// "bristle_deflection_m" without its unit.
  std::string state_key(std::size_t i) const {
    const std::string& name = request_.friction.description().states[i];
    return named_state(name, false).name;
  }

  std::vector<int> whole_step() {
    const Varied<Model> f = friction(false);
    LawState<Law> s;
    Contact<Traced> from = contact();
    States states(program_, !declared_, false);
    visit(states, s, from);
    declared_ = true;
    const Traced way = input(SymbolKind::duration) * input(SymbolKind::velocity);
    Contact<Traced> to = moved(from, way);
    Traced force;
    if constexpr (is_sampled) {
      s.memory.deflection[0] = s.z;
      const Traced place = s.memory.position[0] + way;
      f.at(to, Direction::forward, [&](const auto& m) { take_sample(m, s.memory, s.z, place); });
      force = s.memory.force;
    } else {
      hold_law(f, s, from, to, input(SymbolKind::duration));
      force = held_force(f, s, to);
    }
    states.turn(program_.needs_position ? Traced(0) : way);
    visit(states, s, to);
    states.nodes.insert(states.nodes.begin(), force.node());
    return states.nodes;
  }
  std::vector<int> hold_any_element() {
    const Varied<Model> f = friction(true);
    LawState<Law> s;
    Contact<Traced> from = contact();
    States states(program_, !declared_, true);
    visit(states, s, from);
    declared_ = true;
    const Traced way = input(SymbolKind::duration) * input(SymbolKind::velocity);
    Contact<Traced> to = moved(from, way);
    hold_law(f, s, from, to, input(SymbolKind::duration));
    states.turn(program_.needs_position ? Traced(0) : way);
    visit(states, s, to);
    return states.nodes;
  }
  std::vector<int> force_of_all() {
    const Varied<Model> f = friction(false);
    LawState<Law> s;
    Contact<Traced> to = contact();
    States states(program_, false, false);
    visit(states, s, to);
    to.velocity = input(SymbolKind::velocity);
    return {held_force(f, s, to).node()};
  }

  const TraceRequest& request_;
  StepProgram& program_;
  bool declared_ = false;
};

template <template <class> class Model>
void trace_model(const TraceRequest& request, StepProgram& program) {
  ModelTracer<Model>(request, program).trace();
}

}  // namespace stickslip::traced
