/// Values of friction models between Python and the library.
#pragma once
#include "border.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::python {

/// Numbers are SI, texts have units; lists are any sequence. Throws Error for a model that there is not.
ParameterValues values_of(const std::string& model, const py::dict& given);
py::dict to_python(const ParameterValues& values);

}  // namespace stickslip::python
