# stickslip_machines(word...)
# stickslip_machines(TARGET name WORDS word...)
#
# Makes kinds of machines known, one word each: W is a folder beside the CMakeLists.txt that calls this, one of whose files defines
# `const MachineKind& machine_W()`. The generated list (machine_list.cpp.in) keeps the order; the first kind is what a file is that
# names none.
#
# The long form adds kinds from elsewhere: its list is the short form's words and then its own, and takes the place of the short one
# in TARGET, whose sources define the new kinds.
function(stickslip_machines)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "WORDS")
  get_property(words GLOBAL PROPERTY STICKSLIP_MACHINE_WORDS)
  if(arg_TARGET)
    list(APPEND words ${arg_WORDS})
    set(target ${arg_TARGET})
  else()
    set(words ${arg_UNPARSED_ARGUMENTS})
    set(target stickslip_machine_list)
    set_property(GLOBAL PROPERTY STICKSLIP_MACHINE_WORDS "${words}")
    foreach(word IN LISTS words)
      if(NOT IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/${word}")
        message(FATAL_ERROR "stickslip_machines: no folder ${CMAKE_CURRENT_SOURCE_DIR}/${word} for '${word}'")
      endif()
    endforeach()
  endif()
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(word IN LISTS words)
    string(APPEND DECLARATIONS "const MachineKind& machine_${word}();\n")
    string(APPEND ENTRIES "      &machine_${word}(),\n")
  endforeach()
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_machine_list.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/machine_list.cpp.in" "${list}" @ONLY)
  if(arg_TARGET)
    target_sources(${target} PRIVATE "${list}")
  else()
    target_sources(stickslip_machines PRIVATE "${list}")
  endif()
endfunction()
