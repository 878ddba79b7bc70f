# stickslip_embed(TARGET ROOM FUNCTION HEADER file...): puts text files into a target as one source file that defines
#   std::string_view stickslip::ROOM::FUNCTION(std::string_view name)
# which HEADER declares; a name is that of a file without its folder. A file may not be longer than 60 kB: some compilers
# warn about longer string literals.
function(stickslip_embed target room function header)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  string(REPLACE ";" "," files "${ARGN}")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} -DFILES=${files} -DROOM=${room} -DFUNCTION=${function} -DHEADER=${header} -DOUTPUT=${source}
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "text files of ${target}"
    VERBATIM)
  if(TARGET ${target}_first)  # the first program needs it, too
    set(target ${target}_first)
  endif()
  target_sources(${target} PRIVATE "${source}")
endfunction()
