/// The formats of `stickslip export`: each adds its options to the command and says what it makes if they are given.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "exports/export.hpp"

namespace stickslip::inline cli {

/// What all formats are asked with.
struct ExportRequest {
  std::string file;                               // as typed
  std::function<const ExportSource&()> friction;  // read on first use; throws Error for a machine without one model
};

struct ExportFormat {
  std::string option;                 // "--c"
  std::string extension;              // how files of -o end that are meant: ".h"
  std::shared_ptr<std::string> path;  // where it goes; "": not asked for
  std::function<Export(const ExportRequest&)> make;
};

/// One function per format, called in the order of the help (export.cpp).
/// --fmu out.fmu (export_fmu.cpp); the command has its --mass already.
ExportFormat add_fmu_export(CLI::App& command);

}  // namespace stickslip::inline cli
