/// How a friction model behaves in time, derived from the functions that its file defines.
///
///   sliding_force, breakaway_force            truly sticks: modes stuck / forward / backward       (StickSlipLaw)
///   rate, force                               a bristle state that obeys an ODE                     (BristleLaw)
///   Memory, start, guards, leave, force       its own modes (elements, presliding)                  (ModalLaw)
///
/// All three offer the same functions to a plant, which therefore knows no model by name. Parameters may vary
/// (core/variation.hpp); the physics below always sees the set that holds at this contact.
///
/// Optional promises of a model: `added_mass` (a friction term in the acceleration), `stored_energy` of its states,
/// `segment_of`/`segment_end` (a force that jumps at positions), `state_scale`.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "core/contact.hpp"
#include "core/parameter.hpp"
#include "core/run.hpp"
#include "core/scalar.hpp"
#include "core/switching.hpp"
#include "core/variation.hpp"

namespace stickslip {

/// Where a stretch of smooth force ends in the direction of motion, and what happens there.
struct SegmentEnd {
  double position;  // [m]
  EventKind kind;
};

template <template <class> class Model>
concept Sticks = requires(const Model<double>& m, const Contact<double>& c, Direction d) {
  { sliding_force(m, c, d) } -> std::same_as<double>;
  { breakaway_force(m, c, d) } -> std::same_as<double>;
};
template <template <class> class Model>
concept HasModes = requires {
  typename Model<double>::Memory;
};
template <template <class> class Model>
concept HasSegments = requires(const Model<double>& m, const Contact<double>& c, Direction d) {
  { segment_of(m, c, d) } -> std::same_as<long>;
  { segment_end(m, c, d) } -> std::same_as<SegmentEnd>;
};
template <template <class> class Model>
concept HasAddedMass = requires(const Model<double>& m) {
  { added_mass(m) } -> std::same_as<double>;
};
template <template <class> class Model>
concept Obeys_ode = requires {
  Model<double>::states;
}
&&!Sticks<Model> && !HasModes<Model>;

namespace law_detail {
/// The model's own function, for classes that have a function of the same name.
template <class M>
auto scale_of(const M& m) {
  return state_scale(m);
}
}  // namespace law_detail

/// Effective extra mass of a friction term in the acceleration [kg]; most models have none.
template <template <class> class Model>
double added_mass_of(const Model<double>& m) {
  if constexpr (HasAddedMass<Model>)
    return added_mass(m);
  else
    return 0;
}

// ---- true sticking ------------------------------------------------------------------------------------------------

template <template <class> class Model>
struct StickSlipLaw {
  static constexpr std::size_t states = 0;
  static constexpr bool stiff = false, has_added_mass = false;
  struct Memory {
    Slip motion = Slip::stuck;
    double since = 0;  // when it came to rest [s]
    long segment = 0;
  };
  template <class T>
  using State = std::array<T, 0>;
  using Friction = Varied<Model>;

  static std::size_t states_in_use(const Friction&) { return 0; }
  static std::vector<std::string_view> mode_names(const Friction&) { return {"stuck", "forward", "backward"}; }
  static int mode(const Memory& memory) {
    return memory.motion == Slip::stuck ? 0 : memory.motion == Slip::forward ? 1 : 2;
  }
  static Direction direction(const Memory& memory) {
    return memory.motion == Slip::backward ? Direction::backward : Direction::forward;
  }

  template <class T>
  static Contact<T> seen(const Memory& memory, Contact<T> c) {
    c.segment = memory.segment;
    c.dwell = memory.motion == Slip::stuck ? c.time - memory.since : 0;
    return c;
  }
  /// Level of breakaway towards d [N].
  static double breakaway(const Friction& f, const Memory& memory, Contact<double> c, Direction d) {
    c = seen(memory, c);
    return f.at(c, d, [&](const auto& m) {
      if constexpr (HasSegments<Model>) c.segment = segment_of(m, c, d);
      return breakaway_force(m, c, d);
    });
  }

  static Memory start(const Friction& f, State<double>&, const Contact<double>& c) {
    Memory memory{Slip::stuck, c.time, 0};
    if (c.velocity != 0) set_motion(f, memory, direction_of(c.velocity), c);
    return memory;
  }

  /// Friction [N] and the rates of the states; while stuck, friction is whatever keeps the body at rest.
  template <class T>
  static T evaluate(const Friction& f, const Memory& memory, const State<T>&, const Contact<T>& c, State<T>&) {
    if (memory.motion == Slip::stuck) return c.applied;
    const Direction d = direction(memory);
    return f.at(c, d, [&](const auto& m) -> T { return sliding_force(m, seen(memory, c), d); });
  }

