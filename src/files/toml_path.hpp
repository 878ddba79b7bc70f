/// The value that a path leads to: the keys from the document's top, with dots; [2] is the second of a list, [flywheel] the table of a
/// list whose name is "flywheel".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/toml_document.hpp"

namespace stickslip::inline files {

/// `inner`, if given, gets the numbers of places inside a text like "[1, 2, 3] N"; without it such a text has none. Throws Error naming
/// the nearest key for a path that leads nowhere.
const TomlValue& value_at(const TomlValue& document, std::string_view path, const std::string& file,
                          std::vector<std::size_t>* inner = nullptr);

}  // namespace stickslip::inline files
