/// The options of `stickslip export FILE --fmu OUT.fmu`.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "fmu/export_fmu.hpp"

namespace stickslip::inline cli {

/// As typed; `path` is empty if no FMU is asked for.
struct FmuArguments {
  std::string path, fmi = "2", inputs = "file";
  const CLI::Option* mass = nullptr;  // the command's --mass: of a model file's body
};
std::shared_ptr<FmuArguments> add_fmu_options(CLI::App& command);

/// Throws Error for options that make no FMU.
FmuFile fmu_from(const FmuArguments& arguments, const std::string& file);

}  // namespace stickslip::inline cli
