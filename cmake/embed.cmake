# cmake -DFILES=a.js,b.css -DROOM=... -DFUNCTION=... -DHEADER=... -DOUTPUT=... -P embed.cmake: files as raw string literals; see
# stickslip_embed.cmake.
string(REPLACE "," ";" files "${FILES}")
set(rows "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(LENGTH "${text}" length)
  if(length GREATER 60000)
    message(FATAL_ERROR "${file} has ${length} characters; split it below 60000")
  endif()
  get_filename_component(name "${file}" NAME)
  string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed.cmake.
#include <cassert>
#include <utility>

#include \"${HEADER}\"

namespace stickslip::inline ${ROOM} {

std::string_view ${FUNCTION}(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> files[] = {
${rows}  };
  for (const auto& [key, text] : files)
    if (key == name) return text;
  assert(false && \"a file of this name\");
  return {};
}

}  // namespace stickslip::inline ${ROOM}
")
