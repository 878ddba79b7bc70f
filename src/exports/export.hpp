/// What leaves the program for another one: the file as text or bytes, and what it lost against its source.
///   const ExportSource source = read_export_source("axis.model.toml");
///   const Export header = export_c(source, {.name = "axis"});
///   write_whole("axis.h", header.content);
/// Nothing is written here; the caller puts all files in place or none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "machines/friction/friction_section.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip::inline machines {
struct ModelFile;
}

namespace stickslip::inline exports {

/// A friction model on its way out.
struct ExportSource {
  std::string file;   // where it was read from
  std::string title;  // for people
  std::string name;   // for programs: letters, digits and _, from the file's name
  MotionKind motion = MotionKind::linear;
  std::shared_ptr<const Friction> friction;
  double mass = 0;                // of the body, for laws that need one [kg]; 0: not known
  bool is_whole_machine = false;  // the file describes a machine; friction is the one of its body
};

ExportSource export_source_of(const ModelFile& model);
/// From a model file. Throws Error.
ExportSource read_export_source(const std::string& path);
/// "axis.model.toml" -> "axis"; what a C name cannot have becomes _; begins with a letter, 48 characters at most.
std::string program_name(const std::string& path);

struct Export {
  std::string format;  // "c", "modelica": the word of the option
  std::string what;    // "C99 header"
  std::string content;
  std::vector<std::string> losses = {};  // what the format cannot carry, in plain words with figures
  std::vector<std::string> notes = {};   // how to use it, and what was assumed
  TextTable measured = {};               // source and export along standard motions
  std::vector<Figure> figures = {};
  Json details = {};
};

}  // namespace stickslip::inline exports
