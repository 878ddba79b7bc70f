/// modelDescription.xml of FMI 2.0 and 3.0, written from an FmuModel.
#pragma once

#include <string>

#include "fmu/fmu_model.hpp"

namespace stickslip::inline fmu {

struct FmuHeading {
  int version = 2;         // of FMI: 2 or 3
  std::string name;        // of the model, for people and tools
  std::string identifier;  // of the binary: letters, digits and _
  std::string token;
};

std::string model_description(const FmuModel& model, const FmuHeading& heading);

/// "N s/m" as FMI's tools write it: "N.s/m"; "kg m^2" is "kg.m2".
std::string fmi_unit(std::string_view unit);
/// For an attribute or the text of an element.
std::string attribute_text(std::string_view text);

}  // namespace stickslip::inline fmu
