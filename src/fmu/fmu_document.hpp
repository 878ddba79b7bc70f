/// What the variables of an FMU and its motion both read from the document of its machine.
#pragma once

#include <string>
#include <string_view>

#include "core/error.hpp"
#include "files/toml_document.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline fmu {

inline MotionKind motion_of(const TomlValue& document) {
  const TomlValue* machine = document.find("machine");
  const TomlValue* motion = machine ? machine->find("motion") : nullptr;
  return motion && motion->text == "rotary" ? MotionKind::rotary : MotionKind::linear;
}

/// The law of an element, without a body.
inline ScenarioFriction element_friction(const TomlValue& document, const std::string& file) {
  const Section whole(document, "", file);
  const auto section = whole.inner("friction");
  if (!section) throw Error(file + ": there is no [friction]");
  return read_friction(*section, motion_of(document));
}

/// In SI; 0 if there is none.
inline double number_of(const TomlValue& document, std::string_view table, std::string_view key) {
  const TomlValue* inner = document.find(table);
  const TomlValue* value = inner ? inner->find(key) : nullptr;
  return value && (value->kind == TomlValue::Kind::quantity || value->kind == TomlValue::Kind::number) ? value->number
                                                                                                       : 0;
}

}  // namespace stickslip::inline fmu
