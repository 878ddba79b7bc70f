#include "machines/machine_kind.hpp"

#include <algorithm>

#include "files/toml_section.hpp"
#include "machines/servo_axis/servo_axis_file.hpp"

namespace stickslip::inline machines {

SimulationOptions with_request(const SimulationOptions& options, const RunRequest& request) {
  SimulationOptions asked = options;
  asked.watch = request.watch;
  asked.end = std::min(options.end, request.until);
  // A file without a limit has the default one, which a request may also raise (--long).
  const bool is_usual = options.most_steps == SimulationOptions{}.most_steps;
  const bool is_asked = request.most_steps != RunRequest{}.most_steps;
  asked.most_steps = is_usual && is_asked ? request.most_steps : std::min(options.most_steps, request.most_steps);
  return asked;
}

const MachineKind& machine_kind(std::string_view text, const std::string& file) {
  return machine_kind_of(parse_toml(text, file), file);
}

const MachineKind& machine_kind_of(const TomlValue& document, const std::string& file) {
  const auto kinds = machine_kinds();
  const TomlValue* machine = document.find("machine");
  std::vector<std::string> words;
  for (const MachineKind* kind : kinds) {
    words.insert(words.end(), kind->words.begin(), kind->words.end());
    if (kind->table.empty() || !document.find(kind->table)) continue;
    if (machine)
      Section(document, "", file)
          .fail(*machine, "a file with [[" + std::string(kind->table) +
                              "]] defines a complete machine without [machine]; leave out one of them");
    return *kind;
  }
  if (!machine || machine->kind != TomlValue::Kind::table || !machine->find("kind")) return *kinds.front();
  std::string word = Section(*machine, "machine", file).word("kind", "machine", words);
  // A position loop that compensates friction is a servo axis under other names of its gains.
  if ((word == "position-loop" || word == "pid") && has_compensation(document)) word = "servo-axis";
  for (const MachineKind* kind : kinds)
    if (std::find(kind->words.begin(), kind->words.end(), word) != kind->words.end()) return *kind;
  return *kinds.front();
}

}  // namespace stickslip::inline machines
