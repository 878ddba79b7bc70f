/// Keys that had another name before: files with either name are read.
#pragma once
#include <string>
#include <string_view>

#include "files/toml_section.hpp"

namespace stickslip::inline files {

/// The one of both that the section has, `key` if it has neither; refuses a section with both.
inline const char* key_or_former(const Section& section, const char* key, const char* former) {
  if (!section.has(former)) return key;
  if (section.has(key))
    section.fail(section.value(former), std::string(former) + " is the former name of " + key + "; give one of them");
  return former;
}

/// The name of a friction model's parameter that was renamed; any other name is kept.
inline std::string current_parameter(std::string_view model, const std::string& written) {
  return model == "asymmetric-maxwell-slip" && written == "gap" ? "backlash" : written;
}

}  // namespace stickslip::inline files
