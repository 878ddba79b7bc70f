/// stickslip identify <job.toml>: parameters of a machine from its log, by simulation or by inverse dynamics.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace stickslip::inline cli {

struct IdentifyMachineArguments {
  std::string job;
  std::vector<std::string> recordings;  // instead of the job's own
  std::string output;                   // machine file; empty: <job>.fitted.toml
  std::string csv;                      // measured, predicted, error; empty: none
  std::string report;                   // HTML; empty: none
  unsigned threads = 0;
  bool json = false, no_files = false;
};

/// Throws Error for a job that cannot be used; `failed` if it was interrupted.
Outcome identify_machine(const IdentifyMachineArguments& arguments);

}  // namespace stickslip::inline cli
