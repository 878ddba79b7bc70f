/// The free numbers of a friction model with its chain, as one vector, and back to settings.
///   y = ln(value) for what is positive over decades, (value − origin)/typical for the rest; the origin is that of the
///   data for an offset, so that a constant added to the force moves nothing but the offset, and 0 otherwise       (1)
///   a number that follows a quantity q: its values at nodes of q are free; between them a polynomial or a table    (2)
///   every level at once: level · f(q), one f for all, f = 1 at the last node                                       (3)
///   a list (Maxwell-slip stiffnesses) that follows q: times f(q), f = 1 at the last node                           (4)
/// Boxes come from the data (DataScales), by the role of a parameter (parameter_role.hpp): levels from the force, stiffnesses from force and
/// travel, speeds from speeds. The table of the model gives boxes only to what has no unit, and says what is fixed and
/// what is solved: rows marked `solved`, the nodes of a law of such a row alone, and offsets.
/// Each direction may have its own levels, viscosities and thresholds.
/// Two laws over different quantities add up for a number and multiply for a list.
/// Numbers that every recording has for itself: y = (those of the first recording, shared ones among them; the private ones of the second;
///   of the third; ...). A law of one recording has as many numbers as without them                                  (5)
/// Not here: fitting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identification/fit_data.hpp"
#include "identification/laws/parameter_role.hpp"
#include "machines/friction/model_kernel.hpp"

namespace stickslip::inline identification {

struct Unknown {
  std::string key;  // as in files: "coulomb_force", "thresholds[2]", "backward.viscosity", "chain.offset"
  std::string unit;
  double low = 0, high = 1;  // box
  Scale scale = Scale::linear;
  double guess = 0;   // from the data
  double spread = 1;  // starts lie within guess·e^±spread (logarithmic), guess ± spread·typical (linear)
  double typical = 1;
  double origin = 0;
  ParameterRole role = ParameterRole::own_range;
  bool solved = false;                // the force is linear in it: by its row, or because it is an offset
  double prior = 0, prior_error = 0;  // known beforehand: mean and standard deviation; an error of 0: nothing
  double prior_strength = 0;  // that of one error of the force in (1) of prior_rounds.hpp [N]; 0: not weighed yet

  bool has_prior() const { return prior_error > 0; }
  /// As a residual: this much per unit of its value.
  double prior_weight() const { return has_prior() ? prior_strength / prior_error : 0; }

  double coordinate(double value) const {
    return scale == Scale::logarithmic ? std::log(value) : (value - origin) / typical;
  }
  double value(double y) const { return scale == Scale::logarithmic ? std::exp(y) : origin + y * typical; }
  /// ∂value/∂y.
  double value_slope(double y) const { return scale == Scale::logarithmic ? std::exp(y) : typical; }
  double lowest() const { return coordinate(low); }
  double highest() const { return coordinate(high); }
};

/// A model made of its numbers.
struct Realised {
  FrictionSettings settings;
  Chain chain;
};

struct SpaceOptions {
  bool per_direction = false;
  std::vector<VariationRequest> variations;
  bool find_offset = true, find_lag = false, find_backlash = false;
  std::vector<std::pair<std::string, double>> fixed;
  /// Initial values, if better ones than the orders of magnitude of the data are known.
  ParameterValues start;
  std::vector<std::string> free_too;  // parameters that the table calls fixed
};

class ModelSpace {
 public:
  /// Throws Error for a variation or a fixed value that the model does not know.
  ModelSpace(const RegisteredModel& model, const DataScales& scales, const SpaceOptions& options);

  const RegisteredModel& model() const { return *model_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  std::vector<Unknown>& unknowns() { return unknowns_; }
  std::size_t size() const { return unknowns_.size(); }
  std::optional<std::size_t> find(std::string_view key) const;

  /// With private numbers: the law with the mean of each.
  Realised at(const std::vector<double>& y) const;
  /// The law of one recording.
  Realised at(const std::vector<double>& y, std::size_t unit) const;
  /// (5): lets each of so many recordings have these numbers for itself: "coulomb_force" (of both directions), "thresholds[2]", "offset",
  /// "level(load)". They become "coulomb_force@1", "coulomb_force@2", ... Returns how many numbers of the law are private then; what the law
  /// does not have is passed over.
  std::size_t give_own(const std::vector<std::string>& names, std::size_t units);
  /// Recordings with numbers of their own; 1: all numbers are shared.
  std::size_t units() const { return units_; }
  bool is_own(std::size_t unknown) const;
  /// The place of an unknown among the numbers of its recording's law.
  std::size_t place_of(std::size_t unknown) const {
    return unknown < law_size() ? unknown : own_[(unknown - law_size()) % own_.size()];
  }
  /// Whether the law of this recording has the unknown.
  bool serves(std::size_t unknown, std::size_t unit) const {
    if (!is_own(unknown)) return true;
    return unit == (unknown < law_size() ? 0 : 1 + (unknown - law_size()) / own_.size());
  }
  /// How many unknowns the law of one recording has.
  std::size_t law_size() const { return unknowns_.size() - own_.size() * (units_ - 1); }
  /// The coordinates of the law of one recording, out of all.
  void of_unit(std::span<const double> y, std::size_t unit, std::vector<double>& out) const;
  /// The model for fits. Its numbers are the first unknowns, in their order; those of the chain come after them.
  std::unique_ptr<ModelKernel> kernel() const;
  std::size_t model_numbers() const { return model_numbers_; }
  /// Of the coordinates of one recording's law.
  Chain chain_at(std::span<const double> y) const;
  /// Which unknown of the chain it is.
  bool is_offset(std::size_t unknown) const { return places_[unknown].where == Where::offset; }
  bool is_lag(std::size_t unknown) const { return places_[unknown].where == Where::lag; }
  /// The coordinates of the guesses, or of a model found before in the same space.
  std::vector<double> guess() const;
  /// Throws Error (of the model) if the numbers are invalid.
  std::unique_ptr<Friction> make(const Realised& r) const { return model_->make(r.settings); }

 private:
  enum class Where { value, backward, node, offset, lag, backlash };
  struct Place {
    Where where = Where::value;
    std::size_t index = 0;  // of values / backward / laws
    std::size_t element = 0;
    bool is_list = false;
  };
  /// One law over a quantity; factor: (3), (4).
  struct Law : NodeLaw {
    std::vector<std::string> keys;
  };

  void add_value(const ParameterDescription& p, const SpaceOptions& options);
  void add_laws(const SpaceOptions& options);
  void add(Unknown u, Place p);
  Unknown box(const ParameterDescription& p) const;
  Realised realised(const std::vector<double>& y) const;
  bool holds_at_reference(const VariationSetting& law, const FrictionSettings& settings) const;

  const RegisteredModel* model_;
  DataScales scales_;
  FrictionSettings base_;
  Chain chain_;
  std::vector<Unknown> unknowns_;
  std::vector<Place> places_;
  std::vector<Law> laws_;
  std::size_t model_numbers_ = 0;
  std::size_t units_ = 1;
  std::vector<std::size_t> own_;  // which numbers of a law are private
};

/// "coulomb_force@2" is the second recording's "coulomb_force".
inline std::string shared_key(const std::string& key) { return key.substr(0, key.find('@')); }
/// Its recording, from 0 on; nothing for a shared number.
std::optional<std::size_t> unit_in(const std::string& key);
/// Whether a private name means this key: "thresholds" all of a list, "coulomb_force" that of either direction.
bool is_meant(const std::string& key, const std::string& name);

}  // namespace stickslip::inline identification
