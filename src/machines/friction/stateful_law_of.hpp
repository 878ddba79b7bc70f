/// Any model of src/models as a joint of a machine sees it (stateful_law.hpp).
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/scalar.hpp"
#include "machines/friction/stateful_law.hpp"
#include "models/law.hpp"

namespace stickslip::inline machines {

template <template <class> class Model>
class StatefulLawOf final : public StatefulLaw {
 public:
  using Law = LawOf<Model>;
  using Memory = typename Law::Memory;
  static_assert(std::is_trivially_copyable_v<Memory>);

  StatefulLawOf(const Varied<Model>& friction, std::vector<std::string> names, bool needs_applied_force)
      : friction_(friction),
        used_(Law::states_in_use(friction)),
        needs_applied_force_(needs_applied_force),
        names_(std::move(names)) {
    names_.resize(std::min(names_.size(), used_));
  }

  std::size_t states() const override { return used_; }
  const std::vector<std::string>& state_names() const override { return names_; }
  std::vector<double> state_scale() const override {
    State scale{};
    Law::state_scale(friction_, scale);
    std::vector<double> values(used_);
    put(scale, values.data());
    return values;
  }
  bool needs_applied_force() const override { return needs_applied_force_; }

  LawMemory start(const Contact<double>& c, double* state) const override {
    State z = states_from(state);
    LawMemory made;
    pack(Law::start(friction_, z, c), made);
    put(z, state);
    return made;
  }
  double evaluate(const LawMemory& memory, const double* state, const Contact<double>& c,
                  double* rates) const override {
    State rate{};
    const double force = Law::evaluate(friction_, unpack(memory), states_from(state), c, rate);
    put(rate, rates);
    return force;
  }
  void slopes(const LawMemory& memory, const double* state, const Contact<double>& at, LawSlopes& out) const override {
    constexpr std::size_t first = 4;  // after velocity, position, load and applied force
    using D = Dual<first + Law::states>;
    Contact<D> c;
    c.velocity = D::variable(at.velocity, 0);
    c.position = D::variable(at.position, 1);
    c.load = D::variable(at.load, 2);
    c.applied = D::variable(at.applied, 3);
    c.pressure = D(at.pressure);
    c.temperature = D(at.temperature);
    c.mass = at.mass, c.time = at.time, c.dwell = at.dwell, c.segment = at.segment;
    typename Law::template State<D> z{}, rate{};
    if constexpr (Law::states > 0)
      for (std::size_t i = 0; i < used_; ++i) z[i] = D::variable(state[i], first + i);
    const D force = Law::evaluate(friction_, unpack(memory), z, c, rate);
    const auto take = [&](const D& from, LawSlopes::Of& to) {
      to.value = from.value;
      to.velocity = from.slope[0], to.position = from.slope[1], to.load = from.slope[2], to.applied = from.slope[3];
      to.state.resize(used_);
      if constexpr (Law::states > 0)
        for (std::size_t i = 0; i < used_; ++i) to.state[i] = from.slope[first + i];
    };
    take(force, out.force);
    out.rate.resize(used_);
    if constexpr (Law::states > 0)
      for (std::size_t i = 0; i < used_; ++i) take(rate[i], out.rate[i]);
  }
  double guard(const LawMemory& memory, const double* state, const Contact<double>& c) const override {
    Guards g;
    Law::guards(friction_, unpack(memory), states_from(state), c, g);
    return g.count == 0 ? 1
                        : *std::min_element(g.value.begin(), g.value.begin() + static_cast<std::ptrdiff_t>(g.count));
  }
  Happening leave(LawMemory& memory, double* state, Contact<double>& c) const override {
    Guards g;
    State z = states_from(state);
    Memory now = unpack(memory);
    Law::guards(friction_, now, z, c, g);
    const auto lowest = std::min_element(g.value.begin(), g.value.begin() + static_cast<std::ptrdiff_t>(g.count));
    const Happening told = Law::leave(friction_, now, static_cast<std::size_t>(lowest - g.value.begin()), z, c);
    pack(now, memory);
    put(z, state);
    return told;
  }
  double stored(const LawMemory& memory, const double* state, const Contact<double>& c) const override {
    return Law::stored(friction_, unpack(memory), states_from(state), c);
  }
  bool is_sensible(const LawMemory& memory, const Contact<double>& c) const override {
    return friction_.is_constant() || friction_.is_sensible(c, Law::direction(unpack(memory)));
  }

 private:
  using State = typename Law::template State<double>;

  static Memory unpack(const LawMemory& from) {
    Memory memory{};
    std::memcpy(static_cast<void*>(&memory), from.bytes.data(), sizeof memory);
    return memory;
  }
  static void pack(const Memory& memory, LawMemory& to) {
    to.bytes.resize(sizeof memory);
    std::memcpy(to.bytes.data(), static_cast<const void*>(&memory), sizeof memory);
  }
  State states_from(const double* state) const {
    State z{};
    if constexpr (Law::states > 0)
      for (std::size_t i = 0; i < used_; ++i) z[i] = state[i];
    return z;
  }
  void put(const State& z, double* state) const {
    if constexpr (Law::states > 0)
      for (std::size_t i = 0; i < used_; ++i) state[i] = z[i];
  }

  Varied<Model> friction_;
  std::size_t used_;
  bool needs_applied_force_;
  std::vector<std::string> names_;
};

}  // namespace stickslip::inline machines
