/// Makes the kernel of a model file (model_kernel.hpp) from its table and its physics.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "machines/friction/assign_rows.hpp"
#include "machines/friction/model_kernel.hpp"
#include "models/held_motion.hpp"
#include "models/law.hpp"

namespace stickslip::inline machines {
namespace kernel_detail {

/// The polynomial or table of one row, with slopes by its nodes.
template <class T>
struct PlacedVariation {
  std::size_t row = 0;
  Quantity over = Quantity::position;
  bool is_list = false, is_table = false;
  std::vector<T> polynomial;
  std::vector<double> knots;
  std::vector<T> values;
  double reference = 0;

  T at(double q) const {
    if (!is_table) {
      q -= reference;
      T sum = 0.0;
      for (std::size_t j = polynomial.size(); j-- > 0;) sum = sum * q + polynomial[j];
      return sum;
    }
    if (q <= knots.front()) return values.front();
    if (q >= knots.back()) return values.back();
    std::size_t i = 1;
    while (knots[i] < q) ++i;
    const T slope = (values[i] - values[i - 1]) / (knots[i] - knots[i - 1]);
    return values[i - 1] + slope * (q - knots[i - 1]);
  }
};

/// A model with its parameters as T: what Varied is for doubles.
template <template <class> class Model, class T>
struct Placed {
  Model<T> forward{}, backward{};
  bool directional = false;
  std::vector<PlacedVariation<T>> variations;

  const Model<T>& set(Direction d) const { return directional && d == Direction::backward ? backward : forward; }

  template <class Physics>
  decltype(auto) at(const Contact<double>& c, Direction d, Physics&& physics) const {
    if (variations.empty()) return physics(set(d));
    Model<T> here = set(d);
    for (const auto& v : variations) {
      const T found = v.at(quantity_of(c, v.over));
      on_row(here, v.row, [&](auto& member) {
        using V = std::remove_cvref_t<decltype(member)>;
        if constexpr (kind_of<V>::value == ParameterKind::list)
          for (std::size_t i = 0; i < member.count; ++i) member.at[i] = member.at[i] * found;
        else if constexpr (kind_of<V>::value == ParameterKind::number)
          member = v.is_table ? found : member + found;
      });
    }
    return physics(std::as_const(here));
  }

  /// Calls `use` with the member of row number `row`.
  template <class Use>
  static void on_row(Model<T>& m, std::size_t row, Use&& use) {
    std::size_t index = 0;
    std::apply([&](const auto&... r) { ((index++ == row ? use(m.*(r.member)) : void()), ...); },
               Model<T>::parameters());
  }
};

template <class T>
Contact<T> lifted(const Contact<double>& c) {
  Contact<T> out;
  out.position = c.position, out.velocity = c.velocity, out.applied = c.applied;
  out.load = c.load, out.pressure = c.pressure, out.temperature = c.temperature;
  out.mass = c.mass, out.time = c.time, out.dwell = c.dwell, out.segment = c.segment;
  return out;
}

// The model's own functions, for classes that have functions of the same names.
template <class M, class T>
T sliding_of(const M& m, const Contact<T>& c, Direction d) {
  return sliding_force(m, c, d);
}
template <class M, class T>
T breakaway_of(const M& m, const Contact<T>& c, Direction d) {
  return breakaway_force(m, c, d);
}
template <class M, class Z, class T>
Z bristles_after(const M& m, const Z& z, const Contact<T>& c, double duration) {
  if constexpr (requires { hold_quickly(m, z, c, duration); })
    return hold_quickly(m, z, c, duration);
  else
    return hold(m, z, c, duration);
}
template <class M, class Z, class T>
T bristle_force(const M& m, const Z& z, const Contact<T>& c) {
  if constexpr (requires { force_at_own_rates(m, z, c); }) {
    return force_at_own_rates(m, z, c);
  } else {
    const Z rates = rate(m, z, c);
    return force(m, z, rates, c);
  }
}
template <class M, class Memory, class Z, class T>
T modal_force(const M& m, const Memory& memory, const Z& z, const Contact<T>& c) {
  // A law that takes samples holds their force; with derivatives it is computed from the memory.
  if constexpr (!std::is_same_v<T, double> && requires { sampled_force(m, memory); }) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(memory.force)>, T>)
      return memory.force;  // the memory has slopes itself
    else
      return sampled_force(m, memory);
  } else {
    Z rates{};
    if constexpr (std::tuple_size_v < Z >> 0) rates = rate(m, memory, z, c);
    return force(m, memory, z, rates, c);
  }
}
template <class Memory>
Direction modal_direction(const Memory& memory, const Contact<double>& c) {
  if constexpr (requires { direction_in(memory, c); })
    return direction_in(memory, c);
  else
    return direction_in(memory);
}

