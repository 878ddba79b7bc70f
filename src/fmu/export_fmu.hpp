/// A model file or a machine file as an FMU: a zip archive with modelDescription.xml, the binary of each platform that is there, the
/// resolved numbers, a page and an icon. No compiler is needed.
///   const FmuFile fmu = export_fmu("axis.toml", {.version = 3});
///   write_whole("axis.fmu", fmu.content);
/// From a model file: an element (velocity in, force out), or with a mass a body (force in). From a machine file: the machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fmu/fmu_model.hpp"

namespace stickslip::inline fmu {

struct FmuOptions {
  int version = 2;               // of FMI: 2 or 3
  double mass = 0;               // of a body with the model of a model file [kg or kg m^2]; 0: an element
  bool inputs_from_file = true;  // inputs that vary in the machine file do so until told otherwise
  std::string binaries =
      {};  // folder with x86_64-linux and x86_64-windows; "": where the program is built or installed
};

struct FmuFile {
  std::string content;      // the zip
  std::string description;  // its modelDescription.xml
  std::string resource;     // its resources/content.txt
  std::string token;
  double mass = 0;                  // of a body with the model of a model file
  std::string what;                 // "FMI 2.0 FMU of a body, Model Exchange and Co-Simulation, linux64"
  std::vector<std::string> losses;  // what the format cannot carry
  std::vector<std::string> notes;
  std::shared_ptr<const FmuModel> model;
};

/// Throws Error for a file that cannot be used, a law that has no force without the force applied, a missing binary.
FmuFile export_fmu(const std::string& file, const FmuOptions& options = {});
FmuFile export_fmu(std::string_view text, const std::string& file, const FmuOptions& options);
/// The same without the archive.
FmuFile describe_fmu(std::string_view text, const std::string& file, const FmuOptions& options);

/// What the file declares, resolved: recorded inputs as tables, model files read in. Throws Error for what cannot travel.
FmuContent fmu_content(std::string_view text, const std::string& file, const FmuOptions& options);

/// A 64 by 64 picture: a block pulled by a spring, and its saw-tooth force.
std::string fmu_icon_png();

}  // namespace stickslip::inline fmu
