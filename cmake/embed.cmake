# cmake -DFOLDER=... -DNAMES=a.js,b.css -DOUTPUT=... -P embed.cmake: files as raw string literals; see stickslip_embed.cmake.
string(REPLACE "," ";" names "${NAMES}")
set(rows "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}" text)
  string(LENGTH "${text}" length)
  if(length GREATER 60000)
    message(FATAL_ERROR "${FOLDER}/${name} has ${length} characters; split it below 60000")
  endif()
  string(APPEND rows "    {\"${name}\", R\"web-file(${text})web-file\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed.cmake from src/report/web.
#include <cassert>
#include <utility>

#include \"report/web_files.hpp\"

namespace stickslip {

std::string_view web_file(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> files[] = {
${rows}  };
  for (const auto& [key, text] : files)
    if (key == name) return text;
  assert(!\"a web file of this name\");
  return {};
}

}  // namespace stickslip
")