/// A law whose step takes models, memory and states with slopes.
template <template <class> class Model, class T>
constexpr bool steps_in_duals() {
  using Law = LawOf<Model>;
  using State = typename Law::template State<T>;
  if constexpr (HasModes<Model>) {
    return requires(const Model<T>& m, typename Model<T>::Memory& memory, State& z, const Contact<double>& c) {
      hold_in(m, memory, z, c, c, 1.0);
    };
  } else if constexpr (Sticks<Model>) {
    return false;
  } else if constexpr (Law::states == 1) {
    return requires(const Model<T>& m, const T& z, const Contact<T>& c) { hold(m, z, c, 1.0); };
  } else {
    return requires(const Model<T>& m, const State& z, const Contact<T>& c) { hold(m, z, c, 1.0); };
  }
}
/// True for a law whose memory or states depend on its parameters other than by jumps.
template <template <class> class Model>
constexpr bool remembers() {
  return LawOf<Model>::states > 0 || steps_in_duals<Model, Dual<4>>();
}

/// A law whose memory holds the factors of its `solved` numbers.
template <template <class> class Model>
constexpr bool holds_factors() {
  if constexpr (HasModes<Model>) return requires(const typename Model<double>::Memory& memory) {
      factor_in(memory, 0, 0);
    };
  else
    return false;
}

/// The law along a motion: its memory and states as S, its parameters and force as T. S is double or T.
template <template <class> class Model, class S, class T>
class Walk {
 public:
  using Law = LawOf<Model>;
  static constexpr bool is_modal = HasModes<Model>, is_bristle = !HasModes<Model> && !Sticks<Model>;

  Walk(const Placed<Model, double>& plain, const Placed<Model, S>& stepping, const Placed<Model, T>& forcing)
      : plain_(plain), stepping_(stepping), forcing_(forcing) {}

  void start(const Contact<double>& c) {
    const Direction d = direction_of(c.velocity != 0 ? c.velocity : c.applied);
    if constexpr (is_modal) {
      if constexpr (std::is_same_v<Memory, typename Model<double>::Memory>) {
        typename Law::template State<double> z{};
        memory_ = plain_.at(c, d, [&](const auto& m) { return start_in(m, z, c); });
        for (std::size_t i = 0; i < z.size(); ++i) z_[i] = z[i];
      } else {
        memory_ = stepping_.at(c, d, [&](const auto& m) { return start_in(m, z_, c); });
      }
    } else if constexpr (is_bristle) {
      memory_ = {};
      if (plain_.directional) memory_.direction = d;
    } else {
      memory_ = {Slip::stuck, c.time, 0};
      if (c.velocity != 0) slide(c);
    }
  }
  /// Along the path from one contact to the next at constant velocity.
  void step(const Contact<double>& from, const Contact<double>& to, double duration) {
    Contact<double> c = to;
    c.velocity = (to.position - from.position) / duration;
    if constexpr (is_modal) {
      const Direction d = c.velocity != 0 ? direction_of(c.velocity) : direction_in(memory_);
      stepping_.at(c, d, [&](const auto& m) { hold_in(m, memory_, z_, from, c, duration); });
    } else if constexpr (is_bristle) {
      if (plain_.directional && c.velocity != 0) memory_.direction = direction_of(c.velocity);
      stepping_.at(c, memory_.direction, [&](const auto& m) {
        if constexpr (Law::states == 1)
          z_[0] = bristles_after(m, z_[0], lifted<S>(c), duration);
        else
          z_ = bristles_after(m, z_, lifted<S>(c), duration);
      });
    } else if (c.velocity != 0) {
      slide(c);
    } else if (memory_.motion != Slip::stuck) {
      memory_.motion = Slip::stuck;
      memory_.since = from.time;
    }
  }
  /// At the velocity of the step [N]; at rest a law that sticks gives 0.
  T resisting(const Contact<double>& c) const {
    const Contact<T> here = lifted<T>(c);
    if constexpr (is_modal) {
      return forcing_.at(c, modal_direction(memory_, c),
                         [&](const auto& m) { return modal_force(m, memory_, lifted_state(), here); });
    } else if constexpr (is_bristle) {
      return forcing_.at(c, memory_.direction, [&](const auto& m) {
        if constexpr (Law::states == 1)
          return bristle_force(m, T(z_[0]), here);
        else
          return bristle_force(m, lifted_state(), here);
      });
    } else {
      if (memory_.motion == Slip::stuck) return T(c.applied);
      const Direction d = Law::direction(memory_);
      return forcing_.at(c, d, [&](const auto& m) { return sliding_of(m, Law::seen(memory_, here), d); });
    }
  }

