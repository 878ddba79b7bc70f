/// The law of every recording: one for all, or, where some numbers are private (model_space.hpp), one for each.
#pragma once

#include <memory>
#include <vector>

#include "identification/laws/model_space.hpp"

namespace stickslip::inline identification {

class UnitLaws {
 public:
  UnitLaws(const ModelSpace& space, const std::vector<double>& y) {
    for (std::size_t unit = 0; unit < space.units(); ++unit) {
      const Realised made = space.units() > 1 ? space.at(y, unit) : space.at(y);
      laws_.push_back(space.make(made));
      chains_.push_back(made.chain);
    }
  }
  explicit UnitLaws(const IdentifiedModel& m) {
    const RegisteredModel& model = find_model(m.model);
    if (m.own.empty()) laws_.push_back(model.make(m.settings)), chains_.push_back(m.chain);
    for (const OwnLaw& own : m.own) laws_.push_back(model.make(own.settings)), chains_.push_back(own.chain);
  }

  const Friction& law(std::size_t unit) const { return *laws_[laws_.size() == 1 ? 0 : unit]; }
  const Chain& chain(std::size_t unit) const { return chains_[chains_.size() == 1 ? 0 : unit]; }
  const std::vector<Chain>& chains() const { return chains_; }

 private:
  std::vector<std::unique_ptr<Friction>> laws_;
  std::vector<Chain> chains_;
};

}  // namespace stickslip::inline identification
