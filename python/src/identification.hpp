/// What the identification of one recording shares with that of lists and of axes.
#pragma once

#include "border.hpp"
#include "identification/identify.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::python {

/// Throws Error for an option that makes no sense.
IdentifyOptions identify_options(const Options& options, MotionKind motion);
/// stickslip.Identification of recordings that were read.
py::object identified(const py::object& recordings, const py::object& progress, const py::kwargs& given);

/// identify_each, identify_axes
void add_lists(py::module_& m);

}  // namespace stickslip::python