  const auto& memory() const { return memory_; }

 private:
  static auto memory_type() {
    if constexpr (is_modal && remembers<Model>())
      return typename Model<S>::Memory{};
    else
      return typename Law::Memory{};
  }
  using Memory = decltype(memory_type());
  using State = typename Law::template State<T>;

  decltype(auto) lifted_state() const {
    if constexpr (std::is_same_v<S, T>) {
      return (z_);
    } else {
      State z{};
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = z_[i];
      return z;
    }
  }
  void slide(const Contact<double>& c) {
    const Direction d = direction_of(c.velocity);
    memory_.motion = sliding(d);
    memory_.since = c.time;
    if constexpr (HasSegments<Model>)
      memory_.segment = plain_.at(c, d, [&](const auto& m) { return segment_of(m, c, d); });
  }

  const Placed<Model, double>& plain_;
  const Placed<Model, S>& stepping_;
  const Placed<Model, T>& forcing_;
  Memory memory_{};
  typename Law::template State<S> z_{};
};

/// Row number of a key; the table's length if it has none.
template <template <class> class Model>
std::size_t row_of(std::string_view key) {
  std::size_t index = 0, found = std::tuple_size_v<decltype(Model<double>::parameters())>;
  std::apply([&](const auto&... r) { ((r.info.key == key ? void(found = index++) : void(index++)), ...); },
             Model<double>::parameters());
  return found;
}

}  // namespace kernel_detail

template <template <class> class Model>
class KernelOf final : public ModelKernel {
  template <class T>
  using Placed = kernel_detail::Placed<Model, T>;
  static constexpr bool remembers = kernel_detail::remembers<Model>();
  static constexpr std::size_t widest = 8;  // slopes that go along with a walk

 public:
  explicit KernelOf(const KernelSettings& settings) : settings_(settings) {
    const ModelDescription& d = find_model(Model<double>::text.name).description();
    check_keys(d, settings_.base.values);
    check_keys(d, settings_.base.backward);
    try {
      assign(d, settings_.base.values, base_, false);
    } catch (const Error&) {
      is_refused_ = true;  // an invalid fixed number: every candidate is invalid
    }
    bool spring = false, stiction = false;
    for (const auto& p : d.parameters) {
      fits_.push_back(p.fit);
      spring = spring || p.unit == "N/m" || p.key == "presliding_limit";
      stiction = stiction || p.key == "stiction_force";
    }
    rests_at_stiction_ = d.nature == Nature::modes && stiction && !spring;
  }

  bool place(std::span<const double> numbers) override {
    if (is_refused_) return false;
    numbers_.assign(numbers.begin(), numbers.end());
    fill(plain_, numbers_);
    if (!allowed(plain_.forward) || refuses(plain_.forward)) return false;
    if (plain_.directional && (!allowed(plain_.backward) || refuses(plain_.backward))) return false;
    for (const auto& v : plain_.variations)
      if (v.is_table && !v.is_list)
        for (const double x : v.values)
          if (!is_allowed(domain_of(v.row), x)) return false;
    return true;
  }

  void respond(const PrescribedMotion& motion, std::span<double> force) override {
    kernel_detail::Walk<Model, double, double> walk(plain_, plain_, plain_);
    along(walk, motion, force.size(), [&](std::size_t i, double f) { force[i] = f; });
    if constexpr (HasAddedMass<Model>) {
      if (!(plain_.forward.viscous_lag > 0)) return;
      const double mass = added_mass(plain_.forward);
      accelerations(motion, force.size(),
                    [&](std::size_t i, double change, double time) { force[i] += mass * change / time; });
    }
  }

