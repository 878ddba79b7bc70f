#include "machines/friction/state_name.hpp"

#include <array>
#include <utility>

#include "core/units.hpp"

namespace stickslip::inline machines {

SignalInfo named_state(std::string_view declared, bool is_rotary) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> endings{
      {{"_N_m", "N/m"}, {"_m_s", "m/s"}, {"_N", "N"}, {"_rad", "rad"}, {"_m", "m"}}};
  for (const auto& [ending, unit] : endings)
    if (declared.size() > ending.size() && declared.ends_with(ending))
      return {std::string(declared.substr(0, declared.size() - ending.size())),
              is_rotary ? rotary(unit) : std::string(unit)};
  return {std::string(declared), ""};
}

}  // namespace stickslip::inline machines
