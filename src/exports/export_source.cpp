/// Reads what is to be exported; see export.hpp.
#include <cctype>

#include "core/error.hpp"
#include "exports/export.hpp"
#include "files/toml_document.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::inline exports {

std::string program_name(const std::string& path) {
  std::string name = path.substr(path.find_last_of("/\\") == std::string::npos ? 0 : path.find_last_of("/\\") + 1);
  for (const std::string_view ending : {".toml", ".model"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front()))) name.insert(0, "friction_");
  constexpr std::size_t longest = 48;  // MATLAB and C tell 63 characters apart, and endings follow
  return name.substr(0, longest);
}

ExportSource export_source_of(const ModelFile& model) {
  ExportSource source;
  source.file = model.file;
  source.name = program_name(model.file);
  source.motion = model.motion;
  source.friction = make_friction(model.model, model.settings);
  source.title = model.title.empty() ? source.friction->description().title : model.title;
  return source;
}

ExportSource read_export_source(const std::string& path) {
  const std::string text = read_whole(path);
  if (!is_model_file(text, path))
    throw Error(path + ": not a model file; export needs a file with a [friction] table and no machine");
  return export_source_of(parse_model_file(text, path));
}

}  // namespace stickslip::inline exports
