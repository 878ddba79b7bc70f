/// What a test found, as Python holds it.
#pragma once
#include "border.hpp"
#include "jobs/bench_tests/finding.hpp"

namespace stickslip::python {

/// Arrays of its points keep it alive.
struct HeldFinding {
  TestFinding found;
  std::string call;  // how to repeat it, for reports and model files
  std::string text;  // as the command prints it; "": summary and tables of the finding
};

}  // namespace stickslip::python