  static void guards(const Friction& f, const Memory& memory, const State<double>&, const Contact<double>& c,
                     Guards& out) {
    if (memory.motion == Slip::stuck) {
      // An applied force that equals the level up to rounding, as after creeping to rest, does not release the body.
      const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::fabs(c.applied);
      out.add(breakaway(f, memory, c, Direction::forward) + rounding - c.applied);
      out.add(c.applied + rounding + breakaway(f, memory, c, Direction::backward));
      return;
    }
    const Direction d = direction(memory);
    if constexpr (HasSegments<Model>) {
      const SegmentEnd end = f.at(c, d, [&](const auto& m) { return segment_end(m, seen(memory, c), d); });
      out.add(number(d) * (end.position - c.position));
    }
    out.add(number(d) * c.velocity);
  }

  static Happening leave(const Friction& f, Memory& memory, std::size_t which, State<double>&, Contact<double>& c) {
    if (memory.motion == Slip::stuck) {
      set_motion(f, memory, which == 0 ? Direction::forward : Direction::backward, c);
      return {EventKind::release};
    }
    const Direction d = direction(memory);
    if constexpr (HasSegments<Model>) {
      if (which == 0) {
        const SegmentEnd end = f.at(c, d, [&](const auto& m) { return segment_end(m, seen(memory, c), d); });
        c.position = end.position;
        memory.segment += static_cast<int>(d);
        return {end.kind, static_cast<int>(memory.segment)};
      }
    }
    c.velocity = 0;
    const Direction other = opposite(d);
    if (number(other) * c.applied > breakaway(f, Memory{Slip::stuck, c.time, memory.segment}, c, other)) {
      set_motion(f, memory, other, c);
      return {EventKind::direction_change};
    }
    memory.motion = Slip::stuck;
    memory.since = c.time;
    return {EventKind::stick};
  }

  static void state_scale(const Friction&, State<double>&) {}
  static double stored(const Friction&, const Memory&, const State<double>&, const Contact<double>&) { return 0; }
  static double watched(const Memory&, const State<double>&, double) { return 0; }
  /// True while nothing moves and nothing relaxes: one step may then be as long as the inputs allow.
  static bool at_rest(const Memory& memory) { return memory.motion == Slip::stuck; }
  /// True if the mode can end only by the velocity reaching zero.
  static bool only_rest_ends(const Memory& memory) { return !HasSegments<Model> && memory.motion != Slip::stuck; }
  static double added_mass(const Friction&, const Memory&) { return 0; }
  /// The speed range over which the level changes; a step must not skip it [m/s].
  static double velocity_scale(const Friction& f) {
    if constexpr (requires { f.forward.stribeck_velocity; })
      return min(f.forward.stribeck_velocity, f.backward.stribeck_velocity);
    else
      return 0;
  }

 private:
  static void set_motion(const Friction& f, Memory& memory, Direction d, const Contact<double>& c) {
    memory.motion = sliding(d);
    if constexpr (HasSegments<Model>) memory.segment = f.at(c, d, [&](const auto& m) { return segment_of(m, c, d); });
  }
};

// ---- bristle states -----------------------------------------------------------------------------------------------

template <template <class> class Model>
struct BristleLaw {
  static constexpr std::size_t states = Model<double>::states;
  static constexpr bool stiff = true, has_added_mass = HasAddedMass<Model>;
  struct Memory {
    Direction direction = Direction::forward;
  };
  template <class T>
  using State = std::array<T, states>;
  using Friction = Varied<Model>;

  static std::size_t states_in_use(const Friction&) { return states; }
  static std::vector<std::string_view> mode_names(const Friction& f) {
    if (f.directional) return {"forward", "backward"};
    return {"bristles"};
  }
  static int mode(const Memory& memory) { return memory.direction == Direction::forward ? 0 : 1; }
  static Direction direction(const Memory& memory) { return memory.direction; }

  static Memory start(const Friction& f, State<double>&, const Contact<double>& c) {
    if (!f.directional) return {};
    return {direction_of(c.velocity != 0 ? c.velocity : c.applied)};
  }

  template <class T>
  static T evaluate(const Friction& f, const Memory& memory, const State<T>& z, const Contact<T>& c, State<T>& rates) {
    return f.at(c, memory.direction, [&](const auto& m) -> T {
      if constexpr (states == 1) {
        rates[0] = rate(m, z[0], c);
        return force(m, z[0], rates[0], c);
      } else {
        rates = rate(m, z, c);
        return force(m, z, rates, c);
      }
    });
  }

  static void guards(const Friction& f, const Memory& memory, const State<double>&, const Contact<double>& c,
                     Guards& out) {
    if (f.directional) out.add(number(memory.direction) * c.velocity);
  }
  static Happening leave(const Friction&, Memory& memory, std::size_t, State<double>&, Contact<double>& c) {
    c.velocity = 0;
    memory.direction = opposite(memory.direction);
    return {EventKind::direction_change};
  }

