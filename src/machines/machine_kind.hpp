/// What kind of machine a TOML file describes; each kind has a reader of its own.
#pragma once
#include <string>
#include <string_view>

#include "files/toml_document.hpp"

namespace stickslip {

enum class MachineKind {
  one_body,            // scenario.hpp
  mechanism,           // [[body]]: machine_file.hpp
  hydraulic_cylinder,  // hydraulic_file.hpp
  clutch_by_wire,      // clutch_file.hpp
  dual_clutch,         // dual_clutch_file.hpp
  servo_pendulum,      // servo_file.hpp
};

/// By [[body]], or by kind in [machine]. A word that names no machine is refused with the nearest one; anything else that is
/// wrong is left to the reader of one body.
MachineKind machine_kind(std::string_view text, const std::string& file);
MachineKind machine_kind_of(const TomlValue& document, const std::string& file);

}  // namespace stickslip
