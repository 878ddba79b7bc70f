/// What is known of a number and of a model, as Python sees it.
#pragma once

#include <string>

#include "border.hpp"

namespace stickslip::python {

/// A number with what is known of it.
struct Parameter {
  std::string key, symbol, unit, meaning;
  double value = 0;
  bool is_estimated = false;
  double standard_error = 0, low = 0, high = 0;
  std::string verdict = {}, partner = {};
};

/// One set of samples: how far a model is off.
struct Quality {
  double noe = 0, largest_error = 0, rms = 0;
};

void add_validation(py::module_& m);

}  // namespace stickslip::python
