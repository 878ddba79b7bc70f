/// A friction model for fits: its free numbers are inserted by the rows of its table, and its force along a given
/// motion comes with exact derivatives by them. Nothing is written, read or looked up by name once it is made, and invalid numbers
/// are refused by a return value.
///
/// How a derivative is obtained:
///   a number whose row says `solved` enters the force alone, linearly: from the force at states without derivatives (1)
///   one of a law without states, or one that changes its memory by jumps only: the same                              (2)
///   any other: dual numbers go through the law's own step (hold, hold_in)                                           (3)
///   a law whose step takes doubles only has no derivatives of kind (3): `has_slopes` is false, differences are needed  (4)
/// All registered models have (1) to (3).
///
/// Not here: effects between the contact and the recording (lag, free play, rest): identification/laws/model_fit.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

/// Where one free number goes.
struct NumberPlace {
  enum class Where { value, backward, node };
  Where where = Where::value;
  std::size_t row = 0;    // of the model's table; of a node: which law
  std::size_t entry = 0;  // of a list; of a node: which one
};

/// Rows that depend on a quantity through values at nodes. The last node is the row's own value, and with `factor` the others
/// are given as multiples of it.
struct NodeLaw {
  std::vector<std::size_t> rows;
  Quantity over = Quantity::position;
  std::vector<double> nodes;
  bool table = false, factor = false;
  bool proportional = false;               // q over its value at the last node
  std::vector<std::vector<double>> basis;  // coefficients of node k's Lagrange polynomial in q less the reference
  double reference = 0;
};

struct KernelSettings {
  FrictionSettings base;            // what is not free; places are filled over it. Without variations
  std::vector<NumberPlace> places;  // one per free number
  std::vector<NodeLaw> laws;
  std::optional<std::size_t> complement;  // a list whose last entry is 1 less the others
};

/// A breakaway level: a law that truly sticks has one.
enum class RestKind { none, free, level };

class ModelKernel {
 public:
  virtual ~ModelKernel() = default;
  /// False if the model refuses the numbers; no other function may then be called.
  virtual bool place(std::span<const double> numbers) = 0;
  /// Friction along the first samples of a motion [N], velocity held between them, inertia of the friction included.
  virtual void respond(const PrescribedMotion& motion, std::span<double> force) = 0;
  /// (1) to (3); false: (4).
  virtual bool has_slopes(std::size_t number) const = 0;
  /// True for (1) and (2).
  virtual bool enters_force_only(std::size_t number) const = 0;
  /// Slopes of `respond` by each of `numbers`, to columns of `samples` doubles each [N per unit of the number].
  virtual void slopes(const PrescribedMotion& motion, std::size_t samples, std::span<const std::size_t> numbers,
                      std::span<double* const> columns) = 0;
  virtual RestKind rest() const = 0;
  /// Breakaway towards d [N], and its slopes by each of `numbers`.
  virtual double rest_level(const Contact<double>& c, Direction d) = 0;
  virtual void rest_slopes(const Contact<double>& c, Direction d, std::span<const std::size_t> numbers,
                           std::span<double> slopes) = 0;
};

/// Throws Error for invalid settings.
std::unique_ptr<ModelKernel> make_kernel(std::string_view model, const KernelSettings& settings);

/// The kernel of one model; the list is made beside that of registered_models().
using KernelMaker = std::unique_ptr<ModelKernel> (*)(const KernelSettings& settings);
std::vector<std::pair<std::string_view, KernelMaker>> model_kernels();

}  // namespace stickslip::inline machines
