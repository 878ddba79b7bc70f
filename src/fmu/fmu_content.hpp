/// What an FMU carries in resources/content.txt: the resolved declaration of its machine as a flat list, one value per line, SI numbers,
/// no unit left to convert and no other file to read. The binary in the FMU rebuilds the machine from it without a TOML reader.
///   stickslip fmu 1
///   about   machine  file  stick_slip.toml  Stick-slip of a pulled mass
///   nominal 0.5 0.2 1
///   table   3  machine
///   text    4  kind    pulled-spring
///   quantity 5 mass    1  kg
///   end
/// Fields are separated by tabs; the number behind the kind is the line of the source file, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/toml_document.hpp"

namespace stickslip::inline fmu {

struct FmuContent {
  bool is_element = false;       // velocity in, force out; else a machine with all that moves
  bool inputs_from_file = true;  // inputs that vary in the file do so unless the importer wants otherwise
  std::string title = {};
  std::string file = {};             // the source, for messages
  std::vector<double> nominal = {};  // size of each continuous state
  TomlValue document = {};           // of the machine; of an element, a body with its [friction]
};

std::string content_text(const FmuContent& content);
/// Throws Error for a text that is no such list.
FmuContent parse_content(std::string_view text);

/// The FMU's identity, from its content: "{8c4e810f-...}".
std::string content_token(std::string_view text);

}  // namespace stickslip::inline fmu
