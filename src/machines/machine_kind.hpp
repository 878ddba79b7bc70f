/// The interface of a kind of machine, and the list of all kinds. A kind is one folder beside this file: its plant, the reader of its file
/// and its figure. Its word in src/machines/CMakeLists.txt registers it; CONTRIBUTING.md has a worked example.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "files/json.hpp"
#include "files/toml_document.hpp"
#include "machines/motion.hpp"
#include "machines/run_events.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip::inline machines {

/// Sums over a whole run [J]; NaN for terms that a kind of machine does not provide.
struct MachineTotals {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double events = unknown;  // of all kinds
  double work_in = unknown, friction_heat = unknown, damper_heat = unknown;
  double friction_work = unknown;  // the heat, and what the friction still stores in its bristles
};

/// What only a single body has.
struct BodyTrace {
  std::vector<double> stretch = {};  // at the samples: of its spring, or by how much it lags its target [m]
  double pull_speed = 0;             // of the far end of its spring, at the end [m/s]
  double mass = 0;
  std::vector<double> state = {};  // of the friction, at the end
};

/// Presentation of a run: made on request, since fits and sweeps do not need it.
struct RunView {
  Json summary;
  RunEvents events;
  Figure figure;
  std::vector<Figure> closer_looks = {};  // for the report: friction over position and velocity
  std::vector<TextTable> overview = {};   // events first
};

/// The one result of every machine.
struct MachineRun : RunHead {
  MachineRun() = default;
  explicit MachineRun(const RunHead& head) : RunHead(head) {}

  std::string ending;             // "ends at 0.1 m, 0 m/s"
  Table samples;                  // "time" first
  bool counts_all_events = true;  // also those beyond the list
  MachineTotals totals;
  std::vector<LedgerRow> ledger;
  std::vector<std::string> warnings;  // known only after the run
  std::optional<BodyTrace> body;
  std::function<RunView()> view;
};

/// Options of one run.
struct RunRequest {
  RunWatch* watch = nullptr;
  double until = std::numeric_limits<double>::infinity();            // the run ends here if not before [s]
  std::size_t most_steps = std::numeric_limits<std::size_t>::max();  // or what the file allows, if that is less
  bool is_watched = true;                                            // events are listed, a view can be made
};

/// The options of a machine as a request changes them.
SimulationOptions with_request(const SimulationOptions& options, const RunRequest& request);

/// A machine that can be run: what a kind has made of a declaration.
class BuiltMachine {
 public:
  virtual ~BuiltMachine() = default;
  std::string title;    // "Stick-slip of a pulled mass"
  std::string subject;  // "Stribeck friction", "electrohydraulic cylinder, LuGre"
  SimulationOptions options;
  std::vector<std::string> warnings;  // warnings
  Json summary;                       // what is run

  virtual MachineRun run(const RunRequest& request) const = 0;
  /// To be stepped; this machine must outlive it. Throws Error if the kind cannot be stepped.
  virtual std::unique_ptr<Motion> motion() const = 0;
  /// Steps that a run needs in any case; 0 if unknown.
  virtual double least_steps() const { return 0; }
};

struct MachineKind {
  std::string_view name;           // of its folder: "cylinder"
  std::vector<std::string> words;  // of `kind` in [machine]
  std::string_view table = "";     // a list of tables that identifies the kind, whatever [machine] says: "body"
  /// Throws Error, one line that begins "file:line: " wherever a line is to blame.
  std::unique_ptr<BuiltMachine> (*build)(const TomlValue& document, const std::string& file) = nullptr;
};

/// All kinds, in the order of src/machines/CMakeLists.txt; the first is the kind of a file that names none.
std::vector<const MachineKind*> machine_kinds();

/// The kind of a document. A word that names no machine is refused with the nearest one; any other error is left to the
/// first kind.
const MachineKind& machine_kind_of(const TomlValue& document, const std::string& file);
const MachineKind& machine_kind(std::string_view text, const std::string& file);

}  // namespace stickslip::inline machines
