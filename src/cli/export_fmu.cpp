/// stickslip export FILE --fmu OUT.fmu: a friction model or a machine as an FMU.
#include "export_fmu.hpp"

#include "core/error.hpp"
#include "core/range.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "export.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::inline cli {

std::shared_ptr<FmuArguments> add_fmu_options(CLI::App& command) {
  auto a = std::make_shared<FmuArguments>();
  a->mass = command.get_option("--mass");
  command.add_option("--fmu", a->path, "FMU of a model (with --mass: of a body) or of a machine file: FILE.fmu");
  command.add_option("--fmi", a->fmi, "FMI version of the FMU: 2 (default) or 3");
  command.add_option("--inputs", a->inputs,
                     "time-varying inputs of a machine's FMU: from the machine file (`file`, default) or from the "
                     "importing tool (`outside`)");
  return a;
}

FmuFile fmu_from(const FmuArguments& a, const std::string& file) {
  FmuOptions options;
  if (a.fmi != "2" && a.fmi != "3") throw Error("--fmi is " + in_quotes(a.fmi) + "; supported are 2 and 3");
  if (a.inputs != "file" && a.inputs != "outside")
    throw Error("--inputs: " + no_such("place", a.inputs, {"file", "outside"}));
  options.version = a.fmi == "2" ? 2 : 3;
  options.inputs_from_file = a.inputs == "file";
  const std::string text = read_whole(file);
  if (a.mass && a.mass->count() > 0) {
    const bool is_rotary = is_model_file(text, file) && parse_model_file(text, file).motion == MotionKind::rotary;
    const std::string unit = is_rotary ? "kg m^2" : "kg";
    try {
      options.mass = parse_quantity(a.mass->results().front(), unit);
    } catch (const Error& problem) {
      throw Error(std::string("--mass: ") + problem.what());
    }
    if (const auto problem = refusal(options.mass, unit, range_of(unit, Sign::positive)); !problem.empty())
      throw Error("--mass " + problem);
  }
  return export_fmu(text, file, options);
}

ExportFormat add_fmu_export(CLI::App& command) {
  const auto arguments = add_fmu_options(command);
  return {"--fmu", ".fmu", std::shared_ptr<std::string>(arguments, &arguments->path),
          [arguments](const ExportRequest& request) {
            FmuFile fmu = fmu_from(*arguments, request.file);
            Export made;
            made.format = "fmu";
            made.what = fmu.what;
            made.content = std::move(fmu.content);
            made.losses = std::move(fmu.losses);
            made.notes = std::move(fmu.notes);
            return made;
          }};
}

}  // namespace stickslip::inline cli