  bool enters_force_only(std::size_t number) const override {
    if constexpr (!remembers) return true;
    const NumberPlace& p = settings_.places[number];
    if (p.where != NumberPlace::Where::node) return fits_[p.row] == Fit::solved;
    const auto& rows = settings_.laws[p.row].rows;
    return std::all_of(rows.begin(), rows.end(), [&](std::size_t row) { return fits_[row] == Fit::solved; });
  }
  bool has_slopes(std::size_t number) const override {
    return kernel_detail::steps_in_duals<Model, Dual<4>>() || enters_force_only(number);
  }

  void slopes(const PrescribedMotion& motion, std::size_t samples, std::span<const std::size_t> numbers,
              std::span<double* const> columns) override {
    std::vector<std::size_t> outside, inside;  // positions in `numbers`
    for (std::size_t k = 0; k < numbers.size(); ++k) (enters_force_only(numbers[k]) ? outside : inside).push_back(k);
    if constexpr (kernel_detail::steps_in_duals<Model, Dual<4>>())
      if (inside.size() % widest != 0 && outside.size() <= widest - inside.size() % widest) {
        // Those that enter the force only go along where there is room: their slopes of the states are zero.
        inside.insert(inside.end(), outside.begin(), outside.end());
        outside.clear();
      }
    if constexpr (kernel_detail::holds_factors<Model>()) {
      if (are_plain_values(numbers, outside))
        read_factors(motion, samples, numbers, columns, outside);
      else
        in_chunks<false>(motion, samples, numbers, columns, outside);
    } else {
      in_chunks<false>(motion, samples, numbers, columns, outside);
    }
    if constexpr (kernel_detail::steps_in_duals<Model, Dual<4>>())
      in_chunks<true>(motion, samples, numbers, columns, inside);
  }

  RestKind rest() const override {
    if constexpr (Sticks<Model> && !HasModes<Model>) return HasSegments<Model> ? RestKind::free : RestKind::level;
    return rests_at_stiction_ ? RestKind::level : RestKind::none;
  }
  double rest_level(const Contact<double>& c, Direction d) override { return level_at(plain_, c, d); }
  void rest_slopes(const Contact<double>& c, Direction d, std::span<const std::size_t> numbers,
                   std::span<double> slopes) override {
    constexpr std::size_t width = 4;
    for (std::size_t first = 0; first < numbers.size(); first += width) {
      const std::size_t count = std::min(width, numbers.size() - first);
      fill_variables(numbers.subspan(first, count), levels_);
      const Dual<width> level = level_at(levels_, c, d);
      for (std::size_t i = 0; i < count; ++i) slopes[first + i] = level.slope[i];
    }
  }

 private:
  template <class T>
  T level_at(const Placed<T>& placed, const Contact<double>& c, Direction d) const {
    if constexpr (Sticks<Model> && !HasModes<Model>) {
      return placed.at(c, d,
                       [&](const auto& m) { return kernel_detail::breakaway_of(m, kernel_detail::lifted<T>(c), d); });
    } else if constexpr (requires { placed.forward.stiction_force; }) {
      return placed.forward.stiction_force;
    } else {
      return T(unbounded_level);
    }
  }
  static constexpr double unbounded_level = std::numeric_limits<double>::infinity();

  static bool allowed(const Model<double>& m) {
    const auto sensible = [](Domain domain, const auto& member) {
      using V = std::remove_cvref_t<decltype(member)>;
      if constexpr (kind_of<V>::value == ParameterKind::number) return is_allowed(domain, member);
      if constexpr (kind_of<V>::value == ParameterKind::list)
        for (std::size_t i = 0; i < member.count; ++i)
          if (!is_allowed(domain, member.at[i])) return false;
      return true;
    };
    return std::apply([&](const auto&... r) { return (sensible(r.info.domain, m.*(r.member)) && ...); },
                      Model<double>::parameters());
  }
  static bool refuses(const Model<double>& m) {
    if constexpr (requires { refusal(m); })
      return !refusal(m).empty();
    else
      return false;
  }
  static Domain domain_of(std::size_t row) {
    Domain found = Domain::real;
    std::size_t index = 0;
    std::apply([&](const auto&... r) { ((index++ == row ? void(found = r.info.domain) : void()), ...); },
               Model<double>::parameters());
    return found;
  }

