/// From a friction model and an axis to a controller, as one call: rivals in the closed loop, hunting, stairs, and the files of it.
///   const Compensation c = compensate(read_model_file("axis.model.toml"), "axis.toml", {});
///   write_whole("axis_control.h", compensation_files(c, {}).header);
#pragma once

#include "compensate/compensate_page.hpp"

namespace stickslip::inline compensation {

struct CompensateOptions {
  int cells = 7;  // of the map of stairs, speeds and bandwidths each
  unsigned threads = 0;
  RunWatch* watch = nullptr;
};
/// `machine` is the file of the axis, or "" where the numbers have its mass. Throws Error.
Compensation compensate(const ModelFile& model, const std::string& machine, const AxisNumbers& numbers,
                        const CompensateOptions& options = {});

/// What is printed.
std::string compensation_text(const Compensation& c, std::size_t width, bool colour);

struct CompensationFiles {
  std::string header;     // C99 with model and controller; "" for a law without C
  std::string no_header;  // why
  std::string scenario;   // machine file of the recommended run
  std::string page;       // HTML report
};
CompensationFiles compensation_files(const Compensation& c, const Provenance& provenance);

}  // namespace stickslip::inline compensation