  static void state_scale(const Friction& f, State<double>& scale) {
    if constexpr (states == 1)
      scale[0] = law_detail::scale_of(f.forward);
    else
      scale = law_detail::scale_of(f.forward);
  }
  static double stored(const Friction& f, const Memory& memory, const State<double>& z, const Contact<double>& c) {
    return f.at(c, memory.direction, [&](const auto& m) -> double {
      if constexpr (states == 1) {
        if constexpr (requires { stored_energy(m, z[0]); })
          return stored_energy(m, z[0]);
        else
          return 0;
      } else {
        if constexpr (requires { stored_energy(m, z); })
          return stored_energy(m, z);
        else
          return 0;
      }
    });
  }
  /// Without direction-dependent parameters a reversal ends no mode, but is recorded.
  static double watched(const Memory&, const State<double>&, double velocity) { return velocity; }
  static bool only_rest_ends(const Memory&) { return false; }
  static bool at_rest(const Memory&) { return false; }
  static double added_mass(const Friction& f, const Memory& memory) {
    return added_mass_of<Model>(f.set(memory.direction));
  }
  static double velocity_scale(const Friction&) { return 0; }
};

// ---- a model with its own modes -----------------------------------------------------------------------------------

template <template <class> class Model>
struct ModalLaw {
  static constexpr std::size_t states = Model<double>::states;
  static constexpr bool stiff = Model<double>::stiff, has_added_mass = HasAddedMass<Model>;
  using Memory = typename Model<double>::Memory;
  template <class T>
  using State = std::array<T, states>;
  using Friction = Varied<Model>;

  static std::size_t states_in_use(const Friction& f) {
    if constexpr (requires { elements(f.forward); })
      return elements(f.forward);
    else
      return states;
  }
  static std::vector<std::string_view> mode_names(const Friction&) {
    return {Model<double>::mode_names.begin(), Model<double>::mode_names.end()};
  }
  static int mode(const Memory& memory) { return mode_of(memory); }
  static Direction direction(const Memory& memory) { return direction_in(memory); }
  /// Whose parameters apply: a mode without its own direction (sticking) may use the contact.
  template <class T>
  static Direction direction(const Memory& memory, const Contact<T>& c) {
    if constexpr (requires { direction_in(memory, c); })
      return direction_in(memory, c);
    else
      return direction_in(memory);
  }

  static Memory start(const Friction& f, State<double>& z, const Contact<double>& c) {
    const Direction d = direction_of(c.velocity != 0 ? c.velocity : c.applied);
    return f.at(c, d, [&](const auto& m) { return start_in(m, z, c); });
  }
  template <class T>
  static T evaluate(const Friction& f, const Memory& memory, const State<T>& z, const Contact<T>& c, State<T>& rates) {
    return f.at(c, direction(memory, c), [&](const auto& m) -> T {
      if constexpr (states > 0) rates = rate(m, memory, z, c);
      return force(m, memory, z, rates, c);
    });
  }
  static void guards(const Friction& f, const Memory& memory, const State<double>& z, const Contact<double>& c,
                     Guards& out) {
    f.at(c, direction(memory, c), [&](const auto& m) { guards_in(m, memory, z, c, out); });
  }
  static Happening leave(const Friction& f, Memory& memory, std::size_t which, State<double>& z, Contact<double>& c) {
    return f.at(Contact<double>(c), direction(memory, c),
                [&](const auto& m) { return leave_in(m, memory, which, z, c); });
  }
  static void state_scale(const Friction& f, State<double>& scale) {
    if constexpr (states > 0) scale = law_detail::scale_of(f.forward);
  }
  static double stored(const Friction& f, const Memory& memory, const State<double>& z, const Contact<double>& c) {
    return f.at(c, direction(memory, c), [&](const auto& m) -> double {
      if constexpr (requires { stored_energy(m, memory, z, c); })
        return stored_energy(m, memory, z, c);
      else
        return 0;
    });
  }
  static bool only_rest_ends(const Memory&) { return false; }
  static bool at_rest(const Memory&) { return false; }
  static double watched(const Memory& memory, const State<double>&, double velocity) {
    if constexpr (requires { watches_velocity(memory); })
      return watches_velocity(memory) ? velocity : 0;
    else
      return 0;
  }
  static double added_mass(const Friction& f, const Memory& memory) {
    return added_mass_of<Model>(f.set(direction(memory)));
  }
  static double velocity_scale(const Friction& f) {
    if constexpr (requires { f.forward.stribeck_velocity; })
      return min(f.forward.stribeck_velocity, f.backward.stribeck_velocity);
    else
      return 0;
  }
};

namespace law_detail {
template <template <class> class Model>
struct Choose {
  static auto pick() {
    if constexpr (HasModes<Model>)
      return ModalLaw<Model>{};
    else if constexpr (Sticks<Model>)
      return StickSlipLaw<Model>{};
    else
      return BristleLaw<Model>{};
  }
  using type = decltype(pick());
};
}  // namespace law_detail

template <template <class> class Model>
using LawOf = typename law_detail::Choose<Model>::type;

}  // namespace stickslip
