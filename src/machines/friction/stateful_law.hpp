/// A friction law with internal states or modes, chosen by name, in a joint of a machine: bristles, Maxwell elements,
/// presliding. The joint keeps its states among those of the machine and its discrete memory as bytes. Friction is positive against
/// positive velocity.
/// Not here: laws that truly stick and have no states; a machine solves those together (sticking_law.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/contact.hpp"
#include "core/switching.hpp"

namespace stickslip::inline machines {

/// The discrete memory of a law as it lies in memory: copied, saved and compared like a number.
struct LawMemory {
  std::vector<std::byte> bytes;
  template <class Archive>
  void keep(Archive& archive) {
    archive(bytes);
  }
};

/// Force and rates of the states with their derivatives; `by_state` of the rates row by row.
struct LawSlopes {
  struct Of {
    double value = 0, velocity = 0, position = 0, load = 0, applied = 0;
    std::vector<double> state;
  };
  Of force;
  std::vector<Of> rate;
};

class StatefulLaw {
 public:
  virtual ~StatefulLaw() = default;
  virtual std::size_t states() const = 0;
  /// With unit at the end, as the model names them: "bristle_deflection_m".
  virtual const std::vector<std::string>& state_names() const = 0;
  /// Scale of each state.
  virtual std::vector<double> state_scale() const = 0;
  /// True if the law needs all other forces on its body, or its mass: it can only act on a body that has no other joint.
  virtual bool needs_applied_force() const = 0;
  /// Memory at the start; may change the states.
  virtual LawMemory start(const Contact<double>& contact, double* state) const = 0;
  /// Friction [N] and the rates of the states.
  virtual double evaluate(const LawMemory& memory, const double* state, const Contact<double>& contact,
                          double* rates) const = 0;
  virtual void slopes(const LawMemory& memory, const double* state, const Contact<double>& contact,
                      LawSlopes& out) const = 0;
  /// Positive while the present mode holds: the lowest of the law's guards.
  virtual double guard(const LawMemory& memory, const double* state, const Contact<double>& contact) const = 0;
  /// The switch at that guard; may change states, velocity and position.
  virtual Happening leave(LawMemory& memory, double* state, Contact<double>& contact) const = 0;
  virtual double stored(const LawMemory& memory, const double* state, const Contact<double>& contact) const = 0;
  /// False if a level that varies has left its range.
  virtual bool is_sensible(const LawMemory& memory, const Contact<double>& contact) const = 0;
};

/// How a joint of a machine treats a law: levels that are solved together with all others (sticking_law.hpp), states beside those of
/// the machine, the same for a body that has no other joint, or refused.
enum class InJoints { levels, states, alone, refused };
class Friction;
struct ModelDescription;
InJoints in_joints(const ModelDescription& model);
/// nullptr for a law that has levels, or is refused.
std::unique_ptr<StatefulLaw> stateful_law(const Friction& friction);

}  // namespace stickslip::inline machines