  /// The numbers into the rows.
  template <class T>
  void fill(Placed<T>& out, const std::vector<T>& numbers) const {
    using Where = NumberPlace::Where;
    out.forward = converted<Model<T>>(base_);
    const auto put = [&](Model<T>& m, std::size_t k) {
      Placed<T>::on_row(m, settings_.places[k].row, [&](auto& member) {
        using V = std::remove_cvref_t<decltype(member)>;
        if constexpr (kind_of<V>::value == ParameterKind::list)
          member.at[settings_.places[k].entry] = numbers[k];
        else if constexpr (kind_of<V>::value == ParameterKind::number)
          member = numbers[k];
      });
    };
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (settings_.places[k].where == Where::value) put(out.forward, k);
    if (settings_.complement)
      Placed<T>::on_row(out.forward, *settings_.complement, [](auto& member) {
        using V = std::remove_cvref_t<decltype(member)>;
        if constexpr (kind_of<V>::value == ParameterKind::list) {
          T sum = 0.0;
          for (std::size_t i = 0; i + 1 < member.count; ++i) sum = sum + member.at[i];
          if (member.count > 0) member.at[member.count - 1] = 1.0 - sum;
        }
      });
    out.backward = out.forward;
    out.directional = !settings_.base.backward.empty();
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (settings_.places[k].where == Where::backward) put(out.backward, k);
    if (!settings_.laws.empty()) fill_laws(out, numbers);
  }
  template <class T>
  void fill_laws(Placed<T>& out, const std::vector<T>& numbers) const {
    out.variations.clear();
    for (std::size_t l = 0; l < settings_.laws.size(); ++l) {
      const NodeLaw& law = settings_.laws[l];
      std::vector<T> nodes(law.nodes.size(), T(1.0));
      if (law.proportional) nodes.front() = law.nodes.front() / law.nodes.back();
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (settings_.places[k].where == NumberPlace::Where::node && settings_.places[k].row == l)
          nodes[settings_.places[k].entry] = numbers[k];
      for (const std::size_t row : law.rows) {
        kernel_detail::PlacedVariation<T> v;
        v.row = row;
        v.over = law.over;
        v.is_table = law.table;
        v.reference = law.reference;
        T level = 1.0;
        Placed<T>::on_row(out.forward, row, [&](auto& member) {
          using V = std::remove_cvref_t<decltype(member)>;
          if constexpr (kind_of<V>::value == ParameterKind::list)
            v.is_list = true;
          else if constexpr (kind_of<V>::value == ParameterKind::number)
            level = member;
        });
        std::vector<T> at_nodes = nodes;
        for (std::size_t k = 0; k < at_nodes.size(); ++k)
          if (law.factor)
            at_nodes[k] *= level;
          else if (k + 1 == at_nodes.size())
            at_nodes[k] = level;
        if (law.table) {
          v.knots = law.nodes;
          v.values = at_nodes;
        } else {
          v.polynomial.assign(law.nodes.size(), T(0.0));
          for (std::size_t k = 0; k < at_nodes.size(); ++k)
            for (std::size_t j = 0; j < v.polynomial.size(); ++j) v.polynomial[j] += at_nodes[k] * law.basis[k][j];
          if (!v.is_list) v.polynomial[0] -= level;  // it is added to the constant
        }
        out.variations.push_back(std::move(v));
      }
    }
  }
  template <std::size_t N>
  void fill_variables(std::span<const std::size_t> numbers, Placed<Dual<N>>& out) const {
    std::vector<Dual<N>> with_slopes(numbers_.begin(), numbers_.end());
    for (std::size_t i = 0; i < numbers.size(); ++i) with_slopes[numbers[i]].slope[i] = 1;
    fill(out, with_slopes);
  }

  /// Calls `take(sample, force)` along the motion. All of the law is compiled into this loop: numbers with slopes stay in registers, and
  /// what its step and its force have in common, the level at a speed, is worked out once.
  template <class W, class Take>
  [[gnu::flatten]] static void along(W& walk, const PrescribedMotion& motion, std::size_t samples, Take&& take) {
    const auto contact_at = [&](std::size_t i) {
      Contact<double> c;
      c.time = motion.time[i];
      c.position = motion.position[i];
      if (!motion.load.empty()) c.load = motion.load[i];
      if (!motion.pressure.empty()) c.pressure = motion.pressure[i];
      if (!motion.temperature.empty()) c.temperature = motion.temperature[i];
      return c;
    };
    if (samples == 0) return;
    Contact<double> before = contact_at(0);
    walk.start(before);
    take(0, walk.resisting(before));
    for (std::size_t i = 1; i < samples; ++i) {
      Contact<double> now = contact_at(i);
      const double duration = now.time - before.time;
      now.velocity = (now.position - before.position) / duration;
      walk.step(before, now, duration);
      take(i, walk.resisting(now));
      before = now;
    }
  }
  /// Calls `take(sample, change of velocity, time it takes)`.
  template <class Take>
  static void accelerations(const PrescribedMotion& m, std::size_t samples, Take&& take) {
    for (std::size_t i = 1; i + 1 < samples; ++i) {
      const double before = (m.position[i] - m.position[i - 1]) / (m.time[i] - m.time[i - 1]);
      const double after = (m.position[i + 1] - m.position[i]) / (m.time[i + 1] - m.time[i]);
      take(i, after - before, 0.5 * (m.time[i + 1] - m.time[i - 1]));
    }
  }

