/// What commands of the page offer on the command line only: the page says so.
#include "cli/command.hpp"
#include "cli/export.hpp"
#include "cli/identify_machine.hpp"
#include "core/error.hpp"

namespace stickslip::inline page {

Outcome identify_machine(const IdentifyMachineArguments& arguments) {
  throw Error("a machine's job (" + arguments.job + ") is identified by the program: stickslip identify " +
              arguments.job);
}

ExportFormat add_fmu_export(CLI::App& command) {
  auto path = std::make_shared<std::string>();
  command.add_option("--fmu", *path, "FMU; by the program only");
  return {path, [](const ExportRequest& request) -> Export {
            throw Error("an FMU carries binaries, which the program has: stickslip export " + request.file + " --fmu");
          }};
}

}  // namespace stickslip::inline page
