/// Which laws have states in a joint, and which need their body alone; see stateful_law.hpp.
/// A law that reads Contact::applied or Contact::mass, or holds its body at places, needs it alone: those are known only where no other
/// joint pulls at the same body.
#include "machines/friction/register_model.hpp"
#include "machines/friction/stateful_law_of.hpp"
#include "models/asymmetric_maxwell_slip.hpp"
#include "models/bliman_sorine.hpp"
#include "models/bristle.hpp"
#include "models/bristle_sawtooth.hpp"
#include "models/dahl.hpp"
#include "models/elastoplastic.hpp"
#include "models/extended_maxwell_slip.hpp"
#include "models/generalized_maxwell_slip.hpp"
#include "models/hybrid_hysteresis.hpp"
#include "models/hybrid_numerical.hpp"
#include "models/hybrid_preisach.hpp"
#include "models/hybrid_presliding.hpp"
#include "models/karnopp.hpp"
#include "models/leuven.hpp"
#include "models/load_dependent.hpp"
#include "models/lugre.hpp"
#include "models/lugre_bristle.hpp"
#include "models/maxwell_slip.hpp"
#include "models/modified_lugre.hpp"

namespace stickslip::inline machines {
namespace {

struct StatefulEntry {
  std::string_view model;
  InJoints in_joints;
  std::unique_ptr<StatefulLaw> (*make)(const Friction&, bool);
};

template <template <class> class Model>
std::unique_ptr<StatefulLaw> made_stateful(const Friction& friction, bool needs_applied_force) {
  const auto& own = dynamic_cast<const FrictionOf<Model>&>(friction);
  return std::make_unique<StatefulLawOf<Model>>(own.varied(), friction.description().states, needs_applied_force);
}
template <template <class> class Model>
StatefulEntry stateful_entry(InJoints in_joints) {
  return {Model<double>::text.name, in_joints, &made_stateful<Model>};
}

const std::vector<StatefulEntry>& stateful_entries() {
  static const std::vector<StatefulEntry> all{stateful_entry<dahl::Model>(InJoints::states),
                                              stateful_entry<bliman_sorine::Model>(InJoints::states),
                                              stateful_entry<lugre::Model>(InJoints::states),
                                              stateful_entry<elastoplastic::Model>(InJoints::states),
                                              stateful_entry<leuven::Model>(InJoints::states),
                                              stateful_entry<maxwell_slip::Model>(InJoints::states),
                                              stateful_entry<asymmetric_maxwell_slip::Model>(InJoints::states),
                                              stateful_entry<extended_maxwell_slip::Model>(InJoints::states),
                                              stateful_entry<generalized_maxwell_slip::Model>(InJoints::states),
                                              stateful_entry<modified_lugre::Model>(InJoints::states),
                                              stateful_entry<lugre_bristle::Model>(InJoints::states),
                                              stateful_entry<load_dependent::Model>(InJoints::states),
                                              stateful_entry<karnopp::Model>(InJoints::alone),
                                              stateful_entry<hybrid_numerical::Model>(InJoints::alone),
                                              stateful_entry<hybrid_presliding::Model>(InJoints::alone),
                                              stateful_entry<hybrid_hysteresis::Model>(InJoints::alone),
                                              stateful_entry<hybrid_preisach::Model>(InJoints::alone),
                                              stateful_entry<bristle::Model>(InJoints::alone),
                                              stateful_entry<bristle_sawtooth::Model>(InJoints::alone)};
  return all;
}

const StatefulEntry* stateful_entry_of(std::string_view model) {
  for (const StatefulEntry& e : stateful_entries())
    if (e.model == model) return &e;
  return nullptr;
}

}  // namespace

InJoints in_joints(const ModelDescription& model) {
  if (const StatefulEntry* e = stateful_entry_of(model.name)) return e->in_joints;
  return model.nature == Nature::sticks ? InJoints::levels : InJoints::refused;
}

std::unique_ptr<StatefulLaw> stateful_law(const Friction& friction) {
  const StatefulEntry* e = stateful_entry_of(friction.description().name);
  return e ? e->make(friction, e->in_joints == InJoints::alone) : nullptr;
}

}  // namespace stickslip::inline machines
