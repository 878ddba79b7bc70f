#include "identification/judging/one_way.hpp"

#include <algorithm>

namespace stickslip::inline identification {

bool is_level_key(const std::string& model, const std::string& key) {
  constexpr std::string_view backward = "backward.";
  const std::string shared = shared_key(key);
  const std::string_view name = std::string_view(shared).substr(shared.starts_with(backward) ? backward.size() : 0);
  const auto& parameters = find_model(model).description().parameters;
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const ParameterDescription& p) { return p.key == name && is_level(p); });
}

void open_levels(IdentifiedModel& m, const ModelSpace& space) {
  std::vector<Estimate>& estimates = m.confidence.estimates;
  const auto offset = std::find_if(space.unknowns().begin(), space.unknowns().end(),
                                   [](const Unknown& u) { return u.role == ParameterRole::offset; });
  if (offset == space.unknowns().end() || estimates.size() < space.size()) return;
  const auto at = static_cast<std::size_t>(offset - space.unknowns().begin());
  const auto open = [&](std::size_t k, const std::string& partner) {
    const Unknown& u = space.unknowns()[k];
    Estimate& e = estimates[k];
    e.verdict = Determination::not_separable, e.partner = partner, e.companion.clear();
    e.low = std::min(e.low, u.low), e.high = std::max(e.high, u.high);
    for (Profile& p : m.profiles)
      if (p.key == e.key) p.low = u.low, p.high = u.high, p.ends_below = p.ends_above = false;
  };
  std::string first;
  for (std::size_t k = 0; k < space.size(); ++k) {
    if (k == at || !is_level_key(m.model, estimates[k].key)) continue;
    if (first.empty()) first = estimates[k].key;
    open(k, estimates[at].key);
  }
  if (first.empty()) return;
  for (std::size_t k = at; k < space.size(); ++k)  // private ones of every recording
    if (space.unknowns()[k].role == ParameterRole::offset && (k == at || space.is_own(k))) open(k, first);
}

}  // namespace stickslip::inline identification
