/// What kind of machine a TOML file describes; see machine_kind.hpp.
#include "machines/machine_kind.hpp"

#include "files/toml_section.hpp"

namespace stickslip {

MachineKind machine_kind(std::string_view text, const std::string& file) {
  return machine_kind_of(parse_toml(text, file), file);
}

MachineKind machine_kind_of(const TomlValue& document, const std::string& file) {
  const TomlValue* machine = document.find("machine");
  if (document.find("body")) {
    if (machine)
      Section(document, "", file)
          .fail(*machine, "a file with [[body]] is a machine of its own; it has no [machine]: leave out one of them");
    return MachineKind::mechanism;
  }
  if (!machine || machine->kind != TomlValue::Kind::table || !machine->find("kind")) return MachineKind::one_body;
  const std::string kind = Section(*machine, "machine", file)
                               .word("kind", "machine",
                                     {"applied-force", "pulled-spring", "wall-spring", "pid", "position-loop",
                                      "hydraulic-cylinder", "clutch-by-wire", "dual-clutch", "servo-pendulum"});
  if (kind == "hydraulic-cylinder") return MachineKind::hydraulic_cylinder;
  if (kind == "clutch-by-wire") return MachineKind::clutch_by_wire;
  if (kind == "servo-pendulum") return MachineKind::servo_pendulum;
  return kind == "dual-clutch" ? MachineKind::dual_clutch : MachineKind::one_body;
}

}  // namespace stickslip
