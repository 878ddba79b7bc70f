/// A machine as a value: read from a file or declared in code, its numbers set and read by path, run to its end or stepped.
///   Machine axis = read_machine("axis.toml");
///   axis.set("friction.coulomb_force", 12);          // [SI]
///   axis.set("body[flywheel].inertia", 0.3);
///   const MachineRun run = axis.run();                // columns, events, ledger
///   const auto motion = axis.motion();                // machines/motion.hpp
/// A path is the keys from the file's top, with dots; [2] is the second of a list, [flywheel] the table of a list whose name is
/// "flywheel". Numbers are SI and stay numbers: no text is written or read in between. A value that the machine refuses throws Error
/// and leaves the machine as it was.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machines/machine_kind.hpp"

namespace stickslip::inline machines {

/// One number of a machine.
struct MachineNumber {
  std::string path;
  double value = 0;  // [SI]
  std::string unit;  // its SI unit; "1" for a plain number
};

class Machine {
 public:
  /// From a parsed or constructed document; `file` names it in messages, and recorded inputs are searched for in its folder. Throws Error,
  /// one line that begins "file:line: " wherever a line is to blame.
  Machine(TomlValue document, std::string file);

  /// File it was read from, for messages.
  const std::string& file() const { return file_; }
  /// Its kind in the list of kinds.
  const MachineKind& kind() const { return *kind_; }
  /// Title of the file, or the default of the kind.
  const std::string& title() const { return built().title; }
  /// Start, end, sampling and tolerances.
  const SimulationOptions& options() const { return built().options; }
  /// The machine, built from the present numbers.
  const BuiltMachine& built() const { return *built_; }
  /// The declaration, with numbers as they are now.
  const TomlValue& document() const { return document_; }

  /// All numbers of the machine, in the order of the file.
  std::vector<MachineNumber> numbers() const;
  /// Throws Error naming the nearest path if there is no such number.
  double number(std::string_view path) const;
  /// Its SI unit, "1" for a plain number. Throws Error as number() does.
  std::string unit(std::string_view path) const;
  void set(std::string_view path, double value);
  void set(const std::vector<std::pair<std::string, double>>& values);
  /// The same without an exception, for loops: the reason of the refusal, or "".
  std::string try_set(const std::vector<std::pair<std::string, double>>& values);

  /// Runs to the end, or as the request says.
  MachineRun run(const RunRequest& request = {}) const { return built_->run(request); }
  /// Independent of this machine, which may change or be destroyed.
  std::unique_ptr<Motion> motion() const { return built_->motion(); }

 private:
  void build();

  TomlValue document_;
  std::string file_;
  const MachineKind* kind_ = nullptr;
  std::shared_ptr<const BuiltMachine> built_;
};

/// Throws Error for a file that cannot be used.
Machine read_machine(const std::string& file);
Machine parse_machine_text(std::string_view text, const std::string& file);

}  // namespace stickslip::inline machines