  /// The numbers are used as given: neither direction nor another quantity changes them.
  bool are_plain_values(std::span<const std::size_t> numbers, const std::vector<std::size_t>& chosen) const {
    return settings_.laws.empty() && settings_.base.backward.empty() &&
           std::all_of(chosen.begin(), chosen.end(),
                       [&](std::size_t k) { return settings_.places[numbers[k]].where == NumberPlace::Where::value; });
  }
  /// Derivatives by `solved` numbers, all in one pass: their factors in the law's memory.
  void read_factors(const PrescribedMotion& motion, std::size_t samples, std::span<const std::size_t> numbers,
                    std::span<double* const> columns, const std::vector<std::size_t>& chosen) const {
    if (chosen.empty()) return;
    kernel_detail::Walk<Model, double, double> walk(plain_, plain_, plain_);
    along(walk, motion, samples, [&](std::size_t i, double) {
      for (const std::size_t k : chosen) {
        const NumberPlace& place = settings_.places[numbers[k]];
        columns[k][i] = factor_in(walk.memory(), place.row, place.entry);
      }
    });
  }

  /// Derivatives by the chosen numbers, eight or four at a time. With `through_states` they pass through the law's step.
  template <bool through_states>
  void in_chunks(const PrescribedMotion& motion, std::size_t samples, std::span<const std::size_t> numbers,
                 std::span<double* const> columns, const std::vector<std::size_t>& chosen) {
    for (std::size_t first = 0; first < chosen.size();) {
      const std::size_t left = chosen.size() - first, count = std::min<std::size_t>(left <= 4 ? 4 : widest, left);
      std::array<std::size_t, widest> which{};
      std::array<double*, widest> to{};
      for (std::size_t i = 0; i < count; ++i) which[i] = numbers[chosen[first + i]], to[i] = columns[chosen[first + i]];
      if (left <= 4)
        chunk<4, through_states>(motion, samples, {which.data(), count}, to.data());
      else
        chunk<widest, through_states>(motion, samples, {which.data(), count}, to.data());
      first += count;
    }
  }
  template <std::size_t N, bool through_states>
  void chunk(const PrescribedMotion& motion, std::size_t samples, std::span<const std::size_t> numbers,
             double* const* columns) {
    using T = Dual<N>;
    Placed<T> placed;
    fill_variables(numbers, placed);
    const auto take = [&](std::size_t i, const T& force) {
      for (std::size_t k = 0; k < numbers.size(); ++k) columns[k][i] = force.slope[k];
    };
    if constexpr (through_states) {
      kernel_detail::Walk<Model, T, T> walk(plain_, placed, placed);
      along(walk, motion, samples, take);
    } else {
      kernel_detail::Walk<Model, double, T> walk(plain_, plain_, placed);
      along(walk, motion, samples, take);
    }
    if constexpr (HasAddedMass<Model>) {
      const T mass = added_mass(placed.forward);
      accelerations(motion, samples, [&](std::size_t i, double change, double time) {
        for (std::size_t k = 0; k < numbers.size(); ++k) columns[k][i] += mass.slope[k] * change / time;
      });
    }
  }

  KernelSettings settings_;
  Model<double> base_{};
  bool is_refused_ = false, rests_at_stiction_ = false;
  std::vector<Fit> fits_;
  std::vector<double> numbers_;
  Placed<double> plain_;
  Placed<Dual<4>> levels_;
};

template <template <class> class Model>
std::unique_ptr<ModelKernel> kernel_of(const KernelSettings& settings) {
  return std::make_unique<KernelOf<Model>>(settings);
}

}  // namespace stickslip::inline machines
