# stickslip_embed(TARGET file...): puts files of the folder web/ into a target as one source file that defines
#   std::string_view stickslip::web_file(std::string_view name)
# A file may not be longer than 60 kB: some compilers warn about longer string literals.
function(stickslip_embed target)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/web_files.cpp")
  set(paths ${ARGN})
  list(TRANSFORM paths PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/web/")
  string(REPLACE ";" "," names "${ARGN}")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/web -DNAMES=${names} -DOUTPUT=${source}
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${paths} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "web files of ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()
